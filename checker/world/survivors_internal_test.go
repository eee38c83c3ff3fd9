package world

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// Aim: the reference of jobs that run on is asked for as many deaths as there may be, no fewer.
// Method: a node with two of four ranks, and ranks that move.
func TestDeaths(t *testing.T) {
	setup := &core.Setup{Layout: core.Layout{Ranks: 4, Nodes: []core.Proc{4, 4, 5, 6}}}
	for _, tt := range []struct {
		failures, suspicions, want int
		answers                    []promise.Answer
	}{
		{0, 0, 0, nil}, {1, 0, 2, nil}, {1, 1, 4, nil}, {3, 0, 4, nil},
		{1, 0, 4, []promise.Answer{promise.RestoresAll}},
		{1, 0, 2, []promise.Answer{promise.GivesUp}},
	} {
		setup.Policies = nil
		for _, a := range tt.answers {
			setup.Policies = append(setup.Policies, promise.Policy{Name: "p", Answer: a})
		}
		c := Case{Setup: setup, Model: fault.Model{Failures: tt.failures,
			Suspicions: tt.suspicions}}
		if got := c.deaths(); got != tt.want {
			t.Errorf("%d failures, %d suspicions, %v: %d deaths, want %d", tt.failures,
				tt.suspicions, tt.answers, got, tt.want)
		}
	}
}
