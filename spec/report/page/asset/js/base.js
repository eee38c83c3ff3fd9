/** @typedef {{steps: number, chunk: number, span: number, procs: string[], marks: number[], bad: number, differ: number, states: boolean, kept: number[]|null}} Config */
/** @typedef {{name: string, applies: boolean, broken?: number[]}} Judged */
/** @typedef {{procs: number[][], text: string[], stepOf: number[], procOf: number[], lifeOf: number[], causes: (number[]|null)[], crashes: number[]|null, kinds: string[]|null, kindOf: number[], judged: Judged[]|null}} Index */
/** @typedef {{inbox?: {from: string, messages: string[]}[], stable?: {key: string, value: unknown, torn?: boolean}[], writing?: string[], notices?: string[], timers?: string[], waits?: string[], line?: string}} Around */
/** @typedef {[number, unknown, Around]} Kept */
/** @typedef {{all: Kept[], steps: Kept[][], else: (string[] | null)[]}} Chunk */

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
		text = inflate(id);
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

/** The events that a mark of the figure shows.
 * @param {Element} mark */
const eventsOf = mark => (mark.getAttribute("data-i") || "").split(" ").map(Number);
