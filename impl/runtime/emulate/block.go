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

// split makes the blocks of a run by windows, each of procs that are next to each other. The first
// one is the run itself.
func (r *Run) split(w *windows) (blocks []*Run) {
	n := 1
	if r.config.Another != nil {
		n = max(min(r.config.Blocks, len(r.procs)), 1)
	}
	w.size = core.Proc((len(r.procs) + n - 1) / n)
	for first := core.Proc(0); first == 0 || int(first) < len(r.procs); first += w.size {
		own, b := *w, r
		if first > 0 {
			b = &Run{setup: r.setup, config: r.config.Another(), procs: r.procs, shared: r.shared,
				direct: r.direct}
			b.config.Steps = r.config.Steps
		}
		own.first = first
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
			blocks[a.proc/w.size].accept(a)
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
