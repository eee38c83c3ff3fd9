package app

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/scenarios"
)

// overrides are what the command line says in the place of what a scenario says.
type overrides []struct{ key, value string }

func (o *overrides) register(f *pflag.FlagSet) {
	f.Var(overriding{o, "variant"}, "variant",
		"repaired, published, or repaired+ERRATUM, instead of the scenario's")
	f.Var(overriding{o, "failures"}, "failures", "failures, instead of the scenario's")
	f.Var(overriding{o, "checkpoints"}, "checkpoints",
		"spontaneous checkpoints, instead of the scenario's")
	f.Var(overriding{o, ""}, "set",
		"another key of scenario files and its value, instead of the scenario's, e.g. "+
			"network=unordered; once for each key")
}

// apply changes a scenario; what it expects of itself goes with it.
func (o overrides) apply(s *scenarios.Scenario) error {
	if len(o) > 0 {
		s.States, s.Expect, s.Breaks, s.MustSee = 0, "holds", "", nil
	}
	for _, v := range o {
		if err := s.Set(v.key, v.value); err != nil {
			return fmt.Errorf("%s: %w", v.key, err)
		}
	}
	return nil
}

// overriding is the flag for one key, or for any.
type overriding struct {
	list *overrides
	key  string
}

func (v overriding) Set(value string) error {
	if v.key == "" {
		v.key, value, _ = strings.Cut(value, "=")
		if v.key == "" || value == "" {
			return fmt.Errorf("want KEY=VALUE, e.g. failures=1")
		}
	} else if value == "" {
		return fmt.Errorf("want a value")
	}
	for _, o := range *v.list {
		if o.key == v.key && o.value != value {
			return fmt.Errorf("%s is %q already", v.key, o.value)
		}
	}
	*v.list = append(*v.list, struct{ key, value string }{v.key, value})
	return overrides{{v.key, value}}.apply(&scenarios.Scenario{})
}

func (v overriding) Type() string {
	if v.key == "" {
		return "KEY=VALUE"
	}
	return "value"
}

// String implements pflag.Value: there is no default.
func (v overriding) String() string { return "" }
