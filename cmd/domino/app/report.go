package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// reportFlags direct a report.
type reportFlags struct {
	output, format string
	force, small   bool
	maxStates      int
	maxMemory      int64
	timeout        time.Duration
}

func runReport(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("report", "SCENARIO | FILE | FOLDER [ANOTHER]", std, "report h10",
		"report .domino/s1-published.txtar -o s1.html", "report s1 --variant published -o s1.json",
		"report h10 --format txt -o -",
		"report run-of-processes -o run.html", "report one.txtar another.txtar -o both.html")
	var rf reportFlags
	var changed overrides
	f.StringVarP(&rf.output, "output", "o", "",
		"the file, \"-\" for standard output; by default the name of the run, here")
	f.StringVar(&rf.format, "format", "",
		"its form: "+strings.Join(formatNames(), ", ")+"; by default that of the ending of the "+
			"file, else html")
	changed.register(f)
	f.BoolVar(&rf.force, "force", false,
		"go on although the program is outside the protocol's model")
	f.BoolVar(&rf.small, "small", false,
		"make the run as small as it gets, as minimise does, and say why it does not get smaller")
	f.IntVar(&rf.maxStates, "max-states", 0, "stop the search after so many states; 0 = no limit")
	f.Int64Var(&rf.maxMemory, "max-memory", 8192,
		"stop the search when its tables take so many MiB; 0 = no limit")
	f.DurationVar(&rf.timeout, "timeout", 0, "stop the search after this time; 0 = no limit")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() != 1 && f.NArg() != 2 {
		return 0, fmt.Errorf("want a scenario, file or folder, or two of them, got %d arguments",
			f.NArg())
	}
	if err := within(f, notNegative("max-states max-memory timeout")); err != nil {
		return 0, err
	}
	if err := rf.room(); err != nil {
		return 0, err
	}
	form, err := rf.form()
	if err != nil {
		return 0, err
	}
	if f.NArg() == 2 {
		e, err := std.compared(ctx, f.Args(), changed, &rf, form)
		if err != nil {
			return 0, err
		}
		return 0, rf.put(form, e, std)
	}
	build := std.outlined
	if form.page {
		build = func(x *exhibit) (*page.Page, error) { return std.page(ctx, x) }
	}
	e, err := std.reported(ctx, f.Arg(0), changed, &rf, build)
	if err != nil {
		return 0, err
	}
	return 0, rf.put(form, e, std)
}

// reported is what a name stands for: a run that is written down, a scenario or a file. What is
// made of its run is for the caller to say.
func (std streams) reported(ctx context.Context, name string, changed overrides,
	rf *reportFlags, build func(*exhibit) (*page.Page, error)) (*exhibited, error) {
	file, err := recorded(name)
	if err != nil {
		return nil, err
	}
	if file != "" {
		if len(changed) > 0 || rf.small {
			return nil, fmt.Errorf("%s is a run as it was: nothing of it can be changed", name)
		}
		p, err := readRecorded(ctx, file)
		return &exhibited{Page: p}, err
	}
	s, err := std.subject(ctx, name, changed, rf.force)
	if err != nil {
		return nil, err
	}
	what, err := std.search(ctx, s, name, rf)
	if err != nil {
		return nil, err
	}
	var small *page.Small
	if rf.small {
		if what, small, err = std.smaller(ctx, what, rf); err != nil {
			return nil, err
		}
	}
	p, err := build(what)
	if err != nil {
		return nil, err
	}
	p.Small = small
	e := &exhibited{Page: p}
	e.file, e.line = (&outputs{std: std}).place(s)
	return e, nil
}

// form is that of the flag, or of the file.
func (rf *reportFlags) form() (*format, error) {
	ending := strings.ToLower(filepath.Ext(rf.output))
	for i := range formats {
		f := &formats[i]
		if rf.format == f.name || rf.format == "" && slices.Contains(f.endings, ending) {
			return f, nil
		}
	}
	switch {
	case rf.format != "":
		return nil, fmt.Errorf("--format: unknown form %q%s Forms: %s", rf.format,
			spelling.Guess(rf.format, formatNames()), strings.Join(formatNames(), ", "))
	case ending != "" && rf.output != "-":
		return nil, fmt.Errorf("no form of a report ends in %s: name one by --format, of %s",
			ending, strings.Join(formatNames(), ", "))
	}
	return &formats[0], nil
}

func formatNames() (list []string) {
	for _, f := range formats {
		list = append(list, f.name)
	}
	return list
}

// room looks whether the file can be written, before the search.
func (rf *reportFlags) room() error {
	if rf.output == "-" {
		return nil
	}
	info, err := os.Stat(rf.output)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file in it", rf.output)
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil
	}
	folder := filepath.Dir(rf.output)
	if _, err := os.Stat(folder); err != nil {
		return fmt.Errorf("the report has no folder: %w", err)
	}
	if err := couldWrite(folder); err != nil {
		return fmt.Errorf("the report can not be written: %w", err)
	}
	return nil
}

// subject is the scenario of a name or a file as the command line wants it. One that shows an
// erratum is about the protocol with it, unless the command line says otherwise.
func (std streams) subject(ctx context.Context, name string, changed overrides,
	force bool) (*scenarios.Scenario, error) {
	s, err := heard(ctx, func() (*scenarios.Scenario, error) { return std.one(name) })
	switch {
	case err != nil:
		return nil, err
	case len(changed) > 0:
		s.Schedule = nil // the run is of the scenario as it is written
	case s.Erratum != "" && s.Variant == "repaired" && len(s.Schedule) == 0:
		s.Variant, s.Expect, s.States, s.MustSee, s.Force = "repaired+"+s.Erratum, "violated", 0,
			nil, true
	}
	s.Force = s.Force || force
	return s, changed.apply(s)
}

// search finds the run to be shown: that of the schedule, else the shortest that breaks a property,
// else an example of what the protocol does.
func (std streams) search(ctx context.Context, s *scenarios.Scenario, name string,
	rf *reportFlags) (*exhibit, error) {
	if len(s.Schedule) > 0 {
		return std.scheduled(ctx, s, "domino replay "+word(name))
	}
	o := verify.Options{MaxStates: rf.maxStates, MaxBytes: rf.maxMemory << 20,
		MaxTime: rf.timeout}
	if s.Expect == "violated" {
		o.Order = checker.BreadthFirst
	}
	a, err := verify.Check(ctx, std.Protocols(), s, o)
	if err == nil && ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil {
		return nil, err
	}
	command := "domino check " + word(name) + " --variant " + s.Variant + " --search bfs"
	if found := ofAnswer(a, command); found != nil {
		return found, nil
	}
	r, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	w, run, err := example(ctx, r.Case)
	if err != nil {
		return nil, err
	}
	return &exhibit{scenario: s, world: w, run: run, verdict: a.Verdict, answer: calm(a),
		scope:    append(scopeOf(a), "The run below is an example of what the protocol does."),
		searched: a.Scope(),
		command:  "domino check " + word(name) + " --variant " + s.Variant}, nil
}

// calm is an answer without a run in a sentence.
func calm(a *verify.Answer) string {
	switch a.Verdict {
	case spec.Holds:
		return "No run breaks a property."
	case spec.OutOfModel:
		return sentence("out of model: " + a.Why)
	}
	return sentence(cmp.Or(a.Why, a.Verdict.String()))
}

// scheduled is the run of a schedule.
func (std streams) scheduled(ctx context.Context, s *scenarios.Scenario,
	command string) (*exhibit, error) {
	r, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	if slices.Contains(fuzz.GuardProperties(), s.Breaks) {
		r.Setup = fuzz.Guard(world.Case{Setup: r.Setup}).Setup
	}
	w, _, err := world.Open(ctx, cutting(r.Case), checker.Options{})
	if err != nil {
		return nil, err
	}
	prime(w, s)
	run, err := w.Replay(s.Schedule)
	if err != nil {
		return nil, fmt.Errorf("the schedule of %s does not fit: %w; check the scenario again",
			s.Name, err)
	}
	what := &exhibit{scenario: s, world: w, run: run, scope: []string{s.Within() + "."},
		command: command}
	switch {
	case run.Violation != nil:
		what.verdict = spec.Violated
	case !run.Complete:
		what.verdict = spec.Unknown
		what.answer = "This run breaks no property as far as it goes."
	default:
		what.badge = cleanRun
	}
	return what, nil
}

// plainName is what is not in the names of files that are made here.
var plainName = regexp.MustCompile(`[^\w.-]+`)

// put writes the report, whole or not at all.
func (rf *reportFlags) put(f *format, p *exhibited, std streams) error {
	if rf.output == "-" {
		return f.write(std.out, p)
	}
	name := rf.output
	if name == "" {
		name = p.Name
		if v := p.Variant; v != "" && !strings.HasSuffix(name, v) {
			name += "-" + v
		}
		if p.Other != nil {
			name += "-" + p.Other.Name
		}
		name = plainName.ReplaceAllString(name, "-") + f.endings[0]
	}
	if err := wholefile.Stream(name, func(w io.Writer) error { return f.write(w, p) }); err != nil {
		return fmt.Errorf("the report is not written: %w", err)
	}
	fmt.Fprintln(std.out, name)
	return nil
}
