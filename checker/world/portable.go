package world

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// What a number stands for has a digest, of its kind and its content, in which other things are
// named by their digests: so it is the same in every process, whatever that has met before. Where
// the order of a channel is not kept, its messages are in the order of their digests.
//
// Nothing else in a state is a number of this world: the budgets are counters, and procs and lives
// are what they are. The order of the steps out of a state, and the codes of those that name a
// packet, are of this world alone.

// The kinds of contents: the first byte of each.
const (
	aMessage       = 'm'
	aHistory       = 'h'
	aLocal         = 'l'
	anInbox        = 'i'
	anEnv          = 'e'
	aConfiguration = 'c'
	someBudgets    = 'b'
	aMemory        = 'r'
	someMemories   = 'a'
	aStep          = 's'
)

// identities are the digests that somebody has asked for.
type identities struct {
	mu                                         sync.Mutex
	messages, histories, locals, inboxes, envs map[uint32]checker.Digest
}

// portrait makes digests and, if anybody is told, contents. The lock of the identities is held.
type portrait struct {
	*World
	known func(checker.Digest) bool
	tell  func(checker.Digest, []byte)
}

func (w *World) portrait(known func(checker.Digest) bool,
	tell func(checker.Digest, []byte)) *portrait {
	if w.identities.messages == nil {
		w.identities.messages, w.identities.histories = map[uint32]checker.Digest{},
			map[uint32]checker.Digest{}
		w.identities.locals, w.identities.inboxes = map[uint32]checker.Digest{},
			map[uint32]checker.Digest{}
		w.identities.envs = map[uint32]checker.Digest{}
	}
	return &portrait{w, known, tell}
}

// Digest implements checker.Portable.
func (w *World) Digest(word int, number uint32) checker.Digest {
	w.identities.mu.Lock()
	defer w.identities.mu.Unlock()
	return w.portrait(nil, nil).word(word, number)
}

// Contents implements checker.Portable.
func (w *World) Contents(word int, number uint32, known func(checker.Digest) bool,
	tell func(checker.Digest, []byte)) {
	w.identities.mu.Lock()
	defer w.identities.mu.Unlock()
	w.portrait(known, tell).word(word, number)
}

// thing is the digest of a thing: from the cache, unless somebody is told of it who does not know.
// A cache that is nil remembers nothing.
func (p *portrait) thing(cache map[uint32]checker.Digest, number uint32,
	content func() []byte) checker.Digest {
	d, there := cache[number]
	if there && (p.tell == nil || p.known(d)) {
		return d
	}
	b := content()
	if d = checker.DigestOf(b); cache != nil {
		cache[number] = d
	}
	if p.tell != nil && !p.known(d) {
		p.tell(d, b)
	}
	return d
}

func (p *portrait) word(word int, number uint32) checker.Digest {
	return p.thing(nil, 0, func() []byte {
		switch {
		case word == budgetWord:
			return budgetsContent(p.budgetList.list.at(number))
		case word < p.procWords():
			c := p.configurations[word-1].list.at(number)
			b := binary.BigEndian.AppendUint16([]byte{aConfiguration}, uint16(word-1))
			b = p.local(c.local).Append(b)
			return p.env(c.env).Append(p.inbox(c.inbox).Append(b))
		}
		b := []byte{someMemories}
		for i, k := range *p.monitors.memories.at(number) {
			b = p.thing(nil, 0, func() []byte {
				m := binary.BigEndian.AppendUint16([]byte{aMemory}, uint16(i))
				return (*p.monitors.each[i].at(k)).AppendKey(m)
			}).Append(b)
		}
		return b
	})
}

func budgetsContent(b *budgets) []byte {
	c := binary.BigEndian.AppendUint32([]byte{someBudgets}, b.faults)
	c = binary.BigEndian.AppendUint32(c, b.harms)
	if b.over {
		return append(c, 1)
	}
	return append(c, 0)
}

func (p *portrait) message(number messageNumber) checker.Digest {
	return p.thing(p.identities.messages, uint32(number), func() []byte {
		return append([]byte{aMessage}, core.Encode(p.messages.at(number).value)...)
	})
}

func (p *portrait) history(number uint32) checker.Digest {
	return p.thing(p.identities.histories, number, func() []byte {
		return append([]byte{aHistory}, core.Encode(*p.histories.at(number))...)
	})
}

func (p *portrait) local(number uint32) checker.Digest {
	return p.thing(p.identities.locals, number, func() []byte {
		if number == deadLocal {
			return []byte{aLocal}
		}
		return append([]byte{aLocal}, p.localKey(p.locals.at(number))...)
	})
}

func (p *portrait) inbox(number inboxNumber) checker.Digest {
	return p.thing(p.identities.inboxes, uint32(number), func() []byte {
		b := []byte{anInbox}
		for _, c := range p.inboxes.at(number).channels {
			b = binary.BigEndian.AppendUint16(b, uint16(c.from))
			b = binary.BigEndian.AppendUint32(b, uint32(c.inc))
			b = binary.BigEndian.AppendUint32(b, uint32(len(c.messages)))
			var list []checker.Digest
			for _, k := range c.messages {
				list = append(list, p.message(p.packets.at(k).message))
			}
			if !p.Model.KeepsOrder() {
				slices.SortFunc(list, checker.Digest.Compare)
			}
			for _, d := range list {
				b = d.Append(b)
			}
		}
		return b
	})
}

func (p *portrait) env(number uint32) checker.Digest {
	return p.thing(p.identities.envs, number, func() []byte {
		e := *p.envs.at(number)
		b := []byte{anEnv, 0}
		if e.Line > 0 {
			b = p.history(e.Line - 1).Append([]byte{anEnv, 1})
		}
		e.Line = 0
		return append(b, core.Encode(&e)...)
	})
}

// Number implements checker.Portable.
func (w *World) Number(word int, d checker.Digest,
	find func(checker.Digest) ([]byte, bool)) (uint32, error) {
	r := importer{World: w, find: find}
	number := r.word(word, d)
	if r.err == nil && w.Digest(word, number) != d {
		r.fail(d, "this build would write it in another way")
	}
	return number, r.err
}

// importer makes things of contents; the first error sticks.
type importer struct {
	*World
	find func(checker.Digest) ([]byte, bool)
	err  error
}

func (r *importer) fail(d checker.Digest, words string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("content %v: %s", d, fmt.Sprintf(words, args...))
	}
}

// content is what lies behind the kind of a content, which must have at least so many bytes.
func (r *importer) content(d checker.Digest, kind byte, least int) []byte {
	if r.err != nil {
		return nil
	}
	b, err := checker.CheckContent(d, r.find)
	switch {
	case err != nil:
		r.err = err
	case len(b) == 0 || b[0] != kind:
		r.fail(d, "it is not of kind %q", kind)
	case len(b) < 1+least:
		r.fail(d, "%d bytes are too few", len(b))
	default:
		return b[1:]
	}
	return nil
}

func (r *importer) word(word int, d checker.Digest) uint32 {
	switch {
	case word == budgetWord:
		b := r.content(d, someBudgets, 9)
		if r.err != nil {
			return 0
		}
		return r.budgetNumber(budgets{faults: binary.BigEndian.Uint32(b),
			harms: binary.BigEndian.Uint32(b[4:]), over: b[8] != 0})
	case word < r.procWords():
		b := r.content(d, aConfiguration, 2+3*checker.DigestBytes)
		if r.err == nil && int(binary.BigEndian.Uint16(b)) != word-1 {
			r.fail(d, "it is of proc %d, want %d", binary.BigEndian.Uint16(b), word-1)
		}
		if r.err != nil {
			return 0
		}
		c := configuration{local: r.local(checker.ReadDigest(b[2:]))}
		c.inbox = r.inbox(checker.ReadDigest(b[2+checker.DigestBytes:]))
		if c.env = r.env(checker.ReadDigest(b[2+2*checker.DigestBytes:])); r.err != nil {
			return 0
		}
		return r.configuration(core.Proc(word-1), c)
	}
	return r.memories(d)
}

func (r *importer) memories(d checker.Digest) uint32 {
	s := &r.monitors
	b := r.content(d, someMemories, checker.DigestBytes*len(s.list))
	memory := make([]uint32, len(s.list))
	for i := range memory {
		if r.err != nil {
			return 0
		}
		one := checker.ReadDigest(b[i*checker.DigestBytes:])
		key := r.content(one, aMemory, 2)
		if r.err != nil {
			return 0
		}
		m, err := s.list[i].Restore(key[2:])
		if err != nil {
			r.fail(one, "%v", err)
			return 0
		}
		memory[i] = s.remember(i, m)
	}
	return s.intern(memory)
}

// made makes a thing of a content that is a key of it.
func made[N ~uint32, T any](r *importer, d checker.Digest, kind byte, list *interned[N, T],
	value func(key []byte) (T, error)) N {
	key := r.content(d, kind, 0)
	if r.err != nil {
		return 0
	}
	if number, ok := list.find(key); ok {
		return number
	}
	v, err := value(key)
	if err != nil {
		r.fail(d, "%v", err)
		return 0
	}
	return list.intern(key, v)
}

func (r *importer) local(d checker.Digest) uint32 {
	return made(r, d, aLocal, &r.locals, r.decodedLocal)
}

func (r *importer) message(d checker.Digest) messageNumber {
	return made(r, d, aMessage, &r.messages, r.restoredMessage)
}

func (r *importer) history(d checker.Digest) uint32 {
	return made(r, d, aHistory, &r.histories, func(key []byte) (*trace.History, error) {
		h := &trace.History{}
		return h, decodeExactly(key, h)
	})
}

func (r *importer) inbox(d checker.Digest) inboxNumber {
	b := r.content(d, anInbox, 0)
	var channels []channel
	for len(b) > 0 {
		if len(b) < 10 {
			r.fail(d, "it ends within a channel")
			return 0
		}
		c := channel{from: core.Proc(binary.BigEndian.Uint16(b)),
			inc: core.Incarnation(binary.BigEndian.Uint32(b[2:]))}
		n := uint64(binary.BigEndian.Uint32(b[6:]))
		if b = b[10:]; n == 0 || n > uint64(len(b)/checker.DigestBytes) ||
			int(c.from) >= r.procs {
			r.fail(d, "%d messages from proc %d make no sense", n, c.from)
			return 0
		}
		for ; n > 0; n-- {
			m := r.message(checker.ReadDigest(b))
			if b = b[checker.DigestBytes:]; r.err != nil {
				return 0
			}
			c.messages = append(c.messages,
				r.internPacket(packet{from: c.from, inc: c.inc, message: m}))
		}
		if !r.Model.KeepsOrder() {
			slices.Sort(c.messages)
		}
		channels = append(channels, c)
	}
	if r.err != nil {
		return 0
	}
	if !slices.IsSortedFunc(channels, func(a, b channel) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.inc, b.inc))
	}) {
		r.fail(d, "its channels are in no order")
		return 0
	}
	return r.internInbox(channels)
}

func (r *importer) env(d checker.Digest) uint32 {
	b := r.content(d, anEnv, 1)
	if r.err != nil {
		return 0
	}
	lined := b[0] != 0
	line := uint32(0)
	if b = b[1:]; lined {
		if len(b) < checker.DigestBytes {
			r.fail(d, "it ends within a digest")
			return 0
		}
		line = r.history(checker.ReadDigest(b)) + 1
		b = b[checker.DigestBytes:]
	}
	var e env
	if err := decodeExactly(b, &e); err != nil {
		r.fail(d, "%v", err)
	}
	if r.err != nil {
		return 0
	}
	e.Line = line
	return r.internEnv(e)
}

// Shown implements checker.Portable.
func (w *World) Shown() checker.Shown {
	w.sights.mu.Lock()
	defer w.sights.mu.Unlock()
	s := checker.Shown{Seen: slices.Clone(w.sights.seen), Answer: w.sights.answer,
		Witnesses: map[string]string{}}
	for key, value := range w.sights.witnesses {
		s.Witnesses[key] = value.value
	}
	return s
}

// Learn implements checker.Portable.
func (w *World) Learn(s checker.Shown) bool {
	if !w.sights.agree(s.Witnesses) {
		return false
	}
	for _, name := range s.Seen {
		w.sights.see(name)
	}
	if s.Answer != "" {
		w.sights.answered(s.Answer)
	}
	return true
}

// agree takes witnesses over, unless there is another one for some key.
func (s *sights) agree(witnesses map[string]string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, value := range witnesses {
		if known, ok := s.witnesses[key]; ok && known.value != value {
			return false
		}
	}
	if s.witnesses == nil {
		s.witnesses = map[string]witness{}
	}
	for key, value := range witnesses {
		s.witnesses[key] = witness{value: value}
	}
	return true
}

// Met implements checker.Portable.
func (w *World) Met(steps, states int) (newSteps, newStates []checker.Digest) {
	w.identities.mu.Lock()
	defer w.identities.mu.Unlock()
	p := w.portrait(nil, nil)
	for i := range w.transitions.len() {
		if i >= steps {
			t := w.transitions.at(uint32(i))
			b := p.local(t.from).Append([]byte{aStep})
			newSteps = append(newSteps,
				checker.DigestOf(append(b, inputContent(w.inputs.at(t.input))...)))
		}
	}
	for i := states; i < w.locals.len()-1; i++ { // 0 is no state
		newStates = append(newStates, p.local(uint32(i+1)))
	}
	return newSteps, newStates
}

// Ended implements checker.Portable.
func (w *World) Ended() error {
	if w.unjudged.Load() {
		return fmt.Errorf("a step was left behind that did not return")
	}
	return w.Err()
}

// Account makes LocalSteps what a search in several processes has met, this one among them.
func (w *World) Account(steps, states int) { w.elsewhere = [2]int{steps, states} }
