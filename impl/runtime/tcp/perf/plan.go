package perf

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// Baseline is the protocol that overheads refer to.
const Baseline = protocol.Baseline

// Cell is a kernel under a protocol.
type Cell struct {
	Kernel   string `json:"kernel"` // a name that no other kernel of the plan has
	Program  string `json:"program"`
	Ranks    int    `json:"ranks"`
	Protocol string `json:"protocol"`
	Repeats  bool   `json:"repeats"` // all runs end in the same states, whatever arrives first
	// of the protocol: who is in which cluster, "" without clusters, and its options
	Clusters string `json:"clusters,omitempty"`
	Options  string `json:"options,omitempty"`
}

// Kind says what a run is for.
type Kind string

// The kinds of runs.
const (
	Bare   Kind = "bare"   // without failures and without evidence
	Calm   Kind = "calm"   // without failures, with the evidence that one with failures needs
	Failed Kind = "failed" // with failures
)

// Plan says what is measured.
type Plan struct {
	Cells  []Cell `json:"cells"` // those of one kernel behind each other
	Rounds int    `json:"rounds"`
	Seed   uint64 `json:"seed"` // of the order
	// besides bare runs one calm and one with failures of each cell but those of the baseline
	Kills bool `json:"kills"`
	// how often protocols that can be asked for checkpoints are; 0: never
	Every time.Duration `json:"every,omitempty"`
	// styles of package chart, of the protocols that have the same in all figures
	Styles map[string]int `json:"-"`
}

// maxRounds bounds what is kept.
const maxRounds = 10_000

// Validate reports what is wrong with a plan.
func (p *Plan) Validate() error {
	if len(p.Cells) == 0 {
		return errors.New("nothing to measure: no kernel and protocol are left")
	}
	if p.Rounds < 1 || p.Rounds > maxRounds {
		return fmt.Errorf("%d rounds, want [1, %d]", p.Rounds, maxRounds)
	}
	for i, c := range p.Cells {
		if slices.ContainsFunc(p.Cells[:i], func(o Cell) bool {
			return o.Kernel == c.Kernel && o.Protocol == c.Protocol
		}) {
			return fmt.Errorf("kernel %s with protocol %s is there twice", c.Kernel, c.Protocol)
		}
	}
	return nil
}

// turn is one run of the plan.
type turn struct {
	round int
	cell  Cell
	kind  Kind
}

// turns are all runs in their order: in each round the kernels shuffled, and of a kernel the
// protocols shuffled, so that those that are compared are neighbours. A calm run comes right before
// the one with failures.
func (p *Plan) turns() []turn {
	random := rand.New(rand.NewPCG(p.Seed, 1))
	var list []turn
	for round := range p.Rounds {
		kernels := p.Kernels()
		random.Shuffle(len(kernels), func(i, j int) {
			kernels[i], kernels[j] = kernels[j], kernels[i]
		})
		for _, k := range kernels {
			var cells []Cell
			for _, c := range p.Cells {
				if c.Kernel == k {
					cells = append(cells, c)
				}
			}
			random.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			for _, c := range cells {
				list = append(list, turn{round, c, Bare})
			}
			for _, c := range cells {
				if p.Kills && c.Protocol != Baseline {
					list = append(list, turn{round, c, Calm}, turn{round, c, Failed})
				}
			}
		}
	}
	return list
}

// Runs is how many runs the plan has.
func (p *Plan) Runs() int { return len(p.turns()) }

// Kernels are the names of the kernels in their order.
func (p *Plan) Kernels() (list []string) {
	for _, c := range p.Cells {
		if !slices.Contains(list, c.Kernel) {
			list = append(list, c.Kernel)
		}
	}
	return list
}

// Protocols are the names of the protocols in their order.
func (p *Plan) Protocols() (list []string) {
	for _, c := range p.Cells {
		if !slices.Contains(list, c.Protocol) {
			list = append(list, c.Protocol)
		}
	}
	return list
}

// Runner makes one run of a cell. For one with failures it is told how long the programs took in
// the calm run before it.
type Runner func(ctx context.Context, c Cell, kind Kind, calm time.Duration) (*cluster.Result,
	error)

// Measure makes the runs, calls each for every sample, and returns the samples: those so far when
// the context ends. An error comes with the samples before it. A run in which a process does what
// real processes can not (cluster.ErrModel) is a sample that says so, and the others are made.
func Measure(ctx context.Context, p *Plan, run Runner, each func(Sample)) ([]Sample, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var samples []Sample
	var last Sample
	refused := false // the run before was none for real processes
	for _, t := range p.turns() {
		if ctx.Err() != nil {
			break
		}
		s := Sample{Kernel: t.cell.Kernel, Protocol: t.cell.Protocol, Round: t.round, Kind: t.kind,
			Bound: last.Bound}
		if t.kind != Failed || !refused { // else it is not known when to fail
			result, err := run(ctx, t.cell, t.kind, last.Time)
			refused = errors.Is(err, cluster.ErrModel)
			switch {
			case ctx.Err() != nil:
				return samples, nil // it was cut short
			case refused:
				s.Bound = err.Error()
			case err != nil:
				return samples, fmt.Errorf("kernel %s with protocol %s: %w", t.cell.Kernel,
					t.cell.Protocol, err)
			default:
				s = newSample(t, result)
			}
		}
		last = s
		samples = append(samples, s)
		if each != nil {
			each(s)
		}
	}
	return samples, nil
}
