package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/scenarios"
)

// Exit codes of mutate are those of verdicts: what is not as the catalogue says, and what was not
// decided.
const (
	exitUnexpected = 1
	exitUndecided  = 2
)

// mutantRow and mutantSum are one mutant, and all of them, as JSON.
type (
	mutantRow struct {
		versioned
		*mutate.Row
	}
	mutantSum struct {
		versioned
		*mutate.Summary
	}
)

func runMutate(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("mutate", "[PROTOCOL | MUTANT ...]", std, "mutate", "mutate hydee",
		"mutate hydee/gate-open 'rbml/log-*' --show",
		"mutate --methods exhaustive,portfolio --budget 5s",
		"mutate --json --workers 1 --seed 7 causal",
		"mutate --methods exhaustive,walk,portfolio --schedules 5000 --shrink 0",
		"mutate --source hydee --sample 100 --fuzz 20s", "mutate --source survivor.go --list")
	methods, chosen := registerMethods(f, std)
	budget := registerBudget(f)
	workers := f.Int("workers", runtime.GOMAXPROCS(0), "mutants that are hunted at a time")
	shrink := f.Int("shrink", 20_000,
		"states to look at for each smaller scenario when a run is made smaller; 0 = none is")
	show := f.Bool("show", false,
		"print what each mutant does, and why it is expected to survive; with --list, the text of "+
			"mutants and its language")
	list := f.Bool("list", false, "print the catalogue, and hunt nothing")
	asJSON := f.Bool("json", false,
		"print JSON: a line for each mutant, then one with the summary; progress goes to "+
			"standard error, in JSON, too")
	far := registerFarm(f, std)
	out := registerOutputs(f, std)
	html := f.String("html", "",
		"write what kills which mutant as a page into this folder, with colours")
	src, err := registerSource(f)
	if err = errors.Join(err, f.Parse(args)); err != nil {
		return 0, err
	}
	if err := errors.Join(out.open(), out.refuse("--list", *list),
		out.refuse("--source", src.on), far.without("--source", src.on)); err != nil {
		return 0, err
	}
	switch src.take(*budget.seed, *workers, *list, *asJSON); {
	case src.judge:
		return judgeMutant(ctx, std)
	case src.on:
		return src.runSource(ctx, f.Args(), std)
	case *list && *html != "":
		return 0, errors.New("--list hunts nothing that --html could show")
	}
	if err := within(f, positive("budget max-states"), ofWorkers(),
		notNegative("schedules max-memory shrink")); err != nil {
		return 0, err
	}
	if *list {
		return 0, listMutants(std, f.Args(), *show)
	}
	hunters, err := mutate.SelectMethods(methods, *chosen)
	all, mutants, unknown := std.mutants(f.Args())
	if err := cmp.Or(err, unknown); err != nil {
		return 0, err
	}
	q := mutate.Question{Methods: hunters, Resolve: std.guarded, Scenarios: all, Shrink: *shrink,
		Budget: budget.budget()}
	return far.campaign(ctx, std, *workers, func(there *farm) (int, error) {
		return huntFor(ctx, mutants, &q, *workers, there, *html, std, out, *show, *asJSON)
	})
}

// huntFor hunts mutants with progress, and a page if it is wanted.
func huntFor(ctx context.Context, mutants []mutate.Mutant, q *mutate.Question, workers int,
	there *farm, html string, std streams, out *outputs, show, asJSON bool) (int, error) {
	pages, err := openMatrix(html, std)
	if err != nil {
		return 0, err
	}
	line := &hunts{Line: term.NewLine(std.err, asJSON), total: len(mutants),
		at: map[string]mutate.Hunt{}}
	q.Progress = line.hunting
	there.hear(line.hear)
	return huntAll(ctx, mutants, q, workers, there, line, pages, std, out, show, asJSON)
}

// budgetFlags are those of a budget.
type budgetFlags struct {
	time              *time.Duration
	schedules, states *int
	memory            *int64
	seed              *uint64
}

func registerBudget(f *pflag.FlagSet) *budgetFlags {
	return &budgetFlags{
		time: f.Duration("budget", 30*time.Second,
			"time for each method that draws runs, for each mutant"),
		schedules: f.Int("schedules", 0,
			"runs that a method draws at most for a mutant; 0 = no limit but the time"),
		states: f.Int("max-states", 1<<20,
			"states of the exhaustive search breadth first; beyond, it begins again depth first "+
				"without that limit"),
		memory: f.Int64("max-memory", 4096, "MiB of tables of one search; 0 = no limit"),
		seed:   f.Uint64("seed", 1, "same seed, same schedules"),
	}
}

// budget is what the flags say.
func (b *budgetFlags) budget() mutate.Budget {
	return mutate.Budget{Time: *b.time, Schedules: *b.schedules, States: *b.states,
		Bytes: *b.memory << 20, Seed: *b.seed}
}

// mutants are the scenarios, and the mutants that the words name.
func (std streams) mutants(words []string) ([]*scenarios.Scenario, []mutate.Mutant, error) {
	all := std.Scenarios()
	var texts []mutate.Text
	for _, p := range std.Protocols() {
		texts = append(texts, mutate.Text{Protocol: p.Name, File: p.Name + ": mutants.txt",
			Text: p.Mutants})
	}
	list, err := mutate.Collect(texts)
	if err != nil {
		return nil, nil, err
	}
	list, err = mutate.Select(mutate.Catalogue(list, all), words)
	return all, list, err
}

// listMutants prints the catalogue, or the text of mutants with what its words mean.
func listMutants(std streams, words []string, asText bool) error {
	w := std.out
	_, mutants, err := std.mutants(words)
	if asText && err == nil {
		for line := range strings.Lines(mutate.Language()) {
			fmt.Fprintln(w, strings.TrimRight("# "+line, " \n"))
		}
		_, err = fmt.Fprintf(w, "\n%s", mutate.Format(mutants))
		return err
	}
	for _, m := range mutants {
		fmt.Fprintf(w, "%-30s at %-20s %-10s %s\n", m.Name, m.Scenario, m.Expect, m.Doc)
		if m.Why != "" {
			fmt.Fprintf(w, "%30s    %s\n", "", m.Why)
		}
	}
	return err
}

// registerMethods are all methods, and the names of those that the user wants.
func registerMethods(f *pflag.FlagSet, std streams) ([]mutate.Method, *[]string) {
	methods := allMethods(std)
	var names []string
	for _, m := range methods {
		names = append(names, m.Name())
	}
	return methods, f.StringSlice("methods", names, "how mutants are hunted")
}

// allMethods are the methods of the package and those that need protocols by name.
func allMethods(std streams) []mutate.Method {
	return append(mutate.Methods(), soaking{}, fuzzing{std})
}

// huntAll hunts the mutants, prints the rows in order, then the summary.
func huntAll(ctx context.Context, mutants []mutate.Mutant, q *mutate.Question, workers int,
	there *farm, line *hunts, pages *matrixPages, std streams,
	out *outputs, show, asJSON bool) (int, error) {
	type answer struct {
		row *mutate.Row
		err error
	}
	var rows []*mutate.Row
	var failed error
	t := newMatrix(std.out, mutants, q.Methods, show)
	err := distribute(ctx, there, workers, len(mutants), "mutant",
		func(job int) any { return huntOf(mutants[job], q) },
		func(job int, a *campaign.Answer) answer {
			line.finished(mutants[job].Name)
			row, err := hunted(mutants[job], a)
			return answer{row, err}
		}, func(ctx context.Context, job int) answer {
			if ctx.Err() != nil {
				return answer{} // interrupted before its turn
			}
			row, err := q.Ask(ctx, mutants[job])
			line.finished(mutants[job].Name)
			return answer{row, err}
		}, func(job int, a answer) {
			if a.err != nil {
				out.unhunted(mutants[job], a.err)
				failed = errors.Join(failed, a.err)
				return
			}
			out.hunted(mutants[job], a.row, q.Scenarios)
			if a.row == nil {
				return
			}
			rows = append(rows, a.row)
			if asJSON {
				// a closed pipe shows on the next write of the shell
				_ = printJSON(std.out, mutantRow{as("mutant"), a.row})
				return
			}
			line.Clear()
			t.row(a.row)
		})
	failed = errors.Join(failed, err)
	line.Clear()
	sum := mutate.Sum(rows)
	if failed != nil {
		return 0, errors.Join(failed, pages.write(ctx, q, sum, rows, mutants))
	}
	if asJSON {
		if err := printJSON(std.out, mutantSum{as("mutants"), sum}); err != nil {
			return 0, err
		}
	} else {
		t.summary(sum, rows, len(mutants))
	}
	if err := pages.write(ctx, q, sum, rows, mutants); err != nil {
		return 0, err
	}
	return mutateCode(sum, len(rows) < len(mutants)), nil
}

// mutateCode is the exit code.
func mutateCode(sum *mutate.Summary, interrupted bool) int {
	switch {
	case len(sum.Unexpected) > 0:
		return exitUnexpected
	case len(sum.Undecided) > 0 || interrupted:
		return exitUndecided
	}
	return 0
}

// hunts shows what is hunted.
type hunts struct {
	*term.Line
	mu    sync.Mutex
	total int
	done  int
	at    map[string]mutate.Hunt
}

// huntEvent is the method at work on a mutant.
type huntEvent struct {
	happening
	Mutant string `json:"mutant"`
	Done   int    `json:"done"`
	Total  int    `json:"total"`
	mutate.Hunt
}

// hunting is told about the method at work.
func (l *hunts) hunting(mutant string, h mutate.Hunt) {
	l.mu.Lock()
	l.at[mutant] = h
	done := l.done
	l.mu.Unlock()
	l.Show("", l.text, func() any {
		return huntEvent{underWay, mutant, done, l.total, h}
	})
}

// text tells of all hunts.
func (l *hunts) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var words []string
	for name, h := range l.at {
		what := fmt.Sprintf("%s: %s, %s runs", name, h.Method, count(h.Schedules))
		if h.States > 0 {
			what = fmt.Sprintf("%s: %s, %s states", name, h.Method, count(h.States))
		}
		words = append(words, what)
	}
	slices.Sort(words)
	return fmt.Sprintf("%d/%d done; %s", l.done, l.total, strings.Join(words, "; "))
}

// finished takes a mutant off the line.
func (l *hunts) finished(mutant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	delete(l.at, mutant)
}

// hear shows what workers tell.
func (l *hunts) hear(t campaign.Progress) {
	var e huntEvent
	if campaign.Decode(t.Data, &e) == nil { // else it is of no use, and no harm
		l.hunting(e.Mutant, e.Hunt)
	}
}
