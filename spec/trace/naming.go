package trace

import (
	"fmt"
	"strings"
)

// The names of what happens in a run. A name does not depend on how the run came there, so a
// schedule that one driver records another one understands.

// Message names a message.
func (l *Layout) Message(w Wire) string {
	words := w.Kind
	if !w.ID.IsZero() {
		words += " " + l.Label(w.ID)
	}
	if w.Text != "" {
		words += " (" + w.Text + ")"
	}
	return words
}

// NamesOf lists the names of procs.
func (l *Layout) NamesOf(procs []Proc) string {
	var names []string
	for _, p := range procs {
		names = append(names, l.Name(p))
	}
	return strings.Join(names, " ")
}

// ProcsOf are the procs that NamesOf has listed; nil if the text is no such list. Names may have
// spaces, and one may begin another: the reading is taken that uses up the whole text.
func (l *Layout) ProcsOf(text string) []Proc {
	dead := map[int]bool{} // places from which on the text is no list
	var read func(at int) []Proc
	read = func(at int) []Proc {
		if dead[at] {
			return nil
		}
		for p, name := range l.Names {
			rest, ok := strings.CutPrefix(text[at:], name)
			switch {
			case !ok:
			case rest == "":
				return []Proc{Proc(p)}
			case rest[0] == ' ':
				if more := read(len(text) - len(rest) + 1); more != nil {
					return append([]Proc{Proc(p)}, more...)
				}
			}
		}
		dead[at] = true
		return nil
	}
	return read(0)
}

// Channel names the channel from one incarnation of a proc to another proc.
func (l *Layout) Channel(from Proc, inc Incarnation, to Proc) string {
	name := l.Name(from)
	if inc > 0 {
		name += fmt.Sprintf(".%d", inc)
	}
	return name + "->" + l.Name(to)
}

// StepName says what a proc does of its own accord, from its evidence: a step of the program, or
// what a service decides to do. The choice tells steps apart that leave none.
func (l *Layout) StepName(p Proc, events []Event, choice uint64) string {
	if int(p) >= l.Ranks {
		return l.serviceStep(events, choice)
	}
	for _, e := range events {
		switch e.Kind {
		case Sent:
			return l.sendName(e)
		case Delivered:
			if c := l.Collectives[e.ID]; c.Round > 0 {
				return fmt.Sprintf("receive the result of round %d of %s", c.Round,
					l.Trees[c.Tree].Name)
			}
			return "receive " + l.Label(e.ID) + " from " + l.Name(e.Peer)
		case Finished:
			return "end"
		case Released:
			return "output"
		}
	}
	if value := choice >> 32; value > 0 && uint32(choice) == 0 { // core.PickChoice
		return fmt.Sprintf("pick %d", value)
	}
	return fmt.Sprintf("go on %d", choice)
}

// sendName says what is sent, to a rank or to a group.
func (l *Layout) sendName(e Event) string {
	c, collective := l.Collectives[e.ID]
	switch {
	case !collective:
		return "send " + l.Label(e.ID) + " to " + l.Name(e.Peer)
	case c.Round > 0:
		return fmt.Sprintf("contribute %s to round %d of %s", l.Label(e.ID), c.Round,
			l.Trees[c.Tree].Name)
	}
	return "multicast " + l.Label(e.ID) + " to " + l.Trees[c.Tree].Name
}

func (l *Layout) serviceStep(events []Event, choice uint64) string {
	for _, e := range events {
		switch e.Kind {
		case Decided:
			return "decide " + e.Text
		case Emitted:
			return "emit " + e.Text + " to " + l.Name(e.Peer)
		}
	}
	return fmt.Sprintf("go on %d", choice)
}

// CutShort is the end of the name of a step in which the proc stands still after so many effects
// that the environment acts on, until it stops.
func CutShort(effects int) string { return fmt.Sprintf("%s%d", cutShort, effects) }

const cutShort = ", stands still after effect "

// IsCutShort reports whether an event has such a name.
func IsCutShort(name string) bool { return strings.Contains(name, cutShort) }

// CrashName names the crash of several groups at once, by their members; the outcome numbers what
// becomes of writes in progress.
func (l *Layout) CrashName(verb string, groups [][]Proc, outcome int) string {
	var words []string
	for _, g := range groups {
		words = append(words, l.NamesOf(g))
	}
	return verb + " " + strings.Join(words, " and ") + outcomeName(outcome)
}

// outcomeName is the end of the name of a crash that has an outcome; most have the first one.
func outcomeName(outcome int) string {
	if outcome == 0 {
		return ""
	}
	return fmt.Sprintf(", outcome %d of writes in progress", outcome)
}
