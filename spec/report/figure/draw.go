package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// draw draws everything but labels, and says which labels there are to be.
func (f *Figure) draw() {
	free := box{f.start - 6, f.top - 8, f.Width - 2, f.foot + 5}
	if f.options.Orientation == Down {
		free = box{f.gutter - 6, f.start - 4, f.Width - 2, f.end + 6}
	}
	f.canvas.placer = newPlacer(free)
	if len(f.lanes) == 0 {
		f.emit(labels, 0, f.end, "%s", text("x st", point{margin, margin + 9}, "Nothing happens."))
		return
	}
	f.bands()
	f.axis()
	for i := range f.model.Lives {
		f.life(i)
	}
	for i := range f.model.Lines {
		f.recovery(&f.model.Lines[i])
	}
	for n := range f.model.Messages {
		f.message(n)
	}
	for _, c := range f.cells {
		f.sign(c)
	}
	f.violation()
}

// use notes that a sign occurs.
func (f *Figure) use(name string) { f.used[name] = true }

// axis draws the numbers of steps, folds and the ground of the violation.
func (f *Figure) axis() {
	across := f.options.Orientation == Across
	if across {
		f.emit(labels, 0, f.start, "%s", text("x e", point{f.gutter - 10, margin + 9}, "step"))
	} else {
		f.emit(labels, 0, f.start, "%s", text("x e", point{f.gutter - 8, f.start - 6}, "step"))
	}
	f.difference()
	for i := range f.Slots {
		s := &f.Slots[i]
		class := "x"
		if s.Here {
			class = "x tv"
			f.emit(grounds, s.From, s.To, "%s", f.area("gh", s.From, s.To, f.top-4, f.foot+4))
			f.use("violation")
		}
		p := point{(s.From + s.To) / 2, margin + 9}
		if !across {
			p, class = point{f.gutter - 8, (s.From+s.To)/2 + 3.4}, class+" e"
		}
		f.emit(labels, s.From, s.To, "%s", text(class, p, s.name()))
		if s.Fold != nil {
			f.fold(s)
		}
	}
}

// difference is the line behind which another run goes on otherwise.
func (f *Figure) difference() {
	last := -1
	for i := range f.Slots {
		if s := &f.Slots[i]; !s.End && s.Last <= f.options.Differs {
			last = i
		}
	}
	if f.options.Differs == 0 || f.options.Differs == Nowhere {
		return
	}
	t := f.start + runIn/2
	if last >= 0 {
		t = f.Slots[last].To
	}
	p, q := f.at(t, f.top-2), f.at(t, f.foot+2)
	f.emit(bars, t, t, "%s", path("l df", p, q))
	f.placer.draw(p, q, -4, priceArrow)
	l := f.want(&label{class: "w", time: t, owner: -4, optional: true}, "from here on different")
	f.along(l, p, q)
}

// fold is a band with what it hides.
func (f *Figure) fold(s *Slot) {
	f.use("fold")
	f.emit(grounds, s.From, s.To, "%s", f.area("gf", s.From+3, s.To-3, f.top, f.foot))
	middle := (s.From + s.To) / 2
	if f.options.Orientation == Across {
		for k, w := range s.Fold {
			p := point{middle, f.foot + 13 + 11*float64(k)}
			f.emit(labels, s.From, s.To, "%s", text("x", p, w))
		}
		return
	}
	rows := f.foldRows(s.Fold)
	for k, w := range rows {
		p := point{(f.top + f.foot) / 2, middle + 3.4 + 11*(float64(k)-float64(len(rows)-1)/2)}
		f.emit(labels, s.From, s.To, "%s", text("x hf", p, w))
		f.occupy(around(p.plus(0, -3.4), textWidth(w, smallSize), smallSize))
	}
}

// bands draws the grounds of clusters and the names of lanes.
func (f *Figure) bands() {
	across := f.options.Orientation == Across
	for i := 0; i < len(f.lanes); {
		c, k := f.lanes[i].Cluster, i+1
		for k < len(f.lanes) && f.lanes[k].Cluster == c && c >= 0 {
			k++
		}
		if c >= 0 {
			from, to := f.lanes[i].across-f.pitch/2, f.lanes[k-1].across+f.pitch/2
			head := f.start - f.gutter + margin/2
			p := point{margin + 6, (from+to)/2 + 4}
			if !across {
				head = margin/2 + 2
				p = point{(from + to) / 2, margin + 11}
			}
			f.emit(grounds, head, f.end, "%s",
				f.area(fmt.Sprintf("g%d", c%2), head, f.end+2, from+1, to-1))
			f.emit(labels, 0, f.start, "%s", text("x", p, clusterName(c)))
		}
		i = k
	}
	for i := range f.lanes {
		f.nameOf(&f.lanes[i])
	}
}

func clusterName(c int) string {
	if c < 26 {
		return string(rune('A' + c))
	}
	return itoa(c)
}

// nameOf writes the name of a lane at its beginning.
func (f *Figure) nameOf(l *lane) {
	class := "n"
	if l.Role == report.RoleService {
		class = "n w"
	}
	x := f.start - 9
	switch {
	case f.options.Orientation == Across && l.under == "":
		f.emit(labels, 0, f.start, "%s", text(class+" e", point{x, l.across + 4}, l.name))
	case f.options.Orientation == Across:
		f.emit(labels, 0, f.start, "%s%s", text(class+" e", point{x, l.across - 1}, l.name),
			text("x e", point{x, l.across + 10}, l.under))
	case f.upright:
		f.emit(labels, 0, f.start, `<text class="%s st" transform="translate(%s %s) rotate(-90)">`+
			`%s</text>`, class, number(l.across+4), number(f.start-6), escape(l.name))
		if l.under != "" {
			f.emit(labels, 0, f.start, `<text class="x st" transform="translate(%s %s) `+
				`rotate(-90)">%s</text>`, number(l.across+14), number(f.start-6), escape(l.under))
		}
	default:
		y := f.start - 6
		if l.under != "" {
			f.emit(labels, 0, f.start, "%s", text("x", point{l.across, y}, l.under))
			y -= 11
		}
		f.emit(labels, 0, f.start, "%s", text(class, point{l.across, y}, l.name))
	}
}

// timeOf is where an event is drawn, or when there is no such place, otherwise.
func (f *Figure) timeOf(i int, otherwise float64) float64 {
	if f.known(i) {
		return f.cellOf[i].time
	}
	return otherwise
}

// life draws one incarnation: its line, its end, and what of it was undone.
func (f *Figure) life(i int) {
	l := &f.model.Lives[i]
	k, ok := f.lane[l.Proc]
	if !ok {
		return
	}
	s := f.lanes[k].across
	from, to := f.timeOf(l.From, f.start), f.timeOf(l.To, f.end)
	class := fmt.Sprintf("l l%d", min(l.Incarnation, 3))
	if f.lanes[k].Role != report.RoleRank && l.Incarnation == 0 {
		class = "l ls"
	}
	f.use(fmt.Sprintf("life%d", min(l.Incarnation, 3)))
	undone := to
	if l.UndoneFrom != report.Never && l.UndoneBy != report.Never {
		undone = max(from, f.timeOf(l.UndoneFrom, to)-9)
		if p, ok := f.pointOf(f.model.Lives[l.UndoneBy].Point, l.Proc); ok && p > from {
			undone = min(undone, max(from, p))
		}
		f.hatch(undone, to, s)
		f.stretch(undone, to, class+" lu", s)
	}
	if undone > from {
		f.stretch(from, undone, class, s)
	}
	f.placer.draw(f.at(from, s), f.at(to, s), -1, priceLane)
	f.host(l, from, to, s)
	if f.known(l.To) && f.model.Events[l.To].Kind == trace.Crashed {
		again := f.end
		if i+1 < len(f.model.Lives) && f.model.Lives[i+1].Proc == l.Proc {
			again = f.timeOf(f.model.Lives[i+1].From, f.end)
		}
		f.use("down")
		f.stretch(to, again, "l ld", s)
		f.placer.draw(f.at(to, s), f.at(again, s), -1, priceLane)
	}
}

// hatch strikes through a portion of a lane; a long figure has no room for each stroke, and gets
// upright ones by a dashed line.
func (f *Figure) hatch(from, to, s float64) {
	f.use("undone")
	if f.Long() {
		f.emit(bars, from, to, "%s", path("l lq", f.at(from+3, s), f.at(to-4, s)))
		return
	}
	stroke, next := "l4 -7", "m1 7"
	if f.options.Orientation == Down {
		stroke, next = "l-7 4", "m7 1"
	}
	if n := int(math.Ceil((to - from - 7) / 5)); n > 0 {
		p := f.at(from+1, s+3.5)
		d := "M" + number(p.x) + " " + number(p.y) + stroke + strings.Repeat(next+stroke, n-1)
		f.emit(bars, from, to, `<path class="l lh" d="%s"/>`, d)
	}
}

// host draws the strip that says on which node a rank runs that moves.
func (f *Figure) host(l *report.Life, from, to, s float64) {
	if !f.lanes[f.lane[l.Proc]].moves || l.Host < 0 || to-from < 4 {
		return
	}
	name := short(f.model.Layout.Name(trace.Proc(l.Host)), mostColumns)
	off, wide := f.pitch/2-11, textWidth(name, smallSize)+12
	f.use("host")
	if f.options.Orientation == Across {
		b := box{from + 1, s + off, to - 1, s + off + 10}
		f.emit(bars, from, to, "%s", rect("gn", b.x1, b.y1, b.x2-b.x1, b.y2-b.y1))
		if wide < to-from {
			f.emit(labels, from, to, "%s", text("x st", point{from + 10, s + off + 8.2}, name))
			f.occupy(box{b.x1, b.y1, b.x1 + wide, b.y2})
		}
		return
	}
	b := box{s + off - 1, from + 1, s + off + 9, to - 1}
	f.emit(bars, from, to, "%s", rect("gn", b.x1, b.y1, b.x2-b.x1, b.y2-b.y1))
	if wide < to-from {
		f.emit(labels, from, to, `<text class="x st" transform="translate(%s %s) rotate(90)">%s`+
			`</text>`, number(s+off+1), number(from+10), escape(name))
		f.occupy(box{b.x1, b.y1, b.x2, b.y1 + wide})
	}
}

// pointOf is where on its lane a proc was when what a restart restores was true.
func (f *Figure) pointOf(p report.Point, proc trace.Proc) (float64, bool) {
	if p.Saved != report.Never && f.known(p.Saved) && f.model.Events[p.Saved].Proc == proc {
		return f.cellOf[p.Saved].time, true
	}
	if p.Event == report.Never {
		return f.start + 6, true
	}
	if !f.known(p.Event) {
		return 0, false
	}
	return f.cellOf[p.Event].time + 8, true
}

// recovery draws the line that restarts go back to, through the points that they restore, and an
// arc from each restart to its own.
func (f *Figure) recovery(l *report.Line) {
	var events []int
	var through []point
	first, last := math.Inf(1), 0.0
	for _, k := range f.inOrder(l.Procs) {
		proc := l.Procs[k]
		i, ok := f.lane[proc]
		t, found := f.pointOf(l.Points[k], proc)
		if !ok || !found || f.lanes[i].Role != report.RoleRank {
			continue
		}
		s := f.lanes[i].across
		if len(through) == 0 {
			through = append(through, f.at(t, s-f.pitch*0.36))
		}
		through = append(through, f.at(t, s-7), f.at(t, s+7))
		first, last = min(first, t), max(last, t)
		events = append(events, l.At[k])
		f.arc(l.At[k], t, s)
	}
	if len(through) == 0 {
		return
	}
	end := through[len(through)-1]
	off := f.pitch*0.36 - 7
	if f.options.Orientation == Across {
		through = append(through, end.plus(0, off))
	} else {
		through = append(through, end.plus(off, 0))
	}
	f.use("line")
	f.mark(lines, first, last, "rl", events, "recovery line: "+f.lineWords(l),
		path("r", through...))
	for i := 1; i < len(through); i++ {
		f.placer.draw(through[i-1], through[i], -1, priceLight)
	}
}

// inOrder are the indexes of procs in the order of their lanes.
func (f *Figure) inOrder(procs []trace.Proc) []int {
	order := make([]int, len(procs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return f.lane[procs[a]] - f.lane[procs[b]] })
	return order
}

func (f *Figure) lineWords(l *report.Line) string {
	words := ""
	for k, p := range l.Procs {
		if k > 0 {
			words += ", "
		}
		words += fmt.Sprintf("%s at %d sent, %d received", f.model.Layout.Name(p),
			l.Points[k].Sent, l.Points[k].Received)
	}
	return words
}

// arc leads from a restart back to what it restores: flat, so that it takes no room.
func (f *Figure) arc(restart int, t, s float64) {
	if !f.known(restart) {
		return
	}
	from := f.cellOf[restart].time
	if from-t < 16 {
		return
	}
	h := s - min(15, f.pitch*0.36)
	a, b, c, d := f.at(from, s-8), f.at(from-9, h), f.at(t+9, h), f.at(t, s-3)
	q1, q2 := f.at(from, h), f.at(t, h)
	e1, e2 := f.at(t+1, s-8.5), f.at(t+4.6, s-6.5)
	f.use("arc")
	f.emit(lines, t, from, `<path class="rb"%s d="M%s %sQ%s %s %s %sL%s %sQ%s %s %s %sM%s %sL%s %s`+
		`L%s %s"/>`, f.data([]int{restart}), number(a.x), number(a.y), number(q1.x), number(q1.y),
		number(b.x), number(b.y), number(c.x), number(c.y), number(q2.x), number(q2.y),
		number(d.x), number(d.y), number(e1.x), number(e1.y), number(d.x), number(d.y),
		number(e2.x), number(e2.y))
	f.placer.draw(b, c, -1, priceLight)
}
