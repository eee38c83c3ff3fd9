package pessimistic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: limits in bytes decide what goes to disk, on both sides. Method: three messages of known
// sizes, all sent before the first is received; what is written to disk, by hand.
func TestBytes(t *testing.T) {
	const program = "p: send q m1 64B; send q m2; send q m3 12B; loop 1; end\nq: recv p; recv p; " +
		"recv p; checkpoint; loop 1; end"
	tests := []struct {
		name           string
		buffer, memory pessimistic.Limit
		spilled        []string // records of p
		flushed        []string // records of the logger of q
	}{
		{"no limits", pessimistic.Limit{}, pessimistic.Limit{}, nil, nil},
		{"everything fits", pessimistic.Limit{Bytes: 84}, pessimistic.Limit{Bytes: 84}, nil, nil},
		{"one byte too little for the last", pessimistic.Limit{Bytes: 83},
			pessimistic.Limit{Bytes: 83}, []string{"spill/1/3"}, []string{"log/1"}},
		{"the first is too large by itself", pessimistic.Limit{Bytes: 20},
			pessimistic.Limit{Bytes: 20}, []string{"spill/1/1"}, []string{"log/1"}},
		{"two for the last", pessimistic.Limit{Bytes: 8}, pessimistic.Limit{Bytes: 12},
			[]string{"spill/1/1", "spill/1/3"}, []string{"log/1", "log/2"}},
		{"nothing fits", pessimistic.Limit{Bytes: 1}, pessimistic.Limit{Bytes: 1},
			[]string{"spill/1/1", "spill/1/2", "spill/1/3"}, []string{"log/1", "log/2", "log/3"}},
		{"messages", pessimistic.Limit{Messages: 1}, pessimistic.Limit{Messages: 2},
			[]string{"spill/1/2", "spill/1/3"}, []string{"log/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, pessimistic.HMPL, program,
				pessimistic.Options{Buffer: tt.buffer, Memory: tt.memory})
			r := finish(t, w, "step p send m1 to q", "step p send m2 to q", "step p send m3 to q")
			stored := map[string][]string{}
			for _, e := range r.Trace.Events {
				if e.Kind == trace.Stored {
					place, _, _ := strings.Cut(e.Text, "/")
					stored[place] = append(stored[place], e.Text)
				}
			}
			if diff := cmp.Diff(tt.spilled, stored["spill"]); diff != "" {
				t.Errorf("p spills (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.flushed, stored["log"]); diff != "" {
				t.Errorf("the logger flushes (-want +got):\n%s", diff)
			}
		})
	}
}

// Aim: the circular buffer that blocks (M11b) counts bytes. Method: messages of 8 bytes; which
// sends are possible before anything is confirmed.
func TestBlockedByBytes(t *testing.T) {
	for bytes, want := range map[int]int{8: 1, 15: 1, 16: 2, 23: 2, 24: 3} {
		o := pessimistic.Options{Buffer: pessimistic.Limit{Bytes: bytes},
			Errata: pessimistic.Set(0).With(pessimistic.M11b)}
		w := newWorld(t, pessimistic.HMPL,
			"p: send q m1; send q m2; send q m3\nq: recv p; recv p; recv p", o)
		var schedule []string
		for _, step := range []string{"step p send m1 to q", "step p send m2 to q",
			"step p send m3 to q"} {
			run, err := w.Replay(schedule)
			if err != nil {
				t.Fatal(err)
			}
			if texts, _ := w.Enabled(run.States[len(run.States)-1]); !slices.Contains(texts, step) {
				break
			}
			schedule = append(schedule, step)
		}
		if len(schedule) != want {
			t.Errorf("a buffer of %d bytes lets %d messages of 8 bytes go, want %d", bytes,
				len(schedule), want)
		}
	}
}
