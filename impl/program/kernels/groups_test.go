package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/trace"
)

// TestForms compares the numbers that both forms of leanmd come to, cell by cell: what the cells
// hold in the form that sends messages on arrival is the reference for the one with groups, and for
// this one expanded into messages.
func TestForms(t *testing.T) {
	for _, text := range []string{"leanmd ranks=3 iterations=12",
		"leanmd ranks=5 cx=3 cy=3 iterations=21 size=16", "leanmd ranks=1 iterations=21",
		"leanmd ranks=2 cx=4 reach=0 iterations=20 arity=1",
		"leanmd ranks=7 cx=4 cy=2 cz=2 arity=3 iterations=30 size=24",
		"leanmd ranks=4 cx=2 cy=2 cz=1 iterations=0"} {
		want := results(t, text+" form=messages")
		if got := results(t, text); !cmp.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s (-messages +expanded):\n%s", text, cmp.Diff(want, got))
		}
		r := native(t, text)
		r.run(t)
		if got := r.points(t, text); !cmp.Equal(got, want) {
			t.Errorf("%s (-messages +groups):\n%s", text, cmp.Diff(want, got))
		}
	}
}

// native runs the operations on groups as they are, over a machine that takes no trees for them.
func native(t testing.TB, text string) *runner {
	t.Helper()
	suite, err := kernels.Build(text)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := none.NewSetup(trace.Layout{Names: suite.Names, Ranks: len(suite.Names),
		Trees: suite.Trees}, suite.Programs)
	if err != nil {
		t.Fatal(err)
	}
	return newRunner(setup)
}

// grouped are small runs of the kernels that have groups.
func grouped() (list []string) {
	for _, text := range tiny {
		if strings.HasPrefix(text, "openatom") ||
			strings.HasPrefix(text, "leanmd") && !strings.HasSuffix(text, "form=messages") {
			list = append(list, text)
		}
	}
	return list
}

// TestNative: with the groups as they are, in any order, all ranks end in the states in which they
// end when the groups are messages.
func TestNative(t *testing.T) {
	for _, text := range grouped() {
		want, _ := total(t, text)
		for seed := range uint64(8) {
			r := native(t, text)
			r.random = rand.New(rand.NewPCG(seed, 2))
			r.run(t)
			if diff := cmp.Diff(want.digests, r.digests); diff != "" {
				t.Fatalf("%s, seed %d (-messages +groups):\n%s", text, seed, diff)
			}
		}
	}
}

// TestGroupsGoWrong: a member that adds a contribution twice, one that leaves it out, and a
// multicast that does not come to one member, or comes a second time in the place of the next one,
// all show in the end.
func TestGroupsGoWrong(t *testing.T) {
	for _, text := range grouped() {
		want, _ := total(t, text)
		multicasts, contributions := 0, 0
		count := native(t, text)
		count.disturb = func(f flight) core.Message {
			switch m := f.message.(*none.Message); {
			case m.Part:
				contributions++
			case m.Group > 0:
				multicasts++
			}
			return f.message
		}
		count.run(t)
		wrong := func(what string, k int, part bool, change func(m *none.Message, last []byte)) {
			r := native(t, text)
			last, now, hit := map[string][]byte{}, -1, false
			r.disturb = func(f flight) core.Message {
				m := *f.message.(*none.Message)
				if m.Group == 0 || m.Part != part {
					return f.message
				}
				channel := fmt.Sprint(f.from, f.to, m.Group)
				before := last[channel]
				last[channel] = m.Payload.Data
				if now++; now == k {
					m.Payload.Data = []byte(string(m.Payload.Data))
					was := string(m.Payload.Data)
					change(&m, before)
					hit = was != string(m.Payload.Data)
				}
				return &m
			}
			r.run(t)
			if hit && r.left == 0 && cmp.Equal(want.digests, r.digests) {
				t.Errorf("%s: %s %d, and the end is the same", text, what, k)
			}
		}
		for k := range min(contributions, 60) {
			wrong("twice contribution", k, true, func(m *none.Message, _ []byte) {
				core.CombineInto(core.Sum, m.Payload.Data, []byte(string(m.Payload.Data)))
			})
			wrong("without contribution", k, true, func(m *none.Message, _ []byte) {
				clear(m.Payload.Data)
			})
		}
		for k := range min(multicasts, 60) {
			wrong("without multicast", k, false, func(m *none.Message, last []byte) {
				if last == nil {
					clear(m.Payload.Data)
				} else {
					copy(m.Payload.Data, last)
				}
			})
		}
		if multicasts+contributions == 0 && !strings.Contains(text, "ranks=1") &&
			!strings.Contains(text, "row=1") && !strings.Contains(text, "reach=0") {
			t.Errorf("%s has no groups: the test looks at nothing", text)
		}
	}
}

// TestFlushInGroups: which sends of a kernel that decides itself are to groups nobody would know.
func TestFlushInGroups(t *testing.T) {
	suite, err := kernels.Build("leanmd ranks=2 form=messages")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trace.NewTree("g", core.Sum, suite.Names, []trace.Rank{0}, [][]trace.Rank{{1}})
	if err != nil {
		t.Fatal(err)
	}
	err = suite.Programs[0].ValidateGroups(0, []trace.Tree{tree}, suite.Names)
	if err == nil || !strings.Contains(err.Error(), "operation 2 sends what its kernel decides") {
		t.Errorf("%v", err)
	}
	_, err = script.Expand(&script.Suite{Names: suite.Names, Programs: suite.Programs,
		Trees: []trace.Tree{tree}})
	if err == nil || !strings.Contains(err.Error(), "receives from anyone") {
		t.Errorf("%v", err)
	}
}
