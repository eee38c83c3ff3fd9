package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/scenarios"
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
			"not explored, because they take long: %s (name them, or say --long)\n", strings.Join(
				names, " "))
	}
	return rest
}

// one is the scenario with the name, or in the file.
func (io streams) one(name string) (*scenarios.Scenario, error) {
	list, err := io.Select([]string{name})
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("pattern %q fits %d scenarios, want one", name, len(list))
	}
	return list[0], nil
}
