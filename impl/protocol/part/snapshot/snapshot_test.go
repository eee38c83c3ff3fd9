package snapshot_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// A small protocol and a search through all its runs: banks that send each other coins. Wherever
// the line is, its images hold as many coins as there are; with a part of the protocol broken on
// purpose, some run shows more or less.

// broken says what is wrong with the banks, or with what is around them.
type broken string

const (
	nothing  broken = ""
	blocking broken = "nothing: the style is the one that blocks"
	sending  broken = "the style is the one that blocks, and members send nevertheless"
	resuming broken = "members that block send again when their own image is taken"
	closing  broken = "what was on its way is not added to the image"
	living   broken = "one life is taken for another"
	delaying broken = "the image is taken at the end, though others send"
	ordering broken = "channels do not keep order"
	storing  broken = "writes are reported before they are stable"
	wiring   broken = "nothing: markers go where coins go, and from the first member"
	stopping broken = "nothing: so they do in the style that blocks"
	cutting  broken = "markers go from the first member alone"
	severing broken = "so they do in the style that blocks"
)

// bank is one member.
type bank struct {
	members []core.Rank
	self    int
	broken  broken
	s       account
}

// account is its state.
type account struct {
	_      struct{} `cbor:",toarray"`
	Coins  int
	Sends  int // left to do
	Life   core.Incarnation
	Saving snapshot.State[image, int]
}

type image struct {
	_     struct{} `cbor:",toarray"`
	Coins int
}

// message is a coin, or a notice.
type message struct {
	_      struct{} `cbor:",toarray"`
	Coin   bool
	Life   core.Incarnation
	Notice snapshot.Notice
}

func (m *message) Describe() trace.Wire { return trace.Wire{Kind: "bank"} }

func (b *bank) Group() (members []core.Rank, self int) { return b.members, b.self }

// Wires says where coins go: to the next bank.
func (b *bank) Wires() (into, out []core.Rank, ok bool) {
	last := core.Rank((b.self + len(b.members) - 1) % len(b.members))
	next := (b.self + 1) % len(b.members)
	first := b.broken == cutting || b.broken == severing
	if b.self > 0 {
		into = append(into, 0)
	}
	if last != 0 && !first {
		into = append(into, last)
	}
	switch {
	case b.self == 0:
		out = b.members[1:]
	case !first:
		out = b.members[next : next+1]
	}
	return into, out, first || b.broken == wiring || b.broken == stopping
}

func (b *bank) Life() core.Incarnation {
	if b.broken == living {
		return 0
	}
	return b.s.Life
}

func (b *bank) Notice(n snapshot.Notice) core.Message { return &message{Notice: n} }
func (b *bank) Image() *image                         { return &image{Coins: b.s.Coins} }

func (b *bank) Close(i *image, cut snapshot.Cut[int]) {
	if b.broken == delaying {
		i.Coins = b.s.Coins
		return
	}
	for _, ch := range cut {
		for _, coins := range ch.Messages {
			if b.broken != closing {
				i.Coins += coins
			}
		}
	}
}

func (b *bank) Style() snapshot.Style {
	switch b.broken {
	case blocking, sending, resuming, stopping, severing:
		return snapshot.Blocking
	}
	return snapshot.Markers
}

// ready reports whether the bank may send.
func (b *bank) ready() bool {
	if b.broken == sending || b.broken == resuming && b.s.Saving.Image != nil {
		return true
	}
	return !b.s.Saving.Blocks(b)
}

func (b *bank) Commit(i *image, out []core.Effect) []core.Effect {
	return append(out, core.Effect{Kind: core.Commit, Sent: uint32(i.Coins)})
}

func (b *bank) receive(from core.Rank, m *message, out []core.Effect) []core.Effect {
	switch {
	case !m.Coin:
		return b.s.Saving.Received(b, from, m.Notice, out)
	case m.Life != b.s.Life:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	if b.broken != cutting || from == 0 {
		b.s.Saving.Record(b, from, 1)
	}
	b.s.Coins++
	return out
}

// town is all banks and what is around them, as plain data.
type town struct {
	_           struct{} `cbor:",toarray"`
	Banks       []account
	Channels    [][]message     // from*banks + to
	Writes      [][]core.Record // by bank: not stable yet
	Stable      []core.Record
	Checkpoints int // that may still be asked for
	Crashes     int
}

// search visits every state that can be reached.
type search struct {
	banks   int
	broken  broken
	seen    map[string]bool
	lines   map[string]bool // coins by bank, of the lines
	problem string
}

// coins is what every bank has at first.
const coins = 2

func (s *search) visit(t *town) {
	key := string(core.Encode(t))
	if s.problem != "" || s.seen[key] {
		return
	}
	s.seen[key] = true
	try := func(step func(*town)) {
		next := new(town)
		if err := core.Decode([]byte(key), next); err != nil {
			panic(err)
		}
		step(next)
		s.judge(next)
		s.visit(next)
	}
	for i := range s.banks {
		if b := (&bank{broken: s.broken, s: t.Banks[i]}); b.s.Sends > 0 && b.ready() {
			to := (i + 1) % s.banks
			try(func(t *town) {
				t.Banks[i].Sends--
				t.Banks[i].Coins--
				s.send(t, i, to, message{Coin: true, Life: t.Banks[i].Life})
			})
		}
		if t.Checkpoints > 0 {
			try(func(t *town) {
				t.Checkpoints--
				s.step(t, i, func(b *bank) []core.Effect { return b.s.Saving.Request(b, nil) })
			})
		}
		if len(t.Writes[i]) > 0 {
			try(func(t *town) { s.write(t, i) })
		}
		for from := range s.banks {
			for at := range t.Channels[from*s.banks+i] {
				if at == 0 || s.broken == ordering {
					try(func(t *town) { s.arrive(t, from, i, at) })
				}
			}
		}
	}
	if t.Crashes > 0 {
		try(s.crash)
	}
}

// step lets one bank do something and performs its effects.
func (s *search) step(t *town, i int, do func(*bank) []core.Effect) {
	members := make([]core.Rank, s.banks)
	for q := range members {
		members[q] = core.Rank(q)
	}
	b := &bank{members: members, self: i, broken: s.broken, s: t.Banks[i]}
	out := do(b)
	t.Banks[i] = b.s
	for _, e := range out {
		switch e.Kind {
		case core.SendMessage:
			s.send(t, i, int(e.To), *e.Message.(*message))
		case core.Persist:
			r := core.Record{Owner: core.Proc(i), Key: e.Key, Value: e.Value}
			t.Writes[i] = append(t.Writes[i], r)
			if s.broken == storing && e.Value != nil {
				s.step(t, i, func(b *bank) []core.Effect {
					return b.s.Saving.Persisted(b, e.Key, nil)
				})
			}
		}
	}
}

func (s *search) send(t *town, from, to int, m message) {
	c := &t.Channels[from*s.banks+to]
	*c = append(*c, m)
}

func (s *search) arrive(t *town, from, to, at int) {
	c := &t.Channels[from*s.banks+to]
	m := (*c)[at]
	*c = append((*c)[:at:at], (*c)[at+1:]...)
	s.step(t, to, func(b *bank) []core.Effect { return b.receive(core.Rank(from), &m, nil) })
}

// write makes the first write of a bank stable.
func (s *search) write(t *town, i int) {
	r := t.Writes[i][0]
	t.Writes[i] = t.Writes[i][1:]
	kept := t.Stable[:0]
	for _, old := range t.Stable {
		if old.Owner != r.Owner || old.Key != r.Key {
			kept = append(kept, old)
		}
	}
	t.Stable = kept
	if r.Value == nil {
		return
	}
	t.Stable = append(t.Stable, r)
	if s.broken != storing {
		s.step(t, i, func(b *bank) []core.Effect { return b.s.Saving.Persisted(b, r.Key, nil) })
	}
}

// crash restarts all banks from the line; what is on the network stays there.
func (s *search) crash(t *town) {
	t.Crashes--
	for i := range s.banks {
		t.Writes[i] = nil
		s.step(t, i, func(b *bank) []core.Effect {
			b.s = account{Coins: coins, Life: b.s.Life + 1}
			img, err := b.s.Saving.Restore(b, t.Stable)
			if err != nil {
				s.problem = err.Error()
			} else if img != nil {
				b.s.Coins = img.Coins
			}
			return nil
		})
	}
}

// judge counts the coins of the line.
func (s *search) judge(t *town) {
	number, _ := snapshot.Last(t.Stable, snapshot.CommitKey, 0)
	if number == 0 || s.problem != "" {
		return
	}
	sum, line := 0, ""
	for i := range s.banks {
		var img image
		if err := snapshot.Load(t.Stable, core.Proc(i), number, &img); err != nil {
			s.problem = err.Error()
			return
		}
		sum += img.Coins
		line += fmt.Sprint(img.Coins, " ")
	}
	s.lines[line] = true
	if sum != coins*s.banks {
		s.problem = fmt.Sprintf("checkpoint %d has %d coins, want %d", number, sum, coins*s.banks)
	}
}

func run(banks, sends, checkpoints, crashes int, broken broken) *search {
	s := &search{banks: banks, broken: broken, seen: map[string]bool{}, lines: map[string]bool{}}
	t := &town{Channels: make([][]message, banks*banks), Writes: make([][]core.Record, banks),
		Checkpoints: checkpoints, Crashes: crashes}
	for range banks {
		t.Banks = append(t.Banks, account{Coins: coins, Sends: sends})
	}
	s.visit(t)
	return s
}

// TestLines: in every run the line is consistent and complete, after a crash as well; so it is when
// banks block (doc.go).
func TestLines(t *testing.T) {
	tests := []struct {
		banks, sends, checkpoints, crashes int
		broken                             broken
		states, lines                      int
	}{
		{1, 0, 2, 1, nothing, 32, 1},
		{2, 2, 1, 1, nothing, 2368, 5},
		{2, 1, 2, 1, nothing, 3935, 3},
		{3, 1, 1, 0, nothing, 13599, 7},
		{2, 2, 1, 1, blocking, 636, 5},
		{2, 1, 2, 1, blocking, 2054, 3},
		{3, 1, 1, 0, blocking, 2490, 7},
		{3, 1, 1, 0, wiring, 7848, 7},
		{3, 1, 1, 0, stopping, 1734, 7},
		{4, 1, 1, 0, stopping, 34737, 15},
	}
	for _, tt := range tests {
		if tt.banks > 3 && !effort.Long() {
			continue
		}
		s := run(tt.banks, tt.sends, tt.checkpoints, tt.crashes, tt.broken)
		if s.problem != "" || len(s.seen) != tt.states || len(s.lines) != tt.lines {
			t.Errorf("%+v: %d states, lines %v, problem %q", tt, len(s.seen), s.lines, s.problem)
		}
	}
}

// TestBroken: each fault shows.
func TestBroken(t *testing.T) {
	for _, b := range []broken{closing, living, delaying, ordering, storing, sending, resuming,
		cutting, severing} {
		banks, sends, checkpoints, crashes := 2, 2, 2, 1
		switch b {
		case resuming:
			banks, sends = 3, 1 // somebody has to wait for a third one
		case cutting, severing:
			banks, sends, checkpoints, crashes = 3, 1, 1, 0 // to the first one all are marked
		}
		if s := run(banks, sends, checkpoints, crashes, b); s.problem == "" {
			t.Errorf("%s: nothing found in %d states", b, len(s.seen))
		} else {
			t.Logf("%s: %s", b, s.problem)
		}
	}
}
