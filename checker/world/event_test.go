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
				checkCode(t, c, k, p, arg, 0, 0)
				if c != code(k, p, arg) {
					t.Fatalf("%#x by parts, %#x at once", uint64(c), uint64(code(k, p, arg)))
				}
				if arg >= 1<<20 {
					continue
				}
				for _, cut := range []int{1, 255} {
					for _, outcome := range []int{0, 1, 4095} {
						c := code(k, p, arg).cutAfter(cut, outcome)
						checkCode(t, c, k, p, arg, cut, outcome)
						if got, want := c.torso(), code(k, p, arg).cutAfter(cut, 0); got != want {
							t.Fatalf("%#x: got %#x, want %#x", uint64(c), got, want)
						}
					}
				}
			}
		}
	}
}

func checkCode(t *testing.T, c eventCode, k kind, p core.Proc, arg, cut, outcome int) {
	t.Helper()
	if c.kind() != k || c.proc() != p || c.arg() != arg || c.cut() != cut ||
		c.outcome() != outcome {
		t.Fatalf("%#x: got %d, %d, %d, %d, %d, want %d, %d, %d, %d, %d", uint64(c), c.kind(),
			c.proc(), c.arg(), c.cut(), c.outcome(), k, p, arg, cut, outcome)
	}
	s, f := c.step(), c.fault()
	if s.Code != uint64(c) || s.Fault || f.Code != uint64(c) || !f.Fault {
		t.Fatalf("%#x: step %+v, fault %+v", uint64(c), s, f)
	}
}

// TestEventCodeTooLarge checks that what has no room in a code is no other event.
func TestEventCodeTooLarge(t *testing.T) {
	for _, f := range []func(){
		func() { code(deliver, 0, 1<<20).cutAfter(1, 0) },
		func() { code(deliver, 0, 0).cutAfter(256, 0) },
		func() { code(deliver, 0, 0).cutAfter(1, 4096) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("got a code, want a panic")
				}
			}()
			f()
		}()
	}
}
