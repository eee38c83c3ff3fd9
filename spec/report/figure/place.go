package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// box is a rectangle on the paper.
type box struct{ x1, y1, x2, y2 float64 }

func around(p point, w, h float64) box {
	return box{p.x - w/2, p.y - h/2, p.x + w/2, p.y + h/2}
}

func (a box) overlaps(b box) bool {
	return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2
}

// segment is a line that labels had better not cross.
type segment struct {
	p, q  point
	owner int // the label that it belongs to, -1 for none
	cost  float64
}

// crosses reports whether the segment touches the box.
func (s *segment) crosses(b box) bool {
	lo, hi := 0.0, 1.0
	clip := func(d, near, far float64) bool { // near <= t*d <= far
		if d == 0 {
			return near <= 0 && far >= 0
		}
		a, c := near/d, far/d
		lo, hi = max(lo, min(a, c)), min(hi, max(a, c))
		return lo <= hi
	}
	return clip(s.q.x-s.p.x, b.x1-s.p.x, b.x2-s.p.x) && clip(s.q.y-s.p.y, b.y1-s.p.y, b.y2-s.p.y)
}

// placer knows what is where, by squares of the paper.
type placer struct {
	taken map[[2]int32][]box
	near  map[[2]int32][]*segment
	free  box // where labels may be
}

const square = 48.0

func newPlacer(free box) *placer {
	return &placer{taken: map[[2]int32][]box{}, near: map[[2]int32][]*segment{}, free: free}
}

func squares(b box, do func([2]int32)) {
	for x := math.Floor(b.x1 / square); x <= math.Floor(b.x2/square); x++ {
		for y := math.Floor(b.y1 / square); y <= math.Floor(b.y2/square); y++ {
			do([2]int32{int32(x), int32(y)})
		}
	}
}

// occupy keeps labels out of a box.
func (p *placer) occupy(b box) {
	squares(b, func(k [2]int32) { p.taken[k] = append(p.taken[k], b) })
}

// draw tells where a line is.
func (p *placer) draw(a, b point, owner int, cost float64) {
	s := &segment{a, b, owner, cost}
	n := max(1, int(math.Hypot(b.x-a.x, b.y-a.y)/(square/2)))
	for i := range n {
		from, to := between(a, b, float64(i)/float64(n)), between(a, b, float64(i+1)/float64(n))
		piece := box{min(from.x, to.x), min(from.y, to.y), max(from.x, to.x), max(from.y, to.y)}
		squares(piece, func(k [2]int32) {
			if list := p.near[k]; len(list) == 0 || list[len(list)-1] != s {
				p.near[k] = append(list, s)
			}
		})
	}
}

func between(a, b point, u float64) point {
	return point{a.x + (b.x-a.x)*u, a.y + (b.y-a.y)*u}
}

// price is what it costs to put a label there: nothing where all is free, and more than all else
// where something lies.
func (p *placer) price(b box, owner int) float64 {
	if b.x1 < p.free.x1 || b.y1 < p.free.y1 || b.x2 > p.free.x2 || b.y2 > p.free.y2 {
		return math.Inf(1)
	}
	cost := 0.0
	var seen []*segment
	squares(b, func(k [2]int32) {
		for _, t := range p.taken[k] {
			if t.overlaps(b) {
				cost = math.Inf(1)
			}
		}
		for _, s := range p.near[k] {
			if s.owner != owner && !slices.Contains(seen, s) && s.crosses(b) {
				seen = append(seen, s)
				cost += s.cost
			}
		}
	})
	return cost
}

// label is words that want a place: along an arrow, or beside a sign.
type label struct {
	words, class  string
	width, height float64
	events        []int
	time          float64 // where it wants to be
	owner         int
	optional      bool // it is left out when there is no room: the title has it
	urgent        int  // who chooses first
	spots         []spot
	box           box // where it is
}

// spot is a place for the middle of a label, and what it costs to be second best.
type spot struct {
	point
	cost float64
}

// Prices of a place.
const (
	priceArrow = 8.0
	priceLane  = 11.0
	priceLight = 3.0 // arcs and recovery lines
)

// want adds a label that is to be placed.
func (f *Figure) want(l *label, words string) *label {
	l.words = short(words, mostColumns+8)
	l.width, l.height = textWidth(l.words, labelSize)+3, labelSize+1
	f.wanted = append(f.wanted, l)
	return l
}

// labels places what is wanted, the most urgent first, and returns what finds no place.
func (f *Figure) labels() (homeless []*label) {
	slices.SortStableFunc(f.wanted, func(a, b *label) int {
		if a.urgent != b.urgent {
			return a.urgent - b.urgent
		}
		switch {
		case a.time < b.time:
			return -1
		case a.time > b.time:
			return 1
		}
		return 0
	})
	for _, l := range f.wanted {
		best, where := math.Inf(1), spot{}
		for _, s := range l.spots {
			if s.cost >= best {
				continue
			}
			if cost := s.cost + f.price(around(s.point, l.width, l.height), l.owner); cost < best {
				best, where = cost, s
			}
		}
		if math.IsInf(best, 1) {
			if !l.optional {
				homeless = append(homeless, l)
			}
			continue
		}
		l.box = around(where.point, l.width, l.height)
		f.occupy(l.box)
		t1, t2 := f.span(l.box)
		f.emit(labels, t1, t2, `<text%s%s x="%s" y="%s">%s</text>`,
			classOf(strings.TrimSpace(l.class+" "+f.ground(where.point))), f.data(l.events),
			number(where.x), number(where.y+3.8), escape(l.words))
	}
	return homeless
}

// ground is the class of words at a place, so that their halo has the colour of what they stand on.
func (f *Figure) ground(p point) string {
	t, s := p.x, p.y
	if f.options.Orientation == Down {
		t, s = p.y, p.x
	}
	slot := &f.Slots[f.slotAt(t)]
	switch {
	case t < slot.From || t > slot.To || s < f.top || s > f.foot:
	case slot.Here:
		return "hh"
	case slot.Fold != nil:
		return "hf"
	}
	for i := range f.lanes {
		l := &f.lanes[i]
		if l.Cluster >= 0 && math.Abs(l.across-s) <= f.pitch/2 {
			return fmt.Sprintf("h%d", l.Cluster%2)
		}
	}
	return ""
}

func classOf(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// span is what a box covers of the time axis.
func (f *Figure) span(b box) (from, to float64) {
	if f.options.Orientation == Across {
		return b.x1, b.x2
	}
	return b.y1, b.y2
}

// along finds spots beside a line from p to q: in the gaps between lanes that it crosses, the first
// gap first, the upper side first.
func (f *Figure) along(l *label, p, q point) {
	gaps := f.gaps(p, q)
	length := math.Hypot(q.x-p.x, q.y-p.y)
	if length == 0 {
		length = 1
	}
	nx, ny := (q.y-p.y)/length, -(q.x-p.x)/length // a normal, turned upwards
	if ny > 0 || ny == 0 && nx < 0 {
		nx, ny = -nx, -ny
	}
	off := l.width/2*math.Abs(nx) + (l.height/2-1.5)*math.Abs(ny) + 2
	for g, gap := range gaps {
		for k, part := range []float64{0.5, 0.36, 0.64, 0.25, 0.75} {
			m := between(p, q, gap[0]+(gap[1]-gap[0])*part)
			cost := float64(min(g, 6))*1.2 + float64(k)*0.5
			l.spots = append(l.spots, spot{m.plus(nx*off, ny*off), cost},
				spot{m.plus(-nx*off, -ny*off), cost + 2})
		}
	}
}

// gaps are the parts of a line between lanes, from its beginning on.
func (f *Figure) gaps(p, q point) (list [][2]float64) {
	a, b := p.y, q.y
	if f.options.Orientation == Down {
		a, b = p.x, q.x
	}
	if math.Abs(b-a) < 1 {
		return [][2]float64{{0, 1}}
	}
	cuts := []float64{0, 1}
	for i := range f.lanes {
		if u := (f.lanes[i].across - a) / (b - a); u > 0.02 && u < 0.98 {
			cuts = append(cuts, u)
		}
	}
	slices.Sort(cuts)
	for i := 1; i < len(cuts) && i <= 8; i++ {
		list = append(list, [2]float64{cuts[i-1], cuts[i]})
	}
	return list
}

// beside finds spots above and below a sign, then to its sides.
func (l *label) beside(p point, r float64) {
	v, h := r+l.height/2+1, r+l.width/2+1
	for k, d := range [][2]float64{{0, -v}, {0, v}, {h, -v}, {-h, -v}, {h, v}, {-h, v}, {h, 0},
		{-h, 0}} {
		l.spots = append(l.spots, spot{p.plus(d[0], d[1]), float64(k)})
	}
}
