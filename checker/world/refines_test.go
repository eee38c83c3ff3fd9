package world_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// unrefined are the errata of HydEE that break what is proved of the abstract protocol, at their
// scenarios: what finds each today, and which property says that it is no step of that. What is not
// here waits for ever, or prunes what would be needed, which the abstract protocol does not do.
var unrefined = map[string][2]string{
	"h1":          {"exactly-once", "refines-arrivals"},
	"h10":         {"causal-replay", "refines"},
	"h11-orphan":  {"gate-sound", "refines"},
	"h13-current": {"gate-sound", "refines"},
	"h17":         {"causal-replay", "refines"},
	"h2":          {"exactly-once", "refines-arrivals"},
	"h23-kept":    {"gate-sound", "refines"},
	"h24":         {"legal-order", "refines-arrivals"},
	"h4":          {"gate-sound", "refines"},
	"h6":          {"gate-sound", "refines"},
	"h7-gate":     {"legal-order", "refines-arrivals"},
	"h7-order":    {"legal-order", "refines-arrivals"},
	"h7b":         {"legal-order", "refines-arrivals"},
	"h9-late":     {"legal-order", "refines-arrivals"},
	"h9-order":    {"legal-order", "refines-arrivals"},
	"h9-twice":    {"exactly-once", "refines-arrivals"},
}

// TestErrataDoNotRefine finds the shortest run that shows an erratum of HydEE, and expects that the
// same run is none of the abstract HydEE, no later than whatever else it breaks.
func TestErrataDoNotRefine(t *testing.T) {
	t.Parallel()
	short := []string{"h11-orphan", "h4", "h6", "h7-gate", "h9-late"}
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range list {
		want, ok := unrefined[s.Name]
		if s.Protocol != "hydee" || !ok {
			continue
		}
		if seen++; !effort.Long() && !slices.Contains(short, s.Name) {
			continue
		}
		e := *s
		e.Variant, e.Force = "repaired+"+s.Erratum, true
		c, err := resolve(&e)
		if err != nil {
			t.Fatal(err)
		}
		out, err := world.Check(t.Context(), c.Case, checker.Options{Order: checker.BreadthFirst})
		if err != nil || len(out.Found) == 0 {
			t.Fatalf("%s: nothing found: %v", s.Name, err)
		}
		r, err := out.World.Follow(out.Found[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		_, found := out.World.Judge(r)
		i := slices.IndexFunc(found, func(v spec.Violation) bool { return v.Property == want[1] })
		if out.Found[0].Property != want[0] || i < 0 || found[i].Step > len(r.Schedule) {
			t.Errorf("%s breaks %s in %d steps, want %s, and of %s all that is said is %v", s.Name,
				out.Found[0].Property, len(r.Schedule), want[0], want[1], found)
		}
	}
	if seen != len(unrefined) {
		t.Errorf("%d scenarios of %d", seen, len(unrefined))
	}
}

// TestHypotheses executes what the theorems about the abstract HydEE assume of an application
// (proofs/coq, HydEEPhases) on the failure-free runs of the programs of embedded scenarios: every
// send-deterministic one is an application, and what is received before a send is so before later
// ones. What precedes a send by steps of the application does so in all runs, and nothing else.
func TestHypotheses(t *testing.T) {
	t.Parallel()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	met, messages := map[string]bool{}, 0
	for _, s := range list {
		c, err := resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(s.Clusters, c.Setup.Programs)
		if s.Protocol != "hydee" || met[key] || !effort.Long() && len(met) == 12 {
			continue
		}
		met[key] = true
		oracle, err := world.Oracle(t.Context(), c.Baseline, checker.Options{})
		if err != nil || len(oracle.Differ) > 0 {
			continue
		}
		a, err := spec.Abstract(&c.Setup.Layout, oracle)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		for i := range a.Messages {
			m := &a.Messages[i]
			past := slices.Clone(m.Past)
			past[m.ID.From] = m.ID.Number // the oracle counts the send itself
			if !slices.Equal(past, oracle.Past[m.ID]) {
				t.Errorf("%s: %s is behind %d sends, the oracle says %d", s.Name,
					c.Setup.Layout.Label(m.ID), past, oracle.Past[m.ID])
			}
			if i == 0 || a.Messages[i-1].ID.From != m.ID.From {
				continue
			}
			for _, k := range a.Messages[i-1].Needs {
				if !slices.Contains(m.Needs, k) {
					t.Errorf("%s: %s does not need %s, and the send before it does", s.Name,
						c.Setup.Layout.Label(m.ID), c.Setup.Layout.Label(a.Messages[k].ID))
				}
			}
		}
		messages += len(a.Messages)
	}
	if want := effort.Of(30, 100); messages < want {
		t.Errorf("%d messages, want %d at least", messages, want)
	}
}
