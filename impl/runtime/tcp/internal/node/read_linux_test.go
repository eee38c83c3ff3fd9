package node_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// TestRead has a machine write, overwrite and read back in one step: each read sees what was
// written before it and nothing of what is written behind it, and is answered in the order of all.
// A store without room for a write, or for the group, says so in the place of the writes, and in
// that of nothing else.
func TestRead(t *testing.T) {
	put := func(key, value string) core.Effect {
		return core.Effect{Kind: core.Persist, Key: key, Value: []byte(value)}
	}
	get := func(key string) core.Effect { return core.Effect{Kind: core.Read, Key: key} }
	effects := []core.Effect{put("a", "1"), get("a"), get("b"), put("a", "2"), put("b", "1"),
		get("a"), put("c", "1")}
	tests := []struct {
		name  string
		store shelf
		want  string
	}{
		{"room", shelf{}, "persisted a, loaded a=1, loaded b, persisted a, persisted b, " +
			"loaded a=2, persisted c"},
		{"no room for a key", shelf{full: "b"}, "persisted a, loaded a=1, loaded b, persisted a, " +
			"refused b, loaded a=2, persisted c"},
		{"no room for the second group", shelf{fullAt: 2}, "persisted a, loaded a=1, loaded b, " +
			"refused a, refused b, loaded a=1, persisted c"},
		{"no room for the last group", shelf{fullAt: 3}, "persisted a, loaded a=1, loaded b, " +
			"persisted a, persisted b, loaded a=2, refused c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mesh, pool := alone(t)
			tt.store.stable = map[string]string{}
			m := &diary{first: effects}
			n, err := node.New(node.Config{Procs: 1, Machine: m,
				NewMessage: setup(t, "none", ring).NewMessage, Mesh: mesh, Pool: pool,
				Store: &tt.store})
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Input(core.Input{Kind: core.Start}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(m.heard, ", "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// diary is a machine that asks for some effects at its start, and notes what it hears of them.
type diary struct {
	core.Service
	first []core.Effect
	heard []string
}

func (m *diary) State() []any { return nil }

func (m *diary) Step(in core.Input, out []core.Effect) []core.Effect {
	names := map[core.InputKind]string{core.Persisted: "persisted", core.Refused: "refused",
		core.Loaded: "loaded"}
	if in.Kind == core.Start {
		return append(out, m.first...)
	}
	text := names[in.Kind] + " " + in.Key
	for _, r := range in.Records {
		text += fmt.Sprintf("=%s", r.Value)
	}
	m.heard = append(m.heard, text)
	return out
}

// shelf is a store in memory that has no room for a key, or for one group.
type shelf struct {
	stable, waiting map[string]string
	full            string
	groups, fullAt  int
}

func (s *shelf) Put(key string, value []byte) error {
	if key == s.full {
		return node.ErrFull
	}
	if s.waiting == nil {
		s.waiting = map[string]string{}
	}
	s.waiting[key] = string(value)
	return nil
}

func (s *shelf) Delete(string) error { return nil }

func (s *shelf) Commit() error {
	group := s.waiting
	if s.waiting = nil; group == nil {
		return nil
	}
	if s.groups++; s.groups == s.fullAt {
		return node.ErrFull
	}
	for key, value := range group {
		s.stable[key] = value
	}
	return nil
}

func (s *shelf) Get(key string) ([]core.Record, error) {
	if value, ok := s.stable[key]; ok {
		return []core.Record{{Key: key, Value: []byte(value)}}, nil
	}
	return nil, nil
}
