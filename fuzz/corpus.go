package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// Corpus is a folder of scenario files that are run again before anything is drawn: failures of
// earlier runs, and whatever else was put there. A file state.json says how far drawing has come.
type Corpus struct{ Folder string }

// State is how far drawing has come.
type State struct {
	Variant string `json:"variant"`
	Seed    uint64 `json:"seed"`
	Next    uint64 `json:"next"` // number of the next scenario
	Runs    int    `json:"runs"` // so far, with this seed
}

// stateFile is the name of the file with the state.
const stateFile = "state.json"

// Load reads the folder; there may be none. A file that can not be read is an error: what it has
// shown would be forgotten in silence.
func (c Corpus) Load() (list []*scenarios.Scenario, state State, err error) {
	files, err := filepath.Glob(filepath.Join(c.Folder, "*.txtar"))
	if err != nil {
		return nil, state, fmt.Errorf("fuzz: corpus %s: %w", c.Folder, err)
	}
	slices.Sort(files)
	for _, file := range files {
		s, err := scenarios.Load(file)
		if err != nil {
			return nil, state, fmt.Errorf("fuzz: corpus: %w", err)
		}
		list = append(list, s)
	}
	data, err := os.ReadFile(filepath.Join(c.Folder, stateFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return list, state, nil
	case err != nil:
		return nil, state, fmt.Errorf("fuzz: corpus: %w", err)
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, state, fmt.Errorf("fuzz: corpus: %s: %w; remove it to begin from the start",
			filepath.Join(c.Folder, stateFile), err)
	}
	return list, state, nil
}

// Add writes the scenario of a failure, and returns the name of the file. A file with the same
// content is not written again.
func (c Corpus) Add(s *scenarios.Scenario) (file string, err error) {
	file = filepath.Join(c.Folder, s.Name+".txtar")
	return file, c.write(file, scenarios.Format(s))
}

// SaveState notes how far drawing has come.
func (c Corpus) SaveState(s State) error {
	data, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return fmt.Errorf("fuzz: corpus: %w", err)
	}
	return c.write(filepath.Join(c.Folder, stateFile), append(data, '\n'))
}

// write replaces a file whole or not at all.
func (c Corpus) write(file string, data []byte) error {
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return fmt.Errorf("fuzz: corpus: %w", err)
	}
	if err := wholefile.Write(file, data); err != nil {
		return fmt.Errorf("fuzz: corpus: %w", err)
	}
	return nil
}

// rerun runs the scenarios of the corpus: the schedule of each, if it has one, then runs that are
// drawn.
func (f *fuzzer) rerun(ctx context.Context) {
	for _, given := range f.options.Corpus {
		if f.over || ctx.Err() != nil {
			return
		}
		s := *given
		s.Protocol, s.Variant = f.target.Template.Protocol, f.target.Template.Variant
		s.Schedule, s.MustSee, s.States, s.Erratum = nil, nil, 0, ""
		f.result.Corpus++
		if failure := f.again(ctx, &s, given.Schedule); failure != nil &&
			!f.properties[failure.Property] &&
			!slices.Contains(f.options.Ignore, failure.Property) {
			f.properties[failure.Property] = true
			f.result.Failures = append(f.result.Failures, *failure)
			f.over = f.over || !f.options.All
		}
	}
}

// again runs one scenario; nil says that nothing is broken.
func (f *fuzzer) again(ctx context.Context, s *scenarios.Scenario,
	schedule []string) (failure *Failure) {
	defer func() {
		if v := recover(); v != nil {
			failure = &Failure{Property: "no-panic",
				Message: panicked(nil, "making the setup", v).message, Scenario: s,
				Strategy: "corpus"}
		}
	}()
	w := f.open(ctx, s)
	if w == nil {
		return nil
	}
	w.Attempt(nil, "")
	if len(schedule) > 0 {
		f.result.Runs++
		switch run, err := w.Replay(schedule); {
		case w.Err() != nil:
			f.over, f.broken = true, w.Err()
			return nil
		case run.Violation != nil:
			return f.failed(w, s, run.Violation, run, "corpus")
		case err != nil:
			f.result.Stale++
		}
	}
	return f.drawAgain(ctx, w, s)
}

// open makes the world of a scenario of the corpus; nil is one that can not be run any more.
func (f *fuzzer) open(ctx context.Context, s *scenarios.Scenario) *world.World {
	c, err := f.target.Resolve(s)
	if err != nil {
		f.result.Refused, f.result.Why = f.result.Refused+1, err.Error()
		return nil
	}
	if !f.target.Plain {
		c = Guard(c)
	}
	w, reason, err := world.Open(ctx, c, openBounds())
	if err != nil || reason != "" && !s.Force {
		f.result.OutOfModel++
		if f.result.Why = reason; err != nil {
			f.result.Why = err.Error()
		}
		return nil
	}
	return w
}

// drawAgain draws runs of a scenario of the corpus; nil says that they break nothing.
func (f *fuzzer) drawAgain(ctx context.Context, w *world.World, s *scenarios.Scenario) *Failure {
	m := newMix(f.options.Mix)
	r := sample.Draw(ctx, w, m, sample.Options{Runs: f.options.PerCase,
		MaxSteps: mostSteps, Seed: f.options.Seed})
	m.end()
	f.count(m.yields())
	f.result.Runs, f.result.Steps, f.result.Faults, f.result.Cut = f.result.Runs+r.Runs,
		f.result.Steps+r.Steps, f.result.Faults+r.Faults, f.result.Cut+r.Cut
	if f.broken = w.Err(); f.broken != nil {
		f.over = true
		return nil
	}
	var run *world.Run
	var strategy string
	switch {
	case r.Verdict == spec.Violated:
		var err error
		if run, err = w.Follow(r.Found[0].Path); err != nil {
			panic(fmt.Sprintf("invariant: a run that was drawn can be repeated: %v", err))
		}
		run.Violation, strategy = &r.Found[0].Violation, m.found()
	case m.cut.codes != nil:
		run, strategy = endless(w, &m.cut.record), m.cut.by.Share.Strategy
	}
	if run == nil {
		return nil
	}
	failure := f.failed(w, s, run.Violation, run, strategy)
	if f.options.Shrink >= 0 {
		shrinking, cancel := f.shrinking()
		defer cancel()
		f.target.minimise(shrinking, failure, max(f.options.Shrink, DefaultShrink/4))
	}
	return failure
}

// failed is what a run of a scenario of the corpus has shown; the scenario expects it now.
func (f *fuzzer) failed(w *world.World, s *scenarios.Scenario, v *spec.Violation, run *world.Run,
	strategy string) *Failure {
	s.Expect, s.Breaks, s.Schedule = "violated", v.Property, run.Lines()
	size := Size{Ranks: w.Setup.Layout.Ranks, Failures: s.Model.Failures, Steps: len(run.Schedule)}
	return &Failure{Property: v.Property, Message: v.Message, Scenario: s, Strategy: strategy,
		Runs: f.result.Runs, Drawn: size, Shrunk: size, Least: size}
}
