package spec_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/spec/trace"
)

// oneRegister is what clients believe to see, for porcupine. A missing output is not known.
var oneRegister = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		if value, write := strings.CutPrefix(input.(string), "write "); write {
			return true, value
		}
		return output == nil || output == state, state
	},
}

// life is one incarnation of a client.
type life struct {
	proc        trace.Proc
	incarnation trace.Incarnation
}

// operated is a history of operations, as whole as the reference wants it.
type operated struct {
	events []trace.Event
	all    []porcupine.Operation
	open   map[life]int // of all
	// of each life, what it did and, for each of its operations, what others had ended before
	did   map[life]string
	ended map[life]int
}

func newOperated() *operated {
	return &operated{open: map[life]int{}, did: map[life]string{}, ended: map[life]int{}}
}

// add takes the next event.
func (h *operated) add(e trace.Event) {
	who, at := life{e.Proc, e.Incarnation}, int64(len(h.events))
	h.events = append(h.events, e)
	if e.Kind == trace.Returned {
		o := &h.all[h.open[who]]
		o.Output, o.Return = e.Text, at
		delete(h.open, who)
		h.did[who] += fmt.Sprintf("%q ", e.Text)
		h.ended[who]++
		return
	}
	h.open[who] = len(h.all)
	h.all = append(h.all, porcupine.Operation{ClientId: int(e.Proc), Input: e.Text, Call: at,
		Return: math.MaxInt64})
	h.did[who] += e.Text + fmt.Sprintf(" after %v ", h.ended) // fmt sorts
}

// linearizable asks porcupine.
func (h *operated) linearizable() bool { return porcupine.CheckOperations(oneRegister, h.all) }

// order is the history up to the order in which overlapping operations began and ended.
func (h *operated) order() string { return fmt.Sprint(h.did) }

// String lists the events.
func (h *operated) String() string {
	var words []string
	for _, e := range h.events {
		words = append(words, fmt.Sprintf("%d.%d %v %s", e.Proc, e.Incarnation, e.Kind, e.Text))
	}
	return strings.Join(words, "\n")
}

// service answers clients: at some time while an operation is under way it happens. One that is
// faulty loses a write now and then, or gives any answer.
type service struct {
	clients int
	faulty  bool
	value   string
	lives   []trace.Incarnation
	answers map[life]string // of what has happened and not ended
	late    []string        // writes of former lives that have not happened
}

// next draws an event; false: something happened that no client sees.
func (s *service) next(draw func(n int) int, h *operated) (e trace.Event, ok bool) {
	p := trace.Proc(draw(s.clients))
	who := life{p, s.lives[p]}
	e = trace.Event{Kind: trace.Returned, Proc: p, Incarnation: s.lives[p]}
	i, open := h.open[who]
	answer, happened := s.answers[who]
	switch {
	case !open:
		e.Kind, e.Text = trace.Invoked, []string{"read", "write A", "write B", "write "}[draw(4)]
		return e, true
	case draw(12) == 0:
		s.lives[p]++
		if input := h.all[i].Input.(string); !happened && input != "read" {
			s.late = append(s.late, input)
		}
		return e, false
	case len(s.late) > 0 && draw(6) == 0:
		s.value = strings.TrimPrefix(s.late[0], "write ")
		s.late = s.late[1:]
		return e, false
	case happened:
		delete(s.answers, who)
		e.Text = answer
		return e, true
	case s.faulty && draw(6) == 0:
		e.Text = []string{"", "A", "B"}[draw(3)]
		return e, true
	}
	s.happens(who, h.all[i].Input.(string), s.faulty && draw(3) == 0)
	return e, false
}

func (s *service) happens(who life, input string, lost bool) {
	value, write := strings.CutPrefix(input, "write ")
	if !write {
		s.answers[who] = s.value
		return
	}
	if s.answers[who] = ""; !lost {
		s.value = value
	}
}

// severalTimes makes small checks as large as rapid expects them.
func severalTimes(n int, check func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		for range n {
			check(t)
		}
	}
}

// Aim: the verdict is that of porcupine after each answer, for clients that fail and operations
// that never end, and a service that loses updates is found out. Method: random histories of up to
// five clients; whatever a service without faults does is linearizable by construction.
func TestLinearizableAgainstPorcupine(t *testing.T) {
	f, p := exampleFacts(), property(t, "linearizable")
	f.Layout.Names = []string{"v", "w", "x", "y", "z"}
	verdicts := map[string]int{}
	rapid.Check(t, severalTimes(20, func(t *rapid.T) {
		s := &service{clients: rapid.IntRange(2, 5).Draw(t, "clients"),
			faulty: rapid.Bool().Draw(t, "faulty"), answers: map[life]string{}}
		s.lives = make([]trace.Incarnation, s.clients)
		h, memory, broken := newOperated(), p.Begin(), ""
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			e, ok := s.next(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "of") }, h)
			if !ok {
				continue
			}
			h.add(e)
			before := memory
			memory, broken = p.Observe(f, before, e)
			if e.Kind == trace.Invoked && broken != "" {
				t.Fatalf("%s:\n%s", broken, h)
			} else if e.Kind == trace.Invoked {
				continue
			}
			want := h.linearizable()
			verdicts[fmt.Sprintf("faulty %t, linearizable %t", s.faulty, want)]++
			if want != (broken == "") {
				t.Fatalf("linearizable: %t, the property says %q of %s:\n%s", want, broken, before,
					h)
			}
			if !want {
				return
			}
		}
	}))
	t.Log(verdicts)
	if verdicts["faulty true, linearizable false"] < 5 || verdicts["faulty false, linearizable "+
		"true"] < 100 || verdicts["faulty false, linearizable false"] > 0 {
		t.Error("some of the verdicts hardly occur, or a service without faults is broken")
	}
}

// Aim: what is remembered depends on no more than which operations overlapped and what they
// answered, and on less when operations are over. Method: random short histories; of those in which
// the same operations overlapped, none is remembered in another way.
func TestOverlapIsRemembered(t *testing.T) {
	f, p := exampleFacts(), property(t, "linearizable")
	type known struct {
		events int
		key    []byte
		first  *operated
	}
	orders, keys, again := map[string]known{}, map[string]bool{}, 0
	rapid.Check(t, severalTimes(20, func(t *rapid.T) {
		h, memory, broken := newOperated(), p.Begin(), ""
		for range rapid.IntRange(4, 9).Draw(t, "events") {
			e := trace.Event{Kind: trace.Returned, Proc: trace.Proc(rapid.IntRange(0, 2).Draw(t,
				"client"))}
			if i, open := h.open[life{proc: e.Proc}]; !open {
				e.Kind = trace.Invoked
				e.Text = rapid.SampledFrom([]string{"read", "write A", "write B"}).Draw(t, "input")
			} else if h.all[i].Input == "read" {
				e.Text = rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "answer")
			}
			h.add(e)
			if memory, broken = p.Observe(f, memory, e); broken != "" {
				return
			}
			key, order := memory.AppendKey(nil), h.order()
			keys[string(key)] = true
			was, ok := orders[order]
			if !ok {
				orders[order] = known{len(h.events), key, h}
				continue
			}
			if !slices.Equal(was.first.events[:was.events], h.events) {
				again++
			}
			if !bytes.Equal(was.key, key) {
				t.Fatalf("remembered in two ways, the second %s:\n%s\n\n%v", memory, h,
					was.first.events[:was.events])
			}
		}
	}))
	t.Logf("%d histories, %d ways to remember them, %d met in another order", len(orders),
		len(keys), again)
	if again < 100 || 3*len(keys) > 2*len(orders) {
		t.Error("hardly anything was compared, or hardly anything forgotten")
	}
}
