package world

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Showing are properties of every kind that write down all that they are shown. None finds fault
// with anything but the one with the name, and that one with few things, drawn by the salt.
type Showing struct {
	procs int
	name  string
	salt  string
	mu    sync.Mutex
	notes map[string]struct{}
}

// NewShowing are the properties for so many procs; with the name "" none finds fault.
func NewShowing(procs int, name, salt string) *Showing {
	return &Showing{procs: procs, name: name, salt: salt, notes: map[string]struct{}{}}
}

// showingNames are the names of those that can be broken.
var showingNames = []string{"shown-all", "shown-peer", "shown-own", "shown-end", "shown-pair",
	"shown-run", "shown-line"}

// sight is the one that some run may show, if the draw is so.
const sight = "shown-sight"

// note writes down what a property is shown; it is true when that is what it finds fault with.
func (s *Showing) note(name string, shown ...any) (fault bool) {
	text := name + ": " + fmt.Sprintln(shown...)
	s.mu.Lock()
	s.notes[text] = struct{}{}
	s.mu.Unlock()
	h := fnv.New32a()
	fmt.Fprint(h, s.salt, text)
	return h.Sum32()>>8%16 == 0
}

// judge is note as the answer of a property.
func (s *Showing) judge(name string, shown ...any) string {
	if s.note(name, shown...) && s.name == name {
		return "this is not to be shown"
	}
	return ""
}

// others are what is seen of all procs.
func (s *Showing) others(v spec.View) (text string) {
	for p := range trace.Proc(s.procs) {
		text += seenOf(v.Observed(p))
	}
	return text
}

// seenOf is all that is seen of a proc, in words.
func seenOf(o spec.Observed) string {
	var past, line, holding []byte
	if o.History != nil {
		past = core.Encode(o.History)
	}
	if o.Line != nil {
		line = core.Encode(o.Line)
	}
	if o.Holding != nil {
		holding = core.Encode(o.Holding)
	}
	return fmt.Sprintf("[%t %d %t %d %d %d %x %x %x]", o.Up, o.Incarnation, o.Fresh, o.Round,
		o.Evaluated, o.Former, past, line, holding)
}

// counted is what the monitor remembers: little, or there would be many states.
type counted struct{ Last, Count uint8 }

// properties are they, all but the sight.
func (s *Showing) properties() []spec.Property {
	always := func(name string, global bool, shown func(spec.View, trace.Event) any) spec.Property {
		return spec.Property{Name: name, Kind: spec.Always, Global: global,
			Event: func(_ *spec.Facts, v spec.View, e trace.Event) string {
				return s.judge(name, e, shown(v, e))
			}}
	}
	watched := []trace.Kind{trace.Emitted, trace.Restored, trace.Adopted, trace.Sent,
		trace.Delivered, trace.Released, trace.Committed}
	return []spec.Property{
		always("shown-all", true, func(v spec.View, _ trace.Event) any { return s.others(v) }),
		// about whom it asks depends on what it is told
		always("shown-peer", true, func(v spec.View, e trace.Event) any {
			p, text := e.Peer, ""
			for int(p) < s.procs {
				o := v.Observed(p)
				if text += seenOf(o); o.Up || p == e.Proc {
					break
				}
				p++
			}
			return text
		}),
		always("shown-own", false, func(v spec.View, e trace.Event) any {
			return seenOf(v.Observed(e.Proc))
		}),
		{Name: "shown-end", Kind: spec.Final, End: func(_ *spec.Facts, v spec.View) string {
			return s.judge("shown-end", s.others(v))
		}},
		{Name: "shown-pair", Kind: spec.Pair,
			Relate: func(_ *spec.Facts, v spec.View, e trace.Event) (key, value string) {
				odd := s.note("shown-pair", e, seenOf(v.Observed(e.Proc)))
				if s.name != "shown-pair" {
					return "", ""
				}
				return fmt.Sprint(e.Kind, e.Proc), fmt.Sprint(odd)
			}},
		{Name: "shown-run", Kind: spec.Monitor, Watched: watched,
			Looked: []trace.Kind{trace.Emitted, trace.Restored}, Memory: s.memory("shown-run")},
		{Name: "shown-line", Kind: spec.Monitor, Watched: watched[:2],
			Memory: &spec.Remembers[counted]{Observe: s.observe("shown-line"),
				Settle: func(_ *spec.Facts, c *counted) string {
					return s.judge("shown-line", "settles", *c)
				}}},
	}
}

// observe folds an event into what is remembered.
func (s *Showing) observe(name string) func(*spec.Facts, *counted, trace.Event) string {
	return func(_ *spec.Facts, c *counted, e trace.Event) string {
		broken := s.judge(name, "observes", *c, e)
		c.Last, c.Count = uint8(e.Proc), (c.Count+1)%2
		return broken
	}
}

// memory is that of the monitor that looks.
func (s *Showing) memory(name string) *spec.Remembers[counted] {
	return &spec.Remembers[counted]{Observe: s.observe(name),
		Look: func(_ *spec.Facts, v spec.View, c *counted, e trace.Event) string {
			return s.judge(name, "looks", *c, e, s.others(v))
		}}
}

// Own are the properties as those of an author, but for the sight.
func (s *Showing) Own() []spec.Property { return s.properties() }

// Differ says what one side was shown and the other was not, or "".
func (s *Showing) Differ(t *Showing) string {
	var text strings.Builder
	for k, pair := range [][2]*Showing{{s, t}, {t, s}} {
		n := 0
		for _, note := range slices.Sorted(maps.Keys(pair[0].notes)) {
			if _, ok := pair[1].notes[note]; !ok {
				if n++; n <= 3 {
					fmt.Fprintf(&text, "only side %d is shown %s", k+1, note)
				}
			}
		}
		if n > 0 {
			fmt.Fprintf(&text, "%d of %d in all\n", n, len(pair[0].notes))
		}
	}
	return text.String()
}

// String says how much they have been shown.
func (s *Showing) String() string { return fmt.Sprintf("shown %d things", len(s.notes)) }
