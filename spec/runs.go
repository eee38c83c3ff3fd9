package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// Witnesses are the values that runs gave to the keys of Pair properties. The zero value is ready
// to use.
type Witnesses struct{ first map[string]string }

// Judge compares a run with all that were judged before it, and returns the first event that
// another run contradicts, nil for none.
func (w *Witnesses) Judge(f *Facts, t *trace.Trace, properties []Property) *Violation {
	if w.first == nil {
		w.first = map[string]string{}
	}
	l := NewLedger(&t.Layout)
	var found *Violation
	for _, e := range t.Events {
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
	return found
}
