package hydee_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// figure3 is the example of [HydEE] Figures 3 and 4.
const figure3 = `p1: send p2 m1
p2: recv p1; send p3 m2
p3: recv *; send p5 m3; recv *
p4: recv p7; send p3 m8
p5: recv p3; send p6 m4; send p7 m5
p6: recv p5
p7: recv *; recv *; send p4 m7
p8: send p7 m6`

const figure3Clusters = "p1 | p2 p3 p4 | p5 p6 p7 p8"

// figure4 is its core: two ranks in a cluster, one outside.
const figure4 = "x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send y m7"

// send is what is known of one message of the example.
type send struct {
	From, To string
	Kind     string // "inter" (logged) or "intra"
	Date     hydee.Date
	Phase    hydee.Phase
}

// TestFigure3Stamps runs the example without failures and compares sender date, phase and kind of
// each message with the table that was worked out by hand; both orders in which m5 and m6 may reach
// p7 must give the same stamps.
func TestFigure3Stamps(t *testing.T) {
	want := map[string]send{
		"m1": {"p1", "p2", "inter", 1, 1}, "m2": {"p2", "p3", "intra", 2, 2},
		"m3": {"p3", "p5", "inter", 2, 2}, "m4": {"p5", "p6", "intra", 2, 3},
		"m5": {"p5", "p7", "intra", 3, 3}, "m6": {"p8", "p7", "intra", 1, 1},
		"m7": {"p7", "p4", "inter", 3, 3}, "m8": {"p4", "p3", "intra", 2, 4},
	}
	// Each step is a rank and, for a receive, its source.
	start := [][]string{{"p1"}, {"p2", "p1"}, {"p2"}, {"p3", "p2"}, {"p3"}, {"p5", "p3"}, {"p5"},
		{"p5"}, {"p8"}, {"p6", "p5"}}
	end := [][]string{{"p7"}, {"p4", "p7"}, {"p4"}, {"p3", "p4"}}
	orders := map[string][][]string{
		"m5 first": {{"p7", "p5"}, {"p7", "p8"}},
		"m6 first": {{"p7", "p8"}, {"p7", "p5"}},
	}
	for name, middle := range orders {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, figure3, figure3Clusters)
			got := map[string]send{}
			for _, s := range append(append(append([][]string{}, start...), middle...), end...) {
				if len(s) > 1 && r.can(s[0])[0] == "next" {
					t.Fatalf("%v is not a receive", s)
				}
				effects := r.runRaw(s[0], s[1:]...)
				kind := "intra"
				for _, e := range effects {
					if e.What == trace.Logged {
						kind = "inter"
					}
				}
				for _, e := range effects {
					if e.Kind != core.SendMessage {
						continue
					}
					m := e.Message.(*hydee.Message)
					got[r.label(m.Payload.ID)] = send{s[0], r.name(e.To), kind, m.Date, m.Phase}
					r.step(r.name(e.To), core.Input{Kind: core.Received, From: r.proc(s[0]),
						Message: m})
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stamps (-want +got):\n%s", diff)
			}
			for _, p := range r.setup.Layout.Names[:8] {
				r.want("end of "+p, r.run(p), "program ended")
			}
		})
	}
}

// runRaw takes a program step and returns its effects without performing them.
func (r *rig) runRaw(name string, from ...string) []core.Effect {
	r.t.Helper()
	p := r.proc(name)
	for _, c := range r.machines[p].Choices(nil) {
		source, receive := c.Source()
		if receive == (len(from) > 0) && (!receive || r.name(source.Proc()) == from[0]) {
			return r.machines[p].Step(core.Input{Kind: core.Advance, Choice: c}, nil)
		}
	}
	r.t.Fatalf("%s can not go on with %v", name, from)
	return nil
}

// TestSend follows [HydEE] Alg. 1 l. 5-9: the date is incremented before it is stamped, a message
// between clusters is logged before it leaves, one inside a cluster is not logged.
func TestSend(t *testing.T) {
	r := newRig(t, "a: send b i1; send c o1; send b i2\nb: recv a; recv a\nc: recv a", "a b | c")
	r.want("inside", r.run("a"), "program sent i1 to b", "to b: App i1 date 1 phase 1")
	r.want("outside", r.run("a"), "program sent o1 to c", "log o1 for c",
		"to c: App o1 date 2 phase 1")
	r.want("inside again", r.run("a"), "program sent i2 to b", "to b: App i2 date 3 phase 1")
}

// TestReceive follows [HydEE] Alg. 1 l. 10-18: a delivery counts as an event, is stamped by its
// sender, and raises the phase to that of the message inside a cluster, to one more between
// clusters, and never lowers it.
func TestReceive(t *testing.T) {
	tests := []struct {
		name, clusters string
		phases         []hydee.Phase // of messages from a that b delivers
		want           string        // the send of b afterwards
	}{
		{"inside keeps the phase", "a b c", []hydee.Phase{1}, "to c: App s date 2 phase 1"},
		{"inside raises to the phase", "a b | c", []hydee.Phase{5}, "to c: App s date 2 phase 5"},
		{"inside never lowers", "a b | c", []hydee.Phase{5, 2}, "to c: App s date 3 phase 5"},
		{"outside raises by one", "a | b | c", []hydee.Phase{1}, "to c: App s date 2 phase 2"},
		{"outside raises to one more", "a | b | c", []hydee.Phase{6}, "to c: App s date 2 phase 7"},
		{"outside never lowers", "a | b | c", []hydee.Phase{6, 1}, "to c: App s date 3 phase 7"},
		{"outside equal phase adds nothing", "a | b | c", []hydee.Phase{6, 6},
			"to c: App s date 3 phase 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			program := "a: send b p; send b q\nb: recv a; send c s\nc: recv b"
			if len(tt.phases) == 2 {
				program = "a: send b p; send b q\nb: recv a; recv a; send c s\nc: recv b"
			}
			r := newRig(t, program, tt.clusters)
			for i, phase := range tt.phases {
				id := core.MsgID{From: 0, Number: uint32(i + 1)}
				date := hydee.Date(10 * (i + 1))
				r.want("arrival is no event",
					r.give("a", "b", hydee.Message{Kind: hydee.App, Date: date, Phase: phase,
						Payload: core.Payload{ID: id}}))
			}
			for range tt.phases {
				r.run("b", "a")
			}
			got := r.run("b")
			r.want("send", got[len(got)-1:], tt.want)
		})
	}
}

// TestNoEventBeforeDelivery checks that arrival in the library changes neither date nor phase: only
// the application's receive does.
func TestNoEventBeforeDelivery(t *testing.T) {
	r := newRig(t, "a: send b x\nb: send a y; recv a\n", "a | b")
	r.run("a")
	r.want("arrival", r.arrive("a", "b"))
	r.want("send", r.run("b"), "program sent y to a", "log y for a", "to a: App y date 1 phase 1")
	r.want("receive", r.run("b", "a"), "deliver x from a, date 1 phase 1")
}

// TestFIFOPerSource checks that the unexpected queue keeps the order of each source and offers
// every source.
func TestFIFOPerSource(t *testing.T) {
	r := newRig(t, "a: send c a1; send c a2\nb: send c b1\nc: recv *; recv *; recv *", "a | b | c")
	r.run("a")
	r.run("a")
	r.run("b")
	r.want("nothing yet", r.can("c"))
	r.arrive("a", "c")
	r.arrive("a", "c")
	r.want("one source", r.can("c"), "a")
	r.arrive("b", "c")
	r.want("two sources", r.can("c"), "a", "b")
	r.want("first", r.run("c", "a"), "deliver a1 from a, date 1 phase 1")
	r.want("second", r.run("c", "b"), "deliver b1 from b, date 1 phase 1")
	r.want("third", r.run("c", "a"), "deliver a2 from a, date 2 phase 1")
}

// TestForeignLife checks R2: inside a cluster a message of another incarnation is dropped with a
// reason.
func TestForeignLife(t *testing.T) {
	r := newRig(t, "a: send b x\nb: recv a", "a b")
	id := core.MsgID{From: 0, Number: 1}
	r.want("other life", r.give("a", "b", hydee.Message{Kind: hydee.App, Incarnation: 1, Date: 1,
		Phase: 1, Payload: core.Payload{ID: id}}),
		"drop x from a: other incarnation of the cluster")
	r.want("our life", r.give("a", "b", hydee.Message{Kind: hydee.App, Date: 1, Phase: 1,
		Payload: core.Payload{ID: id}}))
	r.want("receive", r.can("b"), "a")
}

// TestUnexpectedInput checks that what a layer has no handler for is dropped with a reason and not
// silently (house rule).
func TestUnexpectedInput(t *testing.T) {
	r := newRig(t, "a: send b x\nb: recv a", "a | b")
	r.want("tick", r.step("a", core.Input{Kind: core.Tick, Timer: "t"}), "drop from a: no handler")
	r.want("report to a rank", r.give("b", "a", hydee.Message{Kind: hydee.Report}),
		"drop from b: no handler for Report")
	r.want("message without kind", r.give("b", "a", hydee.Message{}),
		"drop from b: no handler for ")
	r.want("unknown kind", r.give("b", "a", hydee.Message{Kind: 99}),
		"drop from b: no handler for kind 99")
	r.want("application message to the recovery process",
		r.give("a", "RP", hydee.Message{Kind: hydee.App}), "drop from a: no handler")
	r.want("record of nothing", r.step("a", core.Input{Kind: core.Persisted, Key: "foreign"}),
		"drop from a: record of an older checkpoint")
}
