package node

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// wild is a machine of which a step does what the function does.
type wild func() []core.Effect

func (wild) State() []any                                         { return nil }
func (wild) Choices(buf []core.Choice) []core.Choice              { return buf }
func (m wild) Step(_ core.Input, out []core.Effect) []core.Effect { return append(out, m()...) }

// TestMisuse: a machine that panics, or asks for what nobody can do, is an error with the proc and
// what is wrong, and no crash.
func TestMisuse(t *testing.T) {
	for want, m := range map[string]wild{
		"panics on input 6 from 0: boom": func() []core.Effect { panic("boom") },
		"names proc 99 in a SendMessage effect, want one of 0 to 2": func() []core.Effect {
			return []core.Effect{core.SendTo(99, nil)}
		},
		"has an effect of kind 0": func() []core.Effect { return []core.Effect{{}} },
	} {
		n := &Node{c: Config{Proc: 1, Procs: 3, Machine: m}}
		if err := n.step(&core.Input{Kind: core.Tick}); err == nil ||
			!strings.HasPrefix(err.Error(), "node: proc 1 inc 0: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
