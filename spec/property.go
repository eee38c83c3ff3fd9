package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// Verdict is the answer to a check.
type Verdict uint8

// The verdicts, also the exit codes of the command.
const (
	Holds      Verdict = iota // no violation within the bounds that are printed
	Violated                  // a run breaks a property
	Unknown                   // a bound or budget of the search was hit first
	OutOfModel                // the run is outside what the protocol promises to handle
)

// String is the verdict in words.
func (v Verdict) String() string {
	return [...]string{"holds", "violated", "unknown", "out of model"}[v]
}

// MarshalText writes the words.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the words.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, w := range []Verdict{Holds, Violated, Unknown, OutOfModel} {
		if w.String() == string(text) {
			*v = w
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q", text)
}

// Kind says what a property speaks about.
type Kind uint8

// The kinds.
const (
	Always Kind = iota + 1
	Final
	Sometimes
	Pair
	Monitor
	FailureFree
	// Runtime: about what runs the machines as processes, judged by package spec/processes
	Runtime
)

// String is the kind in lower case.
func (k Kind) String() string {
	return [...]string{"", "always", "final", "sometimes", "pair", "monitor", "quiet", "runtime"}[k]
}

// Property is one executable specification. Exactly the function of its kind is set.
type Property struct {
	Name   string
	Doc    string // one sentence: what holds
	Source string // where it comes from, e.g. "[HydEE] Lemma 1"
	Kind   Kind
	Depth  Depth // of several that one run breaks, which is said first
	Global bool  // Always: reads procs other than that of the event
	// Applies says whether a protocol with these promises must satisfy it; nil means every
	// protocol.
	Applies func(*Facts) bool
	// Needs says the same in words: the promises, the effects and declared events in brackets, and
	// what the scenario must have; "" without Applies.
	Needs string
	// Event returns how the event breaks the property, or "". The view shows the state before the
	// event, except for Restored and Resumed, where it shows the restored state. For Sometimes, a
	// non-empty answer means seen. Unless the property is Global, it shows the proc of the event
	// only, without its Line and Former. It is not given what the environment does: Arrived, Told,
	// Crashed.
	Event func(*Facts, View, trace.Event) string
	// End returns how the end of a run breaks the property, or "".
	End func(*Facts, View) string
	// Relate gives a key and the value that every run must agree on for it; an empty key says
	// nothing.
	Relate func(*Facts, View, trace.Event) (key, value string)
	// Memory is what a Monitor remembers of the run and what it makes of that: a pointer to a
	// Remembers.
	Memory Memory
	// Whole returns how a run without failures breaks the property, or "".
	Whole func(*Facts, *Quiet) string
	// Monitor: neither Arrived nor Told, which are no part of what a proc does, and of Crashed only
	// what is part of it: that it rolls back
	Watched []trace.Kind
	Looked  []trace.Kind // Monitor: events that Look of its Memory is given
}

// View is what properties see of the state of a run.
type View interface {
	// Observed is what is known of a proc; ranks have a History.
	Observed(trace.Proc) Observed
}

// Observed is the evidence about one proc. Histories are read-only.
type Observed struct {
	Up          bool
	Incarnation trace.Incarnation
	History     *trace.History // nil for services and for procs that are down
	// last recovery line that the proc declared; nil means the initial state
	Line *trace.History
	// what it holds for others; nil unless Layout.Holdings, and for procs that are down
	Holding *trace.Holding
	// Restored only: the proc was down, and this incarnation is newer than its last
	Fresh bool
	Round uint64 // newest recovery round that this incarnation has put on a message
	// newest recovery round that this incarnation has evaluated its channels for
	Evaluated uint64
	// newest recovery round that a former incarnation has put on a message
	Former uint64
}

// Violation is one broken property.
type Violation struct {
	Property string `json:"property"`
	Message  string `json:"message"`
	Step     int    `json:"step,omitempty"` // schedule step, 0 when it is the end of the run
}

// registry is the house's own list; a protocol's author gives his in Facts.Own.
var registry []Property

// register adds a property of the house during package initialisation.
func register(p Property) Property {
	registry = append(registry, p)
	return p
}

// Properties lists the properties of the house by name.
func Properties() []Property {
	list := slices.Clone(registry)
	slices.SortFunc(list, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Select lists the properties that a protocol with the given promises must satisfy, those of its
// author among them, the deepest first and by name. The error says which of these can not be asked.
func Select(f *Facts) ([]Property, error) {
	list, err := f.Properties()
	list = slices.DeleteFunc(list, func(p Property) bool {
		applies, wrong := p.applies(f)
		err = errors.Join(err, wrong)
		return !applies
	})
	slices.SortStableFunc(list, func(a, b Property) int { return Deeper(&a, &b) })
	return list, err
}

// applies says whether the property is asked with the facts, or that it panics.
func (p *Property) applies(f *Facts) (yes bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("property %q can not be asked: its Applies panics: %v%s", p.Name, r,
				PanicLine())
		}
	}()
	return p.Applies == nil || p.Applies(f), nil
}

// Watches reports whether a Monitor is given events of the kind.
func (p *Property) Watches(k trace.Kind) bool { return slices.Contains(p.Watched, k) }

// Sees reports whether a Monitor is given the event. That a proc is stopped from outside it is not.
func (p *Property) Sees(e *trace.Event) bool {
	return p.Watches(e.Kind) && (e.Kind != trace.Crashed || e.Text != "")
}
