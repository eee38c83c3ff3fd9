package hydee_test

import (
	"testing"

	"github.com/domino-check/domino/impl/protocol/hydee"
)

// pingPong is a round trip and one more message; a and b alone in their clusters.
const pingPong = "a: send b a1; recv b; send b a3\nb: recv a; send a b1; recv a"

// afterTrip runs the round trip, lets b take a checkpoint when it has received a1 and sent b1 (date
// 2), and then a3 arrives.
func afterTrip(t *testing.T, errata ...hydee.Erratum) *rig {
	t.Helper()
	r := newRig(t, pingPong, "a | b", errata...)
	r.run("a")
	r.arrive("a", "b")
	r.want("nothing is owed before a checkpoint", r.run("b", "a"),
		"deliver a1 from a, date 1 phase 1")
	r.run("b")
	r.step("b", request)
	r.store("b")
	r.store("b")
	r.arrive("b", "a")
	r.run("a", "b")
	r.want("a3", r.run("a"), "program sent a3 to b", "log a3 for b", "to b: App a3 date 3 phase 3")
	r.arrive("a", "b")
	return r
}

// TestAcknowledgement checks [HydEE] III-E as repaired (R3, R10): the first message from each
// outside rank after a committed checkpoint is answered with the date of the checkpoint and the
// date of the last message that the checkpoint covers; the errata give other dates.
func TestAcknowledgement(t *testing.T) {
	deliver := "deliver a3 from a, date 3 phase 3"
	tests := []struct {
		name   string
		errata []hydee.Erratum
		want   string
	}{
		{"repaired", nil, "to a: Acknowledge date 2 last 1"},
		{"H13b the current date", []hydee.Erratum{hydee.H13b}, "to a: Acknowledge date 3 last 1"},
		{"H13c the last message now", []hydee.Erratum{hydee.H13c},
			"to a: Acknowledge date 2 last 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := afterTrip(t, tt.errata...)
			r.want("first after the checkpoint", r.run("b", "a"), deliver, tt.want)
		})
	}
}

// TestAcknowledgeOnce checks that a checkpoint is acknowledged once to each outside rank, not at
// every message.
func TestAcknowledgeOnce(t *testing.T) {
	r := newRig(t, "a: send b x; send b y; send b z\nb: checkpoint; recv a; recv a; recv a\n",
		"a | b")
	r.run("b")
	r.store("b")
	r.store("b")
	for range 3 {
		r.run("a")
		r.arrive("a", "b")
	}
	r.want("first", r.run("b", "a"), "deliver x from a, date 1 phase 1",
		"to a: Acknowledge date 0 last 0")
	r.want("second", r.run("b", "a"), "deliver y from a, date 2 phase 1")
}

// TestNoAcknowledgementBeforeCommit checks erratum H13d: a checkpoint that is not committed
// acknowledges nothing.
func TestNoAcknowledgementBeforeCommit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		errata []hydee.Erratum
		want   []string
	}{
		{"repaired", nil, []string{"deliver x from a, date 1 phase 1"}},
		{"H13d", []hydee.Erratum{hydee.H13d},
			[]string{"deliver x from a, date 1 phase 1", "to a: Acknowledge date 0 last 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x\nb: recv a", "a | b", tt.errata...)
			r.step("b", request)
			r.store("b") // image stable, commit not
			r.run("a")
			r.arrive("a", "b")
			r.want("receive", r.run("b", "a"), tt.want...)
		})
	}
}

// TestPrune checks R11: an acknowledgement removes logged messages up to its last date and
// receptions up to the date of the checkpoint, equality included; the date of the last message
// received stays.
func TestPrune(t *testing.T) {
	tests := []struct {
		name   string
		errata []hydee.Erratum
		ack    hydee.Message
		prune  []string
		report string   // if b then says that it has sent nothing
		resend []string // and received nothing
	}{
		{"nothing", nil, hydee.Message{}, nil,
			"to RP: Report round 0.1 orphan b->a/2/2 lives [0 0]",
			[]string{"to b: App a1 round 0.1 date 1 phase 1",
				"to b: App a3 round 0.1 date 3 phase 3"}},
		{"one of the log", nil, hydee.Message{Last: 1}, []string{"prune a1 for b"},
			"to RP: Report round 0.1 orphan b->a/2/2 lives [0 0]",
			[]string{"to b: App a3 round 0.1 date 3 phase 3"}},
		{"all of the log", nil, hydee.Message{Last: 3},
			[]string{"prune a1 for b", "prune a3 for b"},
			"to RP: Report round 0.1 orphan b->a/2/2 lives [0 0]", nil},
		{"the reception", nil, hydee.Message{Date: 2}, nil, "to RP: Report round 0.1 lives [0 0]",
			[]string{"to b: App a1 round 0.1 date 1 phase 1",
				"to b: App a3 round 0.1 date 3 phase 3"}},
		{"just not the reception", nil, hydee.Message{Date: 1}, nil,
			"to RP: Report round 0.1 orphan b->a/2/2 lives [0 0]",
			[]string{"to b: App a1 round 0.1 date 1 phase 1",
				"to b: App a3 round 0.1 date 3 phase 3"}},
		{"H13a prunes by a foreign clock", []hydee.Erratum{hydee.H13a},
			hydee.Message{Date: 2, Last: 0}, []string{"prune a1 for b"},
			"to RP: Report round 0.1 lives [0 0]",
			[]string{"to b: App a3 round 0.1 date 3 phase 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := afterTrip(t, tt.errata...)
			tt.ack.Kind = hydee.Acknowledge
			r.want("acknowledgement", r.give("b", "a", tt.ack), tt.prune...)
			r.want("the last date stays", r.give("RP", "a",
				hydee.Message{Kind: hydee.Begin, Round: 1}), "to b: Status round 0.1 date 3 last 2")
			r.want("report", r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1}),
				tt.report)
			r.want("resend", r.give("RP", "a", opening(1, infinite)), tt.resend...)
		})
	}
}

// TestReplayFromPrunedLog: b checkpoints, the acknowledgement prunes a1, b fails, and the pruned
// log still has everything that b lacks.
func TestReplayFromPrunedLog(t *testing.T) {
	r := afterTrip(t)
	r.run("b", "a")
	r.want("acknowledged", r.arrive("b", "a"), "prune a1 for b")
	r.crash("b")
	r.want("restart after b1", r.restart("b"), "recovery line: sent 1 received 1")
	r.down("b")
	r.settle()
	r.want("a3 comes from the log", r.flight("a", "b"), "App")
	r.arrive("a", "b")
	r.want("receive", r.run("b", "a"), "deliver a3 from a, date 3 phase 3",
		"to a: Acknowledge date 2 last 1")
	r.want("end", r.run("b"), "program ended")
}
