package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// TestHeld has a machine on a node that is held write, delete, read and set a timer: nothing of it
// happens before it is asked for, in the order of the writes, and what is not there can not be
// asked for.
func TestHeld(t *testing.T) {
	put := func(key, value string) core.Effect {
		return core.Effect{Kind: core.Persist, Key: key, Value: []byte(value)}
	}
	remove := func(key string) core.Effect { return core.Effect{Kind: core.Persist, Key: key} }
	mesh, pool := alone(t)
	store := &shelf{stable: map[string]string{"old": "1"}}
	m := &diary{first: []core.Effect{remove("never there"), remove("old"), put("a", "1"),
		remove("a"), {Kind: core.Read, Key: "old"}, put("b", "1"), put("c", "1"),
		{Kind: core.SetTimer, Timer: "bell", Ticks: 1}}}
	n, err := node.New(node.Config{Procs: 1, Machine: m, Held: true,
		NewMessage: setup(t, "none", ring).NewMessage, Mesh: mesh, Pool: pool, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		do   func() error
		want string
	}{
		{func() error { return n.Take(0) }, ""},
		{n.Stable, "persisted a"}, // and the delete before it; the first one is none
		{func() error { return n.Write(1) }, ""},
		{n.Stable, "loaded old=1"}, // the store of the test deletes nothing
		{n.Refuse, "refused b"},
		{func() error { return n.Write(2) }, "1 writes wait, not 2"},
		{func() error { return n.Write(1) }, ""},
		{n.Stable, "nothing is being written or read, but 0 deletes"},
		{func() error { return n.Fire("gong") }, `no timer "gong" is set`},
		{func() error { return n.Fire("bell") }, " "},
		{func() error { return n.Fire("bell") }, `no timer "bell" is set`},
		{func() error { return n.Advance(1) }, "the program has choices [], not 1"},
		{func() error { return n.Deliver(0, 1, false) }, "of proc 0 no message with the digest"},
		{func() error { return n.Drop(0, []uint64{1}) }, "of proc 0 no message with the digest"},
	}
	for i, s := range steps {
		before := len(m.heard)
		err := s.do()
		got := strings.Join(m.heard[before:], ", ")
		if err != nil {
			if got += err.Error(); !errors.Is(err, node.ErrHeld) {
				t.Errorf("step %d: %v is not ErrHeld", i+1, err)
			}
		}
		if (s.want == "") != (got == "") || !strings.Contains(got, s.want) {
			t.Errorf("step %d: got %q, want %q", i+1, got, s.want)
		}
	}
	if got, want := fmt.Sprint(store.stable), "map[a:1 c:1 old:1]"; got != want {
		t.Errorf("stable are %s, want %s", got, want)
	}
}

// TestHeldOrder takes one of the messages of a sender that have come in some order: those that have
// to be behind it have come, and not before, unless there is one more of the same bytes.
func TestHeldOrder(t *testing.T) {
	mesh, pool := alone(t)
	newMessage := setup(t, "none", ring).NewMessage
	var bodies [3][]byte
	var digests [3]uint64
	for i := range bodies {
		m := newMessage()
		m.(core.Framed).Content().ID.Number = uint32(i + 1)
		bodies[i] = core.Encode(m)
		digests[i] = core.Digest(bodies[i])
	}
	for _, tt := range []struct {
		name   string
		come   []int
		take   int
		behind []int
		ok     bool
	}{
		{"the first", []int{0, 1, 2}, 0, []int{1, 2}, true},
		{"behind others", []int{0, 1, 2}, 1, []int{2}, true},
		{"overtaken by one", []int{1, 0, 2}, 0, []int{1, 2}, false},
		{"overtaken by the last", []int{2, 1}, 1, []int{2}, false},
		{"overtaken by an equal one", []int{1, 0, 1}, 0, []int{1}, true},
		{"overtaken by two equal ones", []int{1, 1, 0}, 0, []int{1}, false},
		{"overtaken by all equal ones", []int{1, 1, 0}, 0, []int{1, 1}, false},
		{"what is behind has not come", []int{0}, 0, []int{1}, false},
	} {
		n, err := node.New(node.Config{Procs: 1, Machine: &diary{}, Held: true,
			NewMessage: newMessage, Mesh: mesh, Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range tt.come {
			n.Post(0, bodies[i])
		}
		var behind []uint64
		for _, i := range tt.behind {
			behind = append(behind, digests[i])
		}
		err = n.Deliver(0, digests[tt.take], false, behind...)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, node.ErrHeld) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestHeldTake: what comes waits in the inbox, by its canonical bytes, whatever frame it comes in;
// a beat is no message, and what can not be read is an error and in no inbox.
func TestHeldTake(t *testing.T) {
	newMessage := setup(t, "none", ring).NewMessage
	m := newMessage()
	*m.(core.Framed).Content() = core.Payload{ID: core.MsgID{From: 2, Number: 7},
		Data: []byte("xy")}
	extra, _ := m.(core.Framed).AppendHeader(nil)
	body := core.Encode(m)
	for _, tt := range []struct {
		name           string
		message        func() core.Message
		kind           frame.Kind
		extra, payload []byte
		want           string // part of the error
		bodies         int
	}{
		{"data", newMessage, frame.Data, extra, []byte("xy"), "", 1},
		{"by the codec", newMessage, frame.Control, nil, body, "", 1},
		{"a beat", newMessage, frame.Beat, nil, nil, "", 0},
		{"another header", newMessage, frame.Data, []byte{1}, []byte("xy"),
			"proc 0 inc 3: from 2 inc 4: none: header of 1 bytes", 0},
		{"no data", func() core.Message { return new(word) }, frame.Data, extra, nil,
			"a data frame, which this protocol does not have", 0},
		{"no message", newMessage, frame.Control, nil, []byte{0xff},
			"proc 0 inc 3: from 2 inc 4: ", 0},
	} {
		pool := new(buffer.Pool)
		a := mesh.Arrival{Arrival: link.Arrival{Header: frame.Header{Kind: tt.kind},
			Extra: tt.extra}, From: 2, Life: 4}
		if tt.payload != nil {
			a.Payload = pool.Copy(tt.payload)
		}
		b := &notebook{come: []mesh.Arrival{a}}
		n, err := node.New(node.Config{Life: 3, Procs: 3, Machine: &diary{}, Held: true,
			NewMessage: tt.message, Mesh: b, Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Take(0); (err != nil) != (tt.want != "") ||
			err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		bodies := 0
		n.Waiting(func(from core.Proc, got []byte) {
			if bodies++; from != 2 || !bytes.Equal(got, body) {
				t.Errorf("%s: of %d %x, want %x", tt.name, from, got, body)
			}
		})
		if bodies != tt.bodies || pool.InUse() > 0 {
			t.Errorf("%s: %d messages wait, want %d; %d buffers are in use", tt.name, bodies,
				tt.bodies, pool.InUse())
		}
	}
}
