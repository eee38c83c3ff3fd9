package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
)

// tour are the scenarios of a check without names: those that are marked for it and those that a
// protocol brings itself, but for what takes long; where there are none of both, all that do not
// take long.
func tour(list []*scenarios.Scenario, protocols protocol.List) (some []*scenarios.Scenario) {
	for _, s := range list {
		p, err := protocols.Find(s.Protocol)
		if s.Tour || err == nil && p.Scenarios != nil && !s.Long {
			some = append(some, s)
		}
	}
	if some == nil {
		some = slices.DeleteFunc(slices.Clone(list),
			func(s *scenarios.Scenario) bool { return s.Long })
	}
	return some
}

// one is the scenario with the name, or in the file.
func (std streams) one(name string) (*scenarios.Scenario, error) {
	list, err := std.Select([]string{name})
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("pattern %q fits %d scenarios, want one", name, len(list))
	}
	return list[0], nil
}

// Select finds scenarios as the catalogue does; - is the standard input.
func (std streams) Select(names []string) (list []*scenarios.Scenario, err error) {
	if !slices.Contains(names, "-") {
		return std.Catalogue.Select(names)
	}
	others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "-" })
	if len(others) > 0 { // none would be all
		if list, err = std.Catalogue.Select(others); err != nil {
			return nil, err
		}
	}
	s, err := fromInput()
	return append(list, s), err
}

// inputFile is the name of the file that the standard input would be in.
const inputFile = "stdin.txtar"

// fromInput reads a scenario from the standard input.
func fromInput() (*scenarios.Scenario, error) {
	text, err := smallText(os.Stdin, "standard input")
	if err != nil {
		return nil, err
	}
	return scenarios.Parse(inputFile, text)
}

// loadReplay reads a replay file, which has a schedule.
func loadReplay(ctx context.Context, file string) (*scenarios.Scenario, error) {
	return heard(ctx, func() (s *scenarios.Scenario, err error) {
		if file == "-" {
			s, err = fromInput()
		} else {
			s, err = scenarios.Load(file)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file %s; want a replay file, as domino check "+
				"writes of what it finds, not the name of a scenario", file)
		case err == nil && len(s.Schedule) == 0:
			return nil, fmt.Errorf("%s has no section \"-- schedule --\" with events; domino "+
				"check --save writes such files", file)
		}
		return s, err
	})
}
