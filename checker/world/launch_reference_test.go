package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// body is a proc of a toy that is launched, or launches, as the reference keeps it: everything by
// value, no numbers, nothing shared.
type body struct {
	up             bool
	inc            uint32
	round, former  uint64
	content        string
	store, writing []write
	told           []failed
	inbox          map[[2]uint32][]string
	host           int // -1: nobody
	tickets        map[core.Proc][]byte
	kills          map[core.Proc]bool
}

// failed is a failure that a proc has not been told of.
type failed struct {
	who  core.Proc
	life uint32
}

// bodies is a global state of the reference.
type bodies struct {
	failures, torn, lose, corrupt, full int

	procs []body
}

func (s bodies) clone() bodies {
	s.procs = slices.Clone(s.procs)
	for i := range s.procs {
		p := &s.procs[i]
		p.store, p.writing, p.told = slices.Clone(p.store), slices.Clone(p.writing),
			slices.Clone(p.told)
		p.inbox, p.tickets, p.kills = maps.Clone(p.inbox), maps.Clone(p.tickets),
			maps.Clone(p.kills)
	}
	return s
}

// text is the state in the form of canonical.
func (s bodies) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x", s.failures|s.torn<<torn)
	if harm := s.lose | s.corrupt<<spoiling | s.full<<refusing; harm != 0 {
		fmt.Fprintf(&b, "~%x", harm)
	}
	for _, p := range s.procs {
		e := env{Up: p.up, Inc: p.inc, Store: p.store, Writing: p.writing, Former: p.former,
			Host: uint32(p.host + 1), Kills: slices.Sorted(maps.Keys(p.kills))}
		for _, f := range p.told {
			e.Pending, e.Ended = append(e.Pending, f.who), append(e.Ended, f.life)
		}
		for _, by := range slices.Sorted(maps.Keys(p.tickets)) {
			e.Tickets = append(e.Tickets, ticket{By: by, Key: "l", Value: p.tickets[by]})
		}
		inc := p.inc
		if !p.up {
			inc = 0
		}
		fmt.Fprintf(&b, "|%x//%d.%d.%x/", core.Encode(&e), inc, p.round, p.content)
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

// launchReference explores toys whose procs are launched, where nothing survives of what a proc
// that stops had in flight and the detector is free.
type launchReference struct {
	toy    *toy
	setup  *core.Setup
	model  fault.Model
	states map[string]bodies
	queue  []string
	ends   map[string]bool
}

func (r *launchReference) add(s bodies) {
	key := s.text()
	if _, ok := r.states[key]; !ok {
		r.states[key] = s
		r.queue = append(r.queue, key)
	}
}

// step runs the machine of p on the input and does what it asks for.
func (r *launchReference) step(s bodies, p core.Proc, in core.Input) bodies {
	s = s.clone()
	self := &s.procs[p]
	m := r.setup.New(p)
	if in.Kind != core.Start && in.Kind != core.Restore {
		if err := core.DecodeState([]byte(self.content), m); err != nil {
			panic(err)
		}
	}
	for _, e := range m.Step(in, nil) {
		switch to := &s.procs[e.To]; e.Kind {
		case core.SendMessage:
			k := [2]uint32{uint32(p), self.inc}
			to.inbox[k] = append(slices.Clone(to.inbox[k]), string(core.Encode(e.Message)))
			self.round = max(self.round, e.Message.Describe().Stamp.Round)
		case core.Persist:
			self.writing = append(self.writing, write{Key: e.Key, Value: e.Value})
		case core.Read:
			self.writing = append(self.writing, write{Key: e.Key, Read: true})
		case core.Kill:
			self.kills[e.To] = true
		case core.Launch:
			if !to.up {
				to.tickets[p] = e.Value
			}
		default:
			panic(fmt.Sprintf("invariant: the reference knows what toys ask for: %v", e.Kind))
		}
	}
	self.content = string(core.EncodeState(m))
	return s
}

// aboardOf are a proc and all that runs on its node.
func (s bodies) aboardOf(p core.Proc) []core.Proc {
	list := []core.Proc{p}
	for q := range s.procs {
		if s.procs[q].up && s.procs[q].host == int(p) {
			list = append(list, core.Proc(q))
		}
	}
	return list
}

// put makes a write stable in a list of records with at most one key.
func put(store []write, w write) []write {
	if w.Read {
		return store
	}
	return []write{w}
}

// stopped are the states in which the procs have stopped, with every outcome of their writes; disks
// go where they crash.
func (r *launchReference) stopped(s bodies, procs []core.Proc, crash bool) (list []bodies) {
	list = []bodies{s}
	for _, p := range procs {
		host := s.procs[p].host
		alone := host < 0 || !slices.Contains(procs, core.Proc(host))
		wipe := crash && r.model.Disks == fault.GoWithNode && slices.Contains(r.toy.local, p) &&
			(host < 0 || slices.Contains(procs, core.Proc(host)))
		var next []bodies
		for _, t := range list {
			next = append(next, r.ways(t, p, wipe)...)
		}
		if list = next; crash && alone && !r.toy.hosted[p] {
			for i := range list {
				r.notify(&list[i], p, s.procs[p].inc)
			}
		}
	}
	return list
}

// notify lets the detector tell of the failure of a life.
func (r *launchReference) notify(s *bodies, p core.Proc, life uint32) {
	for _, q := range r.toy.watchers {
		if q == p {
			continue
		}
		w := &s.procs[q]
		w.told = append(slices.Clone(w.told), failed{p, life})
		slices.SortFunc(w.told, func(a, b failed) int {
			return slices.Compare([]uint32{uint32(a.who), a.life},
				[]uint32{uint32(b.who), b.life})
		})
	}
}

// ways are the outcomes of the end of one proc.
func (r *launchReference) ways(s bodies, p core.Proc, wipe bool) (list []bodies) {
	writing := s.procs[p].writing
	for kept := range len(writing) + 1 {
		for _, damaged := range []bool{false, true} {
			c := s.clone()
			f := &c.procs[p]
			for _, w := range writing[:kept] {
				f.store = put(f.store, w)
			}
			if damaged {
				value := slices.ContainsFunc(f.store, func(w write) bool { return !w.Torn })
				if kept == len(writing) || writing[kept].Read || value || c.torn == 0 || wipe {
					continue
				}
				f.store = []write{{Key: writing[kept].Key, Torn: true}}
				c.torn--
			}
			if wipe {
				f.store = nil
			}
			f.former = max(f.former, f.round)
			f.up, f.inc, f.round, f.content, f.writing = false, f.inc+1, 0, "", nil
			f.host, f.kills = -1, map[core.Proc]bool{}
			if !r.model.KeepToDead {
				f.inbox = map[[2]uint32][]string{}
			}
			for q := range c.procs {
				delete(c.procs[q].tickets, p)
				maps.DeleteFunc(c.procs[q].inbox, func(k [2]uint32, _ []string) bool {
					return k[0] == uint32(p)
				})
			}
			list = append(list, c)
		}
	}
	return list
}

// restarts adds the starts of a proc that is down.
func (r *launchReference) restarts(s bodies, p core.Proc) (progress bool) {
	c := s.clone()
	f := &c.procs[p]
	f.up, f.tickets = true, map[core.Proc][]byte{}
	f.told = slices.DeleteFunc(f.told, func(t failed) bool { return s.procs[t.who].up })
	r.remind(&c, p)
	in := core.Input{Kind: core.Restore, Incarnation: core.Incarnation(f.inc)}
	if _, launched := r.toy.hosted[p]; !launched {
		for _, w := range f.store {
			in.Records = append(in.Records, core.Record{Owner: p, Key: w.Key, Value: w.Value,
				Torn: w.Torn})
		}
		r.add(r.step(c, p, in))
		return true
	}
	for by, value := range s.procs[p].tickets {
		f.host = int(by)
		in.From, in.Records = by, []core.Record{{Owner: by, Key: "l", Value: value}}
		r.add(r.step(c, p, in))
		progress = true
	}
	return progress
}

// remind tells a watcher that starts again of the nodes that are down, whether its life before was
// told or not, each once: nobody who is down for good would ever answer it.
func (r *launchReference) remind(s *bodies, p core.Proc) {
	if !slices.Contains(r.toy.watchers, p) {
		return
	}
	f := &s.procs[p]
	for _, q := range r.setup.Local {
		again := failed{q, s.procs[q].inc - 1}
		if q != p && !s.procs[q].up && !slices.Contains(f.told, again) {
			f.told = append(f.told, again)
		}
	}
	slices.SortFunc(f.told, func(a, b failed) int {
		return slices.Compare([]uint32{uint32(a.who), a.life}, []uint32{uint32(b.who), b.life})
	})
}

// records adds what the store does for a proc that is up, and what happens to it.
func (r *launchReference) records(s bodies, p core.Proc) (progress bool) {
	w := s.procs[p].writing
	if len(w) == 0 {
		return false
	}
	c := s.clone()
	f := &c.procs[p]
	f.writing = slices.Clone(w[1:])
	if c.full > 0 && !w[0].Read {
		d := c.clone()
		d.full--
		r.add(r.step(d, p, core.Input{Kind: core.Refused, Key: w[0].Key}))
	}
	in := core.Input{Kind: core.Persisted, Key: w[0].Key}
	if f.store = put(f.store, w[0]); w[0].Read {
		in.Kind = core.Loaded
		for _, l := range f.store {
			in.Records = []core.Record{{Owner: p, Key: l.Key, Value: l.Value, Torn: l.Torn}}
		}
	}
	r.add(r.step(c, p, in))
	return true
}

// harm adds what happens to the record of a proc.
func (r *launchReference) harm(s bodies, p core.Proc) {
	if len(s.procs[p].store) == 0 {
		return
	}
	if s.lose > 0 {
		c := s.clone()
		c.procs[p].store, c.lose = nil, c.lose-1
		r.add(c)
	}
	w := s.procs[p].store[0]
	if s.corrupt == 0 || w.Torn || len(w.Value) == 0 {
		return
	}
	for _, value := range [][]byte{{w.Value[0] ^ 1}, {}} { // of one byte
		c := s.clone()
		c.procs[p].store[0].Value, c.corrupt = value, c.corrupt-1
		r.add(c)
	}
}

// expand adds every successor; it reports whether one is no fault.
func (r *launchReference) expand(s bodies) (progress bool) {
	for i := range s.procs {
		p := core.Proc(i)
		r.harm(s, p)
		if !s.procs[p].up {
			progress = r.restarts(s, p) || progress
			continue
		}
		for k, list := range s.procs[p].inbox {
			m := r.setup.NewMessage()
			if err := core.Decode([]byte(list[0]), m); err != nil {
				panic(err)
			}
			c := s.clone()
			if c.procs[p].inbox[k] = list[1:]; len(list) == 1 {
				delete(c.procs[p].inbox, k)
			}
			r.add(r.step(c, p, core.Input{Kind: core.Received, From: core.Proc(k[0]), Message: m}))
			progress = true
		}
		for j, f := range s.procs[p].told {
			if j > 0 && s.procs[p].told[j-1].who == f.who {
				continue
			}
			c := s.clone()
			c.procs[p].told = slices.Delete(c.procs[p].told, j, j+1)
			r.add(r.step(c, p, core.Input{Kind: core.Down, Procs: []core.Proc{f.who},
				Incarnation: core.Incarnation(f.life)}))
			progress = true
		}
		progress = r.records(s, p) || progress
		for q := range s.procs[p].kills {
			r.kill(s, p, q)
			progress = true
		}
		if s.failures > 0 {
			for _, c := range r.stopped(s, s.aboardOf(p), true) {
				c.failures--
				r.add(c)
			}
		}
	}
	return progress
}

// kill adds the end of a kill.
func (r *launchReference) kill(s bodies, p, q core.Proc) {
	var procs []core.Proc
	life := s.procs[q].inc - 1
	if s.procs[q].up && s.procs[q].host == int(p) {
		procs, life = s.aboardOf(q), s.procs[q].inc
	}
	for _, c := range r.stopped(s, procs, false) {
		c = c.clone()
		delete(c.procs[q].tickets, p)
		delete(c.procs[p].kills, q)
		r.add(r.step(c, p, core.Input{Kind: core.Killed, From: q,
			Incarnation: core.Incarnation(life)}))
	}
}

// explore visits at most so many states; it reports whether those are all.
func (r *launchReference) explore(most int) bool {
	m := &r.model
	r.states, r.ends = map[string]bodies{}, map[string]bool{}
	s := bodies{failures: m.Failures, torn: m.Torn, lose: m.Lose, corrupt: m.Corrupt, full: m.Full}
	for p := range r.setup.Layout.Names {
		b := body{up: true, host: -1, inbox: map[[2]uint32][]string{},
			tickets: map[core.Proc][]byte{}, kills: map[core.Proc]bool{}}
		if p < len(r.toy.nodes) {
			b.host = int(r.toy.nodes[p])
		}
		s.procs = append(s.procs, b)
	}
	for p := range r.setup.Layout.Names {
		s = r.step(s, core.Proc(p), core.Input{Kind: core.Start})
	}
	r.add(s)
	for len(r.queue) > 0 && len(r.states) <= most {
		key := r.queue[0]
		r.queue = r.queue[1:]
		if !r.expand(r.states[key]) {
			r.ends[key] = true
		}
	}
	return len(r.queue) == 0
}

// TestLaunchReference compares the reachable states and the ends of runs of the world, one by one,
// with those of an explorer without interning, tables or operations on environments, for random
// toys that launch, kill, write and read back, under crashes and harm to records.
func TestLaunchReference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	compared, states := 0, 0
	for n := range effort.Cases(12, 100) {
		toy := randomToy(r, toyFeatures{launches: true, restoreSends: n%2 == 0})
		toy.quieten(r)
		m := fault.Model{Failures: r.IntN(3), FromDead: fault.Nothing, DetectAny: true,
			KeepToDead: r.IntN(2) == 0}
		harm(r, &m)
		reference := launchReference{toy: toy, setup: toy.setup(), model: m}
		if !reference.explore(effort.Of(1000, 3000)) {
			continue
		}
		compared++
		states += len(reference.states)
		w, err := New(Config{Setup: reference.setup, Model: m})
		if err != nil {
			t.Fatal(err)
		}
		e := expanded{recorded: recorded{World: w, s: &seen{terminals: map[string]bool{}}},
			states: map[string]bool{}}
		search.Explore(t.Context(), e, checker.Options{})
		bad := onlyIn("the reference", reference.states, e.states) +
			onlyIn("the world", e.states, reference.states) +
			onlyIn("the ends of the reference", reference.ends, e.s.terminals) +
			onlyIn("the ends of the world", e.s.terminals, reference.ends)
		if bad != "" {
			t.Fatalf("case %d, model %+v\n%s%s", n, m, toy, bad)
		}
	}
	t.Logf("%d cases compared, %d states", compared, states)
	if compared < effort.Of(4, 33) {
		t.Errorf("only %d cases are small enough", compared)
	}
}

// quieten takes out what the reference does not have, and lets daemons write more often.
func (t *toy) quieten(r *rand.Rand) {
	for p := range t.rules {
		for s := range t.rules[p] {
			for e := range t.rules[p][s] {
				rule := &t.rules[p][s][e]
				rule.timer, rule.persist = false, e < t.kinds && r.IntN(4) == 0
			}
		}
	}
}

// onlyIn says which state one has and the other has not.
func onlyIn[A, B any](where string, a map[string]A, b map[string]B) string {
	for _, s := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[s]; !ok {
			return fmt.Sprintf("only in %s: %s\n", where, s)
		}
	}
	return ""
}
