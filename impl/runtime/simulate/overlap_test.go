package simulate_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: failures of one rank that follow each other before it is where it was, to the nanosecond.
// A restart takes 6 ms. A rank that fails alone at 10 ms is down for 6 ms. If it fails again 4 ms
// later, while it is down, it begins to start again: it is down for 10 ms because of the first, and
// for 6 ms because of the second failure. If it fails again 7 ms later, it ran for 1 ms. Both
// recoveries end at one moment, when it is where it was before the first failure.
func TestSameRankAgain(t *testing.T) {
	const first = 10 * time.Millisecond
	for _, tt := range []struct {
		after time.Duration
		down  [2]time.Duration
	}{{4 * time.Millisecond, [2]time.Duration{10 * time.Millisecond, 6 * time.Millisecond}},
		{7 * time.Millisecond, [2]time.Duration{13 * time.Millisecond, 6 * time.Millisecond}}} {
		j := simulate.Job{Machine: scaled(t, 1), Work: time.Millisecond, Anytime: true,
			Setup: setup(t, "causal", "heat ranks=4 n=16 iterations=20", 0)}
		calm := play(t, j)
		j.Failures = []simulate.Failure{{At: first, Rank: 2}, {At: first + tt.after, Rank: 2}}
		out := play(t, j)
		if !slices.Equal(out.Finals, calm.Finals) || len(out.Recoveries) != 2 {
			t.Fatalf("other digests, or %+v", out.Recoveries)
		}
		for i, r := range out.Recoveries {
			if want := tt.down[i].Nanoseconds() * 1000; r.Down != want || r.AtOnce != 1 ||
				r.Takes != r.Down+r.Restore+r.Again || r.Back != 1 {
				t.Errorf("second failure %v later: %+v, want down for %d", tt.after, r, want)
			}
			// it computes again for about the 10 ms of before the first failure
			if least := int64(8 * time.Millisecond / time.Nanosecond * 1000); r.Again < least {
				t.Errorf("second failure %v later: %+v, want again for %d", tt.after, r, least)
			}
		}
		a, b := out.Recoveries[0], out.Recoveries[1]
		if a.At+a.Takes != b.At+b.Takes || a.Lost == 0 {
			t.Errorf("recoveries end at %d and %d, %+v", a.At+a.Takes, b.At+b.Takes, a)
		}
	}
}

// Aim: with failures that strike while others are recovered from every rank ends with the digest
// that it has without a protocol, under every protocol that promises it: of the same rank, of a
// mate in its cluster, of another cluster, of all clusters at once; while ranks are down, and while
// they do again what they had done. Without Anytime the second failure waits for the first.
func TestOverlapping(t *testing.T) {
	kernels := []string{"heat ranks=8 n=32 iterations=24"}
	if effort.Long() {
		kernels = append(kernels, "cg ranks=8", "ring ranks=8 iterations=60", "leanmd ranks=8")
	}
	apart := []time.Duration{0, 3, 7, 9}
	for _, name := range []string{"hydee", "coordinated", "causal", "pessimistic", "sbml", "hmpl"} {
		for _, k := range kernels {
			s := setup(t, name, k, 4)
			j := simulate.Job{Machine: scaled(t, 1), Setup: s, Work: time.Millisecond}
			if len(s.Initiators) > 0 {
				j.Interval = 9 * time.Millisecond
			}
			calm := play(t, j)
			at := time.Duration(calm.Completion / 2000)
			for i, second := range []core.Rank{2, 3, 5} {
				d := apart[(i+len(name))%len(apart)] * time.Millisecond
				if s.MaxFailures == 1 {
					second = 2
				}
				for _, anytime := range []bool{false, true} {
					j.Anytime = anytime
					j.Failures = []simulate.Failure{{At: at, Rank: 2}, {At: at + d, Rank: second}}
					out := play(t, j)
					if !slices.Equal(out.Finals, calm.Finals) {
						t.Errorf("%s under %s, ranks 2 and %d fail %v apart: other digests", k,
							name, second, d)
					}
					judge(t, name, out, anytime)
					// the second one waits for the first, and comes too late in a short program
					short := strings.HasPrefix(k, "cg") || strings.HasPrefix(k, "leanmd")
					if n := len(out.Recoveries); !anytime && n != 2 && !short {
						t.Errorf("%s under %s: %d failures, %v apart and one by one", k, name, n, d)
					}
				}
			}
		}
	}
}

// judge looks at the stages of recoveries: they add up, and where failures wait for each other they
// come one after the other.
func judge(t *testing.T, name string, out *simulate.Outcome, anytime bool) {
	t.Helper()
	end := int64(0)
	for _, r := range out.Recoveries {
		if r.Takes != r.Down+r.Restore+r.Again || r.Takes < int64(6*time.Millisecond)*1000 ||
			r.Back < 1 {
			t.Errorf("%s: %+v, want stages that add up, after a restart", name, r)
		}
		if !anytime && r.At < end {
			t.Errorf("%s: a failure at %d, before the end of a recovery at %d", name, r.At, end)
		}
		end = max(end, r.At+r.Takes)
	}
}

// Aim: all ranks at once, and more at a time than the protocol promises to survive: either the run
// ends as without failures, or it is an error that says so; nothing hangs.
func TestAllAtOnce(t *testing.T) {
	for name, survives := range map[string]bool{"hydee": true, "coordinated": true, "causal": false,
		"rbml": false, "sbml": false} {
		s := setup(t, name, "heat ranks=4 n=16 iterations=20", 2)
		j := simulate.Job{Machine: scaled(t, 1), Setup: s, Work: time.Millisecond, Anytime: true}
		calm := play(t, j)
		for r := range core.Rank(4) {
			j.Failures = append(j.Failures, simulate.Failure{At: 10 * time.Millisecond, Rank: r})
		}
		out, err := j.Run()
		switch {
		case err == nil && !slices.Equal(out.Finals, calm.Finals):
			err = simulate.ErrDigests // Study says so
		case err == nil && len(out.Recoveries) != 1:
			t.Errorf("%s: %+v, want one failure of all", name, out.Recoveries)
		}
		if survives && err != nil || err != nil && err != simulate.ErrDigests &&
			!errors.Is(err, simulate.ErrBeyond) {
			t.Errorf("%s, of which %d are survived at a time: %v", name, s.MaxFailures, err)
		}
	}
}

// lame is a machine that takes no message any more when it has restarted.
type lame struct {
	core.Machine
	again bool
}

func (l *lame) Step(in core.Input, out []core.Effect) []core.Effect {
	if l.again = l.again || in.Kind == core.Restore; l.again && in.Kind == core.Received {
		return out
	}
	return l.Machine.Step(in, out)
}

func (l *lame) Below() core.Machine { return l.Machine }

// Aim: a run that does not end is outside of what a protocol promises only with more failures at a
// time than that; two failures of one rank are one at a time.
func TestBeyond(t *testing.T) {
	s := setup(t, "causal", "heat ranks=4 n=16 iterations=20", 0)
	own := *s
	own.New = func(p core.Proc) core.Machine { return &lame{Machine: s.New(p)} }
	for second, beyond := range []bool{false, true} {
		j := simulate.Job{Machine: scaled(t, 1), Setup: &own, Work: time.Millisecond, Anytime: true,
			Failures: []simulate.Failure{{At: 10 * time.Millisecond},
				{At: 11 * time.Millisecond, Rank: core.Rank(second)}}}
		if _, err := j.Run(); !errors.Is(err, simulate.ErrStuck) ||
			errors.Is(err, simulate.ErrBeyond) != beyond {
			t.Errorf("ranks 0 and %d: %v", second, err)
		}
	}
}

// Aim: failures that can not be are errors, one at the beginning is a failure, one behind the end
// strikes nobody.
func TestOddFailures(t *testing.T) {
	j := simulate.Job{Machine: scaled(t, 1), Anytime: true,
		Setup: setup(t, "hydee", "heat ranks=4 n=16 iterations=20", 2)}
	calm := play(t, j)
	for want, list := range map[string][]simulate.Failure{
		"failure of rank 4 at 1s: there are ranks 0 to 3": {{At: time.Second, Rank: 4}},
		"failure of rank 1 at -1s, want [0, ":             {{At: -time.Second, Rank: 1}},
		"failure of rank 1 at 1s, behind one at 2s":       {{2 * time.Second, 0}, {time.Second, 1}},
		"want [0, 1111h6m40s]":                            {{At: 5e6 * time.Second}},
	} {
		j.Failures = list
		if _, err := j.Run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", list, err, want)
		}
	}
	for i, at := range []time.Duration{0, time.Hour} {
		j.Failures = []simulate.Failure{{At: at, Rank: 1}}
		out := play(t, j)
		if !slices.Equal(out.Finals, calm.Finals) || len(out.Recoveries) != 1-i {
			t.Errorf("failure at %v: %+v", at, out.Recoveries)
		}
	}
}

// Aim: a run in which nothing happens any more ends, though checkpoints are asked for until the end
// of time; and it is outside of what RADIC promises only with more failures than nodes can be lost.
// A long wait is none: a rank that computes for 1,000 intervals is not stuck.
func TestNothingButCheckpoints(t *testing.T) {
	const at = 10 * time.Millisecond
	j := simulate.Job{Machine: scaled(t, 1), Work: time.Millisecond, Anytime: true, Steps: 1 << 20,
		Setup:    chosen(t, "radic-rbml", "heat ranks=4 n=16 iterations=40", "spares=0"),
		Interval: time.Second}
	for n, beyond := range []bool{0: false, 1: true} {
		j.Failures = nil
		for r := range core.Rank(2 + 2*n) {
			j.Failures = append(j.Failures, simulate.Failure{At: at, Rank: r})
		}
		_, err := j.Run()
		if !errors.Is(err, simulate.ErrStuck) || errors.Is(err, simulate.ErrBeyond) != beyond ||
			!strings.Contains(err.Error(), "nothing happens any more but checkpoints") {
			t.Errorf("%d failures: %v", len(j.Failures), err)
		}
	}
	j.Setup, j.Failures = setup(t, "hydee", "ring ranks=4 iterations=3", 2), nil
	j.Interval, j.Work = time.Millisecond, time.Second
	if out := play(t, j); out.Completion < 3e12 {
		t.Errorf("done after %d ps", out.Completion)
	}
}

// Aim: a run in which failures overlap is the same bytes on one processor and on eight.
func TestOverlappingRepeats(t *testing.T) {
	j := simulate.Job{Machine: scaled(t, 1), Setup: setup(t, "hydee", "cg ranks=8", 4),
		Anytime: true, Interval: 300 * time.Microsecond}
	for i := range 6 {
		j.Failures = append(j.Failures, simulate.Failure{Rank: core.Rank(i * 3 % 8),
			At: 700*time.Microsecond + time.Duration(i)*2500*time.Microsecond})
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first string
	for _, n := range []int{1, 8} {
		runtime.GOMAXPROCS(n)
		text, err := json.Marshal(play(t, j))
		if first == "" {
			first = string(text)
		}
		if err != nil || string(text) != first {
			t.Errorf("%v, on %d processors\n%s, before\n%s", err, n, text, first)
		}
	}
}
