// The panel beside the steps: what there is behind the chosen one.

const panel = get("panel");
/** @type {Set<number> | undefined} procs that the reader has opened; until then those of the step */
let opened;
/** @type {Map<string, boolean>} other parts that he has opened or closed */
const shown = new Map();
const most = 12; // lines that are shown without being asked for

/** @param {string} tag
 * @param {string} text
 * @param {string} [className] */
function element(tag, text, className) {
	const e = document.createElement(tag);
	e.textContent = text;
	if (className) e.className = className;
	return e;
}

/** A part of the panel that can be closed; its title has a word that stands back.
 * @param {string} title
 * @param {string} word */
function part(title, word) {
	const e = document.createElement("details");
	const summary = element("summary", title + " ");
	summary.append(element("span", word, "quiet-word"));
	e.append(summary);
	return { part: e, summary };
}

/** A list of a name and what is said of it, a line each; what is new is marked.
 * @param {string} key
 * @param {string} title
 * @param {string} word
 * @param {[string, string, boolean?][]} lines
 * @param {boolean} [open] if there are few
 * @param {string} [className] */
function listed(key, title, word, lines, open, className) {
	if (!lines.length) return [];
	const e = part(title, word).part;
	e.className = "listed " + (className || "");
	e.open = shown.get(key) ?? (open === true && lines.length <= most);
	e.firstElementChild?.addEventListener("click", () => shown.set(key, !e.open));
	const list = document.createElement("ul");
	for (const [name, text, changed] of lines) {
		const item = element("li", "", changed ? "changed" : "");
		if (name) item.append(element("span", name + " ", "key"));
		item.append(text);
		list.append(item);
	}
	e.append(list);
	return [e];
}

/** What one proc keeps, and its surroundings.
 * @param {number} p
 * @param {unknown[]} after
 * @param {unknown[]} before
 * @param {Around} around
 * @param {Around} was
 * @param {boolean} open */
function ofProc(p, after, before, around, was, open) {
	const word = after[p] === null ? "down" : same(after[p], before[p]) ? "" : "changed";
	const e = part(config.procs[p], word);
	const rest = {}, former = {};
	for (const [a, into] of /** @type {[Around, Record<string, unknown>][]} */ ([[around, rest], [was, former]])) {
		if (a.stable) into["stable storage"] = Object.fromEntries(a.stable.map(r => [r.key, r.torn ? "torn" : r.value]));
		if (a.writing) into["on its way to it"] = a.writing;
		if (a.notices) into["will be told of"] = a.notices;
		if (a.timers) into["timers"] = a.timers;
	}
	const fill = () => {
		if (!e.part.open || e.part.childElementCount > 1) return;
		if (after[p] !== null) e.part.append(tree(after[p], before[p]));
		if (Object.keys(rest).length) e.part.append(tree(rest, former));
	};
	e.part.open = open;
	fill();
	e.part.addEventListener("toggle", fill);
	return e;
}

/** The properties behind a step.
 * @param {number} step
 * @param {Judged[]} judged */
function properties(step, judged) {
	const last = step === config.steps;
	/** @type {[string, string, boolean?][]} */
	const broken = [];
	/** @type {[string, string][]} */
	const holds = [];
	/** @type {[string, string][]} */
	const not = [];
	for (const j of judged) {
		const first = (j.broken || []).filter(s => s ? s <= step : last);
		if (!j.applies) not.push([j.name, "does not apply"]);
		else if (!first.length) holds.push([j.name, last ? "holds" : "holds so far"]);
		else broken.push([j.name, "broken " + first.map(s => s ? "in step " + s : "at the end of the run").join(", "), first.includes(step)]);
	}
	/** @type {[string, string, boolean?][]} */
	const lines = [...broken, ...holds, ...not];
	const counts = [broken.length && broken.length + " broken", holds.length && holds.length + " hold" + (last ? "" : " so far"), not.length && not.length + " do not apply"];
	return listed("properties", "Properties", counts.filter(Boolean).join(", "), lines, false, broken.length ? "broken" : "");
}

/** What could have come instead of a step.
 * @param {number} step
 * @param {string} text */
async function others(step, text) {
	if (!step) return [];
	const k = Math.floor((step - 1) / config.span);
	const all = (await chunkOf(k)).else[step - 1 - k * config.span] || [];
	const list = all.filter(t => t !== text);
	return listed("others", "Instead of step " + step + " could have come", list.length + (list.length > 1 ? " others" : " other"),
		list.map(t => /** @type {[string, string]} */ (["", t])), false, "others");
}

/** How many events of each life of each proc a step follows from, its own included; counted when a
 * reader wants to know.
 * @param {number} step */
function clock(step) {
	if (!step) return [];
	const e = part("Vector clock", "");
	e.part.className = "listed";
	e.part.open = shown.get("clock") || false;
	const fill = async () => {
		if (!e.part.open || e.part.childElementCount > 1) return;
		const list = document.createElement("ul");
		e.part.append(list);
		const [{ procOf, lifeOf }, { events }] = await Promise.all([index(), past(step)]);
		/** @type {Map<string, number>} */
		const counts = new Map();
		for (const i of [...events].sort((a, b) => procOf[a] - procOf[b] || lifeOf[a] - lifeOf[b])) {
			const life = config.procs[procOf[i]] + (lifeOf[i] ? "." + lifeOf[i] : "");
			counts.set(life, (counts.get(life) || 0) + 1);
		}
		for (const [life, n] of counts) {
			const item = element("li", "");
			item.append(element("span", life + " ", "key"), String(n));
			list.append(item);
		}
	};
	e.summary.addEventListener("click", () => shown.set("clock", !e.part.open));
	e.part.addEventListener("toggle", fill);
	fill();
	return [e.part];
}

/** Shows what there is behind the chosen step. */
async function showStates() {
	if (!panel || !config.states) return;
	const step = now.step;
	const head = element("h3", step ? "State behind step " + step : "State at the start");
	if (!isKept(step)) {
		panel.replaceChildren(head, element("p", "It is not kept: the run is too long. States are there around marks; n and N go there.", "note"));
		return;
	}
	const earlier = isKept(step - 1) ? step - 1 : step;
	const [after, before, { procs, text, judged }] = await Promise.all([worldAt(step), worldAt(Math.max(earlier, 0)), index()]);
	const else_ = await others(step, text[step - 1]);
	if (step !== now.step) return; // the reader is elsewhere by now
	const names = config.procs;
	/** Lines of one sort of what is around the procs.
	 * @param {(a: Around) => [string, string][]} of
	 * @returns {[string, string, boolean?][]} */
	const lines = of => names.flatMap((name, p) => {
		const former = new Set(of(before.around[p] || {}).map(String));
		return of(after.around[p] || {}).map(l => /** @type {[string, string, boolean]} */ ([l[0] ? l[0] + " → " + name : name, l[1], step > 0 && !former.has(String(l))]));
	});
	const way = lines(a => (a.inbox || []).map(c => [c.from, c.messages.join(", ")]));
	const waits = lines(a => (a.waits || []).map(w => ["", w]));
	const line = lines(a => a.line ? [["", a.line]] : []);
	const touched = names.map((_, p) => step > 0 && (procs[step - 1].includes(p) || !same(after.states[p], before.states[p])));
	const parts = names.map((_, p) => {
		const e = ofProc(p, after.states, before.states, after.around[p] || {}, before.around[p] || {},
			opened ? opened.has(p) : step > 0 && procs[step - 1].includes(p));
		e.summary.addEventListener("click", () => {
			opened ??= new Set(parts.flatMap((d, i) => d.open ? [i] : []));
			if (e.part.open) opened.delete(p); else opened.add(p);
		});
		return e.part;
	});
	const count = after.around.flatMap(a => (a.inbox || []).flatMap(c => c.messages)).length;
	panel.replaceChildren(head,
		...properties(step, judged || []),
		...listed("way", "On its way", String(count), way, true),
		...listed("waits", "Waits for", waits.length > most ? String(waits.length) : "", waits, true),
		...listed("line", "Recovery line", "", line),
		...clock(step),
		...parts.filter((_, p) => touched[p]), ...parts.filter((_, p) => !touched[p]), ...else_);
}
