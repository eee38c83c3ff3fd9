package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/catalog"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// finding is one erratum with one scenario: what the switch breaks, and the repaired protocol at
// the same scope.
type finding struct {
	core.Erratum
	Scenario  string `json:"scenario,omitempty"`
	Printed   *row   `json:"printed,omitempty"`  // with the erratum
	Repaired  *row   `json:"repaired,omitempty"` // without
	Confirmed bool   `json:"confirmed"`
}

func runErrata(ctx context.Context, args []string, io streams) (int, error) {
	f := flags("errata", "[PROTOCOL] [ID ...]", io, "errata", "errata hydee",
		"errata hydee H10 --show", "errata --json")
	var sf searchFlags
	show := f.Bool("show", false, "print the run of each erratum")
	sf.register(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	sf.order = "bfs"
	o, err := sf.options()
	if err != nil {
		return 0, err
	}
	findings, err := selectErrata(f.Args())
	if err != nil {
		return 0, err
	}
	all, err := scenarios.Embedded()
	if err != nil {
		return 0, err
	}
	byName := map[string]*scenarios.Scenario{}
	for _, s := range all {
		byName[s.Name] = s
	}
	p := newProgress(io.err, len(findings), sf.json)
	var failed error
	code := 0
	pool(ctx, sf.workers, len(findings), func(ctx context.Context, job int) finding {
		g := findings[job]
		if s := byName[g.Scenario]; s != nil {
			g.explore(ctx, s, o, p)
			p.finished(s.Name)
		}
		return g
	}, func(_ int, g finding) {
		if err := g.failure(); err != nil && failed == nil {
			failed = err
		}
		if failed != nil {
			return
		}
		if g.Printed != nil {
			g.Printed.save(sf.save, io.err)
			if !g.Confirmed {
				code = 1
			}
		}
		if sf.json {
			// a closed pipe shows on the next write of the shell
			_ = json.NewEncoder(io.out).Encode(g)
			return
		}
		g.print(io, *show, sf.control)
	})
	return code, failed
}

// selectErrata lists what to look at, one finding for each scenario of each erratum.
func selectErrata(args []string) ([]finding, error) {
	protocols := catalog.Protocols()
	if len(args) > 0 {
		p, err := catalog.Find(args[0])
		if err != nil {
			return nil, err
		}
		protocols = []catalog.Protocol{p}
		args = args[1:]
	}
	all, err := scenarios.Embedded()
	if err != nil {
		return nil, err
	}
	var list []finding
	var known []string
	for _, p := range protocols {
		for _, e := range p.Errata {
			known = append(known, e.ID)
			if len(args) > 0 && !slices.Contains(args, e.ID) {
				continue
			}
			before := len(list)
			for _, s := range all {
				if s.Protocol == p.Name && s.Erratum == e.ID {
					list = append(list, finding{Erratum: e, Scenario: s.Name})
				}
			}
			if len(list) == before {
				list = append(list, finding{Erratum: e})
			}
		}
	}
	for _, id := range args {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("unknown erratum %q%s Known: %s", id,
				spelling.Guess(id, known), strings.Join(known, " "))
		}
	}
	return list, nil
}

// explore finds the shortest run with the erratum, then looks at the repaired protocol at the same
// scope.
func (g *finding) explore(ctx context.Context, s *scenarios.Scenario, o checker.Options,
	p *progress) {
	printed := *s
	printed.Expect, printed.States, printed.MustSee, printed.Force = "violated", 0, nil, true
	g.Printed = checkOne(ctx, &printed, "repaired+"+g.ID, o, p)
	o.Order, o.Reduce = checker.DepthFirst, defaultReduction
	repaired := *s
	repaired.Variant, repaired.Breaks = "repaired", ""
	g.Repaired = checkOne(ctx, &repaired, "repaired", o, p)
	g.Confirmed = g.Printed.AsExpected && g.Repaired.AsExpected
}

func (g *finding) failure() error {
	for _, r := range []*row{g.Printed, g.Repaired} {
		if r != nil && r.err != nil {
			return r.err
		}
	}
	return nil
}

func (g *finding) print(io streams, show, control bool) {
	fmt.Fprintf(io.out, "%-5s %s: %s\n", g.ID, g.Place, g.Erratum.Printed)
	fmt.Fprintf(io.out, "      repaired: %s\n", g.Erratum.Repaired)
	if g.Printed == nil {
		fmt.Fprintf(io.out, "      no scenario shows it; shown %s\n\n", g.Shown)
		return
	}
	r := g.Printed
	if r.Verdict == spec.Violated {
		fmt.Fprintf(io.out, "      %s: breaks %s in %d steps (%s; %s states, %s)\n      %s\n",
			g.Scenario, r.Violation.Property, r.Length, r.Bounds,
			count(r.States), seconds(r.Seconds), r.Violation.Message)
	} else {
		fmt.Fprintf(io.out, "      %s: NOT CONFIRMED: %s %s (%s states, %s)\n", g.Scenario,
			r.Verdict, r.Why, count(r.States), seconds(r.Seconds))
	}
	note := ""
	if !g.Repaired.AsExpected {
		note = "NOT AS EXPECTED: " + g.Repaired.Why
	} else if g.Repaired.Verdict != spec.Holds {
		note = strings.SplitN(g.Repaired.Why, "\n", 2)[0]
	}
	fmt.Fprintf(io.out, "      repaired protocol at the same scope: %s, %s states, %s %s\n\n",
		g.Repaired.Verdict, count(g.Repaired.States),
		seconds(g.Repaired.Seconds), note)
	if show && len(r.outcomeRuns()) > 0 {
		r.show(io.out, control)
		fmt.Fprintln(io.out)
	}
}
