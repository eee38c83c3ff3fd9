package explore_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/explore"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// open explores a scenario of the suite in a variant.
func open(t *testing.T, name, variant string) (*explore.Session, *scenarios.Scenario) {
	t.Helper()
	s, err := scenarios.Load(filepath.Join("../../scenarios", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	s.Variant = variant
	session, err := explore.Open(t.Context(), all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	return session, s
}

func condition(t *testing.T, text string, s *explore.Session) explore.Condition {
	t.Helper()
	c, err := s.Condition(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFindIsShortest: what is found from the start is as long as what check finds breadth first;
// the link to it leads there again, and so does the file.
func TestFindIsShortest(t *testing.T) {
	for _, c := range []struct{ name, variant string }{{"hydee/s1", "published"},
		{"hydee/h10", "repaired+H10"}, {"two-phase/two-phase-hasty", "hasty"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session, s := open(t, c.name, c.variant)
			a, err := verify.Check(t.Context(), all.Protocols(), s,
				verify.Options{Order: checker.BreadthFirst})
			if err != nil {
				t.Fatal(err)
			}
			f, err := session.Find(t.Context(), nil, condition(t, "breaks *", session),
				checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Path) != a.Length || a.Length == 0 {
				t.Fatalf("a path of %d steps, check has one of %d", len(f.Path), a.Length)
			}
			st, err := session.At(f.Path)
			if err != nil || st.Violation == nil {
				t.Fatalf("the end of the path breaks %v, %v", st.Violation, err)
			}
			again, _ := open(t, c.name, c.variant)
			path, err := again.Path(st.Link)
			if err != nil || !slices.Equal(path, f.Path) {
				t.Errorf("the link leads to %v, %v", path, err)
			}
			file, err := session.Counterexample(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			back, err := scenarios.Parse("back.txtar", scenarios.Format(file))
			if err != nil {
				t.Fatal(err)
			}
			replayed, err := explore.Open(t.Context(), all.Protocols(), back)
			if err != nil {
				t.Fatal(err)
			}
			end, err := replayed.At(back.Schedule)
			if err != nil || end.Name != st.Name || back.Breaks != end.Violation.Property {
				t.Errorf("the saved file leads to state %v, want %s; %v", end, st.Name, err)
			}
		})
	}
}

// TestLinks: whatever was looked at before, a path has one link and leads to one state.
func TestLinks(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "repaired")
	for seed := range uint64(12) {
		path, _, err := session.Walk(t.Context(), nil, seed/2, int(3+seed), true,
			explore.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.WhatIf(path, "repaired+H10"); err != nil {
			t.Fatal(err)
		}
		for _, steps := range []int{len(path), len(path) / 2, len(path)} {
			a, err := session.At(path[:steps])
			if err != nil {
				t.Fatal(err)
			}
			fresh, _ := open(t, "hydee/s1", "repaired")
			b, err := fresh.At(path[:steps])
			if err != nil || a.Link != b.Link || a.Name != b.Name {
				t.Errorf("%v: link %s to %s, want %s to %s, %v", path[:steps], a.Link, a.Name,
					b.Link, b.Name, err)
			}
		}
	}
}

// TestLinkOfAnother: a link that does not fit says at which step.
func TestLinkOfAnother(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "repaired")
	path, _, err := session.Walk(t.Context(), nil, 1, 6, true, explore.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	st, err := session.At(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := []byte(st.Link)
	broken[5] ^= 'A' ^ 'B'
	for _, link := range []string{string(broken), "?", "____"} {
		if p, err := session.Path(link); !errors.Is(err, explore.ErrPath) || len(p) >= len(path) {
			t.Errorf("link %q leads to %v, %v", link, p, err)
		}
	}
}

// TestNames: states that differ have names that differ, and a state has one name whichever way
// leads to it, in whatever world.
func TestNames(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "repaired")
	met := 0
	for seed := range uint64(20) {
		path, _, err := session.Walk(t.Context(), nil, seed, 5, true, explore.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		st, err := session.At(path)
		if err != nil {
			t.Fatal(err)
		}
		to := map[string]string{}
		for _, e := range st.Enabled {
			if e.To == st.Name {
				t.Errorf("%q leads from a state to one with its name", e.Name)
			}
			to[e.Name] = e.To
		}
		for a := range to { // two events in both orders, in one world and in a fresh one
			for b := range to {
				other, _ := open(t, "hydee/s1", "repaired")
				x, errX := session.At(append(slices.Clone(path), a, b))
				y, errY := other.At(append(slices.Clone(path), b, a))
				if a == b || errX != nil || errY != nil {
					continue
				}
				equal := true
				for p := range x.Procs {
					equal = equal && string(x.Procs[p].State) == string(y.Procs[p].State)
				}
				if x.Name == y.Name {
					met++
				}
				if x.Name == y.Name && !equal {
					t.Errorf("%v, %q and %q: different local states, one name", path, a, b)
				}
			}
			break
		}
	}
	if met == 0 {
		t.Error("no two orders met in one state")
	}
}

// TestHybrid: with machines of the same variant everything goes on as it would have; a hybrid says
// so and is not saved.
func TestHybrid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hydee/s1", "causal/causal-halo", "radic/radic-figure-2-8-full"} {
		session, _ := open(t, name, "repaired")
		path, _, err := session.Walk(t.Context(), nil, 3, 12, true, explore.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		st, err := session.At(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := session.Hybrid(path, "repaired")
		if err != nil {
			t.Fatal(err)
		}
		there, err := h.At(nil)
		if err != nil {
			t.Fatal(err)
		}
		if there.Name != st.Name || len(there.Enabled) != len(st.Enabled) || there.Hybrid == "" {
			t.Fatalf("%s: state %s with %d events, want %s with %d", name, there.Name,
				len(there.Enabled), st.Name, len(st.Enabled))
		}
		for i, e := range there.Enabled {
			if e.Name != st.Enabled[i].Name || e.To != st.Enabled[i].To {
				t.Errorf("%s: event %q to %s, want %q to %s", name, e.Name, e.To,
					st.Enabled[i].Name, st.Enabled[i].To)
			}
		}
		if _, err := h.Counterexample(nil); err == nil {
			t.Error("a hybrid is saved as a run")
		}
		if story, err := h.Story(nil); err != nil || !strings.Contains(story.Title, "HYBRID") {
			t.Errorf("its story is called %q, %v", story.Title, err)
		}
	}
}

// TestWhatIf: the repaired protocol differs from the erratum where its run does, and a variant from
// itself nowhere.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/h10", "repaired+H10")
	f, err := session.Find(t.Context(), nil, condition(t, "breaks *", session), checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := session.WhatIf(f.Path, "repaired+H10")
	if err != nil || same.Differs != 0 || same.State.Violation == nil {
		t.Errorf("from itself it differs at %d, %s, %v", same.Differs, same.How, err)
	}
	repaired, err := session.WhatIf(f.Path, "repaired")
	if err != nil {
		t.Fatal(err)
	}
	if repaired.Differs == 0 || repaired.State.Violation != nil {
		t.Errorf("repaired, it differs at %d of %d, %s, and breaks %v", repaired.Differs,
			len(f.Path), repaired.How, repaired.State.Violation)
	}
	if _, err := session.WhatIf(f.Path, "repaired+H99"); err == nil {
		t.Error("an erratum that does not exist is followed")
	}
}

// TestWhatIfBlind: variants whose machines are written apart keep other local states from the
// start, which is no difference; only what the steps show is compared.
func TestWhatIfBlind(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "repaired")
	path, _, err := session.Walk(t.Context(), nil, 3, 12, true, explore.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	for steps, differs := range map[int]int{0: 0, 3: 0, 12: 4} { // no Begin at step 4
		f, err := session.WhatIf(path[:steps], "published")
		if err != nil || !f.Blind || f.Differs != differs {
			t.Errorf("after %d steps: %+v, %v", steps, f, err)
		}
	}
	if f, err := session.WhatIf(path, "repaired+H10"); err != nil || f.Blind {
		t.Errorf("a variant with one switch on: %+v, %v", f, err)
	}
}

// TestScope: where nothing is found, what was not looked at is said: what comes behind a violation,
// and properties that no search from a state decides.
func TestScope(t *testing.T) {
	t.Parallel()
	const beyond, alone = "nothing was looked for beyond that", "by domino check"
	for _, c := range []struct {
		name, variant, condition string
		says, not                []string
	}{
		{"two-phase/two-phase-hasty", "hasty", "event nothing like that",
			[]string{"no such run", beyond}, []string{alone}},
		{"two-phase/two-phase-hasty", "hasty", "breaks no-panic", []string{beyond}, nil},
		{"hydee/h1", "repaired", "event nothing like that",
			[]string{"no such run"}, []string{beyond, alone}},
		{"hydee/s1", "repaired", "breaks never-holds", []string{alone}, nil},
	} {
		session, _ := open(t, c.name, c.variant)
		f, err := session.Find(t.Context(), nil, condition(t, c.condition, session),
			checker.Options{MaxStates: 20_000})
		if err != nil || f.Path != nil {
			t.Fatalf("%s, %s: %+v, %v", c.name, c.condition, f, err)
		}
		for _, text := range c.says {
			if !strings.Contains(f.Scope(), text) {
				t.Errorf("%s, %s: %q does not say %q", c.name, c.condition, f.Scope(), text)
			}
		}
		for _, text := range c.not {
			if strings.Contains(f.Scope(), text) {
				t.Errorf("%s, %s: %q says %q", c.name, c.condition, f.Scope(), text)
			}
		}
	}
}

// TestFindAtEnd: what only the end of a run breaks is found together with the event that leads
// there, as far away as without, and a walk that ends so says that it has met it.
func TestFindAtEnd(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "published")
	find := func(text string) *explore.Found {
		f, err := session.Find(t.Context(), nil, condition(t, text, session),
			checker.Options{MaxStates: 50_000})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	end := find("breaks terminates").Path
	if len(end) == 0 {
		t.Fatal("nothing is found")
	}
	last := end[len(end)-1]
	both := find("event " + last + " and breaks terminates")
	if len(both.Path) != len(end) {
		t.Errorf("with its last event, %q, it is %d steps away, without %d: %s", last,
			len(both.Path), len(end), both.Scope())
	}
	for seed := range uint64(500) {
		until := condition(t, "breaks terminates", session)
		path, met, err := session.Walk(t.Context(), nil, seed, 1000, true, until)
		if err != nil {
			t.Fatal(err)
		}
		st, err := session.At(path)
		if err != nil {
			t.Fatal(err)
		}
		if is := st.Violation != nil && st.Violation.Property == "terminates"; is != met {
			t.Fatalf("seed %d: met %v, but the end breaks %v", seed, met, st.Violation)
		} else if is {
			return
		}
	}
	t.Error("no walk ends stuck")
}

// TestSchedule: the run of a file is a path to begin with, also when it goes on for ever or does
// not fit any more.
func TestSchedule(t *testing.T) {
	t.Parallel()
	first, s := open(t, "hydee/s1", "repaired")
	path, _, err := first.Walk(t.Context(), nil, 1, 6, false, explore.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, breaks string
		schedule     []string
		want         int
		note         string
	}{
		{"none", "", nil, 0, ""},
		{"a run", "", path, 6, ""},
		{"for ever", "", slices.Insert(slices.Clone(path), 3, "then for ever:"), 6, ""},
		{"fairly", "", append(slices.Clone(path), "then without faults, oldest first:"), 6, ""},
		{"stale", "", slices.Insert(slices.Clone(path), 4, "jump"), 4, `"jump", its step 5 of 7`},
		{"harmless", "terminates", path, 6, "the file says that this run breaks terminates"},
	} {
		file := *s
		file.Schedule, file.Breaks = c.schedule, c.breaks
		session, err := explore.Open(t.Context(), all.Protocols(), &file)
		if err != nil {
			t.Fatal(err)
		}
		got, note, err := session.Schedule()
		if err != nil || len(got) != c.want || !strings.Contains(note, c.note) ||
			(note == "") != (c.note == "") {
			t.Errorf("%s: %v, %q, %v", c.name, got, note, err)
		}
		st, err := session.At(c.schedule)
		if ok := len(c.schedule) == c.want; (err == nil) != ok ||
			err != nil && !errors.Is(err, explore.ErrPath) {
			t.Errorf("%s: as a path it leads to %v, %v", c.name, st, err)
		}
	}
}
