package world

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// TestEventCode packs and unpacks every part of an event at the ends of its range: none spills into
// another one.
func TestEventCode(t *testing.T) {
	for k := deliver; k <= expire; k++ {
		for _, p := range []core.Proc{0, 1, 1<<16 - 1} {
			for _, arg := range []int{0, 1, 1<<32 - 1} {
				for _, cut := range []int{0, 1, 255} {
					c := code(k, p, 0).variant(arg).cutAfter(cut)
					if c.kind() != k || c.proc() != p || c.arg() != arg || c.cut() != cut {
						t.Fatalf("%#x: got %d, %d, %d, %d, want %d, %d, %d, %d", uint64(c),
							c.kind(), c.proc(), c.arg(), c.cut(), k, p, arg, cut)
					}
					if cut == 0 && c != code(k, p, arg) {
						t.Fatalf("%#x by parts, %#x at once", uint64(c), uint64(code(k, p, arg)))
					}
					s, f := c.step(), c.fault()
					if s.Code != uint64(c) || s.Fault || f.Code != uint64(c) || !f.Fault {
						t.Fatalf("%#x: step %+v, fault %+v", uint64(c), s, f)
					}
				}
			}
		}
	}
}
