package spec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Shown names those of the Sometimes properties that the run shows. The error says that one panics.
func Shown(f *Facts, t *trace.Trace, unseen []Property) (seen []string, err error) {
	unseen = Guard(unseen, &t.Layout, func(_ Violation, failed error) {
		err = cmp.Or(err, failed)
	})
	l := NewLedger(&t.Layout)
	for _, e := range t.Events {
		if e.Kind == trace.Lost {
			continue
		}
		unseen = slices.DeleteFunc(unseen, func(p Property) bool {
			if p.Event(f, l, e) == "" {
				return false
			}
			seen = append(seen, p.Name)
			return true
		})
		l.Apply(e)
	}
	return seen, err
}

// Witnesses are the values that runs gave to the keys of Pair properties. The zero value is ready
// to use.
type Witnesses struct{ first map[string]string }

// Judge compares a run with all that were judged before it, and returns the first event that
// another run contradicts, nil for none. The error says that a property panics.
func (w *Witnesses) Judge(f *Facts, t *trace.Trace, properties []Property) (found *Violation,
	err error) {
	properties = Guard(properties, &t.Layout, func(_ Violation, failed error) {
		err = cmp.Or(err, failed)
	})
	if w.first == nil {
		w.first = map[string]string{}
	}
	l := NewLedger(&t.Layout)
	for _, e := range t.Events {
		if e.Kind == trace.Lost {
			continue
		}
		for i := range properties {
			p := &properties[i]
			if p.Kind != Pair {
				continue
			}
			name, value := p.Relate(f, l, e)
			if name == "" {
				continue
			}
			key := p.Name + "\x00" + name
			first, ok := w.first[key]
			if !ok {
				w.first[key] = value
			} else if first != value && found == nil {
				found = &Violation{Property: p.Name, Step: e.Step,
					Message: fmt.Sprintf("%s is %q in one run and %q in another", name, first,
						value)}
			}
		}
		l.Apply(e)
	}
	return found, err
}
