package node_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// flooded makes a node whose program, which is held up, gets messages of 8 bytes from rank 1; 40 of
// them are the limit. It counts what the program takes, and hears what it has heard when flooded
// returns.
func flooded(t *testing.T, f node.Transport, pool *buffer.Pool, taken *int) (n *node.Node,
	again func()) {
	t.Helper()
	s := setup(t, "none", "a: send c; loop 500; recv b; end\nb: loop 500; send a; end\nc: recv a")
	n, err := node.New(node.Config{Procs: 3, Machine: s.New(0), NewMessage: s.NewMessage, Mesh: f,
		Pool: pool, OutLimit: 1000, InLimit: 40 * 8, StuckAfter: time.Hour,
		Perform: func(e *core.Effect) error {
			if e.Kind == core.Deliver {
				*taken++
			}
			return nil
		}})
	if err == nil {
		err = n.Input(core.Input{Kind: core.Start})
	}
	if err != nil {
		t.Fatal(err)
	}
	return n, func() {
		n.Restart(s.New(0), 1)
		if err := n.Input(core.Input{Kind: core.Start}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPauseEnds: a source that was paused at its limit is heard again when the program has taken so
// much that half of the limit is left, no earlier, and no later.
func TestPauseEnds(t *testing.T) {
	f := &flood{pool: new(buffer.Pool), queued: 1001}
	taken := 0
	n, _ := flooded(t, f, f.pool, &taken)
	turn := func() {
		t.Helper()
		if _, err := n.Turn(0); err != nil {
			t.Fatal(err)
		}
	}
	for !f.paused {
		turn()
	}
	if f.given != 41 || taken != 0 {
		t.Fatalf("paused at message %d, %d taken, want 41 and 0", f.given, taken)
	}
	for f.queued = 0; f.paused && taken < 41; {
		turn()
	}
	if taken != 21 { // of 41; 20 are half of 40
		t.Errorf("heard again when %d were taken, want 21", taken)
	}
}

// renewed is a flood whose sender is somebody new now and then.
type renewed struct {
	flood
	notice *mesh.Notice
}

func (r *renewed) Next(a *mesh.Arrival, limit time.Duration) mesh.What {
	if r.notice != nil {
		r.paused = false // that of a connection which is no more
		return mesh.Notified
	}
	return r.flood.Next(a, limit)
}

func (r *renewed) Notice() (mesh.Notice, bool) {
	if r.notice == nil {
		return mesh.Notice{}, false
	}
	n := *r.notice
	r.notice = nil
	return n, true
}

// TestSourceBegins: what a life has sent, or what the life before of this node was sent, does not
// count against the limit of who sends now.
func TestSourceBegins(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before int // messages
		notice *mesh.Notice
	}{
		{"a new life", 30, &mesh.Notice{Event: mesh.Up, Proc: 1, Life: 1}},
		{"a new life, paused", 41, &mesh.Notice{Event: mesh.Up, Proc: 1, Life: 1}},
		{"lost", 30, &mesh.Notice{Event: mesh.Lost, Proc: 1}},
		{"left", 30, &mesh.Notice{Event: mesh.Left, Proc: 1}}, // what it has sent is still there
		{"of somebody else", 30, &mesh.Notice{Event: mesh.Up, Proc: 2, Life: 1}},
		{"restart", 30, nil},
		{"restart, paused", 41, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &renewed{flood: flood{pool: new(buffer.Pool), queued: 1001}}
			taken := 0
			n, again := flooded(t, r, r.pool, &taken)
			turn := func() {
				t.Helper()
				if _, err := n.Turn(0); err != nil {
					t.Fatal(err)
				}
			}
			for r.given < tt.before {
				turn()
			}
			if r.notice = tt.notice; tt.notice == nil {
				again()
			}
			for range 200 {
				turn()
			}
			want := tt.before + 41
			if tt.name == "left" || tt.name == "of somebody else" {
				want = 41
			}
			if r.given != want || !r.paused || taken != 0 {
				t.Errorf("paused %t at message %d, %d taken, want %d and none", r.paused, r.given,
					taken, want)
			}
		})
	}
}
