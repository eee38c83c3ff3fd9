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
	if (e.target instanceof HTMLInputElement && e.target.type !== "checkbox") {
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
		const step = r ? stepIn(r) : Number(link?.getAttribute("href")?.slice(6));
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
