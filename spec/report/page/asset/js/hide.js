// Hiding messages by their kind, and what happens at some procs.

/** @type {Set<string>} names of kinds and procs */
const hidden = new Set();

/** Hides in the figure what the reader does not want to see: everything else stays in its place. */
async function hide() {
	const { kinds, kindOf, procOf } = await index();
	for (const mark of figure?.querySelectorAll("[data-i]") || []) {
		const events = eventsOf(mark);
		const gone = events.some(i => hidden.has(config.procs[procOf[i]])) ||
			events.some(i => kindOf[i] >= 0) && events.every(i => kindOf[i] < 0 || hidden.has((kinds || [])[kindOf[i]] || ""));
		mark.classList.toggle("gone", gone);
	}
	const open = get("hide");
	if (open?.firstChild) open.firstChild.textContent = hidden.size ? "Hidden: " + hidden.size : "Hide";
}

/** A switch for each name.
 * @param {string} title
 * @param {string[]} names */
function switches(title, names) {
	const set = document.createElement("fieldset");
	set.append(element("legend", title));
	for (const name of names) {
		const label = document.createElement("label");
		const box = document.createElement("input");
		box.type = "checkbox";
		box.checked = !hidden.has(name);
		box.addEventListener("change", () => {
			if (box.checked) hidden.delete(name); else hidden.add(name);
			remember();
			hide();
		});
		label.append(box, name);
		set.append(label);
	}
	return set;
}

get("hide")?.addEventListener("toggle", async e => {
	const box = /** @type {HTMLDetailsElement} */ (e.target);
	for (const set of box.querySelectorAll("fieldset")) set.remove();
	if (!box.open) return;
	const { kinds } = await index();
	box.append(switches("Messages", kinds || []), switches("Procs", config.procs));
});
