package cluster

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// instructions are what a life is told at its beginning.
type instructions struct {
	// what the setup is made of, for whoever started the run
	Case        json.RawMessage  `json:"case"`
	Proc        core.Proc        `json:"proc"`
	Life        core.Incarnation `json:"life"`        // number of the process, for the mesh
	Incarnation core.Incarnation `json:"incarnation"` // of the machine
	Restart     bool             `json:"restart"`
	// whoever has adopted it, of a restart of a proc that needs somebody
	Node       core.Proc `json:"node"`
	Run        mesh.Run  `json:"run"`
	Secret     []byte    `json:"secret"`
	Rendezvous string    `json:"rendezvous"`
	Host       string    `json:"host"`
	Ports      Ports     `json:"ports"` // one of which it listens on
	Dir        string    `json:"dir"`
	Epoch      uint64    `json:"epoch"` // failures so far
	Clock      uint64    `json:"clock"`
	Performed  int       `json:"performed"` // effects of earlier lives
	Gone       []int     `json:"gone"`      // by proc: lives that are over
	Torn       bool      `json:"torn"`      // interrupted writes may be handed out as torn
	On         site      `json:"on"`        // where its disk is
	Launch     *ticket   `json:"launch"`    // of a life that somebody else has started
	Spoiled    bool      `json:"spoiled"`   // its disk is not to be trusted
	Flush      bool      `json:"flush"`     // before it stops at a moment of the plan
	// of what the dead had sent arrives any more when it is known that they are
	Nothing   bool          `json:"nothing"`
	DiskDelay time.Duration `json:"diskDelay"` // of every stable write
	Forget    bool          `json:"forget"`    // what is not synced may be lost
	Moments   []moment      `json:"moments"`
	Keep      bool          `json:"keep"` // messages that are ignored stay on their way
	Set       bool          `json:"set"`  // and what was sent is on its way for ever
	Beat      time.Duration `json:"beat"` // between two signs of life, at most; 0: nobody listens
	// the kernel ends it when nobody has renewed this; 0: it lives for as long as it likes
	Lease time.Duration `json:"lease,omitempty"`
	Bare  bool          `json:"bare"` // no evidence is kept
	// procs that talk with each other are connected before anybody goes on, within so long; 0: when
	// they first do
	Connect time.Duration `json:"connect"`
	// others must reach it by its host as it is given, whatever that is called here
	Public bool `json:"public"`
	// bytes of buffers that are ready before it begins
	Reserve int  `json:"reserve"`
	States  bool `json:"states,omitempty"` // the state of the machine is in the evidence
	// it does nothing by itself but what it is told, move by move; its first step is cut short
	// behind so many effects, 0: it is not
	Steered bool `json:"steered,omitempty"`
	After   int  `json:"after,omitempty"`
	// of a course: what was on its way to the proc while it was down, and outlives its sender, or
	// the life before where the model keeps that
	Mail []letter `json:"mail,omitempty"`
}

// moment is when a life stops and asks what now.
type moment struct {
	Index   int     `json:"index"`
	After   int     `json:"after"`             // effects
	What    Measure `json:"what,omitempty"`    // other than effects
	Number  uint64  `json:"number,omitempty"`  // of What
	Word    string  `json:"word,omitempty"`    // of Said
	Request bool    `json:"request,omitempty"` // of the plan's requests, otherwise of its failures
	Stop    bool    `json:"stop,omitempty"`    // of the stops
	// of the damages: which, and what it is drawn with
	Spoil plan.Damage `json:"spoil,omitempty"`
	Draw  uint64      `json:"draw,omitempty"`
}

// What the supervisor says.
const (
	sayDead       = "dead" // Procs have stopped: Epoch, Gone
	sayGo         = "go"   // on, after a moment
	sayDown       = "down" // the detector reports Procs: Life
	sayCheckpoint = "checkpoint"
	saySuspect    = "suspect" // as down, but they live
	sayExpired    = "expired" // the watchdog Serial, about Procs, has expired
	sayStatus     = "status"  // Round
	sayEnd        = "end"
	sayMet        = "met"    // new lives listen at Addresses
	sayKilled     = "killed" // Procs, which was to be stopped, is: Life
	sayMove       = "move"   // of a course: Move
	sayMoved      = "moved"  // is it done? It is answered behind all orders before
	sayYield      = "yield"  // what is on its way here, or waits here for others?
	sayLease      = "lease"  // that of the question Serial
	sayDoing      = "doing"  // what are you doing? It is answered even in a step that does not end
)

// order is one thing that the supervisor says.
type order struct {
	Kind  string      `json:"kind"`
	Procs []core.Proc `json:"procs,omitempty"`
	Epoch uint64      `json:"epoch,omitempty"`
	Clock uint64      `json:"clock,omitempty"`
	Round int         `json:"round,omitempty"`
	// of the dead: nothing comes from these any more, not even the end of their connections
	Cut []core.Proc `json:"cut,omitempty"`

	Serial uint64           `json:"serial,omitempty"`
	Life   core.Incarnation `json:"life,omitempty"` // that has ended

	Addresses []mesh.Address `json:"addresses,omitempty"`
	Measure   bool           `json:"measure,omitempty"` // of status: what does it use?
	Move      *course.Move   `json:"move,omitempty"`
}

// What a life says.
const (
	saidUp     = "up"     // its machine has begun
	saidDead   = "dead"   // it has taken all from the dead: Epoch
	saidMoment = "moment" // it has come to a moment: Index, Request, Stop, Spoil
	saidStatus = "status"
	saidEnd    = "end"
	saidDone   = "done"   // its program has ended
	saidNote   = "note"   // Text is for the reader
	saidPanic  = "panic"  // of the machine: Text
	saidFailed = "failed" // it can not go on: Text
	saidBeat   = "beat"
	saidLease  = "lease" // it asks for one: Serial
	saidDoing  = "doing" // Text, "" if it does not hang
	// what it waits for: Peers with all that is known, Text of the program, in words
	saidWaits   = "waits"
	saidRefused = "refused" // Text is of a connection that was refused
	saidHosts   = "hosts"   // who runs on its node has changed
	// it watches Proc from the step at Began on, by the watchdog Serial; 0: no more
	saidWatch = "watch"
	// it is in the next life of its proc, as the same process; Renewed: by Renew, otherwise rolled
	// back
	saidLife   = "life"
	saidExit   = "exit"   // it stops for good
	saidKill   = "kill"   // Proc is to be stopped
	saidLaunch = "launch" // Proc is to start: Ticket
	// a move is done, and State is behind it; Text: it can not be done
	saidMoved = "moved"
	saidMail  = "mail" // Mail is on its way to it, or waits with it
	saidCut   = "cut"  // it has performed as many effects of its step as it was to
)

// answer is one thing that a life says.
type answer struct {
	Kind    string `json:"kind"`
	Text    string `json:"text,omitempty"`
	Epoch   uint64 `json:"epoch,omitempty"`
	Clock   uint64 `json:"clock,omitempty"`
	Index   int    `json:"index,omitempty"`
	Request bool   `json:"request,omitempty"`
	Stop    bool   `json:"stop,omitempty"`
	Spoil   bool   `json:"spoil,omitempty"`
	Round   int    `json:"round,omitempty"`
	Steps   uint64 `json:"steps,omitempty"`
	Idle    bool   `json:"idle,omitempty"`
	Done    bool   `json:"done,omitempty"`
	Digest  uint64 `json:"digest,omitempty"`
	// nanoseconds since 1970: when the program was seen to have ended
	Ended  int64  `json:"ended,omitempty"`
	Peers  []peer `json:"peers,omitempty"`
	Counts Counts `json:"counts"`
	// bytes of evidence that it has written so far
	Evidence int64 `json:"evidence,omitempty"`

	Proc    core.Proc `json:"proc,omitempty"`
	Serial  uint64    `json:"serial,omitempty"`
	Began   uint64    `json:"began,omitempty"`
	Renewed bool      `json:"renewed,omitempty"`
	Ticket  *ticket   `json:"ticket,omitempty"`

	State uint64   `json:"state,omitempty"`
	Mail  []letter `json:"mail,omitempty"`

	Strangers int `json:"strangers,omitempty"` // of end: connections of strangers that it refused
}

// letter is a message on its way, by its canonical bytes.
type letter struct {
	From core.Proc `json:"from"`
	To   core.Proc `json:"to"`
	Body []byte    `json:"body"`
}

// peer is what one life knows of its connection with another.
type peer struct {
	Proc     core.Proc `json:"proc"`
	Life     int       `json:"life"` // -1: not connected
	Sent     uint64    `json:"sent"` // frames
	Received uint64    `json:"received"`
	Held     int       `json:"held,omitempty"` // frames that wait for a connection
	Lost     bool      `json:"lost,omitempty"` // it broke, of a life that is not over
	// of saidWaits alone:
	Address  string `json:"address,omitempty"`
	Unsent   int    `json:"unsent,omitempty"` // bytes that the other side has not taken
	Attempts int    `json:"attempts,omitempty"`
	Error    string `json:"error,omitempty"` // of the last attempt
	Early    bool   `json:"early,omitempty"` // it knows of a failure that we do not know of
}

// Counts is what one life has sent, logged and stored.
type Counts struct {
	Steps   uint64 `json:"steps"`
	Frames  uint64 `json:"frames"`  // messages in a fixed layout
	Encoded uint64 `json:"encoded"` // messages by the codec
	Bytes   uint64 `json:"bytes"`   // payloads in a fixed layout
	Header  uint64 `json:"header"`  // piggybacked with them
	Coded   uint64 `json:"coded"`   // bytes of messages by the codec
	Sends   uint64 `json:"sends"`   // of the program
	Payload uint64 `json:"payload"` // bytes that the program has sent
	// bytes that a protocol has put on messages of the program
	Carried    uint64 `json:"carried"`
	Logged     uint64 `json:"logged"`     // bytes copied into the node's memory
	Logs       uint64 `json:"logs"`       // payloads logged, in whatever memory
	LogKnown   uint64 `json:"logKnown"`   // bytes of them
	LogUnknown uint64 `json:"logUnknown"` // those whose size is not known
	Stored     uint64 `json:"stored"`
	Storing    uint64 `json:"storing"` // nanoseconds that stable storage has taken
	Worked     uint64 `json:"worked"`  // nanoseconds of processors since the life was told to go on
	Usage
}

// Usage is what the process of a life used when nobody had anything to do any more; 0 where the run
// was ended before that.
type Usage struct {
	Resident     uint64 `json:"resident"`     // bytes of memory
	Proportional uint64 `json:"proportional"` // what it shares counted in parts (PSS)
	Connections  int    `json:"connections"`  // that were open
	Opened       int    `json:"opened"`       // in the whole life
	Descriptors  int    `json:"descriptors"`  // open files and sockets
	Threads      int    `json:"threads"`
}

// procDir is the folder of a proc in that of the run.
func procDir(dir string, p core.Proc) string { return filepath.Join(dir, fmt.Sprintf("p%03d", p)) }

// storeDir is where the stable records of a proc are: in its own folder, or in that of its node.
func storeDir(dir string, p core.Proc, on site) string {
	if on == nowhere {
		return filepath.Join(procDir(dir, p), "store")
	}
	return filepath.Join(nodeDir(dir, on.proc()), fmt.Sprintf("p%03d", p))
}

// evidenceName is that of the evidence of a life in the folder of its proc.
const evidenceName = "evidence-%d"

func evidenceFile(dir string, p core.Proc, life core.Incarnation) string {
	return filepath.Join(procDir(dir, p), fmt.Sprintf(evidenceName, life))
}
