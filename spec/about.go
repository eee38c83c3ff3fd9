package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/domino-check/domino/spec/trace"
)

// What a violation is about is what its sentence names. A property is asked once more about the run
// that breaks it, with names that can be found again in whatever it says: so no property has to say
// the same a second time, and none can forget to. In a search nobody pays for this.

// The parts of names that are found again; no other text has these characters.
const (
	asProc    = "\uE000"
	asMessage = "\uE001"
	asRole    = "\uE002"
	asEnd     = "\uE003"
)

// named finds the names, and the roles in front of them. It is made when it is first used: each
// process of a run would pay for it when it begins.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:` + asRole + `([a-z]*)` + asEnd + `)?` +
		`(` + asProc + `|` + asMessage + `)(\d+)(?:\.(\d+))?` + asEnd + `(?:#(\d+))?`)
})

// As says, in the sentence of a property, which role what it names has in the violation. Where
// nothing is said, the first message is the culprit, or the first proc of a sentence without
// messages; other messages are expected, other procs hold.
func (f *Facts) As(role Role, name string) string {
	if !f.named {
		return name
	}
	return asRole + string(role) + asEnd + name
}

// findable are the facts with names that can be found again.
func (f *Facts) findable(t *trace.Trace) *Facts {
	g, l := *f, *f.Layout
	g.Layout, g.named = &l, true
	l.Names, l.Labels = nil, map[trace.MsgID]string{}
	for p := range f.Layout.Names {
		l.Names = append(l.Names, fmt.Sprintf("%s%d%s", asProc, p, asEnd))
	}
	add := func(id trace.MsgID) {
		if !id.IsZero() {
			l.Labels[id] = fmt.Sprintf("%s%d.%d%s", asMessage, id.From, id.Number, asEnd)
		}
	}
	for i := range t.Events {
		add(t.Events[i].ID)
	}
	for id := range f.Layout.Labels {
		add(id)
	}
	return &g
}

// plainly is a sentence with findable names as everybody reads it.
func plainly(l *trace.Layout, text string) string {
	return named().ReplaceAllStringFunc(text, func(s string) string {
		r := refOf(named().FindStringSubmatch(s))
		if r.Message.IsZero() {
			return l.Name(r.Proc)
		}
		return l.Label(r.Message)
	})
}

// refOf is what a name that was found stands for.
func refOf(parts []string) Ref {
	number := func(text string) uint64 {
		n, _ := strconv.ParseUint(text, 10, 32) // the expression has taken digits only
		return n
	}
	r := Ref{Role: Role(parts[1]), Proc: trace.Proc(number(parts[3])), Event: -1}
	if n := parts[4] + parts[5]; n != "" { // one of the two
		r.Message = trace.MsgID{From: trace.Rank(r.Proc), Number: uint32(number(n))}
	}
	return r
}

// refsOf are what a sentence names, each once, in order.
func refsOf(text string) (refs []Ref) {
	var message trace.MsgID
	first := map[bool]bool{}
	for _, parts := range named().FindAllStringSubmatch(text, -1) {
		r := refOf(parts)
		about := !r.Message.IsZero()
		switch {
		case r.Role != "":
		case !first[about]:
			r.Role = Culprit
		case about:
			r.Role = Expected
		default:
			r.Role = Holder
		}
		first[about] = true
		if about {
			message = r.Message
		} else if r.Role == Missing { // the send of what was named last
			r.Message = message
		}
		if !slices.ContainsFunc(refs, func(q Ref) bool {
			return q.Proc == r.Proc && q.Message == r.Message &&
				(q.Role == r.Role || r.Message.IsZero())
		}) {
			refs = append(refs, r)
		}
	}
	wrong := func(r Ref) bool {
		return !r.Message.IsZero() && slices.Contains([]Role{Culprit, Late, Duplicate}, r.Role)
	}
	if slices.ContainsFunc(refs, wrong) { // who sends or receives it is none
		for i := range refs {
			if r := &refs[i]; r.Message.IsZero() && r.Role == Culprit {
				r.Role = Holder
			}
		}
	}
	return refs
}

// About says what a violation of a property by a run is about; q is the run as a Quiet, nil unless
// the property is FailureFree. A sentence that names nobody is about the proc of the event or, at
// the end of a run, about all ranks. The answer is nil for a violation that is not found again.
func About(f *Facts, t *trace.Trace, p *Property, v *Violation, q *Quiet) (refs []Ref) {
	g := f.findable(t)
	at := -1
	take := func(event int, text string) {
		if refs == nil && plainly(&t.Layout, text) == v.Message {
			at, refs = event, append([]Ref{}, refsOf(text)...)
		}
	}
	list := Guard([]Property{*p}, &t.Layout, func(Violation, error) {})
	switch {
	case p.Kind == FailureFree && q != nil:
		take(-1, list[0].Whole(g, q))
	case p.Kind == Pair:
		at, refs = g.compared(t, &list[0], v)
	default:
		judge(g, t, list, v.Step == 0, func(event int, _ *Property, text string) {
			if event < 0 && v.Step == 0 || event >= 0 && t.Events[event].Step == v.Step {
				take(event, text)
			}
		})
	}
	switch {
	case refs == nil || len(refs) > 0:
	case at >= 0:
		refs = []Ref{{Role: Culprit, Proc: t.Events[at].Proc, Event: at}}
	default:
		for r := range f.ranks() {
			refs = append(refs, Ref{Role: Culprit, Proc: r.Proc(), Event: -1})
		}
	}
	seen := at < 0
	for i := range refs {
		if at >= 0 && refs[i].shows(&t.Events[at]) {
			refs[i].Event, seen = at, true
		}
	}
	if !seen { // who breaks it is not who it is about
		refs = append(refs, Ref{Role: Culprit, Proc: t.Events[at].Proc, Event: at})
	}
	return refs
}

// shows reports whether an event that breaks the property shows what the reference is about.
func (r *Ref) shows(e *trace.Event) bool {
	if r.Role == Missing || r.Role == Expected {
		return false
	}
	return r.Message.IsZero() && r.Proc == e.Proc || !r.Message.IsZero() && r.Message == e.ID
}

// compared is what another run contradicts: the first event of the step with a key.
func (f *Facts) compared(t *trace.Trace, p *Property, v *Violation) (at int, refs []Ref) {
	l := NewLedger(&t.Layout)
	for k, e := range t.Events {
		if e.Step == v.Step {
			key, _ := p.Relate(f, l, e)
			name := plainly(&t.Layout, key)
			if name != "" && strings.HasPrefix(v.Message, name+" is ") {
				return k, append([]Ref{}, refsOf(key)...)
			}
		}
		l.Apply(e)
	}
	return -1, nil
}
