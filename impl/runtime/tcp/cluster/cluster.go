package cluster

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// Config is one run. Setup, Case, Dir and Path must be given.
type Config struct {
	Setup *core.Setup
	Case  any         // what Live makes the same setup of
	Model fault.Model // what the environment may do; the plan is obeyed within it
	// failures and requests at numbers of effects; rates are of no meaning here
	Plan    plan.Plan
	Timed   []Timed       // failures by the clock
	Reached []Reached     // failures when a proc has come so far
	Stops   []Stop        // false suspicions, by SIGSTOP
	Silence time.Duration // who gives no sign of life for so long is suspected, too; 0: nobody is
	// how often the environment asks for checkpoints, while a program runs; no budget counts these
	Every     time.Duration
	Seed      uint64 // of delays
	Spread    time.Duration
	DiskDelay time.Duration // every stable write takes so much longer
	// with a process that is killed what it has not synced is lost, or some of it (disk.Forgetful)
	Forget bool
	Dir    string // of the run, empty or new: stores and evidence
	// of the run, since all have begun; 0 means a minute. They have as long, or 250 ms a process if
	// that is more, to begin. Time in which this process is stopped does not count, nor for Idle
	Timeout time.Duration
	// end it, too, when nobody has written evidence for so long; 0: slow or stuck, Timeout counts
	Idle time.Duration
	// no evidence: only times, counts and final digests, of a run without failures
	Bare bool
	// bytes of buffers, of messages and logs, that each process makes ready before it begins
	Reserve int
	// the evidence has a digest of the state of the machine behind each step, so that the run can
	// be found again in the modelled world more surely; it costs as much as to encode the state
	States bool
	// everybody does what the course says, one move behind the other, and nothing else: package
	// course. Nothing else may be planned then, and no delays are drawn. nil: all is up to them
	Course *course.Course
	// go on with this run, which was ended with all its processes: they have failed at once. Dir is
	// that of OpenPast; what is left of Plan, and Timed, Reached and Stops, does not strike
	Past    *Past
	Address string // where the processes meet; "" means any free port of the loopback
	Hosts   []Host // where they run; nil means all here
	// switches a host off, whose name is put behind it: when it succeeds nothing runs there any
	// more, and never will in this run; nil: a host that is lost ends the run
	Fence []string
	// a host behind a launcher none of whose processes gives a sign of life for so long is fenced;
	// 0: only one whose launchers end
	LostAfter time.Duration
	// instead of Fence: a process behind a launcher is killed by its own kernel when for so long
	// it has not been answered, and a host counts as off when that must have become of all there.
	// LostAfter is the same, unless it is given
	Lease   time.Duration
	Ports   Ports  // where all listen, at their hosts; of Address if its port is 0
	Path    string // of the program whose child is a life
	Args    []string
	Errors  io.Writer                      // standard error of the children; nil: discarded
	Note    func(text string)              // for the reader, while it runs; may be nil
	Started func(p core.Proc, process int) // for tests; may be nil

	heard func(kind string) // for tests: an answer of a life; may be nil
}

// Timed is a failure at a time after all have begun.
type Timed struct {
	At      time.Duration
	Victims []core.Proc
}

// Reached is a failure when a proc has come so far.
type Reached struct {
	Victims []core.Proc
	By      core.Proc // whose progress counts
	What    Measure
	Number  uint64
	Word    string // of Said
}

// Measure is how progress is counted.
type Measure string

// The measures. A rank that rolls back may reach a number again; the failure strikes once.
const (
	Iteration Measure = "iteration" // that the program begins, from 1 (program.Host.Iteration)
	// sends and deliveries of the program, along its surviving past: in HydEE the logical clock
	Date Measure = "date"
	// of a message that the proc puts on the network for the first time; of protocols with phases
	Phase   Measure = "phase"
	Renewed Measure = "recovery" // effects of a life that is not the first
	// declarations of a life that begin with the word Word: of stages of snapshots and rulings, say
	Said Measure = "says"
)

// Result is what a run shows.
type Result struct {
	Trace      trace.Trace
	Complete   bool
	Bound      string // what ended a run that is not complete
	Panic      string // of a machine
	Digests    []uint64
	Done       []bool // by rank
	Performed  []int  // effects by proc, in all lives
	Failures   int    // groups that have failed
	Suspicions int
	Outside    int // processes that somebody else killed
	Unstruck   int // failures of the plan whose time has not come, or that the model did not allow
	Unstopped  int // stops whose time has not come
	Crashes    []Crash
	Stops      []Suspension
	Counts     []Counts // by proc, of its last life
	// what the programs have sent, by sender and receiver; none of a bare run
	Traffic []Channel
	// what the runtime itself did; of a bare run nothing but that lives were
	Processes *processes.Run
	Elapsed   time.Duration
	Begun     time.Duration // from the call of Run until all had begun
	// by rank: when its program had ended for good, since all had begun; 0 if it has not
	Ended []time.Duration
	// connections that were refused, of whoever had not proven to be of the run
	Strangers int
	Placement []Place // who began where; nil without Config.Hosts
	Moves     int     // of the course that were made
	Unmade    string  // why the next one was not; "": there is none
}

// Place is a host and the procs that began there.
type Place struct {
	Host  string      `json:"host"`
	Procs []core.Proc `json:"procs"`
}

// Crash is one failure; times are since all have begun.
type Crash struct {
	Procs   []core.Proc // that stopped
	Exit    bool        // of their own accord: it is no failure
	Ordered bool        // by the daemon of their node: it is none, either
	// all who were up, with their supervisor: the run was resumed when it was reaped
	Resumed  bool
	At       time.Duration   // they were killed
	Reaped   time.Duration   // the supervisor knew
	Agreed   time.Duration   // everybody had taken what came from them
	Told     []time.Duration // when a watcher was told, or a watchdog expired, in order
	Restarts []time.Duration // when a new life had read its records, in order
}

// The defaults.
const (
	defaultTimeout = time.Minute
	defaultSpread  = 5 * time.Millisecond
)

// Validate reports what makes no sense, and which models real processes can not keep.
func (c *Config) Validate() error {
	if c.Setup == nil || c.Dir == "" || c.Path == "" {
		return errors.New("cluster: a setup, a folder and a program are needed")
	}
	if err := cmp.Or(c.Setup.AtMost(core.MaxSearched), c.Setup.ValidateCode()); err != nil {
		return err
	}
	m := &c.Model
	if err := m.Validate(len(c.Setup.Layout.Names)); err != nil {
		return err
	}
	switch {
	case c.Course != nil && (c.Bare || c.Every > 0 || c.Silence > 0 || len(c.Plan.Failures)+
		len(c.Plan.Requests)+len(c.Plan.Spoils)+len(c.Timed)+len(c.Reached)+len(c.Stops) > 0):
		return errors.New("cluster: a course is all that happens, and there is something else")
	case m.KeepsIgnored() && m.Failures > 0 && c.Course == nil:
		return fmt.Errorf("cluster: %w: messages that a receiver ignores are lost when it fails",
			ErrModel)
	case m.Failures > 0 && m.FromDead == fault.Every && c.Course == nil:
		return fmt.Errorf("cluster: %w: what the dead had in their own buffers is lost with them",
			ErrModel)
	case c.Bare && len(c.Plan.Failures)+len(c.Plan.Requests)+len(c.Timed)+len(c.Reached)+len(
		c.Stops) > 0:
		return errors.New(
			"cluster: failures and requests need evidence, which a bare run does not keep")
	case m.Failures > 0 && m.KeepToDead && c.Course == nil:
		return fmt.Errorf(
			"cluster: %w: what was on its way to the dead is lost, and its senders keep no copy",
			ErrModel)
	case c.Past != nil && (c.Bare || c.Course != nil || c.Past.dir != c.Dir):
		return errors.New("cluster: only a run with evidence and without a course can be resumed")
	case c.Every > 0 && m.Checkpoints == 0:
		return errors.New("cluster: checkpoints are to be asked for, and the model has none")
	}
	if err := c.validateTimes(); err != nil {
		return err
	}
	for _, validate := range []func() error{c.validateMoments, c.validateHosts, c.validatePorts,
		c.validateFence, c.validateLease, c.validateStops} {
		if err := validate(); err != nil {
			return err
		}
	}
	return c.Plan.Validate(c.Setup, m)
}

// longestTime bounds every time of a configuration.
const longestTime = 1000 * time.Hour

// validateTimes reports times that are negative, or so long that they must be mistakes.
func (c *Config) validateTimes() error {
	type named struct {
		name string
		is   time.Duration
	}
	times := []named{
		{"spread of notices and restarts", c.Spread},
		{"delay of the disks", c.DiskDelay},
		{"time limit", c.Timeout},
		{"time between checkpoints", c.Every},
		{"silence that is suspect", c.Silence},
		{"silence after which a host is lost", c.LostAfter},
		{"lease", c.Lease},
		{"time in which nothing may happen", c.Idle},
	}
	for i, t := range c.Timed {
		times = append(times, named{fmt.Sprintf("time of timed failure %d", i+1), t.At})
	}
	for i, st := range c.Stops {
		times = append(times, named{fmt.Sprintf("time of stop %d", i+1), max(st.At, st.For)})
	}
	for _, t := range times {
		if t.is < 0 || t.is > longestTime {
			return fmt.Errorf("cluster: the %s is %v, want 0 to %v", t.name, t.is, longestTime)
		}
	}
	if c.Reserve < 0 {
		return fmt.Errorf("cluster: a reserve of %d bytes, want 0 or more", c.Reserve)
	}
	return nil
}

// validateMoments reports failures of nobody and moments that never come.
func (c *Config) validateMoments() error {
	procs := len(c.Setup.Layout.Names)
	for i, t := range c.Timed {
		if len(t.Victims) == 0 {
			return fmt.Errorf("cluster: timed failure %d has no victim", i+1)
		}
		for _, v := range t.Victims {
			if int(v) >= procs {
				return fmt.Errorf("cluster: victim %d does not exist", v)
			}
		}
	}
	for i, r := range c.Reached {
		if int(r.By) >= procs || slices.ContainsFunc(r.Victims, func(v core.Proc) bool {
			return int(v) >= procs
		}) {
			return fmt.Errorf("cluster: victims %v by %d: there are %d procs", r.Victims, r.By,
				procs)
		}
		name, rank := c.Setup.Layout.Name(r.By), int(r.By) < c.Setup.Layout.Ranks
		switch {
		case r.What != Iteration && r.What != Date && r.What != Phase && r.What != Renewed &&
			r.What != Said:
			return fmt.Errorf("cluster: %q is no measure of progress, want %s, %s, %s, %s or %s",
				r.What, Iteration, Date, Phase, Renewed, Said)
		case r.What == Said && r.Word == "":
			return fmt.Errorf("cluster: which word is %s to say?", name)
		case r.What == Said:
		case r.What != Renewed && !rank:
			return fmt.Errorf("cluster: %s of %s: it has no program", r.What, name)
		case r.What == Phase && !c.Setup.Promises.Phases:
			return fmt.Errorf("cluster: protocol %s has no phases", c.Setup.Protocol)
		}
		if n, known := 0, false; r.What == Iteration {
			if n, known = c.Setup.Programs[r.By].Iterations(); known && r.Number > uint64(n) {
				return fmt.Errorf("cluster: iteration %d of %s: its program has %d", r.Number, name,
					n)
			}
		}
		if len(r.Victims) == 0 {
			return fmt.Errorf("cluster: failure %d by progress has no victim", i+1)
		}
	}
	return nil
}

// leastSilence is the shortest silence that means something: signs of life come four times as
// often.
const leastSilence = 20 * time.Millisecond

// validateStops reports false suspicions that nobody would have, or that the model does not allow.
func (c *Config) validateStops() error {
	n := len(c.Setup.Layout.Names)
	for i, st := range c.Stops {
		if int(st.Proc) >= n || int(st.By) >= n || st.At < 0 || st.After < 0 || st.For < 0 {
			return fmt.Errorf("cluster: stop %d makes no sense: %+v, there are %d procs", i+1, st,
				n)
		}
	}
	switch {
	case c.Silence < 0 || c.Silence > 0 && c.Silence < leastSilence:
		return fmt.Errorf("cluster: a silence of %v means nothing, want at least %v", c.Silence,
			leastSilence)
	case len(c.Stops) == 0 && c.Silence == 0:
		return nil
	case len(c.Setup.Watchers) == 0 && !c.Setup.Watchdogs:
		return fmt.Errorf(
			"cluster: %w: in protocol %s nobody suspects anybody, so a process that is stopped "+
				"is slow and no more", ErrModel, c.Setup.Protocol)
	case c.Model.Suspicions == 0:
		return fmt.Errorf(
			"cluster: %w: a process that is stopped is a false suspicion, and none is allowed",
			ErrModel)
	}
	return nil
}

// ErrModel means that real processes do not keep the failure model.
var ErrModel = errors.New("real processes do not keep this model")

// Run runs the setup to its end, to a bound, or until the context is cancelled. When it returns, no
// process is left. The folder stays.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := mesh.Supported(runtime.GOOS); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.Spread == 0 {
		c.Spread = defaultSpread
	}
	c.LostAfter = cmp.Or(c.LostAfter, c.Lease)
	c.Address = c.meeting()
	if c.Note == nil {
		c.Note = func(string) {}
	}
	text, err := json.Marshal(c.Case)
	if err != nil {
		return nil, err
	}
	if err := enoughFiles(len(c.Setup.Layout.Names)); err != nil {
		return nil, err
	}
	listener, err := c.meet()
	if err != nil {
		return nil,
			fmt.Errorf(
				"cluster: no process can meet the others at %q, want HOST:PORT of this host, "+
					"such as "+
					"127.0.0.1:0 (any free port): %w", c.Address, err)
	}
	s := newSupervisor(&c, text)
	unlock, err := s.prepare()
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	defer unlock()
	s.instructions.Rendezvous = listener.Addr().String()
	if s.instructions.Host, _, err = net.SplitHostPort(s.instructions.Rendezvous); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	meeting, stop := context.WithCancel(context.Background())
	met := make(chan error, 1)
	rendezvous := &mesh.Rendezvous{Identity: mesh.Identity{Run: s.instructions.Run,
		Secret: s.instructions.Secret}, Procs: len(s.procs),
		Refused: func(address string, err error) { s.post(func() { s.stranger(address, err) }) },
		Joined:  func(p core.Proc, a mesh.Address) { s.post(func() { s.meets(s.procs[p], a) }) }}
	go func() { met <- rendezvous.Serve(meeting, listener) }()
	err = s.run(ctx)
	stop()
	err = errors.Join(err, <-met)
	if err != nil {
		return nil, err
	}
	return s.result()
}

// prepare makes the folder ready, and keeps others from it for as long as the run goes on.
func (s *supervisor) prepare() (unlock func(), err error) {
	if s.past = s.c.Past; s.past != nil {
		s.instructions.Run = s.past.run
		return func() {}, nil // whoever has opened it does
	}
	if err := prepare(s.c.Dir, len(s.procs), &s.instructions); err != nil {
		return nil, err
	}
	lock, err := lockRun(s.c.Dir)
	return func() { _ = lock.Close() }, err // it was only locked
}

// prepare makes the folders of a run.
func prepare(dir string, procs int, in *instructions) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cluster: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf(
			"cluster: %s has files already, of another run perhaps: name an empty or new folder",
			dir)
	}
	for p := range procs {
		if err := os.MkdirAll(procDir(dir, core.Proc(p)), 0o777); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	// the one that names the run is last: without it nothing has begun
	for _, file := range []struct {
		name string
		text []byte
	}{{caseFile(dir), in.Case}, {filepath.Join(dir, runFile), hex.AppendEncode(nil, in.Run[:])}} {
		if err := os.WriteFile(file.name, file.text, 0o666); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}
