package emulate

import (
	"fmt"
	"sync"

	"github.com/domino-check/domino/impl/core"
)

// A block of procs is a Run of its own: its moment, items, queue and hooks are its own. What it
// makes for procs of other blocks it keeps until all have come to the end of the window, and it
// reads of them only what does not change in a run by windows: their lives and nodes.

// away is an event of a proc of another block, with its item.
type away struct {
	event local
	proc  core.Proc
	item  item
}

// fewProcs is how many procs must have an event in a window to be worth a second processor.
const fewProcs = 512

// block is which procs go on together: ranks that are next to each other, and services that are.
// Where ranks do the same at the same time, so do their services, but later: with all services in
// one block, another one would wait for it.
type block struct {
	ranks, services [2]core.Proc // from the first to the one behind the last
}

// has reports whether a proc is of the block.
func (b *block) has(p core.Proc) bool {
	return p-b.ranks[0] < b.ranks[1]-b.ranks[0] ||
		p-b.services[0] < b.services[1]-b.services[0]
}

// mostBlocks is how many blocks there are at most.
const mostBlocks = 1 << 16

// share is the k-th of n parts of some procs.
func share(first, behind, k, n int) [2]core.Proc {
	part := func(k int) core.Proc { return core.Proc(first + (behind-first)*k/n) }
	return [2]core.Proc{part(k), part(k + 1)}
}

// split makes the blocks of a run by windows. The first one is the run itself.
func (r *Run) split(w *windows) (blocks []*Run) {
	n, ranks := 1, r.setup.Layout.Ranks
	if r.config.Another != nil {
		n = max(min(r.config.Blocks, len(r.procs), mostBlocks), 1)
	}
	w.home = make([]uint16, len(r.procs))
	for k := range n {
		own, b := *w, r
		if k > 0 {
			b = &Run{setup: r.setup, config: r.config.Another(), procs: r.procs, shared: r.shared,
				direct: r.direct}
			b.config.Steps = r.config.Steps
		}
		own.block = block{share(0, ranks, k, n), share(ranks, len(r.procs), k, n)}
		for _, of := range [...][2]core.Proc{own.ranks, own.services} {
			for p := of[0]; p < of[1]; p++ {
				w.home[p] = uint16(k)
			}
		}
		b.windows = &own
		blocks = append(blocks, b)
	}
	return blocks
}

// inWindows runs to the end.
func (r *Run) inWindows(w *windows) error {
	const few = 4 // events and inputs of a proc that mostly wait at most
	events, inputs := make([]local, few*len(r.procs)), make([]int32, few*len(r.procs))
	for i := range r.procs {
		p := &r.procs[i]
		p.due, p.events, p.inbox = never, events[:0:few], inputs[:0:few]
		events, inputs = events[few:], inputs[few:]
	}
	blocks := r.split(w)
	for listed := len(r.procs); listed > 0; listed = next(blocks) {
		together(blocks, listed >= fewProcs)
		if err := r.gather(blocks); err != nil || r.result.Bound != "" {
			return err
		}
		r.config.Apart(r)
	}
	return nil
}

// together brings all blocks to the end of the window, at the same time if that is worth it.
func together(blocks []*Run, worth bool) {
	var others sync.WaitGroup
	for _, b := range blocks[1:] {
		if worth {
			others.Go(b.window)
		} else {
			b.window()
		}
	}
	blocks[0].window()
	others.Wait()
}

// gather adds up what the blocks have done, and reports one that can not go on.
func (r *Run) gather(blocks []*Run) error {
	for _, b := range blocks[1:] {
		r.result.add(&b.result)
		b.result = Result{}
		r.windows.last = max(r.windows.last, b.windows.last)
	}
	for _, b := range blocks {
		switch b.failed {
		case nil:
		case ErrOrder:
			return ErrOrder
		default: // another one may fail before
			return fmt.Errorf("%w: at %v %s: %v", ErrOrder, b.Now(),
				r.setup.Layout.Name(b.windows.running.id), b.failed)
		}
	}
	if r.result.Steps >= r.config.Steps {
		return ErrOrder
	}
	return nil
}

// add is both together.
func (r *Result) add(other *Result) {
	r.Steps += other.Steps
	r.Messages += other.Messages
	r.Bytes += other.Bytes
	r.Busy += other.Busy
	r.Ended, r.Bound = max(r.Ended, other.Ended), max(r.Bound, other.Bound)
}

// next hands over what blocks have made for each other, and goes on to the next window that lists
// somebody: how many that are, 0 if nobody ever is.
func next(blocks []*Run) (listed int) {
	number := int64(never)
	for _, b := range blocks {
		w := b.windows
		for i := range w.away {
			a := &w.away[i]
			blocks[w.home[a.proc]].accept(a)
		}
		clear(w.away)
		w.away = w.away[:0]
	}
	for _, b := range blocks {
		number = min(number, b.windows.next())
	}
	if number == never {
		return 0
	}
	for _, b := range blocks {
		listed += b.windows.goTo(number)
	}
	return listed
}

// accept takes over an event that another block has made.
func (r *Run) accept(a *away) {
	a.event.item = r.hold(a.item)
	if via := a.item.via; via != nil {
		via.under = append(via.under, a.event.item)
	}
	r.windows.add(&r.procs[a.proc], a.event)
}
