package search

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// Saver is a System with numbers of its own in the states: they must mean the same when a search
// goes on. A system without it is one whose states mean the same in every process.
type Saver interface {
	checker.System
	// Save writes everything that a number stands for. No other method is called meanwhile.
	Save(*Encoder)
	// Restore makes a fresh system what the saved one was; what is wrong sticks in the decoder.
	Restore(*Decoder)
}

// runHeader is the part of a run file that says of what it is, and the small numbers.
type runHeader struct {
	Build, Subject string
	Words, Entry   int
	Order          checker.Order
	Reduce         checker.Reduction
	Exact          bool
	All            bool
	Only           string

	Stats    checker.Stats
	Level    int
	Sizes    []int
	Findings []savedFinding
}

type savedFinding struct {
	Violation     int
	Property      string
	Number, Depth uint32
	Step          int
}

func (s *search) header() runHeader {
	o := &s.options
	return runHeader{Build: o.Saving.Build, Subject: o.Saving.Subject, Words: s.sys.Words(),
		Entry: entryWords, Order: o.Order,
		Reduce: o.Reduce, Exact: o.Exact, All: o.All, Only: o.Only}
}

// differs says in what the file is of something else than this search, or "".
func (h *runHeader) differs(g *runHeader) string {
	switch {
	case h.Build != g.Build:
		return fmt.Sprintf("it was saved by another build of domino, %q; this is %q", h.Build,
			g.Build)
	case h.Subject != g.Subject:
		return "it is of something else: " + firstDifference(h.Subject, g.Subject)
	case h.Order != g.Order:
		return fmt.Sprintf("its search is %v, this one is %v", h.Order, g.Order)
	case h.Reduce != g.Reduce:
		return fmt.Sprintf("its reductions are %s, here they are %s", h.Reduce, g.Reduce)
	case h.Exact != g.Exact:
		return fmt.Sprintf("its search is exact: %t, this one: %t", h.Exact, g.Exact)
	case h.All != g.All || h.Only != g.Only:
		return "it looks for other violations"
	case h.Words != g.Words || h.Entry != g.Entry:
		return fmt.Sprintf("its states have %d words, here they have %d", h.Words, g.Words)
	}
	return ""
}

// firstDifference is the first line in which two texts differ.
func firstDifference(saved, here string) string {
	a, b := strings.Split(saved, "\n"), strings.Split(here, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return fmt.Sprintf("it has %q where this has %q", strings.Join(a[:min(1, len(a))], ""),
		strings.Join(b[:min(1, len(b))], ""))
}

// save writes the state of the search. No worker may be at work.
func (s *search) save() error {
	return writeRun(s.options.Saving.File, func(e *Encoder) {
		h := s.header()
		h.Stats, h.Level, h.Sizes = s.stats(), s.level.depth, s.level.sizes
		for _, f := range s.finds.Runs() {
			h.Findings = append(h.Findings, savedFinding{f.violation, f.property, f.number, f.depth,
				f.step})
		}
		text, err := json.Marshal(h)
		if err != nil {
			panic("invariant: a header is plain data: " + err.Error())
		}
		e.Bytes(text)
		if sys, ok := s.sys.(Saver); ok {
			sys.Save(e)
		}
		s.visited.save(e)
		s.links.save(e)
		e.Number(uint64(len(s.workers)))
		for _, w := range s.workers {
			e.Number(uint64(w.number.next))
			e.Words(w.stack)
		}
		saveStacks(e, s.pool.shared)
		saveStacks(e, s.level.parts)
	})
}

func saveStacks(e *Encoder, stacks [][]uint32) {
	e.Number(uint64(len(stacks)))
	for _, stack := range stacks {
		e.Words(stack)
	}
}

// restore reads what save wrote into a search that has not begun.
func (s *search) restore(d *Decoder) {
	var h runHeader
	if err := json.Unmarshal(d.Bytes(), &h); err != nil {
		d.Fail(fmt.Errorf("read the header: %w", err))
		return
	}
	want := s.header()
	if differ := h.differs(&want); differ != "" {
		d.Fail(fmt.Errorf("%s", differ))
		return
	}
	if sys, ok := s.sys.(Saver); ok {
		if sys.Restore(d); d.Err() != nil {
			return
		}
	}
	s.visited.restore(d)
	s.links.restore(d)
	s.restoreStacks(d)
	for _, f := range h.Findings {
		g := finding{f.Violation, f.Property, f.Number, f.Depth, f.Step}
		s.finds.Keep(spec.Violation{Property: f.Property}, g.length(),
			func() finding { return g })
	}
	w := s.workers[0]
	w.stats = h.Stats
	s.before, s.level.depth, s.level.sizes = h.Stats.Elapsed, h.Level, h.Sizes
	s.begun.Store(int64(h.Stats.States))
	s.covered.Store(int64(h.Stats.Covered))
	s.top(h.Stats.Peak)
	for _, w := range s.workers {
		w.publish()
	}
	s.started.Store(true)
}

// restoreStacks hands each worker the stack that it had; what a worker that is not there any more
// had is for all.
func (s *search) restoreStacks(d *Decoder) {
	for i := range d.Count(2) {
		next, stack := uint32(d.Number()), d.Words()
		switch {
		case next&(1<<linkBits-1) != 0 && int(next>>linkBits) >= len(s.links.blocks):
			d.Fail(fmt.Errorf("state %d has no link", next))
		case i < len(s.workers):
			w := s.workers[i]
			w.stack = stack
			w.number.resume(next)
		case s.options.Order == checker.BreadthFirst:
			w := s.workers[len(s.workers)-1]
			w.stack = append(w.stack, stack...)
		case len(stack) > 0:
			s.pool.shared = append(s.pool.shared, stack)
		}
	}
	for range d.Count(1) {
		s.pool.shared = append(s.pool.shared, d.Words())
	}
	for range d.Count(1) {
		s.addParts(d.Words())
	}
	size := entryWords + s.sys.Words()
	for _, stack := range append(s.pool.shared, s.level.parts...) {
		if len(stack)%size != 0 {
			d.Fail(fmt.Errorf("a stack of %d words is not made of entries of %d", len(stack), size))
		}
	}
}

// save writes the set, so that a restored one has each table as large as it was.
func (v *visited) save(e *Encoder) {
	for i := range v.shards {
		s := &v.shards[i]
		e.Number(uint64(s.count))
		if v.exact {
			e.Words(s.exact.vectors)
			continue
		}
		var slots []uint64
		if p := s.slots.Load(); p != nil {
			slots = *p
		}
		e.Number(uint64(len(slots)))
		for j := 0; j < len(slots); j += 2 {
			if slots[j] != 0 {
				e.fixed(slots[j])
				e.fixed(slots[j+1])
			}
		}
	}
}

func (v *visited) restore(d *Decoder) {
	mixers := checker.NewMixers(v.words)
	for i := range v.shards {
		s := &v.shards[i]
		count := d.Count(1)
		if v.exact {
			vectors := d.Words()
			if len(vectors) != count*v.words {
				d.Fail(fmt.Errorf("%d words are not %d states of %d", len(vectors), count, v.words))
				return
			}
			for ; len(vectors) > 0; vectors = vectors[v.words:] {
				s.insertVector(mixers.Fingerprint(vectors[:v.words]), vectors[:v.words])
			}
			continue
		}
		slots := make([]uint64, d.Count(1))
		if len(slots)%2 != 0 || len(slots) > 0 && 2*count >= len(slots) {
			d.Fail(fmt.Errorf("%d fingerprints in a table of %d words", count, len(slots)))
			return
		}
		for range count {
			f := checker.Fingerprint{Lo: d.fixed(), Hi: d.fixed()}
			if d.Err() != nil || len(slots) == 0 {
				return
			}
			j, _ := find(slots, f)
			slots[j], slots[j+1] = f.Lo, f.Hi
		}
		if len(slots) > 0 {
			s.count = count
			s.slots.Store(&slots)
			s.size.Store(int64(len(slots)) * 8)
		}
	}
}

func (l *links) save(e *Encoder) {
	e.Number(uint64(len(l.blocks)))
	for _, b := range l.blocks {
		e.Words(b.parents[:])
		for i := range b.steps {
			e.Number(uint64(b.steps[i]))
		}
	}
}

func (l *links) restore(d *Decoder) {
	for range d.Count(4 << linkBits) {
		b := &linkBlock{}
		copy(b.parents[:], d.Words())
		for i := range b.steps {
			b.steps[i] = uint16(d.Number())
		}
		l.blocks = append(l.blocks, b)
	}
}

// resume lets a worker go on with numbers from next on.
func (n *numberer) resume(next uint32) {
	if n.next = next; next&(1<<linkBits-1) != 0 {
		n.block = n.links.blocks[next>>linkBits]
	}
}
