// States.

/** @type {Map<number, Promise<Chunk>>} */
const chunks = new Map();

/** The chunk of a step.
 * @param {number} k */
function chunkOf(k) {
	let part = chunks.get(k);
	if (!part) {
		part = unpack("states-" + k).then(t => JSON.parse(t));
		chunks.set(k, part);
	}
	return part;
}

/** Whether the states behind a step are there.
 * @param {number} step */
const isKept = step => !config.kept || config.kept.includes(Math.max(0, Math.floor((step - 1) / config.span)));

/** What there is behind a step, 0 for the start: the states by proc, and what is around each.
 * @param {number} step
 * @returns {Promise<{states: unknown[], around: Around[]}>} */
async function worldAt(step) {
	const k = Math.max(0, Math.floor((step - 1) / config.span));
	const { all, steps } = await chunkOf(k);
	const states = all.map(kept => kept[1]), around = all.map(kept => kept[2]);
	for (const changed of steps.slice(0, step - k * config.span)) {
		for (const [p, state, rest] of changed) {
			states[p] = state;
			around[p] = rest;
		}
	}
	return { states, around };
}

/** Every local state behind a step.
 * @param {number} step */
const statesAt = async step => (await worldAt(step)).states;

/** The value at a path such as protocol.peers[0].phase, undefined where there is none.
 * @param {any} value
 * @param {string} path */
function at(value, path) {
	for (const key of path.split(/[.[\]]+/).filter(Boolean)) {
		if (value === null || typeof value !== "object") return undefined;
		value = value[key];
	}
	return value;
}
