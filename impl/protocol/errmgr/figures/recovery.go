package figures

import (
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// phases are the parts of a recovery, in order.
var phases = [...]string{"detect", "stabilise", "select", "fence", "restore", "connect"}

// recovery is how long each of them took, after the last failure, and how long everything before
// it, from the first one on.
type recovery struct {
	Before time.Duration
	Phase  [len(phases)]time.Duration
}

// total is the whole.
func (r *recovery) total() time.Duration {
	t := r.Before
	for _, d := range r.Phase {
		t += d
	}
	return t
}

// kill is a crash of procs, in a while after a moment.
type kill struct {
	// Kind and Text are the event that it comes after, of the episode that the first failure opens;
	// the first kill of all comes when a snapshot is established.
	Kind  trace.Kind
	Text  string
	Wait  time.Duration
	Procs func(r *emulate.Run) []core.Proc
}

// ranks are the victims r, r+1, ..., so many, without their nodes.
func ranks(first, n int) func(*emulate.Run) []core.Proc {
	return func(*emulate.Run) (list []core.Proc) {
		for r := range n {
			list = append(list, core.Proc(first+r))
		}
		return list
	}
}

// recover takes a snapshot, kills, and measures until every rank that is up goes on. The first kill
// comes a second after the snapshot is established.
func (j *job) recover(kills ...kill) (r recovery, err error) {
	b, err := j.open()
	if err != nil {
		return r, err
	}
	b.run.After(second, func() { b.run.Request(b.head) })
	var began, last time.Duration
	struck := 0
	strike := func(k kill) {
		b.run.After(k.Wait, func() {
			if last = b.run.Now(); began == 0 {
				began = last
			}
			struck++
			b.run.Crash(k.Procs(b.run)...)
		})
	}
	kills = slices.Clone(kills)
	kills[0].Kind, kills[0].Text, kills[0].Wait = trace.Snapped, trace.SnapEstablished, second
	next := 0
	end, err := b.play(func(m moment) bool {
		if next < len(kills) && m.word(kills[next].Kind, kills[next].Text) {
			strike(kills[next])
			next++
		}
		return struck == len(kills) && m.At > last &&
			m.word(trace.Ruled, trace.RuleResumed)
	})
	if err != nil {
		return r, err
	}
	r.Before = last - began
	at := func(kind trace.Kind, text string, from time.Duration) time.Duration {
		for _, m := range b.story {
			if m.At >= from && m.word(kind, text) {
				return m.At
			}
		}
		return from
	}
	opened := at(trace.Ruled, trace.RuleOpened, last)
	stable := at(trace.Ruled, trace.RuleStabilised, opened)
	selected := at(trace.Snapped, trace.SnapSelected, stable)
	fenced := at(trace.Ruled, trace.RuleFenced, selected)
	restored, _ := b.last(trace.Snapped, trace.SnapRestored)
	restored = max(restored, fenced)
	for i, d := range []time.Duration{opened - last, stable - opened, selected - stable,
		fenced - selected, restored - fenced, end - restored} {
		r.Phase[i] = d
	}
	return r, nil
}

// crashed is the job of Figure 4: idle, 10 MB a rank. Most of it is a matrix of random numbers, of
// which packing saves next to nothing, and the rest an idle process, of which it saves nine tenths.
func crashed(n int, options string) *job {
	return &job{lab: source, Ranks: n, Spares: (n + 1) / 2, Image: 10 * MB, Saved: 0.3,
		Options: options, Policies: "autor abort"}
}

// inPlace is a job whose failed ranks may start where they were.
func inPlace(n int) *job { return crashed(n, cached+" restart=inplace") }

// kinds are the curves of Figure 4, in the order of their colours.
var kinds = []struct {
	name string
	make func(n int) *job
}{
	{"central", func(n int) *job { return crashed(n, central) }},
	{"stage", func(n int) *job { return crashed(n, stage) }},
	{"zip", func(n int) *job { return crashed(n, zip) }},
	{"cached", func(n int) *job { return crashed(n, cached) }},
	{"in place", inPlace},
}

// recoveries is Figure 4: recovery time against the size of the job with one failure, and against
// the number of failures of 64 ranks.
func recoveries(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	sizes, fails := []int{2, 4, 8, 16, 32, 48, 64, 96, 128}, []int{1, 8, 16, 24, 32, 40, 48, 56, 62}
	bySize, err := curves(o, sizes, "ranks", func(n int, make func(int) *job) (*job, int) {
		return make(n), 1
	})
	if err != nil {
		return nil, err
	}
	byFails, err := curves(o, fails, "failures",
		func(k int, make func(int) *job) (*job, int) { return make(64), k })
	if err != nil {
		return nil, err
	}
	f.Figures = append(f.Figures,
		figure("recovery-ranks", "Recovery of one failure", "ranks", bySize),
		figure("recovery-failures", "Recovery of 64 ranks", "failed ranks", byFails))
	f.Tables = append(f.Tables,
		grid("seconds from a failure until all run again, by ranks", bySize),
		grid("the same with 64 ranks, by failed ranks", byFails))
	f.Ratios = recoveryRatios(bySize, byFails)
	return f, onePass(o, f, byFails[0])
}

// onePass says what the second pass through the machine of the store does, which the source speaks
// of and does not measure: where the cache takes as long as central without it.
func onePass(o protocol.ExperimentOptions, f *protocol.Findings, central protocol.Curve) error {
	var at [][2]float64
	for _, p := range central.At {
		if err := tell(o, "cached, one pass, %.0f failures", p[0]); err != nil {
			return err
		}
		j := crashed(64, cached)
		j.CopyOut = 0
		r, err := j.recover(kill{Procs: ranks(0, int(p[0]))})
		if err != nil {
			return err
		}
		at = append(at, [2]float64{p[0], r.total().Seconds()})
	}
	where := "never does"
	if x := cross(central.At, at); x > 0 {
		where = fmt.Sprintf("does so at %.2f", x/64)
	}
	f.Notes = append(f.Notes, "Where cached takes as long as central depends on one price: a file "+
		"that is copied back in the background passes the machine of the store twice. With one "+
		"pass cached "+where+".")
	return nil
}

// curves measures every kind over a quantity.
func curves(o protocol.ExperimentOptions, xs []int, what string,
	set func(x int, make func(int) *job) (*job, int)) (list []protocol.Curve, err error) {
	for style, kind := range kinds {
		c := protocol.Curve{Name: kind.name, Style: style}
		for _, x := range xs {
			if err := tell(o, "%s, %d %s", kind.name, x, what); err != nil {
				return nil, err
			}
			j, failures := set(x, kind.make)
			r, err := j.recover(kill{Procs: ranks(0, failures)})
			if err != nil {
				return nil, err
			}
			c.At = append(c.At, [2]float64{float64(x), r.total().Seconds()})
		}
		list = append(list, c)
	}
	return list, nil
}

// figure is one of seconds over a quantity.
func figure(name, title, x string, curves []protocol.Curve) protocol.Figure {
	return protocol.Figure{Name: name, Title: title, X: x, Y: "seconds", Curves: curves}
}

// grid is a table of curves over the same quantity.
func grid(title string, curves []protocol.Curve) protocol.Grid {
	g := protocol.Grid{Title: title, Columns: []string{""}}
	for _, p := range curves[0].At {
		g.Columns = append(g.Columns, fmt.Sprint(p[0]))
	}
	for _, c := range curves {
		row := []string{c.Name}
		for _, p := range c.At {
			row = append(row, fmt.Sprintf("%.2f", p[1]))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// slope is how much a curve rises over all of its range, a unit.
func slope(c protocol.Curve) float64 {
	first, last := c.At[0], c.At[len(c.At)-1]
	return (last[1] - first[1]) / (last[0] - first[0])
}

// recoveryRatios are what Figure 4 comes down to.
func recoveryRatios(bySize, byFails []protocol.Curve) []protocol.Ratio {
	at := func(list []protocol.Curve, kind string, i int) float64 {
		for _, c := range list {
			if c.Name == kind {
				return c.At[i][1]
			}
		}
		panic("invariant: the kind is measured: " + kind)
	}
	k := func(kind int) protocol.Curve { return byFails[kind] }
	last := len(byFails[0].At) - 1
	return []protocol.Ratio{
		{Name: "slope over ranks, cached/stage", Value: slope(bySize[3]) / slope(bySize[1]),
			Least: -0.05, Most: 0.05, Model: optional(0)},
		{Name: "failures/ranks at which cached takes as long as central",
			Value: cross(k(0).At, k(3).At) / 64, Least: 0.4, Most: 0.6,
			Model: optional(breakEven(64, 10))},
		{Name: "in place/cached, 64 ranks, 1 failure", Value: at(byFails, "in place", 0) /
			at(byFails, "cached", 0), Least: 0.4, Most: 0.6, Paper: optional(0.5)},
		{Name: "stage, 62 failures/1", Value: k(1).At[last][1] / k(1).At[0][1], Least: 0.9,
			Most: 1.1, Model: optional(1)},
		{Name: "central, 62 failures/1", Value: k(0).At[last][1] / k(0).At[0][1], Least: 0.9,
			Most: 1.1, Model: optional(1)},
		{Name: "cached/stage, 62 failures", Value: k(3).At[last][1] / k(1).At[last][1], Least: 0.5,
			Most: 1, Model: optional(62. / 64)},
	}
}

// breakEven is the formula for where cached takes as long as central: k c + 2 k V/B = n c + n V/B,
// since a staged byte is handled twice.
func breakEven(n int, megabytes float64) float64 {
	once := centralFile + megabytes/centralRate
	twice := centralFile + 2*megabytes/centralRate
	return once / twice
}
