package emulate

import (
	"errors"
	"math"
	"math/bits"

	"github.com/domino-check/domino/impl/core"
)

// ErrOrder is a run with Config.Apart in which the order of all events matters.
var ErrOrder = errors.New("emulate: the order of all events matters: run again without Apart")

// windows is the queue of a block of procs that go on one after the other, each from the beginning
// to the end of a window of time, which is not longer than the time between an event of a proc and
// the first that this makes for another one: what a proc does in a window is all there when the
// window begins. A rank is then brought into the cache once a window, and not for each event.
type windows struct {
	width   moment
	block                            // whose procs these are
	now     int64                    // number of the window, -1 before the first
	near    [nearWindows][]core.Proc // by number: who is listed in the next ones
	listed  uint64                   // which of them list somebody
	far     agenda                   // who is listed in later ones: at is the number, by who
	running *proc
	last    moment // when the last event was
	away    []away // what was made in this window for procs of other blocks
	// by proc, the block that has it
	home []uint16
	// messages may pass others that were sent to the same proc before them
	overtake bool
}

// nearWindows is how many windows there are lists for: those of a word of bits.
const nearWindows = 64

// never is behind the last window.
const never = math.MaxInt64

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

// window is all that happens to the procs of a block in a window.
func (r *Run) window() {
	defer func() { r.failed = recover() }()
	w := r.windows
	if w.now < 0 {
		r.starts()
		return
	}
	end := moment(w.now+1) * w.width
	list := w.near[w.now%nearWindows]
	w.near[w.now%nearWindows] = nil
	for _, id := range list {
		p := &r.procs[id]
		if p.due != w.now { // it was listed, and then in an earlier window
			continue
		}
		w.running = p
		for len(p.events) > 0 && p.events[0].at < end {
			e := p.events.pop()
			if e.at == theEnd {
				r.result.Bound = "time"
				break
			}
			if r.result.Steps >= r.config.Steps {
				panic(ErrOrder)
			}
			r.now = e.at
			w.last = max(w.last, e.at)
			r.happen(p, e.number, e.item)
		}
		p.due = never
		w.list(p)
	}
	w.near[w.now%nearWindows] = list[:0]
}

// starts begins the first life of each proc of a block.
func (r *Run) starts() {
	w := r.windows
	for _, own := range [...][2]core.Proc{w.ranks, w.services} {
		for i := own[0]; i < own[1]; i++ {
			p := &r.procs[i]
			w.running = p
			r.begin(p, core.Input{Kind: core.Start})
			w.list(p)
		}
	}
}

// put adds an event of a proc.
func (w *windows) put(r *Run, p *proc, kind eventKind, at moment, i int32) {
	by, made := w.running, r.now
	if w.now < 0 {
		made = -1 // the beginning comes before all events
	}
	by.number++
	e := local{at: at, made: made, number: numbered(by.number, kind), by: by.id, item: i}
	switch {
	case p == by: // it is listed when its turn is over
		p.events.push(e)
	case w.has(p.id):
		w.add(p, e)
	default:
		w.away = append(w.away, away{event: e, proc: p.id, item: r.take(i)})
	}
}

// add adds an event that another proc has made.
func (w *windows) add(p *proc, e local) {
	p.events.push(e)
	number := int64(e.at / w.width)
	if number <= w.now {
		panic("invariant: what a proc makes for another one is in a later window")
	}
	if number < p.due {
		p.due = number
		w.enter(number, p.id)
	}
}

// list puts a proc whose turn is over into the list of the window of its next event.
func (w *windows) list(p *proc) {
	if len(p.events) == 0 {
		return
	}
	if number := int64(p.events[0].at / w.width); number < p.due {
		p.due = number
		w.enter(number, p.id)
	}
}

// enter is a proc in the list of a window.
func (w *windows) enter(number int64, p core.Proc) {
	if number-w.now >= nearWindows {
		w.far.push(local{at: moment(number), by: p})
		return
	}
	i := number % nearWindows
	w.near[i] = append(w.near[i], p)
	w.listed |= 1 << i
}

// next is the next window that lists somebody, or never.
func (w *windows) next() int64 {
	next := int64(never)
	if w.listed != 0 {
		first := w.now + 1
		next = first + int64(bits.TrailingZeros64(
			bits.RotateLeft64(w.listed, -int(first%nearWindows))))
	}
	if len(w.far) > 0 {
		next = min(next, int64(w.far[0].at))
	}
	return next
}

// goTo goes on to a window, no later than the next one: how many procs are listed in it.
func (w *windows) goTo(number int64) (listed int) {
	w.now = number
	for len(w.far) > 0 && int64(w.far[0].at)-w.now < nearWindows {
		l := w.far.pop()
		w.enter(int64(l.at), l.by)
	}
	w.listed &^= 1 << (w.now % nearWindows)
	return len(w.near[w.now%nearWindows])
}
