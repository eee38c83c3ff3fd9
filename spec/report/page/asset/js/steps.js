// Choosing a step.

/** @param {HTMLElement} r */
function choose(r) {
	r.classList.add("now");
	r.setAttribute("aria-current", "step");
	r.querySelector("a")?.setAttribute("tabindex", "0");
	const more = r.querySelector("details");
	if (more) more.open = true;
}

function unchoose() {
	for (const r of document.querySelectorAll(".row.now")) {
		r.classList.remove("now");
		r.removeAttribute("aria-current");
		r.querySelector("a")?.setAttribute("tabindex", "-1");
		const more = r.querySelector("details");
		if (more) more.open = false;
	}
}

/** Goes to a step.
 * @param {number} step
 * @param {{proc?: number, scroll?: boolean, focus?: boolean}} [how] */
async function go(step, how = {}) {
	step = Math.min(Math.max(step, 1), config.steps);
	if (!config.steps) return;
	now.step = step;
	const { procs } = await index();
	if (now.step !== step) return; // the reader has gone on
	if (how.proc !== undefined) now.proc = how.proc;
	else if (now.proc < 0 || !procs[step - 1].includes(now.proc)) now.proc = procs[step - 1][0] ?? now.proc;
	unchoose();
	const body = bodyOf(step);
	if (body) await fill(body, () => now.step === step);
	if (now.step !== step) return;
	const r = row(step);
	if (r) {
		choose(r);
		if (how.scroll !== false) r.scrollIntoView({ block: "nearest", behavior: "instant" });
		if (how.focus) r.querySelector("a")?.focus({ preventScroll: true });
	}
	remember();
	markFigure();
	showStates();
	if (now.causes) showCauses();
}

/** The next step of the current proc.
 * @param {number} by */
async function goSame(by) {
	const { procs } = await index();
	for (let s = now.step + by; s >= 1 && s <= config.steps; s += by) {
		if (now.proc < 0 || procs[s - 1].includes(now.proc)) return go(s, { proc: now.proc });
	}
}

/** The next mark.
 * @param {number} by */
function goMark(by) {
	const list = by > 0 ? config.marks : config.marks.slice().reverse();
	const next = list.find(m => by > 0 ? m > now.step : m < now.step);
	if (next) go(next);
}
