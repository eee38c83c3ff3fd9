package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/census"
	"github.com/domino-check/domino/scenarios"
)

// bench is what the claims of papers are made with: it explores with the protocols of this command,
// of which a stranger's may lack some.
func (std streams) bench() *papers.Bench {
	return &papers.Bench{Check: std.checkClaim, Errata: std.errataClaimed,
		Experiment: std.experimentClaimed, Run: std.runClaimed, Ends: std.endsClaimed,
		Perf: std.perfClaimed, Netpipe: std.netpipeClaimed, Compare: std.compareClaimed,
		Model: std.modelClaimed, Stages: std.stagesClaimed}
}

// modelClaimed runs a kernel in modelled time for a claim.
func (std streams) modelClaimed(ctx context.Context, p papers.ModelPlan) (*papers.Model, error) {
	if _, err := std.Find(p.Protocol); err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	f := &simulateFlags{protocols: []string{p.Protocol}, options: p.Options,
		machine: "ethernet-1g", clusters: strconv.Itoa(max(1, p.Clusters)), work: p.Work,
		failures: p.Failures, image: p.Image, seed: 1}
	if p.Interval > 0 {
		f.interval = p.Interval.String()
	}
	s, err := std.simulation(f, []string{p.Kernel})
	if err != nil {
		return nil, err
	}
	point, err := heard(ctx, func() (*simulatedPoint, error) {
		return s.point(s.under[0], p.Ranks)
	})
	if err != nil {
		return nil, err
	}
	m := &papers.Model{None: point.Base, Calm: point.Calm}
	if f := point.Struck; f != nil && len(f.Failures) > 0 {
		one := &f.Failures[0]
		m.Struck, m.Takes = f.Completion, one.Takes
		m.Down, m.Restore, m.Reworked = one.Down, one.Restore, one.Again
	}
	return m, nil
}

// runClaimed runs a program once for a claim, and counts.
func (std streams) runClaimed(ctx context.Context, name, program string, late bool) (*census.Counts,
	error) {
	if _, err := std.Find(name); err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	s, err := scenarios.Parse("claim.txtar", []byte("A program of a claim\n-- scenario --\n"+
		"protocol: "+name+"\n-- program --\n"+program))
	if err != nil {
		return nil, err
	}
	r, err := verify.Resolve(std.Protocols(), s)
	if err != nil {
		return nil, err
	}
	return heard(ctx, func() (*census.Counts, error) {
		n, err := census.Count(r.Setup, 1, late)
		return &n, err
	})
}

// experimentClaimed carries out an experiment for a claim.
func (std streams) experimentClaimed(ctx context.Context, name string) (*protocol.Findings,
	error) {
	for _, p := range std.Protocols() {
		for _, e := range p.Experiments {
			if e.Name == name {
				return e.Run(protocol.ExperimentOptions{
					Tell: func(string) error { return ctx.Err() }})
			}
		}
	}
	return nil, papers.ErrAbsent
}

// checkClaim explores a scenario for a claim.
func (std streams) checkClaim(ctx context.Context, name, variant string) (*papers.Answer, error) {
	s, err := std.Scenario(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	command := "domino check " + name
	if variant != "" && variant != s.Variant {
		s.Variant, command = variant, command+" --variant "+variant
	}
	a, err := verify.Check(ctx, std.Protocols(), s, verify.Options{})
	if err != nil {
		return nil, err
	}
	return claimAnswer(a, command), nil
}

// endsClaimed follows all schedules of a scenario without failures to their ends. Few states: it
// leaves nothing out, so that the ends are all there are.
func (std streams) endsClaimed(ctx context.Context, name string) (ends []papers.End, err error) {
	s, err := std.Scenario(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	r, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	w, reason, err := world.Open(ctx, r.Case, checker.Options{})
	if err != nil || w == nil {
		return nil, fmt.Errorf("%s: %s: %w", name, reason, err)
	}
	first := make([]uint32, w.Words())
	w.Initial(first)
	seen, left := map[string]bool{fmt.Sprint(first): true}, [][]uint32{first}
	for len(left) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		state := left[len(left)-1]
		left = left[:len(left)-1]
		texts, x := w.Enabled(state)
		if len(texts) == 0 {
			end, err := endOf(w, state, r.Setup.Layout)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			ends = append(ends, end)
		}
		for i := range texts {
			next := slices.Clone(x.State(i, nil))
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				left = append(left, next)
			}
		}
	}
	return ends, nil
}

// endOf is what claims read of a state: the phases of what was delivered, and of the ranks.
func endOf(w *world.World, state []uint32, layout core.Layout) (papers.End, error) {
	end := papers.End{Messages: map[string]uint64{}, Procs: map[string]uint64{}}
	for p := range core.Proc(layout.Ranks) {
		var local struct {
			Program struct {
				History struct {
					Delivered []struct {
						ID    string
						Stamp struct{ Phase uint64 }
					}
				}
			}
			Protocol struct{ Phase uint64 }
		}
		if err := json.Unmarshal(w.LocalJSON(state, p), &local); err != nil {
			return end, err
		}
		end.Procs[layout.Name(p)] = local.Protocol.Phase
		for _, d := range local.Program.History.Delivered {
			end.Messages[d.ID] = d.Stamp.Phase
		}
	}
	return end, nil
}

// errataClaimed looks at errata for a claim.
func (std streams) errataClaimed(ctx context.Context, name string, ids ...string) (
	shown []papers.Shown, err error) {
	if _, err := std.Find(name); err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	list, err := std.Errata(name, ids...)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Asked() == nil {
			continue
		}
		if err := e.Explore(verify.Options{}, func(s *scenarios.Scenario, o verify.Options) (
			*verify.Answer, error) {
			return verify.Check(ctx, std.Protocols(), s, o)
		}); err != nil {
			return nil, err
		}
		command := "domino errata " + name + " " + e.ID
		shown = append(shown, papers.Shown{ID: e.ID, Scenario: e.Scenario, Quote: e.Quote,
			Class: string(e.Class), OtherReading: e.Other != "",
			Broken: *claimAnswer(e.Broken, command), Repaired: *claimAnswer(e.Repaired, command),
			Confirmed: e.Confirmed})
	}
	return shown, nil
}

// claimAnswer is what a claim needs of an answer.
func claimAnswer(a *verify.Answer, command string) *papers.Answer {
	c := &papers.Answer{Verdict: a.Verdict.String(), AsExpected: a.AsExpected, Bounds: a.Bounds,
		Steps: a.Length, Command: command}
	if a.Violation != nil {
		c.Property = a.Violation.Property
	}
	return c
}
