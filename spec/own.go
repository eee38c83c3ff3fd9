package spec

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// driven are names of what every driver watches by itself.
var driven = []string{"no-panic", "deterministic", "returns", "aliasing", "codec"}

// unshown is what the environment does. Properties of authors are not given it: in a search it is
// no part of the step of a proc, so it would be judged in some drivers and not in others.
var unshown = []trace.Kind{trace.Arrived, trace.Told, trace.Crashed, trace.Lost}

// shown is the property without the events that it is not given; that a proc stops of its own
// accord is part of a step.
func (p Property) shown() Property {
	given := func(e trace.Event) bool {
		return !slices.Contains(unshown, e.Kind) || e.Kind == trace.Crashed && e.Text != ""
	}
	if event := p.Event; event != nil {
		p.Event = func(f *Facts, v View, e trace.Event) string {
			if !given(e) {
				return ""
			}
			return event(f, v, e)
		}
	}
	if relate := p.Relate; relate != nil {
		p.Relate = func(f *Facts, v View, e trace.Event) (key, value string) {
			if !given(e) {
				return "", ""
			}
			return relate(f, v, e)
		}
	}
	return p
}

// Check says in what a property that comes from outside is incomplete, nil if in nothing.
func (p *Property) Check() error {
	bad := func(what string, args ...any) error {
		return fmt.Errorf("property %q %w", p.Name, fmt.Errorf(what, args...))
	}
	set := map[Kind]bool{Always: p.Event != nil && p.Kind != Sometimes,
		Sometimes: p.Event != nil && p.Kind != Always, Final: p.End != nil, Pair: p.Relate != nil,
		Monitor: p.Memory != nil, FailureFree: p.Whole != nil}
	function := map[Kind]string{Always: "function Event", Sometimes: "function Event",
		Final: "function End", Pair: "function Relate", Monitor: "Memory",
		FailureFree: "function Whole"}
	switch {
	case p.Name == "":
		return fmt.Errorf("a property has no name (its words are %q)", p.Doc)
	case strings.ContainsAny(p.Name, " \t\r\n,"):
		return bad("has a name that no list can hold: leave out spaces and commas")
	case slices.Contains(driven, p.Name):
		return bad("has the name of what every driver watches: give it another one")
	case function[p.Kind] == "":
		return bad("has no kind: set it to Always, Final, Sometimes, Pair, Monitor or FailureFree")
	case !set[p.Kind]:
		return bad("is of the kind %v and has no %s", p.Kind, function[p.Kind])
	case (len(p.Watched) > 0) != (p.Kind == Monitor):
		return bad("is of the kind %v and watches %d kinds of event: set Watched of a monitor, "+
			"and of nothing else", p.Kind, len(p.Watched))
	}
	if len(p.Looked) > 0 && !p.Looks() {
		return bad("is of the kind %v and looks at %d kinds of event: set Look of the Memory of a "+
			"monitor", p.Kind, len(p.Looked))
	}
	if p.Memory != nil {
		if err := p.Memory.check(); err != nil {
			return bad("%w", err)
		}
	}
	for _, k := range p.Looked {
		if !p.Watches(k) {
			return bad("looks at %v and does not watch it", k)
		}
	}
	for k := Always; k <= FailureFree; k++ {
		if k != p.Kind && set[k] {
			return bad("is of the kind %v and has a %s, which is of the kind %v", p.Kind,
				function[k], k)
		}
	}
	for _, k := range p.Watched {
		if k < trace.Sent || k > trace.Lost {
			return bad("watches %v, which is no kind of event", k)
		}
	}
	for _, k := range unshown {
		if p.Watches(k) {
			return bad("watches %v, which the environment does: no property is shown it", k)
		}
	}
	return nil
}

// Properties lists what may be asked of a protocol, by name: the house's properties and those of
// the author of the protocol. The error says which of these can not be asked.
func (f *Facts) Properties() ([]Property, error) {
	list := Properties()
	for i := range f.Own {
		p := &f.Own[i]
		if err := p.Check(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(q Property) bool { return q.Name == p.Name }) {
			return nil, fmt.Errorf("there are two properties of the name %q: rename yours", p.Name)
		}
		list = append(list, p.shown())
	}
	slices.SortFunc(list, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Guard returns properties like the given ones whose functions do not panic. A panic is handed to
// failed as an error that names the property, the event and the line of code; for the search the
// property is broken there, so that it ends.
func Guard(list []Property, l *trace.Layout, failed func(Violation, error)) []Property {
	list = slices.Clone(list)
	for i := range list {
		g := &guard{name: list[i].Name, layout: l, failed: failed}
		list[i] = g.around(list[i])
	}
	return list
}

// guard is what stands around the functions of one property.
type guard struct {
	name   string
	layout *trace.Layout
	failed func(Violation, error)
}

func (g *guard) around(p Property) Property {
	of := p // the functions within
	if of.Event != nil {
		p.Event = func(f *Facts, v View, e trace.Event) (broken string) {
			defer g.caught(&e, &broken)
			return of.Event(f, v, e)
		}
	}
	if of.End != nil {
		p.End = func(f *Facts, v View) (broken string) {
			defer g.caught(nil, &broken)
			return of.End(f, v)
		}
	}
	if of.Relate != nil {
		p.Relate = func(f *Facts, v View, e trace.Event) (key, value string) {
			defer g.caught(&e, new(string))
			return of.Relate(f, v, e)
		}
	}
	if of.Memory != nil {
		p.Memory = of.Memory.within(g)
	}
	if of.Whole != nil {
		p.Whole = func(f *Facts, q *Quiet) (broken string) {
			defer g.caught(nil, &broken)
			return of.Whole(f, q)
		}
	}
	return p
}

// caught ends a panic; without an event it is about the end of a run.
func (g *guard) caught(e *trace.Event, broken *string) {
	r := recover()
	if r == nil {
		return
	}
	when := "at the end of a run"
	if e != nil {
		when = fmt.Sprintf("on the event %q", g.layout.Describe(*e))
	}
	*broken = fmt.Sprintf("it panics %s: %v%s", when, r, PanicLine())
	g.failed(Violation{Property: g.name, Message: *broken},
		fmt.Errorf("property %q can not be judged: %s", g.name, *broken))
}

// PanicLine is where the function has panicked from whose panic a deferred function recovers, as
// " (FILE:LINE)".
func PanicLine() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for panicked := false; ; {
		frame, more := frames.Next()
		switch inside := strings.HasPrefix(frame.Function, "runtime."); {
		case frame.Function == "runtime.gopanic":
			panicked = true
		case panicked && !inside:
			return fmt.Sprintf(" (%s:%d)", frame.File, frame.Line)
		}
		if !more {
			return ""
		}
	}
}
