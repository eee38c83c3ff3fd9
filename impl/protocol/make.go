package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// PanicError says that a function of a protocol panics.
type PanicError struct {
	Function string // e.g. "Setup of protocol mine"
	What     string // with the place
}

// Error implements error.
func (e *PanicError) Error() string { return e.Function + " panics: " + e.What }

// guarded calls a function of the author's; that it panics is an error.
func guarded[T any](p *Protocol, name string, call func() (T, error)) (answer T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Function: name + " of protocol " + p.Name,
				What: fmt.Sprint(r, spec.PanicLine())}
		}
	}()
	return call()
}

// Make is Setup with its answer checked: a setup that fits what was asked for, or an error.
func (p *Protocol) Make(r Request) (*core.Setup, error) {
	setup := p.Setup
	if f := p.form(r.Variant); f != nil {
		setup = f.Setup
	}
	s, err := p.made("Setup", func() (*core.Setup, error) { return setup(r) })
	switch {
	case err != nil:
		return nil, err
	case s.Layout.Ranks != r.Layout.Ranks || len(s.Layout.Names) < r.Layout.Ranks ||
		!slices.Equal(s.Layout.Names[:r.Layout.Ranks], r.Layout.Names):
		return nil, fmt.Errorf("Setup of protocol %s gives the ranks other names than the layout "+
			"of its request, or another number: procs of its own come after them", p.Name)
	}
	return s, nil
}

// Populate is Build with its answer checked.
func (p *Protocol) Populate(counts []int, variant string) (*core.Setup, error) {
	return p.made("Build", func() (*core.Setup, error) { return p.Build(counts, variant) })
}

// made is the answer of Setup or Build.
func (p *Protocol) made(name string, call func() (*core.Setup, error)) (*core.Setup, error) {
	s, err := guarded(p, name, call)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, fmt.Errorf("%s of protocol %s returns nothing and no error", name, p.Name)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Protocol = p.Name // messages name what the user has asked for
	return s, s.Promises.Validate()
}

// Accept reports what is wrong with options of its own.
func (p *Protocol) Accept(options string) error {
	switch {
	case options == "":
		return nil
	case p.Options == nil:
		return fmt.Errorf("protocol %s has no options", p.Name)
	}
	_, err := guarded(p, "Options", func() (any, error) { return nil, p.Options(options) })
	return err
}

// AcceptPolicies reports what is wrong with a stack of its policies.
func (p *Protocol) AcceptPolicies(policies string) error {
	switch {
	case policies == "":
		return nil
	case p.Policies == nil:
		return fmt.Errorf("protocol %s has no policies to choose from", p.Name)
	}
	_, err := guarded(p, "Policies", func() (any, error) { return nil, p.Policies(policies) })
	return err
}

// Switches reads a variant: "repaired", "repaired+ID+ID" or a printed form, which has no switches;
// of a protocol with roles "repaired" or one of its Variants.
func (p *Protocol) Switches(variant string) (core.Switches, error) {
	known := p.Errata.List()
	switch {
	case p.Build != nil && variant != "repaired" && !slices.Contains(p.Variants, variant):
		return 0, fmt.Errorf("protocol %s has no variant %q, want %s", p.Name, variant,
			strings.Join(append([]string{"repaired"}, p.Variants...), ", "))
	case p.Build != nil:
		return 0, nil
	case p.form(variant) != nil:
		return 0, nil
	case variant != "repaired" && len(known) == 0:
		return 0, fmt.Errorf("protocol %s has no variant %q, want repaired", p.Name, variant)
	}
	words := strings.Split(variant, "+")
	if len(words) > 1 && p.form(words[0]) != nil {
		return 0, fmt.Errorf("variant %q: %s is the text of %s, to which no errata are added: "+
			"they are switched on in the repaired protocol, repaired+%s", variant, words[0],
			p.form(words[0]).Paper, strings.Join(words[1:], "+"))
	}
	var set core.Switches
	switch words[0] {
	case "repaired":
	case "published":
		set = p.Errata.Published()
	default:
		return 0, fmt.Errorf("unknown variant %q, want %s, or repaired+ERRATUM", variant,
			strings.Join(p.Forms(), ", "))
	}
	for _, id := range words[1:] {
		e, err := p.Erratum(id)
		if err != nil {
			return 0, err
		}
		set = set.With(e)
	}
	return set, nil
}

// Forms are the variants of a protocol with programs, but for those with errata that are named.
func (p *Protocol) Forms() []string {
	list := []string{"repaired"}
	for _, f := range p.Printed {
		list = append(list, f.Variant)
	}
	if len(p.Printed) == 0 && p.Errata.Published() != 0 {
		list = append(list, "published")
	}
	return list
}

// Erratum is the switch with the name; the error names the nearest known one.
func (p *Protocol) Erratum(id string) (core.Switch, error) {
	if e, ok := p.Errata.Find(id); ok {
		return e, nil
	}
	var names []string
	for _, e := range p.Errata.List() {
		names = append(names, e.ID)
	}
	if len(names) == 0 {
		return 0, errors.New("protocol " + p.Name + " has no errata")
	}
	return 0, fmt.Errorf("unknown erratum %q%s Known: %s", id, spelling.Guess(id, names),
		strings.Join(names, ", "))
}
