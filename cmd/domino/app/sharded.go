package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/checker/shard/level"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// registerShards adds the flags of one search by several workers that share no memory.
func (s *searchFlags) registerShards(f *pflag.FlagSet) {
	f.IntVar(&s.shards, "shards", 0, "with --search bfs: explore one scenario with so many "+
		"workers that share no memory; 0 = all in one")
	f.StringVar(&s.blobs, "blobs", "", "with --shards: folder for the levels of the search, in "+
		"the place of memory; where workers are on other machines, one that all of them have")
}

// wrongShards reports flags that a search by several workers can not have.
func (s *searchFlags) wrongShards(f *pflag.FlagSet, scenarios int) error {
	if s.shards == 0 {
		if f.Changed("blobs") {
			return errors.New("--blobs needs --shards")
		}
		return nil
	}
	for _, n := range []string{"lasso", "save-run", "resume", "disk", "certificate", "estimate"} {
		if f.Changed(n) {
			return fmt.Errorf("--shards contradicts --%s", n)
		}
	}
	switch {
	case s.order != checker.BreadthFirst.String():
		return fmt.Errorf("--shards needs --search bfs, this is %s", s.order)
	case scenarios != 1:
		return fmt.Errorf("--shards is for one scenario, these are %d", scenarios)
	}
	return within(f, span{"shards", 1, maxWorkers})
}

// shardJob has a worker take part in a search until that is over.
type shardJob struct {
	Scenario wireScenario      `json:"scenario"`
	Reduce   checker.Reduction `json:"reduce"`
	Search   string            `json:"search"`
	Most     int               `json:"most"` // workers; who comes later waits
}

// config is that of the search; each process adds its engine and how it makes worlds.
func (j *shardJob) config() (c level.Config, err error) {
	c = level.Config{ID: j.Search, Life: strings.ToLower(rand.Text()), Subject: j.Scenario.Text,
		Options: checker.Options{Order: checker.BreadthFirst, Reduce: j.Reduce}}
	c.Build, err = buildName()
	return c, err
}

// perform takes part.
func (j shardJob) perform(ctx context.Context, std *streams, _ func(any)) (any, any, error) {
	if std.carrier == nil {
		return nil, nil, errors.New("this worker talks to no others")
	}
	s, err := j.Scenario.scenario()
	if err != nil {
		return nil, nil, err
	}
	resolved, err := verify.Resolve(std.Protocols(), s)
	if err != nil {
		return nil, nil, err
	}
	c, err := j.config()
	if err != nil {
		return nil, nil, err
	}
	c.Engine, c.Blobs, c.Most = std.carrier, std.blobs, j.Most
	c.Make = func() (checker.Portable, error) {
		w, _, err := world.Open(ctx, resolved.Case, checker.Options{})
		return w, err
	}
	if err = level.Work(ctx, c); err != nil && ctx.Err() == nil && !errors.Is(err,
		context.Canceled) {
		return nil, nil, err
	}
	return true, nil, nil
}

// shardedOne answers a scenario by a search of workers that share no memory: of a campaign, or of
// this process.
func (sf *searchFlags) shardedOne(ctx context.Context, s *scenarios.Scenario, o checker.Options,
	f *farm, std streams, p *progress) *row {
	o.Progress, o.Workers = p.report(s.Name), 1
	return ask(std, s, func(q world.Case) (*world.Outcome, error) {
		q.Elsewhere = func(ctx context.Context, w *world.World, o checker.Options) (checker.Result,
			error) {
			j := shardJob{Scenario: onWire(s), Reduce: o.Reduce, Search: "here"}
			c, err := j.config()
			if err != nil {
				return checker.Result{}, err
			}
			c.Options, c.Log = o, std.log()
			if sf.blobs != "" {
				c.Blobs = shard.NewFolder(sf.blobs)
			}
			var out level.Outcome
			if f == nil {
				out, err = sf.shardsHere(ctx, c, w)
			} else {
				j.Search, j.Most = levelsOf(f.ID()), sf.shards
				out, err = sf.shardsElsewhere(ctx, c, j, w, f)
			}
			w.Account(out.LocalSteps, out.LocalStates)
			if err == nil && !sf.json {
				std.log()("%s", shardWords(&out, sf.shards))
			}
			return out.Result, err
		}
		return world.Check(ctx, q, o)
	})
}

// shardWords says what a search by several workers has cost.
func shardWords(out *level.Outcome, workers int) string {
	words := fmt.Sprintf("%d workers, %s levels; bytes a state: %.1f to keepers and back, %.1f "+
		"in levels", workers, count(out.Covered), float64(out.Asked)/float64(max(1, out.States)),
		float64(out.Written)/float64(max(1, out.States)))
	if out.Again > 0 {
		words += fmt.Sprintf("; attempts at a level that came to nothing: %s", count(out.Again))
	}
	return words
}

// shardsHere has workers in this process, each with a world of its own.
func (sf *searchFlags) shardsHere(ctx context.Context, c level.Config,
	w *world.World) (out level.Outcome, err error) {
	m := shard.NewMemory()
	c.ID = "here-" + c.Life // in a folder others may be, too
	c.Make = func() (checker.Portable, error) { return world.New(w.Config) }
	own, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	failed := make(chan error, sf.shards)
	for i := range sf.shards {
		worker := c
		worker.Life = fmt.Sprint("w", i)
		worker.Engine = m.Process(worker.Life, nil)
		group.Go(func() { failed <- level.Work(own, worker) })
	}
	c.Engine, c.Workers = m.Process("coordinator", nil), sf.shards
	out, err = level.Lead(ctx, c, w)
	stop()
	return out, errors.Join(err, level.Forget(context.WithoutCancel(ctx), c))
}

// shardsElsewhere has a campaign find workers: a job of each is to take part until all is over.
// There are more jobs than workers: who takes one of the others waits, and goes on in the place of
// one that is gone.
func (sf *searchFlags) shardsElsewhere(ctx context.Context, c level.Config, j shardJob,
	w *world.World, f *farm) (out level.Outcome, err error) {
	c.Engine, c.ID = f.connection.Engine, j.Search
	own, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var failed error
	group.Go(func() {
		err := f.Each(own, campaign.Batch{Kind: "level", Class: classOf("level"), Loose: true,
			Job: func(int) ([]byte, bool, error) { return encodeJob(j), true, nil },
			Take: func(_ int, a *campaign.Answer) (bool, error) {
				if a.Failed != "" {
					return false, errors.New(a.Failed)
				}
				return true, nil
			}})
		if own.Err() == nil {
			failed = err
			stop()
		}
	})
	out, err = level.Lead(own, c, w)
	stop() // the workers see that it is over, or that the campaign is
	group.Wait()
	if failed != nil {
		err = failed // it is why the search was stopped
	}
	if err == nil && out.Bound == "" {
		err = level.Forget(context.WithoutCancel(ctx), c)
	}
	return out, err
}

// levelsOf names the search of a campaign.
func levelsOf(campaign string) string { return campaign + "-levels" }

// forgetLevels removes the levels of a campaign that is a search of workers, and nothing of
// another one.
func forgetLevels(ctx context.Context, e shard.Engine, h campaign.Header) error {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.ParseErrorsAllowlist.UnknownFlags = true
	shards, blobs := f.Int("shards", 0, ""), f.String("blobs", "", "")
	if err := f.Parse(h.Command); err != nil || *shards == 0 {
		return err
	}
	c := level.Config{Engine: e, ID: levelsOf(h.ID)}
	if *blobs != "" {
		if !filepath.IsAbs(*blobs) {
			*blobs = filepath.Join(h.Folder, *blobs)
		}
		c.Blobs = shard.NewFolder(*blobs)
	}
	return level.Forget(ctx, c)
}

// farmShards is how a campaign hands out the jobs of a search: enough that somebody waits when a
// worker is killed, and again however many are.
func (s *searchFlags) farmShards() {
	if s.shards > 0 {
		s.farm.window, s.farm.deliveries = min(4*s.shards+8, campaign.MaxWindow), 1<<20
	}
}
