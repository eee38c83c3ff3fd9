package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// wireScenario is a scenario as a job has it: its text, and no file.
type wireScenario struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// onWire is a scenario as data.
func onWire(s *scenarios.Scenario) wireScenario {
	return wireScenario{s.Name, string(scenarios.Format(s))}
}

// scenario is the scenario with the text.
func (w wireScenario) scenario() (*scenarios.Scenario, error) {
	s, err := scenarios.Parse(w.Name+".txtar", []byte(w.Text))
	if err != nil {
		return nil, err
	}
	s.Name = w.Name
	return s, nil
}

// transportable reports a scenario that would be another one elsewhere.
func transportable(list []*scenarios.Scenario) error {
	for _, s := range list {
		t, err := onWire(s).scenario()
		if err != nil {
			return fmt.Errorf("%s can not be sent: %w", s.Name, err)
		}
		here, there := reflect.ValueOf(*s), reflect.ValueOf(*t)
		for i := range here.NumField() {
			f := here.Type().Field(i)
			if !f.IsExported() || f.Name == "File" || f.Name == "Prose" || f.Name == "Title" {
				continue
			}
			a, b := here.Field(i), there.Field(i)
			empty := a.Kind() == reflect.Slice && a.Len()+b.Len() == 0
			if !empty && !reflect.DeepEqual(a.Interface(), b.Interface()) {
				return fmt.Errorf("%s can not be sent: %s is %v here and %v there", s.Name, f.Name,
					a, b)
			}
		}
	}
	return nil
}

// checkJob is the question of one scenario.
type checkJob struct {
	Scenario  wireScenario      `json:"scenario"`
	Order     checker.Order     `json:"order"`
	Reduce    checker.Reduction `json:"reduce"`
	Lasso     bool              `json:"lasso,omitempty"`
	MaxStates int               `json:"maxStates,omitempty"`
	MaxBytes  int64             `json:"maxBytes,omitempty"`
	MaxTime   time.Duration     `json:"maxTime,omitempty"`
	Sample    *sampleJob        `json:"sample,omitempty"` // runs are drawn
}

// sampleJob says how runs are drawn.
type sampleJob struct {
	Strategy string `json:"strategy"`
	Runs     int    `json:"runs"`
	MaxSteps int    `json:"maxSteps"`
	Seed     uint64 `json:"seed"`
	Depth    int    `json:"depth"`
}

// wireRow is what came of it, without what differs from time to time.
type wireRow struct {
	Answer  *verify.Answer `json:"answer"`
	Sampled bool           `json:"sampled,omitempty"`
	Run     []string       `json:"run,omitempty"` // the run that breaks a property
}

// rowTimes are what differs.
type rowTimes struct {
	Seconds, Rate float64
	Bytes         int64
	Drawn         time.Duration
	DrawnBytes    int64
}

// flags are the search flags that the job stands for.
func (j *checkJob) flags() *searchFlags {
	sf := &searchFlags{maxMemory: j.MaxBytes >> 20, timeout: j.MaxTime}
	if s := j.Sample; s != nil {
		sf.order = s.Strategy
		sf.samples = &sampleFlags{runs: s.Runs, maxSteps: s.MaxSteps, seed: s.Seed, depth: s.Depth}
	}
	return sf
}

// jobOf is the job of a scenario.
func (sf *searchFlags) jobOf(s *scenarios.Scenario, o checker.Options) checkJob {
	j := checkJob{Scenario: onWire(s), Order: o.Order, Reduce: o.Reduce, Lasso: o.Lasso,
		MaxStates: o.MaxStates, MaxBytes: o.MaxBytes, MaxTime: o.MaxTime}
	if sf.sampling() {
		j.Sample = &sampleJob{Strategy: sf.order, Runs: sf.samples.runs,
			MaxSteps: sf.samples.maxSteps, Seed: sf.samples.seed, Depth: sf.samples.depth}
	}
	return j
}

// perform answers the question.
func (j checkJob) perform(ctx context.Context, std *streams, told func(any)) (any, any, error) {
	s, err := j.Scenario.scenario()
	if err != nil {
		return nil, nil, err
	}
	std2 := std.quiet()
	p := newProgress(std2.err, 1, false)
	p.forward = told
	var r *row
	if j.Sample != nil {
		r = sampleOne(ctx, s, j.flags(), std2, p)
	} else {
		r = checkOne(ctx, s, checker.Options{Order: j.Order, Reduce: j.Reduce, Lasso: j.Lasso,
			MaxStates: j.MaxStates, MaxBytes: j.MaxBytes, MaxTime: j.MaxTime, Workers: 1}, std2, p)
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	answer, times := r.apart()
	return answer, times, nil
}

// apart is a row as data, and its times.
func (r *row) apart() (wireRow, rowTimes) {
	a := *r.Answer
	w := wireRow{Answer: &a, Sampled: r.Sampled}
	if a.Outcome != nil && len(a.Outcome.Runs) > 0 {
		w.Run = a.Outcome.Runs[0].Lines()
	}
	t := rowTimes{Seconds: a.Seconds, Bytes: a.Bytes}
	a.Seconds, a.Bytes = 0, 0
	if a.Samples != nil {
		s := *a.Samples
		t.Rate, t.Drawn, t.DrawnBytes = s.RunsPerSecond, s.Elapsed, s.Bytes
		s.RunsPerSecond, s.Elapsed, s.Bytes = 0, 0, 0
		a.Samples = &s
	}
	return w, t
}

// together is the row of an answer from elsewhere.
func (std *streams) together(ctx context.Context, s *scenarios.Scenario,
	a *campaign.Answer) *row {
	switch {
	case a.Failed != "":
		return &row{err: errors.New(a.Failed)}
	case a.Spent > 0:
		return std.unanswered(s, a)
	}
	var w wireRow
	var t rowTimes
	if err := errors.Join(campaign.Decode(a.Data, &w), campaign.Decode(a.Aside, &t)); err != nil {
		return &row{err: fmt.Errorf("%s: the answer of %s: %w", s.Name, a.Worker, err)}
	}
	r, err := std.joined(ctx, s, &w, &t)
	if err != nil {
		return &row{err: fmt.Errorf("%s: the answer of %s: %w", s.Name, a.Worker, err)}
	}
	return r
}

// joined puts a row and its times together, and repeats its run here.
func (std *streams) joined(ctx context.Context, s *scenarios.Scenario, w *wireRow,
	t *rowTimes) (*row, error) {
	a := w.Answer
	if a == nil || a.Name != s.Name || a.Variant != s.Variant || a.Expect != s.Expect {
		return nil, errors.New("it is not about this scenario")
	}
	a.Seconds, a.Bytes = t.Seconds, t.Bytes
	if a.Samples != nil {
		a.Samples.RunsPerSecond, a.Samples.Elapsed, a.Samples.Bytes = t.Rate, t.Drawn, t.DrawnBytes
	}
	c := *s
	a.Scenario = &c
	r := &row{versioned: as("check"), Answer: a, Sampled: w.Sampled}
	if (a.Verdict == spec.Violated) != (a.Violation != nil) {
		return nil, fmt.Errorf("verdict %s, violation %v", a.Verdict, a.Violation)
	}
	if a.Violation == nil || w.Run == nil {
		return r, nil
	}
	resolved, err := verify.Resolve(std.Protocols(), a.Scenario)
	if err != nil {
		return nil, err
	}
	there, _, err := world.Open(ctx, resolved.Case, checker.Options{})
	if err != nil {
		return nil, err
	}
	c.Breaks = a.Violation.Property
	prime(there, &c)
	c.Breaks = s.Breaks
	run, err := there.Replay(w.Run)
	if err == nil && !slices.Equal(run.Lines(), w.Run) {
		err = fmt.Errorf("it ends after %d of %d steps", len(run.Schedule), len(w.Run))
	}
	if err != nil {
		return nil, fmt.Errorf("the run that breaks %s can not be repeated here: %w",
			a.Violation.Property, err)
	}
	a.Outcome = &world.Outcome{World: there, Runs: []*world.Run{run}}
	a.Outcome.Verdict = spec.Violated
	a.Outcome.Found = []checker.Found{{Violation: *a.Violation}}
	return r, nil
}

// forwarded is what a worker tells of a search.
type forwarded struct {
	Scenario string         `json:"scenario"`
	Stats    *checker.Stats `json:"stats,omitempty"`
	Drawn    *sample.Result `json:"drawn,omitempty"`
}

// hear shows what workers tell.
func (p *progress) hear(t campaign.Progress) {
	var f forwarded
	switch err := campaign.Decode(t.Data, &f); {
	case err != nil: // of no use, and no harm
	case f.Stats != nil:
		p.report(f.Scenario)(*f.Stats)
	case f.Drawn != nil:
		p.sampled(f.Scenario)(*f.Drawn)
	}
}

// openFarm begins the campaign of a list of scenarios; nil is none.
func (sf *searchFlags) openFarm(ctx context.Context, list []*scenarios.Scenario, std streams,
	p *progress) (*farm, error) {
	if !sf.farm.asked() {
		return nil, sf.farm.idle()
	}
	if err := errors.Join(transportable(list), sf.farm.refuse(sf.flags, "save-run", "resume",
		"save-every", "disk", "certificate", "estimate")); err != nil {
		return nil, err
	}
	sf.farmShards()
	f, err := sf.farm.open(ctx, std, sf.workers)
	f.hear(p.hear)
	return f, err
}
