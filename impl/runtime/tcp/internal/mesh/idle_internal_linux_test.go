package mesh

import (
	"testing"
	"time"

	"github.com/domino-check/domino/spec/trace"
)

// TestIdle: who waits for others, and has nothing to write, looks at its connections a few times
// and leaves the processor to them.
func TestIdle(t *testing.T) {
	for _, private := range []bool{false, true} {
		a, b := pairWith(t, private)
		b.Call(0)
		if err := b.Gather([]trace.Proc{0}, time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := a.Gather([]trace.Proc{1}, time.Minute); err != nil {
			t.Fatal(err)
		}
		var f Arrival
		for a.Next(&f, 0) != Nothing {
			a.Notice()
		}
		before := a.polls
		if w := a.Next(&f, 100*time.Millisecond); w != Nothing {
			t.Fatalf("%d came", w)
		}
		if n := a.polls - before; n > 1000 { // without a wait it is 20,000
			t.Errorf("private %t: it has looked %d times in 100 ms, want a few", private, n)
		}
	}
}
