package node_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/spec/trace"
)

// word is a message of picky.
type word struct{ Text string }

func (w *word) Describe() trace.Wire { return trace.Wire{Kind: w.Text} }

// picky sends itself letters and takes each only when it has taken the one before.
type picky struct {
	letters string
	taken   struct{ Letters string }
}

func (m *picky) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Start {
		for _, l := range m.letters {
			out = append(out, core.SendTo(0, &word{string(l)}))
		}
		return out
	}
	text := in.Message.(*word).Text
	// the star after every other letter
	if text[0] != 'a'+byte(len(m.taken.Letters)) && (text != "*" || len(m.taken.Letters)%2 == 0) {
		return append(out, core.DropInput(0, core.MsgID{}, "not its turn"))
	}
	m.taken.Letters += text
	return out
}
func (m *picky) State() []any                            { return []any{&m.taken} }
func (m *picky) Choices(buf []core.Choice) []core.Choice { return buf }

// TestIgnored: messages that are ignored come again when the machine has changed, and those that
// still are no steps; in a set a message is there once. Without it they are gone.
func TestIgnored(t *testing.T) {
	tests := []struct {
		name, letters string
		keep, set     bool
		taken         string
		steps         []string
	}{
		{"gone", "cab", false, false, "ab", []string{"c", "a", "b"}},
		{"kept", "cbadx", true, false, "abcd", []string{"a", "b", "c", "d"}},
		{"twice on its way", "aba", true, false, "ab", []string{"a", "b"}},
		{"a set", "bbab", true, true, "ab", []string{"a", "b"}},
		{"twice out of a set", "a*cde", true, true, "a*cde*",
			[]string{"a", "*", "c", "d", "e", "*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, pool := alone(t)
			machine := &picky{letters: tt.letters}
			var steps []string
			n, err := node.New(node.Config{Procs: 1, Machine: machine,
				NewMessage: func() core.Message {
					return new(word)
				}, Mesh: m, Pool: pool, Keep: tt.keep, Set: tt.set,
				Observe: func(in *core.Input, _ []core.Effect) error {
					if in.Kind == core.Received {
						steps = append(steps, in.Message.Describe().Kind)
					}
					return nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Input(core.Input{Kind: core.Start}); err != nil {
				t.Fatal(err)
			}
			if machine.taken.Letters != tt.taken || !slices.Equal(steps, tt.steps) {
				t.Errorf("took %q in steps %q, want %q in %q", machine.taken.Letters, steps,
					tt.taken, tt.steps)
			}
		})
	}
}

// quitter asks for a restart when its timer fires, and then wants to hear of nothing that it has
// asked for before.
type quitter struct {
	taken struct{ Letters string }
	life  core.Incarnation
}

func (m *quitter) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		return append(out, core.Effect{Kind: core.SetTimer, Timer: "late", Ticks: 2},
			core.Effect{Kind: core.SetTimer, Timer: "soon", Ticks: 1})
	case core.Restore:
		m.life = in.Incarnation
		return append(out, core.Effect{Kind: core.SetTimer, Timer: "again", Ticks: 1})
	case core.Tick:
		m.taken.Letters += in.Timer + " "
		if in.Timer == "soon" {
			return append(out, core.SendTo(0, &word{"lost"}),
				core.Effect{Kind: core.Persist, Key: "lost", Value: []byte{1}},
				core.Effect{Kind: core.Rollback}, core.SendTo(0, &word{"never"}))
		}
		return out
	case core.Received:
		m.taken.Letters += in.Message.(*word).Text + " "
	}
	return out
}
func (m *quitter) State() []any                            { return []any{&m.taken} }
func (m *quitter) Choices(buf []core.Choice) []core.Choice { return buf }

// TestRestart: a machine that rolls back is followed by another one in the same node, which gets
// nothing that the former life has asked for: timers, messages to itself, writes.
func TestRestart(t *testing.T) {
	m, pool := alone(t)
	first, second := &quitter{}, &quitter{}
	n, err := node.New(node.Config{Procs: 1, Machine: first, NewMessage: func() core.Message {
		return new(word)
	}, Mesh: m, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	for err = n.Input(core.Input{Kind: core.Start}); err == nil; {
		_, err = n.Turn(-1)
	}
	if !errors.Is(err, node.ErrRollback) || first.taken.Letters != "soon " {
		t.Fatalf("error %v after %q, want a rollback", err, first.taken.Letters)
	}
	n.Restart(second, 1)
	for err = n.Input(core.Input{Kind: core.Restore, Incarnation: 1}); err == nil && !n.Idle(); {
		_, err = n.Turn(-1)
	}
	if err != nil || second.life != 1 || second.taken.Letters != "again " {
		t.Errorf("the next life, of incarnation %d, hears of %q (%v), want its own timer alone",
			second.life, second.taken.Letters, err)
	}
}

// brittle sends itself letters, takes nothing before an a, and then falls over a b.
type brittle struct {
	letters string
	taken   struct{ Letters string }
}

func (m *brittle) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Received {
		for _, l := range m.letters {
			out = append(out, core.SendTo(0, &word{string(l)}))
		}
		return out
	}
	text := in.Message.(*word).Text
	if m.letters != "" && m.taken.Letters == "" && text != "a" {
		return append(out, core.DropInput(0, core.MsgID{}, "not its turn"))
	}
	if m.taken.Letters += text; text == "b" {
		out = append(out, core.Effect{Kind: core.Rollback})
	}
	return out
}
func (m *brittle) State() []any                            { return []any{&m.taken} }
func (m *brittle) Choices(buf []core.Choice) []core.Choice { return buf }

// TestRestartIgnored: a message that was ignored first, and over which the machine falls, has come;
// those behind it are still on their way to the next life.
func TestRestartIgnored(t *testing.T) {
	m, pool := alone(t)
	first, second := &brittle{letters: "bcad"}, &brittle{}
	n, err := node.New(node.Config{Procs: 1, Machine: first, NewMessage: func() core.Message {
		return new(word)
	}, Mesh: m, Pool: pool, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Input(core.Input{Kind: core.Start}); !errors.Is(err, node.ErrRollback) ||
		first.taken.Letters != "adb" {
		t.Fatalf("took %q: %v, want a rollback at b", first.taken.Letters, err)
	}
	n.Restart(second, 1)
	if err := n.Input(core.Input{Kind: core.Restore, Incarnation: 1}); err != nil ||
		second.taken.Letters != "c" {
		t.Errorf("the next life took %q: %v, want c alone", second.taken.Letters, err)
	}
}
