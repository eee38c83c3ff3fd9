package app

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/page"
)

// exhibit is a run in a world with what is known of it: what pages and files are made of.
type exhibit struct {
	scenario *scenarios.Scenario // in its variant
	world    *world.World
	run      *world.Run
	verdict  spec.Verdict
	badge    string // in the place of the verdict, where there is none
	answer   string // the verdict in a sentence, where no violation says it
	scope    []string
	searched []report.Search
	command  string
	up       []page.Link // of a site that the page is part of
	mutant   string      // that the machines are, at their boundary, "" for none
	doc      string      // what it does
}

// ofAnswer is the run that a search has found, nil if it has found none.
func ofAnswer(a *verify.Answer, command string) *exhibit {
	if a.Outcome == nil || len(a.Outcome.Runs) == 0 {
		return nil
	}
	return &exhibit{scenario: a.Scenario, world: a.Outcome.World, run: a.Outcome.Runs[0],
		verdict: a.Verdict, scope: scopeOf(a), searched: a.Scope(),
		command: command}
}

// scopeOf says how far a search has looked.
func scopeOf(a *verify.Answer) []string {
	words := []string{a.Bounds + "."}
	if a.States > 0 {
		words = append(words, count(a.States)+" states.")
	}
	return words
}

// outlined is the run with what is known of it, as far as every form of a report has it.
func (std streams) outlined(s *exhibit) (*page.Page, error) {
	run := verify.Story(s.scenario, s.world, s.run, s.run.Violation)
	run.Command, run.Scope = called(s.command), s.searched
	p := &page.Page{Model: report.Understand(run), Name: s.scenario.Name,
		Protocol: s.scenario.Protocol, Variant: s.scenario.Variant, Verdict: s.verdict,
		Badge: s.badge, Answer: s.answer, Scope: s.scope, Version: thisBuild().String(),
		Up: s.up, Switched: s.doc}
	if s.mutant != "" {
		p.Variant = "mutant " + s.mutant
	}
	err := std.erratum(p, s.scenario)
	if run.Property != nil {
		p.Papers = citedPapers(p.Place, run.Property.Source)
	}
	return p, err
}

// stepped is what a page has of a run alone: also its states, what could have happened instead of
// each step, which properties hold, and the run as data.
func (std streams) stepped(s *exhibit) (*page.Page, error) {
	p, err := std.outlined(s)
	if err != nil {
		return nil, err
	}
	p.Source = string(scenarios.Format(s.scenario))
	p.States, p.Properties = statesOf(s.world, s.run), judgedOf(s.world, s.run)
	for _, state := range s.run.States[:len(s.run.Schedule)] {
		events, _ := s.world.Enabled(state)
		p.Alternatives = append(p.Alternatives, events)
	}
	return p, addData(p)
}

// page is the run for a reader, beside what the repaired protocol does under the same schedule.
func (std streams) page(ctx context.Context, s *exhibit) (*page.Page, error) {
	p, err := std.stepped(s)
	if err != nil {
		return nil, err
	}
	free, err := verify.Undisturbed(std.Protocols(), s.scenario, s.world, s.run)
	if err != nil {
		return nil, err
	}
	if free != nil {
		m := outline(free)
		p.Free = &page.Beside{Model: m, Same: -1, Ranks: page.Align(p.Model, m),
			Words: "What the programs do by themselves, without protocol and failures, in the " +
				"order that is nearest to the run."}
	}
	if s.scenario.Variant == "repaired" && s.mutant == "" {
		return p, nil
	}
	b, err := verify.Repaired(ctx, std.Protocols(), s.scenario, s.world, s.run)
	if err != nil { // some refuse the program, which is the repair
		run := p.Model.Run
		run.Reading = append(run.Reading, sentence("the repaired protocol does not take this run: "+
			err.Error()))
		return p, nil
	}
	p.Repaired = beside(b, s.run)
	return p, nil
}

// citedPapers say what the keys of papers in texts stand for.
func citedPapers(texts ...string) (list []string) {
	for _, p := range help.Cited(texts...) {
		list = append(list, "["+p.Key+"] "+p.Title)
	}
	return list
}

// addData gives a page its run as data.
func addData(p *page.Page) error {
	var data bytes.Buffer
	err := report.JSON(&data, p.Model.Run)
	p.Data = data.Bytes()
	return err
}

// erratum says what the paper prints and what the repair does, where the run is about one erratum.
func (std streams) erratum(p *page.Page, s *scenarios.Scenario) error {
	_, list, ok := strings.Cut(s.Variant, "+")
	if !ok || strings.Contains(list, "+") {
		return nil
	}
	protocol, err := std.Find(s.Protocol)
	if err != nil {
		return err
	}
	for _, e := range protocol.Listed() {
		if e.ID == list {
			p.Quote, p.Place, p.Switched, p.Repair = e.Quote, source(e), sentence(e.Switched),
				sentence(e.Repaired)
		}
	}
	return nil
}

// sentence makes one of a text without a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// beside is another run to compare with, and how it compares in a sentence.
func beside(b *verify.Beside, run *world.Run) *page.Beside {
	same, steps := b.Same, len(run.Schedule)
	words := "The repaired protocol"
	if b.Outside != "" {
		reason, _, _ := strings.Cut(b.Outside, "\n")
		words = "To the repaired protocol this is out of its model: " + reason + ". Forced to, it"
	}
	switch same {
	case steps:
		words += " does the same in all steps"
	case 0:
		words += " differs from the first step on"
	case 1:
		words += fmt.Sprintf(" does the same in the first of %d steps", steps)
	default:
		words += fmt.Sprintf(" does the same in the first %d of %d steps", same, steps)
	}
	if b.Blind {
		words += ", as far as is seen from outside: the two keep their states in other forms"
	}
	switch v := b.Run.Violation; {
	case v != nil:
		words += "; the run then breaks " + v.Property + ": " + v.Message + "."
	case b.Run.Complete:
		words += "; the run goes on to its end and breaks nothing."
	default:
		words += "; the run breaks nothing as far as it goes."
	}
	return &page.Beside{Model: outline(b), Same: same, Words: words}
}

// outline is a run to compare with: what happens, without local states.
func outline(b *verify.Beside) *report.Model {
	run := &report.Run{Trace: b.Run.Trace, Violation: b.Run.Violation, Steps: []report.Step{}}
	for _, event := range b.Run.Schedule {
		run.Steps = append(run.Steps, report.Step{Event: event})
	}
	return report.Understand(run)
}

// example is a run of a scenario that breaks nothing: half of a run without failures, then the
// first failure that the scenario allows there, then whatever follows.
func example(ctx context.Context, c world.Case) (*world.World, *world.Run, error) {
	w, _, err := world.Open(ctx, c, checker.Options{})
	if err != nil {
		return nil, nil, err
	}
	calm := w.Attempt(nil, "")
	half := len(calm.Schedule) / 2
	texts, x := w.Enabled(calm.States[half])
	schedule := slices.Clone(calm.Schedule[:half])
	for i, step := range x.Steps {
		if step.Fault && step.Violation == 0 {
			schedule = append(schedule, texts[i])
			break
		}
	}
	return w, w.Attempt(schedule, ""), w.Err()
}
