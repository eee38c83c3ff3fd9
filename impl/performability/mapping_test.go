package performability

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drawSteps runs a node step by step, message by message: the reference of Map under affinity and
// the OS. Time within a step is that of a rank that nobody delays.
func drawSteps(l *Logging, p Placement, ranks, steps int) float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	cpu := l.CPU()
	if p == ByOS {
		cpu += l.Moved
	}
	computing := l.Utilisation * l.Step
	busy := make([]float64, l.Cores-ranks) // until when
	var total float64
	for range steps {
		delayed := make([]float64, ranks)
		waiting := make([]float64, ranks) // CPU of what comes while ranks wait
		type message struct {
			at   float64
			rank int
		}
		var list []message
		for r := range ranks {
			count := math.Floor(l.Messages * l.Step)
			if rng.Float64() < l.Messages*l.Step-count {
				count++
			}
			for range int(count) {
				list = append(list, message{rng.Float64() * l.Step, r})
			}
		}
		slices.SortFunc(list, func(a, b message) int {
			if a.at < b.at {
				return -1
			}
			return 1
		})
		for _, m := range list {
			idle := slices.IndexFunc(busy, func(until float64) bool { return until <= m.at })
			switch {
			case m.at >= computing:
				waiting[m.rank] += cpu
			case p == Affinity:
				delayed[m.rank] += cpu
			case idle >= 0:
				busy[idle] = m.at + cpu
			default:
				delayed[rng.IntN(ranks)] += cpu
			}
		}
		var all float64
		for _, w := range waiting {
			all += w
		}
		rest := l.Step - computing
		total += computing + slices.Max(delayed)
		if p == Affinity {
			total += max(rest, all/float64(ranks))
		} else {
			total += max(rest, all/float64(l.Cores))
		}
		for i := range busy { // the next step begins
			busy[i] = max(0, busy[i]-l.Step)
		}
	}
	return total / float64(steps) / l.Step
}

// TestMapping holds the slow-down of each placement against runs of a node that are drawn.
func TestMapping(t *testing.T) {
	for name, l := range map[string]Logging{
		"full":        {Utilisation: .9, Ranks: 8, Messages: 4000, PerMessage: 5e-5, Step: .01},
		"alone":       {Utilisation: 1, Ranks: 1, Messages: 1000, PerMessage: 1e-4, Step: .02},
		"a core left": {Utilisation: .8, Ranks: 7, Messages: 4000, PerMessage: 2e-5, Step: .02},
		"half full":   {Utilisation: .6, Ranks: 4, Messages: 9000, PerMessage: 9e-5, Step: .05},
		"bytes": {Utilisation: .5, Ranks: 6, Messages: 500.5, Bytes: 1e7, PerMessage: 1e-5,
			PerByte: 1e-9, Moved: 2e-5, Step: .1},
		"few": {Utilisation: .7, Ranks: 8, Messages: 130, PerMessage: 1e-3, Step: .01},
	} {
		l.Cores = 8
		for _, p := range []Placement{ByOS, Affinity} {
			m, err := l.Map(p)
			if err != nil {
				t.Fatal(err)
			}
			steps := int(3e5 / (l.Messages * l.Step * float64(l.Ranks)))
			drawn := drawSteps(&l, p, l.Ranks, min(steps, 20000))
			if math.Abs(m.Slowdown/drawn-1) > .01 || m.Ranks != l.Ranks {
				t.Errorf("%s by %s: %.4f times, drawn %.4f; %s", name, p, m.Slowdown, drawn, m.Why)
			}
		}
	}
}

// TestMappingByHand: cases that need no chance.
func TestMappingByHand(t *testing.T) {
	// without steps each rank loses its share: 4000 of 50 us are .2 of a core, while it computes .9
	full := Logging{Cores: 8, Ranks: 8, Utilisation: .9, Messages: 4000, PerMessage: 5e-5}
	for _, tt := range []struct {
		change         func(*Logging)
		p              Placement
		slowdown, busy float64
		nodes, kept    int
	}{
		{nil, Affinity, 1.18, .2, 1, 0},
		{nil, ByOS, 1.18, .2, 1, 0},
		// four ranks a node leave .8 cores of work to the others
		{nil, OwnCores, 1, .8, 2, 1},
		{nil, OwnNodes, 1, .2, 2, 1},
		{func(l *Logging) { l.Ranks = 64 }, OwnCores, 1, .6, 11, 2}, // 7 on 10 nodes need 1.4
		{func(l *Logging) { l.Ranks, l.Reserved = 64, 1 }, OwnCores, 1.4, 1.4, 10, 1},
		{func(l *Logging) { l.Ranks, l.Nodes = 64, 8 }, OwnCores, 0, 0, 8, 0}, // none is left
		{func(l *Logging) { l.Ranks, l.Nodes = 6, 1 }, OwnCores, 1, .6, 1, 2},
		{func(l *Logging) { l.Ranks, l.Nodes = 7, 1 }, OwnCores, 1.4, 1.4, 1, 1}, // none more
		{func(l *Logging) { l.Cores, l.Ranks = 1, 3 }, OwnCores, 0, 0, 3, 0},
		{func(l *Logging) { l.Ranks, l.Nodes = 8, 1 }, OwnNodes, 0, 0, 1, 0},
		{func(l *Logging) { l.PerMessage = 5e-4 }, OwnNodes, 1, 1, 3, 2},
		{func(l *Logging) { l.Ranks = 64 }, OwnNodes, 1, .8, 10, 2}, // 12.8 cores of work
		{func(l *Logging) { l.PerMessage, l.Nodes = 5e-4, 2 }, OwnNodes, 2, 2, 2, 1},
		{func(l *Logging) { l.Moved = 5e-5 }, ByOS, 1.36, .4, 1, 0},
		// a logger that needs more than its core is waited for: .9 + .9 * 2 + .1 * 2
		{func(l *Logging) { l.PerMessage = 5e-4 }, Affinity, 2.9, 2, 1, 0},
		// one core and one rank without a core: Erlang's formula gives .5 / 1.5
		{func(l *Logging) {
			*l = Logging{Cores: 2, Ranks: 1, Utilisation: 1, Messages: 1, PerMessage: .5}
		}, ByOS, 1 + .5/3, .25, 1, 0},
		{func(l *Logging) { l.Messages = 0 }, Affinity, 1, 0, 1, 0},
	} {
		l := full
		if tt.change != nil {
			tt.change(&l)
		}
		m, err := l.Map(tt.p)
		if err != nil || !near(m.Slowdown, tt.slowdown, 1e-9) || !near(m.Busy, tt.busy, 1e-9) ||
			m.Nodes != tt.nodes || m.Reserved != tt.kept {
			t.Errorf("%+v by %s: %+v, %v", l, tt.p, m, err)
		}
	}
}

// TestMostOf sums all cases of few counts.
func TestMostOf(t *testing.T) {
	for _, tt := range []struct {
		counts                 int
		messages, chance, want float64
	}{
		{1, 10, .3, 3},
		{2, 1, .5, .75},
		{2, 2, .5, 1.375}, // 16 cases: 0 in 1, 1 in 8, 2 in 7
		{3, 1, 1, 1},
		{2, .5, .5, 1 - .75*.75}, // a message in every other step
		{2, 1.5, 1, 1.75},        // two messages unless both have but one
	} {
		if got := mostOf(tt.counts, tt.messages, tt.chance); !near(got, tt.want, 1e-6) {
			t.Errorf("%+v: %g", tt, got)
		}
	}
}

// TestRecommend has the order of [RADIC] Fig 5.8b: on full nodes own cores are best and the OS is
// worst; where cores are left it is as good as any, and needs nothing.
func TestRecommend(t *testing.T) {
	laplace := Logging{Cores: 8, Ranks: 56, Utilisation: .85, Messages: 4000, PerMessage: 3e-5,
		Step: .001}
	least := laplace
	least.Messages, least.Bytes = 10, 1000
	for name, tt := range map[string]struct {
		l       Logging
		byNodes bool
		want    Placement
		reason  string
	}{
		"nodes are full":        {laplace, false, OwnCores, "no rank loses its core"},
		"nodes cost":            {laplace, true, Affinity, "takes its core for 0.12"},
		"loggers do little":     {least, false, ByOS, "all cost the same"},
		"little, nodes cost":    {least, true, ByOS, "others take"},
		"cores are left":        {with(laplace, 16, 4), false, ByOS, "the 4 cores without a rank"},
		"no node is left":       {with(laplace, 64, 8), false, Affinity, "the slowest rank"},
		"a core a node is left": {with(laplace, 56, 8), false, OwnCores, "no rank loses"},
	} {
		r, err := tt.l.Recommend(tt.byNodes)
		if err != nil || r.Chosen != tt.want || !strings.Contains(r.Reason, tt.reason) {
			t.Errorf("%s: %s, %q, %v", name, r.Chosen, r.Reason, err)
		}
	}
	r, err := laplace.Recommend(false)
	if err != nil {
		t.Fatal(err)
	}
	by := map[Placement]float64{}
	for _, m := range r.All {
		by[m.Placement] = m.Slowdown
	}
	if !(by[OwnCores] < by[Affinity] && by[Affinity] < by[ByOS]) {
		t.Errorf("on full nodes: %v", by)
	}
}

// with is a program of another size on so many nodes.
func with(l Logging, ranks, nodes int) Logging {
	l.Ranks, l.Nodes = ranks, nodes
	return l
}

// TestWrongLogging: what no program does is refused.
func TestWrongLogging(t *testing.T) {
	good := Logging{Cores: 8, Ranks: 8, Utilisation: .9, Messages: 10, PerMessage: 1e-5}
	for want, change := range map[string]func(*Logging){
		"0 cores":            func(l *Logging) { l.Cores = 0 },
		"0 ranks":            func(l *Logging) { l.Ranks = 0 },
		"9 nodes for 8":      func(l *Logging) { l.Nodes = 9 },
		"want a core":        func(l *Logging) { l.Ranks, l.Nodes = 17, 2 },
		"utilisation of 0":   func(l *Logging) { l.Utilisation = 0 },
		"utilisation of NaN": func(l *Logging) { l.Utilisation = math.NaN() },
		"8 of 8 cores":       func(l *Logging) { l.Reserved = 8 },
		"-1 messages":        func(l *Logging) { l.Messages = -1 },
		"NaN s a byte":       func(l *Logging) { l.PerByte = math.NaN() },
		"+Inf s a step":      func(l *Logging) { l.Step = math.Inf(1) },
		"in no message":      func(l *Logging) { l.Messages, l.Bytes = 0, 1 },
		"units":              func(l *Logging) { l.Messages, l.PerMessage = 1e300, 1e300 },
		"messages a step":    func(l *Logging) { l.Messages, l.Step = 1e9, 1e3 },
	} {
		l := good
		change(&l)
		if _, err := l.Recommend(false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
