// Watched values are columns.

const watch = /** @type {HTMLInputElement | null} */ (get("watch"));
/** @type {string[]} */
let watched = [];

/** @param {ParentNode} part */
async function watchRows(part) {
	if (!watch) return;
	for (const e of part.querySelectorAll("td.watch")) e.remove();
	if (!watched.length) return;
	for (const r of /** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll(".row"))) {
		const step = stepIn(r);
		const kept = isKept(step) && isKept(step - 1);
		const [after, before] = !kept ? [[], []] : await Promise.all([statesAt(step), statesAt(step - 1)]);
		for (const path of watched) {
			const [name, ...rest] = path.split(".");
			const p = config.procs.indexOf(name);
			const value = at(after[p], rest.join(".")), old = at(before[p], rest.join("."));
			const cell = document.createElement("td");
			cell.className = "watch" + (same(value, old) ? "" : " changed");
			cell.textContent = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
			r.append(cell);
		}
	}
}

watch?.addEventListener("change", () => {
	watched = watch.value.split(/[\s,]+/).filter(Boolean);
	const head = document.querySelector(".steps thead tr");
	for (const e of head?.querySelectorAll(".watch") || []) e.remove();
	for (const path of watched) {
		const cell = document.createElement("th");
		cell.scope = "col";
		cell.className = "watch";
		cell.textContent = path;
		head?.append(cell);
	}
	for (const body of bodies) watchRows(body);
});
