package report

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Sentence is one sentence of an explanation, about an event; Never where it is about the whole
// run.
type Sentence struct {
	Text  string `json:"text"`
	Event int    `json:"event"`
}

// mostSentences is how many explain a violation: who wants more reads the steps.
const mostSentences = 6

// explain says in a few sentences how it came to the violation: what the run knows of it beforehand
// (Run.Why), and what became of everything that it is about.
func (m *Model) explain() {
	if len(m.Cycle) > 1 {
		names := strings.ReplaceAll(m.Layout.NamesOf(m.Cycle), " ", ", ")
		m.say(never, "Each waits for the next, in a circle: %s, %s.", names,
			m.Layout.Name(m.Cycle[0]))
	}
	for _, text := range m.Run.Why {
		m.say(never, "%s", text)
	}
	for _, r := range m.About {
		if r.Role == spec.Missing && !r.Message.IsZero() {
			m.explainMissing(r)
		}
	}
	for _, r := range m.About {
		switch {
		case r.Message.IsZero():
			m.explainProc(r)
		case r.Role != spec.Missing:
			m.explainMessage(r)
		}
	}
	m.Why = m.Why[:min(len(m.Why), mostSentences)]
}

// say adds a sentence, once.
func (m *Model) say(event int, format string, args ...any) {
	s := Sentence{Text: fmt.Sprintf(format, args...), Event: event}
	for _, other := range m.Why {
		if other.Text == s.Text {
			return
		}
	}
	m.Why = append(m.Why, s)
}

// in says in which step an event is, or that it is from the start.
func (m *Model) in(event int) string {
	if event == never || m.Events[event].Step <= 0 {
		return "at the start"
	}
	return fmt.Sprintf("in step %d", m.Events[event].Step)
}

// deeds are what events of programs and logs are called in sentences, about a message.
var deeds = map[trace.Kind]string{trace.Sent: "sends %s", trace.Emitted: "sends %s",
	trace.Delivered: "receives %s", trace.Dropped: "drops %s", trace.Logged: "logs %s",
	trace.Pruned: "removes %s from its log", trace.Kept: "keeps %s",
	trace.Forgotten: "forgets %s"}

// explainMessage tells of a message that is there.
func (m *Model) explainMessage(r spec.Ref) {
	label := m.Layout.Label(r.Message)
	if r.Event == never {
		m.say(never, "%s is in no event of the run.", label)
		return
	}
	e := &m.Events[r.Event]
	name := m.Layout.Name(e.Proc)
	switch e.Kind {
	case trace.Delivered:
		if before := m.before(r.Event); before != never {
			m.say(before, "%s has received %s before, %s.", name, label, m.in(before))
		}
		m.undoneSend(r)
	case trace.Pruned:
		m.needed(r.Message, e.Peer, r.Event)
	}
	if deed := deeds[e.Kind]; deed != "" {
		m.say(r.Event, "%s "+deed+" %s.", name, label, m.in(r.Event))
	}
}

// before is the delivery of the same message in the same surviving past, Never if there is none.
func (m *Model) before(delivery int) int {
	for i := range m.Events[:delivery] {
		e := &m.Events[i]
		if e.Kind == trace.Delivered && e.Proc == m.Events[delivery].Proc &&
			e.ID == m.Events[delivery].ID && !e.Undone {
			return i
		}
	}
	return never
}

// sends are the sends of a message, in order.
func (m *Model) sends(id trace.MsgID) (events []int) {
	for i := range m.Events {
		if e := &m.Events[i]; e.Kind == trace.Sent && e.ID == id {
			events = append(events, i)
		}
	}
	return events
}

// undoneSend tells of the last send of a message, if a restart has undone it.
func (m *Model) undoneSend(r spec.Ref) bool {
	sends := m.sends(r.Message)
	if len(sends) == 0 || !m.Events[sends[len(sends)-1]].Undone {
		return false
	}
	last := sends[len(sends)-1]
	life := &m.Lives[m.Events[last].Life]
	m.say(last, "%s sent %s %s, in its life %d; its restart %s has undone that.",
		m.Layout.Name(life.Proc), m.Layout.Label(r.Message), m.in(last), life.Incarnation,
		m.in(m.Lives[life.UndoneBy].From))
	return true
}

// explainMissing tells of a message that has not been sent.
func (m *Model) explainMissing(r spec.Ref) {
	label, sender := m.Layout.Label(r.Message), m.Layout.Name(r.Message.From.Proc())
	switch {
	case m.undoneSend(r):
		m.say(never, "%s has not sent %s since.", sender, label)
	case len(m.sends(r.Message)) == 0:
		m.say(never, "%s never sends %s.", sender, label)
	default:
		sends := m.sends(r.Message)
		last := sends[len(sends)-1]
		m.say(last, "%s sends %s %s.", sender, label, m.in(last)) // as explainMessage, so once
	}
}

// needed tells why a message that is removed from a log would be needed: where its receiver stands
// and would go back to.
func (m *Model) needed(id trace.MsgID, receiver trace.Proc, until int) {
	label, name := m.Layout.Label(id), m.Layout.Name(receiver)
	taken, arrived, line := never, never, never
	for i := range m.Events[:until] {
		e := &m.Events[i]
		switch {
		case e.Proc != receiver || e.Undone:
		case e.Kind == trace.Delivered && e.ID == id:
			taken = i
		case e.Kind == trace.Arrived && e.ID == id:
			arrived = i
		case e.Kind == trace.Committed || e.Kind == trace.Imaged:
			line = i
		}
	}
	switch {
	case taken != never:
		m.say(taken, "%s has received %s %s.", name, label, m.in(taken))
	case arrived != never:
		m.say(arrived, "%s has come to %s %s, and its program has not received it.", label, name,
			m.in(arrived))
	default:
		m.say(never, "%s has not come to %s.", label, name)
	}
	if line == never {
		m.say(never, "After a failure %s would begin at the start.", name)
		return
	}
	m.say(line, "After a failure %s would go back to its checkpoint of step %d, with %d received.",
		name, m.Events[line].Step, m.Events[line].Received)
}

// explainProc tells of a proc: what it does in the accused step, or did last.
func (m *Model) explainProc(r spec.Ref) {
	name := m.Layout.Name(r.Proc)
	switch {
	case r.Role == spec.Holder && len(m.Why) > 0:
	case m.Run.Violation.Step > 0 && r.Event != never:
		m.say(r.Event, "%s %s %s.", name, m.Layout.Describe(m.Events[r.Event].Event),
			m.in(r.Event))
	case m.Run.Violation.Step <= 0 && r.Role != spec.Expected:
		m.stuck(r.Proc)
	}
}

// mostLost is how many messages that are lost on their way to one proc are named, the last ones.
const mostLost = 3

// stuck tells what keeps a proc from going on, as far as the run shows it: its restart, and what
// was on its way to it and is lost.
func (m *Model) stuck(p trace.Proc) {
	life, last := never, never
	for i := range m.Lives {
		if m.Lives[i].Proc == p {
			life = i
		}
	}
	for i := range m.Events {
		if e := &m.Events[i]; e.Proc == p && e.Kind != trace.Emitted &&
			e.Kind != trace.Lost {
			last = i
		}
	}
	if life == never {
		return
	}
	name, l := m.Layout.Name(p), &m.Lives[life]
	m.waits(p)
	var lost []string
	from := never
	for i := range m.Messages {
		if c := &m.Messages[i]; c.To == p && c.Fate == Lost && !m.comesAgain(c) {
			from = c.Sent
			lost = append(lost, fmt.Sprintf("%s of %s (%s, %s)", c.Name(), m.Layout.Name(c.From),
				m.in(c.Sent), c.Why))
		}
	}
	if n := len(lost) - mostLost; n > 0 {
		before := "a message before"
		if n > 1 {
			before = fmt.Sprintf("%d messages before", n)
		}
		lost = append([]string{before}, lost[n:]...)
	}
	if len(lost) > 0 {
		m.say(from, "%s does not get %s.", name, strings.Join(lost, ", "))
	}
	switch {
	case l.To != never:
		m.say(l.To, "%s is down since step %d.", name, m.Events[l.To].Step)
	case l.From != never && m.Lanes[p].Role == RoleRank && !m.acts(life):
		m.say(l.From, "%s is back as life %d %s, and its program has sent and received nothing "+
			"since.", name, l.Incarnation, m.in(l.From))
	case last != never:
		m.say(last, "The last that happens at %s is: %s, %s.", name,
			m.Layout.Describe(m.Events[last].Event), m.in(last))
	}
}

// comesAgain reports whether what a lost copy carried comes to its receiver all the same: the
// program has the message, if only from a log, or another copy arrives later.
func (m *Model) comesAgain(lost *Message) bool {
	for i := range m.Events {
		e := &m.Events[i]
		switch {
		case e.Proc != lost.To || e.Undone || e.ID != lost.ID:
		case e.Kind == trace.Delivered && lost.App(),
			e.Kind == trace.Arrived && i > lost.Sent && e.Text == lost.Kind &&
				(lost.App() || e.Peer == lost.From):
			return true
		}
	}
	return false
}

// waits tells what a proc says that it waits for.
func (m *Model) waits(p trace.Proc) {
	for _, w := range m.Run.Waits {
		if w.Proc != p {
			continue
		}
		whom := ""
		if len(w.From) > 0 {
			whom = " of " + strings.ReplaceAll(m.Layout.NamesOf(w.From), " ", ", ")
		}
		when := ""
		if w.Since > 0 {
			when = fmt.Sprintf(", since step %d", w.Since)
		}
		m.say(never, "%s waits for %s%s%s.", m.Layout.Name(p), w.What, whom, when)
	}
}

// acts reports whether a program has done anything in a life.
func (m *Model) acts(life int) bool {
	for i := range m.Events {
		switch e := &m.Events[i]; e.Kind {
		case trace.Sent, trace.Delivered, trace.Finished, trace.Released:
			if e.Life == life {
				return true
			}
		}
	}
	return false
}
