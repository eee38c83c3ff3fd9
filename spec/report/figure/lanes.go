package figure

import (
	"slices"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// lane is one proc of the figure.
type lane struct {
	*report.Lane
	name   string
	under  string // where it runs, when it stays there
	moves  bool
	across float64
}

// line lists the lanes: ranks by cluster, services below; those of which nothing is shown are left
// out.
func (f *Figure) line() {
	busy := map[trace.Proc]bool{}
	for _, c := range f.cells {
		busy[c.proc] = true
	}
	for n := range f.model.Messages {
		m := &f.model.Messages[n]
		if f.visible[n] && (f.known(m.Sent) || f.known(m.Arrived)) {
			busy[m.From], busy[m.To] = true, true
		}
	}
	for i := range f.model.Lanes {
		l := &f.model.Lanes[i]
		if !busy[l.Proc] || f.hides(l.Proc) {
			f.Hidden = append(f.Hidden, short(l.Name, mostColumns))
			continue
		}
		f.lanes = append(f.lanes, lane{Lane: l, name: short(l.Name, mostColumns)})
	}
	slices.SortStableFunc(f.lanes, func(a, b lane) int {
		if d := rankOfRole(a.Role) - rankOfRole(b.Role); d != 0 {
			return d
		}
		return a.Cluster - b.Cluster
	})
	f.lane = map[trace.Proc]int{}
	for i := range f.lanes {
		f.lane[f.lanes[i].Proc] = i
	}
	f.hosts()
}

func rankOfRole(role string) int {
	return slices.Index([]string{report.RoleRank, report.RoleNode, report.RoleService}, role)
}

// known reports whether an event has a place in the figure.
func (f *Figure) known(i int) bool { return i != report.Never && f.cellOf[i] != nil }

// hosts finds who moves: those that stay are named with their node.
func (f *Figure) hosts() {
	for i := range f.model.Lives {
		l := &f.model.Lives[i]
		k, ok := f.lane[l.Proc]
		if !ok || l.Host < 0 {
			continue
		}
		name := "on " + short(f.model.Layout.Name(trace.Proc(l.Host)), mostColumns)
		la := &f.lanes[k]
		if la.under != "" && la.under != name {
			la.moves = true
		}
		la.under = name
	}
	for i := range f.lanes {
		if f.lanes[i].moves {
			f.lanes[i].under = ""
		}
	}
}

// Measures, in pixels.
const (
	usualWidth = 760.0
	stretch    = 1.9

	slotAcross = 26.0
	slotDown   = 26.0
	cellMore   = 15.0 // for each further cell of a lane in a slot
	ghostRoom  = 30.0
	margin     = 8.0
	runIn      = 16.0 // of lanes before the first slot and behind the last one
	clusterGap = 8.0
	serviceGap = 8.0
	axisRoom   = 22.0
)

// geometry is where slots and lanes are.
type geometry struct {
	slack      []float64 // what slots are longer, so that labels have room
	start, end float64   // of the lanes, along the time
	top, foot  float64   // of the lanes, across
	pitch      float64
	gutter     float64
}

// measure gives slots, cells and lanes their places.
func (f *Figure) measure() {
	if f.slack == nil {
		f.slack = make([]float64, len(f.Slots))
	}
	if f.options.Orientation == Across {
		f.measureAcross()
	} else {
		f.measureDown()
	}
	for _, c := range f.cells {
		s := &f.Slots[c.slot]
		from := s.From + f.ghostsIn(c.slot)*ghostRoom
		c.time = from + (s.To-from)*(float64(c.place)+0.5)/float64(c.of)
	}
}

// stack puts the lanes side by side from a place on, with gaps around clusters, and returns where
// the last one ends.
func (f *Figure) stack(from float64) float64 {
	f.top = from
	s := from
	for i := range f.lanes {
		l := &f.lanes[i]
		if i > 0 {
			before := &f.lanes[i-1]
			if before.Cluster != l.Cluster || before.Role != l.Role {
				s += clusterGap
			}
		}
		l.across = s + f.pitch/2
		s += f.pitch
	}
	f.foot = s
	return s
}

// lengths are the slots as long as their cells want; foldLength says what a fold wants.
func (f *Figure) lengths(usual float64, foldLength func([]string) float64) (list []float64) {
	list = make([]float64, len(f.Slots))
	for i := range f.Slots {
		list[i] = usual + f.ghostsIn(i)*ghostRoom
		if s := &f.Slots[i]; s.Fold != nil {
			list[i] = foldLength(s.Fold)
		}
	}
	most := make([]int, len(f.Slots))
	for _, c := range f.cells {
		most[c.slot] = max(most[c.slot], c.of)
	}
	for i := range list {
		list[i] += float64(max(most[i]-1, 0))*cellMore + f.slack[i]
	}
	return list
}

// run places the slots one behind the other.
func (f *Figure) run(lengths []float64) {
	t := f.start + runIn
	for i := range f.Slots {
		f.Slots[i].From, f.Slots[i].To = t, t+lengths[i]
		t += lengths[i]
	}
	f.end = t + runIn
}

func (f *Figure) measureAcross() {
	f.pitch = []float64{46, 36, 26, 20}[min(len(f.lanes)/12, 3)]
	name, clusters := 0.0, false
	for i := range f.lanes {
		name = max(name, textWidth(f.lanes[i].name, nameSize),
			textWidth(f.lanes[i].under, smallSize))
		clusters = clusters || f.lanes[i].Cluster >= 0
	}
	f.gutter = margin + name + 10
	if clusters {
		f.gutter += 16
	}
	f.gutter = max(f.gutter, margin+30)
	f.start = f.gutter
	lengths := f.lengths(slotAcross, func(words []string) float64 {
		widest := 24.0
		for _, w := range words {
			widest = max(widest, textWidth(w, smallSize)+8)
		}
		return widest
	})
	total, elastic := 0.0, 0.0
	for i, n := range lengths {
		total += n
		if f.Slots[i].Fold == nil {
			elastic += n
		}
	}
	room := float64(f.options.Width) - f.start - 2*runIn - margin - total
	if elastic > 0 && room > 0 {
		k := min(room/elastic, stretch-1)
		for i := range lengths {
			if f.Slots[i].Fold == nil {
				lengths[i] *= 1 + k
			}
		}
	}
	f.run(lengths)
	bottom := f.stack(margin + axisRoom)
	f.Width, f.Height = f.end+margin, bottom+margin+f.foldNotes()
	f.Height += f.absent(f.Width)
}

// foldNotes is the room below the lanes for what folds hide.
func (f *Figure) foldNotes() float64 {
	most := 0
	for i := range f.Slots {
		most = max(most, len(f.Slots[i].Fold))
	}
	return float64(most) * 11
}

func (f *Figure) measureDown() {
	steps, name := textWidth("step", smallSize), 0.0
	for i := range f.Slots {
		steps = max(steps, textWidth(f.Slots[i].name(), smallSize))
	}
	for i := range f.lanes {
		name = max(name, textWidth(f.lanes[i].name, nameSize),
			textWidth(f.lanes[i].under, smallSize))
	}
	f.gutter = margin + steps + 8
	n := float64(max(len(f.lanes), 1))
	f.pitch = (float64(f.options.Width) - f.gutter - margin - 40) / n
	f.pitch = min(max(f.pitch, 24), max(84, name+14))
	if n <= 12 {
		f.pitch = max(f.pitch, 64)
	}
	f.start = margin + axisRoom + 18
	if name > f.pitch-6 {
		f.start = margin + name + 30
	}
	right := f.stack(f.gutter)
	wide := int((right-f.gutter)/(smallSize*advance)) - 2
	f.run(f.lengths(slotDown, func(words []string) float64 {
		return 12 + 11*float64(len(wrapWords(words, wide)))
	}))
	f.Width, f.Height = right+margin, f.end+margin
	f.Height += f.absent(f.Width)
}

// wrapWords joins words with commas into lines of so many columns.
func wrapWords(words []string, most int) (lines []string) {
	now := ""
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		if now != "" && columns(now)+1+columns(w) > most {
			lines, now = append(lines, now), ""
		}
		if now != "" {
			now += " "
		}
		now += w
	}
	return append(lines, now)
}
