package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// longestValue is how many columns of a value a change shows.
const longestValue = 48

// Change is one difference between two local states of a proc.
type Change struct {
	Proc string `json:"proc"` // its name
	Path string `json:"path"` // of the field, as "log[2].date"; "" = the whole state
	What string `json:"what"` // one of the words below
	// whole values, numbers as they are written; nil where there is none
	Before any `json:"before,omitempty"`
	After  any `json:"after,omitempty"`
}

// What a change is.
const (
	Changed = "changed"
	Added   = "added"   // a field, or an element of an array
	Removed = "removed" // the same
	Started = "started" // the whole state: the proc was down
	Stopped = "stopped" // the whole state: the proc is down
)

// String is the change on one line, its values shortened in their middle.
func (c Change) String() string {
	text := ""
	switch {
	case c.What == Started:
		text = "new state " + show(c.After)
	case c.What == Stopped:
		text = "state lost"
	case c.What == Added:
		text = "+ " + show(c.After)
	case c.What == Removed:
		text = "- " + show(c.Before)
	default:
		old, now := show(c.Before), show(c.After)
		if old == now { // they differ in the part that is left out
			old, now = canonical(c.Before), canonical(c.After)
		}
		text = old + " -> " + now
	}
	if c.Path != "" {
		text = c.Path + ": " + text
	}
	return c.Proc + ": " + text
}

// Texts are the changes as lines:
//
//	y: round: 0 -> 1
//	y: log: + {date 2, to c}
//	y: queue: - {date 1, from x}
func Texts(changes []Change) (lines []string) {
	for _, c := range changes {
		lines = append(lines, c.String())
	}
	return lines
}

// Changes are the Texts of a Diff.
func Changes(name string, before, after []byte) []string { return Texts(Diff(name, before, after)) }

// Diff compares two JSON documents of the local state of a proc, and returns the differences in the
// order of their paths. Fields are compared by name. Elements of arrays are compared by place when
// that explains the difference best, and otherwise as a sequence that gained and lost elements. An
// empty document, or null, is that of a proc that is down. A document that is not JSON is compared
// as text. Equal documents give nil.
func Diff(name string, before, after []byte) []Change {
	if bytes.Equal(before, after) { // as most are, from one step to the next
		return nil
	}
	a, aErr := parse(before)
	b, bErr := parse(after)
	d := difference{name: name}
	switch {
	case aErr != nil || bErr != nil:
		d.values("", string(before), string(after))
	case a == nil && b != nil:
		d.change("", Started, nil, b)
	case a != nil && b == nil:
		d.change("", Stopped, a, nil)
	default:
		d.values("", a, b)
	}
	return d.changes
}

// parse reads a document; numbers stay as they are written.
func parse(document []byte) (any, error) {
	if len(bytes.TrimSpace(document)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("more than one document")
	}
	return v, nil
}

// difference collects changes.
type difference struct {
	name    string
	changes []Change
}

func (d *difference) change(path, what string, before, after any) {
	d.changes = append(d.changes, Change{d.name, path, what, before, after})
}

func (d *difference) values(path string, a, b any) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			d.objects(path, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			d.arrays(path, a, b)
			return
		}
	}
	if !same(a, b) {
		d.change(path, Changed, a, b)
	}
}

func (d *difference) objects(path string, a, b map[string]any) {
	keys := slices.Sorted(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		inside := clean(k)
		if path != "" {
			inside = path + "." + inside
		}
		old, had := a[k]
		now, has := b[k]
		switch {
		case !had:
			d.change(inside, Added, nil, now)
		case !has:
			d.change(inside, Removed, old, nil)
		default:
			d.values(inside, old, now)
		}
	}
}

// arrays compares by place if at least as many elements stay where they are as stay in order, and
// else as sequences.
func (d *difference) arrays(path string, a, b []any) {
	keep := common(a, b)
	if len(a) == len(b) {
		inPlace := 0
		for i := range a {
			if same(a[i], b[i]) {
				inPlace++
			}
		}
		if inPlace >= len(keep) {
			for i := range a {
				d.values(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])
			}
			return
		}
	}
	if (len(a) == 0 || len(b) == 0) && len(a)+len(b) > 1 && flat(a) && flat(b) {
		d.change(path, Changed, a, b)
		return
	}
	i, j := 0, 0
	for _, k := range append(keep, [2]int{len(a), len(b)}) {
		for ; i < k[0]; i++ {
			d.change(path, Removed, a[i], nil)
		}
		for ; j < k[1]; j++ {
			d.change(path, Added, nil, b[j])
		}
		i, j = k[0]+1, k[1]+1
	}
}

// flat reports whether no element has parts.
func flat(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

// mostPairs bounds the work of common; the middle of longer arrays counts as replaced.
const mostPairs = 1 << 20

// common is a longest common subsequence, as pairs of places.
func common(a, b []any) [][2]int {
	x, y := texts(a), texts(b)
	var head, tail [][2]int
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		head = append(head, [2]int{start, start})
		start++
	}
	n, m := len(x), len(y)
	for n > start && m > start && x[n-1] == y[m-1] {
		n, m = n-1, m-1
		tail = append(tail, [2]int{n, m})
	}
	slices.Reverse(tail)
	x, y = x[start:n], y[start:m]
	if len(x)*len(y) > mostPairs {
		return append(head, tail...)
	}
	length := make([][]int, len(x)+1) // of the longest one of x[i:] and y[j:]
	length[len(x)] = make([]int, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- {
		length[i] = make([]int, len(y)+1)
		for j := len(y) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			head = append(head, [2]int{start + i, start + j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return append(head, tail...)
}

// texts are the elements in a form that can be compared.
func texts(list []any) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = canonical(v)
	}
	return out
}

func same(a, b any) bool { return canonical(a) == canonical(b) }

// canonical is a text that equal values share: encoding/json sorts the keys of objects.
func canonical(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error() // not reached: the value was read from JSON
	}
	return string(b)
}

// show writes a value for a reader, not longer than longestValue.
func show(v any) string {
	var b strings.Builder
	write(&b, v)
	return middle(b.String(), longestValue)
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(clean(k) + " ")
			write(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, e)
		}
		b.WriteByte(']')
	case string:
		if v == "" || strings.ContainsAny(v, " ,:;{}[]\"\n\t") {
			fmt.Fprintf(b, "%q", v)
			return
		}
		b.WriteString(clean(v))
	default:
		b.WriteString(number(canonical(v)))
	}
}

// longestNumber is how many digits a number may have; digests, which nobody reads, have more.
const longestNumber = 12

// number writes a number, true, false or null; the largest of 64 bits, which stands for "no bound",
// in a word.
func number(s string) string {
	switch {
	case s == "18446744073709551615":
		return "max"
	case len(s) > longestNumber:
		return s[:4] + ".." + s[len(s)-4:]
	}
	return s
}
