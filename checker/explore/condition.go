package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// Condition is what a search looks for, or a run stops at. The zero value is never so.
type Condition struct {
	text  string
	terms []term
}

// term is one part of a condition, which has to hold with the others.
type term struct {
	verb  string // event, breaks, up, down, or an operator
	glob  string // of the event; the property
	proc  core.Proc
	keys  []string // into the local state
	value any
}

// moment is where a condition is asked: a state, and the event that has led there.
type moment struct {
	world  *world.World
	event  string
	breaks string
	state  []uint32
}

// Grammar says how conditions are written, for help texts.
const Grammar = `PROC.FIELD.FIELD OP VALUE   of a local state; OP is == != < <= > >= or has
event GLOB                  the event that has led there, e.g. event deliver*
breaks PROPERTY             it breaks this property; breaks * any
up PROC, down PROC          whether a proc runs
joined by "and"; VALUE is JSON, or a word; FIELD may be a place in a list, from 0, or # for how
many elements there are`

var compared = regexp.MustCompile(`^(\S+)\s+(==|!=|<=|>=|<|>|has)\s+(.+)$`)

// ParseCondition reads a condition about the procs of a layout.
func ParseCondition(text string, layout *core.Layout) (Condition, error) {
	c := Condition{text: strings.Join(strings.Fields(text), " ")}
	if c.text == "" {
		return c, errors.New("an empty condition, want e.g. " + `"breaks *"`)
	}
	for part := range strings.SplitSeq(c.text, " and ") {
		t, err := parseTerm(strings.TrimSpace(part), layout)
		if err != nil {
			return Condition{}, fmt.Errorf("condition %q: %w", text, err)
		}
		c.terms = append(c.terms, t)
	}
	return c, nil
}

// Condition reads a condition about the procs of the scenario and what it may break.
func (s *Session) Condition(text string) (Condition, error) {
	w := s.here()
	c, err := ParseCondition(text, &w.Setup.Layout)
	if err != nil {
		return c, err
	}
	known := broken(w)
	for _, t := range c.terms {
		if t.verb == "breaks" && !slices.ContainsFunc(known, func(name string) bool {
			return matches(t.glob, name)
		}) {
			return Condition{}, fmt.Errorf("condition %q: no property that is watched here is "+
				"called %q%s See: domino list properties", text, t.glob,
				spelling.Guess(t.glob, known))
		}
	}
	return c, nil
}

// broken are the names of all that may be broken in a world: properties, and how machines have to
// behave.
func broken(w *world.World) []string {
	names := []string{"no-panic", "deterministic", world.Returns, world.Contract}
	all, _ := w.Facts.Properties() // the world has taken them
	for _, p := range all {
		if p.Kind != spec.Sometimes {
			names = append(names, p.Name)
		}
	}
	return names
}

// undecided are the properties of which a search from a state can not say that nothing breaks
// them, of those that the condition asks for: they are about whole runs, or about several.
func (c Condition) undecided(w *world.World) (names []string) {
	asked, _ := spec.Select(w.Facts)
	for _, p := range asked {
		whole := p.Kind == spec.Pair || p.Kind == spec.FailureFree
		if whole && slices.ContainsFunc(c.terms, func(t term) bool {
			return t.verb == "breaks" && matches(t.glob, p.Name)
		}) {
			names = append(names, p.Name)
		}
	}
	return names
}

func parseTerm(text string, layout *core.Layout) (term, error) {
	verb, rest, _ := strings.Cut(text, " ")
	switch {
	case (verb == "event" || verb == "breaks") && rest != "":
		_, err := path.Match(rest, "")
		return term{verb: verb, glob: rest}, err
	case (verb == "up" || verb == "down") && rest != "":
		p, err := named(rest, layout)
		return term{verb: verb, proc: p}, err
	}
	m := compared.FindStringSubmatch(text)
	if m == nil {
		return term{}, fmt.Errorf("%q is none of\n%s", text, Grammar)
	}
	keys := strings.Split(m[1], ".")
	p, err := named(keys[0], layout)
	if err != nil {
		return term{}, err
	}
	t := term{verb: m[2], proc: p, keys: keys[1:]}
	if t.value, err = read([]byte(m[3])); err != nil {
		t.value = m[3]
	}
	return t, nil
}

func named(name string, layout *core.Layout) (core.Proc, error) {
	i := slices.Index(layout.Names, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no proc %q, there are %s", name,
			strings.Join(layout.Names, " "))
	}
	return core.Proc(i), nil
}

// String is the text of the condition.
func (c Condition) String() string { return c.text }

// needs reports whether some term has the verb.
func (c Condition) needs(verb string) bool {
	return slices.ContainsFunc(c.terms, func(t term) bool { return t.verb == verb })
}

func (c Condition) holds(m moment) bool {
	return len(c.terms) > 0 && !slices.ContainsFunc(c.terms, func(t term) bool {
		return !t.holds(m)
	})
}

func (t *term) holds(m moment) bool {
	switch t.verb {
	case "event":
		return matches(t.glob, m.event)
	case "breaks":
		return m.breaks != "" && matches(t.glob, m.breaks)
	case "up", "down":
		return m.world.Observed(m.state, t.proc).Up == (t.verb == "up")
	}
	state, err := read(report.Exact(m.world.LocalJSON(m.state, t.proc)))
	if err != nil {
		return false
	}
	value, found := dig(state, t.keys)
	return found && compare(t.verb, value, t.value)
}

// matches is path.Match in which a star stands for slashes, too.
func matches(glob, text string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(flat.Replace(glob), flat.Replace(text))
	return ok && err == nil
}

// dig follows keys into a document.
func dig(value any, keys []string) (any, bool) {
	for _, key := range keys {
		switch v := value.(type) {
		case map[string]any:
			next, found := v[key]
			if !found {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(key)
			switch {
			case key == "#":
				value = json.Number(strconv.Itoa(len(v)))
			case err == nil && i >= 0 && i < len(v):
				value = v[i]
			default:
				return nil, false
			}
		case nil:
			if key != "#" { // an empty list may be null
				return nil, false
			}
			value = json.Number("0")
		default:
			return nil, false
		}
	}
	return value, true
}

// compare applies an operator to what is there and what is wanted.
func compare(operator string, got, want any) bool {
	switch operator {
	case "==":
		return text(got) == text(want)
	case "!=":
		return text(got) != text(want)
	case "has":
		switch v := got.(type) {
		case []any:
			return slices.ContainsFunc(v, func(e any) bool { return text(e) == text(want) })
		case map[string]any:
			_, found := v[fmt.Sprint(want)]
			return found
		case string:
			return strings.Contains(v, fmt.Sprint(want))
		}
		return false
	}
	a, ok := number(got)
	b, too := number(want)
	if !ok || !too {
		return false
	}
	return map[string]bool{"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
}

// number is a value to be compared by size.
func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// read reads a document whose numbers stay as they are written: digests have more digits than a
// float.
func read(document []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if err = d.Decode(&value); err == nil && d.More() {
		err = errors.New("more than one document")
	}
	return value, err
}

// text is a value in a form that can be compared: objects have their keys in order.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error() // not reached: the value was read from JSON
	}
	return string(b)
}
