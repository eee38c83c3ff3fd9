package protocol

import (
	"errors"
	"fmt"
	"strings"

	"github.com/domino-check/domino/scenarios/spelling"
)

// List is the protocols that one command or test knows.
type List []Protocol

// Find returns the protocol with the name; the error names the nearest known one.
func (l List) Find(name string) (*Protocol, error) {
	for i := range l {
		if l[i].Name == name {
			return &l[i], nil
		}
	}
	names := l.Names()
	return nil, fmt.Errorf("unknown protocol %q%s Known: %s", name,
		spelling.Guess(name, names), strings.Join(names, ", "))
}

// Names are those of all, in the order of the list.
func (l List) Names() []string {
	var names []string
	for _, p := range l {
		names = append(names, p.Name)
	}
	return names
}

// Validate reports what is missing, contradictory or there twice, everything at once: before
// anything runs, and never in the middle.
func (l List) Validate() error {
	var all []error
	seen := map[string]bool{}
	for i := range l {
		p := &l[i]
		if seen[p.Name] {
			all = append(all, fmt.Errorf("two protocols have the name %q: give one another name",
				p.Name))
		}
		seen[p.Name] = true
		if err := p.Validate(); err != nil {
			all = append(all, fmt.Errorf("protocol %q (number %d of the list): %w", p.Name, i+1,
				err))
		}
	}
	return errors.Join(all...)
}

// Validate reports what is missing or contradictory in one protocol.
func (p *Protocol) Validate() error {
	var all []error
	not := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if !validName(p.Name) {
		not("a name has lower case letters, digits and hyphens, and begins with a letter")
	}
	switch {
	case p.Setup == nil && p.Build == nil:
		not("neither Setup nor Build is set: say how the protocol is made")
	case p.Setup != nil && p.Build != nil:
		not("Setup and Build are set: a protocol has programs, or roles")
	case p.Build != nil && len(p.Roles) == 0:
		not("Build without Roles: name the kinds of its procs")
	case p.Setup != nil && len(p.Roles)+len(p.Variants) > 0:
		not("Roles and Variants go with Build: a protocol with programs has Errata")
	}
	if p.Options == nil && len(p.OptionDocs) > 0 {
		not("OptionDocs without Options: nobody reads what is documented")
	}
	if p.Policies == nil && len(p.PolicyDocs) > 0 {
		not("PolicyDocs without Policies: nobody reads what is documented")
	}
	for i, t := range p.Tables {
		if t.Name == "" || len(t.Parts) == 0 {
			not("table %d has no name or no parts", i+1)
		}
	}
	return errors.Join(append(all, p.validNames(), p.validErrata(), p.validShapes(),
		p.validProperties())...)
}

// validName tells whether a name can stand in scenarios, commands and names of files.
func validName(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}
