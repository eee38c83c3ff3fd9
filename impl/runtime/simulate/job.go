package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// Job is one run.
type Job struct {
	Machine *Machine
	Setup   *core.Setup
	Work    time.Duration // what a rank computes in each iteration of its main loop
	// Interval is the time between two checkpoints of the same recovery unit; units are asked one
	// after the other. 0 = none is asked for.
	Interval time.Duration
	// Image is how many bytes an image counts as: a record, for each image in it, and an image that
	// travels in a message (images.go); 0 = those that it has.
	Image    int64
	Failures []Failure // by rising time
	// Anytime lets failures strike at their moments, those of one moment at once; otherwise time
	// stands still for them during a recovery, and one strikes after the other.
	Anytime bool
	// FreeBytes lets messages of programs have the bytes that they have without a protocol and
	// all others none; FreeSteps lets steps cost what they cost without one, and copies nothing.
	FreeBytes, FreeSteps bool
	Steps                int // the most steps of machines; 0 = emulate.DefaultSteps
	vain                 int // checkpoints in vain that end it; 0 = mostInVain
}

// Failure is one that stops a rank, with those that stop with it. One that is down begins to start
// again. If failures wait (Job.Anytime), its time does not go on during a recovery, which for
// moments that have no memory changes nothing but that no failure strikes then.
type Failure struct {
	At   time.Duration
	Rank core.Rank
}

// Outcome is what a run has shown. Times are in picoseconds.
type Outcome struct {
	Completion int64 // when the last program had ended
	Messages   int   // between procs
	Sends      int   // of them, of programs
	Control    int   // the others
	Bytes      int64 // between nodes, with headers of the network
	Steps      int   // of machines
	Busy       int64 // what processors have worked, of all procs together
	Writes     int   // records written
	Stored     int64 // bytes of them, as they count
	Images     int   // that have travelled in messages, if they have a declared size
	Carried    int64 // bytes of them, as they count
	Logs       int   // payloads put into logs, or said more about that are there
	Logged     int64 // bytes put into logs
	LogPeak    int64 // most bytes in all logs together
	LogNow     int64 // at the end
	// Again: it was made a second time, event after event on one processor, since the order of all
	// events had turned out to matter.
	Again      bool
	Recoveries []Recovery
	Stopped    int      // groups, or nodes, that failures have stopped
	Finals     []uint64 // digests, by rank
	// by rank, its newest image that is stored at the end; nil where images of a declared size do
	// not travel in messages
	Saved []Checkpoint `json:",omitempty"`
}

// Recovery is what a failure has done.
type Recovery struct {
	At int64 // when it struck
	// ranks that it has stopped, and that failures before it had and that were not where they had
	// been, each with those that stop with it counted once
	AtOnce int
	Back   int   // ranks taken back, from when it struck until the next failure
	Lost   int64 // sends and receptions that were to be done again
	// until all of them were where they had been, before a failure that was not over either when it
	// struck again; 0: they never were
	Takes int64
	// Parts of it: until the last of them ran again, until its program went on, and until all were
	// where they had been; 0 without an end.
	Down, Restore, Again int64
	// of Down, until a node was found for the last of them, and of Restore, until the last of them
	// had its image; 0 where nobody looks for a node, or images do not come by message
	Placed, Fetched int64
	// until all of them were where they had been, and all whom it concerned were protected again
	// (guard.go), at least Takes; 0: they never were
	Protected int64
	// the newest images of those taken back that were stored when it struck: when the first of them
	// was begun, and the last of them was made and stored
	Image Checkpoint
}

// ErrStuck is a run in which nothing can happen any more though programs have not ended, or that
// does not end.
var ErrStuck = errors.New("programs do not end")

// leastBlock is how many procs of a run are worth a processor.
const leastBlock = 1024

// Run carries a job out: where nothing happens for which the order of all events matters, procs go
// on one after the other, and blocks of many procs on as many processors as there are (GOMAXPROCS).
// The outcome is the same with any number of them.
func (j *Job) Run() (*Outcome, error) {
	if j.Interval <= 0 && len(j.Failures) == 0 && !j.carries() {
		blocks := min(runtime.GOMAXPROCS(0), len(j.Setup.Layout.Names)/leastBlock)
		if out, err := j.run(max(blocks, 1)); !errors.Is(err, emulate.ErrOrder) {
			return out, err
		}
		out, err := j.run(0)
		if out != nil {
			out.Again = true
		}
		return out, err
	}
	return j.run(0)
}

// run carries a job out, with so many blocks of procs, see emulate.Config.Apart; 0: event after
// event.
func (j *Job) run(blocks int) (*Outcome, error) {
	m := &meter{job: j, ranks: make([]rankMeter, len(j.Setup.Layout.Names)), apart: blocks > 0,
		out: &Outcome{Finals: make([]uint64, len(j.Setup.Layout.Names))}}
	config := m.config()
	if config.Blocks = blocks; blocks > 0 {
		config.Apart = m.together
		config.Another = func() emulate.Config { return m.block().config() }
	} else {
		config.Observe = m.observe
	}
	err := j.validate()
	if err != nil {
		return nil, err
	}
	if m.run, err = emulate.New(j.Setup, config); err != nil {
		return nil, err
	}
	m.plan(0)
	m.request()
	result, err := m.run.Run()
	out := m.out
	for _, s := range m.struck {
		out.Recoveries = append(out.Recoveries, s.recovery())
		out.Stopped += s.stopped
	}
	if err != nil {
		return nil, j.beyond(out, err)
	}
	m.gather()
	if m.apart && m.halted != "" { // another one may give up before
		return nil, emulate.ErrOrder
	}
	out.Finals = out.Finals[:j.Setup.Layout.Ranks]
	for r := range out.Finals {
		if j.carries() {
			out.Saved = append(out.Saved, m.ranks[r].stored)
		}
	}
	out.Messages, out.Bytes, out.Steps = result.Messages, result.Bytes, result.Steps
	out.LogNow, out.Busy = m.log, result.Busy
	if out.Completion = m.last; m.ended < j.Setup.Layout.Ranks {
		out.Completion = 0
		return out, j.beyond(out, fmt.Errorf("simulate: protocol %s: %d of %d %w, after %v and %d "+
			"steps%s%s", j.Setup.Protocol, j.Setup.Layout.Ranks-m.ended, j.Setup.Layout.Ranks,
			ErrStuck, result.Elapsed, result.Steps, bound(result.Bound), m.halted))
	}
	return out, nil
}

// bound says what has ended a run.
func bound(what string) string {
	switch what {
	case "":
		return ": nothing can happen any more"
	case "stopped": // see request
		return ": nothing happens any more but checkpoints"
	}
	return ": the limit of " + what + " is reached"
}

// config are the prices of the run, which the meter sees.
func (m *meter) config() emulate.Config {
	j := m.job
	protocol := j.Setup.Protocol
	if j.FreeSteps {
		protocol = "none"
	}
	c := emulate.Config{Costs: j.Machine.Costs(protocol), Wire: true, Steps: j.Steps,
		Reload:  true,
		PerNode: int(j.Machine.of("ranks")),
		// what services may do of their own accord is up to whoever runs a job, and he does nothing
		Choose: func(_ *emulate.Run, p core.Proc, list []core.Choice) (core.Choice, bool) {
			return list[0], int(p) < j.Setup.Layout.Ranks
		}}
	if m.price = j.Machine.of(headerPrice(protocol)); j.FreeSteps {
		c.Costs.Copy = 0
	}
	m.copies = c.Costs.Copy
	c.Stepped, c.Weight = m.stepped, m.weight
	if j.carries() {
		c.Images = m.images
		if between := &c.Costs.Between; between.Chunk == 0 {
			between.Chunk = chunk
		}
	}
	if j.FreeBytes {
		c.Size = m.size
	}
	return c
}

// weight is how many bytes a record counts as.
func (m *meter) weight(_ core.Proc, _ string, value []byte) int64 {
	bytes := int64(len(value))
	if m.job.Image > 0 {
		if n := len(program.Images(value)); n > 0 {
			bytes = int64(n) * m.job.Image
		}
	}
	m.out.Writes++
	m.out.Stored += bytes
	return bytes
}

// size is what a message counts as where the bytes of protocols are free.
func (m *meter) size(message core.Message) int64 {
	f, ok := message.(core.Framed)
	if !ok || m.own.IsZero() || f.Content().ID != m.own {
		return 0
	}
	return baseline + int64(len(f.Content().Data))
}

// baseline is the header of a message without a protocol.
const baseline = 4

// idleRounds is how often all units are asked for a checkpoint while nothing else happens, until a
// run counts as stuck: a rank that gives up asks for nothing, and nobody sends to it any more.
const idleRounds = 64

// mostInVain is how many checkpoints begin while no program goes on until a run is given up, or so
// many of each unit: with an interval far below what a recovery takes there are millions in one.
const (
	mostInVain      = 1 << 20
	mostInVainOfOne = 1000
)

// request asks for checkpoints: every unit once an interval, evenly spread over it.
func (m *meter) request() {
	j, r := m.job, m.run
	if j.Interval <= 0 {
		return
	}
	units, idle := j.Setup.Initiators, 0
	most := cmp.Or(j.vain, max(mostInVain, mostInVainOfOne*len(units)))
	for i, unit := range units {
		var ask func()
		ask = func() {
			if idle++; !r.Idle(len(units) - 1) { // those of the other units, and no failure
				idle = 0
			}
			if idle > idleRounds*len(units) {
				r.End()
			}
			if r.Request(unit) {
				m.vain++
			}
			if m.vain > most {
				m.halted = cmp.Or(m.halted, fmt.Sprintf("; %d checkpoints were asked for since a "+
					"program last went on: want an interval longer than %v", m.vain, j.Interval))
				r.End()
			}
			r.After(j.Interval, ask)
		}
		r.After(j.Interval/time.Duration(2*len(units))*time.Duration(2*i+1), ask)
	}
}
