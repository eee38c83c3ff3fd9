package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/fault"
)

// Key is one key of a scenario section.
type Key struct {
	Name   string
	Doc    string // one line
	Values string // that it may have, in words

	before string // the key of the failure model that it is written before; "" is after all
	bounds bool   // a verdict holds only within what it says
	fault  *fault.Key
	access
}

// access is where a scenario keeps the value; where there is no text, nothing is written.
type access struct {
	text func(*Scenario) string
	read func(s *Scenario, text string) error
}

// own are the keys that are not about what may fail, and those that name procs.
var own = []Key{
	{Name: "source", Doc: "paper and figure", Values: "any text", before: "failures",
		access: text(func(s *Scenario) *string { return &s.Source })},
	{Name: "protocol", Doc: "what is checked", Values: "a name; domino list protocols",
		before: "failures", access: text(func(s *Scenario) *string { return &s.Protocol })},
	{Name: "variant", Doc: "of the protocol, with which errata of its paper",
		Values: "repaired, published or e.g. repaired+H3+H5", before: "failures",
		access: text(func(s *Scenario) *string { return &s.Variant })},
	{Name: "options", Doc: "of the protocol", Values: "words such as loggers=next mode=semi",
		before: "failures", access: text(func(s *Scenario) *string { return &s.Options })},
	{Name: "policies", Doc: "of the protocol, who is asked about a failure, the first one first",
		Values: "words such as crmig light(1) autor abort", before: "failures",
		access: text(func(s *Scenario) *string { return &s.Policies })},
	{Name: "program", Doc: "a generated program or a kernel, instead of section program",
		Values: "a name and numbers, e.g. ring 3; domino list programs", before: "failures",
		access: text(func(s *Scenario) *string { return &s.Shape })},
	{Name: "clusters", Doc: "the ranks that fail or roll back together; without, each alone",
		Values: "all ranks, e.g. a b | c, or r0-r3 | r4-r7", before: "failures",
		access: text(func(s *Scenario) *string { return &s.Clusters })},
	{Name: "roles", Doc: "how many procs of each kind, for a protocol without programs",
		Values: "e.g. servers 3, clients 2", before: "failures",
		access: text(func(s *Scenario) *string { return &s.Roles })},
	{Name: "tolerates", Doc: "failures at a time that the protocol is to survive, if it can choose",
		Values: "a whole number", before: "failures", access: access{tolerates, setTolerates}},
	{Name: "victims", Doc: "procs whose group may fail; without, every proc",
		Values: "names of procs", before: "stop", bounds: true,
		access: list(func(s *Scenario) *[]string { return &s.Victims })},
	{Name: "spoils", Doc: "procs whose records are lost, corrupted, refused; without, every proc",
		Values: "names of procs", before: "lose", bounds: true,
		access: list(func(s *Scenario) *[]string { return &s.Spoils })},
	{Name: "interchangeable", Doc: "ranks that may be renamed into each other",
		Values: "names of ranks", before: "stop", bounds: true,
		access: list(func(s *Scenario) *[]string { return &s.Interchangeable })},
	{Name: "force", Doc: "answer also what is outside the model of the protocol",
		Values: "no or yes", bounds: true,
		access: yes(func(s *Scenario) *bool { return &s.Force })},
	{Name: "long", Doc: "takes more than a few seconds: checked only when asked for",
		Values: "no or yes", access: yes(func(s *Scenario) *bool { return &s.Long })},
	{Name: "tour", Doc: "one of those that a check without names explores",
		Values: "no or yes", access: yes(func(s *Scenario) *bool { return &s.Tour })},
	{Name: "erratum", Doc: "of which this is the smallest run", Values: "a name; domino errata",
		access: text(func(s *Scenario) *string { return &s.Erratum })},
	{Name: "expect", Doc: "the verdict", Values: words(verdicts),
		access: access{func(s *Scenario) string { return s.Expect }, setExpect}},
	{Name: "breaks", Doc: "the property that is broken", Values: "a name; domino list properties",
		access: text(func(s *Scenario) *string { return &s.Breaks })},
	{Name: "states", Doc: "of the default search, exactly; 0: any number",
		Values: "a number of at least 0", access: access{states, setStates}},
	{Name: "must-see", Doc: "what some run must show, or the answer is unknown",
		Values: "names of properties",
		access: list(func(s *Scenario) *[]string { return &s.MustSee })},
}

// keys are all keys, in the order in which Format writes them.
var keys = func() (all []Key) {
	add := func(before string) {
		for _, k := range own {
			if k.before == before {
				all = append(all, k)
			}
		}
	}
	for i := range fault.Keys {
		k := &fault.Keys[i]
		add(k.Name)
		all = append(all, Key{Name: k.Name, Doc: k.Doc, Values: k.Values(), fault: k,
			access: access{func(s *Scenario) string {
				if k.Get(&s.Model) == 0 {
					return ""
				}
				return k.Text(&s.Model)
			}, func(s *Scenario, text string) error { return k.Read(&s.Model, text) }}})
	}
	add("")
	return all
}()

// Keys are all keys of a scenario section, in the order in which Format writes them.
func Keys() []Key { return slices.Clone(keys) }

// Set gives a key of the scenario a value, both as a file has them.
func (s *Scenario) Set(key, value string) error {
	for _, k := range keys {
		if k.Name == key {
			return k.read(s, value)
		}
	}
	var known []string
	for _, k := range keys {
		known = append(known, k.Name)
	}
	return fmt.Errorf("unknown key%s Known keys: %s", spelling.Guess(key, known),
		strings.Join(known, ", "))
}

// Within says in words within what a verdict about the scenario holds: everything that is not the
// default of what may fail, and whom.
func (s *Scenario) Within() string {
	var list []string
	for _, k := range keys {
		switch text := k.text(s); {
		case k.fault != nil:
			if text = k.fault.Within(&s.Model); text != "" {
				list = append(list, text)
			}
		case k.bounds && text != "":
			list = append(list, k.Name+" "+text)
		}
	}
	return strings.Join(list, ", ")
}

func text(at func(*Scenario) *string) access {
	return access{func(s *Scenario) string { return *at(s) },
		func(s *Scenario, value string) error { *at(s) = value; return nil }}
}

func list(at func(*Scenario) *[]string) access {
	return access{func(s *Scenario) string { return strings.Join(*at(s), " ") },
		func(s *Scenario, value string) error { *at(s) = strings.Fields(value); return nil }}
}

func yes(at func(*Scenario) *bool) access {
	return access{func(s *Scenario) string {
		if *at(s) {
			return "yes"
		}
		return ""
	}, func(s *Scenario, value string) error {
		if value != "no" && value != "yes" {
			return fmt.Errorf("%q, want no or yes", value)
		}
		*at(s) = value == "yes"
		return nil
	}}
}

var verdicts = []string{"holds", "violated", "unknown", "out of model"}

func words(list []string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

func setExpect(s *Scenario, value string) error {
	if !slices.Contains(verdicts, value) {
		return fmt.Errorf("%q, want %s", value, words(verdicts))
	}
	s.Expect = value
	return nil
}

func tolerates(s *Scenario) string {
	if s.Tolerates == nil {
		return ""
	}
	return strconv.Itoa(*s.Tolerates)
}

// setTolerates reads any whole number: what is too small or too large is for the protocol to say.
func setTolerates(s *Scenario, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%q is not a number", value)
	}
	s.Tolerates = &n
	return nil
}

func states(s *Scenario) string {
	if s.States == 0 {
		return ""
	}
	return strconv.Itoa(s.States)
}

func setStates(s *Scenario, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("%q, want a number in [0, %d]", value, math.MaxInt)
	}
	s.States = n
	return nil
}
