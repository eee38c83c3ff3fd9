package disk

import (
	"fmt"
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

// silence is the message that nobody sends.
type silence struct{}

func (*silence) Describe() trace.Wire { return trace.Wire{Kind: "silence"} }

// writer persists what a script says, all at once when it starts, and shows the records that its
// next life is handed.
type writer struct {
	core.Service
	script script
	s      struct{ Found string }
}

func (m *writer) State() []any { return []any{&m.s} }

func (m *writer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		for _, step := range m.script {
			switch words := strings.Fields(step); words[0] {
			case "put":
				out = append(out, core.Effect{Kind: core.Persist, Key: words[1],
					Value: []byte(words[2])})
			case "delete":
				out = append(out, core.Effect{Kind: core.Persist, Key: words[1]})
			}
		}
	case core.Restore:
		m.s.Found = recordWords(in.Records)
	}
	return out
}

func recordWords(records []core.Record) string {
	var words []string
	for _, r := range records {
		value := string(r.Value)
		if r.Torn {
			value = "torn"
		}
		words = append(words, r.Key+"="+value)
	}
	return strings.Join(words, " ")
}

// modelled are the records that a crash of the modelled proc may leave when so many writes have
// been acknowledged before it.
func (s script) modelled(t *testing.T, acknowledged int) []string {
	t.Helper()
	setup := &core.Setup{Protocol: "writer", Layout: trace.Layout{Names: []string{"p"},
		Kinds: map[string]trace.Meaning{}}, NewMessage: func() core.Message { return new(silence) },
		New: func(core.Proc) core.Machine { return &writer{script: s} }}
	w, err := world.New(world.Config{Setup: setup, Model: fault.Model{Failures: 1, Torn: 1}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	var follow func(schedule []string, writes int)
	follow = func(schedule []string, writes int) {
		r, err := w.Replay(schedule)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := w.Enabled(r.States[len(r.States)-1])
		for _, text := range texts {
			next := append(slices.Clone(schedule), text)
			switch {
			case strings.HasPrefix(text, "crash ") && writes == acknowledged:
				follow(next, writes)
			case strings.HasPrefix(text, "restart "):
				r, err := w.Replay(next)
				if err != nil {
					t.Fatal(err)
				}
				words := string(w.LocalJSON(r.States[len(r.States)-1], 0))
				words = strings.TrimSuffix(strings.TrimPrefix(words, `{"Found":"`), `"}`)
				found[words] = true
			case !strings.HasPrefix(text, "crash ") && writes < acknowledged:
				follow(next, writes+1)
			}
		}
	}
	follow(nil, 0)
	return slices.Sorted(maps.Keys(found))
}

// entries counts the entries up to the put with a number: a delete before it is stable with it, and
// one behind it is not, for nobody waits for a delete.
func (s script) entries(puts int) int {
	for i, step := range s {
		if puts == 0 {
			return i
		}
		if strings.HasPrefix(step, "put ") {
			puts--
		}
	}
	return len(s)
}

// real are the records that a death of the process may leave on the disk when so many puts have
// been acknowledged before it: what was not synced is there up to any byte.
func (s script) real(t *testing.T, acknowledged int) []string {
	t.Helper()
	stable := s.entries(acknowledged)
	commits := slices.Insert(slices.Clone(s), stable, "commit")
	commits = append(commits, "commit")
	whole := newMemory()
	if _, err := commits.run(whole); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for at := range whole.operations {
		m := newMemory()
		m.stopAt, m.failure = at, errStopped
		if p, _ := commits.run(m); p.stable != stable {
			continue
		}
		for last := range m.pending {
			for n := range len(m.pending[last].data) + 1 {
				records, err := Read(m.after(func(k int) (bool, int) {
					if k == last {
						return true, n
					}
					return k < last, -1
				}), "d", identity)
				if err != nil {
					t.Fatal(err)
				}
				found[recordWords(records)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestTornAsModelled runs scripts of writes with a crash on the store and in the modelled world:
// both leave the same sets of records, whatever was acknowledged before. So a rewrite that is torn
// leaves the older value in both, and a first write may leave a damaged record in both; and a
// delete is lost with all that comes after it, or with nothing else, and never overtakes a put.
func TestTornAsModelled(t *testing.T) {
	scripts := []script{
		{"put a 1"},
		{"put a 1", "put a 2"},
		{"put a 1", "put b 2", "put a 3"},
		{"put a 1", "put a 2", "put b 3", "put b 4"},
		{"put a 1", "delete a"},
		{"put a 1", "delete a", "put a 2"},
		{"put a 1", "put b 2", "delete a", "put b 3", "delete b"},
		{"put a 1", "delete a", "put b 2", "delete c", "delete b", "put a 3"},
	}
	torn, older := 0, 0
	for _, s := range scripts {
		for acknowledged := 0; s.entries(acknowledged) < len(s); acknowledged++ {
			want := s.real(t, acknowledged)
			if d := cmp.Diff(want, s.modelled(t, acknowledged)); d != "" {
				t.Errorf("%v, %d acknowledged (-disk +model):\n%s", s, acknowledged, d)
			}
			for _, records := range want {
				torn += strings.Count(records, "torn")
			}
			if acknowledged > 0 && slices.Contains(want, "a=1") {
				older++
			}
		}
	}
	if torn < 4 || older < 3 {
		t.Errorf("%d torn records, %d older values that stay: %s", torn, older,
			fmt.Sprint("the scripts show nothing"))
	}
}
