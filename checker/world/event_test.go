package world

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// TestEventCode packs and unpacks every part of an event at the ends of its range: none spills into
// another one.
func TestEventCode(t *testing.T) {
	for k := deliver; k <= spoil; k++ {
		for _, p := range []core.Proc{0, 1, 1<<16 - 1} {
			for _, arg := range []int{0, 1, 1<<20 - 1, 1<<32 - 1} {
				c := code(k, p, 0).variant(arg)
				checkCode(t, c, k, p, arg, 0)
				if c != code(k, p, arg) {
					t.Fatalf("%#x by parts, %#x at once", uint64(c), uint64(code(k, p, arg)))
				}
				for _, cut := range []int{1, 255} {
					checkCode(t, code(k, p, arg).cutAfter(cut), k, p, arg, cut)
				}
			}
		}
	}
}

func checkCode(t *testing.T, c eventCode, k kind, p core.Proc, arg, cut int) {
	t.Helper()
	if c.kind() != k || c.proc() != p || c.arg() != arg || c.cut() != cut {
		t.Fatalf("%#x: got %d, %d, %d, %d, want %d, %d, %d, %d", uint64(c), c.kind(), c.proc(),
			c.arg(), c.cut(), k, p, arg, cut)
	}
	s, f := c.step(), c.fault()
	if s.Code != uint64(c) || s.Fault || f.Code != uint64(c) || !f.Fault {
		t.Fatalf("%#x: step %+v, fault %+v", uint64(c), s, f)
	}
}

// TestEventCodeTooLarge checks that what has no room in a code is no other event.
func TestEventCodeTooLarge(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got a code, want a panic")
		}
	}()
	code(deliver, 0, 0).cutAfter(256)
}
