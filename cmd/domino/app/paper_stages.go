package app

import (
	"context"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// stagesClaimed runs a recovery of RADIC in modelled time for a claim: once without a failure,
// which says when the images of the last node are stored, and once with it.
func (std streams) stagesClaimed(ctx context.Context, p papers.StagesPlan) (*papers.Stages, error) {
	under, err := std.Find(p.Protocol)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	suite, err := kernels.Build(fmt.Sprintf("%s ranks=%d", p.Kernel, p.Ranks))
	if err != nil {
		return nil, err
	}
	setup, _, err := simulate.Prepare(under, suite, protocol.Request{Options: p.Options})
	if err != nil {
		return nil, err
	}
	machine, err := simulate.Shipped("ethernet-1g")
	if err != nil {
		return nil, err
	}
	j := &simulate.Job{Machine: machine, Setup: setup, Work: p.Work, Image: p.Image}
	last := core.Rank(p.Ranks - 1)
	return heard(ctx, func() (*papers.Stages, error) {
		calm, err := j.Run()
		if err != nil {
			return nil, err
		}
		var stored int64
		for r, node := range setup.Layout.Nodes[:p.Ranks] {
			if node == setup.Layout.Nodes[last] {
				stored = max(stored, calm.Saved[r].Stored)
			}
		}
		j.Failures = []simulate.Failure{{At: time.Duration(stored/1000) + p.Wait, Rank: last}}
		out, err := j.Run()
		if err != nil {
			return nil, err
		}
		if len(out.Recoveries) != 1 || out.Recoveries[0].Image.Stored == 0 {
			return nil, fmt.Errorf("%s under %s ends at %.3g s, before the failure at %v of a "+
				"node whose images are stored", p.Kernel, p.Protocol, modelled(calm.Completion),
				j.Failures[0].At)
		}
		return stagesOf(out), nil
	})
}

// stagesOf is where the time has gone in a run with one failure.
func stagesOf(out *simulate.Outcome) *papers.Stages {
	f := failureOf(&out.Recoveries[0])
	total := modelled(out.Completion)
	return &papers.Stages{Before: f.Image.Began, Making: f.Image.Made - f.Image.Began,
		Storing: f.Image.Stored - f.Image.Made, Waiting: f.At - f.Image.Stored,
		Finding: f.Placed, Starting: f.Down - f.Placed, Fetching: f.Fetched,
		Loading: f.Restore - f.Fetched, Consuming: f.Again, After: total - f.At - f.Takes,
		Total: total, Protecting: f.whole() - f.Takes}
}
