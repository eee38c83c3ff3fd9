package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	mutated "github.com/domino-check/domino/checker/mutate/source"
	"github.com/domino-check/domino/checker/mutate/source/mutant"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/spec"
)

// mutantJudge is this process as one of the mutants that are compiled into it.
type mutantJudge struct {
	streams
	job  *mutated.Job
	says *json.Encoder
}

// Limits of a judge: the tables of a search, and all that the process takes.
const (
	judgeTables = 1 << 30
	judgeMemory = 3 << 30
)

// judgeMutant reads a job, and says what comes of its trials until the mutant is killed.
func judgeMutant(ctx context.Context, std streams) (int, error) {
	j := &mutantJudge{streams: std, job: new(mutated.Job), says: json.NewEncoder(std.out)}
	if err := json.NewDecoder(os.Stdin).Decode(j.job); err != nil {
		return 0, err
	}
	mutant.Choose(j.job.Mutant)
	if j.job.Record > 0 {
		mutant.Record(j.job.Record)
	}
	done := make(chan error, 1)
	go func() { done <- j.trials(ctx) }()
	for {
		select {
		case err := <-done:
			return 0, err
		case <-time.After(100 * time.Millisecond):
			if total := memoryInUse(); total > judgeMemory {
				return 0, fmt.Errorf("it takes %s", checker.Memory(int64(total>>20)<<20))
			}
		}
	}
}

// memoryInUse is what this process has from the operating system, in bytes.
func memoryInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// trials are those of the job.
func (j *mutantJudge) trials(ctx context.Context) error {
	for _, t := range j.job.Trials {
		list := []mutated.Trial{t}
		if t.All != "" {
			list = nil
			for _, s := range j.Scenarios() {
				if s.Protocol == t.All {
					list = append(list, mutated.Trial{Scenario: strings.TrimSuffix(s.File,
						".txtar"), Seconds: t.Seconds, States: t.States})
				}
			}
		}
		for i := range list {
			over, err := j.trial(ctx, &list[i])
			if err != nil || over && j.job.Mutant > 0 || ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

// trial goes through one, and reports whether the mutant is killed.
func (j *mutantJudge) trial(ctx context.Context, t *mutated.Trial) (killed bool, err error) {
	if err := j.says.Encode(mutated.Said{Trial: t.Name(), Begun: true}); err != nil {
		return false, err
	}
	began := time.Now()
	said := &mutated.Said{}
	if t.Fuzz != "" {
		err = j.drawn(ctx, t, said)
	} else {
		err = j.explored(ctx, t, said)
	}
	if err != nil || ctx.Err() != nil {
		return false, err
	}
	said.Trial, said.Seconds, said.Reached = t.Name(), time.Since(began).Seconds(), mutant.Seen()
	return said.Killed, j.says.Encode(said)
}

// explored compares the verdict of a scenario with the expected one; the number of states is not
// compared.
func (j *mutantJudge) explored(ctx context.Context, t *mutated.Trial, said *mutated.Said) error {
	s, err := j.Scenario(t.Scenario)
	if err != nil {
		return err
	}
	s.States, said.Protocol = 0, s.Protocol
	limit := time.Duration(t.Seconds * float64(time.Second))
	o := checker.Options{Reduce: verify.DefaultReduction, MaxStates: t.States,
		MaxBytes: judgeTables, MaxTime: limit}
	a, err := verify.Ask(j.Protocols(), s, func(q world.Case) (*world.Outcome, error) {
		q.Once, q.AsFound = true, true
		return world.Check(ctx, q, o)
	})
	if err != nil { // that the question makes no sense any more is an answer
		said.Killed, said.Why = true, firstLine(err.Error())
		return nil
	}
	said.States = a.States
	said.Open = a.Verdict == spec.Unknown && a.Outcome.Bound != "" && s.Expect !=
		spec.Unknown.String()
	if said.Killed = !a.AsExpected && !said.Open; said.Killed {
		said.Why = firstLine(a.Why)
	}
	if a.Violation != nil {
		said.Property = a.Violation.Property
	}
	return nil
}

// drawn draws random scenarios as domino fuzz does. What the original breaks in the same scenario,
// too, is not the mutant's.
func (j *mutantJudge) drawn(ctx context.Context, t *mutated.Trial, said *mutated.Said) error {
	target, err := fuzz.TargetOf(j.Protocols(), t.Fuzz, "repaired")
	if err != nil {
		return err
	}
	o := fuzz.Options{Seed: t.Seed, Runs: 1 << 40, Shrink: -1,
		Ignore: slices.Clone(target.Shapes.Unjudged)}
	limit := time.Duration(t.Seconds * float64(time.Second))
	began := time.Now()
	for said.Protocol = t.Fuzz; time.Since(began) < limit && ctx.Err() == nil; {
		o.Time = max(limit-time.Since(began), time.Millisecond)
		r, err := fuzz.Run(ctx, target, o)
		if err != nil {
			said.Killed, said.Why = true, firstLine(err.Error())
			return nil
		}
		said.Runs += r.Runs
		if len(r.Failures) == 0 {
			return nil
		}
		f := &r.Failures[0]
		if !j.originalBreaks(ctx, target, &o, f) {
			said.Killed, said.Property = true, f.Property
			said.Why = f.Property + ": " + firstLine(f.Message)
			return nil
		}
		o.Ignore, o.First = append(o.Ignore, f.Property), r.Next
	}
	return nil
}

// originalBreaks reports whether the original breaks the same in runs of the scenario of a failure.
func (j *mutantJudge) originalBreaks(ctx context.Context, target fuzz.Target, o *fuzz.Options,
	f *fuzz.Failure) bool {
	mutant.Choose(0)
	defer mutant.Choose(j.job.Mutant)
	again := *o
	again.First, again.Runs, again.Time = f.Case, fuzz.DefaultPerCase, 0
	r, err := fuzz.Run(ctx, target, again)
	return err == nil && len(r.Failures) > 0
}

func firstLine(text string) string { return strings.SplitN(text, "\n", 2)[0] }
