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

/** The step of a row, which is there a second time where an excerpt of a long run is printed.
 * @param {Element} r */
const stepIn = r => Number(r.querySelector("a")?.hash.slice(6));

/** The part of the table with a step.
 * @param {number} step */
const bodyOf = step => bodies[Math.floor((step - 1) / config.chunk)];

/** Fills a part of the table, unless by the time that its text is there it is out of view again.
 * @param {HTMLElement} body
 * @param {() => boolean} wanted */
async function fill(body, wanted) {
	if (body.dataset.full || !lazy.includes(body)) return;
	const text = await unpack("rows-" + body.dataset.block);
	if (body.dataset.full || !wanted()) return;
	body.dataset.full = "yes";
	body.innerHTML = text; // written and escaped by the template of rows
	dress(body);
	body.dataset.height = String(body.getBoundingClientRect().height);
	const at = bodies.indexOf(body), chosen = bodyOf(now.step);
	for (const other of lazy) {
		if (other.dataset.full && other !== chosen && Math.abs(bodies.indexOf(other) - at) > far) hold(other);
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
