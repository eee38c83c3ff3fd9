// The figure.

const figure = get("figure");
const controls = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-choice]"));
const first = { show: figure?.dataset.show || "", as: figure?.dataset.as || "", html: figure?.innerHTML || "" };

/** @returns {HTMLElement | null | undefined} */
const scroller = () => figure?.querySelector(".scroll");

/** The slots of the figure: first step, last step, from, to. Those of a long one are packed.
 * @returns {Promise<[number, number, number, number][]>} */
async function slots() {
	const text = scroller()?.dataset.slots || "[0]";
	/** @type {[number, ...[number, number, number][]]} */
	const [start, ...list] = JSON.parse(text.startsWith("[") ? text : await unpack(text));
	let last = 0, at = start; // tenths of a pixel
	return list.map(([skip, more, long]) => {
		const first = last + skip, from = at;
		last = first + more;
		at += long;
		return [first, last, from / 10, at / 10];
	});
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
	const show = ["none", "relevant", "all"].indexOf(figure?.dataset.show || "");
	bands = new IntersectionObserver(async list => {
		for (const e of list) {
			const band = /** @type {HTMLElement} */ (e.target);
			if (!e.isIntersecting) {
				band.replaceChildren();
			} else if (!band.firstChild) {
				const [shows, { stepOf }] = await Promise.all([unpack("band-" + band.dataset.band), index()]);
				if (band.firstChild) continue;
				band.innerHTML = shows.split("\f")[show]; // drawn and escaped in Go
				for (const mark of band.querySelectorAll("[data-i]")) {
					mark.setAttribute("data-step", String(Math.max(...eventsOf(mark).map(i => stepOf[i]))));
				}
				if (now.causes) showCauses();
				if (hidden.size) hide();
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
	const html = show === first.show && as === first.as ? first.html : JSON.parse(await unpack("views"))[as + " " + show];
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
	if (hidden.size) hide();
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
