package policy

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// good is a prediction that node 10 fails, with time for everything that costs.
func good() *Prediction {
	return &Prediction{ID: 1, Nodes: []core.Proc{10}, Assurance: 90, NotBefore: 100, NotAfter: 200}
}

// TestRefused gives bad predictions and what the oracle is told; a good one and those at the edges
// are not refused.
func TestRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(p *Prediction)
		want   string
	}{
		{"good", func(*Prediction) {}, ""},
		{"no number", func(p *Prediction) { p.Assurance = math.NaN() },
			"assurance is not in [0, 100]"},
		{"below", func(p *Prediction) { p.Assurance = -1 }, "assurance is not in [0, 100]"},
		{"above", func(p *Prediction) { p.Assurance = 100.5 }, "assurance is not in [0, 100]"},
		{"none at all", func(p *Prediction) { p.Assurance = 0 }, ""},
		{"certain", func(p *Prediction) { p.Assurance = 100 }, ""},
		{"backwards", func(p *Prediction) { p.NotAfter = 99 }, "the window ends before it begins"},
		{"one moment", func(p *Prediction) { p.NotAfter = 100 }, ""},
		{"past", func(p *Prediction) { p.NotBefore, p.NotAfter = -2, -1 }, "the window is past"},
		{"under way", func(p *Prediction) { p.NotBefore, p.NotAfter = -2, 0 }, ""},
		{"empty", func(p *Prediction) { p.Nodes = nil }, "it is about nobody"},
		{"unknown rank", func(p *Prediction) { p.Ranks = []core.Rank{2} }, "unknown rank"},
		{"unknown node", func(p *Prediction) { p.Nodes = []core.Proc{10, 99} }, "unknown node"},
		{"node of the head", func(p *Prediction) { p.Nodes = []core.Proc{20} }, "no target"},
		{"every node", func(p *Prediction) { p.Nodes = []core.Proc{10, 11, 12, 13} }, "no target"},
		{"all but one", func(p *Prediction) { p.Nodes = []core.Proc{10, 11, 12} }, ""},
		{"a rank alone", func(p *Prediction) { p.Nodes, p.Ranks = nil, []core.Rank{1} }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := good()
			tt.change(p)
			if got := p.Refused(four()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	v := four()
	v.Nodes = v.Nodes[:2]
	v.Nodes[1].Alive = false
	if got := good().Refused(v); got != "no target" {
		t.Errorf("with no other node that lives: got %q", got)
	}
}

// answers are the entries of a log but that somebody is asked, which comes before each.
func answers(t *testing.T, log []Entry) (list []Entry) {
	for i := 1; i < len(log); i += 2 {
		if log[i-1] != (Entry{Policy: log[i].Policy}) {
			t.Errorf("%v answers, and is not asked before", log[i])
		}
		list = append(list, log[i])
	}
	return list
}

// TestPredict gives what becomes of a prediction that is not refused. The costs are 10 to
// coordinate, 20 an image, 10 to start, so one mover takes 40, and with half as much again 60.
func TestPredict(t *testing.T) {
	tests := []struct {
		name, stack string
		change      func(v *View, p *Prediction)
		log         string
		orders      []Order
	}{
		{name: "admitted", stack: "crmig autor", log: "claimed crmig\n",
			orders: []Order{{Kind: Migrate, Ranks: []core.Rank{0}, Nodes: []core.Proc{10}}}},
		{name: "just in time", stack: "crmig autor", log: "claimed crmig\n",
			change: func(_ *View, p *Prediction) { p.NotBefore = 60 },
			orders: []Order{{Kind: Migrate, Ranks: []core.Rank{0}, Nodes: []core.Proc{10}}}},
		{name: "too late, and time for a snapshot", stack: "crmig autor",
			change: func(_ *View, p *Prediction) { p.NotBefore = 59 },
			log:    "deferred crmig: time\nobserved autor\nobserved abort\n",
			orders: []Order{{Kind: Snapshot}}},
		{name: "too late for anything", stack: "crmig autor",
			change: func(_ *View, p *Prediction) { p.NotBefore = 14 },
			log:    "deferred crmig: time\nobserved autor\nobserved abort\n"},
		{name: "hardly sure", stack: "crmig autor",
			change: func(_ *View, p *Prediction) { p.Assurance = 49.5 },
			log:    "deferred crmig: assurance\nobserved autor\nobserved abort\n"},
		{name: "surer than is asked for", stack: "crmig(90) autor", log: "claimed crmig\n",
			orders: []Order{{Kind: Migrate, Ranks: []core.Rank{0}, Nodes: []core.Proc{10}}}},
		{name: "two movers need more time", stack: "crmig autor",
			change: func(_ *View, p *Prediction) { p.Nodes, p.NotBefore = []core.Proc{10, 11}, 60 },
			log:    "deferred crmig: time\nobserved autor\nobserved abort\n",
			orders: []Order{{Kind: Snapshot}}},
		{name: "busy", stack: "crmig autor",
			change: func(v *View, _ *Prediction) { v.Ranks[0].Moving = true },
			log:    "deferred crmig: busy\nobserved autor\nobserved abort\n"},
		{name: "an empty node", stack: "crmig autor",
			change: func(_ *View, p *Prediction) { p.Nodes = []core.Proc{12} },
			log:    "observed crmig: nobody runs there\nobserved autor\nobserved abort\n"},
		{name: "moved already", stack: "crmig autor",
			change: func(_ *View, p *Prediction) {
				p.Nodes, p.Ranks, p.Suggest = nil, []core.Rank{0}, []core.Proc{10}
			},
			log: "observed crmig: already there\nobserved autor\nobserved abort\n"},
		{name: "a rank and where to", stack: "crmig autor", log: "claimed crmig\n",
			change: func(_ *View, p *Prediction) {
				p.Nodes, p.Ranks, p.Suggest = nil, []core.Rank{0}, []core.Proc{12}
			},
			orders: []Order{{Kind: Migrate, Ranks: []core.Rank{0}, Hints: []core.Proc{12}}}},
		{name: "nobody claims, and nothing is lost", stack: "light(1) sustain",
			log: "observed light\nobserved sustain\nobserved abort\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, p := four(), good()
			v.Costs = Costs{Coordinate: 10, Carry: 20, Start: 10}
			if tt.change != nil {
				tt.change(v, p)
			}
			orders, log := stack(t, tt.stack).Predict(v, p, nil)
			if got := lines(answers(t, log)); got != tt.log {
				t.Errorf("got\n%swant\n%s", got, tt.log)
			}
			if d := cmp.Diff(tt.orders, orders); d != "" {
				t.Error(d)
			}
		})
	}
}
