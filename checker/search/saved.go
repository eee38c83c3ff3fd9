package search

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// Carry makes a fresh system know what another one does, by the same numbers, as if a search had
// been saved and resumed.
func Carry(from, to Saver) error {
	var b bytes.Buffer
	e := &Encoder{w: bufio.NewWriter(&b)}
	from.Save(e)
	if err := errors.Join(e.err, e.w.Flush()); err != nil {
		return err
	}
	d := &Decoder{r: bufio.NewReader(&b), left: int64(b.Len())}
	to.Restore(d)
	return d.err
}

// runHeader is the part of a run file that says of what it is, and the small numbers.
type runHeader struct {
	Build, Subject string
	Words          int
	Order          checker.Order
	Reduce         checker.Reduction
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
	Way           []uint16
	Step          int
	Code          uint64
	State         []uint32
}

func (s *search) header() runHeader {
	o := &s.options
	return runHeader{Build: o.Saving.Build, Subject: o.Saving.Subject, Words: s.sys.Words(),
		Order: o.Order, Reduce: o.Reduce, All: o.All, Only: o.Only}
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
	case h.All != g.All || h.Only != g.Only:
		return "it looks for other violations"
	case h.Words != g.Words:
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
				f.way, f.step, f.code, f.state})
		}
		text, err := json.Marshal(h)
		if err != nil {
			panic("invariant: a header is plain data: " + err.Error())
		}
		e.Bytes(text)
		if sys, ok := s.sys.(Saver); ok {
			sys.Save(e)
		}
		e.Words(s.packing.Save())
		s.visited.save(e)
		s.links.save(e)
		e.Number(uint64(len(s.workers)))
		for _, w := range s.workers {
			e.Number(uint64(w.number.next))
			work{w.stack, w.path}.save(e)
		}
		e.Number(uint64(len(s.pool.shared)))
		for _, w := range s.pool.shared {
			w.save(e)
		}
		e.Number(uint64(len(s.level.parts)))
		for _, part := range s.level.parts {
			e.long(part)
		}
	})
}

func (w work) save(e *Encoder) {
	e.long(w.stack)
	e.Number(uint64(len(w.path)))
	for _, step := range w.path {
		e.Number(uint64(step))
	}
}

func restoreWork(d *Decoder) (w work) {
	w.stack = d.long()
	for range d.Count(1) {
		w.path = append(w.path, uint16(d.Number()))
	}
	return w
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
	if !s.restorePacking(d) {
		return
	}
	s.visited.restore(d)
	s.links.restore(d)
	s.restoreStacks(d)
	for _, f := range h.Findings {
		g := finding{f.Violation, f.Property, f.Number, f.Way, f.Depth, f.Step, f.Code,
			f.State}
		s.finds.Keep(spec.Violation{Property: f.Property}, g.length(),
			func() finding { return g })
	}
	w := s.workers[0]
	w.stats = h.Stats
	s.before, s.level.depth, s.level.sizes = h.Stats.Elapsed, h.Level, h.Sizes
	s.states.left.Add(-int64(h.Stats.States))
	s.covered.Store(int64(h.Stats.Covered))
	s.top(h.Stats.Peak)
	for _, w := range s.workers {
		w.publish()
	}
	s.started.Store(true)
}

// restorePacking reads the packing, and makes everything fit to it.
func (s *search) restorePacking(d *Decoder) bool {
	p, err := checker.Restored(s.sys.Words(), d.Words())
	if err != nil {
		d.Fail(err)
	}
	if d.Err() != nil {
		return false
	}
	s.packing = p
	s.visited = newTable(p.Bits() > checker.NarrowBits)
	s.layout.wide = s.visited.wide
	for _, w := range s.workers {
		w.x.Pack(p)
	}
	return true
}

// restoreStacks hands each worker the stack that it had; what a worker that is not there any more
// had is for all.
func (s *search) restoreStacks(d *Decoder) {
	for i := range d.Count(2) {
		next, had := uint32(d.Number()), restoreWork(d)
		switch {
		case next&(1<<linkBits-1) != 0 && int(next>>linkBits) >= len(s.links.blocks):
			d.Fail(fmt.Errorf("state %d has no link", next))
		case i < len(s.workers):
			w := s.workers[i]
			w.stack, w.path = had.stack, had.path
			w.number.resume(next)
		case s.options.Order == checker.BreadthFirst:
			w := s.workers[len(s.workers)-1]
			w.stack = append(w.stack, had.stack...)
		case len(had.stack) > 0:
			s.pool.shared = append(s.pool.shared, had)
		}
	}
	for range d.Count(1) {
		s.pool.shared = append(s.pool.shared, restoreWork(d))
	}
	for range d.Count(1) {
		s.addParts(d.long())
	}
	stacks := slices.Clone(s.level.parts)
	for _, w := range s.pool.shared {
		stacks = append(stacks, w.stack)
	}
	for _, w := range s.workers {
		stacks = append(stacks, w.stack)
	}
	for _, stack := range stacks {
		if size := s.layout.size(); len(stack)%size != 0 {
			d.Fail(fmt.Errorf("a stack of %d words is not made of entries of %d", len(stack), size))
		}
	}
}

// save writes the set, so that a restored one has each shard as large as it was, and each state in
// its place.
func (t *table) save(e *Encoder) {
	for i := range t.shards {
		s := &t.shards[i]
		now := s.now.Load()
		e.Number(now.homes)
		e.Number(uint64(len(now.slots)))
		e.Number(uint64(s.count))
		for j := 0; j < len(now.slots); j += t.stride() {
			if now.slots[j] == 0 {
				continue
			}
			e.fixed(now.slots[j])
			if t.wide {
				e.fixed(now.slots[j+1])
			}
		}
	}
}

func (t *table) restore(d *Decoder) {
	for i := range t.shards {
		s := &t.shards[i]
		homes, words := d.Number(), d.Number()
		s.count = d.Count(8)
		if homes >= words || homes > 8*uint64(s.count)+64 || words > 4*homes+margin {
			d.Fail(fmt.Errorf("%d states in a table of %d words", s.count, words))
			return
		}
		to := t.shaped(i, homes, words)
		for range s.count {
			p := place{shard: uint32(i), slot: d.fixed()}
			if t.wide {
				p.high = d.fixed()
			}
			at, found := t.lookup(to, p)
			if found || at == len(to.slots) || p.slot&1 == 0 || d.Err() != nil {
				d.Fail(errors.New("a state is not where it belongs"))
				return
			}
			t.put(to.slots, at, p)
		}
		s.set(to)
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
