package world

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	subject "github.com/domino-check/domino/checker/apart"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// bench compares what properties are shown, and what they say, by the world and by the re-checker.
type bench struct {
	setup *core.Setup
	model *fault.Model
	most  int
	salt  string
}

// facts are those of a toy, which promises nothing, with properties of its own.
func (j *bench) facts(s *Showing) *spec.Facts {
	return &spec.Facts{Layout: &trace.Layout{Names: j.setup.Layout.Names},
		Promises: promise.Promises{RollsBack: promise.All}, Own: s.Own()}
}

// search explores the world of the properties.
func (j *bench) search(t *testing.T, s *Showing) (w *World, states [][]uint32, r checker.Result) {
	t.Helper()
	w, err := New(Config{Setup: j.setup, Model: *j.model, Facts: j.facts(s)})
	if err != nil {
		t.Fatal(err)
	}
	r = search.Explore(t.Context(), w, checker.Options{MaxStates: j.most,
		Visited: func(all iter.Seq[[]uint32]) {
			for s := range all {
				states = append(states, slices.Clone(s))
			}
		}})
	return w, states, r
}

func (j *bench) procs() int { return len(j.setup.Layout.Names) }

// compare returns how many states there are, 0 when they are too many, which of the properties are
// broken, and in what the two differ.
func (j *bench) compare(t *testing.T) (states int, broken []string, err error) {
	t.Helper()
	here, there := NewShowing(j.procs(), "", j.salt), NewShowing(j.procs(), "", j.salt)
	w, list, r := j.search(t, here)
	if list == nil {
		if len(r.Found) > 0 {
			return 0, nil, fmt.Errorf("the search finds %v", r.Found[0].Violation)
		}
		return 0, nil, nil
	}
	var b bytes.Buffer
	if err := w.WriteCertificate(&b, certificate.Header{}, slices.Values(list),
		certificate.Room{}); err != nil {
		return 0, nil, err
	}
	c, err := certificate.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), 0)
	if err != nil {
		return 0, nil, err
	}
	check := func(s *Showing) error {
		_, err := recheck.Check(t.Context(), subject.Subject(j.setup, j.model, j.facts(s)), c)
		return err
	}
	if err := check(there); err != nil {
		return 0, nil, err
	}
	if d := here.Differ(there); d != "" {
		return 0, nil, fmt.Errorf("first the world, then the re-checker:\n%s", d)
	}
	for _, name := range showingNames {
		_, _, r := j.search(t, NewShowing(j.procs(), name, j.salt))
		err := check(NewShowing(j.procs(), name, j.salt))
		refused := errors.Is(err, certificate.ErrRefused) && strings.Contains(err.Error(), name)
		if found := len(r.Found) > 0 && r.Found[0].Property == name; found != refused ||
			!refused && err != nil || !found && r.Verdict != spec.Holds {
			return 0, nil, fmt.Errorf("%s: the search says %v, %v, the re-checker %v", name,
				r.Verdict, r.Found, err)
		} else if found {
			broken = append(broken, name)
		}
	}
	return len(list), broken, nil
}

// TestToysJudgedApart has random toys judged by the world and by the re-checker: whatever is shown
// to a property of any kind by the one is shown by the other, in all of a run and at its end, and
// one that finds fault with some of it is broken for both or for none.
func TestToysJudgedApart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 19))
	compared, states, broken := map[string]int{}, 0, map[string]int{}
	for n := range effort.Cases(5, 20) {
		for _, name := range apartNames {
			toy, m := drawApart(r, apartFeatures[name])
			if m.Validate(toy.procs) != nil || apartFeatures[name].shows && n%2 == 1 {
				continue
			}
			j := bench{setup: toy.setup(), model: &m, most: effort.Of(400, 1200),
				salt: fmt.Sprint(n)}
			if apartFeatures[name].shows { // few of them are small
				j.most *= 2
			}
			count, bad, err := j.compare(t)
			if err != nil {
				t.Fatalf("%s, case %d, model %+v: %v\n%s", name, n, m, err, toy)
			}
			for _, property := range bad {
				broken[property]++
			}
			if count > 0 {
				compared[name]++
				states += count
			}
		}
	}
	t.Logf("compared %v, %d states, broken %v", compared, states, broken)
	for _, name := range showingNames {
		if least := effort.Of(1, 5); broken[name] < least {
			t.Errorf("%s is broken by %d toys, want %d", name, broken[name], least)
		}
	}
	if len(compared) < effort.Of(5, len(apartNames)-1) {
		t.Errorf("only %v are small enough", compared)
	}
}
