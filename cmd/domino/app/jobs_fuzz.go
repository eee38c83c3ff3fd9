package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/fuzz"
)

// fuzzScenarios is how many scenarios a job of fuzz has: with 40 runs each about a second where
// they are slow. It depends on nothing, so that a campaign that is resumed has the same jobs.
const fuzzScenarios = 8

// fuzzJob is a range of scenarios of a seed.
type fuzzJob struct {
	Protocol string        `json:"protocol"`
	Variant  string        `json:"variant"`
	Seed     uint64        `json:"seed"`
	Mix      []fuzz.Share  `json:"mix"`
	StepTime time.Duration `json:"stepTime,omitempty"`
	First    uint64        `json:"first"`
	Count    int           `json:"count"`
}

// perform draws them.
func (j fuzzJob) perform(ctx context.Context, std *streams, _ func(any)) (any, any, error) {
	if j.Count < 1 || j.Count > 1<<12 {
		return nil, nil, fmt.Errorf("%d scenarios in a job, want 1 to %d", j.Count, 1<<12)
	}
	target, err := fuzz.TargetOf(std.Protocols(), j.Protocol, j.Variant)
	if err != nil {
		return nil, nil, err
	}
	list, err := fuzz.Try(ctx, target, fuzz.Options{Seed: j.Seed, Mix: j.Mix,
		StepTime: j.StepTime}, j.First, j.Count)
	return list, nil, err
}

// elsewhere has the scenarios of a protocol drawn by a campaign.
func (f *farm) elsewhere(name, variant string, o fuzz.Options) fuzz.Elsewhere {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, first uint64, take func(fuzz.Shown) (bool, error)) error {
		err := f.Each(ctx, campaign.Batch{Kind: "fuzz", Class: classOf("fuzz"),
			Job: func(i int) ([]byte, bool, error) {
				return encodeJob(fuzzJob{Protocol: name, Variant: variant, Seed: o.Seed, Mix: o.Mix,
					StepTime: o.StepTime, First: first + uint64(i)*fuzzScenarios,
					Count: fuzzScenarios}), true, nil
			},
			Take: func(i int, a *campaign.Answer) (bool, error) {
				from := first + uint64(i)*fuzzScenarios
				return takeShown(a, from, take)
			}})
		if err != nil && ctx.Err() == nil && !errors.Is(err, fuzz.ErrGap) {
			f.wrong = err
		}
		if errors.Is(err, campaign.ErrCancelled) {
			return fmt.Errorf("%w: %w", err, fuzz.ErrGap)
		}
		return err
	}
}

// takeShown hands over what a job has shown.
func takeShown(a *campaign.Answer, from uint64, take func(fuzz.Shown) (bool, error)) (bool, error) {
	scope := fmt.Sprintf("scenarios %d to %d", from, from+fuzzScenarios-1)
	switch {
	case a.Spent > 0:
		return false, fmt.Errorf("%s: %s: %w", scope, spent(a), fuzz.ErrGap)
	case a.Failed != "":
		return false, fmt.Errorf("%s, by %s: %s", scope, a.Worker, a.Failed)
	}
	var list []fuzz.Shown
	if err := campaign.Decode(a.Data, &list); err != nil {
		return false, fmt.Errorf("%s, by %s: %w", scope, a.Worker, err)
	}
	for i, s := range list {
		if s.Number != from+uint64(i) {
			return false, fmt.Errorf("%s, by %s: number %d in the place of %d", scope, a.Worker,
				s.Number, from+uint64(i))
		}
		if more, err := take(s); err != nil || !more {
			return false, err
		}
	}
	if n := len(list); n != fuzzScenarios && (n == 0 || list[n-1].Broken == "") {
		return false, fmt.Errorf("%s, by %s: %d answers", scope, a.Worker, n)
	}
	return true, nil
}
