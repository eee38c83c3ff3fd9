// @ts-check
"use strict";

// The page shows; the server computes. Where we are is the path alone, and that is in the address.
// Keys: 1 to 9 take an event, b goes back, / filters, ? says how conditions are written, Escape ends
// what is under way.

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

/** Asks the server, until the signal says that nobody wants the answer any more. */
async function ask(/** @type {string} */ what, /** @type {any} */ body,
  /** @type {AbortSignal} */ signal) {
  /** @type {RequestInit} */
  const options = { headers: { Authorization: "Bearer " + token }, signal };
  if (body) Object.assign(options, { method: "POST", body: JSON.stringify(body) });
  let answer;
  try {
    answer = await fetch("api/" + what, options);
  } catch (e) {
    if (signal.aborted) throw e;
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

/** @type {AbortController | null} */ let current = null;

/**
 * Does what the reader asks for, in the place of what is still under way: what is shown at the end
 * is what was asked for last. It says what goes wrong.
 */
async function act(/** @type {(signal: AbortSignal) => Promise<void>} */ what) {
  current?.abort();
  const mine = current = new AbortController();
  document.body.setAttribute("aria-busy", "true");
  say("");
  try {
    await what(mine.signal);
  } catch (e) {
    if (mine === current) alarm(e);
  } finally {
    if (mine === current) {
      current = null;
      document.body.removeAttribute("aria-busy");
    }
  }
}

function say(/** @type {string} */ text) {
  $("said").textContent = text;
  $("said").className = "";
}

function alarm(/** @type {any} */ e) {
  say(String(e.message || e));
  $("said").className = "alarm";
}

const here = (/** @type {any} */ more) =>
  ({ path, hybrid, show: $("show").value, ...more });

/** Goes to the end of a path, of the session itself or of a hybrid. */
async function go(/** @type {string[]} */ to, /** @type {AbortSignal} */ signal,
  within = hybrid) {
  const p = await ask("step", { path: to, hybrid: within, show: $("show").value }, signal);
  hybrid = within;
  show(p);
}

/** Shows a place. */
function show(/** @type {any} */ p) {
  before = place && place.path.length + 1 === p.path.length ? place.procs : null;
  place = p;
  path = p.path || [];
  history.replaceState(null, "", p.hybrid ? location.pathname : "#path=" + p.link);
  $("hybrid").hidden = !p.hybrid;
  $("hybrid").textContent = p.hybrid || "";
  const v = $("verdict");
  v.className = p.violation ? "broken" : "";
  v.textContent = p.violation ? `breaks ${p.violation.property}: ${p.violation.message}`
    : p.complete ? "The run is complete and breaks nothing." : "";
  $("around").textContent = "";
  $("figure").innerHTML = p.figure; // made by the server, with all text escaped
  const drawn = /** @type {any} */ ($("figure").firstElementChild);
  if (drawn) {
    drawn.onscroll = () => { // the names of the lanes stay in view
      for (const name of drawn.querySelectorAll("text.n.e")) {
        name.setAttribute("transform", `translate(${drawn.scrollLeft} 0)`);
      }
    };
    drawn.scrollLeft = drawn.scrollWidth;
  }
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
        onclick: () => act((signal) => go([...path, e.name], signal)) });
      if (e.breaks) b.append(make("span", { className: "breaks",
        textContent: "breaks " + e.breaks }));
      out.push(make("li", {}, b, make("div", { className: "changes",
        textContent: (e.changes || []).slice(0, 8).join("; ") })));
    }
  }
  if (place.violation && !list.length) {
    out.push(make("li", { textContent: "Nothing is explored beyond a violation." }));
  }
  $("events").replaceChildren(...out);
  $("events-title").textContent = `What can happen (${(place.enabled || []).length})`;
}

function steps() {
  $("path").replaceChildren(...path.map((name, i) => make("li", {}, make("button", {
    textContent: name, title: "go back to behind this step",
    onclick: () => act((signal) => go(path.slice(0, i + 1), signal)) }))));
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

let waiting = 0;
/** @type {AbortController | null} */ let looking = null;

/** Says what lies around, once nothing else is asked for. */
function around() {
  clearTimeout(waiting);
  looking?.abort();
  if (!place.enabled || !place.enabled.length) return;
  const mine = looking = new AbortController();
  waiting = setTimeout(async () => {
    try {
      const a = await ask("around", here({}), mine.signal);
      $("around").textContent = `Events: ${a.successors}; states after them: ${a.distinct}; pairs ` +
        `of which the order does not matter: ${a.commuting} of ${a.pairs}; states within ` +
        `${a.steps} steps: ${a.within}` + (a.complete ? ", which are all." : ".");
    } catch { /* it is an extra */ }
  }, 400);
}

async function seek(/** @type {AbortSignal} */ signal) {
  say("searching...; Escape ends it");
  const f = await ask("find", here({ condition: $("condition").value }), signal);
  if (f.place) {
    show(f.place);
    say(`found after ${f.states} states`);
  } else {
    say(`not found in ${f.states} states: ${f.scope}`);
  }
}

/** Draws events, until a condition holds if there is one. */
async function draw(/** @type {AbortSignal} */ signal, /** @type {any} */ more) {
  if (!$("seed").reportValidity() || !$("steps").reportValidity()) return;
  const w = await ask("walk", here({ seed: Number($("seed").value), steps: Number($("steps").value),
    faults: $("faults").checked, ...more }), signal);
  show(w);
  if (more && !w.met) say("the condition did not hold behind any of these steps");
}

async function whatIf(/** @type {AbortSignal} */ signal) {
  const f = await ask("what-if", here({ variant: $("variant").value }), signal);
  say((f.differs ? `${f.variant}: different from step ${f.differs} of ${path.length} on: ${f.how}`
    : `${f.variant}: the same in all ${path.length} steps`) + (f.blind ? "; " + session.blind : "") +
    (f.state.violation ? `. It breaks ${f.state.violation.property}: ${f.state.violation.message}`
      : ". It breaks nothing so far"));
}

async function exchange(/** @type {AbortSignal} */ signal) {
  await go([], signal, { path, variant: $("variant").value });
}

async function save(/** @type {AbortSignal} */ signal) {
  if (!$("file").reportValidity()) return;
  const s = await ask("save", here({ name: $("file").value }), signal);
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

/** @type {AbortController | null} */ let stream = null;

/** Follows the search under way, as long as the page is in view: connections are few. */
async function follow() {
  if (stream || document.hidden) return;
  const mine = stream = new AbortController();
  try {
    const answer = await fetch("api/progress", { signal: mine.signal,
      headers: { Authorization: "Bearer " + token } });
    if (!answer.ok || !answer.body) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "";;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() || "";
      for (const l of lines) progress(JSON.parse(l));
    }
  } catch {
    if (!mine.signal.aborted) $("progress").textContent = "domino explore does not answer any more";
  } finally {
    if (stream === mine) stream = null;
  }
}

/** Begins or stops the search, whatever else is under way. */
async function search(/** @type {string} */ what, /** @type {any} */ body) {
  try {
    await ask(what, body, new AbortController().signal);
  } catch (e) {
    alarm(e);
  }
  follow();
}

const rough = (/** @type {number} */ n) =>
  Number(n.toPrecision(2)).toLocaleString("en", { notation: "compact" });

function progress(/** @type {any} */ r) {
  $("search").disabled = r.running;
  $("stop").disabled = !r.running;
  $("load").hidden = !(r.path && r.path.length);
  $("load").onclick = () => act((signal) => go(r.path, signal, null));
  const s = r.stats, seconds = s ? s.elapsed / 1e9 : 0;
  if (s) {
    if (curve.at.length && seconds < curve.at[curve.at.length - 1]) {
      curve = { states: [], frontier: [], at: [] };
    }
    curve.at.push(seconds);
    curve.states.push(s.states);
    curve.frontier.push(s.frontier);
    $("charts").replaceChildren(chart("states", curve.states), chart("waiting", curve.frontier));
  }
  const far = s ? `${s.states.toLocaleString("en")} states, ` +
    `${s.transitions.toLocaleString("en")} transitions, depth ${s.depth}` +
    (seconds > 0 ? `, ${Math.round(s.states / seconds).toLocaleString("en")} states/s` : "") +
    (r.running && s.estimate.states > s.states ? `, about ${rough(s.estimate.low)} to ` +
      `${rough(s.estimate.high)} in all` : "") : "";
  $("progress").textContent = r.running ? "searching: " + far
    : r.verdict ? `${r.verdict}: ${r.why ? r.why + "; " : ""}${far}` : "";
  $("progress").className = r.violation ? "alarm" : "";
}

function keys(/** @type {KeyboardEvent} */ e) {
  if (e.key === "Escape") {
    if (current) {
      current.abort();
      current = null;
      document.body.removeAttribute("aria-busy");
      say("ended");
    }
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey ||
    /^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {any} */ (e.target).tagName)) return;
  if (e.key === "b") $("back").click();
  else if (e.key === "/") $("filter").focus();
  else if (e.key === "?") $("help").open = !$("help").open;
  else if (/^[1-9]$/.test(e.key)) {
    const b = document.querySelectorAll("#events button")[Number(e.key) - 1];
    if (b) /** @type {any} */ (b).click();
  } else return;
  e.preventDefault();
}

function wire() {
  $("back").onclick = () => act((signal) => go(path.slice(0, -1), signal));
  $("start").onclick = () => act((signal) => go([], signal, null));
  $("walk").onclick = () => act((signal) => draw(signal, null));
  $("until").onclick = () => act((signal) => draw(signal,
    { steps: 10000, condition: $("condition").value }));
  $("seek").onsubmit = (/** @type {Event} */ e) => { e.preventDefault(); act(seek); };
  $("what-if").onclick = () => act(whatIf);
  $("hybrid-on").onclick = () => act(exchange);
  $("save").onclick = () => act(save);
  $("search").onclick = () => search("search", { name: $("order").value });
  $("stop").onclick = () => search("stop", {});
  $("filter").oninput = () => place && events();
  $("show").onchange = () => act((signal) => go(path, signal));
  addEventListener("keydown", keys);
  addEventListener("hashchange", () => act(open));
  addEventListener("focus", follow);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      stream?.abort();
      stream = null;
    } else follow();
  });
}

/** Goes where the address says, or to the end of the run of the file. */
async function open(/** @type {AbortSignal} */ signal) {
  const m = /[#&]path=([^&]*)/.exec(location.hash);
  if (m) {
    try {
      const p = await ask("step", { link: m[1], show: $("show").value }, signal);
      hybrid = null;
      show(p);
      return;
    } catch (e) {
      if (place) throw e;
      await go(session.schedule || [], signal);
      throw e;
    }
  }
  if (!place) await go(session.schedule || [], signal);
}

act(async (signal) => {
  wire();
  session = await ask("session", null, signal);
  document.title = "domino explore " + session.name;
  $("name").textContent = session.name + (session.title ? ": " + session.title : "");
  $("about").textContent = `${session.protocol}, ${session.variant}; within ${session.bounds}`;
  $("notes").replaceChildren(...(session.notes || []).map((/** @type {string} */ n) =>
    make("li", { textContent: n })));
  $("grammar").textContent = session.grammar;
  $("source").textContent = session.source;
  $("saving").hidden = !session.saves;
  $("variant").replaceChildren(...session.variants.map((/** @type {string} */ v) =>
    make("option", { textContent: v })));
  follow();
  await open(signal);
});
