package boundary_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
)

// behind are properties that a step breaks together with others, which are named first, each with a
// mutant that it must catch and a near miss that it must accept when nothing else is asked.
var behind = []struct{ property, mutant, at, near, nearAt string }{
	{property: "phase-order", mutant: "low-phase", at: "core", near: "high-phase",
		nearAt: "core, rank"},
	{property: "phases-derived", mutant: "high-phase", at: "core", near: "shifts-date",
		nearAt: "core, rank"},
}

// elsewhere are properties that no mutant here breaks before another property ends the run: what
// they say of a step needs what the machine keeps inside. TestErrataDoNotRefine of checker/world
// breaks both by errata of HydEE, in the step of the property that is named first, and TestRefines
// of spec has runs by hand, broken ones and near misses.
var elsewhere = []string{"refines", "refines-arrivals"}

// Aim: a property that comes behind others catches something by itself. Method: ask for it alone.
func TestBehindOthers(t *testing.T) {
	for _, tt := range behind {
		t.Run(tt.mutant+" in "+tt.at+" for "+tt.property, func(t *testing.T) {
			_, r := scopeOf(t, tt.at).ask(t, tt.property, find(t, tt.mutant).Wrap)
			if r.Verdict != spec.Violated || r.Found[0].Property != tt.property {
				t.Fatalf("%s: %v, %+v, want %s broken", tt.mutant, r.Verdict, r.Found, tt.property)
			}
		})
		t.Run(tt.near+" in "+tt.nearAt+" for "+tt.property, func(t *testing.T) {
			_, r := scopeOf(t, tt.nearAt).ask(t, tt.property, find(t, tt.near).Wrap)
			if r.Verdict != spec.Holds {
				t.Fatalf("%s is legal: %v, %+v", tt.near, r.Verdict, r.Found)
			}
		})
	}
}
