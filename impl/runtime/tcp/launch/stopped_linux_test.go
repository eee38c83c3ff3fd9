package launch_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// TestStopped stops a child, of this host and of another, lets it go on, and kills it while it is
// stopped: what is reported is what was asked for.
func TestStopped(t *testing.T) {
	for name, start := range map[string]func(launch.Command) (launch.Process, error){
		"here": launch.Start, "far": startStarter(t, `exec "$@"`).Start,
	} {
		t.Run(name, func(t *testing.T) { stops(t, start) })
	}
}

func stops(t *testing.T, start func(launch.Command) (launch.Process, error)) {
	lines := make(chan string, 1)
	p, err := start(command("listens", func(line []byte) error {
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
