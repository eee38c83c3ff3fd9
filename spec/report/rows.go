package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// row is one line of the diagram: items of one step that do not touch, or a stretch of control
// messages, or the end.
type row struct {
	place       place
	first, last int // steps
	items       []*item
	control     string // words for control messages that are not drawn, "" for other rows
	end         bool   // the end of the run
	here        bool
}

// leastControl is how many control messages in a row are worth a line of their own.
const leastControl = 3

// arrange makes the rows of a run.
func arrange(r *Run, o Options) []*row {
	s := understand(r)
	items := perform(s, o.Control, 0)
	if v := r.Violation; v != nil {
		if m := suspect(s, items, v); v.Step > 0 && (m == nil || mentions(v.Message, s, m) < 0) {
			items = perform(s, o.Control, v.Step)
		}
		items = accuse(s, items, v)
	}
	hidden := backstage(s, items)
	var rows []*row
	for _, m := range items {
		n := slices.IndexFunc(hidden, func(f *flight) bool { return at(f.arrived) >= m.place })
		if n < 0 {
			n = len(hidden)
		}
		rows, hidden = append(rows, stretch(s, hidden[:n])...), hidden[n:]
		if len(rows) > 0 && rows[len(rows)-1].takes(m) {
			last := rows[len(rows)-1]
			last.items, last.place = append(last.items, m), m.place
			last.first, last.last = min(last.first, m.first), max(last.last, m.last)
			last.here = last.here || m.here
			continue
		}
		rows = append(rows, &row{place: m.place, first: m.first, last: m.last, items: []*item{m},
			here: m.here})
	}
	rows = append(rows, stretch(s, hidden)...)
	if v := r.Violation; v != nil {
		rows = closing(rows, v, len(r.Trace.Events))
	}
	return rows
}

// closing adds a row for a violation that no item shows: the end of the run, or a step without
// evidence.
func closing(rows []*row, v *spec.Violation, events int) []*row {
	shown := slices.ContainsFunc(rows, func(r *row) bool { return r.here })
	switch {
	case v.Step <= 0:
		return append(rows, &row{place: at(events), end: true, here: !shown})
	case shown:
		return rows
	}
	k := slices.IndexFunc(rows, func(r *row) bool { return r.last > v.Step })
	if k < 0 {
		k = len(rows)
	}
	var where place
	if k > 0 {
		where = rows[k-1].place
	}
	return slices.Insert(rows, k, &row{place: where, first: v.Step, last: v.Step, here: true})
}

// backstage lists the control messages that arrive and that no item shows, in the order of arrival.
func backstage(s *story, items []*item) []*flight {
	drawn := map[*flight]bool{}
	for _, m := range items {
		drawn[m.arrow] = true
	}
	var hidden []*flight
	for _, f := range s.flights {
		if f.id.IsZero() && f.arrived != never && !drawn[f] {
			hidden = append(hidden, f)
		}
	}
	slices.SortFunc(hidden, func(a, b *flight) int { return a.arrived - b.arrived })
	return hidden
}

// stretch is the row for control messages that arrive one after the other, or none for a few.
func stretch(s *story, list []*flight) []*row {
	if len(list) < leastControl {
		return nil
	}
	count := map[string]int{}
	var kinds []string
	for _, f := range list {
		if count[f.kind]++; count[f.kind] == 1 {
			kinds = append(kinds, f.kind)
		}
	}
	for i, k := range kinds {
		if count[k] > 1 {
			kinds[i] = fmt.Sprintf("%d %s", count[k], k)
		}
	}
	first, last := list[0].arrived, list[len(list)-1].arrived
	return []*row{{place: at(last), first: s.Events[first].Step, last: s.Events[last].Step,
		control: strings.Join(kinds, ", ")}}
}

// takes reports whether the item belongs in the row, because it is of the same step or the same
// happens elsewhere, and touches nothing there.
func (r *row) takes(m *item) bool {
	like := m.joins && len(r.items) > 0
	for _, other := range r.items {
		like = like && other.joins && other.does == m.does
	}
	if r.last != m.last && !like || r.control != "" {
		return false
	}
	lo, hi := m.span()
	for _, other := range r.items {
		if from, to := other.span(); lo <= to && from <= hi {
			return false
		}
	}
	return true
}

// number is the steps that the row covers.
func (r *row) number() string {
	switch {
	case r.end:
		return "end"
	case r.last <= 0:
		return ""
	case r.first == r.last || r.first <= 0:
		return fmt.Sprint(r.last)
	}
	return fmt.Sprintf("%d-%d", r.first, r.last)
}

// span is the range of procs that an item covers.
func (m *item) span() (lo, hi trace.Proc) {
	if m.arrow == nil {
		return m.proc, m.proc
	}
	return min(m.arrow.from, m.arrow.to), max(m.arrow.from, m.arrow.to)
}

// accuse marks the item that the violation is about, and adds one where the evidence is otherwise
// not drawn: a change of a log or of stable storage.
func accuse(s *story, items []*item, v *spec.Violation) []*item {
	if v.Step <= 0 {
		best, first := -1, len(v.Message)
		for k, m := range items {
			if where := mentions(v.Message, s, m); where >= 0 && where <= first {
				best, first = k, where
			}
		}
		if best >= 0 {
			items[best].here = true
		}
		return items
	}
	m := suspect(s, items, v)
	if m == nil || mentions(v.Message, s, m) < 0 {
		if i, ledger := bookkeeping(s, v); ledger != nil {
			k := slices.IndexFunc(items, func(other *item) bool { return other.place > at(i) })
			if k < 0 {
				k = len(items)
			}
			return slices.Insert(items, k, ledger)
		}
	}
	if m != nil {
		m.here = true
	}
	return items
}

// bookkeeping is an item for the change of a log or of stable storage that the violation names, and
// its event; nil if it names none.
func bookkeeping(s *story, v *spec.Violation) (int, *item) {
	words := map[trace.Kind]string{trace.Pruned: "removes %s from its log", trace.Logged: "logs %s",
		trace.Stored: "makes %s stable"}
	for i, e := range s.Events {
		what := s.Layout.Label(e.ID)
		if e.Kind == trace.Stored {
			what = e.Text
		}
		if e.Step == v.Step && words[e.Kind] != "" && find(v.Message, what) >= 0 {
			return i, &item{place: at(i), first: v.Step, last: v.Step, proc: e.Proc, mark: "#",
				style: alarm, who: clean(s.Layout.Name(e.Proc)),
				does: fmt.Sprintf(words[e.Kind], clean(what)), message: e.ID, here: true}
		}
	}
	return 0, nil
}

// suspect is the item of the violating step that the message names first. If it names none, it is
// what a proc does by itself, or else what it sends, or else what arrives: properties are mostly
// broken by what a step leads to. It is nil for a step without items.
func suspect(s *story, items []*item, v *spec.Violation) *item {
	var best *item
	least := 0
	for _, m := range items {
		if !slices.ContainsFunc(m.events, func(i int) bool { return s.Events[i].Step == v.Step }) {
			continue
		}
		rank := mentions(v.Message, s, m)
		switch {
		case rank >= 0:
		case m.message.IsZero() && m.arrow == nil:
			rank = len(v.Message) + 1
		case m.arrow != nil && m.arrow.sent != never && s.Events[m.arrow.sent].Step == v.Step:
			rank = len(v.Message) + 2
		default:
			rank = len(v.Message) + 3
		}
		if best == nil || rank < least {
			best, least = m, rank
		}
	}
	return best
}

// mentions is where a text names the message of the item, -1 where it does not.
func mentions(text string, s *story, m *item) int {
	if m.message.IsZero() {
		return -1
	}
	return find(text, s.Layout.Label(m.message))
}

// find is where a text has the word, -1 where it has it only inside longer words or not at all.
func find(text, word string) int {
	inside := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '#'
	}
	runes, want := []rune(text), []rune(word)
	for i := 0; len(want) > 0 && i+len(want) <= len(runes); i++ {
		if !slices.Equal(runes[i:i+len(want)], want) || i > 0 && inside(runes[i-1]) {
			continue
		}
		rest := runes[i+len(want):]
		if len(rest) > 0 && inside(rest[0]) || len(rest) > 1 && rest[0] == '.' &&
			unicode.IsDigit(rest[1]) {
			continue
		}
		return i
	}
	return -1
}
