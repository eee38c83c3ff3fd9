for (const body of lazy) hold(body);
if (lazy.length) {
	/** @type {Set<Element>} */
	const near = new Set();
	const seen = new IntersectionObserver(list => {
		for (const { target, isIntersecting } of list) {
			if (!isIntersecting) {
				near.delete(target);
				continue;
			}
			near.add(target);
			fill(/** @type {HTMLElement} */ (target), () => near.has(target));
		}
	}, { rootMargin: "600px" });
	for (const body of lazy) seen.observe(body);
}
dress(document);
arrange();
showBands();
showStates();
recall(location.hash);
