package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// The prices of all runs. What is compared does not depend on them: they only keep apart what
// happens one after the other.
const (
	operation = 10 * time.Microsecond
	latency   = 100 * time.Microsecond
	jitter    = 60 * time.Microsecond // at most, where a seed is given
	detect    = 300 * time.Microsecond
	restart   = 500 * time.Microsecond
	longest   = 10 * time.Second // of a run
	mostSteps = 400_000
)

// ErrRefused is a case that the protocol does not take.
var ErrRefused = errors.New("refused")

// refused says why.
type refused struct{ why error }

// Error implements error.
func (r *refused) Error() string { return r.why.Error() }

// Is makes it an ErrRefused.
func (r *refused) Is(err error) bool { return err == ErrRefused }

// errNodes is why protocols that move ranks between nodes are not compared.
var errNodes = errors.New("its nodes fail, and here ranks do")

// Run carries a case out.
func Run(c *Case) (*Facts, error) { return run(c, true) }

// run carries a case out. Looks into the states of machines take longer than all the rest.
func run(c *Case, looks bool) (*Facts, error) {
	setup, err := c.setup()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, &refused{err})
	}
	if setup.Watchdogs {
		return nil, fmt.Errorf("%s: %w", c, &refused{errNodes})
	}
	p := newProbe(c, setup)
	if p.run, err = emulate.New(p.setup, p.config()); err != nil {
		return nil, fmt.Errorf("%s: %w", c, &refused{err})
	}
	p.looks = looks
	p.plan()
	result, err := p.run.Run()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	p.end(result)
	return p.facts, nil
}

// setup prepares the protocol for the program.
func (c *Case) setup() (*core.Setup, error) {
	text, err := c.text()
	if err != nil {
		return nil, err
	}
	ranks, programs, err := script.Parse(text, 1)
	if err != nil {
		return nil, err
	}
	request := protocol.Request{Layout: core.Layout{Names: ranks, Ranks: len(ranks)},
		Programs: programs, Options: c.Options}
	if c.Groups != nil {
		request.Layout.Clusters = make([]int, len(ranks))
		for g, members := range c.Groups {
			for _, r := range members {
				request.Layout.Clusters[r] = g
			}
		}
	}
	if c.Tolerates > 0 {
		if !c.Protocol.Chooses {
			return nil, fmt.Errorf("protocol %s does not let one choose how many failures it "+
				"tolerates", c.Protocol.Name)
		}
		request.Tolerates = &c.Tolerates
	}
	if err := c.Protocol.Accept(c.Options); err != nil {
		return nil, err
	}
	return c.Protocol.Make(request)
}

// text is the program, with checkpoints behind so many iterations where the plan has them there.
func (c *Case) text() (string, error) {
	text, err := script.Generate(fmt.Sprintf("%s %d %d", c.Shape, c.Ranks, c.Iterations))
	if err != nil || c.Images.Iterations == 0 {
		return text, err
	}
	every := min(c.Images.Iterations, c.Iterations)
	head := fmt.Sprintf("loop %d; ", c.Iterations)
	if strings.Count(text, head) != c.Ranks {
		return "", fmt.Errorf("program %s has no iterations that all ranks share: images of the "+
			"program have no place there", c.Shape)
	}
	text = strings.ReplaceAll(text, head, fmt.Sprintf("loop %d; loop %d; ", c.Iterations/every,
		every))
	return strings.ReplaceAll(text, "end\n", "end; checkpoint; end\n"), nil
}

// config says what the run costs, and who watches.
func (p *probe) config() emulate.Config {
	count := map[[2]core.Proc]uint64{}
	return emulate.Config{
		Costs: emulate.Costs{Operation: operation, Between: emulate.Link{Latency: latency},
			Within: emulate.Link{Latency: latency},
			Disk:   emulate.Disk{Sync: p.facts.Case.Write, Small: 1 << 40},
			Detect: detect, Restart: restart, Launch: restart, Tick: time.Millisecond},
		Observe: p.observe, Keep: true, Until: longest, Steps: mostSteps,
		Carry: func(_ *emulate.Run, from, to core.Proc, _ core.Message) (w emulate.Carriage) {
			if seed := p.facts.Case.Seed; seed > 0 {
				way := [2]core.Proc{from, to}
				count[way]++
				w.Wait = time.Duration(core.Mix(seed+core.Mix(uint64(from)<<32|uint64(to))+
					count[way]) % uint64(jitter))
			}
			return w
		}}
}

// plan puts requests, failures and looks into machines into the run.
func (p *probe) plan() {
	c := p.facts.Case
	for i := range c.Failures {
		p.pending++
		p.run.After(c.Failures[i].At, func() { p.fail(&c.Failures[i]) })
	}
	if p.looks {
		var look func()
		look = func() {
			p.look()
			p.run.After(between, look)
		}
		p.run.After(between, look)
	}
	if c.Images.Every == 0 {
		return
	}
	units := p.units()
	for i, unit := range units {
		at := c.Images.Every * time.Duration(2*i+1) / time.Duration(2*len(units))
		if c.Images.Equal {
			at = c.Images.Every / 2
		}
		var ask func()
		ask = func() {
			p.facts.Asked = append(p.facts.Asked, Ask{i, unit, p.run.Now()})
			p.run.Request(p.initiator(unit).Proc())
			p.run.After(c.Images.Every, ask)
		}
		p.run.After(at, ask)
	}
}

// between is the time from one look into the machines to the next.
const between = 500 * time.Microsecond

// units are who is asked for images: groups in which one rank asks for all; of others each rank.
func (p *probe) units() (units [][]core.Rank) {
	for _, group := range p.facts.Case.Groups {
		askers := slices.DeleteFunc(slices.Clone(group), func(r core.Rank) bool {
			return !slices.Contains(p.setup.Initiators, r.Proc())
		})
		if len(askers) < 2 {
			units = append(units, group)
			continue
		}
		for _, r := range group {
			units = append(units, []core.Rank{r})
		}
	}
	if units == nil {
		units = alone(p.ranks)
	}
	return units
}

// initiator is who is asked in a unit: who the protocol has the environment ask, or the first one.
func (p *probe) initiator(unit []core.Rank) core.Rank {
	for _, r := range unit {
		if slices.Contains(p.setup.Initiators, r.Proc()) {
			return r
		}
	}
	return unit[0]
}

// fail is a failure.
func (p *probe) fail(f *Failure) {
	p.pending--
	l := Loss{At: p.run.Now(), Failed: f.Ranks, Lost: make([]int, p.ranks)}
	p.facts.Losses = append(p.facts.Losses, l)
	p.chains.begin()
	var procs []core.Proc
	for _, r := range f.Ranks {
		procs = append(procs, r.Proc())
	}
	p.run.Crash(procs...)
}

// observe follows crashes.
func (p *probe) observe(_ *emulate.Run, e trace.Event) {
	if int(e.Proc) >= p.ranks {
		if e.Kind == trace.Crashed {
			p.memory.crash(e.Proc)
			p.chains.crash(e.Proc)
		}
		return
	}
	if e.Kind == trace.Crashed {
		p.crashed(e.Proc)
	}
}

// finished is a program that is at its end, which it has come to, or been restored to.
func (p *probe) finished(t *tap) {
	p.done[t.proc] = true
	p.facts.Finals[t.proc] = t.host.History().Digest
	if !slices.Contains(p.done, false) && p.pending == 0 {
		p.facts.Elapsed = p.run.Now()
		p.run.End()
	}
}

// end is the end of the run.
func (p *probe) end(result *emulate.Result) {
	f := p.facts
	f.Ended = !slices.Contains(p.done, false)
	if !f.Ended {
		f.Elapsed, f.Bound = result.Elapsed, result.Bound
		if f.Bound == "" {
			f.Bound = "nothing can happen any more"
		}
	}
	for r := range p.ranks {
		p.goesOn(core.Proc(r))
	}
	p.memory.sum(&f.Log, p)
	f.Images = p.images.list()
}
