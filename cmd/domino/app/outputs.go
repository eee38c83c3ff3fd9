package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/ci"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// outputs are the answers of a command for continuous integration, beside what it prints.
type outputs struct {
	std                           streams
	flags                         *pflag.FlagSet // of the command, once it has made them
	junit, sarif, summary, remark string
	annotate                      string
	suite                         ci.Suite
	opened                        bool     // they could be written, and are to be
	told                          []error  // by cases
	embedded                      []string // files of the scenarios that the house brings
}

// registerOutputs gives a command the flags that all with a verdict have. What they ask for is
// written when the command ends, however it does, from open on.
func registerOutputs(f *pflag.FlagSet, std streams) *outputs {
	o := std.outputs
	*o = outputs{std: std, flags: f, suite: ci.Suite{Tool: self(), Version: thisBuild().String(),
		Command: f.Name()}}
	f.StringVar(&o.junit, "junit", "", "also write JUnit XML to this file; see help ci")
	f.StringVar(&o.sarif, "sarif", "", "also write what is not as expected to this file, as SARIF")
	f.StringVar(&o.summary, "summary", "",
		"also write a summary in Markdown to this file, of at most 1 MiB")
	f.StringVar(&o.remark, "comment", "", "as --summary, of at most 64 KiB")
	f.StringVar(&o.annotate, "annotate", "",
		"also print what is not as expected to standard error for this service: github")
	return o
}

// file is one of the outputs.
type file struct {
	flag, name string
	write      func(io.Writer) error
}

// files are the outputs that are asked for.
func (o *outputs) files() []file {
	list := []file{
		{"junit", o.junit, func(w io.Writer) error { return ci.JUnit(w, &o.suite) }},
		{"sarif", o.sarif, func(w io.Writer) error { return ci.SARIF(w, &o.suite) }},
		{"summary", o.summary, o.summarise},
		{"comment", o.remark, func(w io.Writer) error {
			return ci.Summary(w, &o.suite, ci.CommentBytes)
		}},
	}
	return slices.DeleteFunc(list, func(f file) bool { return f.name == "" })
}

// wanted reports whether anything is asked for.
func (o *outputs) wanted() bool { return o.annotate != "" || len(o.files()) > 0 }

// open says, before the work is done, what could not be written after it.
func (o *outputs) open() error {
	o.opened = false
	if o.annotate != "" && o.annotate != "github" {
		return fmt.Errorf("--annotate: unknown service %q, want github", o.annotate)
	}
	seen := map[string]string{}
	for _, f := range o.files() {
		if other := seen[filepath.Clean(f.name)]; other != "" {
			return fmt.Errorf("--%s and --%s name the same file", other, f.flag)
		}
		seen[filepath.Clean(f.name)] = f.flag
		info, err := os.Stat(f.name)
		switch {
		case err == nil && info.IsDir():
			return fmt.Errorf("--%s: %s is a folder, want a file", f.flag, f.name)
		case err == nil && !info.Mode().IsRegular(): // as /dev/stdout
			continue
		}
		if err := couldWrite(filepath.Dir(f.name)); err != nil {
			return fmt.Errorf("--%s: %w", f.flag, err)
		}
	}
	o.opened = true
	return nil
}

// refuse says that the command has no verdict with a flag that is given.
func (o *outputs) refuse(with string, given bool) error {
	if given && o.wanted() {
		o.opened = false
		return fmt.Errorf("%s gives no verdict: it contradicts --junit, --sarif, --summary, "+
			"--comment and --annotate", with)
	}
	return nil
}

// add takes an answer. It keeps nothing of the search that has found it.
func (o *outputs) add(c ci.Case) {
	if o.wanted() {
		o.suite.Cases = append(o.suite.Cases, c)
	}
}

// end writes what is asked for, each file whole or not at all. An error that the command ends with
// is one more answer, unless one tells it already.
func (o *outputs) end(err error) error {
	if !o.opened {
		return err
	}
	for _, e := range parts(err) {
		if !slices.Contains(o.told, e) {
			o.add(ci.Case{Name: o.suite.Tool + " " + o.suite.Command, Verdict: spec.Unknown,
				Why: e.Error(), Failed: !errors.Is(e, errInterrupted)})
		}
	}
	var failed error
	for _, f := range o.files() {
		wrong := os.MkdirAll(filepath.Dir(f.name), 0o777)
		if wrong == nil {
			wrong = wholefile.Stream(f.name, f.write)
		}
		if wrong != nil {
			failed = errors.Join(failed, fmt.Errorf("--%s: %w", f.flag, wrong))
		}
	}
	if o.annotate != "" {
		where := "the output"
		if o.summary != "" {
			where = "the summary"
		}
		failed = errors.Join(failed, ci.Annotations(o.std.err, &o.suite, where))
	}
	if failed != nil && errors.Is(err, errInterrupted) {
		return fmt.Errorf("%s; %w", err.Error(), failed) // of the two, it says how we end
	}
	return errors.Join(err, failed)
}

// parts are the errors that were joined.
func parts(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || err.Error() != errors.Join(joined.Unwrap()...).Error() { // it says more
		return []error{err}
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, parts(e)...)
	}
	return list
}

// stepSummary is the environment variable in which GitHub names the file of the summary of a step.
const stepSummary = "GITHUB_STEP_SUMMARY"

// summarise writes the summary. To that of a step of GitHub it is added: several commands of a step
// share the file, and its room.
func (o *outputs) summarise(w io.Writer) error {
	var before []byte
	if o.summary == os.Getenv(stepSummary) {
		var err error
		if before, err = os.ReadFile(o.summary); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if len(before) > 0 {
			before = append(bytes.TrimRight(before, "\n"), "\n\n"...)
		}
	}
	if _, err := w.Write(before); err != nil {
		return err
	}
	return ci.Summary(w, &o.suite, ci.SummaryBytes-len(before))
}

// place is the file of a scenario and a line in it, as the repository has it.
func (o *outputs) place(s *scenarios.Scenario) (name string, line int) {
	if o.embedded == nil {
		o.embedded = []string{}
		for _, e := range o.std.Scenarios() {
			if p, err := o.std.Find(e.Protocol); err == nil && p.House {
				o.embedded = append(o.embedded, e.File)
			}
		}
	}
	if name = s.File; name == "" || name == kernelFile || name == inputFile {
		return "", 0 // it is in no file
	}
	if slices.Contains(o.embedded, name) {
		return "scenarios/" + name, s.Line()
	}
	if here, err := os.Getwd(); err == nil && filepath.IsAbs(name) {
		if inside, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(inside) {
			name = inside
		}
	}
	return filepath.ToSlash(filepath.Clean(name)), s.Line()
}

// about is a case of a scenario that has no answer yet.
func (o *outputs) about(s *scenarios.Scenario) ci.Case {
	c := ci.Case{Name: s.Name, Variant: s.Variant, Protocol: s.Protocol}
	c.File, c.Line = o.place(s)
	return c
}

// row takes the answer to a scenario.
func (o *outputs) row(r *row, quote string) {
	if !o.wanted() {
		return
	}
	c := o.about(r.Scenario)
	c.Variant, c.Verdict, c.Expected, c.Sampled = r.Variant, r.Verdict, r.AsExpected, r.Sampled
	c.Why, c.Seconds, c.Violation, c.Quote = r.Why, r.Seconds, r.Violation, quote
	c.Figures = []string{"within " + r.Bounds,
		fmt.Sprintf("states %s, transitions %s", count(r.States), count(r.Transitions))}
	if r.Samples != nil {
		c.Figures[1] = fmt.Sprintf("runs %s, steps %s", count(r.Samples.Runs),
			count(r.Transitions))
	}
	if r.Depth > 0 {
		c.Figures = append(c.Figures, fmt.Sprintf("depth %d", r.Depth))
	}
	if !r.AsExpected { // of the others nobody wants to see runs
		c.Command = called("domino check " + scenarioWord(r.Scenario) + " --variant " + r.Variant)
		if c.Run = r.story(); c.Run != nil {
			c.Property, c.Command = c.Run.Property, c.Run.Command
		}
	}
	o.add(c)
}

// left takes a question that an interruption has left without an answer.
func (o *outputs) left(s *scenarios.Scenario) {
	if o.wanted() {
		c := o.about(s)
		c.Verdict, c.Why = spec.Unknown, "interrupted before it was explored"
		o.add(c)
	}
}

// failed takes the error that a question has ended in.
func (o *outputs) failed(s *scenarios.Scenario, err error) {
	if o.wanted() {
		o.failedCase(o.about(s), err)
	}
}

// failedCase takes a case that has ended in an error.
func (o *outputs) failedCase(c ci.Case, err error) {
	c.Verdict, c.Failed, c.Why = spec.Unknown, true, err.Error()
	o.add(c)
	o.told = append(o.told, parts(err)...)
}

// first is the first line of a text.
func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
