package cluster

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestGuestBeforeNode: who runs on a node is killed, and then the node is; whichever the system
// ends first, the guest has failed alone and the node behind it. Who has nothing to do with them
// waits for neither.
func TestGuestBeforeNode(t *testing.T) {
	const guest, node, other = 0, 1, 2
	nothing := filepath.Join(t.TempDir(), "nothing")
	for _, tt := range []struct{ ends, want []core.Proc }{
		{[]core.Proc{guest, node, other}, []core.Proc{guest, node, other}},
		{[]core.Proc{node, guest, other}, []core.Proc{guest, node, other}},
		{[]core.Proc{node, other, guest}, []core.Proc{other, guest, node}},
		{[]core.Proc{other, guest, node}, []core.Proc{other, guest, node}},
	} {
		s := newSupervisor(&Config{Setup: &core.Setup{
			Layout: trace.Layout{Names: []string{"guest", "node", "other"}}}, Spread: 1},
			[]byte("null"))
		s.procs[node].hosts = []core.Proc{guest}
		s.over = true // nobody else has to agree
		for _, p := range []core.Proc{guest, node, other} {
			s.procs[p].reader = &reader{name: nothing}
			s.procs[p].dying = true // there is no process to kill
			s.crash([]*proc{s.procs[p]}, false)
		}
		for _, p := range tt.ends {
			s.procs[p].dying = false
			s.reaped(s.procs[p])
		}
		var got []core.Proc
		for _, c := range s.crashes {
			got = append(got, c.proc)
		}
		if !slices.Equal(got, tt.want) || len(s.dying) > 0 {
			t.Errorf("%v end: recorded are %v, want %v; %d failures wait", tt.ends, got, tt.want,
				len(s.dying))
		}
	}
}
