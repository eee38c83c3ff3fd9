package emulate

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// Aim: each proc is in one block, which finds it, and of ranks and of services every block has as
// many as others, or one more or less: services work when ranks wait for them.
func TestSplit(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 64, 1000} {
		for _, services := range []int{0, 1, 7, 1000} {
			for _, n := range []int{1, 2, 3, 8, 5000} {
				setup := &core.Setup{Layout: core.Layout{Ranks: ranks}}
				r := &Run{setup: setup, procs: make([]proc, ranks+services)}
				r.config.Blocks, r.config.Another = n, func() Config { return Config{} }
				w := &windows{}
				blocks := r.split(w)
				if want := min(n, ranks+services); len(blocks) != want {
					t.Fatalf("%d blocks, want %d", len(blocks), want)
				}
				for k, b := range blocks {
					even(t, b.windows.ranks, ranks, len(blocks))
					even(t, b.windows.services, services, len(blocks))
					for p := range core.Proc(ranks + services) {
						if has := b.windows.has(p); has != (int(w.home[p]) == k) {
							t.Errorf("%d and %d procs: block %d has %d: %v, and its home is %d",
								ranks, services, k, p, has, w.home[p])
						}
					}
					if n == 5000 && k == 8 { // that is slow, and the rest is alike
						break
					}
				}
			}
		}
	}
}

// even is a block's part of some procs, of which there are n.
func even(t *testing.T, part [2]core.Proc, procs, n int) {
	t.Helper()
	if has := int(part[1] - part[0]); has != procs/n && has != procs/n+1 {
		t.Errorf("a block has %d of %d procs, and there are %d blocks", has, procs, n)
	}
}
