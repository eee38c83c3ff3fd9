package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// ModelPlan is a kernel under a protocol on a machine of nodes of one rank behind a card of
// 1 Gb/s, in modelled time.
type ModelPlan struct {
	Kernel, Protocol, Options string
	Ranks, Clusters           int
	Work                      time.Duration // of a rank in an iteration
	Failures                  int
	// Checkpoints are taken once an interval, unit by unit, each image of so many bytes; 0 = none.
	Interval time.Duration
	Image    int64
}

// Model is what the plan gives, in seconds; parts of the recovery are zero without a failure.
type Model struct {
	None, Calm, Struck             float64 // without the protocol, with it, and with the failure
	Takes, Down, Restore, Reworked float64 // of the recovery: whole, and its parts
}

// overhead is what the protocol adds without a failure, in percent.
func (m *Model) overhead() float64 { return 100 * (m.Calm/m.None - 1) }

// model is what a plan gives, which is run once.
func (b *Bench) model(ctx context.Context, p ModelPlan) (*Model, error) {
	if b.Model == nil {
		return nil, fmt.Errorf("runs in modelled time: %w", ErrAbsent)
	}
	if m := b.models[p]; m != nil {
		return m, nil
	}
	m, err := b.Model(ctx, p)
	if err != nil {
		return nil, err
	}
	if b.models == nil {
		b.models = map[ModelPlan]*Model{}
	}
	b.models[p] = m
	return m, nil
}

// The names of the protocols of the thesis.
const (
	senderBased   = "sbml"
	receiverBased = "rbml"
	hybridLogging = "hmpl"
)

// modelRanks is how many ranks the models of the thesis have: 16 as in its Fig 6.5.
const modelRanks = 16

// modelKernels are the programs of the models: those of 6.3 with small numbers, of which each rank
// computes for a millisecond an iteration, so that communication has most of the time.
var modelKernels = map[string]string{"lu": "lu n=12", "cg": "cg", "bt": "bt n=12"}

// calm is a kernel without a failure.
func calm(kernel, protocol, options string) ModelPlan {
	p := ModelPlan{Kernel: modelKernels[kernel], Protocol: protocol, Options: options,
		Ranks: modelRanks, Work: time.Millisecond}
	if options != "" {
		p.Clusters = 2 // nodes that fail as one
	}
	return p
}

// struck is a kernel with a failure behind its checkpoint.
func struck(kernel, protocol string) ModelPlan {
	return ModelPlan{Kernel: modelKernels[kernel] + " checkpoint=1", Protocol: protocol,
		Ranks: modelRanks, Work: 100 * time.Millisecond, Failures: 1}
}

// priced is why a model decides nothing against the thesis.
const priced = "modelled, 16 nodes behind cards of 1 Gb/s, whose prices are ours"

// orAbsent answers for values of a model where no command is there to run it.
func orAbsent(got []Got, err error, values ...Value) ([]Got, error) {
	if errors.Is(err, ErrAbsent) {
		return notHere(err.Error(), values...), nil
	}
	return got, err
}

// inModel says whether a sentence holds of all kernels, with what they have shown.
func inModel(v Value, holds bool, notes []string) Got {
	return Got{Row: v.Row, Name: v.Name, Text: word(holds), Why: strings.Join(notes, "; ") + "; " +
		priced}
}

// expected are the answers of a model to Fig 1.3: without a failure, and with one.
func expected(ctx context.Context, b *Bench, quiet, failing Value) ([]Got, error) {
	faster, slower := true, true
	var overheads, recoveries []string
	for _, kernel := range []string{"lu", "cg"} {
		var over, takes [2]float64
		for i, protocol := range []string{senderBased, hybridLogging} {
			m, err := b.model(ctx, calm(kernel, protocol, ""))
			if err != nil {
				return nil, err
			}
			over[i] = m.overhead()
		}
		for i, protocol := range []string{senderBased, receiverBased} {
			m, err := b.model(ctx, struck(kernel, protocol))
			if err != nil {
				return nil, err
			}
			takes[i] = m.Takes
		}
		faster = faster && over[0] < over[1]
		slower = slower && takes[1] < takes[0]
		overheads = append(overheads, fmt.Sprintf("%s: sender-based %+.0f %%, hybrid %+.0f %%",
			kernel, over[0], over[1]))
		recoveries = append(recoveries, fmt.Sprintf("%s: receiver-based %.4f s, sender-based "+
			"%.4f s", kernel, takes[1], takes[0]))
	}
	return []Got{inModel(quiet, faster, append(overheads, "a rank sends nothing before who has "+
		"sent to it knows the order, and that has come back")),
		inModel(failing, slower, recoveries)}, nil
}

// cheaper says whether hybrid logging costs less than receiver-based, uncoordinated and semi.
func cheaper(ctx context.Context, b *Bench, kernel string, v Value) (Got, error) {
	holds, notes := true, []string{}
	for _, options := range []string{"", "mode=semi"} {
		var over [2]float64
		for i, protocol := range []string{receiverBased, hybridLogging} {
			m, err := b.model(ctx, calm(kernel, protocol, options))
			if err != nil {
				return Got{}, err
			}
			over[i] = m.overhead()
		}
		holds = holds && over[1] < over[0]
		name := "uncoordinated"
		if options != "" {
			name = "semi-coordinated"
		}
		notes = append(notes, fmt.Sprintf("%s: receiver-based %+.0f %%, hybrid %+.0f %%", name,
			over[0], over[1]))
	}
	return inModel(v, holds, notes), nil
}

// cheapestOf says whether semi-coordinated checkpoints with hybrid logging cost least, of all
// kernels.
func cheapestOf(ctx context.Context, b *Bench, v Value) (Got, error) {
	holds, notes := true, []string{}
	for _, kernel := range []string{"lu", "cg", "bt"} {
		best, err := b.model(ctx, calm(kernel, hybridLogging, "mode=semi"))
		if err != nil {
			return Got{}, err
		}
		next := math.Inf(1)
		for _, other := range []ModelPlan{calm(kernel, hybridLogging, ""),
			calm(kernel, receiverBased, "mode=semi"), calm(kernel, receiverBased, "")} {
			m, err := b.model(ctx, other)
			if err != nil {
				return Got{}, err
			}
			next = min(next, m.overhead())
		}
		holds = holds && best.overhead() < next
		notes = append(notes, fmt.Sprintf("%s: %+.0f %%, the next best %+.0f %%", kernel,
			best.overhead(), next))
	}
	return inModel(v, holds, notes), nil
}

// alike is by how much of the whole recovery stages may differ that take the same.
const alike = .02

// consumed are the answers of a model to what Fig 6.5 is said to show: hybrid logging consumes the
// log no faster, and the other stages take the same.
func consumed(ctx context.Context, b *Bench, longer, same Value) ([]Got, error) {
	later, others := true, true
	var consuming, stages []string
	for _, kernel := range []string{"lu", "cg"} {
		r, err := b.model(ctx, struck(kernel, receiverBased))
		if err != nil {
			return nil, err
		}
		h, err := b.model(ctx, struck(kernel, hybridLogging))
		if err != nil {
			return nil, err
		}
		apart := max(r.Down-h.Down, h.Down-r.Down, r.Restore-h.Restore, h.Restore-r.Restore)
		later = later && h.Reworked >= r.Reworked
		others = others && apart <= alike*r.Takes
		consuming = append(consuming, fmt.Sprintf("%s: receiver-based %.3f ms, hybrid %.3f ms",
			kernel, 1e3*r.Reworked, 1e3*h.Reworked))
		stages = append(stages, fmt.Sprintf("%s: until they run %.3f and %.3f s, until the "+
			"program goes on %.3f and %.3f ms", kernel, r.Down, h.Down, 1e3*r.Restore,
			1e3*h.Restore))
	}
	return []Got{inModel(longer, later, consuming), inModel(same, others, stages)}, nil
}

// afterwards says whether a failure costs no more than its recovery and two iterations: on as good
// a node the program then goes on as before.
func afterwards(ctx context.Context, b *Bench, v Value) (Got, error) {
	const work, iterations = 100 * time.Millisecond, 2
	m, err := b.model(ctx, ModelPlan{Kernel: "heat n=64 iterations=20 checkpoint=5",
		Protocol: receiverBased, Ranks: modelRanks, Work: work, Failures: 1})
	if err != nil {
		return Got{}, err
	}
	more := m.Struck - m.Calm - m.Takes
	return inModel(v, more <= iterations*work.Seconds(), []string{fmt.Sprintf("heat: the failure "+
		"costs %.3f s, the recovery takes %.3f s", m.Struck-m.Calm, m.Takes)}), nil
}

// covered is by what factor hybrid logging adds less, at most, to messages that go to and fro where
// a rank computes for 1.2 times the way of one to its logger.
func covered(ctx context.Context, b *Bench, v Value) (Got, error) {
	best, notes := 0., []string{}
	for _, size := range []int{64 << 10, 1 << 20} {
		put := 25*time.Microsecond + time.Duration(8*size)*time.Nanosecond // at 1 Gb/s
		var over [2]float64
		for i, protocol := range []string{receiverBased, hybridLogging} {
			m, err := b.model(ctx, ModelPlan{Protocol: protocol, Ranks: 2, Work: put * 6 / 5,
				Kernel: fmt.Sprintf("ring variant=token size=%d iterations=20", size)})
			if err != nil {
				return Got{}, err
			}
			over[i] = m.overhead()
		}
		best = max(best, over[0]/over[1])
		notes = append(notes, fmt.Sprintf("%s: receiver-based %+.0f %%, hybrid %+.0f %%",
			SizeWord(size), over[0], over[1]))
	}
	return Got{Row: v.Row, Name: v.Name, Number: best, Why: strings.Join(notes, "; ") +
		"; ours send what a reception asks for behind what they compute then, so computing " +
		"covers the way of every other message alone; " + priced}, nil
}
