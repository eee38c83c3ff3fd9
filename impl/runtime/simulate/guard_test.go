package simulate_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// imaged is a job under RADIC with a spare, of which each rank has a node, a checkpoint in the 20th
// of 39 iterations of 40 ms, and an image of 100 MB; rank 2 fails at 1.5 s.
func imaged(t testing.TB, name string, with ...simulate.Parameter) simulate.Job {
	t.Helper()
	m := scaled(t.(*testing.T), 1)
	m.Parameters = append(m.Parameters, with...)
	return simulate.Job{Machine: m, Work: 40 * time.Millisecond, Image: 100_000_000,
		Setup:    chosen(t, name, "heat ranks=6 n=24 iterations=39 checkpoint=20", "spares=1"),
		Failures: []simulate.Failure{{At: 1500 * time.Millisecond, Rank: 2}}}
}

// about reports whether a time in picoseconds is what it is to be, or later by some trips of small
// messages, which pass an image and which it passes.
func about(got int64, want time.Duration) bool {
	late := time.Duration(got/1000) - want
	return late >= 0 && late < 3*time.Millisecond
}

// Aim: an image of 100 MB takes the time that it takes wherever it goes. The rank copies it out of
// its memory at 4 GB/s, in 25 ms; a card of 1 GB/s lets it through in 100 ms, once on both sides;
// whoever keeps it writes it to memory in 25 ms, or to a disk of 200 MB/s with 1 ms for each file,
// in 501 ms, before it says so. It is read again in the same time, comes back through the cards in
// 100 ms, and is copied into memory in 25 ms. When it has recovered, the rank saves, which takes as
// long as at first; until then it is not protected, nor is the rank that had its logger there.
func TestImagesUnderRADIC(t *testing.T) {
	const copied, card = 25 * time.Millisecond, 100 * time.Millisecond
	for _, tt := range []struct {
		with []simulate.Parameter
		kept time.Duration
	}{{nil, copied}, {[]simulate.Parameter{{Name: "node.rate", Value: 200, Unit: "MB/s"},
		{Name: "node.file", Value: 1, Unit: "ms"}}, 501 * time.Millisecond}} {
		for _, name := range []string{"radic-rbml", "radic-hmpl", "radic-sbml"} {
			j := imaged(t, name, tt.with...)
			out := play(t, j)
			if len(out.Recoveries) != 1 || out.Recoveries[0].Back != 1 {
				t.Fatalf("%s: %+v", name, out.Recoveries)
			}
			r := &out.Recoveries[0]
			if out.Carried != int64(out.Images)*j.Image || out.Images < 6+1+2 {
				t.Errorf("%s: %d images, %d bytes of them, want those of 6 ranks, one that comes "+
					"back, and those of the rank and the one before it", name, out.Images,
					out.Carried)
			}
			if i := r.Image; i.Made-i.Began != copied.Nanoseconds()*1000 ||
				!about(i.Stored-i.Made, card+tt.kept) || i.Stored > r.At {
				t.Errorf("%s: image %+v, want %v to make it and %v to store it", name, i, copied,
					card+tt.kept)
			}
			if !about(r.Fetched, tt.kept+card) || !about(r.Restore-r.Fetched, copied) {
				t.Errorf("%s: fetched for %v and copied for %v, want %v and %v", name,
					time.Duration(r.Fetched/1000), time.Duration((r.Restore-r.Fetched)/1000),
					tt.kept+card, copied)
			}
			// by then it has recovered; where disks are slow, that of the node that keeps both
			// images reads the one, then writes that of the other rank, and then the new one
			save := (copied + card + tt.kept).Nanoseconds() * 1000
			least := r.Down + r.Restore + save
			most := max(r.Takes+save, r.Down+3*tt.kept.Nanoseconds()*1000) + 1e9
			if r.Takes != r.Down+r.Restore+r.Again || r.Protected < least || r.Protected > most ||
				r.Placed <= 0 || !about(r.Down-r.Placed+1e9, 5*time.Millisecond) {
				t.Errorf("%s: %+v, want it protected from %d to %d", name, r, least,
					most)
			}
		}
	}
}

// Aim: what images cost without a failure is in the overhead: the copies are of the part of CPU,
// one of 25 ms for each checkpoint, and no part is changed by images of no declared size.
func TestImagesInOverhead(t *testing.T) {
	j := imaged(t, "radic-rbml")
	j.Failures = nil
	parts := func(j simulate.Job) *simulate.Answer {
		s := simulate.Study{Job: j, Base: setup(t, "none",
			"heat ranks=6 n=24 iterations=39 checkpoint=20", 0)}
		a, err := s.Run()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	declared := parts(j)
	j.Image = 0
	own := parts(j)
	if d := declared.CPU - own.CPU; !about(d+1e9, 25*time.Millisecond) {
		t.Errorf("CPU %d ps more, want a copy of 25 ms", d)
	}
	if own.Calm.Images != 0 || declared.Calm.Images != 6 || declared.Calm.Carried != 6e8 {
		t.Errorf("%d images without a size, and %d with one, %d bytes", own.Calm.Images,
			declared.Calm.Images, declared.Calm.Carried)
	}
}

// Aim: a recovery is over when all are protected again. Failures that wait for each other wait for
// that, and one that strikes before, though all are where they were, is one of two at a time.
func TestProtectedAgain(t *testing.T) {
	j := imaged(t, "radic-rbml")
	r := play(t, j).Recoveries[0]
	if gap := time.Duration((r.Protected - r.Takes) / 1000); gap < 100*time.Millisecond {
		t.Fatalf("protected %v after it is where it was: %+v", gap, r)
	}
	between := time.Duration((r.At + (r.Takes+r.Protected)/2) / 1000)
	j.Failures = append(j.Failures, simulate.Failure{At: between, Rank: 5})
	j.Anytime = true
	if out := play(t, j); len(out.Recoveries) != 2 || out.Recoveries[1].AtOnce != 2 {
		t.Errorf("%+v, want that the second failure is one of two at a time", out.Recoveries)
	}
	j.Anytime = false
	j.Failures[1].At = j.Failures[0].At + time.Millisecond
	out := play(t, j)
	if len(out.Recoveries) != 2 || out.Recoveries[1].AtOnce != 1 ||
		out.Recoveries[1].At != r.At+r.Protected+1e9 {
		t.Errorf("%+v, want the second failure a millisecond behind the end of the first recovery",
			out.Recoveries)
	}
}

// Aim: where nobody saves at the end of a recovery and no image is kept by who has failed, all are
// protected when they are where they were; where the logger of another rank fails with a rank, not
// before that has given the next logger an image.
func TestProtectedWithout(t *testing.T) {
	const kernel = "heat ranks=6 n=24 iterations=30"
	for _, p := range all.Protocols() {
		if p.Setup == nil {
			continue
		}
		s := setup(t, p.Name, kernel, 3)
		if s == nil || s.MaxFailures < 0 || s.Saves || s.Watchdogs {
			continue
		}
		j := simulate.Job{Machine: scaled(t, 1), Work: time.Millisecond, Setup: s,
			Failures: []simulate.Failure{{At: 20 * time.Millisecond, Rank: 2}}}
		for _, r := range play(t, j).Recoveries {
			if r.Protected != r.Takes || r.Placed != 0 || r.Image != (simulate.Checkpoint{}) {
				t.Errorf("%s: %+v, want it protected when it is where it was", p.Name, r)
			}
		}
	}
	// of a rank whose logger fails with another one
	j := simulate.Job{Machine: scaled(t, 1), Work: time.Millisecond, Image: 100_000_000,
		Setup:    chosen(t, "rbml", kernel, "loggers=next"),
		Failures: []simulate.Failure{{At: 20 * time.Millisecond, Rank: 2}}}
	r := play(t, j).Recoveries[0]
	// 6 ms until it runs, and then 150 ms for the image of the rank before it
	if want := 156 * time.Millisecond; !about(r.Protected, want) || r.Takes >= r.Protected {
		t.Errorf("%+v, want it protected after %v", r, want)
	}
}
