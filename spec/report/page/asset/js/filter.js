// Filter.

const filter = /** @type {HTMLInputElement | null} */ (get("filter"));
/** @type {Set<number> | undefined} steps that fit */
let fitting;

/** @param {ParentNode} part */
function filterRows(part) {
	for (const r of /** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll(".row"))) {
		r.hidden = fitting !== undefined && !fitting.has(stepIn(r));
	}
}

async function applyFilter() {
	if (!filter) return;
	const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
	const { text, procs } = await index();
	fitting = undefined;
	if (words.length) {
		fitting = new Set();
		text.forEach((t, i) => {
			const all = " " + t.toLowerCase() + " " + procs[i].map(p => config.procs[p]).join(" ").toLowerCase() + " ";
			if (words.every(w => config.procs.some(p => p.toLowerCase() === w) ? all.split(/[^\p{L}\p{N}_]+/u).includes(w) : all.includes(w))) fitting?.add(i + 1);
		});
	}
	for (const body of bodies) {
		if (!lazy.includes(body)) {
			filterRows(body);
			continue;
		}
		const from = Number(body.dataset.block) * config.chunk;
		const some = !fitting || [...fitting].some(s => s > from && s <= from + config.chunk);
		body.hidden = !some;
		if (body.dataset.full) filterRows(body);
	}
	const found = get("found");
	if (found) found.textContent = fitting ? fitting.size + " of " + config.steps + " steps" : "";
}
filter?.addEventListener("input", applyFilter);
