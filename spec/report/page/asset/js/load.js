// The only script that is not packed: it unpacks the others and runs them. Where a browser can not
// unpack, the page stays what it is without scripts: there is all that is to be read.

/** Unpacks a part of the page.
 * @param {string} id
 * @returns {Promise<string>} */
async function inflate(id) {
	const packed = document.getElementById("z-" + id)?.textContent;
	if (!packed) throw new Error("no part " + id);
	const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Adds an element to the page.
 * @param {string} tag
 * @param {string} text */
function add(tag, text) {
	const e = document.createElement(tag);
	e.textContent = text;
	document.body.append(e);
}

/** Kept when the scripts listen, or never will. */
const ready = "DecompressionStream" in self ?
	Promise.all([inflate("style"), inflate("script")]).then(([style, script]) => {
		add("style", style);
		add("script", script);
	}) : Promise.resolve();
