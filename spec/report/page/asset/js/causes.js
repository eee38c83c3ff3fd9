// Causes.

/** The steps and events that a step follows from: all of them, and those that it follows from at once.
 * A crash explains less of the restart behind it than what that restores.
 * @param {number} step */
async function past(step) {
	const { stepOf, causes, crashes } = await index();
	const own = stepOf.flatMap((s, i) => s === step ? [i] : []);
	const events = new Set(own);
	for (const e of events) {
		for (const c of causes[e] || []) events.add(c);
	}
	const direct = new Set([...own, ...own.flatMap(e => causes[e] || []).filter(c => !crashes?.includes(c))]);
	return { events, direct };
}

async function showCauses() {
	get("causes")?.setAttribute("aria-pressed", String(now.causes));
	const stage = get("run");
	const table = document.querySelector(".steps");
	table?.classList.toggle("fading", now.causes);
	stage?.classList.toggle("fading", now.causes);
	for (const e of document.querySelectorAll(".cause")) e.classList.remove("cause", "direct");
	if (!now.causes || !now.step) return;
	const [{ stepOf }, { events, direct }] = await Promise.all([index(), past(now.step)]);
	for (const [some, name] of /** @type {[Set<number>, string][]} */ ([[events, "cause"], [direct, "direct"]])) {
		for (const s of new Set([...some].map(e => stepOf[e]))) row(s)?.classList.add(name);
		for (const e of stage?.querySelectorAll("[data-i]") || []) {
			if (eventsOf(e).some(i => some.has(i))) e.classList.add(name);
		}
	}
}

function toggleCauses() {
	now.causes = !now.causes;
	remember();
	showCauses();
}
get("causes")?.addEventListener("click", toggleCauses);
