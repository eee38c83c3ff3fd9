package figures

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/spec/trace"
)

// moved is one migration: until the images are made, and until everybody goes on.
type moved struct{ Image, Total time.Duration }

// migrate moves the ranks of so many nodes.
func (j *job) migrate(nodes int) (t moved, err error) {
	b, err := j.open()
	if err != nil {
		return t, err
	}
	oracle := core.Proc(len(b.setup.Layout.Names) - 1)
	p := errmgr.Prediction{ID: 1, Assurance: 99, NotBefore: 1 << 30, NotAfter: 1 << 31}
	for k := range nodes {
		p.Nodes = append(p.Nodes, core.Proc(j.Ranks+k))
	}
	b.run.After(second, func() {
		b.run.Tell(oracle, b.head, &errmgr.Message{Kind: errmgr.Predict, Prediction: p})
	})
	images, left := 0, 0
	end, err := b.play(func(m moment) bool {
		switch {
		case m.word(trace.Ruled, trace.RuleMigrating):
			images++
			left++
		case m.word(trace.Snapped, trace.SnapImage):
			if images--; images == 0 {
				t.Image = m.At - second
			}
		case m.Kind == trace.Restored:
			left--
		}
		return left == 0 && m.word(trace.Ruled, trace.RuleContinued)
	})
	t.Total = end - second
	return t, err
}

// moving is a job of Figures 5 and 6.
func moving(n int, options string) *job {
	return &job{lab: source, Ranks: n, Spares: (n + 1) / 2, Image: 10 * MB, Saved: 0.3,
		Options: options + " predictions=1", Policies: "crmig autor abort"}
}

// ways are how images travel.
var ways = []struct{ name, options string }{
	{"central", central + " path=store"},
	{"stage", stage + " path=store"},
	{"zip", zip + " path=store"},
	{"direct", stage + " path=direct"},
}

// migrations is Figures 5 and 6, and the direct way beside them.
func migrations(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	measure := func(xs []int, what string, set func(x int, options string) (*job, int)) (
		list []protocol.Curve, err error) {
		for style, way := range ways {
			c := protocol.Curve{Name: way.name, Style: style}
			for _, x := range xs {
				if err := tell(o, "%s, %d %s", way.name, x, what); err != nil {
					return nil, err
				}
				j, nodes := set(x, way.options)
				t, err := j.migrate(nodes)
				if err != nil {
					return nil, fmt.Errorf("%s, %d %s: %w", way.name, x, what, err)
				}
				c.At = append(c.At, [2]float64{float64(x), t.Total.Seconds()})
			}
			list = append(list, c)
		}
		return list, nil
	}
	bySize, err := measure([]int{8, 16, 32, 64, 96, 128}, "ranks",
		func(n int, options string) (*job, int) { return moving(n, options), 1 })
	if err != nil {
		return nil, err
	}
	byMovers, err := measure([]int{2, 4, 8, 16, 32, 48, 62}, "movers",
		func(k int, options string) (*job, int) { return moving(64, options), k / 2 })
	if err != nil {
		return nil, err
	}
	f.Figures = append(f.Figures,
		figure("migration-ranks", "Migration of two ranks", "ranks", bySize),
		figure("migration-movers", "Migration of 64 ranks", "movers", byMovers))
	f.Tables = append(f.Tables, grid("seconds until all run again, two movers, by ranks", bySize),
		grid("the same with 64 ranks, by movers", byMovers))
	f.Ratios = migrationRatios(bySize, byMovers)
	return f, nil
}

// migrationRatios are what Figures 5 and 6 come down to.
func migrationRatios(bySize, byMovers []protocol.Curve) []protocol.Ratio {
	last := len(byMovers[0].At) - 1
	at := func(way, i int) float64 { return byMovers[way].At[i][1] }
	return []protocol.Ratio{
		{Name: "zip/central, 62 movers", Value: at(2, last) / at(0, last), Least: 1, Most: 2},
		{Name: "stage/zip, 62 movers", Value: at(1, last) / at(2, last), Least: 1, Most: 2},
		{Name: "central, 2 movers, 128 ranks/8",
			Value: bySize[0].At[len(bySize[0].At)-1][1] / bySize[0].At[0][1], Least: 0.9, Most: 1.1,
			Model: optional(1)},
		{Name: "direct/stage, 2 movers", Value: at(3, 0) / at(1, 0), Least: 0.4, Most: 0.6},
		{Name: "direct/stage, 62 movers", Value: at(3, last) / at(1, last), Least: 0, Most: 0.5},
	}
}
