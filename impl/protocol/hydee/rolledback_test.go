package hydee_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// TestRestoreClosesTheGate checks R4: a restarted rank sends nothing, inside or outside, until a
// round opens its gate, and drops every message from outside, whatever its round, until it has
// joined one.
func TestRestoreClosesTheGate(t *testing.T) {
	r := newRig(t, "a: send b i; send c o\nb: recv a\nc: send a x; send a y; recv a", "a b | c")
	r.run("c")
	r.crash("a")
	r.want("restart", r.restart("a"))
	r.want("closed", r.can("a"))
	r.run("c")
	r.want("from outside", r.arrive("c", "a"), "drop y from c: not yet in a round")
	r.want("even with a high round", r.give("c", "a", hydee.Message{Kind: hydee.App, Round: 7}),
		"drop from c: not yet in a round")
	r.want("a frontier of a former life's round", r.give("RP", "a", opening(0, infinite)),
		"drop from RP: round of a former life")
	r.want("joins", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1}),
		"to c: Status round 0.1 life 1 date 0 last 0")
	r.give("c", "a", hydee.Message{Kind: hydee.Status, Round: 1, Date: 1})
	r.give("RP", "a", opening(1, 1))
	r.want("open", r.run("a"), "program sent i to b", "to b: App i round 0.1 life 1 date 1 phase 1")
}

// TestOrphanInsteadOfSend checks [HydEE] Alg. 2 l. 13-20 as repaired: a send that the destination
// received before the failure goes to the recovery process as OrphanDone and is logged again;
// equality of dates is an orphan; later sends leave.
func TestOrphanInsteadOfSend(t *testing.T) {
	again := [][]string{
		{"program sent x to b", "log x for b", "to RP: OrphanDone round 0.1 to b date 1 phase 1"},
		{"program sent y to b", "log y for b", "to RP: OrphanDone round 0.1 to b date 2 phase 1"},
		{"program sent z to b", "log z for b", "to b: App z round 0.1 life 1 date 3 phase 1"},
	}
	sent := [][]string{
		{"program sent x to b", "log x for b", "to b: App x round 0.1 life 1 date 1 phase 1"},
		{"program sent y to b", "log y for b", "to b: App y round 0.1 life 1 date 2 phase 1"},
		again[2],
	}
	tests := []struct {
		name   string
		errata []hydee.Erratum
		want   [][]string
	}{
		{"repaired", nil, again},
		{"H1 never finds an orphan", []hydee.Erratum{hydee.H1}, sent},
		{"H2 sends the last one again", []hydee.Erratum{hydee.H2},
			[][]string{again[0], sent[1], again[2]}},
		{"H14 does not log", []hydee.Erratum{hydee.H14}, [][]string{
			{"program sent x to b", again[0][2]}, {"program sent y to b", again[1][2]}, again[2]}},
		{"H20a always notifies", []hydee.Erratum{hydee.H20a}, [][]string{
			again[0], again[1], {"program sent z to b", "log z for b",
				"to RP: OrphanDone round 0.1 to b date 3 phase 1"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x; send b y; send b z\nb: recv a; recv a; recv a", "a | b",
				tt.errata...)
			r.crash("a")
			r.restart("a")
			r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
			r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1, Date: 2, Last: 2})
			r.give("RP", "a", opening(1, 1))
			for _, want := range tt.want {
				r.want("send", r.run("a"), want...)
			}
		})
	}
}

// TestOrphanByDestination checks that the dates of one destination say nothing about another one.
func TestOrphanByDestination(t *testing.T) {
	r := newRig(t, "a: send b x; send c y\nb: recv a\nc: recv a", "a | b | c")
	r.crash("a")
	r.restart("a")
	r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
	r.give("b", "a", hydee.Message{Kind: hydee.Status, Round: 1, Date: 0, Last: 0})
	r.give("c", "a", hydee.Message{Kind: hydee.Status, Round: 1, Date: 1, Last: 2})
	r.give("RP", "a", opening(1, 1))
	r.want("b lacks x", r.run("a"), "program sent x to b", "log x for b",
		"to b: App x round 0.1 life 1 date 1 phase 1")
	r.want("c has y", r.run("a"), "program sent y to c", "log y for c",
		"to RP: OrphanDone round 0.1 to c date 2 phase 1")
}

// TestRestoredLog checks errata H8, H11b and H15: a rolled-back rank resends from the restored log,
// reports the orphans of its restored state, and tells its current date.
func TestRestoredLog(t *testing.T) {
	build := func(t *testing.T, errata ...hydee.Erratum) *rig {
		r := newRig(t, "a: send b x; recv b; checkpoint; send b y\nb: send a s; recv a; recv a",
			"a | b", errata...)
		r.run("a")
		r.run("b")
		r.arrive("b", "a")
		r.run("a", "b")
		r.run("a") // checkpoint
		r.store("a")
		r.store("a")
		r.crash("a")
		return r
	}
	// b has rolled back to its beginning, too
	status := hydee.Message{Kind: hydee.Status, Round: 1, Date: 0, Last: 0}
	tests := []struct {
		name           string
		errata         []hydee.Erratum
		report, resend []string
	}{
		{"repaired", nil, []string{"to RP: Report round 0.1 orphan b->a/1/1 lives [1 0]"},
			[]string{"to b: App x round 0.1 life 1 date 1 phase 1"}},
		{"H8 resends nothing", []hydee.Erratum{hydee.H8},
			[]string{"to RP: Report round 0.1 orphan b->a/1/1 lives [1 0]"}, nil},
		{"H11b reports nothing", []hydee.Erratum{hydee.H11b},
			[]string{"to RP: Report round 0.1 lives [1 0]"},
			[]string{"to b: App x round 0.1 life 1 date 1 phase 1"}},
		{"H20b empties the log", []hydee.Erratum{hydee.H20b},
			[]string{"to RP: Report round 0.1 orphan b->a/1/1 lives [1 0]"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := build(t, tt.errata...)
			r.want("restart", r.restart("a"), "recovery line: sent 1 received 1")
			r.want("joins", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1}),
				"to b: Status round 0.1 life 1 date 2 last 1")
			r.want("report", r.give("b", "a", status), tt.report...)
			r.want("resend", r.give("RP", "a", opening(1, infinite)), tt.resend...)
			r.want("goes on after the checkpoint", r.run("a"), "program sent y to b", "log y for b",
				"to b: App y round 0.1 life 1 date 3 phase 2")
		})
	}
	for name, errata := range map[string][]hydee.Erratum{"current date": nil,
		"H15 repeats the date of the restart": {hydee.H15}} {
		t.Run(name, func(t *testing.T) {
			r := build(t, errata...)
			r.restart("a")
			r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 1})
			r.give("b", "a", status)
			r.give("RP", "a", opening(1, 2))
			r.run("a")
			want := "to b: Status round 0.2 life 1 date 3 last 1"
			if errata != nil {
				want = "to b: Status round 0.2 life 1 date 2 last 1"
			}
			r.want("next round", r.give("RP", "a", hydee.Message{Kind: hydee.Begin, Round: 2}),
				want)
		})
	}
}

// TestStatusOfTwoRolledBackRanks checks erratum H11a: printed, a rolled-back rank does not
// understand the rollback of another.
func TestStatusOfTwoRolledBackRanks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		errata []hydee.Erratum
		want   []string
	}{
		{"repaired", nil, []string{"to RP: Report round 0.1 lives [1 1]"}},
		{"H11a", []hydee.Erratum{hydee.H11a},
			[]string{"drop from b: no handler for a rollback here"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x\nb: recv a", "a | b", tt.errata...)
			for _, q := range []string{"a", "b"} {
				r.crash(q)
			}
			for _, q := range []string{"a", "b"} {
				r.restart(q)
				r.give("RP", q, hydee.Message{Kind: hydee.Begin, Round: 1})
			}
			r.want("status", r.arrive("b", "a"), tt.want...)
		})
	}
}

// TestBadRecords checks that a restart from damaged, missing or foreign records gives up with a
// typed answer instead of starting from somewhere; no commit record at all is
// the initial state.
func TestBadRecords(t *testing.T) {
	commit := core.Record{Owner: 0, Key: "commit/1", Value: []byte{1}}
	tests := []struct {
		name    string
		proc    string
		records []core.Record
		want    []string
	}{
		{"nothing", "a", nil, nil},
		{"image without commit", "a", []core.Record{{Owner: 0, Key: "image/1", Value: []byte{0}}},
			nil},
		{"torn commit", "a", []core.Record{{Owner: 0, Key: "commit/1", Torn: true}}, nil},
		{"commit of another owner", "a", []core.Record{
			{Owner: 1, Key: "commit/1", Value: []byte{1}}}, nil},
		{"commit without image", "a", []core.Record{commit},
			[]string{"halt: rank 0: checkpoint 1 is missing although it was committed"}},
		{"image of a mate only", "a", []core.Record{commit,
			{Owner: 1, Key: "image/1", Value: []byte{0}}},
			[]string{"halt: rank 0: checkpoint 1 is missing although it was committed"}},
		{"torn image", "b", []core.Record{commit, {Owner: 1, Key: "image/1", Torn: true}},
			[]string{"halt: rank 1: checkpoint 1 is damaged although it was committed"}},
		{"older image only", "a", []core.Record{commit,
			{Owner: 0, Key: "commit/2", Value: []byte{1}},
			{Owner: 0, Key: "image/1", Value: []byte{0}}},
			[]string{"halt: rank 0: checkpoint 2 is missing although it was committed"}},
		{"the highest commit counts", "a", []core.Record{
			{Owner: 0, Key: "commit/10", Value: []byte{1}},
			{Owner: 0, Key: "commit/9", Value: []byte{1}}},
			[]string{"halt: rank 0: checkpoint 10 is missing although it was committed"}},
		{"empty image", "a", []core.Record{commit, {Owner: 0, Key: "image/1"}},
			[]string{"halt: rank 0: checkpoint 1: core: decode *hydee.image: EOF"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: send b x\nb: recv a", "a b")
			r.crash("a")
			p := r.proc(tt.proc)
			r.want("restart", r.step(tt.proc,
				core.Input{Kind: core.Restore, Incarnation: r.lives[p], Records: tt.records}),
				tt.want...)
			r.want("closed", r.can(tt.proc))
		})
	}
}
