package recovery_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/recovery"
)

// turns are the procs that are told of a turn among effects.
func turns(out []core.Effect) (list []core.Proc) {
	for _, e := range out {
		if m, ok := e.Message.(*recovery.Message); ok && m.Control.Kind == recovery.Turn {
			list = append(list, e.To)
		}
	}
	return list
}

// TestTurnOutlives: nobody of a group is told that it goes back before that is stable, and a new
// recovery process tells all members again. Without the record a member that has gone waits for one
// that nobody tells: fuzz found that with a group of two and a process that fails in between.
func TestTurnOutlives(t *testing.T) {
	mates := [][]core.Rank{{0}, {1, 2}, {1, 2}}
	c := &recovery.Config{Ranks: 3, Mates: mates, Rule: recovery.Grouped(mates)}
	p := recovery.NewProcess(c)
	p.Step(core.Input{Kind: core.Start}, nil)
	out := p.Step(core.Input{Kind: core.Received, From: 1, Message: &recovery.Message{
		Control: &recovery.Control{Kind: recovery.Written, Round: 1, Image: 2}}}, nil)
	if len(out) != 1 || out[0].Kind != core.Persist {
		t.Fatalf("%+v, want a record alone", out)
	}
	record := core.Record{Owner: 3, Key: out[0].Key, Value: out[0].Value}
	got := turns(p.Step(core.Input{Kind: core.Persisted, Key: record.Key}, nil))
	if len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("told %v, want both members", got)
	}
	next := recovery.NewProcess(c)
	if got := turns(next.Step(core.Input{Kind: core.Restore, Incarnation: 1,
		Records: []core.Record{record}}, nil)); len(got) != 2 {
		t.Errorf("the next process tells %v, want both members", got)
	}
}
