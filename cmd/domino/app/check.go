package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// searchFlags direct the search of check and errata.
type searchFlags struct {
	order     string
	samples   *sampleFlags // nil when the command only searches
	reduce    string
	lasso     bool
	estimate  bool
	maxStates int
	maxMemory int64
	timeout   time.Duration
	workers   int
	json      bool
	evidence  bool
	save      string
	control   bool
	saveRun   string
	saveEvery time.Duration
	resume    string
	disk      string
	html      string
	label     string
	proof     string // file for a certificate
	shards    int    // workers of one search that share no memory; 0 = one search in one process
	blobs     string // folder for its levels
	out       *outputs
	flags     *pflag.FlagSet
	farm      *farmFlags

	pages *suitePages // nil when none are wanted
}

func (s *searchFlags) register(f *pflag.FlagSet, std streams) {
	s.flags = f
	f.IntVar(&s.maxStates, "max-states", 0, "stop after so many states; 0 = no limit")
	f.Int64Var(&s.maxMemory, "max-memory", 8192,
		"stop when the tables of one search take so many MiB; 0 = no limit")
	f.DurationVar(&s.timeout, "timeout", 0, "stop one search after this time; 0 = no limit")
	f.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0),
		"goroutines that explore: one a scenario, or more where there are fewer scenarios")
	f.StringVar(&s.save, "save", ".domino",
		"folder for replay files of violations; \"\" saves none")
	f.BoolVar(&s.control, "control", false, "show control messages in diagrams, too")
	f.BoolVar(&s.json, "json", false,
		"print JSON, one object a line; progress goes to standard error, in JSON, too")
	f.BoolVar(&s.evidence, "evidence", false,
		"with --json: the whole run that breaks a property, too, as replay --json prints it")
	s.farm = registerFarm(f, std)
	s.out = registerOutputs(f, std)
}

// registerOrder adds the flags that choose how check looks for runs.
func (s *searchFlags) registerOrder(f *pflag.FlagSet) {
	f.StringVar(&s.order, "search", "dfs",
		"dfs (reduced), bfs (shortest counterexample), odpor (stateless, one run of each trace), "+
			"or draw runs: random, pos, pctcp, urw")
	f.StringVar(&s.reduce, "reduce", "",
		"none, all, or a list of singletons,crashes,sleep,sets,symmetry,alone (default "+
			"singletons,crashes,symmetry; none for bfs); or ranks, alone: of states that differ "+
			"by the names of procs that are alike only one")
	s.samples = registerSamples(f)
	f.BoolVar(&s.lasso, "lasso", false,
		"look for runs that go on for ever, too: depth first, not reduced")
}

func (s *searchFlags) options() (checker.Options, error) {
	if err := errors.Join(s.out.open(), s.out.refuse("--estimate", s.estimate)); err != nil {
		return checker.Options{}, err
	}
	order, err := checker.DepthFirst, error(nil)
	if !s.sampling() {
		if order, err = checker.ParseOrder(s.order); err != nil {
			return checker.Options{}, s.unknown(err)
		}
	}
	if err := within(s.flags, notNegative("max-states max-memory timeout"),
		ofWorkers()); err != nil {
		return checker.Options{}, err
	}
	if s.evidence && !s.json {
		return checker.Options{}, errors.New("--evidence is part of what --json prints: want both")
	}
	o := checker.Options{Order: order, Lasso: s.lasso, MaxStates: s.maxStates,
		MaxBytes: s.maxMemory << 20, MaxTime: s.timeout}
	switch {
	case order == checker.StatelessOptimal && s.reduce != "":
		return checker.Options{}, fmt.Errorf(
			"--reduce contradicts --search odpor, which takes one run of each trace; want " +
				"--search dfs")
	case s.reduce == "" && s.proof != "": // of all steps, whatever the search
	case s.reduce != "":
		if o.Reduce, err = checker.ParseReduction(s.reduce); err != nil {
			return checker.Options{}, err
		}
	case order == checker.DepthFirst && !s.lasso:
		o.Reduce = verify.DefaultReduction
	}
	return o, nil
}

// row is the answer to one scenario, or why there is none.
type row struct {
	versioned
	*verify.Answer
	// the runs that were asked for were drawn, and break nothing
	Sampled bool `json:"sampled,omitempty"`
	// file with the states of what holds, see recheck
	Certificate string `json:"certificate,omitempty"`
	// the run that breaks a property, where --evidence asks for it
	Evidence json.RawMessage `json:"evidence,omitempty"`
	err      error
}

func runCheck(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("check", "[SCENARIO | FILE ...]", std, "check", "check --all", "check s1 's0*'",
		"check s1 --failures 2 --timeout 1m",
		"check s1 --set to-dead=kept --set victims=x",
		"check s1 --variant published --search bfs",
		"check ring3 --search pos --runs 100000 --seed 7", "check my.txtar --json",
		"check s0 --save-run s0.run", "check s0 --resume s0.run",
		"check s1 --certificate s1.cert", "check s1 --search bfs --shards 4")
	var sf searchFlags
	var changed overrides
	var all bool
	sf.registerOrder(f)
	changed.register(f)
	f.BoolVar(&all, "all", false,
		"without names: every scenario, the suite, which takes minutes, and not the tour")
	f.BoolVar(&sf.estimate, "estimate", false,
		"explore only the beginning and guess how large the whole is")
	sf.register(f, std)
	sf.registerRun(f)
	sf.registerPages(f)
	err := f.Parse(args)
	if err == nil {
		err = sf.contradictions(f)
	}
	if err != nil {
		return 0, err
	}
	o, err := sf.options()
	if err != nil {
		return 0, err
	}
	list, err := std.chosen(ctx, f.Args())
	if err != nil {
		return 0, err
	}
	switch whole := len(list); {
	case all && f.NArg() > 0:
		return 0, errors.New("--all is every scenario: name none")
	case f.NArg() == 0 && !all:
		if list = tour(list, std.Protocols()); len(list) < whole {
			defer fmt.Fprintf(std.err, "a tour: %d of %d scenarios; %s check --all explores "+
				"them all, in minutes\n", len(list), whole, self())
		}
	}
	err = errors.Join(sf.addRun(&o, f, len(list), std.err), sf.provable(len(list)))
	if err != nil {
		return 0, err
	}
	err = errors.Join(sf.change(list, &changed), std.resolvable(ctx, list))
	if err == nil {
		err = sf.openPages(len(list), std)
	}
	if err != nil {
		return 0, err
	}
	if sf.estimate {
		return estimateAll(ctx, list, o, &sf, std)
	}
	return checkAll(ctx, list, o, &sf, std)
}

// change puts what the command line says in the place of what the scenarios say.
func (sf *searchFlags) change(list []*scenarios.Scenario, changed *overrides) error {
	for _, s := range list {
		if sf.order != "dfs" || sf.reduce != "" || sf.lasso || sf.proof != "" {
			s.States = 0
		}
		if err := changed.apply(s); err != nil {
			return err
		}
	}
	return nil
}

// use leaves the other cores alone. A machine runs on a goroutine of its own, for whom a core that
// has nothing to do would be woken up at each step, which takes longer than most steps.
func (std *streams) use(cores int) {
	if std.cores != nil {
		std.cores(min(cores, std.cores(0)))
	}
}

// checkAll runs the scenarios, prints them in order and returns the exit code.
func checkAll(ctx context.Context, list []*scenarios.Scenario, o checker.Options, sf *searchFlags,
	std streams) (int, error) {
	began := time.Now()
	defer careful(o)()
	p := newProgress(std.err, len(list), sf.json)
	std.use(sf.workers)
	o.Workers = max(1, sf.workers/max(1, len(list)))
	t := newTable(std.out, list)
	t.traces = o.Order == checker.StatelessOptimal
	var failed error
	code, left := 0, 0
	err := sf.answers(ctx, list, o, std, p, func(job int, r *row) {
		if r == nil {
			left++
			sf.out.left(list[job])
			return
		}
		if r.err != nil {
			sf.pages.miss(list[job].Name, r.err)
			sf.out.failed(list[job], r.err)
			failed = errors.Join(failed, r.err)
			return
		}
		r.save(sf.save, std.err)
		sf.pages.add(ctx, r)
		sf.out.row(r, "")
		r.Evidence = sf.evidenceOf(r, &failed)
		if sf.json {
			// a closed pipe shows on the next write of the shell
			_ = printJSON(std.out, r)
		} else {
			t.row(r)
		}
		code = worse(code, r.code())
		if !sf.json && r.Story() != nil && (len(list) == 1 || !r.AsExpected) {
			r.show(std.out, sf.control)
		}
	})
	failed = errors.Join(failed, err)
	if !sf.json && failed == nil {
		t.summary(time.Since(began))
	}
	failed = errors.Join(failed, sf.pages.finish(left > 0 || ctx.Err() != nil, std.err))
	if failed != nil {
		return 0, failed
	}
	return leftOver(std, left, len(list), "scenarios", code), nil
}

// evidenceOf is the run of an answer as JSON, where it is asked for. That it can not be written is
// added to the errors.
func (s *searchFlags) evidenceOf(r *row, failed *error) json.RawMessage {
	if !s.evidence {
		return nil
	}
	run, err := evidence(r.story())
	*failed = errors.Join(*failed, err)
	return run
}

// answers has all scenarios answered, here or elsewhere, and hands over the rows in their order;
// nil is one that was not begun.
func (sf *searchFlags) answers(ctx context.Context, list []*scenarios.Scenario, o checker.Options,
	std streams, p *progress, done func(job int, r *row)) error {
	f, err := sf.openFarm(ctx, list, std, p)
	if err != nil {
		return err
	}
	if sf.shards > 0 {
		done(0, sf.shardedOne(ctx, list[0], o, f, std, p))
		p.finished(list[0].Name)
		return f.close(ctx)
	}
	err = distribute(ctx, f, sf.workers, len(list), "check",
		func(job int) any { return sf.jobOf(list[job], o) },
		func(job int, a *campaign.Answer) *row {
			p.finished(list[job].Name)
			return std.together(ctx, list[job], a)
		}, func(ctx context.Context, job int) *row {
			if ctx.Err() != nil {
				return nil
			}
			defer p.finished(list[job].Name)
			switch {
			case sf.sampling():
				return sampleOne(ctx, list[job], sf, std, p)
			case sf.proof != "":
				return sf.proveOne(ctx, list[job], o, std, p)
			}
			return checkOne(ctx, list[job], o, std, p)
		}, done)
	return errors.Join(err, f.close(ctx))
}

// checkOne answers one scenario in its variant by a search.
func checkOne(ctx context.Context, s *scenarios.Scenario, o checker.Options, std streams,
	p *progress) *row {
	o.Progress = p.report(s.Name)
	return ask(std, s, func(q world.Case) (*world.Outcome, error) { return world.Check(ctx, q, o) })
}

// ask puts the question of a scenario to whoever answers it. An error of ours in one is its error,
// so that the answers to others are not lost.
func ask(std streams, s *scenarios.Scenario,
	whom func(world.Case) (*world.Outcome, error)) (r *row) {
	defer func() {
		if p := recover(); p != nil {
			r = &row{err: fmt.Errorf("%s: panic: %v\n%s", s.Name, p, debug.Stack())}
		}
	}()
	a, err := verify.Ask(std.Protocols(), s, whom)
	return &row{versioned: as("check"), Answer: a, err: err}
}
