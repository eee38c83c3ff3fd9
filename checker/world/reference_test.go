package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// plainProc is a proc as the reference keeps it: no numbers, everything by value.
type plainProc struct {
	up      bool
	inc     uint32
	still   uint32 // in which it stands still, plus 1; 0 = it does not
	round   uint64
	former  uint64 // newest round of a former life
	content string // canonical bytes of the machine, empty when down
	pending []core.Proc
	inbox   map[[2]uint32][]string // by sender and its incarnation: encoded messages, oldest first
}

// plain is a global state of the reference.
type plain struct {
	failures int
	procs    []plainProc
}

func (s plain) clone() plain {
	c := plain{failures: s.failures, procs: slices.Clone(s.procs)}
	for i := range c.procs {
		p := &c.procs[i]
		p.pending, p.inbox = slices.Clone(p.pending), maps.Clone(p.inbox)
	}
	return c
}

// text is the state in the form of canonical.
func (s plain) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x", s.failures)
	for _, p := range s.procs {
		inc := p.inc
		if !p.up {
			inc = 0
		}
		fmt.Fprintf(&b, "|%x//%d.%d.%x/", core.Encode(
			&env{Up: p.up, Inc: p.inc, Pending: p.pending, Former: p.former, Still: p.still}), inc,
			p.round,
			p.content)
		for _, k := range slices.SortedFunc(maps.Keys(p.inbox), func(a, b [2]uint32) int {
			return slices.Compare(a[:], b[:])
		}) {
			fmt.Fprintf(&b, "<%d.%d", k[0], k[1])
			for _, m := range p.inbox[k] {
				fmt.Fprintf(&b, " %x", m)
			}
		}
	}
	return b.String()
}

// reference explores the fragment without stable records in which all or nothing survives of what a
// crashed group had in flight, the detector is free and one group crashes.
type reference struct {
	setup  *core.Setup
	model  fault.Model
	states map[string]plain
	queue  []string
	ends   map[string]bool
}

func (r *reference) add(s plain) {
	key := s.text()
	if _, ok := r.states[key]; !ok {
		r.states[key] = s
		r.queue = append(r.queue, key)
	}
}

// step runs the machine of p on the input and adds the state after all effects; with inside also
// the states in which p stands still between two of them.
func (r *reference) step(s plain, p core.Proc, in core.Input, fresh, inside bool) plain {
	m := r.setup.New(p)
	if !fresh {
		if err := core.DecodeState([]byte(s.procs[p].content), m); err != nil {
			panic(err)
		}
	}
	var sends []core.Effect
	for _, e := range m.Step(in, nil) {
		if e.Kind == core.SendMessage {
			sends = append(sends, e)
		}
	}
	s = s.clone()
	for i, e := range sends {
		q, k := &s.procs[e.To], [2]uint32{uint32(p), s.procs[p].inc}
		q.inbox[k] = r.put(q.inbox[k], string(core.Encode(e.Message)))
		s.procs[p].round = max(s.procs[p].round, e.Message.Describe().Stamp.Round)
		if inside && i < len(sends)-1 {
			r.add(r.stand(s, p))
		}
	}
	s.procs[p].content = string(core.EncodeState(m))
	return s
}

// stand ends the life of p inside a step, before its group stops; that costs a failure unless a
// mate has done so.
func (r *reference) stand(s plain, p core.Proc) plain {
	s = s.clone()
	if !r.bound(s, p) {
		s.failures--
	}
	f := &s.procs[p]
	f.still = f.inc + 1
	f.leave()
	return s
}

// bound reports whether somebody of the group of p stands still.
func (r *reference) bound(s plain, p core.Proc) bool {
	return slices.ContainsFunc(r.setup.Group(p), func(q core.Proc) bool {
		return s.procs[q].still > 0
	})
}

// leave ends a life.
func (f *plainProc) leave() {
	f.former = max(f.former, f.round)
	f.up, f.inc, f.round, f.content = false, f.inc+1, 0, ""
}

// crash stops the group of p, for a failure unless somebody of it stands still.
func (r *reference) crash(s plain, p core.Proc) plain {
	s = s.clone()
	if !r.bound(s, p) {
		s.failures--
	}
	group := r.setup.Group(p)
	for _, q := range group {
		f := &s.procs[q]
		if f.up {
			f.leave()
		}
		f.still = 0
		if !r.model.KeepToDead {
			f.inbox = map[[2]uint32][]string{}
		}
	}
	for i := range s.procs {
		if r.model.FromDead == fault.Nothing {
			maps.DeleteFunc(s.procs[i].inbox, func(k [2]uint32, _ []string) bool {
				return slices.Contains(group, core.Proc(k[0]))
			})
		}
	}
	for _, w := range r.setup.Watchers {
		if !slices.Contains(group, w) {
			s.procs[w].pending = append(s.procs[w].pending, group[0])
		}
	}
	return s
}

// put adds a message to a channel of the model's network; where order is not kept, the list is
// sorted.
func (r *reference) put(list []string, m string) []string {
	list = append(slices.Clip(slices.Clone(list)), m)
	if !r.model.KeepsOrder() {
		slices.Sort(list)
	}
	if r.model.Set {
		list = slices.Compact(list)
	}
	return list
}

// deliver adds the state after the arrival of one message of a channel; it reports whether that can
// happen.
func (r *reference) deliver(s plain, p core.Proc, k [2]uint32, j int, inside bool) bool {
	list := s.procs[p].inbox[k]
	if j > 0 && r.model.KeepsOrder() {
		return false
	}
	m := r.setup.NewMessage()
	if err := core.Decode([]byte(list[j]), m); err != nil {
		panic(err)
	}
	in := core.Input{Kind: core.Received, From: core.Proc(k[0]), Message: m}
	if (r.model.Set || r.model.Selective) && r.step(s, p, in, false, false).text() == s.text() {
		return false // nothing comes of it
	}
	c := s.clone()
	if !r.model.Set {
		rest := slices.Delete(slices.Clone(list), j, j+1)
		if c.procs[p].inbox[k] = rest; len(rest) == 0 {
			delete(c.procs[p].inbox, k)
		}
	}
	r.add(r.step(c, p, in, false, inside))
	return true
}

// expand adds every successor; it reports whether one is no crash.
func (r *reference) expand(s plain) (progress bool) {
	for i := range s.procs {
		p := core.Proc(i)
		inside := r.model.FromDead == fault.Every && (s.failures > 0 || r.bound(s, p))
		if s.procs[p].still > 0 {
			r.add(r.crash(s, p))
			progress = true
			continue
		}
		if !s.procs[p].up {
			// One group crashes at once, so its members are all down or in the new life.
			c := s.clone()
			c.procs[p].up = true
			r.add(r.step(c, p, core.Input{Kind: core.Restore,
				Incarnation: core.Incarnation(c.procs[p].inc)}, true, inside))
			progress = true
			continue
		}
		for k, list := range s.procs[p].inbox {
			for j := range list {
				progress = r.deliver(s, p, k, j, inside) || progress
			}
		}
		m := r.setup.New(p)
		if err := core.DecodeState([]byte(s.procs[p].content), m); err != nil {
			panic(err)
		}
		for _, choice := range m.Choices(nil) {
			r.add(r.step(s, p, core.Input{Kind: core.Advance, Choice: choice}, false, inside))
			progress = true
		}
		for j, g := range s.procs[p].pending {
			c := s.clone()
			c.procs[p].pending = slices.Delete(c.procs[p].pending, j, j+1)
			r.add(r.step(c, p, core.Input{Kind: core.Down, Procs: r.setup.Group(g)}, false, inside))
			progress = true
		}
		if s.failures > 0 && r.setup.Group(p)[0] == p && !r.bound(s, p) {
			r.add(r.crash(s, p))
		}
	}
	return progress
}

func (r *reference) explore() {
	r.states, r.ends = map[string]plain{}, map[string]bool{}
	s := plain{failures: r.model.Failures}
	for range r.setup.Layout.Names {
		s.procs = append(s.procs, plainProc{up: true, inbox: map[[2]uint32][]string{}})
	}
	for p := range r.setup.Layout.Names {
		s = r.step(s, core.Proc(p), core.Input{Kind: core.Start}, true, false)
	}
	r.add(s)
	for len(r.queue) > 0 {
		key := r.queue[0]
		r.queue = r.queue[1:]
		if !r.expand(r.states[key]) {
			r.ends[key] = true
		}
	}
}

// expanded is a world that notes every state that the search expands.
type expanded struct {
	recorded
	states map[string]bool
}

func (e expanded) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	e.states[canonical(e.World, state)] = true
	e.recorded.Expand(state, reduce, x)
}

// TestAgainstReference compares the reachable states and the ends of runs of the world, one by one,
// with those of an explorer without interning, tables or copied machines.
func TestAgainstReference(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, program string
		clusters      []int
	}{
		{"one message", "a: send b x\nb: recv a", []int{0, 1}},
		{"there and back", "a: send b x; recv b\nb: recv a; send a y", []int{0, 1}},
		{"one cluster", "a: send b x; recv b\nb: recv a; send a y", []int{0, 0}},
		{"any source", "a: send c x\nb: send c y\nc: recv *; recv *", []int{0, 0, 1}},
		{"posts", "a: post b; wait\nb: send a x", []int{0, 1}},
	}
	for _, tt := range tests {
		pair := mustPair(t, tt.program, tt.clusters, 0)
		for _, m := range []fault.Model{{}, {Failures: 1, FromDead: fault.Every},
			{Failures: 1, FromDead: fault.Nothing},
			{Failures: 1, FromDead: fault.Every, KeepToDead: true},
			{Failures: 1, FromDead: fault.Nothing, KeepToDead: true}} {
			m.DetectAny = true
			if len(tt.clusters) == 3 && (m.KeepToDead || m.FromDead == fault.Every) {
				continue // large, and nothing that two ranks do not have
			}
			for _, setup := range []*core.Setup{pair.setup, pair.baseline} {
				if !effort.Long() && setup == pair.setup && m.Failures > 0 &&
					(len(tt.clusters) == 3 || m.KeepToDead && tt.name != "one message") {
					continue // large
				}
				t.Run(fmt.Sprintf("%s/%s/failures %d from dead %d kept %t", tt.name, setup.Protocol,
					m.Failures, m.FromDead, m.KeepToDead), func(t *testing.T) {
					compareWithReference(t, setup, m)
				})
			}
		}
	}
}

func compareWithReference(t *testing.T, setup *core.Setup, m fault.Model) {
	r := reference{setup: setup, model: m}
	r.explore()
	w, err := New(Config{Setup: setup, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	e := expanded{recorded: recorded{World: w, s: &seen{terminals: map[string]bool{}}},
		states: map[string]bool{}}
	result := search.Explore(t.Context(), e, checker.Options{})
	if result.States != len(r.states) || result.Terminals != len(r.ends) {
		t.Errorf("world: %d states, %d ends; reference: %d states, %d ends", result.States,
			result.Terminals, len(r.states), len(r.ends))
	}
	for s := range r.states {
		if !e.states[s] {
			t.Fatalf("the world misses state %s", s)
		}
	}
	for s := range e.states {
		if _, ok := r.states[s]; !ok {
			t.Fatalf("only the world has state %s", s)
		}
	}
	if !maps.Equal(r.ends, e.s.terminals) {
		t.Errorf("the ends differ: world %d, reference %d", len(e.s.terminals), len(r.ends))
	}
}
