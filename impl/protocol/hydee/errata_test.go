package hydee_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// The tests of this file drive the errata that no other file does, each beside the repaired
// protocol in the same situation.

// TestWhoStartsTheNotification checks errata H5 and H6 at the recovery process: printed, only the
// notification of an orphan announces anything, or every report does.
func TestWhoStartsTheNotification(t *testing.T) {
	none := []string{}
	tests := []struct {
		name   string
		errata []hydee.Erratum
		// what the first and the last report, which names an orphan of phase 1, lead to
		first, last []string
		done        []string
	}{
		{"repaired", nil, none, frontier("0.1", "1"), frontier("0.1", "all")},
		{"H5", []hydee.Erratum{hydee.H5}, none, none, frontier("0.1", "all")},
		{"H6", []hydee.Erratum{hydee.H6}, frontier("0.1", "all"), frontier("0.1", "1"),
			frontier("0.1", "all")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lives := []core.Incarnation{0, 0}
			r := newRig(t, figure4, "x y | c", tt.errata...)
			r.down("x")
			r.want("first report", r.give("x", "RP",
				hydee.Message{Kind: hydee.Report, Round: 1, Lives: lives}), tt.first...)
			r.give("y", "RP", hydee.Message{Kind: hydee.Report, Round: 1, Lives: lives})
			r.want("last report", r.give("c", "RP",
				hydee.Message{Kind: hydee.Report, Round: 1, Lives: lives,
					Orphans: []hydee.Orphan{{Source: 1, To: 2, Date: 2, Phase: 1}}}), tt.last...)
			r.want("orphan done", r.give("y", "RP", done(2, 2, 1)), tt.done...)
		})
	}
}

// TestCountedByPhase checks errata H4, H12a and H16: counted by phase, an orphan that nobody
// reported goes unnoticed.
func TestCountedByPhase(t *testing.T) {
	for name, e := range map[string]hydee.Erratum{"H4": hydee.H4, "H12a": hydee.H12a,
		"H16": hydee.H16} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, figure4, "x y | c", e)
			r.down("x")
			reports(r, 1, hydee.Orphan{Source: 1, To: 2, Date: 2, Phase: 1})
			r.want("another one of the phase will do", r.give("x", "RP", done(2, 7, 1)),
				frontier("0.1", "all")...)
			r.want("one too many", r.give("y", "RP", done(2, 2, 1)), "drop from y: no such orphan")
		})
	}
}

// TestLateRelease checks erratum H9c: the gate is opened by one message and the log released by
// another, so a new message can overtake those that are sent again; repaired, the log leaves before
// the gate opens.
func TestLateRelease(t *testing.T) {
	r := newRig(t, figure4, "x y | c", hydee.H9c)
	r.down("x")
	r.want("two parts", reports(r, 1)[:2], "to x: Frontier round 0.1 phase all part 1",
		"to x: Frontier round 0.1 phase all part 2")

	r = logged(t, 0, hydee.H9c)
	gate, release := opening(1, infinite), opening(1, infinite)
	gate.Part, release.Part = 1, 2
	r.want("the gate alone", r.give("RP", "a", gate))
	r.want("open before the log has left", r.can("a"), "next")
	r.want("the log", r.give("RP", "a", release), "to b: App x round 0.1 date 1 phase 1",
		"to b: App y round 0.1 date 2 phase 1",
		"to b: App z round 0.1 date 4 phase 2")
}

// TestSecondRound checks errata H12a and H12b: what was found in one round must not leak into the
// next.
func TestSecondRound(t *testing.T) {
	orphan := "to RP: Report round 0.2 orphan a->b/1/1 lives [0 0]"
	tests := []struct {
		name         string
		errata       []hydee.Erratum
		join, status []string
	}{
		{"repaired", nil, []string{"to a: Status round 0.2 date 1 last 1"}, []string{orphan}},
		{"H12a reports again", []hydee.Erratum{hydee.H12a},
			[]string{"to a: Status round 0.2 date 1 last 1"},
			[]string{"to RP: Report round 0.2 orphan a->b/1/1 orphan a->b/1/1 lives [0 0]"}},
		{"H12b does not wait", []hydee.Erratum{hydee.H12b},
			[]string{"to a: Status round 0.2 date 1 last 1", orphan}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x\nb: recv a", "a | b", tt.errata...)
			r.run("a")
			r.arrive("a", "b")
			r.run("b", "a")
			r.give("RP", "b", hydee.Message{Kind: hydee.Begin, Round: 1})
			r.want("first round", r.give("a", "b", hydee.Message{Kind: hydee.Status, Round: 1}),
				"to RP: Report round 0.1 orphan a->b/1/1 lives [0 0]")
			r.want("join", r.give("RP", "b", hydee.Message{Kind: hydee.Begin, Round: 2}),
				tt.join...)
			r.want("status", r.give("a", "b", hydee.Message{Kind: hydee.Status, Round: 2}),
				tt.status...)
		})
	}
}

// TestGateUntilReport checks erratum H17: printed, a rank sends on between the notice of the
// failure and its report.
func TestGateUntilReport(t *testing.T) {
	for _, tt := range []struct {
		name   string
		errata []hydee.Erratum
		want   []string
	}{
		{"repaired", nil, nil},
		{"H17", []hydee.Erratum{hydee.H17}, []string{"next"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x; send b y\nb: recv a; recv a", "a | b", tt.errata...)
			r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
			r.want("after the join", r.can("a"), tt.want...)
			r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1})
			r.want("after the report", r.can("a"))
		})
	}
}

// TestExactPhase checks erratum H18: printed, a rank waits for a notification of exactly the phase
// that it reported, and misses it when a delivery has raised its phase meanwhile.
func TestExactPhase(t *testing.T) {
	for _, tt := range []struct {
		name   string
		errata []hydee.Erratum
		want   []string
	}{
		{"repaired", nil, []string{"next"}},
		{"H18", []hydee.Erratum{hydee.H18}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: recv b; send b x\nb: send a y; recv a\nc: wait", "a b | c",
				tt.errata...)
			r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
			r.want("report in phase 1", r.give("c", "a",
				hydee.Message{Kind: hydee.Status, Round: 1}),
				"to RP: Report round 0.1 lives [0 0]")
			r.give("b", "a", hydee.Message{Kind: hydee.App, Round: 1, Date: 1, Phase: 3,
				Payload: core.Payload{ID: core.MsgID{From: 1, Number: 1}}})
			r.run("a", "b")
			m := opening(1, infinite)
			m.Last = 1 // the phase that was reported
			r.give("RP", "a", m)
			r.want("phase 3", r.can("a"), tt.want...)
		})
	}
}
