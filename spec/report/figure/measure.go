package figure

// Measures, in pixels.
const (
	usualWidth = 760.0
	stretch    = 1.9 // of slots, to fill the width

	slotAcross = 26.0
	slotDown   = 26.0
	cellMore   = 15.0 // for each further cell of a lane in a slot
	ghostRoom  = 30.0
	margin     = 8.0
	runIn      = 16.0 // of lanes before the first slot and behind the last one
	clusterGap = 8.0
	axisRoom   = 22.0
)

// geometry is where slots and lanes are.
type geometry struct {
	slack      []float64 // what slots are longer, so that labels have room
	natural    []float64 // the lengths that slots ask for
	start, end float64   // of the lanes, along the time
	top, foot  float64   // of the lanes, across
	pitch      float64
	gutter     float64
	upright    bool // Down: names are written along the lanes
}

// measure gives slots, lanes and cells of figures their places. Of two figures, the slots that
// their beginnings share have one length, and lie at one place.
func measure(list []*Figure, shared int) {
	gutter, start := 0.0, 0.0
	for _, f := range list {
		f.frame()
		gutter, start = max(gutter, f.gutter), max(start, f.start)
		f.natural = f.lengths()
	}
	for i := range shared {
		most := 0.0
		for _, f := range list {
			most = max(most, f.natural[i])
		}
		for _, f := range list {
			f.natural[i] = most
		}
	}
	factor := stretch
	for _, f := range list {
		f.gutter, f.start = gutter, start
		factor = min(factor, f.stretches())
	}
	for _, f := range list {
		f.run(factor)
		f.finish()
	}
}

// frame decides on what is around the lanes and how far apart they are.
func (f *Figure) frame() {
	if f.slack == nil {
		f.slack = make([]float64, len(f.Slots))
	}
	name, under, clusters := 0.0, 0.0, 0.0
	for i := range f.lanes {
		name = max(name, textWidth(f.lanes[i].name, nameSize))
		under = max(under, textWidth(f.lanes[i].under, smallSize))
		if f.lanes[i].Cluster >= 0 {
			clusters = 14
		}
	}
	if f.options.Orientation == Across {
		f.pitch = []float64{46, 36, 26, 20}[min(len(f.lanes)/12, 3)]
		f.gutter = margin + max(name, under, textWidth("step", smallSize)) + 10 + clusters
		f.start = f.gutter
		return
	}
	steps := textWidth("step", smallSize)
	for i := range f.Slots {
		steps = max(steps, textWidth(f.Slots[i].name(), smallSize))
	}
	f.gutter = margin + steps + 8
	f.pitch = (float64(f.options.Width) - f.gutter - margin - 40) / float64(max(len(f.lanes), 1))
	f.pitch = min(max(f.pitch, 24), max(84, name+14, under+10, min(f.longest()+16, 130)))
	if len(f.lanes) <= 12 {
		f.pitch = max(f.pitch, 64)
	}
	f.start = margin + 20 + clusters
	if under > 0 {
		f.start += 11
	}
	f.upright = max(name, under) > f.pitch-6
	if f.upright {
		f.start = margin + max(name, under) + 12 + clusters
	}
}

// longest is the width of the longest name of a message.
func (f *Figure) longest() (most float64) {
	for n := range f.model.Messages {
		if f.visible[n] {
			most = max(most, textWidth(short(f.model.Messages[n].Name(), mostColumns), labelSize))
		}
	}
	return most
}

// lengths are the slots as long as what is in them wants.
func (f *Figure) lengths() []float64 {
	list := make([]float64, len(f.Slots))
	for i := range f.Slots {
		switch s := &f.Slots[i]; {
		case s.Fold != nil:
			list[i] = f.foldLength(s.Fold)
		case f.options.Orientation == Across:
			list[i] = slotAcross + f.ghostsIn(i)*ghostRoom
		default:
			list[i] = slotDown + f.ghostsIn(i)*ghostRoom
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

func (f *Figure) foldLength(words []string) float64 {
	if f.options.Orientation == Down {
		return 12 + 11*float64(len(f.foldRows(words)))
	}
	widest := 24.0
	for _, w := range words {
		widest = max(widest, textWidth(w, smallSize)+8)
	}
	return widest
}

// foldRows are the words of a fold that lies across all lanes.
func (f *Figure) foldRows(words []string) []string {
	wide := f.pitch*float64(len(f.lanes)) + clusterGap*float64(f.breaks())
	return wrapWords(words, int(wide/(smallSize*advance))-2)
}

// stretches is by how much slots would have to grow to fill the width.
func (f *Figure) stretches() float64 {
	if f.options.Orientation == Down {
		return 1
	}
	total, elastic := 0.0, 0.0
	for i, n := range f.natural {
		total += n
		if f.Slots[i].Fold == nil {
			elastic += n
		}
	}
	room := float64(f.options.Width) - f.start - 2*runIn - margin - total
	if elastic == 0 || room <= 0 {
		return 1
	}
	return 1 + room/elastic
}

// run places the slots one behind the other.
func (f *Figure) run(factor float64) {
	t := f.start + runIn
	for i := range f.Slots {
		n := f.natural[i]
		if f.Slots[i].Fold == nil {
			n *= factor
		}
		f.Slots[i].From, f.Slots[i].To = t, t+n
		t += n
	}
	f.end = t + runIn
}

// finish places lanes and cells.
func (f *Figure) finish() {
	if f.options.Orientation == Across {
		f.stack(margin + axisRoom)
		most := 0
		for i := range f.Slots {
			most = max(most, len(f.Slots[i].Fold))
		}
		f.Width, f.Height = f.end+margin, f.foot+margin+11*float64(most)
	} else {
		f.stack(f.gutter)
		f.Width, f.Height = f.foot+margin, f.end+margin
	}
	f.Width = max(f.Width, 180) // for the words below
	f.Height += float64(len(f.absentLines(f.Width))) * 13
	for _, c := range f.cells {
		s := &f.Slots[c.slot]
		from := s.From + f.ghostsIn(c.slot)*ghostRoom
		c.time = from + (s.To-from)*(float64(c.place)+0.5)/float64(c.of)
	}
}

// stack puts the lanes side by side from a place on, with gaps around clusters.
func (f *Figure) stack(from float64) {
	f.top = from
	for i := range f.lanes {
		if f.breaksBefore(i) {
			from += clusterGap
		}
		f.lanes[i].across = from + f.pitch/2
		from += f.pitch
	}
	f.foot = from
}

// breaksBefore reports whether a gap is before a lane: another cluster begins, or another role.
func (f *Figure) breaksBefore(i int) bool {
	return i > 0 && (f.lanes[i-1].Cluster != f.lanes[i].Cluster ||
		f.lanes[i-1].Role != f.lanes[i].Role)
}

// breaks is how many gaps there are.
func (f *Figure) breaks() (n int) {
	for i := range f.lanes {
		if f.breaksBefore(i) {
			n++
		}
	}
	return n
}
