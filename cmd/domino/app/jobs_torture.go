package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// tortureRuns is how many runs a job has: some seconds.
const tortureRuns = 25

// mostOfFile bounds what an answer has of each file of a wrong run.
const mostOfFile = 96 << 10

// tortureJob is some runs of a seed of their own.
type tortureJob struct {
	Scenarios []wireScenario `json:"scenarios,omitempty"` // none: all that there are
	Protocols string         `json:"protocols"`
	Kernels   string         `json:"kernels"`
	Failures  int            `json:"failures"`
	Lift      bool           `json:"lift"`
	Timeout   time.Duration  `json:"timeout"`
	Seed      uint64         `json:"seed"`
	Runs      int            `json:"runs"`
}

// wireTorture is what they have shown. All of it depends on clocks.
type wireTorture struct {
	Unfit    []string      `json:"unfit,omitempty"`
	Beyond   int           `json:"beyond"`
	Outside  int           `json:"outside"`
	Unkept   int           `json:"unkept"`
	Why      string        `json:"why,omitempty"`
	Unlifted string        `json:"unlifted,omitempty"`
	Tallies  []wireTally   `json:"tallies"`
	All      wireTally     `json:"all"`
	Episodes []wireEpisode `json:"episodes,omitempty"`
	Wrong    *wireWrong    `json:"wrong,omitempty"`
}

// wireTally is a tally with its times.
type wireTally struct {
	Tally                                  tally
	Detected, Agreed, Restarted, Recovered []time.Duration
}

// wireEpisode is the same of the episodes of a policy.
type wireEpisode struct {
	Tally episodeTally
	Steps [cluster.Steps][]time.Duration
	All   []time.Duration
}

// wireWrong is a wrong run, or the error that one has ended in.
type wireWrong struct {
	Code  int               `json:"code"`
	Text  string            `json:"text"`
	Error string            `json:"error,omitempty"`
	Files map[string]string `json:"files"`
}

// perform makes the runs.
func (j tortureJob) perform(ctx context.Context, std *streams, _ func(any)) (any, any, error) {
	quiet := std.quiet()
	quiet.outputs = &outputs{}
	o, _, err := readTorture([]string{fmt.Sprintf("--runs=%d", j.Runs),
		fmt.Sprintf("--failures=%d", j.Failures), fmt.Sprintf("--timeout=%v", j.Timeout)}, quiet)
	if err != nil {
		return nil, nil, err
	}
	o.protocols, o.kernels, o.lift, o.seed = j.Protocols, j.Kernels, j.Lift, j.Seed
	var list []*scenarios.Scenario
	for _, w := range j.Scenarios {
		s, err := w.scenario()
		if err != nil {
			return nil, nil, err
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		list = quiet.Scenarios()
	}
	t := &torture{flags: &o, std: quiet, rng: rand.New(rand.NewPCG(j.Seed, 0)),
		named: len(j.Scenarios) > 0, line: term.NewLine(quiet.err, false)}
	if t.hosting, err = o.where.resolve(ctx); err != nil {
		return nil, nil, err
	}
	if err := t.choose(list); err != nil {
		return nil, nil, err
	}
	folder, err := openFolder("", "", "domino-farm-") // it goes, too, when the worker is killed
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = folder.close(false) }() // what is wanted of it is in the answer
	t.folder, o.dir = folder.name, filepath.Join(folder.name, "wrong")
	code, failed := t.run(ctx)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return t.wire(code, failed), nil, nil
}

// wire is what the runs have shown, as data.
func (t *torture) wire(code int, failed error) wireTorture {
	w := wireTorture{Unfit: t.unfit, Beyond: t.beyond, Outside: t.outside, Unkept: t.unkept,
		Why: t.why, Unlifted: t.unlifted, All: wireTallyOf(&t.all)}
	for _, one := range t.list {
		w.Tallies = append(w.Tallies, wireTallyOf(one))
	}
	for _, e := range t.episodes {
		w.Episodes = append(w.Episodes, wireEpisode{*e, e.steps, e.all})
	}
	if failed == nil && code == exitSampled {
		return w
	}
	w.Wrong = &wireWrong{Code: code, Text: fmt.Sprint(t.std.out), Files: map[string]string{}}
	if failed != nil {
		w.Wrong.Error = failed.Error()
	}
	for _, name := range []string{planFile, "scenario.txtar", "trace.txt", "error.txt"} {
		data, err := os.ReadFile(filepath.Join(t.flags.dir, name))
		if err == nil && len(data) <= mostOfFile {
			w.Wrong.Files[name] = string(data)
		}
	}
	return w
}

func wireTallyOf(t *tally) wireTally {
	return wireTally{*t, t.detected, t.agreed, t.restarted, t.recovered}
}

// add adds the tally of other runs.
func (t *tally) add(w *wireTally) {
	o := &w.Tally
	t.Runs, t.Kills, t.Processes = t.Runs+o.Runs, t.Kills+o.Kills, t.Processes+o.Processes
	t.Alarms, t.Stops, t.Unstruck = t.Alarms+o.Alarms, t.Stops+o.Stops, t.Unstruck+o.Unstruck
	t.Lifted, t.Unlifted = t.Lifted+o.Lifted, t.Unlifted+o.Unlifted
	t.detected = append(t.detected, w.Detected...)
	t.agreed = append(t.agreed, w.Agreed...)
	t.restarted = append(t.restarted, w.Restarted...)
	t.recovered = append(t.recovered, w.Recovered...)
}

// merge adds what a job has shown.
func (t *torture) merge(w *wireTorture) {
	t.beyond, t.outside = t.beyond+w.Beyond, t.outside+w.Outside
	if t.unkept += w.Unkept; w.Unkept > 0 {
		t.why = w.Why
	}
	if w.Unlifted != "" {
		t.unlifted = w.Unlifted
	}
	for _, name := range w.Unfit {
		if !slices.Contains(t.unfit, name) {
			t.unfit = append(t.unfit, name)
		}
	}
	for i := range w.Tallies {
		name := w.Tallies[i].Tally.Protocol
		at := slices.IndexFunc(t.list, func(o *tally) bool { return o.Protocol >= name })
		if at < 0 {
			at = len(t.list)
		}
		if at == len(t.list) || t.list[at].Protocol != name {
			t.list = slices.Insert(t.list, at, &tally{Protocol: name})
		}
		t.list[at].add(&w.Tallies[i])
	}
	t.all.add(&w.All)
	for _, e := range w.Episodes {
		at := slices.IndexFunc(t.episodes, func(o *episodeTally) bool {
			return strings.Compare(o.Owner, e.Tally.Owner) >= 0
		})
		if at < 0 {
			at = len(t.episodes)
		}
		if at == len(t.episodes) || t.episodes[at].Owner != e.Tally.Owner {
			t.episodes = slices.Insert(t.episodes, at, &episodeTally{Owner: e.Tally.Owner})
		}
		o := t.episodes[at]
		o.Episodes, o.Resumed = o.Episodes+e.Tally.Episodes, o.Resumed+e.Tally.Resumed
		for s := range e.Steps {
			o.steps[s] = append(o.steps[s], e.Steps[s]...)
		}
		o.all = append(o.all, e.All...)
	}
}

// elsewhere has the runs made by a campaign, until one is wrong or it is enough.
func (t *torture) elsewhere(ctx context.Context, f *farm, list []*scenarios.Scenario) (code int,
	err error) {
	began, lost := time.Now(), ""
	until := ctx
	if t.flags.forTime > 0 {
		var cancel context.CancelFunc
		until, cancel = context.WithTimeout(ctx, t.flags.forTime)
		defer cancel()
	}
	var wrong *wireWrong
	err = f.Each(until, campaign.Batch{Kind: "torture", Class: classOf("torture"), Loose: true,
		Job: func(i int) ([]byte, bool, error) {
			left := t.flags.runs - i*tortureRuns
			if t.flags.forTime > 0 || t.flags.kills > 0 {
				left = tortureRuns
			}
			return encodeJob(t.job(i, min(left, tortureRuns), list)), left > 0, nil
		},
		Take: func(i int, a *campaign.Answer) (bool, error) {
			var w wireTorture
			switch {
			case a.Spent > 0:
				lost = fmt.Sprintf("the runs of job %d: %s", i, spent(a))
				return true, nil
			case a.Failed != "":
				return false, fmt.Errorf("the runs of job %d, by %s: %s", i, a.Worker, a.Failed)
			}
			if err := campaign.Decode(a.Data, &w); err != nil {
				return false, fmt.Errorf("the runs of job %d, by %s: %w", i, a.Worker, err)
			}
			t.merge(&w)
			wrong = w.Wrong
			t.show(began, fmt.Sprintf("job %d, by %s", i, a.Worker))
			return wrong == nil && t.goOn(ctx, began), nil
		}})
	t.line.Clear()
	switch {
	case wrong != nil:
		return t.keepElsewhere(wrong)
	case err != nil && until.Err() == nil:
		f.wrong = err
		if errors.Is(err, campaign.ErrCancelled) {
			err = errInterrupted
		}
		return 0, err
	}
	if code, err = t.report(ctx, time.Since(began)); lost != "" {
		fmt.Fprintln(t.std.err, lost)
		code = exitCode(spec.Unknown)
	}
	return code, err
}

// job is the i-th job of a torture.
func (t *torture) job(i, runs int, list []*scenarios.Scenario) tortureJob {
	j := tortureJob{Protocols: t.flags.protocols, Kernels: t.flags.kernels,
		Failures: t.flags.failures, Lift: t.flags.lift, Timeout: t.flags.timeout,
		Seed: core.Mix(t.flags.seed) + uint64(i), Runs: runs}
	if t.named {
		for _, s := range list {
			j.Scenarios = append(j.Scenarios, onWire(s))
		}
	}
	return j
}

// keepElsewhere tells of a wrong run that a worker has made.
func (t *torture) keepElsewhere(w *wireWrong) (int, error) {
	var err error
	for name, text := range w.Files {
		if !filepath.IsLocal(name) || filepath.Base(name) != name {
			return 0, fmt.Errorf("a worker calls a file %q", name)
		}
		err = errors.Join(err, os.MkdirAll(t.flags.dir, 0o777),
			wholefile.Write(filepath.Join(t.flags.dir, name), []byte(text)))
	}
	fmt.Fprint(t.std.out, w.Text)
	fmt.Fprintf(t.std.out, "what is known of it is in %s; domino cluster run --plan %s repeats "+
		"it\n", t.flags.dir, filepath.Join(t.flags.dir, planFile))
	if w.Error != "" {
		err = errors.Join(errors.New(w.Error), err)
	}
	return max(1, w.Code), err
}
