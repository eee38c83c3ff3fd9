package launch_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// TestStopped stops a child, lets it go on, and kills it while it is stopped: what is reported is
// what was asked for.
func TestStopped(t *testing.T) {
	lines := make(chan string, 1)
	p, err := launch.Start(command("waits", func(line []byte) error {
		lines <- string(line)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		p.Kill()
		<-p.Done()
		if p.Stopped() {
			t.Error("a child that has ended is stopped")
		}
	}()
	<-lines
	reach := func(want bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); p.Stopped() != want; {
			if time.Now().After(end) {
				t.Fatalf("stopped: %t, want %t", !want, want)
			}
		}
	}
	reach(false)
	p.Stop()
	reach(true)
	p.Continue()
	reach(false)
	p.Stop()
	reach(true)
}
