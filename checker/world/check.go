package world

import (
	"context"
	"fmt"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Case is one question to the checker.
type Case struct {
	Setup    *core.Setup
	Baseline *core.Setup // the same programs over the transparent protocol (impl/none)
	Model    fault.Model
	MustSee  []string // Sometimes properties without which the answer is vacuous
	Force    bool     // explore although program or model are outside the promises of the protocol
}

// Outcome is the answer.
type Outcome struct {
	checker.Result
	Reason      string   // why the verdict is out of model or unknown
	Seen        []string // Sometimes properties that some run showed
	Unseen      []string
	Runs        []*Run // one for each violation found
	LocalSteps  int    // distinct local transitions
	LocalStates int
	World       *World // for reports; nil when nothing was explored
}

// Check answers the question: first the program alone, without failures; then the protocol under the model, unless one of
// the two is outside what the protocol promises to handle.
func Check(ctx context.Context, c Case, o checker.Options) (*Outcome, error) {
	oracle, err := Oracle(ctx, c.Baseline, checker.Options{MaxStates: o.MaxStates, MaxBytes: o.MaxBytes, MaxTime: o.MaxTime})
	if err != nil {
		if ctx.Err() != nil || strings.Contains(err.Error(), "ended early") {
			return &Outcome{Result: checker.Result{Verdict: spec.Unknown, Bound: "the failure-free oracle"}, Reason: err.Error()}, nil
		}
		return nil, err
	}
	if reason := outside(ctx, c, oracle); reason != "" && !c.Force {
		return &Outcome{Result: checker.Result{Verdict: spec.OutOfModel}, Reason: reason}, nil
	}
	w, err := New(Config{Setup: c.Setup, Model: c.Model, Facts: FactsOf(c.Setup, &c.Model, oracle), Twice: true})
	if err != nil {
		return nil, err
	}
	out := &Outcome{Result: checker.Search(ctx, w, o), World: w}
	out.Seen, out.Unseen = w.Seen()
	out.LocalSteps, out.LocalStates = w.LocalSteps()
	out.Reason = out.Bound
	for i := range out.Found {
		if o.Order == checker.DepthFirst {
			out.Found[i] = shorten(ctx, w, out.Found[i], o)
		}
	}
	for _, f := range out.Found {
		run, err := w.Follow(f.Path)
		if err != nil {
			return nil, fmt.Errorf("the run that breaks %s can not be repeated: %w", f.Property, err)
		}
		out.Runs = append(out.Runs, run)
	}
	if answer := answered(out.World); out.Verdict == spec.Holds && answer != "" && !c.Force {
		out.Verdict, out.Reason = spec.OutOfModel, "everything holds, but some failures take a rank and all that protects it: "+answer
	}
	if missing := missing(c.MustSee, out.Seen); out.Verdict == spec.Holds && missing != "" {
		out.Verdict, out.Reason = spec.Unknown, "vacuous: no run shows "+missing
	}
	return out, nil
}

// shortenStates bounds the search for a shorter run.
const shortenStates = 1 << 20

// shorten looks breadth first for a shortest run that breaks the same property; it keeps the given run when that takes too long.
func shorten(ctx context.Context, w *World, f checker.Found, o checker.Options) checker.Found {
	o.Order, o.Reduce, o.All, o.Only, o.MaxStates, o.Progress = checker.BreadthFirst, false, false, f.Property, shortenStates, nil
	r := checker.Search(ctx, w, o)
	if len(r.Found) == 1 && len(r.Found[0].Path) < len(f.Path) {
		return r.Found[0]
	}
	return f
}

func missing(want, seen []string) string {
	var list []string
	have := " " + strings.Join(seen, " ") + " "
	for _, s := range want {
		if !strings.Contains(have, " "+s+" ") {
			list = append(list, s)
		}
	}
	return strings.Join(list, ", ")
}

// answered is a typed answer of a rank that could not be recovered, or "".
func answered(w *World) string {
	for i := range w.transitionInfo {
		for _, e := range w.transitionInfo[i].events {
			if e.Kind == trace.Halted && w.Facts.Lines {
				return w.layout.Name(e.Proc) + " answers " + e.Text
			}
		}
	}
	return ""
}

// outside says in what the case is beyond the promises of the protocol, or "".
func outside(ctx context.Context, c Case, o *spec.Oracle) string {
	p, m := &c.Setup.Promises, &c.Model
	switch {
	case o.Stuck != "":
		return "the program fails without any failure: " + o.Stuck
	case p.Needs >= core.SendDeterministic && len(o.Differ) > 0:
		return describeDifference(ctx, c.Baseline, o.Differ[0])
	case p.FIFO && m.Unordered:
		return "the protocol needs FIFO channels, the network is unordered"
	case p.Reliable && m.Loss > 0:
		return "the protocol needs reliable channels, the network may lose messages"
	case p.Reliable && m.Duplicates > 0:
		return "the protocol needs reliable channels, the network may duplicate messages"
	case p.MaxFailures < 0 && m.Failures > 0:
		return "the protocol survives no failure"
	case p.MaxFailures > 0 && m.Failures > p.MaxFailures && !m.Settled:
		return fmt.Sprintf("the protocol survives %d failures at a time, the model has %d", p.MaxFailures, m.Failures)
	}
	return ""
}

// describeDifference explains why a program is not send-deterministic, with one schedule for each of the two sends.
func describeDifference(ctx context.Context, baseline *core.Setup, d spec.Difference) string {
	l := &baseline.Layout
	var b strings.Builder
	fmt.Fprintf(&b, "the program is not send-deterministic: send %d of %s (%s): its %s is %s in one run and %s in another",
		d.ID.Number, l.Name(d.ID.From.Proc()), l.Label(d.ID), d.What, d.First, d.Second)
	for _, value := range []string{d.First, d.Second} {
		if s := findSend(ctx, baseline, d, value); s != nil {
			fmt.Fprintf(&b, "\n  %s after: %s", value, strings.Join(s, "; "))
		}
	}
	return b.String()
}

// findSend is a shortest failure-free schedule in which the send has the value.
func findSend(ctx context.Context, baseline *core.Setup, d spec.Difference, value string) []string {
	w, err := New(Config{Setup: baseline})
	if err != nil {
		return nil
	}
	w.Facts = &spec.Facts{Layout: &baseline.Layout}
	w.local = []spec.Property{{Name: "this send", Kind: spec.Always, Event: func(f *spec.Facts, v spec.View, e trace.Event) string {
		if e.Kind != trace.Sent || e.ID != d.ID {
			return ""
		}
		words := map[string]string{"destination": f.Layout.Name(e.Peer), "payload": fmt.Sprintf("%x", e.Digest),
			"set of messages delivered before it": "{" + spec.DeliveredSet(f, v.Observed(e.Proc).History) + "}"}
		if words[d.What] == value {
			return "found"
		}
		return ""
	}}}
	r := checker.Search(ctx, w, checker.Options{Order: checker.BreadthFirst, MaxStates: 1 << 20})
	if len(r.Found) == 0 {
		return nil
	}
	run, err := w.Follow(r.Found[0].Path)
	if err != nil {
		return nil
	}
	return run.Schedule
}
