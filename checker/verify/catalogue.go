package verify

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
)

// Catalogue is protocols and the scenarios that are about them.
type Catalogue struct {
	protocols protocol.List
	scenarios []*scenarios.Scenario
}

// NewCatalogue makes a catalogue, with protocols by name, and scenarios by the name of their file.
// The error names everything that is wrong with the protocols and their scenarios at once.
func NewCatalogue(protocols ...protocol.Protocol) (*Catalogue, error) {
	list := protocol.List(protocols)
	if err := list.Validate(); err != nil {
		return nil, err
	}
	c := &Catalogue{protocols: slices.Clone(list)}
	slices.SortStableFunc(c.protocols, func(a, b protocol.Protocol) int {
		return strings.Compare(a.Name, b.Name)
	})
	house, err := scenarios.Embedded()
	if err != nil {
		return nil, err
	}
	for _, s := range house {
		if p, err := list.Find(s.Protocol); err == nil && p.House {
			c.scenarios = append(c.scenarios, s)
		}
	}
	for i := range list {
		own, wrong := scenariosOf(&list[i])
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("protocol %s: %w", list[i].Name, wrong))
		}
		c.scenarios = append(c.scenarios, own...)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.scenarios, func(a, b *scenarios.Scenario) int {
		return cmp.Or(strings.Compare(path.Base(a.File), path.Base(b.File)),
			strings.Compare(a.File, b.File))
	})
	for i, s := range c.scenarios {
		if i > 0 && s.File == c.scenarios[i-1].File { // sorted, so next to each other
			return nil, fmt.Errorf("two scenarios are called %s: give one another name", s.File)
		}
	}
	return c, nil
}

// Trusted is a catalogue of protocols without scenarios, and without a look at whether they are
// right: for a process of many that somebody starts who has looked.
func Trusted(protocols ...protocol.Protocol) *Catalogue {
	return &Catalogue{protocols: slices.Clone(protocols)}
}

// scenariosOf reads the scenarios that a protocol brings. They are called by its name and their
// own, whatever folder they are in.
func scenariosOf(p *protocol.Protocol) (list []*scenarios.Scenario, err error) {
	if p.Scenarios == nil {
		return nil, nil
	}
	err = fs.WalkDir(p.Scenarios, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(file) != ".txtar" {
			return err
		}
		data, err := fs.ReadFile(p.Scenarios, file)
		if err != nil {
			return err
		}
		s, err := scenarios.Parse(path.Join(p.Name, path.Base(file)), data)
		if err != nil {
			return err
		}
		if s.Protocol != p.Name {
			return s.Errorf("protocol", "it is about protocol %s and comes with %s", s.Protocol,
				p.Name)
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

// Protocols are those of the catalogue, by name.
func (c *Catalogue) Protocols() protocol.List { return c.protocols }

// Find returns the protocol with the name; the error names the nearest known one.
func (c *Catalogue) Find(name string) (*protocol.Protocol, error) { return c.protocols.Find(name) }

// Scenarios are copies of all scenarios, by the name of their file.
func (c *Catalogue) Scenarios() []*scenarios.Scenario {
	var list []*scenarios.Scenario
	for _, s := range c.scenarios {
		d := *s
		list = append(list, &d)
	}
	return list
}

// Scenario is a copy of the one with the name, e.g. "s1" or "hydee/s1".
func (c *Catalogue) Scenario(name string) (*scenarios.Scenario, error) {
	list, err := c.Select([]string{name})
	switch {
	case err != nil:
		return nil, err
	case len(list) != 1:
		return nil, fmt.Errorf("%d scenarios are called %q, want one", len(list), name)
	}
	return list[0], nil
}

// Select finds scenarios by name ("s1", "hydee/s1"), by pattern ("h13*"), or by file, in the order
// of the names. No names mean all.
func (c *Catalogue) Select(names []string) ([]*scenarios.Scenario, error) {
	all := c.Scenarios()
	if len(names) == 0 {
		return all, nil
	}
	var list []*scenarios.Scenario
	for _, name := range names {
		found, err := scenarios.Named(all, name)
		switch {
		case err != nil:
			return nil, err
		case len(found) > 1 && !strings.ContainsAny(name, "*?["):
			return nil, fmt.Errorf("scenario %q is one of several: say %s", name, fullNames(found))
		case len(found) == 0:
			s, err := load(name, all)
			if err != nil {
				return nil, err
			}
			found = append(found, s)
		}
		list = append(list, found...)
	}
	return list, nil
}

// load reads a scenario from a file.
func load(name string, all []*scenarios.Scenario) (*scenarios.Scenario, error) {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return scenarios.Load(name)
	}
	if strings.ContainsAny(name, "/.") {
		return nil, fmt.Errorf("file %s does not exist", name)
	}
	var known []string
	for _, s := range all {
		known = append(known, s.Name)
	}
	return nil, fmt.Errorf("unknown scenario %q%s See: domino list scenarios", name,
		spelling.Guess(name, known))
}

// fullNames are names with folders, for a choice.
func fullNames(list []*scenarios.Scenario) string {
	var names []string
	for _, s := range list {
		names = append(names, strings.TrimSuffix(s.File, ".txtar"))
	}
	return strings.Join(names, " or ")
}

// Resolve makes a scenario ready to run (Resolve).
func (c *Catalogue) Resolve(s *scenarios.Scenario) (*Resolved, error) {
	return Resolve(c.protocols, s)
}
