package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Distance is how far a failure takes two ranks back that receive, take an image and send in turn,
// so many times each: sends and receptions, both together.
type Distance struct {
	Turns int `json:"turns"`
	Lost  int `json:"lost"`
	// of the runs with a failure of r0 at each of its last effects, the one with the greatest loss:
	// how many effects it has performed then
	After int `json:"after"`
	Done  int `json:"done"` // sends and receptions of both in a run without a failure
	Runs  int `json:"runs"`
}

// endings is how many of the last effects of a rank a failure is tried behind.
const endings = 6

// Domino measures how far a protocol goes back on goroutines (package impl/runtime/local), in
// virtual time: no price of the emulator has a part in it. It is the failure of r0 near the end of
// the run that takes most away. A row with groups has a group for each rank.
func Domino(ctx context.Context, c *Case, turns int) (d Distance, err error) {
	run := *c
	run.Shape, run.Ranks, run.Iterations = "domino", 2, turns
	if run.Groups != nil && len(run.Groups) != 1 {
		run.Groups = alone(2)
	}
	setup, err := run.setup()
	if err != nil {
		return d, fmt.Errorf("%s: %w", &run, &refused{err})
	}
	config := local.Config{MaxSteps: 200*turns + 10_000}
	plain, err := local.Run(ctx, setup, config)
	if err != nil {
		return d, fmt.Errorf("%s on goroutines: %w", &run, err)
	}
	if !plain.Complete {
		return d, fmt.Errorf("%s on goroutines does not end: %s%s", &run, plain.Bound, plain.Panic)
	}
	d.Turns, d.Runs = turns, 1
	d.Done, _ = goneBack(&plain.Trace)
	all := plain.Performed[0]
	for after := max(1, all-endings); after <= all; after++ {
		config.Model = fault.Model{Failures: 1}
		config.Plan = plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}, By: 0,
			After: after, Survive: fault.Every}}}
		r, err := local.Run(ctx, setup, config)
		if err != nil || !r.Complete || len(r.Waits) > 0 {
			return d, fmt.Errorf("%s on goroutines, failure after %d effects: %w (%s%s %v)", &run,
				after, err, r.Bound, r.Panic, r.Waits)
		}
		d.Runs++
		if _, lost := goneBack(&r.Trace); lost > d.Lost {
			d.Lost, d.After = lost, after
		}
	}
	return d, nil
}

// goneBack is how many sends and receptions all ranks have at the end of a run, and how many they
// lose in it: where a rank stood when it was stopped, less where it goes on.
func goneBack(t *trace.Trace) (done, lost int) {
	type place struct {
		at, before int
		back       bool
	}
	ranks := make([]place, t.Layout.Ranks)
	received := make([]int, t.Layout.Ranks)
	for _, e := range t.Events {
		if int(e.Proc) >= len(ranks) {
			continue
		}
		p := &ranks[e.Proc]
		switch e.Kind {
		case trace.Crashed:
			if !p.back {
				p.before, p.back = p.at, true
			}
		case trace.Restored, trace.Resumed:
			p.at, received[e.Proc] = int(e.Sent+e.Received), int(e.Received)
		case trace.Sent, trace.Delivered:
			if e.Kind == trace.Sent { // it names its place, whatever was loaded meanwhile
				p.at = max(p.at, int(e.ID.Number)-1+received[e.Proc])
			}
			if p.back {
				lost, p.back = lost+max(0, p.before-p.at), false
			}
			p.at++
			if e.Kind == trace.Delivered {
				received[e.Proc]++
			}
		}
	}
	for i := range ranks {
		done += ranks[i].at
		if ranks[i].back {
			lost += max(0, ranks[i].before-ranks[i].at)
		}
	}
	return done, lost
}

// turns are the lengths of domino that are measured on goroutines.
var turns = []int{4, 8, 16}

// dominoes are the distances of a row, which stand beside the age of its line.
func (l *lab) dominoes(c *Cell) error {
	var lost []string
	for _, k := range turns {
		d, err := Domino(l.ctx, l.base("domino", 2, k), k)
		if errors.Is(err, ErrRefused) {
			return nil // the cell says so already
		}
		if err != nil {
			return err
		}
		l.runs, l.study.Runs = l.runs+d.Runs, l.study.Runs+d.Runs
		l.study.Distances = append(l.study.Distances, d)
		lost = append(lost, fmt.Sprintf("%d of %d", d.Lost, d.Done))
	}
	c.Figures += fmt.Sprintf("; on goroutines domino of %d, %d and %d turns loses %s", turns[0],
		turns[1], turns[2], strings.Join(lost, ", "))
	return nil
}
