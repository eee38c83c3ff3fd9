package figure

// shape is how a sign looks, in a figure and in the legend.
type shape struct {
	words string // what the legend says of it
	class string // of the group, for its colour
	size  float64
	draw  func(p point, s scene) string
}

// scene is what the look of some signs depends on.
type scene struct {
	life int // the incarnation
	Orientation
}

// shapes are the signs of cells. That of a send that puts nothing out depends on where it goes, see
// stub; a protocol message that comes or goes has its arrow and nothing else.
var shapes = map[sign]shape{
	sent: {"sent", "", dotSent, func(p point, _ scene) string {
		return circle("h", p, dotSent)
	}},
	received: {"received by the program", "", dotTaken + 0.5, func(p point, _ scene) string {
		return circle("h", p, dotTaken)
	}},
	arrived: {"arrived", "", dotTaken + 0.5, func(p point, _ scene) string {
		return circle("o", p, dotTaken-0.3)
	}},
	refused: {"dropped", "", 4.5, func(p point, _ scene) string { return struck(p, 3.6) }},
	crash:   {"crash", "cr", 6, func(p point, _ scene) string { return struck(p, 5.2) }},
	ring: {"restart, with the incarnation", "lw1", 8, func(p point, s scene) string {
		return circle("o", p, 7) + text("i", p.plus(0, 3.4), itoa(s.life))
	}},
	committed: {"checkpoint, committed", "gd", 5, func(p point, _ scene) string {
		return rect("h", p.x-4.2, p.y-4.2, 8.4, 8.4)
	}},
	saved: {"image, stored", "gd", 5, func(p point, _ scene) string {
		return rect("o", p.x-4, p.y-4, 8, 8)
	}},
	image: {"gets its image", "gd", 6, func(p point, _ scene) string {
		return polygon("h", p, 0, -5.5, 5.5, 0, 0, 5.5, -5.5, 0)
	}},
	told: {"told of a failure", "ca", 6, func(p point, _ scene) string {
		return polygon("h", p, 0, -5.6, 5.2, 4, -5.2, 4)
	}},
	output: {"output", "", 6, func(p point, _ scene) string {
		return polygon("o", p, 0, -5.6, 5.2, 4, -5.2, 4)
	}},
	adopts: {"adopts", "ca", 6, func(p point, _ scene) string { return plus(p) }},
	halts: {"gives up", "cr", 6, func(p point, _ scene) string {
		return rect("k", p.x-4.6, p.y-4.6, 9.2, 9.2) + struck(p, 4.6)
	}},
	ends: {"program ends", "", 6, func(p point, s scene) string {
		if s.Orientation == Across {
			return path("k", p.plus(0, -6.5), p.plus(0, 6.5))
		}
		return path("k", p.plus(-6.5, 0), p.plus(6.5, 0))
	}},
	logged: {"logged", "", 6.5, func(p point, _ scene) string { return sheet(p, false) }},
	pruned: {"removed from a log", "", 6.5, func(p point, _ scene) string {
		return sheet(p, true)
	}},
	says: {"a word of a service", "", 4, func(p point, _ scene) string {
		return circle("o", p, 3)
	}},
	note: {"", "", 4, func(p point, _ scene) string { return circle("o", p, 3) }},
}

// struck is a cross, as on something that is not there any more.
func struck(p point, r float64) string { return `<path class="k" d="` + cross(p, r) + `"/>` }
