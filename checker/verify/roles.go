package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/scenarios/spelling"
)

// build prepares a protocol whose procs have roles instead of programs.
func (r *Resolved) build() error {
	s, p := r.Scenario, r.Protocol
	if s.Roles == "" {
		return s.Errorf("protocol",
			"protocol %s has roles instead of programs, want \"roles: %s N\"", p.Name,
			strings.Join(p.Roles, " N, "))
	}
	if s.Clusters != "" {
		return s.Errorf("clusters", "procs with roles have no clusters")
	}
	if _, err := p.Switches(s.Variant); err != nil {
		return s.Errorf("variant", "%w", err)
	}
	counts, err := readRoles(s.Roles, p.Roles)
	if err != nil {
		return s.Errorf("roles", "%w", err)
	}
	if r.Setup, err = p.Populate(counts, s.Variant); err != nil {
		return s.Errorf("roles", "%w", err)
	}
	return nil
}

// readRoles reads "servers 3, clients 2": every role exactly once, in any order.
func readRoles(text string, roles []string) ([]int, error) {
	counts := make([]int, len(roles))
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(part), " ")
		i := slices.Index(roles, name)
		if i < 0 {
			return nil, fmt.Errorf("unknown role %q%s", name,
				spelling.Guess(name, roles))
		}
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("role %s: %q is not a number of at least 1", name, number)
		}
		if counts[i] != 0 {
			return nil, fmt.Errorf("role %s is given twice", name)
		}
		counts[i] = n
	}
	for i, name := range roles {
		if counts[i] == 0 {
			return nil, fmt.Errorf("role %s is missing", name)
		}
	}
	return counts, nil
}
