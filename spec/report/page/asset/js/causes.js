// Causes.

/** The steps and events that a step follows from.
 * @param {number} step */
async function past(step) {
	const { stepOf, causes } = await index();
	const events = new Set(stepOf.flatMap((s, i) => s === step ? [i] : []));
	for (const e of events) {
		for (const c of causes[e] || []) events.add(c);
	}
	return { events, steps: new Set([...events].map(e => stepOf[e])) };
}

async function showCauses() {
	get("causes")?.setAttribute("aria-pressed", String(now.causes));
	const stage = get("run");
	const table = document.querySelector(".steps");
	table?.classList.toggle("fading", now.causes);
	stage?.classList.toggle("fading", now.causes);
	for (const e of document.querySelectorAll(".cause")) e.classList.remove("cause");
	if (!now.causes || !now.step) return;
	const { events, steps } = await past(now.step);
	for (const s of steps) row(s)?.classList.add("cause");
	for (const e of stage?.querySelectorAll("[data-i]") || []) {
		if ((e.getAttribute("data-i") || "").split(" ").some(i => events.has(Number(i)))) e.classList.add("cause");
	}
}

function toggleCauses() {
	now.causes = !now.causes;
	remember();
	showCauses();
}
get("causes")?.addEventListener("click", toggleCauses);
