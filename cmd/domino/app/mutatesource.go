package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	mutated "github.com/domino-check/domino/checker/mutate/source"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/protocol"
)

// sourceFlags are those of mutate --source.
type sourceFlags struct {
	on, judge, list, json bool
	sample, workers       int
	within                int
	fuzz                  time.Duration
	out                   string
	seed                  uint64
	flags                 *pflag.FlagSet
}

func registerSource(f *pflag.FlagSet) (*sourceFlags, error) {
	s := &sourceFlags{flags: f}
	f.BoolVar(&s.on, "source", false,
		"mutate the source of the protocols instead; names are protocols, packages such as "+
			"sendlog, and parts of names of mutants. Needs the go command and a checkout")
	f.IntVar(&s.sample, "sample", 0,
		"of --source: so many mutants, spread over packages and operators; 0 = all")
	f.DurationVar(&s.fuzz, "fuzz", time.Minute,
		"of --source: time to fuzz each mutant that no scenario notices; 0 = none")
	f.IntVar(&s.within, "within", 0,
		"of --source: leave out scenarios in which the original has more states; 0 = none")
	f.StringVar(&s.out, "out", filepath.Join(".domino", "mutants.jsonl"),
		"of --source: file of results, where the next time goes on; \"\" keeps none")
	f.BoolVar(&s.judge, mutated.JudgeFlag, false, "internal")
	return s, f.MarkHidden(mutated.JudgeFlag)
}

// take reads the flags that both kinds of mutants have.
func (s *sourceFlags) take(seed uint64, workers int, list, asJSON bool) {
	s.seed, s.workers, s.list, s.json = seed, workers, list, asJSON
}

// runSource asks the mutants of the source that the words name.
func (s *sourceFlags) runSource(ctx context.Context, words []string, std streams) (int, error) {
	if err := within(s.flags, notNegative("sample fuzz within"), ofWorkers()); err != nil {
		return 0, err
	}
	for _, other := range []string{"methods", "budget", "schedules", "max-states", "max-memory",
		"shrink", "show", "html"} {
		if s.flags.Changed(other) {
			return 0, fmt.Errorf("--%s has no meaning with --source", other)
		}
	}
	c, mutants, err := s.campaign(ctx, words, std)
	if err != nil {
		return 0, err
	}
	if s.list {
		return 0, listSource(std.out, mutants)
	}
	folder, err := os.MkdirTemp("", "domino-mutants-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left there hurts nobody
	code, err := s.ask(ctx, c, mutants, folder, std)
	if ctx.Err() != nil {
		return 0, errInterrupted
	}
	return code, err
}

// campaign finds the packages and their mutants.
func (s *sourceFlags) campaign(ctx context.Context, words []string, std streams) (
	*mutated.Campaign, []*mutated.Mutant, error) {
	module, err := heard(ctx, func() (*mutated.Module, error) {
		return mutated.Load(ctx, ".", mainPackage())
	})
	if err != nil {
		return nil, nil, err
	}
	c := &mutated.Campaign{Module: module, Fuzz: s.fuzz, Seed: s.seed, Within: s.within,
		Workers: s.workers, Out: s.out, Judges: map[string][]string{},
		Others: map[string][]string{}, Fuzzed: fuzz.Names(std.Protocols())}
	paths, rest := packagesOf(std.Protocols(), module, words)
	var mutants []*mutated.Mutant
	for _, path := range paths {
		p, err := module.Package(path, len(mutants)+1)
		if err != nil {
			return nil, nil, err
		}
		c.Packages, mutants = append(c.Packages, p), append(mutants, p.Mutants...)
		for i := range std.Protocols() {
			q := &std.Protocols()[i]
			if home(q) == path {
				c.Judges[path] = append(c.Judges[path], q.Name)
			} else if module.Uses(home(q), path) {
				c.Others[path] = append(c.Others[path], q.Name)
			}
		}
	}
	if mutants, err = mutated.Select(mutants, rest); err != nil {
		return nil, nil, err
	}
	return c, mutated.Sample(mutants, s.sample, s.seed), nil
}

// mainPackage is the import path of the program that this is; a test stands in for domino.
func mainPackage() string {
	const domino = "github.com/domino-check/domino/cmd/domino"
	if info, ok := debug.ReadBuildInfo(); ok && !strings.HasSuffix(info.Path, ".test") {
		return cmp.Or(info.Path, domino)
	}
	return domino
}

// home is the package that a protocol is made in.
func home(p *protocol.Protocol) string {
	made := reflect.ValueOf(p.Setup)
	if p.Setup == nil {
		made = reflect.ValueOf(p.Build)
	}
	name := runtime.FuncForPC(made.Pointer()).Name()
	slash := strings.LastIndexByte(name, '/')
	return name[:slash+1] + strings.SplitN(name[slash+1:], ".", 2)[0]
}

// packagesOf are the packages that the words name, of all protocols where they name none, and the
// words that name parts of mutants.
func packagesOf(list protocol.List, module *mutated.Module, words []string) (paths,
	rest []string) {
	add := func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, w := range words {
		if p, err := list.Find(w); err == nil {
			add(home(p))
		} else if named := module.Named(w); len(named) == 1 {
			add(named[0])
		} else {
			rest = append(rest, w)
		}
	}
	if len(paths) == 0 {
		for i := range list {
			add(home(&list[i]))
		}
	}
	return paths, rest
}

// listSource prints the mutants.
func listSource(w io.Writer, mutants []*mutated.Mutant) error {
	for _, m := range mutants {
		if _, err := fmt.Fprintf(w, "%-10s %4d  %s\n", m.Operator, m.Line, m.Name()); err != nil {
			return err
		}
	}
	return nil
}

// ask builds the program and runs the campaign.
func (s *sourceFlags) ask(ctx context.Context, c *mutated.Campaign, mutants []*mutated.Mutant,
	folder string, std streams) (int, error) {
	if s.out != "" {
		if err := os.MkdirAll(filepath.Dir(s.out), 0o755); err != nil {
			return 0, err
		}
	}
	line := &askedLine{Line: term.NewLine(std.err, s.json), total: len(mutants)}
	c.Tell = func(what string) { line.say(what) }
	c.Tell(fmt.Sprintf("building a program with %d mutants", len(mutants)))
	c.Program = filepath.Join(folder, "domino")
	if err := c.Module.Build(ctx, c.Packages, folder, c.Program); err != nil {
		return 0, err
	}
	began := time.Now()
	t := newSourceTable(std.out)
	out, err := c.Run(ctx, mutants, func(r *mutated.Result) {
		line.done(r)
		if s.json {
			// a closed pipe shows on the next write of the shell
			_ = printJSON(std.out, sourceRow{as("source-mutant"), r})
		} else if r.Fate != mutated.Killed && r.Fate != mutated.Equal {
			line.Clear()
			t.row(r)
		}
	})
	line.Clear()
	if err != nil {
		return 0, err
	}
	sum := mutated.Sum(out)
	if s.json {
		err = printJSON(std.out, sourceSum{as("source-mutants"), sum, out.Stale, out.Wrong,
			out.Slow})
	} else {
		t.summary(out, sum, time.Since(began))
	}
	switch {
	case len(out.Results) < len(mutants):
		return 0, errors.Join(err, errInterrupted)
	case sum.All.Survived+sum.All.Uncovered > 0 || len(out.Stale)+len(out.Wrong) > 0:
		return exitUnexpected, err
	case sum.All.Unanswered > 0:
		return exitUndecided, err
	}
	return 0, err
}

// sourceRow and sourceSum are the lines of JSON.
type (
	sourceRow struct {
		versioned
		*mutated.Result
	}
	sourceSum struct {
		versioned
		*mutated.Summary
		Stale []string `json:"stale"` // entries of equivalent.txt
		Wrong []string `json:"wrong"` // scenarios that the original does not answer as expected
		Slow  []string `json:"slow"`  // scenarios that were left out
	}
)

// askedLine shows how far a campaign has come.
type askedLine struct {
	*term.Line
	mu                  sync.Mutex
	total, over, killed int
	what                string
}

// askedEvent is the same in JSON.
type askedEvent struct {
	happening
	Done   int    `json:"done"`
	Killed int    `json:"killed"`
	Total  int    `json:"total"`
	What   string `json:"what"`
}

func (l *askedLine) say(what string) {
	l.mu.Lock()
	l.what = what
	l.mu.Unlock()
	l.Show("", func() string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return fmt.Sprintf("%d/%d done, %d killed; %s", l.over, l.total, l.killed, l.what)
	}, func() any {
		l.mu.Lock()
		defer l.mu.Unlock()
		return askedEvent{underWay, l.over, l.killed, l.total, l.what}
	})
}

func (l *askedLine) done(r *mutated.Result) {
	l.mu.Lock()
	l.over++
	if r.Fate == mutated.Killed {
		l.killed++
	}
	l.mu.Unlock()
	l.say(fmt.Sprintf("%s: %s", r.Name(), r.Fate))
}
