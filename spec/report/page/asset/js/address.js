// The address says what is shown.

function remember() {
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
