package hydee_test

import (
	"math"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// infinite is the frontier that holds nothing back.
const infinite = hydee.Phase(math.MaxUint64)

// opening is a Frontier message as the repaired recovery process sends it.
func opening(round hydee.Round, phase hydee.Phase) hydee.Message {
	return hydee.Message{Kind: hydee.Frontier, Round: round, Phase: phase, Part: 3}
}

// TestJoin checks R6: a rank that hears of a round closes its gate and tells every outside rank its
// current date and the date of the last message received from it; mates are not told. Older rounds
// are dropped.
func TestJoin(t *testing.T) {
	r := newRig(t, "a: send c x; send b y; send b z\nb: recv a; recv a\nc: recv a\nd: checkpoint",
		"a b | c | d")
	r.run("a")
	r.arrive("a", "c")
	r.run("c", "a")
	r.want("open before", r.can("a"), "next")
	r.want("a joins", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 3}),
		"to c: Status round 0.3 date 1 last 0", "to d: Status round 0.3 date 1 last 0")
	r.want("closed, also inside the cluster", r.can("a"))
	r.want("same round again", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 3}),
		"drop from RP: old round")
	r.want("older round", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 2}),
		"drop from RP: old round")
	r.want("older status", r.give("c", "a", hydee.Message{Kind: hydee.Status, Round: 2}),
		"drop from c: old round")
	r.want("older frontier", r.give("RP", "a", opening(2, infinite)), "drop from RP: old round")
	r.want("c joins by a Status that overtakes Begin", r.arrive("a", "c"),
		"to a: Status round 0.3 date 1 last 1", "to b: Status round 0.3 date 1 last 0",
		"to d: Status round 0.3 date 1 last 0")
	r.want("Begin afterwards", r.give("RP", "c", hydee.Message{Kind: hydee.Begin, Round: 3}),
		"drop from RP: old round")
}

// TestReportAfterEveryStatus checks R7: a rank evaluates its channels when the Status of every
// outside rank of this round is here, and only once.
func TestReportAfterEveryStatus(t *testing.T) {
	r := newRig(t, "a: checkpoint\nb: checkpoint\nc: checkpoint", "a | b | c")
	r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
	r.want("first status", r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1,
		Incarnation: 4}))
	r.want("last status", r.give("c", "a", hydee.Message{Kind: hydee.Status, Round: 1,
		Incarnation: 5}),
		"to RP: Report round 0.1 lives [0 4 5]")
	r.want("a second one changes nothing", r.give("c", "a",
		hydee.Message{Kind: hydee.Status, Round: 1, Incarnation: 6}))
	r.want("a newer round forgets them", r.give("c", "a",
		hydee.Message{Kind: hydee.Status, Round: 2}),
		"to b: Status round 0.2 date 0 last 0", "to c: Status round 0.2 date 0 last 0")
	r.want("last status of round 2", r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 2}),
		"to RP: Report round 0.2 lives [0 0 0]")
}

// TestOneCluster checks that with a single cluster a rank reports at once: there is no outside rank
// to wait for.
func TestOneCluster(t *testing.T) {
	r := newRig(t, "a: send b x\nb: recv a", "a b")
	r.want("joins and reports", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1}),
		"to RP: Report round 0.1 lives [0]")
}

// TestOrphans checks [HydEE] Alg. 3 l. 13-14 as repaired: of the messages received from an outside
// rank, those with a date above its current one are orphans, each with its phase; equality is no
// orphan.
func TestOrphans(t *testing.T) {
	tests := []struct {
		name   string
		errata []hydee.Erratum
		date   hydee.Date // of a, as its Status says
		want   string
	}{
		{"all sent", nil, 3, "to RP: Report round 0.1 lives [0 0]"},
		{"last one not sent", nil, 2, "to RP: Report round 0.1 orphan a->b/3/1 lives [0 0]"},
		{"two of one phase are two", nil, 1,
			"to RP: Report round 0.1 orphan a->b/2/1 orphan a->b/3/1 lives [0 0]"},
		{"none sent", nil, 0,
			"to RP: Report round 0.1 orphan a->b/1/1 orphan a->b/2/1 orphan a->b/3/1 lives [0 0]"},
		{"H4 counts a phase once", []hydee.Erratum{hydee.H4}, 0,
			"to RP: Report round 0.1 orphan a->b/1/1 lives [0 0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x; send b y; send b z\nb: recv a; recv a; recv a", "a | b",
				tt.errata...)
			for range 3 {
				r.run("a")
				r.arrive("a", "b")
				r.run("b", "a")
			}
			r.give("RP", "b", hydee.Message{Kind: hydee.Begin, Round: 1})
			r.want("report", r.give("a", "b",
				hydee.Message{Kind: hydee.Status, Round: 1, Date: tt.date}), tt.want)
		})
	}
}

// logged runs a rank that sends x, y (phase 1), receives, and sends z (phase 2), all to b, and
// joins round 1; b says that it has received up to a date.
func logged(t *testing.T, last hydee.Date, errata ...hydee.Erratum) *rig {
	t.Helper()
	r := newRig(t, "a: send b x; send b y; recv b; send b z\nb: send a s; recv a; recv a; recv a",
		"a | b", errata...)
	r.run("b")
	r.arrive("b", "a")
	r.run("a")
	r.run("a")
	r.run("a", "b")
	r.want("z", r.run("a"), "program sent z to b", "log z for b", "to b: App z date 4 phase 2")
	r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
	r.want("report", r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1, Date: 9,
		Last: last}),
		"to RP: Report round 0.1 lives [0 0]")
	return r
}

// TestResend checks R9 ([HydEE] Alg. 3 l. 10-11, 22-24 as repaired): what the other end lacks
// leaves when the frontier reaches its phase, in date order, once, with its old stamp and the
// current round.
func TestResend(t *testing.T) {
	x, y, z := "to b: App x round 0.1 date 1 phase 1", "to b: App y round 0.1 date 2 phase 1",
		"to b: App z round 0.1 date 4 phase 2"
	tests := []struct {
		name    string
		errata  []hydee.Erratum
		last    hydee.Date
		phases  []hydee.Phase // announced one after the other
		resends [][]string
	}{
		{"everything at once", nil, 0, []hydee.Phase{infinite}, [][]string{{x, y, z}}},
		{"what was received stays", nil, 1, []hydee.Phase{infinite}, [][]string{{y, z}}},
		{"all was received", nil, 4, []hydee.Phase{infinite}, [][]string{{}}},
		{"phase by phase", nil, 0, []hydee.Phase{1, 2, infinite}, [][]string{{x, y}, {z}, {}}},
		{"once", nil, 0, []hydee.Phase{1, 1}, [][]string{{x, y}, {}}},
		{"H9a sends again", []hydee.Erratum{hydee.H9a}, 0, []hydee.Phase{1, 2},
			[][]string{{x, y}, {x, y, z}}},
		{"H9b any order", []hydee.Erratum{hydee.H9b}, 0, []hydee.Phase{infinite},
			[][]string{{z, y, x}}},
		{"H3 compares with a foreign clock", []hydee.Erratum{hydee.H3}, 0, []hydee.Phase{infinite},
			[][]string{{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := logged(t, tt.last, tt.errata...)
			for i, phase := range tt.phases {
				r.want("frontier "+phase.String(), r.give("RP", "a", opening(1, phase)),
					tt.resends[i]...)
			}
		})
	}
}

// TestGate checks R1: from joining a round every send waits for a frontier at or above the phase of
// the rank, each one anew; with H10 only the first.
func TestGate(t *testing.T) {
	build := func(t *testing.T, errata ...hydee.Erratum) *rig {
		r := newRig(t, "a: send b x; recv b; send b z\nb: send a s; recv a; recv a", "a | b",
			errata...)
		r.run("b")
		r.arrive("b", "a") // dropped at the join; the test gives it again
		r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
		r.want("closed", r.can("a"))
		r.want("a frontier before our evaluation is not for us",
			r.give("RP", "a", opening(1, infinite)), "drop from RP: round of a former life")
		r.want("still closed", r.can("a"))
		r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1})
		r.want("frontier 1", r.give("RP", "a", opening(1, 1)))
		r.want("phase 1 may send", r.can("a"), "next")
		r.run("a")
		r.give("b", "a", hydee.Message{Kind: hydee.App, Round: 1, Date: 1, Phase: 1,
			Payload: core.Payload{ID: core.MsgID{From: 1, Number: 1}}})
		r.want("a delivery never waits", r.can("a"), "b")
		r.run("a", "b")
		return r
	}
	t.Run("repaired", func(t *testing.T) {
		r := build(t)
		r.want("phase 2 waits", r.can("a"))
		r.give("RP", "a", opening(1, 2))
		r.want("frontier 2", r.can("a"), "next")
	})
	t.Run("frontier never falls", func(t *testing.T) {
		r := build(t)
		r.give("RP", "a", opening(1, 2))
		r.give("RP", "a", opening(1, 1))
		r.want("still open", r.can("a"), "next")
	})
	t.Run("H10", func(t *testing.T) {
		r := build(t, hydee.H10)
		r.want("phase 2 leaves", r.can("a"), "next")
	})
}

// TestRoundFilter checks R2 and R6: at the join what has arrived from outside and is undelivered is
// dropped, and after it what was sent in an older round; messages inside the cluster stay.
func TestRoundFilter(t *testing.T) {
	build := func(t *testing.T, errata ...hydee.Erratum) *rig {
		r := newRig(t, "a: send b i\nb: recv *; recv *; recv *\nc: send b o1; send b o2", "a b | c",
			errata...)
		r.run("a")
		r.run("c")
		r.run("c")
		r.arrive("a", "b")
		r.arrive("c", "b")
		return r
	}
	begin := hydee.Message{Kind: hydee.Begin, Round: 1}
	t.Run("repaired", func(t *testing.T) {
		r := build(t)
		r.want("join", r.give("RP", "b", begin), "drop o1 from c: sent before this round",
			"to c: Status round 0.1 date 0 last 0")
		r.want("report", r.give("c", "b", hydee.Message{Kind: hydee.Status, Round: 1, Date: 2}),
			"to RP: Report round 0.1 lives [0 0]")
		r.want("in flight", r.arrive("c", "b"), "drop o2 from c: sent before this round")
		r.want("inside stays", r.can("b"), "a")
		r.want("this round", r.give("c", "b",
			hydee.Message{Kind: hydee.App, Round: 1, Date: 1, Phase: 1,
				Payload: core.Payload{ID: core.MsgID{From: 2, Number: 1}}}))
		r.want("both", r.can("b"), "a", "c")
	})
	for name, e := range map[string]hydee.Erratum{"H7 accepts": hydee.H7,
		"H7b accepts a new date": hydee.H7b} {
		t.Run(name, func(t *testing.T) {
			r := build(t, e)
			r.want("join", r.give("RP", "b", begin), "to c: Status round 0.1 date 0 last 0")
			r.want("in flight", r.arrive("c", "b"))
			r.want("inside and outside", r.can("b"), "a", "c")
		})
	}
	t.Run("H7b drops an old date", func(t *testing.T) {
		r := build(t, hydee.H7b)
		r.run("b", "c")
		r.want("same date again", r.give("c", "b", hydee.Message{Kind: hydee.App, Date: 1, Phase: 1,
			Payload: core.Payload{ID: core.MsgID{From: 2, Number: 1}}}),
			"drop o1 from c: date already received")
	})
}

// TestFormerLifeInTheRound checks erratum H23 at the other end: a rank that has joined a round and
// not evaluated it drops even messages of that round, because its former life must have reported
// for anybody to send in it.
func TestFormerLifeInTheRound(t *testing.T) {
	message := hydee.Message{Kind: hydee.App, Round: 1, Date: 1, Phase: 1,
		Payload: core.Payload{ID: core.MsgID{From: 0, Number: 1}}}
	r := newRig(t, "a: send b x\nb: recv a", "a | b")
	r.give("RP", "b", hydee.Message{Kind: hydee.Begin, Round: 1})
	r.want("not evaluated", r.give("a", "b", message),
		"drop x from a: this life has not evaluated the round")
	r.want("report", r.give("a", "b", hydee.Message{Kind: hydee.Status, Round: 1}),
		"to RP: Report round 0.1 lives [0 0]")
	r.want("evaluated", r.give("a", "b", message))
	r.want("receive", r.can("b"), "a")
}

// TestEndOfRound checks that after the infinite frontier the protocol is again that of Alg. 1:
// sends of any phase leave.
func TestEndOfRound(t *testing.T) {
	r := logged(t, 0)
	r.give("RP", "a", opening(1, infinite))
	r.want("end", r.can("a"), "next")
	r.want("no gate", r.run("a"), "program ended")
}
