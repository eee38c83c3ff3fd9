package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/processes"
)

// shown is one thing in full.
type shown struct {
	Kind string `json:"kind"` // protocol, scenario, property, erratum or program
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Text string `json:"text,omitempty"` // of a scenario: the file
	// what else is to be said, by a word that says what it is
	Facts []fact `json:"facts,omitempty"`
}

type fact struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// shownAnswer is one thing as JSON.
type shownAnswer struct {
	versioned
	shown
}

// add puts a fact there, if there is one.
func (s *shown) add(what, format string, args ...any) {
	if value := fmt.Sprintf(format, args...); value != "" {
		s.Facts = append(s.Facts, fact{what, value})
	}
}

func (s *shown) print(std streams) {
	fmt.Fprintf(std.out, "%s %s\n", s.Kind, s.Name)
	if s.Text == "" { // it is the title there
		for _, line := range help.Wrap(s.Doc, help.Width-2) {
			fmt.Fprintln(std.out, "  "+line)
		}
		fmt.Fprintln(std.out)
	}
	var rows []help.Row
	for _, f := range s.Facts {
		rows = append(rows, help.Row{Name: f.What, Doc: f.Value})
	}
	help.Print(std.out, rows...)
	if s.Text != "" {
		fmt.Fprintf(std.out, "\n%s", s.Text)
	}
}

func runShow(_ context.Context, args []string, std streams) (int, error) {
	f := flags("show", "NAME ...", std, "show s1", "show terminates", "show H10",
		"show hydee --json")
	asJSON := f.Bool("json", false, "print JSON, one object a thing")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() == 0 {
		return 0, errors.New("want a name: of a scenario, a property, an erratum or a protocol")
	}
	everything := std.everything()
	var list []shown
	for _, name := range f.Args() {
		found, err := named(everything, name)
		if err != nil {
			return 0, err
		}
		list = append(list, found...)
	}
	for i, s := range list {
		if *asJSON {
			if err := printJSON(std.out, shownAnswer{as("show"), s}); err != nil {
				return 0, err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		s.print(std)
	}
	return 0, nil
}

// named are the things with the name; there may be several of different kinds.
func named(list []shown, name string) (found []shown, err error) {
	var names []string
	for _, s := range list {
		if s.Name == name || s.Kind == "scenario" && s.Facts[0].Value == name {
			found = append(found, s)
		}
		names = append(names, s.Name)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing is called %q%s See: domino list, domino errata", name,
			spelling.Guess(name, names))
	}
	return found, nil
}

// everything that has a name.
func (std streams) everything() (list []shown) {
	protocols := std.Protocols()
	for _, p := range protocols {
		list = append(list, shownProtocol(&p))
	}
	all := std.Scenarios()
	for _, s := range all {
		list = append(list, shownScenario(s))
	}
	for _, p := range append(spec.Properties(), processes.Properties()...) {
		list = append(list, shownProperty(p, "the house"))
	}
	for _, p := range protocols {
		for _, q := range p.Properties {
			list = append(list, shownProperty(q, p.Name))
		}
		for _, e := range p.Listed() {
			list = append(list, shownErratum(&p, e, all))
		}
	}
	return list
}

func shownScenario(s *scenarios.Scenario) shown {
	r := shown{Kind: "scenario", Name: s.Name, Doc: s.Title, Text: string(scenarios.Format(s))}
	r.add("file", "%s", strings.TrimSuffix(s.File, ".txtar"))
	return r
}

func shownProperty(p spec.Property, of string) shown {
	r := shown{Kind: "property", Name: p.Name, Doc: p.Doc}
	r.add("kind", "%s", p.Kind)
	r.add("source", "%s", p.Source)
	r.add("of", "%s", of)
	needs := p.Needs
	if p.Applies == nil && needs == "" {
		needs = "always"
	}
	r.add("on", "%s", needs)
	return r
}

// shownErratum is an erratum with those of all scenarios that show it.
func shownErratum(p *protocol.Protocol, e core.Erratum, all []*scenarios.Scenario) shown {
	r := shown{Kind: "erratum", Name: e.ID, Doc: e.Switched}
	r.add("place", "%s", e.Place)
	r.add("protocol", "%s", p.Name)
	if e.Class != "" {
		r.add("class", "%s: %s", e.Class, e.Class.Doc())
	}
	r.add("quote", "%s", e.Text())
	r.add("other reading", "%s", e.Other)
	r.add("repaired", "%s", e.Repaired)
	var names []string
	for _, s := range all {
		if s.Protocol == p.Name && s.Erratum == e.ID {
			names = append(names, s.Name)
		}
	}
	r.add("scenarios", "%s", strings.Join(names, " "))
	r.add("shown", "%s", e.Shown)
	return r
}

func shownProtocol(p *protocol.Protocol) shown {
	r := shown{Kind: "protocol", Name: p.Name, Doc: p.Doc}
	if p.Build != nil {
		r.add("roles", "%s", strings.Join(p.Roles, " "))
		r.add("variants", "%s", strings.Join(append([]string{"repaired"}, p.Variants...), " "))
	} else if setup, err := idle(p); err == nil {
		r.add("promises", "%s", promised(setup))
	}
	for _, f := range p.Printed {
		r.add("variant "+f.Variant, "the text of %s, line by line", f.Paper)
	}
	for _, o := range p.OptionDocs {
		r.add("option "+o.Name, "%s: %s", o.Values, o.Doc)
	}
	for _, o := range p.PolicyDocs {
		r.add("policy "+o.Name, "%s", o.Doc)
	}
	for _, e := range p.Listed() {
		r.add("erratum "+e.ID, "%s: %s", source(e), e.Switched)
	}
	for _, q := range p.Properties {
		r.add("property "+q.Name, "%s", q.Doc)
	}
	if p.Shapes != nil {
		r.add("random scenarios", "%s", declared(reflect.ValueOf(*p.Shapes)))
	}
	return r
}

// idle is a protocol that is set up for three ranks that do nothing.
func idle(p *protocol.Protocol) (*core.Setup, error) {
	return p.Make(protocol.Request{Layout: core.Layout{Names: []string{"a", "b", "c"}, Ranks: 3,
		Clusters: []int{0, 1, 2}}, Programs: make([]core.Program, 3)})
}

// promised says what a protocol promises of three ranks, in the words of promise.Promises.
func promised(s *core.Setup) string { return declared(reflect.ValueOf(s.Promises)) }

// declared are the fields of a struct that are not zero.
func declared(v reflect.Value) string {
	var list []string
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch field.Kind() {
		case reflect.Bool:
			if field.Bool() {
				list = append(list, name)
			}
		case reflect.Slice:
			var words []string
			for j := range field.Len() {
				e := field.Index(j)
				if o, ok := e.Interface().(protocol.Variation); ok {
					words = append(words, cmp.Or(o.Options, "no options"))
				} else {
					words = append(words, fmt.Sprint(e.Interface()))
				}
			}
			if !field.IsNil() {
				slices.Sort(words)
				list = append(list, name+" ["+strings.Join(words, ", ")+"]")
			}
		default:
			if !field.IsZero() {
				list = append(list, fmt.Sprintf("%s %v", name, field.Interface()))
			}
		}
	}
	return strings.Join(list, ", ")
}
