package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/fault"
)

// TestCrashInsideSteps checks the argument of failure.go: crashes between the effects of one step
// reach no end of a run and no violation that crashes between steps do not reach, as long as any
// suffix of a channel may be lost.
func TestCrashInsideSteps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, program string
		clusters      []int
		model         fault.Model
		errata        []hydee.Erratum
	}{
		{"burst", "a: send b x; send b y\nb: recv a; recv a", []int{0, 1}, fault.Model{Failures: 1},
			nil},
		{"ping kept", "a: send b x; recv b\nb: recv a; send a y", []int{0, 1},
			fault.Model{Failures: 1, KeepToDead: true}, nil},
		{"checkpoint", "a: send b x\nb: recv a", []int{0, 1},
			fault.Model{Failures: 1, Checkpoints: 1}, nil},
		{"cluster", "a: send b x; send c y\nb: recv a\nc: recv a", []int{0, 0, 1},
			fault.Model{Failures: 1, Victims: []core.Proc{0}}, nil},
		{"two failures", "a: send b x\nb: recv a", []int{0, 1},
			fault.Model{Failures: 2, Victims: []core.Proc{2, 0}}, nil},
		{"early gate", "a: send b x; recv b\nb: recv a; send a y", []int{0, 1},
			fault.Model{Failures: 1}, []hydee.Erratum{hydee.H6, hydee.H1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model.Failures > 1 && !effort.Long() {
				t.Skip("large: " + effort.More)
			}
			var errata hydee.Set
			for _, e := range tt.errata {
				errata = errata.With(e)
			}
			p := mustPair(t, tt.program, tt.clusters, errata)
			oracle, err := Oracle(t.Context(), p.baseline, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, facts := range []bool{false, true} {
				c := Config{Setup: p.setup, Model: tt.model}
				if facts {
					c.Facts = FactsOf(p.setup, &tt.model, oracle)
				}
				between, err := explore(c, checker.Options{}, "")
				if err != nil {
					t.Fatal(err)
				}
				c.Cuts = true
				inside, _ := explore(c, checker.Options{}, "")
				if facts {
					clear(between.terminals)
					clear(inside.terminals)
				}
				inside.result.States = 0
				if d := difference(between, inside); d != "" {
					t.Errorf(
						"first: crashes between steps, second (\"reduced\"): also inside "+
							"them\n%.2000s", d)
				}
			}
		})
	}
}

// unread is what is on its way to a proc that is down, in the text of a state.
var unread = regexp.MustCompile(`(/0\.0\./)<[^|]*`)

// withoutUnread takes that out of terminal states: what of it is lost shows only when the proc is
// up again, and these never are.
func withoutUnread(terminals map[string]bool) map[string]bool {
	read := map[string]bool{}
	for text := range terminals {
		read[unread.ReplaceAllString(text, "$1")] = true
	}
	return read
}

// cheaper reports whether there is such an end with more failures left, but not with as many. A
// proc that stands still has cost one, and may be killed by its launcher before it stops: between
// steps the same kill comes without the failure, which is then still to come, or not.
func cheaper(terminals map[string]bool, text string, failures int) bool {
	left, rest, _ := strings.Cut(text, "|")
	if terminals[text] {
		return false
	}
	n, err := strconv.ParseUint(left, 16, 32)
	if err != nil {
		return false
	}
	for more := n + 1; more <= uint64(failures); more++ {
		if terminals[fmt.Sprintf("%x|%s", more, rest)] {
			return true
		}
	}
	return false
}

// TestCrashInsideStepsOfToys is the same for random table-driven protocols, whose steps send
// several messages and write.
func TestCrashInsideStepsOfToys(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	explored, inner, cases := 0, 0, effort.Of(30, 150)
	for n := range cases + cases/3 {
		toy := randomToy(r, toyFeatures{crashes: true, groups: n%2 == 0, restoreSends: true,
			launches: n >= cases})
		m := randomModel(r, toy.procs, 2)
		m.FromDead, m.OneInstant = fault.Prefix, false
		c := Config{Setup: toy.setup(), Model: m}
		between, err := explore(c, checker.Options{MaxStates: 3000}, "")
		if err != nil {
			t.Fatal(err)
		}
		if between.result.Bound != "" {
			continue
		}
		c.Cuts = true
		inside, _ := explore(c, checker.Options{}, "")
		explored++
		inner += inside.result.Transitions - between.result.Transitions
		inside.result.States = 0
		for _, s := range []*seen{between, inside} {
			s.terminals = withoutUnread(s.terminals)
		}
		maps.DeleteFunc(inside.terminals, func(text string, _ bool) bool {
			return cheaper(between.terminals, text, m.Failures)
		})
		if d := difference(between, inside); d != "" {
			t.Fatalf(
				"case %d, model %+v\n%sfirst: crashes between steps, second (\"reduced\"): also "+
					"inside them\n%.2000s", n, m, toy, d)
		}
	}
	if explored < cases/2 || inner < 6*cases {
		t.Errorf("%d cases with %d transitions more: too few to mean anything", explored, inner)
	}
}
