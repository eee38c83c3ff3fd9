package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// erratumJob is an erratum at one scenario, by its names: whoever is of the same build has it.
type erratumJob struct {
	Protocol  string        `json:"protocol"`
	ID        string        `json:"id"`
	Scenario  string        `json:"scenario"` // "" when none shows it
	MaxStates int           `json:"maxStates,omitempty"`
	MaxBytes  int64         `json:"maxBytes,omitempty"`
	MaxTime   time.Duration `json:"maxTime,omitempty"`
}

// erratumOf is the job of an erratum.
func erratumOf(e *verify.Erratum, o checker.Options) erratumJob {
	return erratumJob{e.Protocol, e.ID, e.Scenario, o.MaxStates, o.MaxBytes, o.MaxTime}
}

// perform looks at the erratum, then at the repaired protocol.
func (j erratumJob) perform(ctx context.Context, std *streams, told func(any)) (any, any, error) {
	list, err := std.Errata(j.Protocol, j.ID)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(list, func(e *verify.Erratum) bool { return e.Scenario == j.Scenario })
	if i < 0 {
		return nil, nil, fmt.Errorf("%s %s is not shown by %q", j.Protocol, j.ID, j.Scenario)
	}
	quiet := std.quiet()
	p := newProgress(quiet.err, 1, false)
	p.forward = told
	rows, times := []wireRow{}, []rowTimes{}
	o := checker.Options{MaxStates: j.MaxStates, MaxBytes: j.MaxBytes, MaxTime: j.MaxTime}
	err = list[i].Explore(o, func(s *scenarios.Scenario, o checker.Options) (*verify.Answer,
		error) {
		r := checkOne(ctx, s, o, quiet, p)
		if r.err != nil {
			return nil, r.err
		}
		w, t := r.apart()
		rows, times = append(rows, w), append(times, t)
		return r.Answer, nil
	})
	return rows, times, err
}

// confirm fills an erratum with the answer to its job.
func (std *streams) confirm(ctx context.Context, e *verify.Erratum, o checker.Options,
	a *campaign.Answer) error {
	var rows []wireRow
	var times []rowTimes
	switch {
	case a.Failed != "":
		return errors.New(a.Failed)
	case a.Spent > 0:
		return e.Explore(o, func(s *scenarios.Scenario, _ checker.Options) (*verify.Answer, error) {
			r := std.unanswered(s, a)
			return r.Answer, r.err
		})
	}
	err := errors.Join(campaign.Decode(a.Data, &rows), campaign.Decode(a.Aside, &times))
	if err != nil {
		return fmt.Errorf("%s: the answer of %s: %w", e.ID, a.Worker, err)
	}
	return e.Explore(o, func(s *scenarios.Scenario, _ checker.Options) (*verify.Answer, error) {
		if len(rows) == 0 || len(times) != len(rows) {
			return nil, fmt.Errorf("%s: the answer of %s is not complete", e.ID, a.Worker)
		}
		r, err := std.joined(ctx, s, &rows[0], &times[0])
		if err != nil {
			return nil, fmt.Errorf("%s: the answer of %s: %w", s.Name, a.Worker, err)
		}
		rows, times = rows[1:], times[1:]
		return r.Answer, nil
	})
}

// unanswered is the row of a scenario whose job was given up.
func (std *streams) unanswered(s *scenarios.Scenario, a *campaign.Answer) *row {
	return ask(*std, s, func(world.Case) (*world.Outcome, error) {
		out := &world.Outcome{Reason: spent(a)}
		out.Verdict, out.Bound = spec.Unknown, out.Reason
		return out, nil
	})
}

// mutateJob is the hunt for one mutant, by the names of it and of methods.
type mutateJob struct {
	Mutant    string        `json:"mutant"`
	Methods   []string      `json:"methods"`
	Time      time.Duration `json:"time"`
	Schedules int           `json:"schedules"`
	States    int           `json:"states"`
	Bytes     int64         `json:"bytes"`
	Seed      uint64        `json:"seed"`
	Shrink    int           `json:"shrink"`
}

// wireHunts is what came of it.
type wireHunts struct {
	Row  *mutate.Row `json:"row"`
	Runs [][]string  `json:"runs"` // of each hunt
}

// huntOf is the job of a mutant.
func huntOf(m mutate.Mutant, q *mutate.Question) mutateJob {
	j := mutateJob{Mutant: m.Name, Time: q.Budget.Time, Schedules: q.Budget.Schedules,
		States: q.Budget.States, Bytes: q.Budget.Bytes, Seed: q.Budget.Seed, Shrink: q.Shrink}
	for _, method := range q.Methods {
		j.Methods = append(j.Methods, method.Name())
	}
	return j
}

// perform hunts the mutant.
func (j mutateJob) perform(ctx context.Context, std *streams, told func(any)) (any, any, error) {
	all, mutants, err := std.mutants([]string{j.Mutant})
	if err != nil {
		return nil, nil, err
	}
	if len(mutants) != 1 || mutants[0].Name != j.Mutant {
		return nil, nil, fmt.Errorf("%q is %d mutants, want one", j.Mutant, len(mutants))
	}
	methods, err := mutate.SelectMethods(allMethods(std.quiet()), j.Methods)
	if err != nil {
		return nil, nil, err
	}
	q := mutate.Question{Methods: methods, Resolve: std.guarded, Scenarios: all, Shrink: j.Shrink,
		Budget: mutate.Budget{Time: j.Time, Schedules: j.Schedules, States: j.States,
			Bytes: j.Bytes, Seed: j.Seed},
		Progress: func(mutant string, h mutate.Hunt) { told(huntEvent{Mutant: mutant, Hunt: h}) }}
	row, err := q.Ask(ctx, mutants[0])
	if err != nil {
		return nil, nil, err
	}
	w := wireHunts{Row: row}
	for _, h := range row.Hunts {
		w.Runs = append(w.Runs, h.Run)
	}
	return w, nil, nil
}

// hunted is the row of an answer.
func hunted(m mutate.Mutant, a *campaign.Answer) (*mutate.Row, error) {
	switch {
	case a.Failed != "":
		return nil, errors.New(a.Failed)
	case a.Spent > 0:
		return &mutate.Row{Mutant: m.Name, Protocol: m.Protocol, Doc: m.Doc, Scenario: m.Scenario,
			Expect: m.Expect, Why: spent(a), Undecided: true}, nil
	}
	var w wireHunts
	err := campaign.Decode(a.Data, &w)
	if err == nil && (w.Row == nil || w.Row.Mutant != m.Name || len(w.Runs) != len(w.Row.Hunts)) {
		err = errors.New("it is not about this mutant")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the answer of %s: %w", m.Name, a.Worker, err)
	}
	for i := range w.Runs {
		w.Row.Hunts[i].Run = w.Runs[i]
	}
	return w.Row, nil
}
