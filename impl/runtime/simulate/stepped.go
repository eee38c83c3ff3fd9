package simulate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
)

// The price of a step is searched in so many nanoseconds.
const mostStep = 1_000_000

// smallest are the sizes at which a step counts for more than bytes do.
const smallest = 1 << 10

// protocol finds what a step under a protocol takes. The residual is that of the trips, over all
// sizes.
func (c *calibration) protocol(p *Stepped) error {
	if len(p.Trips) == 0 {
		return errors.New("no trips were measured")
	}
	c.header(p)
	name := "step." + p.Protocol.Name
	with := func(step int64) *Machine {
		return c.machine.With(Parameter{Name: name, Value: float64(step), Unit: "ns"})
	}
	find := c.stepOfTrips
	if len(p.Rounds) > 0 {
		find = c.stepOfRounds
	}
	step, source, err := find(p, with)
	if err != nil {
		return err
	}
	var squares float64
	for _, t := range p.Trips {
		takes, err := halfTrip(with(step), p, t.Bytes)
		if err != nil {
			return err
		}
		squares += (takes/t.Nanos - 1) * (takes/t.Nanos - 1)
	}
	c.add(name, float64(step), "ns", source, math.Sqrt(squares/float64(len(p.Trips))))
	return nil
}

// stepOfTrips is the step with which the modelled trip of a small message takes what was measured,
// the median over small sizes.
func (c *calibration) stepOfTrips(p *Stepped, with func(int64) *Machine) (int64, string, error) {
	var steps []int64
	for i, t := range p.Trips {
		if i > 0 && t.Bytes > smallest {
			break
		}
		step, err := leastStep(t.Nanos, func(step int64) (float64, error) {
			return halfTrip(with(step), p, t.Bytes)
		})
		if err != nil {
			return 0, "", err
		}
		steps = append(steps, step)
	}
	slices.Sort(steps)
	return steps[len(steps)/2], fmt.Sprintf("%s, memory: half a round trip of the smallest "+
		"messages, median of %d sizes", c.How, len(steps)), nil
}

// stepOfRounds is the step with which an iteration of a busy ring takes so much longer than without
// the protocol as was measured: of more than one ring the mean, as a message costs more the more
// processes take turns on a core.
func (c *calibration) stepOfRounds(p *Stepped, with func(int64) *Machine) (int64, string, error) {
	var sum int64
	var sizes []string
	for _, r := range p.Rounds {
		if r.Ranks < 2 || r.Bytes < 1 || math.IsNaN(r.More) || math.IsInf(r.More, 0) {
			return 0, "", fmt.Errorf("a round of %d ranks and %d bytes takes %v ns more", r.Ranks,
				r.Bytes, r.More)
		}
		none, err := iteration(c.machine, p.Protocol, &r, false)
		if err != nil {
			return 0, "", err
		}
		step, err := leastStep(none+r.More, func(step int64) (float64, error) {
			return iteration(with(step), p.Protocol, &r, true)
		})
		if err != nil {
			return 0, "", err
		}
		sum += step
		sizes = append(sizes, fmt.Sprint(r.Ranks))
	}
	return sum / int64(len(p.Rounds)), fmt.Sprintf("measured: a round of %s busy ranks on %d "+
		"cores less one of none, mean", strings.Join(sizes, " and "), c.Computer.Cores), nil
}

// leastStep is the least step with which what is modelled takes as long as was measured.
func leastStep(measured float64, modelled func(step int64) (float64, error)) (int64, error) {
	low, high := int64(1), int64(mostStep)
	for low < high {
		step := (low + high) / 2
		takes, err := modelled(step)
		if err != nil {
			return 0, err
		}
		if takes >= measured {
			high = step
		} else {
			low = step + 1
		}
	}
	return low, nil
}

// header finds what a step takes longer for what the protocol adds to its messages.
func (c *calibration) header(p *Stepped) {
	if len(p.Timed) == 0 {
		return
	}
	nanos, residual, ok := headerCost(p.Timed)
	source := "measured: least times of the same steps in a repeated run, slope over what the " +
		"protocol has added to their messages"
	if !ok {
		source = "what the protocol adds to messages has one size: the price of a step has it"
	}
	c.machine.Parameters = append(c.machine.Parameters, Parameter{
		Name: headerPrice(p.Protocol.Name), Value: math.Round(nanos), Unit: "ns/KiB",
		Source: source, Residual: math.Round(residual*1e4) / 1e4})
}

// halfTrip is half a round trip of two ranks of a node in nanoseconds. They have a core each, and
// what else the protocol has is idle, so that nobody waits to be woken.
func halfTrip(m *Machine, p *Stepped, bytes int64) (float64, error) {
	clusters := []int{0, 1}
	if p.Together {
		clusters[1] = 0
	}
	lap, err := ringLap(m.With(Parameter{Name: "wake", Value: 0, Unit: "ns"}), p.Protocol, clusters,
		fmt.Sprintf("variant=token size=%d", bytes), true)
	return lap / 2, err
}

// iteration is what one of a busy ring of ranks takes in nanoseconds, each in a cluster of its own,
// under a protocol or without one.
func iteration(m *Machine, p *protocol.Protocol, r *Round, under bool) (float64, error) {
	clusters := make([]int, r.Ranks)
	for i := range clusters {
		clusters[i] = i
	}
	return ringLap(m, p, clusters, fmt.Sprintf("size=%d", r.Bytes), under)
}

// ringLap is what an iteration of the ring of the ranks of one node takes in nanoseconds: the
// difference between runs of many and of few.
func ringLap(m *Machine, p *protocol.Protocol, clusters []int, options string,
	under bool) (float64, error) {
	const few, many = 10, 40
	var ends [2]int64
	for i, laps := range []int{few, many} {
		suite, err := kernels.Build(fmt.Sprintf("ring ranks=%d %s iterations=%d", len(clusters),
			options, laps))
		if err != nil {
			return 0, err
		}
		request := protocol.Request{}
		request.Layout.Clusters = slices.Clone(clusters)
		setup, base, err := Prepare(p, suite, request)
		if err != nil {
			return 0, err
		}
		if !under {
			setup = base
		}
		out, err := (&Job{Machine: m.With(Parameter{Name: "ranks", Value: float64(len(clusters)),
			Unit: "1"}), Setup: setup, Steps: 1 << 20}).Run()
		if err != nil {
			return 0, err
		}
		ends[i] = out.Completion
	}
	return float64(ends[1]-ends[0]) / 1000 / (many - few), nil
}
