package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/spec/promise"
)

// oracleTime bounds the exploration of the program without failures, from which the judge knows how
// it ends.
const oracleTime = 5 * time.Second

// kernelPrefix begins the program of a scenario that is a kernel.
const kernelPrefix = "kernel "

// orders reports whether the program is a kernel that may be none for its protocol, which needs a
// send-deterministic one.
func (c *clusterCase) orders() (bool, error) {
	text, kernel := strings.CutPrefix(c.scenario.Shape, kernelPrefix)
	if !kernel || c.resolved.Setup.Promises.Needs < promise.SendDeterministic {
		return false, nil
	}
	return kernels.Orders(text)
}

// open prepares the judge; the reason says in what the case is beyond the promises of the protocol.
func (c *clusterCase) open(ctx context.Context) (reason string, err error) {
	q := c.resolved.Case
	orders, err := c.orders()
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(c.scenario.Shape, kernelPrefix) && !orders {
		q.Baseline = nil // too large to explore, and the digests tell more
		c.unknown = "of the program the judge knows only the failure-free run"
	}
	bounds := checker.Options{MaxTime: oracleTime, MaxStates: 1 << 20}
	if orders {
		// only the smallest may do after all
		bounds.MaxStates, bounds.MaxTime = 1<<13, oracleTime/10
	}
	w, reason, err := world.Open(ctx, q, bounds)
	if errors.Is(err, checker.ErrBound) && ctx.Err() == nil {
		if orders && !c.scenario.Force {
			return fmt.Sprintf("protocol %s needs a send-deterministic program, and %s sends by "+
				"the order in which messages arrive: take a protocol that needs less of programs",
				c.scenario.Protocol, c.scenario.Shape), nil
		}
		q.Baseline = nil
		c.unknown = "the program is too large to explore: the judge knows only the failure-free run"
		w, reason, err = world.Open(ctx, q, checker.Options{})
	}
	if err != nil || reason != "" && !c.scenario.Force {
		return reason, err
	}
	c.facts = w.Facts
	c.judge, err = soak.NewJudge(w.Facts)
	return "", err
}
