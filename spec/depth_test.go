package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: of several properties that one run breaks, the deepest is said first. Method: a run whose
// end is broken in several ways, and the order of all that can be broken together.
func TestDeepestFirst(t *testing.T) {
	f := exampleFacts()
	f.Holders, f.Minimal, f.Recovers = true, true, true
	events := []trace.Event{sent(m2, y), committed(x, 1, 0),
		keptItem(x, trace.Copy, y, trace.MsgID{From: 0, Number: 1})}
	var got []string
	for _, v := range judgedBy(t, f, traceOf(f, events), selected(t, f), true) {
		got = append(got, v.Property)
	}
	if diff := cmp.Diff([]string{"terminates", "log-pruned"}, got); diff != "" {
		t.Errorf("broken (-want +got):\n%s", diff)
	}
	order := []string{"final-state", "terminates", "log-available", "log-minimal"}
	var list []string
	for _, p := range selected(t, f) {
		if slices.Contains(order, p.Name) {
			list = append(list, p.Name)
		}
	}
	if diff := cmp.Diff(order, list); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if a, b := property(t, "no-orphan"), property(t, "terminates"); spec.Deeper(&a, &b) >= 0 {
		t.Error("terminates is as deep as no-orphan")
	}
}
