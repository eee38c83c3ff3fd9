package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/promise"
)

// item is one line of a list.
type item struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Doc  string `json:"doc"`
	More string `json:"more,omitempty"`
}

// listed is an item as an answer.
type listed struct {
	versioned
	item
}

func runList(_ context.Context, args []string, std streams) (int, error) {
	f := flags("list", "[protocols | scenarios | properties | programs | claims]", std, "list",
		"list scenarios", "list properties --json")
	asJSON := f.Bool("json", false, "print JSON, one object a line")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	items, err := listItems(std)
	if err != nil {
		return 0, err
	}
	kinds := []string{"protocols", "scenarios", "properties", "programs", "claims"}
	for _, want := range f.Args() {
		if !slices.Contains(kinds, want) {
			return 0, fmt.Errorf("unknown list %q%s Lists: %s", want,
				spelling.Guess(want, kinds), strings.Join(kinds, ", "))
		}
	}
	if f.NArg() > 0 {
		items = slices.DeleteFunc(items, func(i item) bool {
			return !slices.Contains(f.Args(), i.Kind)
		})
	}
	if *asJSON {
		for _, i := range items {
			if err := printJSON(std.out, listed{as("list"), i}); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	kind := ""
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, i := range items {
		if i.Kind != kind {
			if kind != "" {
				fmt.Fprintln(w)
			}
			kind = i.Kind
			fmt.Fprintf(w, "%s\n", strings.ToUpper(kind))
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", i.Name, i.More, i.Doc)
	}
	return 0, w.Flush()
}

// listItems gathers everything there is, by kind, then name.
func listItems(std streams) ([]item, error) {
	var items []item
	for _, p := range std.Protocols() {
		more := ""
		if n := len(p.Listed()); n > 0 {
			more = fmt.Sprintf("%d errata", n)
		}
		items = append(items, item{Kind: "protocols", Name: p.Name, Doc: p.Doc, More: more})
	}
	for _, s := range std.Scenarios() {
		more := s.Expect
		if s.Erratum != "" {
			more = "erratum " + s.Erratum
		}
		if s.Long {
			more += ", long"
		}
		items = append(items, item{Kind: "scenarios", Name: s.Name, Doc: s.Title, More: more})
	}
	for _, p := range append(spec.Properties(), processes.Properties()...) {
		items = append(items, item{Kind: "properties", Name: p.Name, Doc: p.Doc,
			More: p.Kind.String()})
	}
	for _, of := range std.Protocols() {
		for _, p := range of.Properties {
			items = append(items, item{Kind: "properties", Name: p.Name, Doc: p.Doc,
				More: p.Kind.String() + ", of " + of.Name})
		}
	}
	for _, programs := range []func() (names, docs []string){script.Shapes, kernels.List} {
		names, docs := programs()
		for i := range names {
			items = append(items, item{Kind: "programs", Name: names[i], Doc: docs[i]})
		}
	}
	for _, p := range std.Protocols() {
		for _, c := range p.Claims {
			items = append(items, item{Kind: "claims", Name: c.Name, Doc: c.Doc, More: c.Source})
		}
	}
	return append(items, promises(std.Protocols())...), nil
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// programsOf is the class of programs in words.
func programsOf(d promise.Determinism) string {
	switch d {
	case promise.NoDeterminism:
		return "all"
	case promise.Piecewise:
		return "piecewise deterministic"
	}
	return d.String()
}

// promises fills the same columns for the protocols here, from what they declare.
func promises(protocols protocol.List) []item {
	var items []item
	for _, p := range protocols {
		if p.Roles != nil {
			continue // nothing that rolls back
		}
		setup, err := idle(&p)
		if err != nil {
			continue // it does not run three idle ranks
		}
		q := &setup.Promises
		survives := "any number of failures at a time"
		switch {
		case q.MaxFailures < 0:
			survives = "no failure"
		case q.MaxFailures > 0:
			survives = fmt.Sprintf("%d failure at a time", q.MaxFailures)
		}
		storage := "in a stable store"
		if q.KeepsLines {
			storage = "distributed in the memory of other nodes"
		}
		spares := "no"
		if len(setup.Layout.Hosted) > 0 {
			spares = "dynamic"
		}
		automatic := "recovery, the environment detects and restarts"
		if len(setup.Layout.Hosted) > 0 {
			automatic = "yes"
		}
		if q.Lines == "" {
			storage, automatic = "no", "no"
		}
		doc := fmt.Sprintf(
			"logging %s; decentralised %s; checkpoints %s; storage %s; transparent yes, to %s "+
				"programs; automatic %s; spares %s; survives %s; rolls back %s",
			cmp.Or(q.Logging, "no"), yesNo(len(setup.Watchers) != 1), cmp.Or(q.Lines, "no"),
			storage, programsOf(q.Needs), automatic, spares, survives, q.RollsBack)
		items = append(items, item{Kind: "claims", Name: p.Name, Doc: doc, More: "declared"})
	}
	return items
}
