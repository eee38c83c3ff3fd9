// States.

/** @type {Map<number, Promise<Chunk>>} */
const chunks = new Map();

/** The chunk of a step.
 * @param {number} k */
function chunkOf(k) {
	let part = chunks.get(k);
	if (!part) {
		part = unpack("states-" + k).then(t => JSON.parse(t));
		chunks.set(k, part);
	}
	return part;
}

/** Every local state behind a step, 0 for the start.
 * @param {number} step
 * @returns {Promise<unknown[]>} */
async function statesAt(step) {
	const k = Math.max(0, Math.floor((step - 1) / config.chunk));
	const { all, steps } = await chunkOf(k);
	const list = all.slice();
	for (const changed of steps.slice(0, step - k * config.chunk)) {
		for (const [p, state] of changed) list[p] = state;
	}
	return list;
}

/** The value at a path such as protocol.peers[0].phase, undefined where there is none.
 * @param {any} value
 * @param {string} path */
function at(value, path) {
	for (const key of path.split(/[.[\]]+/).filter(Boolean)) {
		if (value === null || typeof value !== "object") return undefined;
		value = value[key];
	}
	return value;
}

const digest = /^[0-9a-f]{16}$/;

/** @param {unknown} value */
function leaf(value) {
	const e = document.createElement("span");
	if (value === null) {
		e.textContent = "null";
		e.className = "key";
	} else {
		e.textContent = typeof value === "string" && !digest.test(value) ? JSON.stringify(value) : String(value);
	}
	if (typeof value === "string" && digest.test(value)) { // one digest has one colour everywhere
		e.className = "digest";
		e.style.setProperty("--hue", String(parseInt(value.slice(0, 6), 16) % 360));
	}
	return e;
}

/** @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** The tree of a value; what was otherwise before is marked.
 * @param {any} value
 * @param {any} before
 * @returns {HTMLElement} */
function tree(value, before) {
	if (value === null || typeof value !== "object") return leaf(value);
	const entries = Object.entries(value);
	if (!entries.length) {
		const e = document.createElement("span");
		e.className = "key";
		e.textContent = Array.isArray(value) ? "[]" : "{}";
		return e;
	}
	const list = document.createElement("ul");
	for (const [key, part] of entries) {
		const item = document.createElement("li");
		const name = document.createElement("span");
		name.className = "key";
		name.textContent = key + " ";
		const old = before !== null && typeof before === "object" ? before[key] : undefined;
		const plain = part === null || typeof part !== "object";
		if (plain && !same(part, old)) item.className = "changed";
		item.append(name, tree(part, old));
		list.append(item);
	}
	return list;
}

const panel = get("panel");
/** @type {Set<number> | undefined} what the reader has opened; until then the procs of the step */
let opened;
let showOthers = false;

/** Shows every local state behind a step. */
async function showStates() {
	if (!panel || !config.states) return;
	const step = now.step;
	const [after, before, { procs, text }] = await Promise.all([statesAt(step), statesAt(Math.max(step - 1, 0)), index()]);
	if (step !== now.step) return; // the reader is elsewhere by now
	const head = document.createElement("h3");
	head.textContent = step ? "State behind step " + step : "State at the start";
	const parts = config.procs.map((name, p) => {
		const part = document.createElement("details");
		const title = document.createElement("summary");
		title.textContent = name + " ";
		const word = document.createElement("span");
		word.className = "quiet-word";
		word.textContent = after[p] === null ? "down" : step && !same(after[p], before[p]) ? "changed" : "";
		title.append(word);
		part.append(title);
		const open = () => {
			if (part.open && part.childElementCount === 1 && after[p] !== null) part.append(tree(after[p], step ? before[p] : after[p]));
		};
		part.open = opened ? opened.has(p) : step > 0 && procs[step - 1].includes(p);
		open();
		title.addEventListener("click", () => {
			opened ??= new Set(parts.flatMap((d, i) => d.open ? [i] : []));
			if (part.open) opened.delete(p); else opened.add(p);
		});
		part.addEventListener("toggle", open);
		return part;
	});
	const k = Math.floor((step - 1) / config.chunk);
	const others = step ? ((await chunkOf(k)).else[step - 1 - k * config.chunk] || []).filter(t => t !== text[step - 1]) : [];
	if (step !== now.step) return;
	if (others.length) {
		const part = document.createElement("details");
		const title = document.createElement("summary");
		title.textContent = "Instead of step " + step + " could have come " + others.length + (others.length > 1 ? " others" : " other");
		part.className = "others";
		part.open = showOthers;
		part.addEventListener("toggle", () => { showOthers = part.open; });
		const list = document.createElement("ul");
		for (const t of others) {
			const item = document.createElement("li");
			item.textContent = t;
			list.append(item);
		}
		part.append(title, list);
		parts.push(part);
	}
	const touched = parts.map((_, p) => step > 0 && p < config.procs.length && (procs[step - 1].includes(p) || !same(after[p], before[p])));
	panel.replaceChildren(head, ...parts.filter((_, p) => touched[p]), ...parts.filter((_, p) => !touched[p]));
}
