// @ts-check
"use strict";
// Shows, hides and highlights what the page has; draws nothing but the tree of local states.
(() => {
/** @typedef {{steps: number, chunk: number, procs: string[], marks: number[], bad: number, differ: number, states: boolean}} Config */
/** @typedef {{procs: number[][], text: string[], stepOf: number[], procOf: number[], causes: (number[]|null)[]}} Index */
/** @typedef {{all: unknown[], steps: [number, unknown][][], else: (string[] | null)[]}} Chunk */

const root = document.documentElement;
root.classList.add("js");

/** @param {string} id */
const get = id => document.getElementById(id);
/** @type {Config} */
const config = JSON.parse(get("config")?.textContent || "{}");

/** What the reader looks at. */
const now = { step: 0, proc: -1, show: "", as: "", causes: false };

/** @type {Map<string, Promise<string>>} */
const texts = new Map();

/** Unpacks a part of the page, once.
 * @param {string} id
 * @returns {Promise<string>} */
function unpack(id) {
	let text = texts.get(id);
	if (!text) {
		const packed = get("z-" + id)?.textContent;
		if (!packed) return Promise.reject(new Error("no part " + id));
		const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
		text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
		texts.set(id, text);
	}
	return text;
}

/** @type {Promise<Index> | undefined} */
let indexed;
/** @returns {Promise<Index>} */
const index = () => indexed ??= unpack("index").then(t => JSON.parse(t));

/** @param {number} step
 * @returns {HTMLElement | null} */
const row = step => get("step=" + step);

// Rows: those of a long run come when they are in view, and go when they are far away.

const far = 3; // chunks that stay on each side of the view
const bodies = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("tbody[data-block]")]);
const lazy = bodies.filter(b => !b.firstElementChild);

/** @param {HTMLElement} body */
function hold(body) {
	const height = body.dataset.height || String(26 * Number(body.dataset.rows));
	body.innerHTML = "<tr><td></td></tr>";
	/** @type {HTMLElement} */ (body.firstElementChild).style.height = height + "px";
	delete body.dataset.full;
}

/** Fills the part of the table with a step.
 * @param {HTMLElement} body */
async function fill(body) {
	if (body.dataset.full || !lazy.includes(body)) return;
	const text = await unpack("rows-" + body.dataset.block);
	if (body.dataset.full) return;
	body.dataset.full = "yes";
	body.innerHTML = text; // written and escaped by the template of rows
	dress(body);
	body.dataset.height = String(body.getBoundingClientRect().height);
	const at = bodies.indexOf(body);
	for (const other of lazy) {
		if (other.dataset.full && Math.abs(bodies.indexOf(other) - at) > far) hold(other);
	}
}

/** What rows need beside their text.
 * @param {ParentNode} part */
function dress(part) {
	for (const e of part.querySelectorAll(".row a, .row summary")) e.setAttribute("tabindex", "-1");
	const chosen = row(now.step);
	if (chosen && part.contains(chosen)) choose(chosen);
	filterRows(part);
	watchRows(part);
}

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
		const step = Number(r.dataset.step);
		const [after, before] = await Promise.all([statesAt(step), statesAt(step - 1)]);
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

// Filter.

const filter = /** @type {HTMLInputElement | null} */ (get("filter"));
/** @type {Set<number> | undefined} steps that fit */
let fitting;

/** @param {ParentNode} part */
function filterRows(part) {
	for (const r of /** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll(".row"))) {
		r.hidden = fitting !== undefined && !fitting.has(Number(r.dataset.step));
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
	if (how.proc !== undefined) now.proc = how.proc;
	else if (now.proc < 0 || !procs[step - 1].includes(now.proc)) now.proc = procs[step - 1][0] ?? now.proc;
	unchoose();
	const body = bodies[Math.floor((step - 1) / config.chunk)];
	if (body) await fill(body);
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

// The figure.

const figure = get("figure");
const controls = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-choice]"));
const first = { show: figure?.dataset.show || "", as: figure?.dataset.as || "", html: figure?.innerHTML || "" };

/** @returns {HTMLElement | null | undefined} */
const scroller = () => figure?.querySelector(".scroll");

/** The slots of the figure: first step, last step, from, to. Those of a long one are packed.
 * @returns {Promise<[number, number, number, number][]>} */
async function slots() {
	const text = scroller()?.dataset.slots || "[]";
	return JSON.parse(text.startsWith("[") ? text : await unpack(text));
}

/** How much larger a figure is shown than it is drawn.
 * @param {SVGSVGElement} svg */
const scaleOf = svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;

const isDown = () => figure?.dataset.as === "down";

/** Shows where the step is in the figure. */
async function markFigure() {
	const list = await slots(); // a step that shows nothing is where the next one is that does
	const slot = list.find(([from, to]) => from <= now.step && now.step <= to) || list.find(([, to]) => to >= now.step);
	const box = scroller();
	if (!box) return;
	box.querySelector(".cursor")?.remove();
	const svg = box.querySelector("svg");
	if (!now.step || !slot || !svg) return;
	const cursor = document.createElement("div");
	cursor.className = "cursor";
	const scale = scaleOf(svg);
	const from = slot[2] * scale, to = slot[3] * scale;
	Object.assign(cursor.style, isDown() ?
		{ top: from + "px", height: to - from + "px", left: "0", width: svg.clientWidth + "px" } :
		{ left: from + "px", width: to - from + "px", top: "0", height: svg.clientHeight + "px" });
	box.append(cursor);
	const head = box.querySelector(".lanes");
	if (isDown()) {
		if (from < box.scrollTop + (head?.clientHeight || 0) || to > box.scrollTop + box.clientHeight) box.scrollTop = (from + to - box.clientHeight) / 2;
	} else if (from < box.scrollLeft + (head?.clientWidth || 0) || to > box.scrollLeft + box.clientWidth) {
		box.scrollLeft = (from + to - box.clientWidth) / 2;
	}
	const mark = box.querySelector('svg [data-step="' + now.step + '"]')?.getBoundingClientRect();
	const view = box.getBoundingClientRect();
	if (mark && isDown() && (mark.left < view.left || mark.right > view.right)) box.scrollLeft += (mark.left + mark.right - view.left - view.right) / 2;
}

/** Lets the figure stay in view where there is room for it, and unpacks what of a long one is in view. */
function arrange() {
	const box = scroller();
	if (!box) return;
	const high = box.getBoundingClientRect().height;
	const stage = !isDown() && innerWidth > 700 && high < innerHeight * .45;
	root.classList.toggle("down", isDown());
	root.classList.toggle("stage", stage);
	root.style.setProperty("--stage", stage ? high + "px" : "0px");
}

/** @type {IntersectionObserver | undefined} */
let bands;

function showBands() {
	bands?.disconnect();
	const box = scroller();
	if (!box?.classList.contains("long")) return;
	bands = new IntersectionObserver(async list => {
		for (const e of list) {
			const band = /** @type {HTMLElement} */ (e.target);
			if (!e.isIntersecting) {
				band.replaceChildren();
			} else if (!band.firstChild) {
				const svg = await unpack(band.dataset.band || "");
				if (!band.firstChild) band.innerHTML = svg; // drawn and escaped in Go
				if (now.causes) showCauses();
			}
		}
	}, { root: box, rootMargin: "600px" });
	for (const band of box.querySelectorAll(".band")) bands.observe(band);
}
addEventListener("resize", () => { arrange(); markFigure(); });

/** Shows another view of the figure.
 * @param {string} show
 * @param {string} as */
async function view(show, as) {
	if (!figure || figure.dataset.show === show && figure.dataset.as === as) return;
	const html = show === first.show && as === first.as ? first.html : JSON.parse(await unpack("views"))[show + " " + as];
	if (!html) return;
	figure.innerHTML = html; // drawn and escaped in Go
	figure.dataset.show = show;
	figure.dataset.as = as;
	now.show = show === first.show ? "" : show;
	now.as = as === first.as ? "" : as;
	for (const c of controls) {
		for (const b of c.querySelectorAll("button")) {
			b.setAttribute("aria-pressed", String(b.dataset.value === (c.dataset.choice === "show" ? show : as)));
		}
	}
	arrange();
	showBands();
	remember();
	row(now.step)?.scrollIntoView({ block: "nearest", behavior: "instant" });
	markFigure();
	if (now.causes) showCauses();
}

/** The next value of a control.
 * @param {string} choice
 * @param {string} value */
function after(choice, value) {
	const c = [...controls].find(c => c.dataset.choice === choice);
	const list = [...c?.querySelectorAll("button") || []].map(b => b.dataset.value || "");
	return list.length ? list[(list.indexOf(value) + 1) % list.length] : value;
}

for (const c of controls) {
	c.addEventListener("click", e => {
		const value = e.target instanceof HTMLElement ? e.target.dataset.value : undefined;
		if (!value || !figure) return;
		if (c.dataset.choice === "show") view(value, figure.dataset.as || "");
		else view(figure.dataset.show || "", value);
	});
}

figure?.addEventListener("click", async e => {
	if (!(e.target instanceof Element)) return;
	const mark = e.target.closest("[data-step]");
	if (mark) return go(Number(mark.getAttribute("data-step")), { scroll: false });
	const box = e.target.closest("svg") && scroller();
	const svg = box && box.querySelector("svg");
	if (!svg) return;
	const r = box.getBoundingClientRect();
	const at = (isDown() ? e.clientY - r.top + box.scrollTop : e.clientX - r.left + box.scrollLeft) / scaleOf(svg);
	const slot = (await slots()).find(([, , from, to]) => from <= at && at <= to);
	if (slot && slot[0] > 0) go(slot[0], { scroll: false });
});

// The address says what is shown.

function remember() {
	const a = new URLSearchParams();
	if (now.step) a.set("step", String(now.step));
	if (now.proc >= 0) a.set("proc", config.procs[now.proc]);
	if (now.show) a.set("show", now.show);
	if (now.as) a.set("as", now.as);
	if (now.causes) a.set("causes", "yes");
	history.replaceState(null, "", "#" + a);
}

async function recall() {
	const a = new URLSearchParams(location.hash.slice(1));
	const proc = config.procs.indexOf(a.get("proc") || "");
	now.causes = a.get("causes") === "yes";
	const show = a.get("show") || first.show, as = a.get("as") || first.as;
	await view(show, as);
	const step = Number(a.get("step"));
	if (step > 0) go(step, { proc: proc < 0 ? undefined : proc });
}
addEventListener("hashchange", recall);

// Keys and clicks.

const help = /** @type {HTMLDialogElement | null} */ (get("help"));

/** @type {Record<string, () => void>} */
const keys = {
	j: () => { go(now.step + 1); }, k: () => { go(now.step - 1); },
	J: () => { goSame(1); }, K: () => { goSame(-1); },
	n: () => goMark(1), N: () => goMark(-1),
	v: () => { if (config.bad) go(config.bad); },
	d: () => { if (config.differ) go(config.differ); },
	c: toggleCauses,
	p: () => { if (figure) view(after("show", figure.dataset.show || ""), figure.dataset.as || ""); },
	o: () => { if (figure) view(figure.dataset.show || "", after("as", figure.dataset.as || "")); },
	"/": () => filter?.focus(),
	"?": () => help?.showModal(),
};

addEventListener("keydown", e => {
	if (e.ctrlKey || e.metaKey || e.altKey || help?.open) return;
	if (e.target instanceof HTMLInputElement) {
		if (e.key === "Escape") e.target.blur();
		return;
	}
	const run = keys[e.key];
	if (run) {
		e.preventDefault();
		run();
	}
});

document.addEventListener("click", e => {
	if (!(e.target instanceof Element)) return;
	const link = e.target.closest('a[href^="#step="]');
	const r = /** @type {HTMLElement | null} */ (e.target.closest(".row"));
	if (r && !link && String(getSelection()) !== "") return; // text is being selected
	if (link || r) {
		const step = Number(r ? r.dataset.step : link?.getAttribute("href")?.slice(6));
		e.preventDefault();
		const more = r?.querySelector("details");
		if (more && r?.classList.contains("now")) more.open = !more.open;
		else go(step, { scroll: !r });
		return;
	}
	const copy = e.target.closest("[data-copy]");
	if (copy) {
		const text = get(copy.getAttribute("data-copy") || "")?.textContent || "";
		navigator.clipboard?.writeText(text).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Not copied"; });
	}
});

get("help-open")?.addEventListener("click", () => help?.showModal());
get("theme")?.addEventListener("click", () => {
	const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	root.dataset.theme = dark ? "light" : "dark";
});
get("save")?.addEventListener("click", async () => {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([await unpack("data")], { type: "application/json" }));
	link.download = document.title.split(" ")[0] + ".json";
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

for (const body of lazy) hold(body);
if (lazy.length) {
	const seen = new IntersectionObserver(list => {
		for (const e of list) if (e.isIntersecting) fill(/** @type {HTMLElement} */ (e.target));
	}, { rootMargin: "600px" });
	for (const body of lazy) seen.observe(body);
}
dress(document);
arrange();
showBands();
showStates();
recall();
})();
