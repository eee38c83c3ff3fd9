package world

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// verdicts remember what global properties say of local steps. That depends on the step, on what
// they are shown of its proc, and on what they are shown of the procs that they ask about: these
// together are the key of a verdict, so it stands for all states that look the same to those who
// gave it. About whom they may ask is learned, a set for each local step: a verdict is kept under a
// set that covers all questions that led to it.
type verdicts struct {
	slots  atomic.Pointer[[]atomic.Uint32] // place in the words plus 1, 0 = empty; by hash
	words  [verdictChunks]atomic.Pointer[[verdictChunk]uint32]
	count  int
	behind uint32 // the words in use
}

// The memory is bounded: when it is full all is forgotten, for the search works in a neighbourhood.
const (
	verdictChunk  = 1 << 14
	verdictChunks = 1 << 8
)

// mostAsked is how many procs a set can tell apart.
const mostAsked = 64

// shown is all that properties see of a proc between two steps.
type shown struct {
	local, inc, line uint32
	former           uint64
	up               bool
}

// shownBy is what properties see of a proc with a local state and an env.
func shownBy(local uint32, e *env) shown {
	return shown{local: local, inc: e.Inc, line: e.Line, former: e.Former, up: e.Up}
}

// lookNumbers numbers what properties see of a proc.
type lookNumbers struct {
	mu      sync.Mutex
	numbers map[shown]uint32
}

func (l *lookNumbers) number(look shown) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	number, ok := l.numbers[look]
	if !ok {
		if l.numbers == nil {
			l.numbers = map[shown]uint32{}
		}
		number = uint32(len(l.numbers))
		l.numbers[look] = number
	}
	return number
}

// bytes is about what they take.
func (l *lookNumbers) bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return 64 * int64(len(l.numbers))
}

// judgeChecks is the number of the first violation of a global property, 0 for none. The plans are
// those of the state, or nil: they are at hand when a state is expanded.
func (w *World) judgeChecks(state []uint32, plans []*plan, p core.Proc, tr uint32) int {
	t := w.transitions.at(tr)
	var room [mostAsked + 4]uint32
	key := w.verdictKey(room[:0], state, plans, p, tr, t.asks.Load())
	if violation, ok := w.verdicts.Load().get(key); ok {
		return violation
	}
	v := view{world: w, state: state, self: p}
	violation := w.ask(&v, t)
	if w.procs <= mostAsked {
		asks := t.asks.Or(v.asked) | v.asked
		w.keepVerdict(w.verdictKey(room[:0], state, plans, p, tr, asks), violation)
	}
	return violation
}

// verdictKey is the key of a verdict: the step, what its proc shows, who is asked about and
// what they show.
func (w *World) verdictKey(key, state []uint32, plans []*plan, p core.Proc, tr uint32,
	asks uint64) []uint32 {
	look := func(q core.Proc) uint32 {
		if plans != nil {
			return plans[q].shown
		}
		return w.of(state, q).shown
	}
	key = append(key, tr, look(p), uint32(asks), uint32(asks>>32))
	for ; asks != 0; asks &= asks - 1 {
		key = append(key, look(core.Proc(bits.TrailingZeros64(asks))))
	}
	return key
}

// ask asks the global properties about the checks of a local step.
func (w *World) ask(v *view, t *transition) int {
	for i := range t.checks {
		c := &t.checks[i]
		v.own = c.self
		if c.event.Kind == trace.Restored {
			v.own = w.restarted(t)
		}
		w.surround(v)
		for j := range w.always {
			if m := w.always[j].Event(w.Facts, v, c.event); m != "" {
				return w.violation(spec.Violation{Property: w.always[j].Name, Message: m})
			}
		}
	}
	return 0
}

// keepVerdict remembers a verdict.
func (w *World) keepVerdict(key []uint32, violation int) {
	w.keeping.Lock()
	defer w.keeping.Unlock()
	v := w.verdicts.Load()
	if _, ok := v.get(key); ok {
		return
	}
	if !v.put(key, uint32(violation)) {
		w.verdicts.Store(&verdicts{})
		w.alone.forgot.Store(true)
	}
}

// get looks a key up. A miss may be out of date unless the caller may write.
func (v *verdicts) get(key []uint32) (violation int, ok bool) {
	p := v.slots.Load()
	if p == nil {
		return 0, false
	}
	slots := *p
	for i := hashWords(key) & uint64(len(slots)-1); ; i = (i + 1) & uint64(len(slots)-1) {
		place := slots[i].Load()
		if place == 0 {
			return 0, false
		}
		if kept := v.at(place - 1); len(kept) > len(key) && slices.Equal(kept[:len(key)], key) {
			return int(kept[len(key)]), true
		}
	}
}

// at are the words from a place to the end of its chunk.
func (v *verdicts) at(place uint32) []uint32 {
	return v.words[place/verdictChunk].Load()[place%verdictChunk:]
}

// each visits all that is remembered.
func (v *verdicts) each(visit func(key []uint32, violation int)) {
	p := v.slots.Load()
	if p == nil {
		return
	}
	for i := range *p {
		if at := (*p)[i].Load(); at != 0 {
			kept := v.at(at - 1)
			n := 4 + bits.OnesCount32(kept[2]) + bits.OnesCount32(kept[3])
			visit(kept[:n], int(kept[n]))
		}
	}
}

// put adds a key that is not there; it reports whether there was room.
func (v *verdicts) put(key []uint32, violation uint32) bool {
	if need := uint32(len(key)) + 1; v.behind%verdictChunk+need > verdictChunk {
		v.behind += verdictChunk - v.behind%verdictChunk
	}
	if v.behind/verdictChunk == verdictChunks {
		return false
	}
	if chunk := &v.words[v.behind/verdictChunk]; chunk.Load() == nil {
		chunk.Store(new([verdictChunk]uint32))
	}
	kept := v.at(v.behind)
	kept[copy(kept, key)] = violation
	p := v.slots.Load()
	if p == nil || 2*v.count >= len(*p) {
		p = v.grow(p)
	}
	v.count++
	settle(*p, hashWords(key), v.behind)
	v.behind += uint32(len(key)) + 1
	return true
}

// grow makes room for as many keys again.
func (v *verdicts) grow(p *[]atomic.Uint32) *[]atomic.Uint32 {
	var old []atomic.Uint32
	if p != nil {
		old = *p
	}
	slots := make([]atomic.Uint32, max(64, 2*len(old)))
	for i := range old {
		if at := old[i].Load(); at != 0 {
			kept := v.at(at - 1)
			asked := bits.OnesCount32(kept[2]) + bits.OnesCount32(kept[3])
			settle(slots, hashWords(kept[:4+asked]), at-1)
		}
	}
	v.slots.Store(&slots)
	return &slots
}

// settle puts the place of a key into the first empty slot.
func settle(slots []atomic.Uint32, hash uint64, at uint32) {
	i := hash & uint64(len(slots)-1)
	for slots[i].Load() != 0 {
		i = (i + 1) & uint64(len(slots)-1)
	}
	slots[i].Store(at + 1)
}

func hashWords(words []uint32) (hash uint64) {
	for _, word := range words {
		hash = (hash ^ uint64(word)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	return hash
}

// bytes is about what they take, for who may write.
func (v *verdicts) bytes() int64 { return 4*int64(v.behind) + 12*int64(v.count) }
