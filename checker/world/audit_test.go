package world

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// auditFamilies are kinds of toys in which something is taken first, or left out.
var auditFamilies = []struct {
	failures int
	features toyFeatures
}{
	{0, toyFeatures{monotone: true}},
	{1, toyFeatures{crashes: true, monotone: true}},
	{1, toyFeatures{crashes: true, monotone: true, stamped: true}},
	{1, toyFeatures{crashes: true, restoreSends: true}},
	{1, toyFeatures{crashes: true, reads: true, groups: true}},
	{2, toyFeatures{crashes: true, groups: true}},
}

// auditToy audits a random toy, judged by properties that find fault with little, without a rule.
func auditToy(t *testing.T, number uint64, failures int, features toyFeatures,
	without rule) (*Audited, string) {
	t.Helper()
	r := rand.New(rand.NewPCG(number, uint64(failures)))
	toy := randomToy(r, features)
	m := randomModel(r, toy.procs, failures)
	if failures > 0 && r.IntN(3) == 0 {
		m.Checkpoints = 1
	}
	toy.computeClaims()
	if toy.endless(m) {
		return &Audited{}, ""
	}
	w, err := worldOf(Config{Setup: toy.setup(), Model: m}, judges+strconv.Itoa(r.IntN(1000)))
	if err != nil {
		t.Fatal(err)
	}
	w.eager.without = without
	a, err := w.Audit(t.Context(), 1_000)
	if err != nil {
		t.Fatal(err)
	}
	return a, toy.String()
}

// TestAuditOfToys audits random toys: nothing that the search does with them is wrong.
func TestAuditOfToys(t *testing.T) {
	t.Parallel()
	var sum Audited
	for _, f := range auditFamilies {
		for n := range effort.Cases(20, 100) {
			a, toy := auditToy(t, uint64(n), f.failures, f.features, noRule)
			if a.Broken != nil {
				t.Fatalf("%v\n%s", a.Broken, toy)
			}
			sum.Add(a)
		}
	}
	if sum.Plain < 1_000 || sum.PutOff < 100 {
		t.Errorf("too little was asked: %s", &sum)
	}
}

// TestAuditNeedsRules leaves out conditions of eager.go, one after the other: on a toy on which the
// audit has nothing to say with the condition it then finds a hypothesis that is false. For the
// other conditions see TestAuditNeedsOtherRules.
func TestAuditNeedsRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		without    rule
		family     int
		number     uint64
		hypothesis string
	}{{faultRule, 1, 18, "claim_commutes"}, {lifeRule, 1, 131, "claim_commutes"},
		{watcherRule, 5, 1, "claim_commutes"}, {ownerRule, 4, 13, "claim_commutes"},
		{sendsRule, 3, 53, "no_worse"}}
	for _, tt := range tests {
		f := auditFamilies[tt.family]
		if a, toy := auditToy(t, tt.number, f.failures, f.features, noRule); a.Broken != nil {
			t.Errorf("with rule %d: %v\n%s", tt.without, a.Broken, toy)
		}
		a, toy := auditToy(t, tt.number, f.failures, f.features, tt.without)
		if a.Broken == nil || a.Broken.Hypothesis != tt.hypothesis || a.Broken.First == "" ||
			a.Broken.Other == "" {
			t.Errorf("without rule %d: %v, want that %s is false\n%s", tt.without, a.Broken,
				tt.hypothesis, toy)
		}
	}
}
