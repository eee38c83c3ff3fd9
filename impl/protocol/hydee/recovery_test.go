package hydee_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// afterM7 runs figure4 to the point where c has received m3 and sent m7, which is in flight.
func afterM7(t *testing.T, errata ...hydee.Erratum) *rig {
	t.Helper()
	r := newRig(t, figure4, "x y | c", errata...)
	r.run("x")
	r.arrive("x", "y")
	r.run("y", "x")
	r.run("y")
	r.arrive("y", "c")
	r.run("c", "y")
	r.run("c")
	return r
}

// TestRoundOnFailure checks R5: a notice of the failure detector opens a numbered round with all
// ranks, each further one a newer round, and whatever was counted before is forgotten.
func TestRoundOnFailure(t *testing.T) {
	r := newRig(t, figure4, "x y | c")
	r.want("first", r.down("x"), "to x: Begin round 0.1 of [0]", "to y: Begin round 0.1 of [0]",
		"to c: Begin round 0.1 of [0]")
	r.give("c", "RP", hydee.Message{Kind: hydee.Report, Round: 1, Phase: 2,
		Lives: []core.Incarnation{0, 0}})
	r.want("second", r.down("c"), "to x: Begin round 0.2", "to y: Begin round 0.2",
		"to c: Begin round 0.2")
	r.want("report of the old round", r.give("x", "RP",
		hydee.Message{Kind: hydee.Report, Round: 1}), "drop from x: old round")
	for _, q := range []string{"x", "y"} {
		r.want("report", r.give(q, "RP", hydee.Message{Kind: hydee.Report, Round: 2,
			Lives: []core.Incarnation{1, 1}}))
	}
	r.want("the report of c in the old round does not count", r.give("c", "RP",
		hydee.Message{Kind: hydee.Report, Round: 2, Lives: []core.Incarnation{1, 1}}),
		frontier("0.2", "all", 1, 1)...)
}

// TestRoundOfReplacement checks that a new recovery process opens a round of its own, newer than
// any of its former lives ([HydEE] III-D).
func TestRoundOfReplacement(t *testing.T) {
	r := newRig(t, figure4, "x y | c")
	r.down("x")
	r.down("x")
	r.crash("RP")
	r.want("restart", r.restart("RP"), "to x: Begin round 1.1", "to y: Begin round 1.1",
		"to c: Begin round 1.1")
	r.want("its next round", r.down("c"), "to x: Begin round 1.2", "to y: Begin round 1.2",
		"to c: Begin round 1.2")
}

// reports lets every rank report; orphans come from c.
func reports(r *rig, round hydee.Round, orphans ...hydee.Orphan) []string {
	lives := []core.Incarnation{0, 0}
	r.give("x", "RP", hydee.Message{Kind: hydee.Report, Round: round, Phase: 1, Lives: lives})
	r.give("y", "RP", hydee.Message{Kind: hydee.Report, Round: round, Phase: 1, Lives: lives})
	return r.give("c", "RP", hydee.Message{Kind: hydee.Report, Round: round, Phase: 2, Lives: lives,
		Orphans: orphans})
}

// frontier is what the recovery process sends to announce a phase, to lives of the two clusters, 0
// where none are given.
func frontier(round, phase string, lives ...core.Incarnation) []string {
	var list []string
	for i, q := range []string{"x", "y", "c"} {
		life := ""
		if cluster := i / 2; cluster < len(lives) && lives[cluster] > 0 {
			life = fmt.Sprint(" life ", lives[cluster])
		}
		list = append(list, "to "+q+": Frontier round "+round+life+" phase "+phase)
	}
	return list
}

func done(to core.Rank, date hydee.Date, phase hydee.Phase) hydee.Message {
	return hydee.Message{Kind: hydee.OrphanDone, Round: 1, To: to, Date: date, Phase: phase}
}

// TestReports checks R8: nothing is announced before the report of every rank, then the least phase
// with an orphan; a second report of a rank is dropped.
func TestReports(t *testing.T) {
	lives := []core.Incarnation{0, 0}
	orphan := hydee.Orphan{Source: 1, To: 2, Date: 2, Phase: 4}
	r := newRig(t, figure4, "x y | c")
	r.down("x")
	r.want("first report", r.give("c", "RP", hydee.Message{Kind: hydee.Report, Round: 1,
		Lives: lives, Orphans: []hydee.Orphan{orphan}}))
	r.want("twice", r.give("c", "RP", hydee.Message{Kind: hydee.Report, Round: 1, Lives: lives}),
		"drop from c: second report of this round")
	r.want("second report", r.give("x", "RP",
		hydee.Message{Kind: hydee.Report, Round: 1, Lives: lives}))
	r.want("last report", r.give("y", "RP", hydee.Message{Kind: hydee.Report, Round: 1,
		Lives: lives}), frontier("0.1", "4")...)
}

// TestOrphansRaiseTheFrontier checks [HydEE] Alg. 4 l. 12-24: each OrphanDone takes one orphan off,
// the frontier is the least phase left and is announced when it rises, not otherwise.
func TestOrphansRaiseTheFrontier(t *testing.T) {
	r := newRig(t, figure4, "x y | c")
	r.down("x")
	got := reports(r, 1, hydee.Orphan{Source: 1, To: 2, Date: 9, Phase: 5},
		hydee.Orphan{Source: 1, To: 2, Date: 2, Phase: 3},
		hydee.Orphan{Source: 0, To: 2, Date: 4, Phase: 3},
		hydee.Orphan{Source: 1, To: 2, Date: 3, Phase: 3})
	r.want("least of four", got, frontier("0.1", "3")...)
	r.want("two of phase 3 left", r.give("y", "RP", done(2, 2, 3)))
	r.want("a higher phase does not raise it", r.give("y", "RP", done(2, 9, 5)))
	r.want("one of phase 3 left", r.give("x", "RP", done(2, 4, 3)))
	r.want("none left", r.give("y", "RP", done(2, 3, 3)), frontier("0.1", "all")...)
	r.want("old round", r.give("y", "RP", hydee.Message{Kind: hydee.OrphanDone, Round: 0, To: 2,
		Date: 3, Phase: 3}),
		"drop from y: old round")
}

// TestUnknownOrphan checks that an orphan that nobody reported is a typed answer, with sender, date
// and phase, that it is tolerated only while reports are missing, and that nothing happens
// afterwards.
func TestUnknownOrphan(t *testing.T) {
	known := hydee.Orphan{Source: 1, To: 2, Date: 2, Phase: 1}
	tests := []struct {
		name string
		from string
		done hydee.Message
		want []string
	}{
		{"known", "y", done(2, 2, 1), frontier("0.1", "all")},
		{"other date", "y", done(2, 3, 1), []string{
			"halt: program is not send-deterministic: rank 1 sent again to rank 2 with date 3 " +
				"phase 1, " +
				"and nobody reported that orphan"}},
		{"other phase", "y", done(2, 2, 2), []string{
			"halt: program is not send-deterministic: rank 1 sent again to rank 2 with date 2 " +
				"phase 2, " +
				"and nobody reported that orphan"}},
		{"other source", "x", done(2, 2, 1), []string{
			"halt: program is not send-deterministic: rank 0 sent again to rank 2 with date 2 " +
				"phase 1, " +
				"and nobody reported that orphan"}},
		{"other destination", "y", done(0, 2, 1),
			[]string{
				"halt: program is not send-deterministic: rank 1 sent again to rank 0 with " +
					"date 2 " +
					"phase 1, " +
					"and nobody reported that orphan"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, figure4, "x y | c")
			r.down("x")
			r.want("too early", r.give(tt.from, "RP", tt.done),
				"drop from "+tt.from+": no such orphan")
			reports(r, 1, known)
			r.want("answer", r.give(tt.from, "RP", tt.done), tt.want...)
			if tt.name == "known" {
				r.want("twice", r.give("y", "RP", tt.done),
					"halt: program is not send-deterministic: rank 1 sent again to rank 2 with "+
						"date 2 phase 1, and nobody reported that orphan")
			}
			r.want("halted", r.step("RP", core.Input{Kind: core.Down, Procs: []core.Proc{2}}),
				"drop from x: halted")
		})
	}
}

// TestMixedLives checks erratum H23: reports about different lives of a rank end no round, unless
// the switch is on.
func TestMixedLives(t *testing.T) {
	for _, tt := range []struct {
		name   string
		errata []hydee.Erratum
		want   []string
	}{
		{"repaired waits for the next round", nil, nil},
		{"switched on", []hydee.Erratum{hydee.H23}, frontier("0.1", "all", 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, figure4, "x y | c", tt.errata...)
			r.down("x")
			for q, lives := range map[string][]core.Incarnation{"x": {1, 0}, "y": {1, 0}} {
				r.want("report", r.give(q, "RP",
					hydee.Message{Kind: hydee.Report, Round: 1, Lives: lives}))
			}
			r.want("about another life of c",
				r.give("c", "RP", hydee.Message{Kind: hydee.Report, Round: 1,
					Lives: []core.Incarnation{1, 1}}), tt.want...)
		})
	}
}

// TestRecoveryOfFigure4 follows a whole recovery by hand: {x, y} fails when m3 was received and m7
// is in flight. m3 is an orphan of phase 1, so c (phase 2) holds m7 until y has executed the send
// of m3 again; m7 then comes from the log.
func TestRecoveryOfFigure4(t *testing.T) {
	r := afterM7(t)
	r.crash("x")
	r.want("x restarts", r.restart("x"))
	r.want("y restarts", r.restart("y"))
	r.want("gate of x", r.can("x"))
	r.down("x")
	r.want("x joins", r.arrive("RP", "x"), "to c: Status round 0.1 of [0] life 1 date 0 last 0")
	r.want("y joins", r.arrive("RP", "y"), "to c: Status round 0.1 of [0] life 1 date 0 last 0")
	r.want("c joins", r.arrive("RP", "c"), "to x: Status round 0.1 of [0] date 2 last 0",
		"to y: Status round 0.1 of [0] date 2 last 2")
	r.want("x reports", r.arrive("c", "x"), "to RP: Report round 0.1 lives [1 0]")
	r.want("y reports", r.arrive("c", "y"), "to RP: Report round 0.1 lives [1 0]")
	r.want("c waits for both", r.arrive("x", "c"))
	r.want("c reports the orphan", r.arrive("y", "c"),
		"to RP: Report round 0.1 orphan y->c/2/1 lives [1 0]")
	r.want("first report", r.arrive("x", "RP"))
	r.want("second report", r.arrive("y", "RP"))
	r.want("third report", r.arrive("c", "RP"), frontier("0.1", "1", 1)...)
	r.want("phase 2 stays on the list", r.arrive("RP", "c"))
	r.arrive("RP", "x")
	r.arrive("RP", "y")
	r.want("x may send", r.run("x"), "program sent m2 to y",
		"to y: App m2 round 0.1 life 1 date 1 phase 1")
	r.arrive("x", "y")
	r.want("y receives m2", r.run("y", "x"), "deliver m2 from x, date 1 phase 1")
	r.want("y executes m3 again", r.run("y"), "program sent m3 to c", "log m3 for c",
		"to RP: OrphanDone round 0.1 to c date 2 phase 1")
	r.want("nothing leaves for c", r.flight("y", "c"))
	r.want("the orphan is done", r.arrive("y", "RP"), frontier("0.1", "all", 1)...)
	r.want("m7 from the log", r.arrive("RP", "c"), "to y: App m7 round 0.1 date 2 phase 2")
	r.arrive("RP", "y")
	r.arrive("c", "y")
	r.want("y receives m7", r.run("y", "c"), "deliver m7 from c, date 2 phase 2")
	for _, q := range []string{"x", "y", "c"} {
		r.want("end", r.run(q), "program ended")
	}
}
