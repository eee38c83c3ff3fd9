package app

import (
	"io"
	"math"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/papers"
)

// Aim: the stages of a recovery in modelled time follow each other to the end of the run, and those
// of images are what two of them on a node take: 125 MB copied at 5 GB/s, a second each on a card
// of 1 Gb/s, 2 s to look for a node, 2 s to start there. A failure that comes too late is an error.
func TestStagesClaimed(t *testing.T) {
	std := streams{Catalogue: catalogue(), out: io.Discard, err: io.Discard}
	plan := papers.StagesPlan{Kernel: "heat n=24 iterations=30 checkpoint=20",
		Protocol: "radic-hmpl", Options: "nodes=4 spares=1", Ranks: 8, Image: 125_000_000,
		Work: 500 * time.Millisecond, Wait: time.Second}
	s, err := std.stagesClaimed(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	sum := s.Before + s.Making + s.Storing + s.Waiting + s.Finding + s.Starting + s.Fetching +
		s.Loading + s.Consuming + s.After
	if math.Abs(sum-s.Total) > 1e-9 || s.Protecting <= 0 {
		t.Errorf("%+v, %g in all", s, sum)
	}
	for name, v := range map[string]struct{ got, want float64 }{"making": {s.Making, .025},
		"storing": {s.Storing, 2.025}, "waiting": {s.Waiting, 1}, "finding": {s.Finding, 2},
		"starting": {s.Starting, 2}, "fetching": {s.Fetching, 2.025},
		"loading": {s.Loading, .025}} {
		if v.got < v.want-.001 || v.got > v.want+.03 {
			t.Errorf("%s takes %g s, want %g", name, v.got, v.want)
		}
	}
	plan.Wait = time.Hour
	if _, err := std.stagesClaimed(t.Context(), plan); err == nil {
		t.Error("a failure behind the end is taken")
	}
}
