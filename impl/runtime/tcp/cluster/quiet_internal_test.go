package cluster

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestAskedAgain: a life that begins while all are asked what they are doing was not asked itself,
// so its answer would never come and the run would never be complete. The question is given up
// instead, and asked again.
func TestAskedAgain(t *testing.T) {
	setup := &core.Setup{Layout: trace.Layout{Names: []string{"a", "b"}, Ranks: 2}}
	s := newSupervisor(&Config{Setup: setup, Dir: t.TempDir(), Path: "/nothing/there"},
		[]byte("null"))
	s.round = round{number: 3, asked: true, answers: map[core.Proc]answer{0: {}}}
	s.spawn(s.procs[1])
	if s.round.asked || s.round.number != 3 || s.err == nil {
		t.Errorf(
			"round %+v, error %v, want that round 4 is next, and that there is no such program",
			s.round, s.err)
	}
}
