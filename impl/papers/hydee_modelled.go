package papers

import (
	"context"
	"fmt"
	"time"
)

// hydeeBurst is what section VI says of checkpoints at the same time, beside those of one cluster
// after the other.
func hydeeBurst() Claim {
	together := sentence("all at the same time may slow the application down", so, Modelled)
	spread := sentence("one cluster after the other avoids that", so, Modelled)
	return Claim{ID: "vi-25", Where: "section VI", Method: Modelled,
		Says: "checkpoints at the same time make a burst of I/O, which protocols that schedule " +
			"those of clusters avoid",
		Values: []Value{together, spread},
		Why: "what checkpoints add to a run, of which two are taken, by the same store; the " +
			"coordinated ones block: all wait until the last image is stored",
		Command: "domino simulate heat n=64 iterations=200 --protocol coordinated,hydee --ranks " +
			"16 --work 100ms --machine ethernet-1g --image 10000000 --interval 10s",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			got, err := burst(ctx, b, together, spread)
			return orAbsent(got, err, together, spread)
		}}
}

// burst is what checkpoints add: to a coordinated run by the size of its images, and to one of
// HydEE, by clusters.
func burst(ctx context.Context, b *Bench, together, spread Value) ([]Got, error) {
	const large, small = 10_000_000, 2_000_000
	added := func(protocol string, image int64) (float64, error) {
		plan := ModelPlan{Kernel: "heat n=64 iterations=200", Protocol: protocol,
			Ranks: modelRanks, Clusters: 4, Work: 100 * time.Millisecond}
		without, err := b.model(ctx, plan)
		if err != nil {
			return 0, err
		}
		plan.Interval, plan.Image = 10*time.Second, image
		with, err := b.model(ctx, plan)
		if err != nil {
			return 0, err
		}
		return with.Calm - without.Calm, nil
	}
	all, err := added("coordinated", large)
	if err != nil {
		return nil, err
	}
	few, err := added("coordinated", small)
	if err != nil {
		return nil, err
	}
	clusters, err := added("hydee", large)
	if err != nil {
		return nil, err
	}
	return []Got{
		inModel(together, all > few && few > 0, []string{fmt.Sprintf("coordinated: images of "+
			"%d MB add %.3f s, of %d MB %.3f s", large/1_000_000, all, small/1_000_000, few)}),
		inModel(spread, clusters < all/modelRanks, []string{fmt.Sprintf("HydEE, four clusters: "+
			"images of %d MB add %.3f s", large/1_000_000, clusters)}),
	}, nil
}
