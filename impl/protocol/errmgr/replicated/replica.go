package replicated

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// record is the key of what a replica has on stable storage: its term, its vote and its log, in one
// record, so that no crash can tear them apart.
const record = "raft"

// replica is one copy of the service.
//
// What a step must have on disk before anybody may know of it (term, vote, log) is written, and
// everything that the step sends is held back until it is stable, as Raft demands; inputs that come
// meanwhile wait. So a crash before that undoes the step as if its input had been lost, and the
// state between two inputs is always one in which the disk is done.
type replica struct {
	core.Service
	*config
	group
	inner core.Machine // the copy
	s     replicaState

	out  []core.Effect // of the present step
	sent []parcel      // by the present input
}

// replicaState is what a replica knows beside its copy of the service.
type replicaState struct {
	_       struct{}         `cbor:",toarray"`
	Life    core.Incarnation `json:"life"`
	Member  member           `json:"member"`
	Applied uint64           `json:"applied"` // the copy has taken the entries up to here
	// a write is on its way: what is sent when it is done, and what came in meanwhile
	Writing bool     `json:"writing"`
	Held    []parcel `json:"held"`
	Waiting []parcel `json:"waiting"`
	Others  []other  `json:"others"` // by member number, from 1
	Poll    poll     `json:"poll"`
	// reports of the failure detector that are not in the log, as far as this one has applied it
	Reports []report `json:"reports"`
	// the leader that has entered upon its office: it has applied an entry of its term
	Serving bool    `json:"serving"`
	Shared  service `json:"shared"`
}

// parcel is a message that is to be sent, or an input as data: a message, a report with Procs, the
// end of a Timer, or Checkpoint.
type parcel struct {
	_          struct{}  `cbor:",toarray"`
	Proc       core.Proc // whom it is for, or from
	Message    Message
	Procs      []core.Proc
	Life       core.Incarnation
	Timer      string
	Checkpoint bool
}

// report is one of the failure detector, about a life that has ended.
type report struct {
	_     struct{}         `cbor:",toarray"`
	Procs []core.Proc      `json:"procs"`
	Life  core.Incarnation `json:"life"`
}

func (r *replica) State() []any { return append(r.inner.State(), &r.s) }

// Step implements core.Machine.
func (r *replica) Step(in core.Input, out []core.Effect) []core.Effect {
	r.out = out
	switch in.Kind {
	case core.Start:
		r.take(func() { r.begin(r.founded()) })
	case core.Restore:
		r.take(func() { r.restore(&in) })
	case core.Persisted:
		r.stable()
	default:
		r.arrive(parcelOf(&in))
	}
	out, r.out = r.out, nil
	return out
}

// parcelOf is an input as data.
func parcelOf(in *core.Input) parcel {
	p := parcel{Proc: in.From, Procs: in.Procs, Life: in.Incarnation, Timer: in.Timer,
		Checkpoint: in.Kind == core.Checkpoint}
	if m, ok := in.Message.(*Message); ok {
		p.Message = *m
		p.Message.fresh = nil
	}
	return p
}

// take handles one input: what the disk must have is written, in one record, and what is sent waits
// for that.
func (r *replica) take(input func()) {
	before := r.s.Member
	input()
	sent := r.sent
	r.sent = nil
	if m := &r.s.Member; before.Term != 0 && !m.stableAs(&before) {
		r.out = append(r.out, core.Effect{Kind: core.Persist, Key: record, Value: core.Encode(
			&member{Term: m.Term, Vote: m.Vote, Commit: m.Commit, Log: m.Log})})
		r.s.Writing = true
		if !r.broken(Hasty) {
			r.s.Held = sent
			return
		}
	}
	r.emit(sent)
}

// stable lets out what has waited for the disk, and takes what has come in meanwhile.
func (r *replica) stable() {
	held, waiting := r.s.Held, r.s.Waiting
	r.s.Writing, r.s.Held, r.s.Waiting = false, nil, nil
	r.emit(held)
	for _, p := range waiting {
		r.arrive(p)
	}
}

// emit puts messages on the network.
func (r *replica) emit(sent []parcel) {
	for i := range sent {
		m := sent[i].Message
		m.fresh = r.newMessage
		r.out = append(r.out, core.SendTo(sent[i].Proc, &m))
	}
}

// begin is the state of a replica with a log of which nothing is applied.
func (r *replica) begin(m member) {
	r.s.Member = m
	r.s.Others = make([]other, r.size)
	r.s.Shared.Sessions = make([]session, len(r.layout.Names))
	r.s.Serving = m.Role == leader
	r.apply()
}

// restore begins a later life. What was never written is what every member begins with: nothing
// that this one has said depends on more.
func (r *replica) restore(in *core.Input) {
	m := r.founded()
	for _, record := range in.Records {
		if record.Torn {
			continue
		}
		m = member{}
		if err := core.Decode(record.Value, &m); err != nil {
			panic(fmt.Sprintf("invariant: a stable record is what was written: %v", err))
		}
	}
	m.Role, m.Lead, m.Peers = follower, 0, nil
	r.s.Life = in.Incarnation
	r.begin(m)
	for _, p := range r.replicas {
		if p != r.proc() {
			r.send(p, Message{Kind: Hello, Life: r.s.Life})
		}
	}
}

// proc is this replica.
func (r *replica) proc() core.Proc { return r.replicas[r.self-1] }

// number is the member number of a replica, 0 of another proc.
func (r *replica) number(p core.Proc) uint64 {
	return uint64(slices.Index(r.replicas, p) + 1)
}

// arrive takes an input, or lets it wait for the disk.
func (r *replica) arrive(p parcel) {
	if r.s.Writing {
		r.s.Waiting = append(slices.Clone(r.s.Waiting), p)
		return
	}
	r.take(func() {
		switch id := r.number(p.Proc); {
		case len(p.Procs) > 0:
			r.down(p.Procs, p.Life)
		case p.Timer != "":
			r.tick(p.Timer)
		case p.Checkpoint:
			r.checkpoint()
		case p.Message.Kind == Request && id == 0:
			r.request(p.Proc, &p.Message)
		case p.Message.Kind == Raft && id != 0:
			r.packet(id, &p.Message)
		case p.Message.Kind == Hello && id != 0:
			r.hello(id, p.Message.Life)
		case p.Message.Kind == Elect && id != 0:
			r.elected(id, p.Message.Term)
		default:
			r.drop(p.Proc, "no message for a replica")
		}
	})
}

// act lets the member of the group take a step: what is committed then is applied.
func (r *replica) act(do func(m *member) []packet) {
	m := &r.s.Member
	term := m.Term
	for _, p := range do(m) {
		r.send(r.replicas[p.To-1], Message{Kind: Raft, Life: r.s.Life, Packet: p})
	}
	if m.Role != leader || m.Term != term {
		r.s.Serving = false
	}
	r.apply()
}

func (r *replica) send(to core.Proc, m Message) {
	r.sent = append(r.sent, parcel{Proc: to, Message: m})
}

func (r *replica) drop(from core.Proc, reason string) {
	r.out = append(r.out, core.DropInput(from, core.MsgID{}, reason))
}

// down is a report of the failure detector. One about other procs is an input of the service: each
// replica keeps it until it is in the log, because the leader may fail before it has put it there.
func (r *replica) down(procs []core.Proc, life core.Incarnation) {
	var others []core.Proc
	for _, p := range procs {
		if id := r.number(p); id == 0 {
			others = append(others, p)
		} else if id != r.self {
			r.lost(id, life)
		}
	}
	if len(others) == 0 || life < r.s.Shared.Sessions[others[0]].Fallen {
		return
	}
	r.s.Reports = append(slices.Clone(r.s.Reports), report{Procs: others, Life: life})
	if r.s.Serving {
		r.enter(command{Kind: core.Down, Procs: others, Life: life})
	}
}

// tick is the end of a timer of the service.
func (r *replica) tick(name string) {
	i := slices.IndexFunc(r.s.Shared.Timers, func(t timer) bool { return t.Name == name })
	if i >= 0 && r.s.Serving {
		r.enter(command{Kind: core.Tick, Timer: name, Number: r.s.Shared.Timers[i].Number})
	}
}

// checkpoint is a wish of the environment, which asks every replica.
func (r *replica) checkpoint() {
	if r.s.Serving {
		r.enter(command{Kind: core.Checkpoint})
	}
}

// request is a message for the service. One that does not lead forgets it: whoever leads next is
// given by everybody what has not arrived.
func (r *replica) request(from core.Proc, m *Message) {
	c := command{Kind: core.Received, From: from, Life: m.Life, Number: m.Number, Seen: m.Seen,
		Body: m.Body}
	switch {
	case r.s.Member.Role != leader:
		r.drop(from, "does not lead")
	case r.broken(Local):
		r.step(c)
	default:
		r.enter(c)
	}
}

// enter puts an input of the service into the log.
func (r *replica) enter(c command) {
	r.act(func(m *member) []packet { return r.propose(m, core.Encode(&c)) })
}
