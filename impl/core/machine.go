package core

import "github.com/domino-check/domino/spec/trace"

// The vocabulary of processes is shared with the evidence.
type (
	Proc        = trace.Proc
	Rank        = trace.Rank
	Incarnation = trace.Incarnation
	MsgID       = trace.MsgID
	Stamp       = trace.Stamp
	Layout      = trace.Layout
)

// Machine is one proc: deterministic, without I/O, with plain-data state.
type Machine interface {
	// Step handles one input and appends the effects that the driver must perform, in order, to
	// out.
	Step(in Input, out []Effect) []Effect
	// State returns pointers to the parts of the state, always the same parts in the same order,
	// for the codec.
	State() []any
	// Choices appends the internal steps that are enabled now, in a fixed order: the program steps
	// of a rank, what a service may do of its own accord, mostly nothing. Each is executed by an
	// Advance input that names it. It changes nothing.
	Choices(buf []Choice) []Choice
}

// Commuter is a machine that can tell which of its steps a search may take before all others.
type Commuter interface {
	// Commutes reports that handling the input in the present state commutes with every input that
	// can come before it, as long as no failure, no checkpoint and no message of another recovery
	// round than the given one is still to come: either order ends in the same state with the same
	// messages on every channel, and each of the two declares the same, also when more steps come
	// in between. If, coming last of several, it would do something that others can judge, it must
	// do nothing but be counted when it comes earlier. Only Received inputs and program steps are
	// asked for.
	Commutes(in Input) (round uint64, ok bool)
}

// Message is what travels between procs: a pointer to a struct of plain data that the codec can
// encode.
type Message interface {
	// Describe names the message for evidence and reports; it is not part of the data path.
	Describe() trace.Wire
}

// Payload is what a program sends: opaque bytes to the protocol. ID is assigned by the rank host
// and carried as evidence.
type Payload struct {
	_    struct{} `cbor:",toarray"`
	ID   MsgID    `json:"id"`
	Data []byte   `json:"data"`
}

// InputKind says which past event an Input is.
type InputKind uint8

// The inputs and the fields of Input that they carry.
const (
	Start InputKind = iota + 1 // first life of a proc
	// later life: Incarnation, Records, From (of a proc that has a host: the host)
	Restore
	Received  // a message arrived: From, Message
	Persisted // the record is on stable storage: Key
	// the failure detector reports procs that stopped: Procs, Incarnation (the life that ended, of
	// several procs that of the first)
	Down
	// a timer set earlier fired: Timer; a watchdog expired: Timer is Silence, From
	Tick
	Advance // driver to rank: take the program step Choice
	Send    // program to protocol: To, Payload
	// program to protocol: deliver the next message of From (of a group: its Source); Any, Posted
	Receive
	// program or environment to protocol: save a recovery line when convenient
	Checkpoint
	Multicast  // program to protocol: Group, Payload
	Contribute // program to protocol: Group, Payload
	// a proc that was to be stopped (Kill) is: From, Incarnation (the life that this ended or, if
	// it was down or runs elsewhere, the newest that is over; NoLife when none is)
	Killed
	// a record was read back (Read): Key, Records (none: it is not there; or one)
	Loaded
	Refused // the store has no room for the record, nothing was written: Key
)

// NoLife is the incarnation of a proc of which no life is over.
const NoLife = ^Incarnation(0)

// Input is one past event. Only the fields that its Kind names are set.
//
// An Input is copied by 16 bytes, and copied on by whoever hands it to a layer below. With a size
// that is no multiple of them the last two moves overlap, and the second copy waits for the first
// to reach the cache: fields are in the order in which it is one.
type Input struct {
	Kind InputKind
	Any  bool // the receive names no source
	// it was posted earlier and completes now: the program may do other steps before it
	Posted      bool
	Group       Group
	From        Proc
	To          Rank
	Incarnation Incarnation
	Message     Message
	Payload     Payload
	Procs       []Proc
	Records     []Record
	Key         string
	Timer       string
	Choice      Choice
}

// Record is one value of stable storage handed to a new incarnation. A write that was interrupted
// leaves the older value of its key or, if there was none, perhaps a torn record.
type Record struct {
	Owner Proc
	Key   string
	Value []byte
	Torn  bool // the write was interrupted and the store's checksum found out; Value is nil
}

// EffectKind says what a machine asks for or declares.
type EffectKind uint8

// The effects and the fields of Effect that they carry. ProgramSent and ProgramDone come from the
// rank host; Decide, Invoke and Return cross to whoever uses a service. What a protocol did that
// nobody else sees, to its log, to what it holds in memory or to an input that it ignored, it
// declares.
const (
	SendMessage EffectKind = iota + 1 // put on the network: To, Message
	// write stable record Key = Value, a Persisted input follows; a nil Value deletes, nothing
	// follows, and until a later record is stable a crash may lose the delete: what was deleted is
	// there again
	Persist
	Deliver  // answer to Receive: From, Payload, Stamp
	SetTimer // Timer will fire after Ticks
	// something leaves the system for good: Digest, Sent and Received (where the program stands)
	Output
	Rollback // restart this proc from stable storage
	// the recovery line is now at Sent, Received (copied from the image)
	Commit
	ProgramSent // rank host: the program sent Payload to To
	ProgramDone // rank host: the program ended in state Digest
	// a decision that no other proc may contradict, made known outside: Key (what is decided)
	Decide
	// client: an operation on the service begins: Key (the operation)
	Invoke
	Return // client: its operation ends: Key (the answer)
	// start the watchdog about proc To again: it expires when To is silent for too long; see
	// Silence
	Watch
	Unwatch // stop it
	// this proc, and all that it has adopted, stops of its own accord, which is no failure; the
	// last effect of a step. It starts again where one that has crashed may
	Exit
	// the first effect of a step: this is the next incarnation of the proc from now on, though it
	// has not stopped
	Renew
	// leaves an event of the kind What, one that machines declare (trace.Kind.Declared): To is its
	// Peer, Key its Text, and ID, Stamp, Sent, Received and Digest are its own
	Declare
	// stop the proc To, if it runs on the node of this proc, and take a Launch of it back that has
	// not begun; a Killed input follows when that is done, also when there was nothing to do. One
	// that is asked for again before is done once
	Kill
	// start the next incarnation of the proc To, which is down, on the node of this proc: it is
	// restored with one record, Key and Value, whose Owner is this proc. It begins at any later
	// time, unless this proc stops before; one that is up is not started. See Setup.Launched
	Launch
	// read the record Key back from stable storage, behind all writes before; a Loaded input
	// follows
	Read

	endOfKinds // behind all others
)

// Silence is the timer of a Tick that says that a watchdog has expired. There is one watchdog for
// each pair of procs. That the watched proc gives signs of life while it runs, and how often, is
// the business of the driver; a watchdog about one that has stopped expires at some time, one about
// another proc may, falsely.
const Silence = "silence"

// Effect is one thing a machine asks for or declares. Only the fields that its Kind names are set.
type Effect struct {
	Kind     EffectKind
	What     trace.Kind // Declare: the kind of event
	Former   bool       // SendMessage: by what is left of the former incarnation, see Renew
	To       Proc
	From     Proc
	Message  Message
	Payload  Payload
	ID       MsgID
	Stamp    Stamp
	Key      string
	Value    []byte
	Timer    string
	Ticks    uint64
	Sent     uint32
	Received uint32
	Digest   uint64
}

// Service is embedded by machines that are not ranks and do nothing of their own accord.
type Service struct{}

// Choices appends nothing.
func (Service) Choices(buf []Choice) []Choice { return buf }

// Add appends an effect of a kind and returns its place, so that its fields are set there. An
// Effect is large: one that is made elsewhere and then copied costs a message of the data path a
// good part of its time.
func Add(out []Effect, kind EffectKind) ([]Effect, *Effect) {
	if len(out) == cap(out) {
		out = append(out, Effect{})
	} else {
		out = out[:len(out)+1]
	}
	e := &out[len(out)-1]
	*e = Effect{Kind: kind}
	return out, e
}

// SendTo is a SendMessage effect.
func SendTo(to Proc, m Message) Effect { return Effect{Kind: SendMessage, To: to, Message: m} }

// DropInput declares that a message from a proc was ignored for the reason.
func DropInput(from Proc, id MsgID, reason string) Effect {
	return Effect{Kind: Declare, What: trace.Dropped, To: from, ID: id, Key: reason}
}

// Halted declares that the proc gives up, with an answer for who asks why.
func Halted(reason string) Effect {
	return Effect{Kind: Declare, What: trace.Halted, Key: reason}
}

// Kept declares that something is kept in memory for others.
func Kept(i trace.Item) Effect {
	return Effect{Kind: Declare, What: trace.Kept, Key: i.Sort, To: i.Peer, ID: i.ID,
		Sent: i.Past, Received: i.Number}
}

// KeptPayload is Kept of a payload that no Logged declares, such as the copy of a multicast: the
// effect carries it, so that a driver can count its bytes.
func KeptPayload(i trace.Item, p Payload) Effect {
	e := Kept(i)
	e.Payload = p
	return e
}

// Forgotten declares that it is kept no more.
func Forgotten(i trace.Item) Effect {
	e := Kept(i)
	e.What = trace.Forgotten
	return e
}

// Imaged declares that an image is stable, and why it was taken (trace.ImageBasic and so on): its
// number at this rank, from 1, its index where images have one, and where it stands.
func Imaged(why string, number, index uint64, sent, received uint32) Effect {
	return Effect{Kind: Declare, What: trace.Imaged, Key: why,
		Stamp: Stamp{Date: number, Phase: index}, Sent: sent, Received: received}
}

// Lined declares where a rank is in the line that a recovery round goes back to, and whether it
// goes back or stays (trace.LineBack, trace.LineStays).
func Lined(r Rank, what string, round uint64, sent, received uint32) Effect {
	return Effect{Kind: Declare, What: trace.Lined, To: r.Proc(), Key: what,
		Stamp: Stamp{Round: round}, Sent: sent, Received: received}
}

// Undone declares that this rank, which lives, is about to go back because another one has failed:
// whose failure it is, the recovery round, and where it will stand.
func Undone(failed Proc, round uint64, sent, received uint32) Effect {
	return Effect{Kind: Declare, What: trace.Undone, To: failed, Stamp: Stamp{Round: round},
		Sent: sent, Received: received}
}

// Logged declares that a message for a proc is in the message log. The place is its number among
// the deliveries there, 0 = unknown.
func Logged(id MsgID, to Proc, place uint32) Effect {
	return Effect{Kind: Declare, What: trace.Logged, ID: id, To: to, Received: place}
}

// Pruned declares that a message for a proc was removed from the message log.
func Pruned(id MsgID, to Proc) Effect {
	return Effect{Kind: Declare, What: trace.Pruned, ID: id, To: to}
}
