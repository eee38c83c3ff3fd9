package cluster

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// tuned is a machine that notes how its program is to run.
type tuned struct {
	core.Machine
	buffers core.Buffers
	brief   bool
}

func (m *tuned) Tune(b core.Buffers, brief bool) { m.buffers, m.brief = b, brief }

// TestTuneBare: a bare run measures the protocol, so its programs keep no lists for a judge, of
// which that of determinants is copied whenever one is added; a run with evidence needs them.
func TestTuneBare(t *testing.T) {
	for _, bare := range []bool{true, false} {
		m := new(tuned)
		l := &life{machine: m, node: new(node.Node), in: instructions{Bare: bare}}
		if l.tune(); m.brief != bare || m.buffers == nil {
			t.Errorf("bare %v: brief %v, buffers %v", bare, m.brief, m.buffers)
		}
	}
}
