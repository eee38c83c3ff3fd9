package app

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
)

// TestHeard ends commands at once, and soon after they have begun: each stops within seconds, says
// that it was interrupted, and takes nothing that it has not looked at for something that it has
// found. What hears nothing itself is a file that nobody writes, and a program that takes minutes
// to build.
func TestHeard(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.txtar")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	soon := effort.Of(30*time.Millisecond, 300*time.Millisecond)
	for _, line := range []string{"tables volume", "check " + pipe, "replay " + pipe, "certify " +
		pipe,
		"minimise " + pipe, "run " + pipe, "run --enforce " + pipe, "cluster run " + pipe,
		"cluster run --plan " + pipe, "cluster run ring3 --hosts " + pipe,
		"certify ring 4096", "check", "run", "errata", "errata hydee H23",
		"minimise s2 --variant repaired+H17", "mutate causal", "fuzz"} {
		for _, after := range []time.Duration{0, soon} {
			t.Run(line+" after "+after.String(), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if after == 0 {
					cancel()
				}
				time.AfterFunc(after, cancel)
				began := time.Now()
				args := append(strings.Fields(line), "--save=", "--corpus=")
				code, out, errors := domino(ctx, suited(args)...)
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("ended after %v", took)
				}
				fast := after > 0 && strings.HasPrefix(line, "minimise s2") // it may be done
				if code != 2 && !fast {
					t.Errorf("exit %d, want 2: %s%s", code, out, errors)
				}
				if !strings.Contains(out+errors, "interrupted") && !fast {
					t.Errorf("nothing says that it was interrupted: %s%s", out, errors)
				}
				for _, wrong := range []string{"NOT CONFIRMED", "NOT AS EXPECTED",
					"not killed by"} {
					if strings.Contains(out, wrong) {
						t.Errorf("%s, though it was interrupted:\n%s", wrong, out)
					}
				}
				if rows := strings.Count(out, "!unknown"); rows > 16 {
					t.Errorf("%d rows of what was not explored", rows)
				}
			})
		}
	}
}

// suited leaves out the flags that a command does not have.
func suited(args []string) (list []string) {
	for _, a := range args {
		if a == "--save=" && strings.Contains("check run errata minimise", args[0]) ||
			a == "--corpus=" && args[0] == "fuzz" || !strings.HasSuffix(a, "=") {
			list = append(list, a)
		}
	}
	return list
}
