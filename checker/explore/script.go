package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/checker"
)

// Commands says what a script may say, for help texts: one command a line, # begins a comment.
const Commands = `choose EVENT          take an event, by its name or its number in the list
path LINK             go to where a link leads, from the start
back [N]              take N steps back, 1 without N
walk SEED [N]         take N events that the seed draws, no faults; 100 without N
until CONDITION       draw events, no faults, until the condition holds
find CONDITION        go the shortest way to where the condition holds
around                what can follow
what-if VARIANT       the same schedule in another variant
hybrid VARIANT        go on with the machines of another variant
state [PROC ...]      local states
events                what can happen
save NAME             write the run as a replay file NAME.txtar`

// Runner runs the commands of a script, or of a person, one after the other.
type Runner struct {
	Session *Session
	Path    []string
	Out     io.Writer
	// Save writes a file; nil refuses
	Save   func(name string, content *Session, path []string) error
	Bounds checker.Options // of each search
}

// ErrScript is returned for a line that is no command.
var ErrScript = errors.New("no command of a script")

// Run runs all lines of a script and stops at the first that fails; the error has its number.
func (r *Runner) Run(ctx context.Context, script string) error {
	number := 0
	for line := range strings.Lines(script) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		fmt.Fprintf(r.Out, "> %s\n", line)
		if err := r.Do(ctx, line); err != nil {
			return fmt.Errorf("line %d, %q: %w", number, line, err)
		}
	}
	return nil
}

// Do runs one command and prints what comes of it.
func (r *Runner) Do(ctx context.Context, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	do := map[string]func(context.Context, string) error{"choose": r.choose, "path": r.goTo,
		"back": r.back, "walk": r.walk, "until": r.until, "find": r.find, "around": r.around,
		"what-if": r.whatIf, "hybrid": r.hybrid, "state": r.state, "events": r.events,
		"save": r.save}[verb]
	if do == nil {
		return fmt.Errorf("%w. Commands:\n%s", ErrScript, Commands)
	}
	return do(ctx, rest)
}

// at goes to the end of a path and says where that is.
func (r *Runner) at(path []string) error {
	st, err := r.Session.At(path)
	if err != nil {
		return err
	}
	fresh := 0
	for fresh < min(len(path), len(r.Path)) && path[fresh] == r.Path[fresh] {
		fresh++
	}
	for i := fresh; i < len(path); i++ {
		fmt.Fprintf(r.Out, "%4d  %s\n", i+1, path[i])
	}
	r.Path = path
	fmt.Fprintf(r.Out, "step %d, state %s: possible are %d", len(path), st.Name, len(st.Enabled))
	if st.Hybrid != "" {
		fmt.Fprintf(r.Out, " (%s)", st.Hybrid)
	}
	fmt.Fprintln(r.Out)
	switch {
	case st.Violation != nil:
		fmt.Fprintf(r.Out, "breaks %s: %s\n", st.Violation.Property, st.Violation.Message)
	case st.Complete:
		fmt.Fprintln(r.Out, "the run is complete and breaks nothing")
	}
	return nil
}

func (r *Runner) choose(_ context.Context, name string) error {
	st, err := r.Session.At(r.Path)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(st.Enabled, func(e Event) bool { return e.Name == name })
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(st.Enabled) {
		at = n - 1
	}
	if at < 0 {
		return fmt.Errorf("it can not happen now; of the %d events that can, see: events",
			len(st.Enabled))
	}
	return r.at(append(slices.Clone(r.Path), st.Enabled[at].Name))
}

func (r *Runner) goTo(_ context.Context, link string) error {
	path, err := r.Session.Path(link)
	if err != nil {
		return err
	}
	return r.at(path)
}

func (r *Runner) back(_ context.Context, text string) error {
	n, err := count(text, 1)
	if err != nil {
		return err
	}
	return r.at(slices.Clone(r.Path[:max(0, len(r.Path)-n)]))
}

// count reads a number that may be left out.
func count(text string, without int) (int, error) {
	if text == "" {
		return without, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("want a number from 1, got %q", text)
	}
	return n, nil
}

func (r *Runner) walk(ctx context.Context, text string) error {
	first, rest, _ := strings.Cut(text, " ")
	seed, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return fmt.Errorf("want a seed, a number, got %q", first)
	}
	steps, err := count(strings.TrimSpace(rest), 100)
	if err != nil {
		return err
	}
	path, _, err := r.Session.Walk(ctx, r.Path, seed, steps, false, Condition{})
	if err != nil {
		return err
	}
	return r.at(path)
}

// longestWalk bounds a walk to a condition.
const longestWalk = 10_000

func (r *Runner) until(ctx context.Context, text string) error {
	c, err := r.Session.Condition(text)
	if err != nil {
		return err
	}
	path, met, err := r.Session.Walk(ctx, r.Path, 1, longestWalk, false, c)
	if err != nil {
		return err
	}
	if err = r.at(path); !met {
		fmt.Fprintln(r.Out, "the condition did not hold behind any of these steps")
	}
	return err
}

func (r *Runner) find(ctx context.Context, text string) error {
	c, err := r.Session.Condition(text)
	if err != nil {
		return err
	}
	f, err := r.Session.Find(ctx, r.Path, c, r.Bounds)
	if err != nil {
		return err
	}
	if f.Path != nil {
		return r.at(f.Path)
	}
	fmt.Fprintf(r.Out, "not found in %d states: %s\n", f.States, f.Scope())
	return nil
}

// mostAround bounds what is looked at for "around".
const mostAround = 10_000

func (r *Runner) around(ctx context.Context, _ string) error {
	a, err := r.Session.Around(ctx, r.Path, mostAround)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%d events, %d states after them, %d of %d pairs commute; %d states within "+
		"%d steps", a.Successors, a.Distinct, a.Commuting, a.Pairs, a.Within, a.Steps)
	if a.Complete {
		fmt.Fprint(r.Out, ", which are all")
	}
	fmt.Fprintln(r.Out)
	return nil
}

func (r *Runner) whatIf(_ context.Context, variant string) error {
	f, err := r.Session.WhatIf(r.Path, variant)
	if err != nil {
		return err
	}
	switch {
	case f.Differs == 0:
		fmt.Fprintf(r.Out, "%s: the same in all %d steps\n", variant, len(f.Path))
	default:
		fmt.Fprintf(r.Out, "%s: different from step %d of %d on: %s\n", variant, f.Differs,
			len(r.Path), f.How)
	}
	if f.Blind {
		fmt.Fprintln(r.Out, Blind)
	}
	if v := f.State.Violation; v != nil {
		fmt.Fprintf(r.Out, "it breaks %s: %s\n", v.Property, v.Message)
	}
	return nil
}

func (r *Runner) hybrid(_ context.Context, variant string) error {
	h, err := r.Session.Hybrid(r.Path, variant)
	if err != nil {
		return err
	}
	r.Session, r.Path = h, nil
	return r.at(nil)
}

func (r *Runner) state(_ context.Context, text string) error {
	st, err := r.Session.At(r.Path)
	if err != nil {
		return err
	}
	names := strings.Fields(text)
	for _, p := range st.Procs {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			fmt.Fprintf(r.Out, "%s  %s\n", p.Name, p.State)
		}
	}
	return nil
}

func (r *Runner) events(_ context.Context, _ string) error {
	st, err := r.Session.At(r.Path)
	if err != nil {
		return err
	}
	for i, e := range st.Enabled {
		fmt.Fprintf(r.Out, "%4d  %s", i+1, e.Name)
		if e.Breaks != "" {
			fmt.Fprintf(r.Out, "  breaks %s", e.Breaks)
		}
		fmt.Fprintln(r.Out)
	}
	return nil
}

func (r *Runner) save(_ context.Context, name string) error {
	if r.Save == nil {
		return errors.New("nothing is saved: no folder was given")
	}
	if err := r.Save(name, r.Session, r.Path); err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "saved as %s.txtar\n", name)
	return nil
}
