package hydee_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// TestHeader pins the fixed layout of an application message, written by hand, reads it back, and
// refuses other lengths.
func TestHeader(t *testing.T) {
	m := &hydee.Message{Kind: hydee.App, Round: 0x0102, Date: 0x0304, Phase: 0x0506,
		Incarnation: 0x0708,
		Payload:     core.Payload{ID: core.MsgID{From: 5, Number: 0x090a}}}
	got, ok := m.AppendHeader([]byte{0xff})
	want := "ff" + "0201000000000000" + "0403000000000000" + "0605000000000000" + "08070000" +
		"0a090000"
	if !ok || hex.EncodeToString(got) != want {
		t.Fatalf("%x %v, want %s", got, ok, want)
	}
	// what is left of another message must go
	read := hydee.Message{To: 3, Lives: []core.Incarnation{1}}
	if err := read.ParseHeader(got[1:], 5); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, &read, cmp.AllowUnexported()); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	for n := range len(got) + 2 {
		if n != len(got)-1 && read.ParseHeader(append(got[1:], 0, 0)[:n], 5) == nil {
			t.Errorf("a header of %d bytes was accepted", n)
		}
	}
	for kind := hydee.Begin; kind <= hydee.CommitNotice; kind++ {
		if _, ok := (&hydee.Message{Kind: kind}).AppendHeader(nil); ok {
			t.Errorf("kind %d has no fixed layout", kind)
		}
	}
}

// memory overwrites what it gets back, so that whoever still refers to it is found.
type memory struct{ live map[*byte]bool }

func (m *memory) Keep(data []byte) []byte {
	kept := slices.Clone(data)
	m.live[&kept[0]] = true
	return kept
}

func (m *memory) Copy(data []byte) []byte { return m.Keep(data) }

func (m *memory) Free(data []byte) {
	if m.live[&data[0]] {
		delete(m.live, &data[0])
	} else if bytes.Equal(data, spoiled[:len(data)]) {
		panic("freed twice")
	}
	copy(data, spoiled)
}

var spoiled = bytes.Repeat([]byte{0xdd}, 64)

// layer is the protocol layer of a rank as a driver sees it.
func (r *rig) layer(p core.Proc) (core.Recycler, bool) {
	h, ok := r.machines[p].(*program.Host)
	if !ok {
		return nil, false
	}
	l, ok := h.Layer().(core.Recycler)
	return l, ok
}

// reuse does what a driver may do after a step: settle, and overwrite what was sent and, if nobody
// holds it, delivered.
func (r *rig) reuse(p core.Proc, out []core.Effect) {
	l, ok := r.layer(p)
	if !ok {
		return
	}
	l.Settle()
	for _, e := range out {
		switch e.Kind {
		case core.ProgramSent:
			copy(e.Payload.Data, spoiled)
		case core.Deliver:
			if !l.Holding() {
				copy(e.Payload.Data, spoiled)
			}
		}
	}
}

// TestRecycle runs the same random schedules, with checkpoints, a crash and a recovery, twice: once
// leaving all bytes where they are, and once overwriting them as soon as the layers say that it is
// allowed. Every state must be the same after every step.
func TestRecycle(t *testing.T) {
	const text = "a: loop 6; send b; send c; recv c; checkpoint; end; recv b\n" +
		"b: loop 6; recv a; send c; checkpoint; end; send a\nc: loop 6; recv a; recv b; send a; " +
		"checkpoint; end"
	freed, recovered := 0, 0
	for seed := range uint64(40) {
		plain, tight := newRig(t, text, "a b | c"), newRig(t, text, "a b | c")
		tight.recycle = true
		m := &memory{live: map[*byte]bool{}}
		kept := 0
		use := func() {
			for p := range tight.machines {
				if l, ok := tight.layer(core.Proc(p)); ok {
					l.UseMemory(m)
				}
			}
		}
		use()
		random := rand.New(rand.NewPCG(seed, 1))
		crash := 20 + random.IntN(100)
		for n := 0; ; n++ {
			if n == crash {
				for _, r := range []*rig{plain, tight} {
					r.crash("c")
					if r == tight {
						use()
					}
					r.restart("c")
					r.down("c")
				}
				continue
			}
			actions := plain.actions()
			if len(actions) == 0 {
				break
			}
			action := actions[random.IntN(len(actions))]
			want, got := action(plain), action(tight)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d step %d: effects (-plain +recycled):\n%s", seed, n, diff)
			}
			for p := range plain.machines {
				if !bytes.Equal(core.EncodeState(plain.machines[p]),
					core.EncodeState(tight.machines[p])) {
					t.Fatalf("seed %d step %d: %s differs after %v", seed, n,
						plain.name(core.Proc(p)), want)
				}
			}
			if kept > len(m.live) {
				freed++
			}
			kept = len(m.live)
		}
		for r := range core.Rank(3) {
			if !plain.machines[r].(*program.Host).History().Done {
				t.Fatalf("seed %d: %s has not ended", seed, plain.name(r.Proc()))
			}
		}
		if plain.lives[2] > 0 {
			recovered++
		}
		for p := range core.Proc(2) {
			l, _ := tight.layer(p)
			l.Release()
			if state := tight.machines[p].State()[1]; bytes.Contains(core.Encode(state),
				spoiled[:8]) {
				t.Fatalf("seed %d: %s still refers to what it has released", seed, tight.name(p))
			}
		}
	}
	if freed < 40 || recovered < 20 {
		t.Errorf("memory was given back %d times, %d recoveries: the runs show nothing", freed,
			recovered)
	}
}

// actions lists what can happen next, in a fixed order.
func (r *rig) actions() []func(*rig) []string {
	var list []func(*rig) []string
	for p := range core.Proc(len(r.machines)) {
		name := r.name(p)
		for _, c := range r.machines[p].Choices(nil) {
			list = append(list, func(r *rig) []string {
				return r.step(name, core.Input{Kind: core.Advance, Choice: c})
			})
		}
		if len(r.writing[p]) > 0 {
			list = append(list, func(r *rig) []string { return r.store(name) })
		}
		for q := range core.Proc(len(r.machines)) {
			if len(r.network[[2]core.Proc{p, q}]) > 0 {
				list = append(list, func(r *rig) []string { return r.arrive(name, r.name(q)) })
			}
		}
	}
	return list
}

// TestNoAllocation: a round trip between two clusters allocates nothing in the layers once their
// queues are warm and their logs have room. The host around them is left out: it makes the payloads
// of programs without numbers.
func TestNoAllocation(t *testing.T) {
	for _, clusters := range []string{"a b", "a | b"} {
		s := newSetup(t, "a: send b; recv b\nb: recv a; send a", clusters)
		var layers [2]core.Layer
		for r := range layers {
			layers[r] = s.New(core.Proc(r)).(*program.Host).Layer()
			layers[r].Step(core.Input{Kind: core.Start}, nil)
		}
		var out []core.Effect
		scratch := new(hydee.Message)
		var header []byte
		payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
		n := testing.AllocsPerRun(2000, func() {
			for from := range core.Rank(2) {
				to := 1 - from
				payload.ID.From = from
				out = layers[from].Step(core.Input{Kind: core.Send, To: to, Payload: payload},
					out[:0])
				header, _ = out[len(out)-1].Message.(core.Framed).AppendHeader(header[:0])
				if err := scratch.ParseHeader(header, from.Proc()); err != nil {
					t.Fatal(err)
				}
				scratch.Payload.Data = payload.Data
				out = layers[to].Step(core.Input{Kind: core.Received, From: from.Proc(),
					Message: scratch}, out[:0])
				out = layers[to].Step(core.Input{Kind: core.Receive, From: from.Proc()}, out[:0])
			}
		})
		if n != 0 {
			t.Errorf("clusters %s: %v allocations, want 0", clusters, n)
		}
	}
}
