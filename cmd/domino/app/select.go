package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
)

// quick leaves out what takes long, and says so.
func quick(list []*scenarios.Scenario, messages io.Writer) (rest []*scenarios.Scenario) {
	var names []string
	for _, s := range list {
		if s.Long {
			names = append(names, s.Name)
		} else {
			rest = append(rest, s)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(messages,
			"not explored, because they take long: %s (name them, or say --long)\n",
			strings.Join(names, " "))
	}
	return rest
}

// selectScenarios finds scenarios by name, by pattern ("h13*"), or by file. Without names it
// returns all embedded ones.
func selectScenarios(names []string) ([]*scenarios.Scenario, error) {
	all, err := scenarios.Embedded()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var known []string
	for _, s := range all {
		known = append(known, s.Name)
	}
	var list []*scenarios.Scenario
	for _, name := range names {
		found, err := scenarios.Named(all, name)
		if err != nil {
			return nil, err
		}
		if len(found) > 1 && !strings.ContainsAny(name, "*?[") {
			return nil, fmt.Errorf("scenario %q is one of several: say %s", name, fullNames(found))
		}
		if len(found) > 0 {
			list = append(list, found...)
			continue
		}
		_, err = os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			if strings.ContainsAny(name, "/.") {
				return nil, fmt.Errorf("file %s does not exist", name)
			}
			return nil, fmt.Errorf("unknown scenario %q%s See: domino list scenarios",
				name, spelling.Guess(name, known))
		}
		s, err := scenarios.Load(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// fullNames are names with folders, for a choice.
func fullNames(list []*scenarios.Scenario) string {
	var names []string
	for _, s := range list {
		names = append(names, strings.TrimSuffix(s.File, ".txtar"))
	}
	return strings.Join(names, " or ")
}
