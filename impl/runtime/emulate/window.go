package emulate

import (
	"errors"
	"math"
	"math/bits"

	"github.com/domino-check/domino/impl/core"
)

// ErrOrder is a run with Config.Apart in which the order of all events matters.
var ErrOrder = errors.New("emulate: the order of all events matters: run again without Apart")

// windows is the queue of a run in which procs go on one after the other, each from the beginning
// to the end of a window of time, which is not longer than the time between an event of a proc and
// the first that this makes for another one: what a proc does in a window is all there when the
// window begins. A rank is then brought into the cache once a window, and not for each event.
type windows struct {
	width   moment
	now     int64                    // number of the window, -1 before the first
	near    [nearWindows][]core.Proc // by number: who is listed in the next ones
	listed  uint64                   // which of them list somebody
	far     []listing                // of later ones: a heap
	running *proc
	// messages may pass others that were sent to the same proc before them
	overtake bool
}

// nearWindows is how many windows there are lists for: those of a word of bits.
const nearWindows = 64

// never is behind the last window.
const never = math.MaxInt64

// listing is a proc and a window in which it has an event.
type listing struct {
	window int64
	proc   core.Proc
}

// local is an event of a proc. Events of the same moment are ordered by when they were made, by
// whom, and in his order, which is how a queue of all events numbers them: what is made for others
// comes later than now.
type local struct {
	at     moment
	made   moment
	number uint64 // of who has made it, rising, and kind
	by     core.Proc
	item   int32
}

// apart is an empty queue by windows, nil for a run that can not have one.
func (r *Run) apart() *windows {
	c := &r.config
	if c.Apart == nil || !r.direct || c.Keep || c.Until > 0 || len(r.clock) > 0 {
		return nil
	}
	link := &c.Costs.Between
	least := link.Latency
	for _, s := range link.Steps {
		least = min(least, s.Latency)
	}
	w := &windows{width: lasting(least) + lasting(link.Overhead), now: -1,
		overtake: len(link.Steps) > 0 || link.Chunk > 0}
	if w.width <= 0 || least <= 0 {
		return nil
	}
	return w
}

// order ends a run by windows in which something happens that depends on the order of all events.
func (r *Run) order() {
	if r.windows != nil {
		panic(ErrOrder)
	}
}

// sharing is order, where a disk is not a proc's own.
func (r *Run) sharing(d *disk) {
	if d == r.shared {
		r.order()
	}
}

// inWindows runs to the end; at is whose turn it is.
func (r *Run) inWindows(at *core.Proc) {
	w := r.windows
	last := moment(0)
	const few = 4 // events and inputs of a proc that mostly wait at most
	events, inputs := make([]local, few*len(r.procs)), make([]int32, few*len(r.procs))
	for i := range r.procs {
		p := &r.procs[i]
		p.due, p.events, p.inbox = never, events[:0:few], inputs[:0:few]
		events, inputs = events[few:], inputs[few:]
	}
	for i := range r.procs {
		p := &r.procs[i]
		*at, w.running = p.id, p
		r.begin(p, core.Input{Kind: core.Start})
		w.list(p)
	}
	for w.next() {
		end := moment(w.now+1) * w.width
		list := w.near[w.now%nearWindows]
		w.near[w.now%nearWindows] = nil
		w.listed &^= 1 << (w.now % nearWindows)
		for _, id := range list {
			p := &r.procs[id]
			if p.due != w.now { // it was listed, and then in an earlier window
				continue
			}
			*at, w.running = id, p
			for len(p.events) > 0 && p.events[0].at < end {
				e := p.events.pop()
				if e.at == theEnd {
					r.result.Bound = "time"
					break
				}
				r.now = e.at
				last = max(last, e.at)
				r.happen(p, e.number, e.item)
			}
			p.due = never
			w.list(p)
		}
		if r.result.Bound != "" {
			break
		}
		if r.result.Steps >= r.config.Steps {
			panic(ErrOrder)
		}
		w.near[w.now%nearWindows] = list[:0]
		r.config.Apart(r)
	}
	r.now = last
}

// put adds an event of a proc.
func (w *windows) put(r *Run, p *proc, kind eventKind, at moment, i int32) {
	by, made := w.running, r.now
	if w.now < 0 {
		made = -1 // the beginning comes before all events
	}
	by.number++
	p.events.push(local{at: at, made: made, number: numbered(by.number, kind), by: by.id, item: i})
	if p == by {
		return // it is listed when its turn is over
	}
	number := int64(at / w.width)
	if number <= w.now {
		panic("invariant: what a proc makes for another one is in a later window")
	}
	if number < p.due {
		p.due = number
		w.enter(listing{number, p.id})
	}
}

// list puts a proc whose turn is over into the list of the window of its next event.
func (w *windows) list(p *proc) {
	if len(p.events) == 0 {
		return
	}
	if number := int64(p.events[0].at / w.width); number < p.due {
		p.due = number
		w.enter(listing{number, p.id})
	}
}

// enter is a proc in the list of a window.
func (w *windows) enter(l listing) {
	if l.window-w.now >= nearWindows {
		w.later(l)
		return
	}
	i := l.window % nearWindows
	w.near[i] = append(w.near[i], l.proc)
	w.listed |= 1 << i
}

// next goes on to the next window that lists somebody.
func (w *windows) next() bool {
	next := int64(never)
	if w.listed != 0 {
		first := w.now + 1
		next = first + int64(bits.TrailingZeros64(
			bits.RotateLeft64(w.listed, -int(first%nearWindows))))
	}
	if len(w.far) > 0 {
		next = min(next, w.far[0].window)
	}
	if next == never {
		return false
	}
	w.now = next
	for len(w.far) > 0 && w.far[0].window-w.now < nearWindows {
		w.enter(w.sooner())
	}
	return true
}
