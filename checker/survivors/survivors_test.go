package survivors_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/survivors"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// letter is a message of the layer below.
type letter struct {
	_       struct{} `cbor:",toarray"`
	Group   core.Group
	Part    bool
	Payload core.Payload
}

// Describe implements core.Message.
func (l *letter) Describe() trace.Wire { return trace.Wire{Kind: "letter", ID: l.Payload.ID} }

// below is the simplest layer under which operations end in errors.
type below struct {
	_       struct{} `cbor:",toarray"`
	Arrived [][]core.Payload
	Parts   [][]core.Payload // of a group at its root
	Gone    []core.Rank
	trees   []trace.Tree
	self    core.Rank
	n       int
}

func (b *below) State() any           { return b }
func (b *below) Ready(core.Rank) bool { return true }
func (b *below) Dead() []core.Rank    { return b.Gone }
func (b *below) Erred()               {}

func (b *below) Broken(g core.Group) (core.Rank, bool) {
	for _, d := range b.Gone {
		if b.trees[g-1].Has(d) {
			return d, true
		}
	}
	return 0, false
}

func (b *below) Sources(buf []core.Rank) []core.Rank {
	for q := range b.Arrived {
		switch {
		case len(b.Arrived[q]) == 0:
		case q < b.n:
			buf = append(buf, core.Rank(q))
		default:
			buf = append(buf, core.Group(q-b.n+1).Source())
		}
	}
	return buf
}

func (b *below) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Send:
		return append(out, core.SendTo(in.To.Proc(), &letter{Payload: in.Payload}))
	case core.Multicast:
		for _, m := range b.trees[in.Group-1].Members[1:] {
			out = append(out, core.SendTo(m.Proc(), &letter{Group: in.Group, Payload: in.Payload}))
		}
	case core.Contribute:
		l := &letter{Group: in.Group, Part: true, Payload: in.Payload}
		if root := b.trees[in.Group-1].Root(); root != b.self {
			return append(out, core.SendTo(root.Proc(), l))
		}
		b.receive(b.self, l)
	case core.Received:
		b.receive(core.Rank(in.From), in.Message.(*letter))
	case core.Receive:
		at := int(in.From)
		if g, ok := core.SourceGroup(core.Rank(in.From)); ok {
			at = b.n + int(g) - 1
		}
		p := b.Arrived[at][0]
		b.Arrived[at] = b.Arrived[at][1:]
		return append(out, core.Effect{Kind: core.Deliver, From: p.ID.From.Proc(), Payload: p})
	}
	return out
}

func (b *below) receive(from core.Rank, l *letter) {
	if l.Group == 0 {
		b.Arrived[from] = append(b.Arrived[from], l.Payload)
		return
	}
	box := &b.Arrived[b.n+int(l.Group)-1]
	if !l.Part {
		*box = append(*box, l.Payload)
		return
	}
	t, parts := &b.trees[l.Group-1], b.Parts[int(l.Group-1)*b.n:]
	parts[from] = append(parts[from], l.Payload)
	if slices.ContainsFunc(t.Members, func(m core.Rank) bool { return len(parts[m]) == 0 }) {
		return
	}
	result := core.Payload{ID: parts[b.self][0].ID}
	var data [][]byte
	for _, m := range t.Members {
		data = append(data, parts[m][0].Data)
		parts[m] = parts[m][1:]
	}
	result.Data = core.Combine(t.Combine, data)
	*box = append(*box, result)
}

// packet is a letter under way.
type packet struct {
	from, to core.Rank
	letter   *letter
}

// moment is one state of the ranks under test and what is around them.
type moment struct {
	hosts   []*program.Host // nil: gone
	flight  []packet
	pending [][2]core.Rank // who is to be told of whose death
	left    int
}

// drill goes through all runs of ranks over the layer below.
type drill struct {
	job   survivors.Job
	found spec.Survivors
	seen  map[string]bool
}

func (d *drill) host(r core.Rank) *program.Host {
	l, n := d.job.Layout, d.job.Layout.Ranks
	h := program.NewHost(r, d.job.Programs[r], func(core.Application) core.Layer {
		return &below{Arrived: make([][]core.Payload, n+len(l.Trees)), trees: l.Trees, self: r,
			Parts: make([][]core.Payload, n*len(l.Trees)), n: n}
	})
	if d.job.PostsWait {
		h.PostsWait()
	}
	return h
}

func (d *drill) copy(m *moment) moment {
	c := moment{flight: slices.Clone(m.flight), pending: slices.Clone(m.pending), left: m.left}
	for r, h := range m.hosts {
		if h == nil {
			c.hosts = append(c.hosts, nil)
			continue
		}
		twin := d.host(core.Rank(r))
		core.Clone(h, twin)
		c.hosts = append(c.hosts, twin)
	}
	return c
}

func key(m *moment) string {
	text := fmt.Sprint(m.left, m.pending)
	for _, h := range m.hosts {
		if text += "|"; h != nil {
			text += string(core.EncodeState(h))
		}
	}
	// channels are independent of each other
	flight := slices.Clone(m.flight)
	slices.SortStableFunc(flight, func(a, b packet) int {
		return int(a.from)*64 + int(a.to) - int(b.from)*64 - int(b.to)
	})
	for _, p := range flight {
		text += fmt.Sprint(p.from, p.to, *p.letter)
	}
	return text
}

// kill stops a rank: everybody else is to be told.
func kill(m *moment, r core.Rank) {
	m.hosts[r] = nil
	m.flight = slices.DeleteFunc(m.flight, func(p packet) bool { return p.to == r })
	m.pending = slices.DeleteFunc(m.pending, func(p [2]core.Rank) bool { return p[0] == r })
	for q, h := range m.hosts {
		if h != nil {
			m.pending = append(m.pending, [2]core.Rank{core.Rank(q), r})
		}
	}
	slices.SortFunc(m.pending, func(a, b [2]core.Rank) int {
		return int(a[0])*64 + int(a[1]) - int(b[0])*64 - int(b[1])
	})
}

// step hands an input to a rank and follows what it does.
func (d *drill) step(m *moment, r core.Rank, in core.Input) {
	h := m.hosts[r]
	for _, e := range h.Step(in, nil) {
		switch e.Kind {
		case core.SendMessage:
			if m.hosts[e.To] != nil {
				m.flight = append(m.flight, packet{r, core.Rank(e.To), e.Message.(*letter)})
			}
		case core.ProgramSent:
			d.found.Sent[spec.SendOf{ID: e.Payload.ID, To: e.To, Digest: e.Payload.Digest()}] = true
		case core.Deliver:
			list := slices.Clone(h.History().Delivered)
			d.found.Legal[r][spec.SequenceKey(list)] = true
		case core.Exit:
			kill(m, r)
		}
	}
}

// explore goes on from a moment.
func (d *drill) explore(m *moment) {
	if k := key(m); d.seen[k] {
		return
	} else {
		d.seen[k] = true
	}
	over := true
	try := func(change func(c *moment)) {
		c := d.copy(m)
		change(&c)
		d.explore(&c)
	}
	for r, h := range m.hosts {
		r := core.Rank(r)
		if h == nil {
			continue
		}
		for _, c := range h.Choices(nil) {
			over = false
			try(func(m *moment) { d.step(m, r, core.Input{Kind: core.Advance, Choice: c}) })
		}
		if m.left > 0 {
			try(func(m *moment) { kill(m, r); m.left-- })
		}
	}
	first := map[[2]core.Rank]bool{}
	for i, p := range m.flight {
		if c := [2]core.Rank{p.from, p.to}; !first[c] {
			first[c], over = true, false
			try(func(m *moment) {
				m.flight = slices.Delete(m.flight, i, i+1)
				d.step(m, p.to, core.Input{Kind: core.Received, From: p.from.Proc(),
					Message: p.letter})
			})
		}
	}
	for i, p := range m.pending {
		over = false
		try(func(m *moment) {
			m.pending = slices.Delete(m.pending, i, i+1)
			m.flight = slices.DeleteFunc(m.flight, func(q packet) bool {
				return q.to == p[0] && q.from == p[1]
			})
			b := m.hosts[p[0]].Layer().(*below)
			b.Gone = append(b.Gone, p[1])
		})
	}
	if over {
		d.end(m)
	}
}

func (d *drill) end(m *moment) {
	var key []byte
	for _, h := range m.hosts {
		digest := spec.Blocked
		if h == nil {
			digest = spec.Gone
		} else if h.History().Done {
			digest = h.History().Digest
		}
		key = binary.BigEndian.AppendUint64(key, digest)
	}
	d.found.Finals[string(key)] = true
}

func jobOf(t *testing.T, text string, deaths int) survivors.Job {
	t.Helper()
	suite, err := script.Read(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
	return survivors.Job{Layout: &layout, Programs: suite.Programs, Deaths: deaths, States: 1 << 17}
}

// Aim: ranks and the reference agree on what programs do when others stop, though they share no
// code. Method: all runs of small programs, of ranks over the simplest layer and of the reference;
// the sets of ends, of sequences of deliveries and of sends must be the same. The counts say that
// there is something to compare.
func TestReference(t *testing.T) {
	tests := []struct {
		name, text   string
		deaths, ends int
		waiting      int // ends, when posts wait
	}{
		{"nobody looks", "a: send b; recv b\nb: recv a; send a\n", 1, 4, 4},
		{"exchange", "a: try send b; try recv b\nb: try recv a; try send a", 1, 7, 7},
		{"ring", "a: try send b; try recv c\nb: try recv a; try send c\nc: try recv b; try send a",
			1, 11, 11},
		{"master", "a: try recv *; ack; try recv *; try send b\nb: try send a; try recv a\n" +
			"c: try send a", 1, 17, 17},
		{"no ack", "a: try recv * ordered; try recv * ordered\nb: try send a\nc: try send a", 2,
			32, 32},
		{"server", "a: loop 2; try recv *; try reply; end\nb: try send a; try recv a\n" +
			"c: try send a; try recv a", 1, 30, 30},
		{"posts", "a: post b; post *; try wait; onerror cancel; try send c\nb: send a\n" +
			"c: try send a; try recv a", 1, 15, 13},
		{"another one", "a: try send b x; onerror send c y; send c z\nb: try recv a\n" +
			"c: try recv a; try recv a", 1, 10, 10},
		{"picks", "a: loop 2; pick 2; end; try send b\nb: post a; pick 3; try send a; try wait; " +
			"onerror pick 2; onerror send a", 1, 57, 45},
		{"group", "a: try reduce g; try broadcast g\nb: try reduce g; try broadcast g\n" +
			"c: try reduce g; try broadcast g\ngroup g concat: a > b; b > c", 1, 22, 22},
		{"post of a group", "a: try multicast g; try multicast g\n" +
			"b: post g; try send c; try wait; try recv g\nc: try recv b; try recv g; try recv g\n" +
			"group g: a > b c", 1, 49, 34},
	}
	for _, tt := range tests {
		for _, wait := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, posts wait %t", tt.name, wait), func(t *testing.T) {
				job := jobOf(t, tt.text, tt.deaths)
				job.PostsWait = wait
				want, err := survivors.Explore(context.Background(), job)
				if err != nil {
					t.Fatal(err)
				}
				d := drill{job: job, seen: map[string]bool{}, found: spec.Survivors{
					Finals: map[string]bool{}, Sent: map[spec.SendOf]bool{}}}
				var begin moment
				for r := range core.Rank(job.Layout.Ranks) {
					begin.hosts = append(begin.hosts, d.host(r))
					d.found.Legal = append(d.found.Legal, map[string]bool{"": true})
				}
				begin.left = job.Deaths
				d.explore(&begin)
				if ends := map[bool]int{false: tt.ends, true: tt.waiting}[wait]; ends !=
					len(want.Finals) {
					t.Errorf("%d ends, want %d", len(want.Finals), ends)
				}
				if diff := cmp.Diff(want, &d.found); diff != "" {
					t.Errorf("what survivors do (-reference +ranks):\n%.2000s", diff)
				}
			})
		}
	}
}

// TestBound says that what is too large is an error and no set of ends.
func TestBound(t *testing.T) {
	job := jobOf(t, "a: send b\nb: recv a", 1)
	job.States = 3
	if _, err := survivors.Explore(context.Background(), job); !errors.Is(err, survivors.ErrBound) {
		t.Errorf("%v, want a bound", err)
	}
}
