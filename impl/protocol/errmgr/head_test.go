package errmgr

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// headOf is a head of two ranks on nodes 2 and 3, with spare 4, that has begun.
func headOf(t *testing.T, options, policies string, errata ...Erratum) *head {
	t.Helper()
	o, err := ParseOptions("spares=1 " + options)
	if err != nil {
		t.Fatal(err)
	}
	var set Set
	for _, e := range errata {
		set = set.With(e)
	}
	c, err := newConfig(o, set, policies, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := newHead(c).(*head)
	h.Step(core.Input{Kind: core.Start}, nil)
	return h
}

// gives is what a message to the head leads to: the kinds of the messages that it sends, with to
// whom.
func (h *head) gives(from core.Proc, m *Message) (list []string) {
	in := core.Input{Kind: core.Received, From: from, Message: m}
	for _, e := range h.Step(in, nil) {
		if e.Kind == core.SendMessage {
			list = append(list, kindNames[e.Message.(*Message).Kind]+" "+
				string(rune('0'+e.To)))
		}
	}
	return list
}

// TestFalseReports has each of two ranks report the other one, of which it hears nothing any more
// because the link between them is cut. Both run, so nobody is stopped; with W15 each is.
func TestFalseReports(t *testing.T) {
	for _, errata := range [][]Erratum{nil, {W15}} {
		h := headOf(t, "reports=peers", "autor", errata...)
		for r := range core.Rank(2) {
			h.gives(core.Proc(r), &Message{Kind: Report, Ranks: []core.Rank{1 - r},
				Lives: []core.Incarnation{0}})
		}
		if believed := len(errata) > 0; h.s.Open != believed ||
			believed && len(h.s.Status.Group.Lost) != 2 {
			t.Errorf("errata %v: open %v, group %v", errata, h.s.Open, h.s.Status.Group)
		}
	}
}

// TestBadReports gives reports that are errors of who makes them: nothing comes of them.
func TestBadReports(t *testing.T) {
	for name, m := range map[string]*Message{
		"an unknown rank": {Ranks: []core.Rank{7}, Lives: []core.Incarnation{0}},
		"itself":          {Ranks: []core.Rank{0}, Lives: []core.Incarnation{0}},
		"a future life":   {Ranks: []core.Rank{1}, Lives: []core.Incarnation{3}},
		"no life":         {Ranks: []core.Rank{1}},
	} {
		h := headOf(t, "reports=peers", "autor", W15)
		m.Kind = Report
		if list := h.gives(0, m); list != nil || h.s.Open {
			t.Errorf("%s: %v, open %v", name, list, h.s.Open)
		}
	}
}

// TestTargetPredicted predicts the failure of the node to which a rank moves, before the decision:
// the migration is taken back and goes elsewhere; with W18 it goes on.
func TestTargetPredicted(t *testing.T) {
	const oracle = 7
	of := func(node core.Proc) *Message {
		return &Message{Kind: Predict, Prediction: Prediction{Nodes: []core.Proc{node},
			Assurance: 90, NotBefore: 100, NotAfter: 200}}
	}
	for _, errata := range [][]Erratum{nil, {W18}} {
		h := headOf(t, "predictions=2", "crmig autor", errata...)
		first := h.gives(oracle, of(2))
		want := []string{"Quiesce 0", "Quiesce 1", "Carry 2", "Answer 7"}
		if d := cmp.Diff(want, first); d != "" {
			t.Fatal(d)
		}
		want = []string{"Drop 2", "Drop 4", "Resume 0", "Resume 1", // and again, to node 3
			"Quiesce 0", "Quiesce 1", "Carry 2", "Answer 7"}
		if len(errata) > 0 {
			want = []string{"Answer 7"}
		}
		if d := cmp.Diff(want, h.gives(oracle, of(4))); d != "" {
			t.Errorf("errata %v:\n%s", errata, d)
		}
	}
}

// TestPredictionsRefused gives the oracle's bad predictions: each is answered, none moves anybody.
func TestPredictionsRefused(t *testing.T) {
	h := headOf(t, "predictions=1 forecasts=any", "crmig autor")
	o := newOracle(h.c).(*oracle)
	for i, p := range o.bad() {
		list := h.gives(h.c.oracle, &Message{Kind: Predict, Prediction: p})
		if d := cmp.Diff([]string{"Answer 7"}, list); d != "" || h.s.Moves != 0 {
			t.Errorf("bad prediction %d: %d migrations\n%s", i, h.s.Moves, d)
		}
	}
}

// TestFalseAlarm declares a rank failed that runs: its node stops it before it answers; with A3 it
// answers at once.
func TestFalseAlarm(t *testing.T) {
	for _, errata := range [][]Erratum{nil, {A3}} {
		h := headOf(t, "", "autor", errata...)
		d := &daemon{config: h.c, self: 3}
		d.Step(core.Input{Kind: core.Start}, nil)
		out := d.Step(core.Input{Kind: core.Received, From: h.c.head, Message: &Message{
			Kind: Stabilise, Epoch: 1, Ranks: []core.Rank{1}, Lives: []core.Incarnation{0}}}, nil)
		kills, answers := 0, 0
		for _, e := range out {
			switch e.Kind {
			case core.Kill:
				kills++
			case core.SendMessage:
				answers++
			}
		}
		if want := len(errata); kills != 1-want || answers != want {
			t.Errorf("errata %v: %d stopped, %d answers", errata, kills, answers)
		}
	}
}
