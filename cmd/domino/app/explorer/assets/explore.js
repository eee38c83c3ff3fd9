// @ts-check
"use strict";

// The page shows; the server computes. Where we are is the path alone, and that is in the address.

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** @type {any} */ let session;
/** @type {any} */ let place;            // where we are, as the server says it
/** @type {string[]} */ let path = [];
/** @type {{path: string[], variant: string} | null} */ let hybrid = null;
/** @type {any} */ let before = null;    // the procs one step ago, to mark what has changed

const token = (() => {
  const m = /[#&]token=([^&]+)/.exec(location.hash);
  if (m) {
    sessionStorage.setItem("token", m[1]);
    const rest = location.hash.replace(/[#&]token=[^&]+/, "").replace(/^[#&]/, "");
    history.replaceState(null, "", rest ? "#" + rest : location.pathname);
  }
  return sessionStorage.getItem("token") || "";
})();

async function ask(/** @type {string} */ what, /** @type {any} */ body) {
  const options = { headers: { Authorization: "Bearer " + token } };
  if (body) Object.assign(options, { method: "POST", body: JSON.stringify(body) });
  let answer;
  try {
    answer = await fetch("api/" + what, options);
  } catch {
    throw new Error("domino explore does not answer any more: begin it again");
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

function make(/** @type {string} */ tag, /** @type {any} */ set, /** @type {any[]} */ ...inside) {
  const e = document.createElement(tag);
  Object.assign(e, set);
  e.append(...inside);
  return e;
}

let busy = 0;

/** Does something that takes a moment, and says what goes wrong. */
async function act(/** @type {() => Promise<void>} */ what) {
  busy++;
  document.body.setAttribute("aria-busy", "true");
  $("said").textContent = "";
  try {
    await what();
  } catch (e) {
    $("said").textContent = String(/** @type {any} */ (e).message || e);
    $("said").className = "alarm";
  } finally {
    if (--busy === 0) document.body.removeAttribute("aria-busy");
  }
}

function say(/** @type {string} */ text) {
  $("said").textContent = text;
  $("said").className = "";
}

const here = (/** @type {any} */ more) =>
  ({ path, hybrid, show: $("show").value, ...more });

async function go(/** @type {string[]} */ to) {
  show(await ask("step", here({ path: to })));
}

/** Shows a place. */
function show(/** @type {any} */ p) {
  before = place && place.path.length + 1 === p.path.length ? place.procs : null;
  place = p;
  path = p.path || [];
  history.replaceState(null, "", p.link ? "#path=" + p.link : location.pathname);
  $("hybrid").hidden = !p.hybrid;
  $("hybrid").textContent = p.hybrid || "";
  const v = $("verdict");
  v.className = p.violation ? "broken" : "";
  v.textContent = p.violation ? `breaks ${p.violation.property}: ${p.violation.message}`
    : p.complete ? "The run is complete and breaks nothing." : "";
  $("figure").innerHTML = p.figure; // made by the server, with all text escaped
  const drawn = /** @type {any} */ ($("figure").firstElementChild);
  if (drawn) drawn.scrollLeft = drawn.scrollWidth;
  $("state-name").textContent = p.name;
  events();
  steps();
  procs();
  $("back").disabled = $("start").disabled = path.length === 0;
  $("save").disabled = $("hybrid-on").disabled = Boolean(p.hybrid);
  $("what-if").disabled = Boolean(p.hybrid);
  around();
}

function events() {
  const wanted = $("filter").value.toLowerCase();
  const list = (place.enabled || []).filter((/** @type {any} */ e) =>
    e.name.toLowerCase().includes(wanted));
  /** @type {Record<string, any[]>} */ const sorts = {};
  for (const e of list) (sorts[e.sort] ||= []).push(e);
  const out = [];
  for (const sort of Object.keys(sorts).sort()) {
    out.push(make("li", {}, make("h3", { textContent: sort })));
    for (const e of sorts[sort]) {
      const b = make("button", { textContent: e.name, className: e.fault ? "fault" : "",
        onclick: () => act(() => go([...path, e.name])) });
      if (e.breaks) b.append(make("span", { className: "breaks",
        textContent: "breaks " + e.breaks }));
      out.push(make("li", {}, b, make("div", { className: "changes",
        textContent: (e.changes || []).slice(0, 8).join("; ") })));
    }
  }
  if (place.violation) {
    out.push(make("li", { textContent: "Nothing is explored beyond a violation." }));
  }
  $("events").replaceChildren(...out);
  $("events-title").textContent = `What can happen (${(place.enabled || []).length})`;
}

function steps() {
  $("path").replaceChildren(...path.map((name, i) => make("li", {}, make("button", {
    textContent: name, title: "go back to behind this step",
    onclick: () => act(() => go(path.slice(0, i + 1))) }))));
  $("path").scrollTop = $("path").scrollHeight;
}

function procs() {
  const open = new Set([...document.querySelectorAll("#procs details[open]")].map((e) =>
    /** @type {any} */ (e).dataset.proc));
  $("procs").replaceChildren(...place.procs.map((/** @type {any} */ p, /** @type {number} */ i) => {
    const was = before ? before[i] : p;
    const changed = JSON.stringify(was.state) !== JSON.stringify(p.state);
    const d = make("details", { open: open.has(p.name) || changed },
      make("summary", { className: p.up ? "" : "down" }, p.name +
        (p.incarnation ? `, incarnation ${p.incarnation}` : "") + (p.up ? "" : ", down") +
        (changed ? ", changed" : "")));
    d.dataset.proc = p.name;
    if (p.state !== null) d.append(tree(p.state, was.state));
    return d;
  }));
}

/** A document as a tree; what was another value before is marked. */
function tree(/** @type {any} */ value, /** @type {any} */ old) {
  const list = make("ul", { className: "tree" });
  for (const key of Object.keys(value || {})) {
    const v = value[key], o = old === null || typeof old !== "object" ? undefined : old[key];
    const item = make("li", {}, make("span", { className: "key", textContent: key + " " }));
    const leaf = v === null || typeof v !== "object" || Object.keys(v).length === 0;
    if (leaf) {
      item.append(make("span", { textContent: JSON.stringify(v),
        className: JSON.stringify(v) === JSON.stringify(o) ? "" : "changed" }));
    } else {
      item.append(tree(v, o));
    }
    list.append(item);
  }
  return list;
}

/** Says what lies around, once nothing else is asked for. */
let waiting = 0;
function around() {
  clearTimeout(waiting);
  $("around").textContent = "";
  waiting = setTimeout(async () => {
    const at = place;
    try {
      const a = await ask("around", here({}));
      if (at !== place) return;
      $("around").textContent = `${a.successors} events, ${a.distinct} states after them, ` +
        `${a.commuting} of ${a.pairs} pairs commute; ${a.within} states within ${a.steps} steps` +
        (a.complete ? ", which are all" : "");
    } catch { /* it is an extra */ }
  }, 400);
}

async function seek() {
  say("searching...");
  const f = await ask("find", here({ condition: $("condition").value }));
  if (f.place) {
    show(f.place);
    say(`found after ${f.states} states`);
  } else {
    say(`not found in ${f.states} states: ${f.scope}`);
  }
}

async function whatIf() {
  const f = await ask("what-if", here({ variant: $("variant").value }));
  say((f.differs ? `${f.variant}: different from step ${f.differs} of ${path.length} on: ${f.how}`
    : `${f.variant}: the same in all ${path.length} steps`) +
    (f.state.violation ? `. It breaks ${f.state.violation.property}: ${f.state.violation.message}`
      : ". It breaks nothing so far"));
}

async function exchange() {
  const to = { path, variant: $("variant").value };
  const p = await ask("step", { path: [], hybrid: to, show: $("show").value });
  hybrid = to;
  show(p);
}

async function save() {
  const s = await ask("save", here({ name: $("file").value }));
  say("saved as " + s.file);
}

/** @type {{states: number[], frontier: number[], at: number[]}} */
let curve = { states: [], frontier: [], at: [] };

/** Draws a curve with its last value. */
function chart(/** @type {string} */ name, /** @type {number[]} */ values) {
  const w = 360, h = 80, top = Math.max(1, ...values);
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
  svg.setAttribute("width", String(w));
  svg.setAttribute("height", String(h));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${name}: ${values.at(-1)}`);
  const axis = document.createElementNS(ns, "path");
  axis.setAttribute("d", `M0.5 0V${h - 0.5}H${w}`);
  const line = document.createElementNS(ns, "polyline");
  line.setAttribute("points", values.map((v, i) =>
    `${(i / Math.max(1, values.length - 1) * w).toFixed(1)},${(h - 2 - v / top * (h - 6)).toFixed(1)}`)
    .join(" "));
  svg.append(axis, line);
  return make("figure", {}, svg, make("figcaption", { textContent:
    `${name}: ${(values.at(-1) || 0).toLocaleString("en")} (at most ${top.toLocaleString("en")})` }));
}

/** Follows the search as long as the page is there. */
async function follow() {
  const answer = await fetch("api/progress", { headers: { Authorization: "Bearer " + token } });
  if (!answer.ok || !answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "";;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() || "";
    for (const l of lines) progress(JSON.parse(l));
  }
}

function progress(/** @type {any} */ r) {
  $("search").disabled = r.running;
  $("stop").disabled = !r.running;
  $("load").hidden = !(r.path && r.path.length);
  $("load").onclick = () => act(() => { hybrid = null; return go(r.path); });
  const s = r.stats;
  if (s) {
    const seconds = s.Elapsed === undefined ? s.elapsed / 1e9 : s.Elapsed / 1e9;
    if (curve.at.length && seconds < curve.at[curve.at.length - 1]) {
      curve = { states: [], frontier: [], at: [] };
    }
    curve.at.push(seconds);
    curve.states.push(s.states);
    curve.frontier.push(s.frontier);
    $("charts").replaceChildren(chart("states", curve.states), chart("waiting", curve.frontier));
  }
  const far = s ? `${s.states.toLocaleString("en")} states, ` +
    `${s.transitions.toLocaleString("en")} transitions, depth ${s.depth}` : "";
  $("progress").textContent = r.running ? "searching: " + far
    : r.verdict ? `${r.verdict}: ${r.why ? r.why + "; " : ""}${far}` : "";
  $("progress").className = r.violation ? "alarm" : "";
}

function keys(/** @type {KeyboardEvent} */ e) {
  if (e.ctrlKey || e.metaKey || e.altKey ||
    /^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {any} */ (e.target).tagName)) return;
  if (e.key === "b") $("back").click();
  else if (e.key === "/") $("filter").focus();
  else if (/^[1-9]$/.test(e.key)) {
    const b = document.querySelectorAll("#events button")[Number(e.key) - 1];
    if (b) /** @type {any} */ (b).click();
  } else return;
  e.preventDefault();
}

function wire() {
  $("back").onclick = () => act(() => go(path.slice(0, -1)));
  $("start").onclick = () => act(() => { hybrid = null; return go([]); });
  $("walk").onclick = () => act(async () => show(await ask("walk", here({
    seed: Number($("seed").value), steps: Number($("steps").value),
    faults: $("faults").checked }))));
  $("until").onclick = () => act(async () => show(await ask("walk", here({
    seed: Number($("seed").value), steps: 10000, faults: $("faults").checked,
    condition: $("condition").value }))));
  $("seek").onsubmit = (/** @type {Event} */ e) => { e.preventDefault(); act(seek); };
  $("what-if").onclick = () => act(whatIf);
  $("hybrid-on").onclick = () => act(exchange);
  $("save").onclick = () => act(save);
  $("search").onclick = () => act(async () => { curve = { states: [], frontier: [], at: [] };
    await ask("search", { name: $("order").value }); });
  $("stop").onclick = () => act(async () => { await ask("stop", {}); });
  $("filter").oninput = events;
  $("show").onchange = () => act(() => go(path));
  addEventListener("keydown", keys);
  addEventListener("hashchange", () => act(open));
}

/** Goes where the address says. */
async function open() {
  const m = /[#&]path=([^&]+)/.exec(location.hash);
  if (m) {
    hybrid = null;
    show(await ask("step", { link: m[1], show: $("show").value }));
  } else if (!place) {
    await go(session.schedule || []);
  }
}

act(async () => {
  wire();
  session = await ask("session", null);
  document.title = "domino explore " + session.name;
  $("name").textContent = session.name + (session.title ? ": " + session.title : "");
  $("about").textContent = `${session.protocol}, ${session.variant}; within ${session.bounds}`;
  $("grammar").textContent = session.grammar;
  $("source").textContent = session.source;
  $("saving").hidden = !session.saves;
  $("variant").replaceChildren(...session.variants.map((/** @type {string} */ v) =>
    make("option", { textContent: v })));
  follow().catch(() => { $("progress").textContent = "domino explore does not answer any more"; });
  await open();
});
