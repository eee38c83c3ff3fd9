// Values as trees.

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
