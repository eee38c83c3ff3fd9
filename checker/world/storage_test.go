package world_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// nothingSaid is the message that nobody sends.
type nothingSaid struct{}

func (*nothingSaid) Describe() trace.Wire { return trace.Wire{Kind: "nothing"} }

// keeper of proc 0 writes two records, and deletes the first when the second is stable; that of
// proc 1 shows what it reads of them.
type keeper struct {
	core.Service
	writes bool
	s      struct{ Found string }
}

func (m *keeper) State() []any { return []any{&m.s} }

func (m *keeper) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case in.Kind == core.Start && m.writes:
		return append(out, core.Effect{Kind: core.Persist, Key: "a", Value: []byte("1")},
			core.Effect{Kind: core.Persist, Key: "b", Value: []byte("1")})
	case in.Kind == core.Persisted && in.Key == "b":
		return append(out, core.Effect{Kind: core.Persist, Key: "a"})
	case in.Kind == core.Restore:
		var keys []string
		for _, r := range in.Records {
			keys = append(keys, r.Key)
		}
		m.s.Found = "has " + strings.Join(keys, " ")
	}
	return out
}

// Aim: a delete that nobody has waited for is stable or not, whoever reads the store: its own proc
// after a crash, or another one while the proc lives. Method: every run of two procs, one failure.
func TestDeletesAsRead(t *testing.T) {
	setup := &core.Setup{Protocol: "keeper", Layout: trace.Layout{Names: []string{"p", "q"},
		Kinds: map[string]trace.Meaning{}},
		NewMessage: func() core.Message { return new(nothingSaid) },
		Reads:      func(core.Proc) []core.Proc { return []core.Proc{0} },
		New:        func(p core.Proc) core.Machine { return &keeper{writes: p == 0} }}
	for reader, name := range setup.Layout.Names {
		w, err := world.New(world.Config{Setup: setup, Model: fault.Model{Failures: 1,
			Victims: []trace.Proc{trace.Proc(reader)}}})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		var follow func(schedule []string)
		follow = func(schedule []string) {
			r, err := w.Replay(schedule)
			if err != nil {
				t.Fatal(err)
			}
			last := r.States[len(r.States)-1]
			if _, shown, ok := strings.Cut(string(w.LocalJSON(last, core.Proc(reader))), `"has `); ok {
				keys, _, _ := strings.Cut(shown, `"`)
				found[keys] = true
				return
			}
			texts, _ := w.Enabled(last)
			for _, text := range texts {
				follow(append(slices.Clone(schedule), text))
			}
		}
		follow(nil)
		want := []string{"", "a", "a b", "b"}
		if d := cmp.Diff(want, slices.Sorted(maps.Keys(found))); d != "" {
			t.Errorf("what %s finds (-want +got):\n%s", name, d)
		}
	}
}
