package world

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
)

// TestTimeOfRounds makes searches that say that they have taken an hour each: the result, what is
// reported meanwhile and the time that is left account for all of them.
func TestTimeOfRounds(t *testing.T) {
	t.Parallel()
	most := 0
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		toy, m := drawAlone(r, 0, toyFeatures{monotone: true})
		w, err := New(Config{Setup: toy.setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		rounds, told := 0, time.Duration(0)
		o := checker.Options{Reduce: checker.Alone, MaxStates: 4000, MaxTime: 100 * time.Hour,
			Progress: func(s checker.Stats) { told = s.Elapsed }}
		result, err := w.onTrust(o, func(o checker.Options) (checker.Result, error) {
			before := time.Duration(rounds) * time.Hour
			if left := 100*time.Hour - before; o.MaxTime > left || o.MaxTime < left-time.Hour {
				t.Errorf("after %v, %v are left of 100h", before, o.MaxTime)
			}
			if o.Progress(checker.Stats{}); told < before || told >= before+time.Hour {
				t.Errorf("after %v, %v are reported", before, told)
			}
			rounds++
			o.MaxTime, o.Progress = 0, nil
			r := search.Explore(context.Background(), w, o)
			r.Elapsed = time.Hour
			return r, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all := time.Duration(rounds) * time.Hour
		if result.Elapsed < all || result.Elapsed >= all+time.Hour {
			t.Errorf("%d searches of an hour take %v", rounds, result.Elapsed)
		}
		most = max(most, rounds)
	}
	if most < 3 {
		t.Errorf("at most %d searches follow each other", most)
	}
}
