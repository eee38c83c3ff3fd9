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

// node is a victim: the node that a rank runs on, with all on it.
func node(rank core.Rank) func(*emulate.Run) []core.Proc {
	return func(r *emulate.Run) []core.Proc { return []core.Proc{r.Node(core.Proc(rank))} }
}

// breakdown is the time from a kill until all run again, by phases, for several ways to store and
// to fail, and with a second kill in each phase.
func breakdown(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	g := protocol.Grid{Title: "seconds from a kill until 64 ranks run again, 10 MB each",
		Columns: slices.Concat([]string{"", "before"}, phases[:],
			[]string{"all"})}
	fig := protocol.Figure{Name: "phases", Title: "From a kill until 64 ranks run again",
		X: "seconds", Parts: []protocol.Part{{Name: "before"}}}
	for _, p := range phases {
		fig.Parts = append(fig.Parts, protocol.Part{Name: p})
	}
	add := func(name string, j *job, kills ...kill) error {
		if err := tell(o, "%s", name); err != nil {
			return err
		}
		r, err := j.recover(kills...)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cells := []string{name, fmt.Sprintf("%.3f", r.Before.Seconds())}
		fig.Rows = append(fig.Rows, name)
		fig.Parts[0].Values = append(fig.Parts[0].Values, r.Before.Seconds())
		for i, d := range r.Phase {
			cells = append(cells, fmt.Sprintf("%.3f", d.Seconds()))
			fig.Parts[i+1].Values = append(fig.Parts[i+1].Values, d.Seconds())
		}
		g.Rows = append(g.Rows, append(cells, fmt.Sprintf("%.3f", r.total().Seconds())))
		return nil
	}
	for _, kind := range kinds {
		if err := add(kind.name+", a rank", kind.make(64), kill{Procs: ranks(0, 1)}); err != nil {
			return nil, err
		}
	}
	if err := add("cached, a node", crashed(64, cached), kill{Procs: node(0)}); err != nil {
		return nil, err
	}
	for _, k := range again {
		k.Procs = node(5)
		if err := add("cached, a node, another "+k.name, crashed(64, cached),
			kill{Procs: node(0)}, k.kill); err != nil {
			return nil, err
		}
	}
	f.Tables, f.Figures = append(f.Tables, g), append(f.Figures, fig)
	f.Notes = append(f.Notes, "before: from the first kill to the second. The snapshot stays the "+
		"same in the episode that the second kill opens; a node that has lost its rank stops "+
		"fetching for it, and fetches again.")
	return f, nil
}

// again are the moments of a second kill: shortly after the end of each phase but the last.
var again = []struct {
	name string
	kill
}{
	{"in detect", kill{Kind: trace.Crashed, Wait: 50 * milli}},
	{"in stabilise", kill{Kind: trace.Ruled, Text: trace.RuleOpened, Wait: 10 * milli}},
	{"in fence", kill{Kind: trace.Snapped, Text: trace.SnapSelected, Wait: 10 * milli}},
	{"in restore", kill{Kind: trace.Ruled, Text: trace.RuleFenced, Wait: 1000 * milli}},
	{"when the first runs", kill{Kind: trace.Snapped, Text: trace.SnapRestored}},
	{"after resume", kill{Kind: trace.Ruled, Text: trace.RuleResumed, Wait: milli}},
}

// rhythm is a job that takes a snapshot every so often.
type rhythm struct {
	asked, established []time.Duration // of each snapshot
	stall              time.Duration   // of one rank, the longest
}

// rounds are the intervals of a rhythm; it is looked at in the last one, when it has settled.
const rounds = 6

// beat runs a rhythm, and kills a rank when it is over: the head selects the snapshot that it
// should, or this is an error.
func (j *job) beat(interval time.Duration) (h rhythm, err error) {
	b, err := j.open()
	if err != nil {
		return h, err
	}
	end := rounds*interval - interval/4
	var request func()
	request = func() {
		b.run.Request(b.head)
		b.run.After(interval, request)
	}
	b.run.After(0, request)
	b.run.After(end, func() { b.run.Crash(0) })
	asked := map[uint64]time.Duration{}
	var paused time.Duration
	_, err = b.play(func(m moment) bool {
		switch {
		case m.word(trace.Snapped, trace.SnapReserved):
			asked[m.Stamp.Date] = m.At
		case m.word(trace.Snapped, trace.SnapEstablished):
			h.asked = append(h.asked, asked[m.Stamp.Date])
			h.established = append(h.established, m.At)
		case m.word(trace.Ruled, trace.RulePaused) && m.Proc == 1:
			paused = m.At
		case m.word(trace.Ruled, trace.RuleContinued) && m.Proc == 1:
			h.stall = max(h.stall, m.At-paused)
		case m.word(trace.Snapped, trace.SnapSelected):
			if asked[m.Stamp.Date] != end-h.lost(end) {
				err = fmt.Errorf("figures: snapshot %d is selected, and not the newest that is "+
					"established", m.Stamp.Date)
			}
			return true
		}
		return false
	})
	return h, err
}

// lost is how old the newest established snapshot is at a moment.
func (h *rhythm) lost(at time.Duration) time.Duration {
	for i, e := range slices.Backward(h.established) {
		if e <= at {
			return at - h.asked[i]
		}
	}
	return at
}

// mean is the mean of what is lost over the interval before the last moment, by steps.
func (h *rhythm) mean(interval time.Duration) (mean time.Duration) {
	const steps = 1000
	for k := range steps {
		mean += h.lost((rounds-1)*interval-interval/4+time.Duration(k)*interval/steps) / steps
	}
	return mean
}

// intervals is lost work against the interval between snapshots, and the interval that costs least.
func intervals(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	list := []int{20, 30, 60, 120, 240, 480}
	fig := protocol.Figure{Name: "lost-work", Title: "64 ranks, 10 MB each, one failure",
		X: "seconds between two snapshots", Y: "seconds of work lost"}
	const mtbf = 4 * 3600.
	best := protocol.Grid{Title: "share of the time that is lost, in percent, by seconds between " +
		"two snapshots, with a failure every 4 hours", Columns: []string{""}}
	for _, t := range list {
		best.Columns = append(best.Columns, fmt.Sprint(t))
	}
	best.Columns = append(best.Columns, "least at, by formula")
	for style, options := range []string{central, stage, zip} {
		name := [...]string{"central", "stage", "zip"}[style]
		j := crashed(64, options)
		one, err := j.snapshot()
		if err != nil {
			return nil, err
		}
		back, err := j.recover(kill{Procs: ranks(0, 1)})
		if err != nil {
			return nil, err
		}
		c := protocol.Curve{Name: name, Style: style}
		p := protocol.Curve{Name: name + ", formula", Style: style, Pale: true}
		row := []string{name}
		for _, t := range list {
			if err := tell(o, "%s, every %d s", name, t); err != nil {
				return nil, err
			}
			interval := time.Duration(t) * second
			h, err := j.beat(interval)
			if err != nil {
				return nil, err
			}
			mean := h.mean(interval)
			c.At = append(c.At, [2]float64{float64(t), mean.Seconds()})
			p.At = append(p.At, [2]float64{float64(t), float64(t)/2 + one.Total.Seconds()})
			row = append(row, fmt.Sprintf("%.2f", 100*(h.stall.Seconds()/float64(t)+
				(mean+back.total()).Seconds()/mtbf)))
		}
		best.Rows = append(best.Rows, append(row, fmt.Sprintf("%.0f s", young(one.Stall, mtbf))))
		fig.Curves = append(fig.Curves, c, p)
	}
	f.Tables = append(f.Tables, grid("seconds of work lost (formula: half the interval, and the "+
		"time until a snapshot is established)", fig.Curves), best)
	f.Figures = append(f.Figures, fig)
	return f, nil
}

// light is a policy that restarts the failed ranks alone, in front of one that restarts all: the
// time until all run again, against the number of failed ranks.
func light(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	const most = 4
	xs := []int{1, 2, 3, 4, 5, 6, 8, 12}
	fig := figure("light", fmt.Sprintf("64 ranks, 10 MB each, light(%d) before autor", most),
		"failed ranks", nil)
	var at [2][]float64
	for style, policies := range []string{fmt.Sprintf("light(%d) autor abort", most),
		"autor abort"} {
		c := protocol.Curve{Name: policies, Style: style}
		for _, k := range xs {
			if err := tell(o, "%s, %d failed", policies, k); err != nil {
				return nil, err
			}
			j := crashed(64, stage)
			j.Policies, j.Programs = policies, ring(1<<14)
			j.Operation = 20 * milli // the job computes while it is killed
			r, err := j.recover(kill{Procs: ranks(0, k)})
			if err != nil {
				return nil, err
			}
			c.At = append(c.At, [2]float64{float64(k), r.total().Seconds()})
			at[style] = append(at[style], r.total().Seconds())
		}
		fig.Curves = append(fig.Curves, c)
	}
	f.Figures = append(f.Figures, fig)
	f.Tables = append(f.Tables,
		grid("seconds until all run again, by failed ranks; stage, no cache", fig.Curves))
	f.Ratios = append(f.Ratios,
		protocol.Ratio{Name: "jump at MaxGroup: 5 failed/4", Value: at[0][4] / at[0][3], Least: 2,
			Most: 20},
		protocol.Ratio{Name: "light/autor, 1 failed", Value: at[0][0] / at[1][0], Least: 0,
			Most: 0.5},
		protocol.Ratio{Name: "light/autor, 5 failed", Value: at[0][4] / at[1][4], Least: 0.95,
			Most: 1.05, Model: optional(1)})
	return f, nil
}
