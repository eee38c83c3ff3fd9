// The address says what is shown. Browsers refuse to be told often (Chromium 200 times in ten
// seconds, Safari 100), and a key that is held down would tell them more often.

const rest = 150; // milliseconds between two times
let told = -rest;
let waiting = 0;

function remember() {
	clearTimeout(waiting);
	const early = told + rest - performance.now();
	if (early > 0) {
		waiting = setTimeout(remember, early);
		return;
	}
	told = performance.now();
	const a = new URLSearchParams();
	if (now.step) a.set("step", String(now.step));
	if (now.proc >= 0) a.set("proc", config.procs[now.proc]);
	if (now.show) a.set("show", now.show);
	if (now.as) a.set("as", now.as);
	if (now.causes) a.set("causes", "yes");
	for (const name of hidden) a.append("hide", name);
	history.replaceState(null, "", "#" + a);
}

/** Shows what an address says.
 * @param {string} hash */
async function recall(hash) {
	clearTimeout(waiting);
	const a = new URLSearchParams(hash.slice(1));
	const proc = config.procs.indexOf(a.get("proc") || "");
	now.causes = a.get("causes") === "yes";
	hidden.clear();
	for (const name of a.getAll("hide")) hidden.add(name);
	const show = a.get("show") || first.show, as = a.get("as") || first.as;
	await view(show, as);
	hide();
	const step = Number(a.get("step"));
	if (step > 0) go(step, { proc: proc < 0 ? undefined : proc });
}
// Not location.hash: who was on the way elsewhere may have written that by now.
addEventListener("hashchange", e => recall(new URL(e.newURL).hash));
