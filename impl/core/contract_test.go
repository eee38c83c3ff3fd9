package core_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// mute is a machine that does nothing.
type mute struct{ core.Service }

func (*mute) Step(_ core.Input, out []core.Effect) []core.Effect { return out }
func (*mute) State() []any                                       { return nil }

// letter is a message without content.
type letter struct{}

func (letter) Describe() trace.Wire { return trace.Wire{Kind: "letter"} }

// TestValidateCode gives a setup of two services one fault each: it is named with the proc that it
// is about, what was wanted and what to do.
func TestValidateCode(t *testing.T) {
	tests := []struct {
		name, want string
		change     func(*core.Setup)
	}{
		{"good", "", func(*core.Setup) {}},
		{"no New", "setup p: New and NewMessage must be set", func(s *core.Setup) { s.New = nil }},
		{"no NewMessage", "setup p: New and NewMessage must be set",
			func(s *core.Setup) { s.NewMessage = nil }},
		{"nil message", "setup p: NewMessage returns nil: ",
			func(s *core.Setup) { s.NewMessage = func() core.Message { return nil } }},
		{"message by value", "setup p: NewMessage makes a core_test.letter, want a pointer to it",
			func(s *core.Setup) { s.NewMessage = func() core.Message { return letter{} } }},
		{"nil machine", "setup p: New of proc 1 (b) returns nil: every proc needs a machine",
			func(s *core.Setup) {
				s.New = func(p core.Proc) core.Machine {
					if p == 1 {
						return nil
					}
					return &mute{}
				}
			}},
		{"nil pointer", "setup p: New of proc 0 (a) returns nil",
			func(s *core.Setup) { s.New = func(core.Proc) core.Machine { return (*mute)(nil) } }},
		{"panic", "setup p: New of proc 0 (a) panics: boom",
			func(s *core.Setup) { s.New = func(core.Proc) core.Machine { panic("boom") } }},
		{"watcher", "setup p: Watchers name proc 2, want one of 0 to 1",
			func(s *core.Setup) { s.Watchers = []core.Proc{0, 2} }},
		{"disk", "setup p: Local name proc 2, want one of 0 to 1",
			func(s *core.Setup) { s.Local = []core.Proc{2} }},
		{"initiator", "setup p: Initiators name proc 7, want one of 0 to 1",
			func(s *core.Setup) { s.Initiators = []core.Proc{7} }},
		{"group", "setup p: Layout.Groups name proc 3, want one of 0 to 1", func(s *core.Setup) {
			s.Layout.Groups = map[core.Proc][]core.Proc{0: {0, 3}}
		}},
		{"reads", "setup p: Reads of proc b name proc 9, want one of 0 to 1",
			func(s *core.Setup) {
				s.Reads = func(p core.Proc) []core.Proc { return []core.Proc{9 * p} }
			}},
		{"names", "setup p: 0 ranks, want at least 1",
			func(s *core.Setup) { s.Layout.Names = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &core.Setup{Protocol: "p", Layout: core.Layout{Names: []string{"a", "b"}},
				New:        func(core.Proc) core.Machine { return &mute{} },
				NewMessage: func() core.Message { return &letter{} }}
			tt.change(s)
			got := ""
			if err := s.ValidateCode(); err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestWrong gives effects that no driver can perform, and near misses.
func TestWrong(t *testing.T) {
	tests := []struct {
		name, want string
		effect     core.Effect
	}{
		{"last proc", "", core.SendTo(6, &letter{})},
		{"no such proc", "names proc 7 in a SendMessage effect, want one of 0 to 6: ",
			core.SendTo(7, &letter{})},
		{"no message", "sends no message to proc 1: ", core.SendTo(1, nil)},
		{"watch", "names proc 99 in a Watch effect", core.Effect{Kind: core.Watch, To: 99}},
		{"unwatch", "names proc 99 in a Unwatch", core.Effect{Kind: core.Unwatch, To: 99}},
		{"adopt", "names proc 99 in a Declare (adopted) effect",
			core.Effect{Kind: core.Declare, What: trace.Adopted, To: 99}},
		{"kept", "names proc 7 in a Declare (kept) effect",
			core.Kept(trace.Item{Sort: trace.Copy, Peer: 7})},
		{"a field that is not in use", "", core.Effect{Kind: core.SetTimer, To: 99}},
		{"a declaration", "", core.Logged(core.MsgID{From: 1, Number: 1}, 6, 0)},
		{"what drivers see", "declares an event of kind 10 (crashed), which ",
			core.Effect{Kind: core.Declare, What: trace.Crashed}},
		{"nothing declared", "declares an event of kind 0 (), which ",
			core.Effect{Kind: core.Declare}},
		{"empty", "has an effect of kind 0, want one of 1 to ", core.Effect{}},
		{"unknown", "has an effect of kind 200, want one of 1 to ", core.Effect{Kind: 200}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.effect.Wrong(7); !strings.HasPrefix(got, tt.want) ||
				tt.want == "" && got != "" {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestWrongInSetup stops and starts procs that nobody launches.
func TestWrongInSetup(t *testing.T) {
	launches := func(s *core.Setup) { s.Launched = true }
	tests := []struct {
		name, want string
		to         core.Proc
		change     func(*core.Setup)
	}{
		{"good", "", 0, launches},
		{"nobody launches", "names a in a %s effect, which runs on no node", 0,
			func(*core.Setup) {}},
		{"on no node", "names c in a %s effect, which runs on no node", 2, launches},
		{"in a group", "names b in a %s effect, which stops in a group", 1, launches},
		{"not there", "names proc 9 in a %s effect, want one of 0 to 2", 9, launches},
	}
	for _, tt := range tests {
		for kind, name := range map[core.EffectKind]string{core.Kill: "Kill",
			core.Launch: "Launch"} {
			group := []core.Proc{1, 2}
			s := &core.Setup{Layout: core.Layout{Names: []string{"a", "b", "c"},
				Hosted: map[core.Proc]bool{0: false, 1: false},
				Groups: map[core.Proc][]core.Proc{1: group, 2: group}}}
			tt.change(s)
			got := s.Wrong(&core.Effect{Kind: kind, To: tt.to})
			want := strings.Replace(tt.want, "%s", name, 1)
			if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s: got  %q\nwant %q", tt.name, got, want)
			}
		}
	}
}
