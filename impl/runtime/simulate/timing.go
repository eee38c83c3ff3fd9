package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
)

// Handled is a step that was timed: reading what has come, the step, writing what leaves.
type Handled struct {
	Sort  string  // steps of one sort differ in Bytes alone
	Bytes int64   // that the protocol has added to the messages of the step
	Nanos float64 // the least of all runs
}

// A burst is so many messages that a rank receives before it answers: what it has to tell about
// them all travels with the answer.
var bursts = []int{1, 2, 4, 8, 16, 32, 48}

// timedRuns is how often the same run is made, and timedRounds how often each burst comes in it.
const (
	timedRuns   = 25
	timedRounds = 12
)

// Time takes the time of steps under a protocol on this computer, with more and more that it adds
// to messages: the same run in modelled time again and again, of each step the least time.
func Time(p *protocol.Protocol) ([]Handled, error) {
	machine, err := Shipped("myrinet")
	if err != nil {
		return nil, err
	}
	setup, _, err := Prepare(p, burstPrograms(), protocol.Request{Layout: core.Layout{
		Clusters: []int{0, 1}}})
	if err != nil {
		return nil, err
	}
	s := &stopwatch{}
	own := *setup
	own.New = func(q core.Proc) core.Machine {
		m := &timed{Machine: setup.New(q), setup: setup, watch: s}
		if m.recycler = core.RecyclerOf(m.Machine); m.recycler != nil {
			m.recycler.UseMemory(heap{}) // as between processes, where lists are used again
		}
		return m
	}
	for range timedRuns {
		s.next = 0
		if _, err := (&Job{Machine: machine, Setup: &own, Steps: 1 << 20}).Run(); err != nil {
			return nil, err
		}
		if s.next != len(s.steps) || s.differs {
			return nil, fmt.Errorf("simulate: protocol %s: two runs of the same have not the same "+
				"%d steps", p.Name, len(s.steps))
		}
	}
	return s.steps, nil
}

// burstPrograms are those of two ranks, of which one sends bursts, and the other one an answer
// behind each. They compute nothing.
func burstPrograms() *kernels.Suite {
	k := &kernels.Suite{Names: []string{"r0", "r1"}}
	programs := make([]core.Program, 2)
	add := func(from core.Rank) {
		programs[from] = append(programs[from], core.Op{Kind: core.OpSend, Peer: 1 - from})
		programs[1-from] = append(programs[1-from], core.Op{Kind: core.OpRecv, Peer: from})
	}
	for range timedRounds {
		for _, n := range bursts {
			for range n {
				add(0)
			}
			add(1)
		}
	}
	k.Programs = programs
	return k
}

// stopwatch has the steps of all procs of a run, in their order.
type stopwatch struct {
	steps   []Handled
	next    int
	differs bool // runs are not the same
	handling
}

// timed is a machine whose steps are timed.
type timed struct {
	core.Machine
	setup    *core.Setup
	watch    *stopwatch
	recycler core.Recycler // nil: it keeps no payloads
	header   [core.MaxHeader]byte
}

// heap is memory for logs.
type heap struct{}

func (heap) Keep(data []byte) []byte { return slices.Clone(data) }

func (heap) Copy(data []byte) []byte { return slices.Clone(data) }

func (heap) Free([]byte) {}

// Below implements core.Below.
func (t *timed) Below() core.Machine { return t.Machine }

// Tune is for the program below.
func (t *timed) Tune(b core.Buffers, brief bool) {
	if m, ok := t.Machine.(interface{ Tune(core.Buffers, bool) }); ok {
		m.Tune(b, brief)
	}
}

// Step is a step with what a driver does around it: what has come was read from its bytes, and what
// leaves is written.
func (t *timed) Step(in core.Input, out []core.Effect) []core.Effect {
	if t.recycler != nil {
		t.recycler.Settle() // the effects of the last step are performed
	}
	first := len(out)
	var again core.Message
	var header, coded []byte
	if in.Kind == core.Received {
		again, header, coded = t.sent(in.Message)
	}
	began := time.Now()
	if in.Kind == core.Received {
		if err := read(again, in.From, header, coded); err != nil {
			panic("its own message is not understood: " + err.Error())
		}
	}
	out = t.Machine.Step(in, out)
	sends := t.write(out[first:])
	nanos := float64(time.Since(began))
	t.watch.note(Handled{fmt.Sprintf("input %d, %d messages leave", in.Kind, sends),
		t.watch.of(&in, out[first:]), nanos})
	return out
}

// sent is what the bytes of a message are read into, and these bytes: a header, or those of the
// codec.
func (t *timed) sent(m core.Message) (again core.Message, header, coded []byte) {
	again = t.setup.NewMessage()
	if f, ok := m.(core.Framed); ok {
		if header, ok = f.AppendHeader(nil); ok {
			return again, header, nil
		}
	}
	return again, nil, core.Encode(m)
}

// read reads a message, for the time that it takes.
func read(m core.Message, from core.Proc, header, coded []byte) error {
	if coded != nil {
		return core.Decode(coded, m)
	}
	return m.(core.Framed).ParseHeader(header, from)
}

// write writes what leaves, for the time that it takes, and counts it.
func (t *timed) write(effects []core.Effect) (sends int) {
	for i := range effects {
		if e := &effects[i]; e.Kind == core.SendMessage {
			sends++
			if f, ok := e.Message.(core.Framed); ok {
				if _, fixed := f.AppendHeader(t.header[:0]); fixed {
					continue
				}
			}
			core.Encode(e.Message)
		}
	}
	return sends
}

// note keeps the least time of a step.
func (w *stopwatch) note(h Handled) {
	if w.next == len(w.steps) {
		w.steps = append(w.steps, h)
	}
	s := &w.steps[w.next]
	w.next++
	w.differs = w.differs || s.Bytes != h.Bytes || s.Sort != h.Sort
	s.Nanos = min(s.Nanos, h.Nanos)
}

// Sizes that differ by less are the same, a size with fewer steps says nothing, and a sort has a
// slope if its sizes differ by so much.
const (
	sameSize  = 16
	fewest    = 5
	different = 64
)

// point is the median time of the steps of one sort and size.
type point struct{ bytes, nanos float64 }

// headerCost fits what a step takes longer for each KiB that a protocol has added to its messages:
// the same slope for all sorts of steps, each with a constant of its own, by least squares over the
// medians of sizes. What is told about a reception is sent once, received with an answer, and named
// in that: the sorts come equally often, and what counts is their sum, not relative errors, which
// would be those of the cheapest sort. The residual is the root of the mean square of relative
// errors. It is not ok where sizes do not differ: then the constants have it all.
func headerCost(steps []Handled) (nanos, residual float64, ok bool) {
	sorts := medians(steps)
	var over, under float64
	for _, list := range sorts {
		x, y := centre(list)
		for _, p := range list {
			over += (p.bytes - x) * (p.nanos - y)
			under += (p.bytes - x) * (p.bytes - x)
		}
	}
	if under == 0 {
		return 0, 0, false
	}
	slope := max(0, over/under)
	var squares, points float64
	for _, list := range sorts {
		x, y := centre(list)
		for _, p := range list {
			e := (y+slope*(p.bytes-x))/p.nanos - 1
			squares, points = squares+e*e, points+1
		}
	}
	return slope * 1024, math.Sqrt(squares / points), true
}

// medians are those of the sizes of each sort that differ.
func medians(steps []Handled) (sorts [][]point) {
	steps = slices.Clone(steps)
	slices.SortFunc(steps, func(a, b Handled) int {
		return cmp.Or(cmp.Compare(a.Sort, b.Sort), cmp.Compare(a.Bytes, b.Bytes))
	})
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].Sort == steps[0].Sort {
			n++
		}
		var list []point
		for at := 0; at < n; {
			end := at + 1
			for end < n && steps[end].Bytes-steps[at].Bytes < sameSize {
				end++
			}
			if end-at >= fewest {
				list = append(list, median(steps[at:end]))
			}
			at = end
		}
		if len(list) > 1 && list[len(list)-1].bytes-list[0].bytes >= different {
			sorts = append(sorts, list)
		}
		steps = steps[n:]
	}
	return sorts
}

// median is that of steps of about one size, at the mean of these sizes.
func median(steps []Handled) (p point) {
	var nanos []float64
	for _, s := range steps {
		p.bytes += float64(s.Bytes) / float64(len(steps))
		nanos = append(nanos, s.Nanos)
	}
	slices.Sort(nanos)
	p.nanos = max(1, nanos[len(nanos)/2])
	return p
}

// centre are the means of a sort.
func centre(list []point) (bytes, nanos float64) {
	for _, p := range list {
		bytes += p.bytes / float64(len(list))
		nanos += p.nanos / float64(len(list))
	}
	return bytes, nanos
}
