package errmgr

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
)

// job is the layer between the program of a rank and the network: it numbers messages, stands still
// for snapshots and moves, and goes on when the head says so.
//
// A message names the lives of both ends, as far as its sender knows them from the head. One to a
// former life of the receiver, or from one that the receiver knows to be over, is dropped: of a
// past that is given up nothing is received. Numbers on each channel are those of the life that the
// program is in, so who sends again what has been received does no harm.
type job struct {
	*config
	rank core.Rank
	app  core.Application
	s    jobState
}

// jobState is the state of a job.
type jobState struct {
	_      struct{}           `cbor:",toarray"`
	Life   core.Incarnation   `json:"life"`
	Epoch  uint32             `json:"epoch"`  // the newest episode that the head has spoken of
	Daemon core.Proc          `json:"daemon"` // of the node where it runs
	Waits  bool               `json:"waits"`  // it was launched, and may not run yet
	Halted bool               `json:"halted"` // its image could not be read
	Lives  []core.Incarnation `json:"lives"`  // of the ranks, as the head has said
	Dead   []core.Rank        `json:"dead"`   // gone for good, as the head has said one by one
	In     [][]core.Payload   `json:"in"`     // arrived, by source: ranks, then groups
	Parts  [][]core.Payload   `json:"parts"`  // arrived contributions, by group and member
	Got    []uint32           `json:"got"`    // number of the last one that has, by source
	Out    []uint32           `json:"out"`    // number of the last one sent, by destination
	Log    [][]logged         `json:"log"`    // what may be sent again, by destination
	Pause  standstill         `json:"pause"`
	Early  []early            `json:"early"` // markers of pauses that have not begun here
	Over   finished           `json:"over"`
	Marks  []mark             `json:"marks"` // images of which nothing more is known
	Last   SnapID             `json:"last"`  // the snapshot of the newest image, or launched from
	// Dirty: something was received, or an error seen, since the last state that a snapshot is
	// known to cover.
	Dirty bool `json:"dirty"`
	Asked bool `json:"asked"` // for a snapshot, for an output that waits
}

// logged is a message that the receiver may need again: it was sent after the image for Last.
type logged struct {
	_       struct{}     `cbor:",toarray"`
	Number  uint32       `json:"number"`
	Last    SnapID       `json:"last"`
	Payload core.Payload `json:"payload"`
	Group   core.Group   `json:"group"` // a multicast or a contribution
	Part    bool         `json:"part"`  // a contribution
}

// mark is where an image was taken.
type mark struct {
	_        struct{} `cbor:",toarray"`
	Snap     SnapID   `json:"snap"`
	Sent     uint32   `json:"sent"`
	Received uint32   `json:"received"`
	Clean    bool     `json:"clean"` // nothing was received since
}

// newJob is the layer of a rank in its blank state.
func newJob(c *config, rank core.Rank, app core.Application) *job {
	j := &job{config: c, rank: rank, app: app}
	j.s = j.blank()
	return j
}

func (j *job) blank() jobState {
	n := j.ranks
	return jobState{Daemon: j.placement[j.rank], Lives: make([]core.Incarnation, n),
		In:    make([][]core.Payload, n+len(j.trees)),
		Parts: make([][]core.Payload, n*len(j.trees)),
		Got:   make([]uint32, n), Out: make([]uint32, n), Log: make([][]logged, n)}
}

// rank is the machine of a rank. Beside what its host does it asks for a snapshot when its program
// has come to an output that waits for one: a layer is not told where its program is.
type rank struct {
	*program.Host
	job *job
}

// newRank makes the machine of a rank. Posted receives complete where the program waits: otherwise
// an output could show that one had not completed yet, and come again when it has.
func newRank(c *config, r core.Rank, p core.Program) core.Machine {
	m := &rank{}
	m.Host = program.NewHost(r, p, func(app core.Application) core.Layer {
		m.job = newJob(c, r, app)
		return m.job
	})
	m.Host.PostsWait()
	return m
}

// Below implements core.Below.
func (m *rank) Below() core.Machine { return m.Host }

// Step implements core.Machine.
func (m *rank) Step(in core.Input, out []core.Effect) []core.Effect {
	out = m.Host.Step(in, out)
	op, ok := m.Host.Next()
	if ok && op.Kind == core.OpOutput && !m.job.stopped() {
		out = m.job.want(out)
	}
	return out
}

// State implements core.Layer.
func (j *job) State() any { return &j.s }

// stopped reports whether the program may do nothing.
func (j *job) stopped() bool { return j.s.Waits || j.s.Halted || j.s.Pause.On }

// Ready implements core.Layer.
func (j *job) Ready(core.Rank) bool { return !j.stopped() }

// Sources implements core.Layer.
func (j *job) Sources(buf []core.Rank) []core.Rank {
	if j.stopped() {
		return buf
	}
	for q := range j.s.In {
		switch {
		case len(j.s.In[q]) == 0:
		case q < j.ranks:
			buf = append(buf, core.Rank(q))
		default:
			buf = append(buf, core.Group(q-j.ranks+1).Source())
		}
	}
	return buf
}

// Holds implements core.Holder.
func (j *job) Holds(op core.OpKind) bool {
	return j.stopped() || op == core.OpOutput && j.uncovered()
}

// uncovered reports whether an output would show what a failure can undo: something was received
// since the last state that a snapshot is known to cover. What the program has only sent since then
// it does again in the same way.
func (j *job) uncovered() bool {
	// Deviation: W20, an output does not wait
	return j.Hold && j.s.Dirty && !j.has(W20)
}

// soil notes that the program has seen what a snapshot must cover: a message, or that somebody is
// gone. 1. a sees that b is gone, and outputs. 2. a fails, and goes back to before. 3. The message
// of b is here this time, and another output leaves.
func (j *job) soil() {
	if !j.Hold {
		return
	}
	j.s.Dirty = true
	for i := range j.s.Marks {
		j.s.Marks[i].Clean = false
	}
}

// want asks for a snapshot that covers an output that waits, unless one is under way that will.
func (j *job) want(out []core.Effect) []core.Effect {
	n := len(j.s.Marks)
	if !j.uncovered() || j.s.Asked || n > 0 && j.s.Marks[n-1].Clean {
		return out
	}
	j.s.Asked = true
	return append(out, j.tell(&Message{Kind: WantSnapshot}))
}

// Step implements core.Layer.
func (j *job) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		return out
	case core.Restore:
		return j.launched(&in, out)
	case core.Send:
		return j.dispatch(in.To, logged{Payload: in.Payload}, out)
	case core.Multicast:
		return j.multicast(&in, out)
	case core.Contribute:
		return j.contribute(&in, out)
	case core.Receive:
		return j.deliver(core.Rank(in.From), out)
	case core.Received:
		return j.received(in.From, in.Message.(*Message), out)
	case core.Checkpoint:
		return append(out, j.tell(&Message{Kind: WantSnapshot}))
	case core.Down:
		return j.report(&in, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "nothing that a rank knows"))
}

// received dispatches a message. One of the head, about a former episode, is late.
func (j *job) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	drop := func(why string) []core.Effect {
		return append(out, core.DropInput(from, m.Payload.ID, why))
	}
	switch {
	case m.Kind == App:
		return j.arrived(core.Rank(from), m, out)
	case m.Kind == Marker:
		return j.marked(core.Rank(from), m, out)
	case !j.isHead(from):
		return drop("neither of a rank nor of the head")
	case m.Epoch < j.s.Epoch:
		return drop("of a former episode")
	case j.s.Halted:
		return drop("it has given up")
	}
	j.s.Epoch = m.Epoch
	switch m.Kind {
	case Quiesce:
		return j.quiesce(m, out)
	case Resume:
		return j.resume(m, out)
	case Sustain:
		return j.sustain(m, out)
	case Replay:
		return j.replay(m, out)
	case Rewire:
		// The lives count when the pause ends, with those of the movers that move in the end: until
		// then they may stay where they are.
		return append(out, j.tell(&Message{Kind: RewireAck, Move: m.Move}))
	case Covered:
		return j.covered(m.Snap, out)
	}
	return drop("nothing that a rank knows")
}

// tell is a message to the head, of this rank.
func (j *job) tell(m *Message) core.Effect {
	m.Epoch, m.Life, m.Ranks = j.s.Epoch, j.s.Life, []core.Rank{j.rank}
	return core.SendTo(j.head, m)
}

// report passes on whom the failure detector takes for failed, as the lives that it knows.
func (j *job) report(in *core.Input, out []core.Effect) []core.Effect {
	m := &Message{Kind: Report, Epoch: j.s.Epoch, Life: j.s.Life}
	for _, p := range in.Procs {
		switch {
		case j.isRank(p):
			m.Ranks = append(m.Ranks, core.Rank(p))
			m.Lives = append(m.Lives, in.Incarnation)
		case j.isNode(p):
			m.Nodes = append(m.Nodes, p)
		}
	}
	if len(m.Ranks)+len(m.Nodes) == 0 {
		return out
	}
	return append(out, core.SendTo(j.head, m))
}

// rewire learns of the lives that ranks are in.
func (j *job) rewire(m *Message) {
	for i, r := range m.Ranks {
		if i < len(m.Lives) {
			j.s.Lives[r] = max(j.s.Lives[r], m.Lives[i])
		}
	}
}
