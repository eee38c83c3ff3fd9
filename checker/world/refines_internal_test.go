package world

import (
	"context"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/fault"
)

// refining are small programs over HydEE, with errata of which some run of them is none of the
// abstract protocol; the first few are explored in short tests, too.
var refining = []struct {
	program  string
	clusters []int
	errata   []hydee.Erratum
}{
	{"a: send b x; send b y\nb: recv a; recv a", []int{0, 1},
		[]hydee.Erratum{hydee.H7, hydee.H7b, hydee.H9b, hydee.H9c}},
	{"a: send b x\nb: recv a", []int{0, 1}, []hydee.Erratum{hydee.H1, hydee.H2}},
	{"a: recv b; send b o; recv b\nb: send a x; recv a; send a y", []int{0, 1},
		[]hydee.Erratum{hydee.H9a, hydee.H23}},
	{"x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send y m7", []int{0, 0, 1},
		[]hydee.Erratum{hydee.H7, hydee.H17, hydee.H11b}},
}

// TestRefinesReduced explores small programs over HydEE with and without reduction, repaired and
// with errata, and asks nothing but whether runs are those of the abstract HydEE: both give the
// same answer, which of what is repaired is that they are.
func TestRefinesReduced(t *testing.T) {
	t.Parallel()
	broken, bound := 0, 0
	for i, c := range refining[:effort.Of(1, len(refining))] {
		errata := []hydee.Set{0}
		for _, e := range c.errata {
			errata = append(errata, hydee.Set(0).With(e))
		}
		for _, set := range errata {
			p, err := hydeePair(c.program, c.clusters, set)
			if err != nil {
				t.Fatal(err)
			}
			oracle, err := Oracle(context.Background(), p.baseline, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m := fault.Model{Failures: 1}
			judged := Config{Setup: p.setup, Model: m, Facts: FactsOf(p.setup, &m, oracle)}
			for _, name := range []string{"refines", "refines-arrivals"} {
				full, err := explore(judged, checker.Options{MaxStates: 100_000}, name)
				if err != nil || full.result.Bound != "" {
					bound++
					continue
				}
				if full.violated[name] {
					broken++
				}
				if full.violated[name] && set == 0 {
					t.Errorf("%s: %v\n%s", name, full.result.Found, c.program)
				}
				for _, o := range someWays(i) {
					some, _ := explore(judged, o, name)
					if some.violated[name] != full.violated[name] {
						t.Errorf("%s %d: full %v, %s %v\n%s", name, set, full.violated, wayOf(o),
							some.violated, c.program)
					}
				}
			}
		}
	}
	t.Logf("broken in %d searches, %d too large", broken, bound)
	if want := effort.Of(2, 10); broken < want || bound > 0 {
		t.Errorf("broken in %d searches, want %d; %d too large", broken, want, bound)
	}
}
