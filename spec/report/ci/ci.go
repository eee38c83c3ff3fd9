// Package ci says what came of a command to whoever runs it in continuous integration: JUnit XML,
// SARIF 2.1.0, annotations of GitHub, and a summary in Markdown. All are made of one Suite, and the
// same suite always makes the same bytes. Nothing that a scenario or a program is called can break
// out of a format: what a format forbids is escaped, or replaced where it has no escape.
//
// The package knows no way to get an answer, and opens no file: it writes to what it is given.
package ci

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// Suite is what one command has answered.
type Suite struct {
	Tool    string // the name of the command line, e.g. "domino"
	Version string // of the tool
	Command string // the subcommand, e.g. "check"
	Cases   []Case // in the order of the questions
}

// Case is the answer to one question. Only Name and Verdict are needed.
type Case struct {
	Name     string // of the scenario, or what stands for one
	Variant  string
	Protocol string
	File     string // of the scenario, relative to the repository, with slashes; "" = none
	Line     int    // in the file, from 1; 0 = not known
	Verdict  spec.Verdict
	// the answer is the wanted one, whatever the verdict
	Expected bool
	// all runs that were asked for were drawn and break nothing, which proves nothing
	Sampled bool
	// there is no answer, whatever the verdict: an error came instead, and Why says which
	Failed  bool
	Why     string   // what is not as expected, or why there is no verdict
	Figures []string // bounds, states and the like, a line each
	Seconds float64  // that the answer took
	// what is broken, nil when nothing is
	Violation *spec.Violation
	Property  *spec.Property // the broken one, nil when it is not known
	Quote     string         // what the paper prints, of an erratum
	Run       *report.Run    // that shows it, nil when there is none
	Command   string         // the shell command that repeats it
}

// outcome is what a case counts as, the most urgent first.
type outcome int

// The outcomes. A question that is outside of the model has no answer, and runs that were drawn in
// vain are none; neither is a failure of anything.
const (
	failed outcome = iota
	erred
	undecided
	skipped
	passed
)

// outcome says what the case counts as.
func (c *Case) outcome() outcome {
	switch {
	case c.Failed:
		return erred
	case c.Expected:
		return passed
	case c.Verdict == spec.OutOfModel || c.Sampled:
		return skipped
	case c.Verdict == spec.Unknown:
		return undecided
	}
	return failed
}

// count counts the outcomes.
func (s *Suite) count() (n [passed + 1]int) {
	for i := range s.Cases {
		n[s.Cases[i].outcome()]++
	}
	return n
}

// seconds is the time of all answers.
func (s *Suite) seconds() (sum float64) {
	for i := range s.Cases {
		sum += s.Cases[i].Seconds
	}
	return sum
}

// name is the scenario and its variant.
func (c *Case) name() string {
	if c.Variant == "" {
		return c.Name
	}
	return c.Name + " (" + c.Variant + ")"
}

// The kinds of findings that are no broken property.
const (
	unexpected  = "as-expected"
	unended     = "completed"
	unanswered  = "decided"
	notJudgable = "in-model"
)

// breaks is the broken property, or the kind of finding that stands in its place.
func (c *Case) breaks() string {
	switch o := c.outcome(); {
	case o == erred:
		return unended
	case o == undecided:
		return unanswered
	case o == skipped:
		return notJudgable
	case c.Violation != nil:
		return c.Violation.Property
	}
	return unexpected
}

// message says what is wrong in one sentence.
func (c *Case) message() string {
	if c.Why != "" {
		return c.Why
	}
	if c.Violation != nil {
		return c.Violation.Property + ": " + c.Violation.Message
	}
	return c.Verdict.String()
}

// title is the verdict as a headline.
func (c *Case) title() string {
	what := c.Verdict.String()
	if c.Violation != nil {
		what = "breaks " + c.Violation.Property
	}
	switch c.outcome() {
	case failed:
		if c.Violation == nil {
			what += ", which is not expected"
		}
	case erred:
		what = "no answer, but an error"
	case skipped:
		if c.Sampled {
			what = "nothing found in the runs that were drawn"
		}
	}
	return c.name() + ": " + what
}

// text is the run as text; "" when there is none. Changes are those of local states.
func (c *Case) text(changes bool) string {
	if c.Run == nil {
		return ""
	}
	run := *c.Run
	run.Command = cmp.Or(c.Command, run.Command)
	if !changes {
		run.Steps = make([]report.Step, len(c.Run.Steps))
		for i, s := range c.Run.Steps {
			run.Steps[i].Event = s.Event
		}
		if c.Run.Steps == nil {
			run.Steps = nil
		}
	}
	var b strings.Builder
	if err := report.Text(&b, &run, report.Options{}); err != nil {
		return fmt.Sprintf("the run can not be shown: %v\n", err)
	}
	return b.String()
}

// property is the broken one: that of the case, else the one of the house with the name, else one
// of which nothing but the name is known.
func (c *Case) property() spec.Property {
	if c.Property != nil {
		return *c.Property
	}
	for _, p := range spec.Properties() {
		if c.Violation != nil && p.Name == c.Violation.Property {
			return p
		}
	}
	return spec.Property{Name: c.breaks()}
}

// clip shortens text to so many bytes, at the end of a rune.
func clip(text string, most int) string {
	const mark = "..."
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(mark))], "") + mark
}
