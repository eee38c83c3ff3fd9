package spec

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// Explain says, for reports, what the failure-free behaviour of the program has to do with a
// violation that is about the given things: what a message depends on in every run without
// failures, or what would have been right in the place of a delivery.
func Explain(f *Facts, t *trace.Trace, about []Ref) (sentences []string) {
	if f.Oracle == nil {
		return nil
	}
	missing := slices.ContainsFunc(about, func(r Ref) bool {
		return r.Role == Missing && !r.Message.IsZero()
	})
	for _, r := range about {
		switch {
		case r.Message.IsZero() || r.Role != Culprit:
		case missing:
			if list := f.dependencies(r.Message); len(list) > 0 {
				sentences = append(sentences, f.label(r.Message)+" depends on "+series(list, "and")+
					" in every run without failures.")
			}
		case r.Event >= 0 && t.Events[r.Event].Kind == trace.Delivered:
			p := t.Events[r.Event].Proc
			if list := f.legalNext(t, p, r.Event); len(list) > 0 {
				sentences = append(sentences, "Without failures "+f.name(p)+" would receive "+
					series(list, "or")+" here.")
			}
		}
	}
	return sentences
}

// dependencies are the other messages that precede a send in every failure-free run.
func (f *Facts) dependencies(id trace.MsgID) (labels []string) {
	for r, count := range f.Oracle.Past[id] {
		for n := uint32(1); n <= count; n++ {
			other := trace.MsgID{From: trace.Rank(r), Number: n}
			if _, sent := f.Oracle.Sent[other]; sent && other != id {
				labels = append(labels, f.label(other))
			}
		}
	}
	return labels
}

// legalNext are the messages that some failure-free run delivers next, where a delivery was not
// legal.
func (f *Facts) legalNext(t *trace.Trace, p trace.Proc, at int) (labels []string) {
	if int(p) >= len(f.Oracle.Legal) {
		return nil
	}
	l := NewLedger(&t.Layout)
	for _, e := range t.Events[:at] {
		l.Apply(e)
	}
	h := l.Observed(p).History
	if h == nil || f.Oracle.Legal[p][SequenceKey(append(slices.Clone(h.Delivered),
		trace.Delivery{ID: t.Events[at].ID}))] {
		return nil
	}
	for id := range f.Oracle.Sent {
		next := append(slices.Clone(h.Delivered), trace.Delivery{ID: id})
		if f.Oracle.Legal[p][SequenceKey(next)] {
			labels = append(labels, f.label(id))
		}
	}
	slices.Sort(labels)
	return labels
}

// series lists words.
func series(words []string, last string) string {
	if len(words) == 1 {
		return words[0]
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
