// @ts-check
const root = document.documentElement;
root.classList.add("js");
document.getElementById("theme")?.addEventListener("click", () => {
	const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	root.dataset.theme = dark ? "light" : "dark";
});

/** value is what a cell is sorted by: a number where it says one. @param {Element} row @param {number} column */
const value = (row, column) => {
	const cell = /** @type {HTMLElement | undefined} */ (row.children[column]);
	if (cell?.dataset.v !== undefined) return Number(cell.dataset.v);
	return (cell?.textContent ?? "").trim();
};
/** @param {number | string} a @param {number | string} b */
const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});

for (const table of document.querySelectorAll("table.sortable")) {
	const body = /** @type {HTMLTableSectionElement} */ (table.querySelector("tbody"));
	const before = [...body.rows];
	const heads = [.../** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("thead th"))];
	heads.forEach((head, column) => {
		if (head.dataset.fixed !== undefined) return;
		const button = document.createElement("button");
		button.type = "button";
		button.className = "sort";
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => {
			// numbers the largest first, then the other way round, then as it was
			const numbers = before.some(r => typeof value(r, column) === "number");
			const steps = numbers ? ["descending", "ascending"] : ["ascending", "descending"];
			const next = steps[steps.indexOf(head.getAttribute("aria-sort") ?? "") + 1];
			for (const h of heads) h.removeAttribute("aria-sort");
			let rows = before;
			if (next) {
				head.setAttribute("aria-sort", next);
				const sign = next === "ascending" ? 1 : -1;
				rows = before.map((row, i) => ({row, i, v: value(row, column)}))
					.sort((a, b) => sign * compare(a.v, b.v) || a.i - b.i).map(x => x.row);
			}
			body.append(...rows);
		});
	});
}

for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-filter]"))) {
	const id = input.dataset.filter ?? "";
	const found = document.getElementById(id + "-found");
	const rows = [.../** @type {NodeListOf<HTMLTableRowElement>} */ (document.querySelectorAll("#" + id + " tbody tr:not(.group)"))];
	const text = rows.map(r => (r.textContent ?? "").toLowerCase());
	input.addEventListener("input", () => {
		const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
		let n = 0;
		rows.forEach((row, i) => {
			row.hidden = !words.every(w => text[i].includes(w));
			if (!row.hidden) n++;
		});
		if (found) found.textContent = words.length ? n + " of " + rows.length : "";
	});
}
document.addEventListener("keydown", e => {
	const first = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-filter]"));
	if (e.key !== "/" || !first || e.ctrlKey || e.metaKey || e.altKey || document.activeElement instanceof HTMLInputElement) return;
	e.preventDefault();
	first.focus();
});
