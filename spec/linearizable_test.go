package spec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

func invoked(p trace.Proc, operation string) trace.Event {
	return trace.Event{Kind: trace.Invoked, Proc: p, Text: operation}
}

func returned(p trace.Proc, answer string) trace.Event {
	return trace.Event{Kind: trace.Returned, Proc: p, Text: answer}
}

var registerCases = []judged{
	{
		name: "a read that misses a write before it", property: "linearizable",
		events: []trace.Event{invoked(x, "write A"), returned(x, ""), invoked(y, "read"),
			returned(y, "")},
		want: `y gets the answer "" to its read: in no order of the operations the register can hold that; it can hold "A"`,
	},
	{
		name: "two reads that see two writes the other way round", property: "linearizable",
		events: []trace.Event{invoked(x, "write A"), returned(x, ""), invoked(x, "write B"),
			invoked(y, "read"), returned(y, "B"),
			invoked(c, "read"), returned(c, "A")},
		want: `c gets the answer "A" to its read: in no order of the operations the register can hold that; it can hold "B"`,
	},
	{
		name: "a value that nobody wrote", property: "linearizable",
		events: []trace.Event{invoked(x, "write A"), invoked(y, "read"), returned(y, "B")},
		want:   `y gets the answer "B" to its read: in no order of the operations the register can hold that; it can hold "" or "A"`,
	},
	{
		name: "an operation inside an operation", property: "linearizable",
		events: []trace.Event{invoked(x, "write A"), invoked(x, "read")},
		want:   "x begins to read before its write A has ended",
	},
	{
		name: "an answer to nothing", property: "linearizable",
		events: []trace.Event{returned(y, "A")},
		want:   `y gets the answer "A" to no operation`,
	},
	{
		name:     "reads and writes that overlap, in the order that the answers need",
		property: "linearizable",
		events: []trace.Event{invoked(x, "write A"), invoked(y, "write B"), invoked(c, "read"),
			returned(y, ""), returned(c, ""), invoked(c, "read"),
			returned(c, "B"), returned(x, ""), invoked(y, "read"), returned(y, "A")},
	},
	{
		name: "a write that was not confirmed is read, and then again by a client that has " +
			"restarted", property: "linearizable",
		events: []trace.Event{invoked(x, "write A"), crashed(x), invoked(y, "read"),
			returned(y, ""), restored(x, 1, 0, 0),
			in(1, invoked(x, "read")), in(1, returned(x, "A")), invoked(y, "read"),
			returned(y, "A")},
	},
}

func TestLinearizable(t *testing.T) { judge(t, registerCases) }

// did is one operation of a random history by the places of its beginning and end.
type did struct {
	input, output string
	call, ended   int // index of the event; ended is large when it has not
}

// explained tries every order of the operations, leaving out any that have not ended.
func explained(rest []did, value string) bool {
	if !slices.ContainsFunc(rest, func(o did) bool { return o.ended < 1<<20 }) {
		return true
	}
	for i, o := range rest {
		if slices.ContainsFunc(rest, func(before did) bool { return before.ended < o.call }) {
			continue
		}
		next := value
		if written, ok := strings.CutPrefix(o.input, "write "); ok {
			next = written
		} else if o.ended < 1<<20 && o.output != value {
			continue
		}
		if explained(slices.Delete(slices.Clone(rest), i, i+1), next) {
			return true
		}
	}
	return false
}

// Aim: what the property remembers is enough, and what it says of it is right. Method: random
// histories of three clients; after each end of an operation the verdict is compared with a search
// through all orders of the operations by the places of the events.
func TestLinearizableAgainstAllOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	f := exampleFacts()
	property := property(t, "linearizable")
	verdicts := map[bool]int{}
	for n := range 4000 {
		var list []did
		open := map[trace.Proc]int{}
		var events []trace.Event
		memory := property.Begin()
		for at := range 4 + r.IntN(10) {
			p := trace.Proc(r.IntN(3))
			var e trace.Event
			if i, ok := open[p]; ok {
				answer := ""
				if list[i].input == "read" {
					answer = []string{"", "A", "B"}[r.IntN(3)]
				}
				e = returned(p, answer)
				list[i].output, list[i].ended = answer, at
				delete(open, p)
			} else {
				e = invoked(p, []string{"read", "write A", "write B"}[r.IntN(3)])
				open[p] = len(list)
				list = append(list, did{input: e.Text, call: at, ended: 1 << 20})
			}
			events = append(events, e)
			var broken string
			memory, broken = property.Observe(f, memory, e)
			if e.Kind == trace.Invoked {
				if broken != "" {
					t.Fatalf("history %d: %s", n, broken)
				}
				continue
			}
			want := explained(list, "")
			verdicts[want]++
			if (broken == "") != want {
				var words []string
				for _, e := range events {
					words = append(words, fmt.Sprintf("%s: %s", f.Layout.Name(e.Proc),
						f.Layout.Describe(e)))
				}
				t.Fatalf("history %d: explained %t, the property says %q:\n%s\n%s", n, want, broken,
					strings.Join(words, "\n"), memory)
			}
			if broken != "" {
				break
			}
		}
	}
	t.Logf("%d answers explained, %d not", verdicts[true], verdicts[false])
	if verdicts[true] < 5000 || verdicts[false] < 1000 {
		t.Error("one of the verdicts hardly occurs")
	}
}

// Aim: the memory holds no more than matters. Method: two runs that differ in the order of
// beginnings, and of ends, of operations that overlap are remembered alike; one in which two
// operations do not overlap is not.
func TestHistoriesAreTheSame(t *testing.T) {
	f, property := exampleFacts(), property(t, "linearizable")
	remember := func(events ...trace.Event) string {
		memory := property.Begin()
		for _, e := range events {
			memory, _ = property.Observe(f, memory, e)
		}
		return string(memory.AppendKey(nil))
	}
	a, b := invoked(x, "write A"), invoked(y, "write B")
	one, other := remember(a, b, returned(x, ""), returned(y, "")),
		remember(b, a, returned(y, ""), returned(x, ""))
	if one != other {
		t.Errorf("the order of overlapping operations is remembered:\n%s\n%s", one, other)
	}
	if apart := remember(a, returned(x, ""), b, returned(y, "")); apart == one {
		t.Errorf("that one ended before the other began is forgotten: %s", apart)
	}
	same := [][2][]trace.Event{
		{{invoked(x, "read"), in(1, invoked(x, "read")), in(1, returned(x, ""))}, nil},
		{{invoked(x, "read"), a, b, in(1, a), returned(y, ""), in(1, returned(x, "")),
			invoked(c, "read"), returned(c, "B")}, {b, returned(y, "")}},
		{{in(1, a), in(2, invoked(x, "read")), b, returned(y, ""), invoked(c, "read"),
			returned(c, "A"), in(2, returned(x, "A"))}, {a, returned(x, "")}},
	}
	for i, both := range same {
		if one, other := remember(both[0]...), remember(both[1]...); one != other {
			t.Errorf("histories %d: what is over is remembered: %q, %q", i, one, other)
		}
	}
	promised := &spec.Facts{Promises: promise.Promises{Register: true}}
	if !slices.ContainsFunc(selected(t, promised),
		func(p spec.Property) bool {
			return p.Name == property.Name
		}) {
		t.Error("the property does not apply to a register")
	}
}
