package report

import (
	"slices"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Never is the index of an event that did not happen, of a life or a message that there is none of,
// and of the start of the run where a moment is asked for.
const Never = never

// Model is a run, understood: what a picture, a page or a table of it is made of. Moments are
// indexes into Events. Everything follows from the Run, so equal runs have equal models; nobody
// changes one.
type Model struct {
	Run    *Run
	Layout *trace.Layout
	Events []Event
	Lanes  []Lane // by proc
	// every copy of a message, in the order in which they left, or arrived where that is not known
	Messages []Message
	Lives    []Life // by proc, then incarnation
	Lines    []Line // in the order of the failures
	// the direct causes of each event, ascending: the event before it in the same life; of an
	// arrival its emission; of a restart the event whose state it restores, its adoption and, which
	// explains less and is to be drawn thinner, its crash; of a notice the crashes. What set a
	// timer leaves no evidence: the order in a life stands for it.
	Causes [][]int
	// the protocol messages (of Messages, ascending) without which the violation can not be
	// followed: those that arrive in the accused step and, back through the steps that sent them,
	// chains of at most eight; all of them in a run that has no application messages or that ends
	// in the middle of a recovery
	Relevant []int
	Silent   []int // sends of a program that put nothing on the network
	// deliveries and drops of messages that have not arrived by any event
	Alone []int
	Marks []Mark // what a lane shows beside messages, in order
	// what the violation is about, the culprit first
	About []spec.Ref
	Why   []Sentence // how it came to the violation, at most six
	// procs each of which waits for the next one, and the last for the first; nil = none
	Cycle []trace.Proc
}

// Event is one event with what it belongs to.
type Event struct {
	trace.Event
	Life    int // of Lives; Never where the proc is down
	Message int // of Messages; Never for what is about none
	// a later restart has undone it: it is behind the point that was restored
	Undone bool
	Torn   bool // Crashed: the write in progress is left damaged
	// Restored and Resumed of a rank: the event whose state is restored: what saved it or, where
	// that is not known, the last one of the program in it; Never = the start
	Of    int
	About []trace.Proc // Told: who is down
	At    int64        // nanoseconds since the run began; Never where there is no clock
}

// Lane is one proc.
type Lane struct {
	Proc    trace.Proc   `json:"proc"`
	Name    string       `json:"name"`
	Role    string       `json:"role"`    // rank, node (ranks run on it) or service
	Cluster int          `json:"cluster"` // of a rank, from 0; -1 = none
	Node    int          `json:"node"`    // the proc on whose node it begins; -1 = its own
	Group   []trace.Proc `json:"group"`   // who stops and restarts with it, itself included
	Idle    bool         `json:"idle"`    // it has no event
}

// The roles of lanes.
const (
	RoleRank    = "rank"
	RoleNode    = "node"
	RoleService = "service"
)

// Fate is what became of a message.
type Fate string

// The fates. A control message is at its end when it arrives.
const (
	Delivered Fate = "delivered" // the program has received it
	Dropped   Fate = "dropped"   // the protocol ignores it
	Arrived   Fate = "arrived"   // it was taken from the network, and no more is known
	Lost      Fate = "lost"      // it does not arrive
	OnItsWay  Fate = "on its way"
)

// Message is one copy of a message on the network.
type Message struct {
	From     trace.Proc  `json:"from"`
	To       trace.Proc  `json:"to"`
	FromLife int         `json:"fromLife"` // of Lives; Never when it is not known
	ToLife   int         `json:"toLife"`   // that it arrives in, or that there was when it left
	Kind     string      `json:"kind"`
	ID       trace.MsgID `json:"id"`    // of the application message; zero for protocol messages
	Label    string      `json:"label"` // "" for protocol messages
	Role     trace.Role  `json:"role"`  // what it is for, replay if it is sent again
	Stamp    trace.Stamp `json:"stamp"`

	Sent      int `json:"sent"`
	Arrived   int `json:"arrived"`
	Delivered int `json:"delivered"`
	Dropped   int `json:"dropped"`
	LostAt    int `json:"lostAt"` // by the network; what a crash takes has no moment of its own

	Fate  Fate   `json:"fate"`
	Why   string `json:"why,omitempty"` // it is lost, dropped, or not received
	Again bool   `json:"again,omitempty"`
	Copy  bool   `json:"copy,omitempty"` // the network has made it, no send
	// when its delivery is one of an orphan
	Orphan []Orphan `json:"orphan,omitempty"`
}

// App reports whether it carries an application message.
func (m *Message) App() bool { return !m.ID.IsZero() }

// Taken is its delivery or its drop, Never while it waits.
func (m *Message) Taken() int { return max(m.Delivered, m.Dropped) }

// Name is what an arrow is called.
func (m *Message) Name() string {
	if m.App() {
		return m.Label
	}
	return m.Kind
}

// Orphan is a time in which a delivered message is one that its sender, restored to an earlier
// point, has not sent.
type Orphan struct {
	Since int `json:"since"`
	Until int `json:"until"` // Never when it stays one
	// it ended because the receiver was restored, too; otherwise the message was sent again
	Undone bool `json:"undone,omitempty"`
}

// Life is one incarnation of a proc.
type Life struct {
	Proc        trace.Proc        `json:"proc"`
	Incarnation trace.Incarnation `json:"incarnation"`
	From        int               `json:"from"` // its restart; Never = the start of the run
	To          int               `json:"to"`   // its crash; Never = it lives at the end
	Host        int               `json:"host"` // the proc on whose node it runs; -1 = its own
	Point       Point             `json:"point"`
	// the first send, delivery, output or end of the program that a later restart has undone, Never
	// when none has: from there to the crash nothing counts
	UndoneFrom int `json:"undoneFrom"`
	// index into Lives of the one whose restart has undone it
	UndoneBy int `json:"undoneBy"`
}

// Point is a state that a restart restores.
type Point struct {
	// the last event of the proc in it that is a send, a delivery or an end; Never = the start
	Event int `json:"event"`
	// the event that saved it, a checkpoint or an image; Never when none is known
	Saved    int    `json:"saved"`
	Sent     uint32 `json:"sent"`
	Received uint32 `json:"received"`
}

// Line is a recovery line: the ranks that restart together after one failure.
type Line struct {
	Procs  []trace.Proc `json:"procs"` // ascending
	Points []Point      `json:"points"`
	At     []int        `json:"at"` // the restarts
}

// Mark is what a lane shows at an event that is not about a message on the network.
type Mark struct {
	Event int        `json:"event"`
	Proc  trace.Proc `json:"proc"`
	Sort  string     `json:"sort"` // the kind of the event
	Text  string     `json:"text"` // a sentence
}

// Understand makes the model of a run. It accepts any events in any order: what does not fit stands
// alone.
func Understand(r *Run) *Model {
	s := understand(r)
	m := &Model{Run: r, Layout: &r.Trace.Layout, Silent: s.silent, Alone: s.alone}
	for i, e := range r.Trace.Events {
		m.Events = append(m.Events, Event{Event: e, Life: never, Message: never, Of: never,
			Torn: e.Kind == trace.Crashed && r.tears(e), At: never})
		if i < len(r.Trace.At) {
			m.Events[i].At = max(0, r.Trace.At[i])
		}
	}
	m.lanes()
	m.lives()
	m.lines()
	for _, f := range s.flights {
		m.message(s, f)
	}
	m.marks(s)
	m.about()
	m.causes()
	m.relevant()
	m.Cycle = cycle(r.Waits)
	m.explain()
	return m
}

// tears reports whether a crash leaves a damaged record.
func (r *Run) tears(e trace.Event) bool {
	return e.Step > 0 && e.Step <= len(r.Steps) && slices.Contains(r.Steps[e.Step-1].Torn, e.Proc)
}

// Accused are the indexes of the events of the step that breaks the property; the end of the run
// has none.
func (m *Model) Accused() (events []int) {
	v := m.Run.Violation
	if v == nil || v.Step <= 0 {
		return nil
	}
	for i := range m.Events {
		if m.Events[i].Step == v.Step {
			events = append(events, i)
		}
	}
	return events
}

// lanes lists the procs: all of the layout, and others that have events.
func (m *Model) lanes() {
	procs := min(len(m.Layout.Names), 1<<16)
	busy := map[trace.Proc]bool{}
	for i := range m.Events {
		e := &m.Events[i]
		busy[e.Proc] = true
		procs = max(procs, int(e.Proc)+1)
		if e.Kind == trace.Emitted || e.Kind == trace.Arrived {
			procs = max(procs, int(e.Peer)+1)
		}
	}
	l := m.Layout
	for i := range procs {
		p := trace.Proc(i)
		lane := Lane{Proc: p, Name: l.Name(p), Role: RoleService, Cluster: -1, Node: -1,
			Group: []trace.Proc{p}, Idle: !busy[p]}
		if i < l.Ranks {
			lane.Role = RoleRank
			if i < len(l.Clusters) {
				lane.Cluster = l.Clusters[i]
			}
		} else if slices.Contains(l.Nodes, p) || slices.Contains(l.Spares, p) {
			lane.Role = RoleNode
		}
		if i < len(l.Nodes) {
			lane.Node = int(l.Nodes[i])
		}
		if g := l.Groups[p]; len(g) > 0 {
			lane.Group = g
		}
		m.Lanes = append(m.Lanes, lane)
	}
}

// message adds one flight.
func (m *Model) message(s *story, f *flight) {
	n := len(m.Messages)
	c := Message{From: f.from, To: f.to, FromLife: never, ToLife: never, Kind: f.kind, ID: f.id,
		Stamp: f.stamp, Sent: f.sent, Arrived: f.arrived, Delivered: f.delivered,
		Dropped: f.dropped, LostAt: f.lost, Again: f.again, Copy: f.twice, Why: f.fate,
		Role: m.Layout.Role(f.kind, f.id, f.again)}
	if c.App() {
		c.Label = m.Layout.Label(f.id)
	}
	for _, i := range []int{f.sent, f.arrived, f.delivered, f.dropped, f.lost} {
		if i != never {
			m.Events[i].Message = n
		}
	}
	switch {
	case f.delivered != never:
		c.Fate = Delivered
	case f.dropped != never:
		c.Fate, c.Why = Dropped, m.Events[f.dropped].Text
	case f.arrived != never:
		c.Fate = Arrived
		if c.App() && s.lostIn(f.to, f.arrived) {
			c.Why = "lost in the crash of " + m.Layout.Name(f.to)
		}
	case f.fate != "":
		c.Fate = Lost
	default:
		c.Fate = OnItsWay
	}
	if f.sent != never {
		c.FromLife = m.Events[f.sent].Life
		c.ToLife = m.lifeAt(f.to, f.sent)
	}
	if f.arrived != never {
		c.ToLife = m.Events[f.arrived].Life
	}
	if o, ok := s.orphans[f.delivered]; ok {
		c.Orphan = []Orphan{{Since: o.since, Until: o.until, Undone: o.undone}}
	}
	m.Messages = append(m.Messages, c)
}

// marks lists what happens at one proc alone, and gives a send of a program its message.
func (m *Model) marks(s *story) {
	for i := range m.Events {
		e := &m.Events[i]
		switch e.Kind {
		case trace.Sent:
			for k := i + 1; k < len(m.Events) && m.Events[k].Step == e.Step; k++ {
				if o := &m.Events[k]; o.Kind == trace.Emitted && o.Proc == e.Proc && o.ID == e.ID {
					e.Message = o.Message
					break
				}
			}
		case trace.Emitted, trace.Arrived, trace.Delivered, trace.Dropped, trace.Lost:
		default:
			m.Marks = append(m.Marks, Mark{Event: i, Proc: e.Proc, Sort: e.Kind.String(),
				Text: m.Layout.Name(e.Proc) + " " + m.Layout.Describe(e.Event)})
		}
	}
}

// about finds what the violation is about: what the run says or, where it says nothing, the
// messages that the sentence names, or else the procs, or else who acts in the accused step.
func (m *Model) about() {
	v := m.Run.Violation
	if v == nil {
		return
	}
	m.About = slices.Clone(m.Run.About)
	if len(m.About) == 0 {
		m.About = m.mentioned(v.Message)
	}
	for i := range m.Events {
		if e := &m.Events[i]; len(m.About) == 0 && v.Step > 0 && e.Step == v.Step {
			m.About = []spec.Ref{{Role: spec.Culprit, Proc: e.Proc, Event: i}}
		}
	}
	for i := range m.About {
		if r := &m.About[i]; r.Role == spec.Missing || r.Event >= len(m.Events) {
			r.Event = never
		} else if r.Event < 0 {
			r.Event = m.eventOf(*r)
		}
	}
	slices.SortStableFunc(m.About, func(a, b spec.Ref) int {
		return slices.Index(byWeight, a.Role) - slices.Index(byWeight, b.Role)
	})
}

// byWeight are the roles in the order in which a reader wants to know of them.
var byWeight = []spec.Role{spec.Culprit, spec.Late, spec.Duplicate, spec.Missing, spec.Expected,
	spec.Holder}

// mentioned are the messages whose labels are in a text or, if none is, the procs whose names are,
// in the order of the text.
func (m *Model) mentioned(text string) (refs []spec.Ref) {
	type place struct {
		at  int
		ref spec.Ref
	}
	var list []place
	seen := map[trace.MsgID]bool{}
	for i := range m.Events {
		id := m.Events[i].ID
		if at := find(text, m.Layout.Label(id)); !id.IsZero() && !seen[id] && at >= 0 {
			list = append(list, place{at, spec.Ref{Message: id, Proc: id.From.Proc()}})
		}
		seen[id] = true
	}
	for _, l := range m.Lanes {
		if at := find(text, l.Name); at >= 0 && (len(list) == 0 || list[0].ref.Message.IsZero()) {
			list = append(list, place{at, spec.Ref{Proc: l.Proc}})
		}
	}
	slices.SortStableFunc(list, func(a, b place) int { return a.at - b.at })
	for k, n := range list {
		n.ref.Role, n.ref.Event = spec.Culprit, m.eventOf(n.ref)
		undone := n.ref.Event == never || m.Events[n.ref.Event].Undone
		if k > 0 && !n.ref.Message.IsZero() && undone {
			n.ref.Role = spec.Missing
		}
		refs = append(refs, n.ref)
	}
	return refs
}

// eventOf is the event that shows what a reference is about: of the accused step; of a message, the
// last send or delivery that is not undone or, where all are, the last one; of a proc at the end of
// the run, what it did last. It is Never when there is none.
func (m *Model) eventOf(r spec.Ref) int {
	if r.Message.IsZero() {
		return m.deedOf(r)
	}
	counts, undone := never, never
	for i := range m.Events {
		switch e := &m.Events[i]; {
		case e.ID != r.Message:
		case m.accused(i):
			return i
		case e.Kind != trace.Sent && e.Kind != trace.Delivered:
		case e.Undone:
			undone = i
		default:
			counts = i
		}
	}
	if counts != never {
		return counts
	}
	return undone
}

// accused reports whether an event is of the step that breaks the property.
func (m *Model) accused(event int) bool {
	v := m.Run.Violation
	return v != nil && v.Step > 0 && m.Events[event].Step == v.Step
}

// deedOf is what a proc does in the accused step, messages last, or did last before the end.
func (m *Model) deedOf(r spec.Ref) int {
	best, end := never, m.Run.Violation.Step <= 0
	for i := range m.Events {
		e := &m.Events[i]
		switch {
		case e.Proc != r.Proc:
		case m.accused(i) && (best == never || m.local(i) && !m.local(best)):
			best = i
		case end && !e.Undone && r.Role != spec.Holder:
			best = i
		}
	}
	return best
}

// local reports whether an event is more than a message on the network.
func (m *Model) local(event int) bool {
	k := m.Events[event].Kind
	return k != trace.Emitted && k != trace.Arrived && k != trace.Lost
}
