for (const body of lazy) hold(body);
if (lazy.length) {
	const seen = new IntersectionObserver(list => {
		for (const e of list) if (e.isIntersecting) fill(/** @type {HTMLElement} */ (e.target));
	}, { rootMargin: "600px" });
	for (const body of lazy) seen.observe(body);
}
dress(document);
arrange();
showBands();
showStates();
recall(location.hash);
