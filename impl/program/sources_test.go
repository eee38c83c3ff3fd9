package program_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
)

// TestSources: a layer that names its sources in another order than the ascending one, or one of
// them twice, is stopped.
func TestSources(t *testing.T) {
	for _, list := range [][]core.Rank{{2, 1}, {1, 1}} {
		h := program.NewHost(0, core.Program{{Kind: core.OpRecv, Any: true}},
			func(core.Application) core.Layer { return &unsorted{list: list} })
		func() {
			defer func() {
				if r := recover(); r == nil ||
					!strings.Contains(r.(string), "want each once and in ascending order") {
					t.Errorf("sources %v: %v", list, r)
				}
			}()
			h.Choices(nil)
		}()
	}
}

// unsorted is a layer that has its own idea of the order of sources.
type unsorted struct{ list []core.Rank }

func (*unsorted) Step(_ core.Input, out []core.Effect) []core.Effect { return out }
func (l *unsorted) State() any                                       { return &l.list }
func (*unsorted) Ready(core.Rank) bool                               { return true }

func (l *unsorted) Sources(buf []core.Rank) []core.Rank { return append(buf, l.list...) }
