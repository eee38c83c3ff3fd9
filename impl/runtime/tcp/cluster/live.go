package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/spec/processes"
)

// Bounds of what a life waits for.
const (
	joinTimeout  = 60 * time.Second
	closeTimeout = 500 * time.Millisecond // everything was taken: only goodbyes are exchanged
)

// life is one process of a run.
type life struct {
	in      instructions
	setup   *core.Setup
	out     *json.Encoder
	machine core.Machine
	node    *node.Node
	mesh    *mesh.Mesh
	carrier *carrier
	store   *store
	files   disk.Files // that it is in
	witness witness
	marks   marks
	clock   clock
	beat    time.Time
	doing   doing
	saying  sync.Mutex           // of out
	worked  time.Duration        // of processors before it went on
	usage   Usage                // when nobody had anything to do; the zero value: not yet
	ended   int64                // when the program had; 0: not yet
	dying   *order               // a failure that is being taken in
	address string               // where others find it
	watches map[core.Proc]uint64 // the watchdogs that run
	serial  uint64               // of the newest watchdog
	steered steered              // of a course
	leased  *lease               // nil: it lives for as long as it likes
	tasks   sync.WaitGroup

	waiting atomic.Bool // orders has something
	mu      sync.Mutex
	orders  []order
	table   []mesh.Address // who to connect with
	failure error          // of a task
	bell    chan struct{}
}

// Live is the whole life of one process that Run has started: it reads what it is told from in and
// answers to out. resolve makes the setup of a case. orphaned is called, from any goroutine, when
// nobody is there any more to live for; it must end the process. The calling goroutine is locked to
// its thread.
func Live(in io.Reader, out io.Writer, resolve func(json.RawMessage) (*core.Setup, error),
	orphaned func()) error {
	runtime.LockOSThread()
	l := &life{out: json.NewEncoder(out), bell: make(chan struct{}, 1)}
	if err := launch.Listen(in, out, &l.in, l.heard, orphaned); err != nil {
		return err
	}
	err := func() (err error) {
		defer func() {
			if failure := recover(); failure != nil {
				l.say(answer{Kind: saidPanic, Text: fmt.Sprint(failure)})
				err = fmt.Errorf("panic: %v\n%s", failure, debug.Stack())
			}
		}()
		return l.live(resolve)
	}()
	if err != nil {
		l.say(answer{Kind: saidFailed, Text: fmt.Sprintf("proc %d inc %d: %v", l.in.Proc,
			l.in.Incarnation, err)})
		orphaned() // it is of no use any more, whatever it still waits for
	}
	return err
}

func (l *life) live(resolve func(json.RawMessage) (*core.Setup, error)) (err error) {
	if l.setup, err = resolve(l.in.Case); err != nil {
		return err
	}
	l.doing.know(&l.setup.Layout)
	ctx, cancel := context.WithCancel(context.Background())
	defer l.tasks.Wait()
	defer cancel()
	release, err := l.lease()
	if err != nil {
		return err
	}
	defer release()
	records, err := l.openFiles()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.store.close(), l.witness.close()) }()
	if err := l.join(); err != nil {
		return err
	}
	defer func() {
		l.mu.Lock() // nobody may wake a mesh that is closed
		l.waiting.Store(true)
		m := l.mesh
		l.mesh = nil
		l.mu.Unlock()
		m.Close(closeTimeout)
	}()
	// whoever dies before its first step has met nobody, see onlyBegun; of a course nobody does
	early := !l.in.Restart || l.in.Steered
	if early {
		l.register(ctx)
	}
	if err := l.first(records); err != nil {
		return err
	}
	if !early {
		l.register(ctx)
	}
	if !l.in.Restart {
		if err := l.meet(); err != nil {
			return err
		}
		if l.in.Connect > 0 {
			if err := l.connect(); err != nil {
				return err
			}
		}
	}
	l.say(answer{Kind: saidUp})
	if !l.in.Restart {
		l.await() // until all have begun
	}
	l.witness.started, l.worked = true, processor()
	if err := l.settled(nil); err != nil {
		return err
	}
	return l.run()
}

// first is the first step of the machine, with its records.
func (l *life) first(records []core.Record) error {
	l.steered.after = l.in.After
	in := core.Input{Kind: core.Start}
	if l.in.Restart {
		in = core.Input{Kind: core.Restore, From: l.in.Node, Incarnation: l.in.Incarnation,
			Records: records}
	}
	return l.settled(l.node.Input(in))
}

// openFiles opens store and evidence, and reads the records that the machine is handed.
func (l *life) openFiles() ([]core.Record, error) {
	if err := checkFolder(l.in.Dir, l.in.Run); err != nil {
		return nil, err
	}
	s, err := l.openDisk()
	if err != nil {
		return nil, err
	}
	l.marks.off = l.in.Bare
	l.store = &store{disk: s, delay: l.in.DiskDelay, doing: &l.doing, marks: &l.marks,
		refuses: l.setup.Launched, late: l.in.Steered}
	if !l.in.Bare {
		if l.witness.recorder, err = newRecorder(
			evidenceFile(l.in.Dir, l.in.Proc, l.in.Life)); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	switch {
	case !l.in.Restart:
		return nil, nil
	case l.in.Launch != nil:
		return l.launched()
	}
	return l.records()
}

// records are what a restart of the machine is handed.
func (l *life) records() ([]core.Record, error) {
	owners := []core.Proc{l.in.Proc}
	if l.setup.Reads != nil {
		if read := l.setup.Reads(l.in.Proc); len(read) > 0 {
			owners = read
		}
	}
	var list []core.Record
	for _, owner := range owners {
		records, err := l.store.disk.Records()
		if owner != l.in.Proc {
			records, err = disk.Read(disk.System{}, storeDir(l.in.Dir, owner, nowhere),
				l.identity(owner))
		} else if err == nil {
			l.marks.handed(records)
		}
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if !r.Torn || l.in.Torn { // it was never acknowledged: as if it were not there
				list = append(list, r)
			}
		}
	}
	return list, nil
}

// tune lets the program use the buffers of the node, and keep for nobody what it has received and
// what its protocol holds: with each determinant that list takes longer, and a run without evidence
// measures the protocol.
func (l *life) tune() {
	if host, ok := l.machine.(interface{ Tune(core.Buffers, bool) }); ok {
		host.Tune(l.node.Buffers(), l.in.Bare)
	}
}

// heard takes an order, in the goroutine that listens.
func (l *life) heard(line []byte) {
	var o order
	err := json.Unmarshal(line, &o)
	if err == nil && o.Kind == sayDoing { // the thread that turns may hang
		l.encode(answer{Kind: saidDoing, Text: l.doing.words()})
	} // and the thread itself says what it waits for, if it comes to that
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && o.Kind == sayLease && l.leased != nil {
		l.leased.granted(o.Serial)
		return
	}
	l.orders = append(l.orders, o)
	l.failure = errors.Join(l.failure, err)
	l.ring()
}

// ring makes the life look; the mutex is held.
func (l *life) ring() {
	l.waiting.Store(true)
	if l.mesh != nil {
		l.mesh.Wake()
	}
	select {
	case l.bell <- struct{}{}:
	default: // it has not looked since
	}
}

func (l *life) say(a answer) {
	a.Clock = l.clock.tick()
	if l.witness.recorder != nil {
		a.Evidence = l.witness.recorder.bytes
	}
	l.encode(a)
}

func (l *life) encode(a answer) {
	l.saying.Lock()
	defer l.saying.Unlock()
	_ = l.out.Encode(a) // a supervisor that does not read is gone, and orphaned says so
}

// run turns until the supervisor says that it is enough.
func (l *life) run() error {
	for {
		if l.waiting.Load() {
			if ended, err := l.obey(); ended || err != nil {
				return err
			}
		}
		if over, err := l.agrees(); over || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		limit := time.Duration(-1)
		if l.in.Beat > 0 {
			limit = l.in.Beat
		}
		if l.dying != nil {
			limit = time.Millisecond
		}
		if err := l.turn(limit); err != nil {
			return err
		}
		if l.ended == 0 && l.node.Done() {
			l.ended = time.Now().UnixNano()
			l.say(answer{Kind: saidDone})
		}
		if l.in.Beat == 0 {
			continue
		}
		if now := time.Now(); now.Sub(l.beat) > l.in.Beat {
			l.beat = now
			l.say(answer{Kind: saidBeat})
		}
	}
}

// hearsOf begins the burial of procs.
func (l *life) hearsOf(o *order) error {
	l.dying = o
	l.marks.add(processes.Mark{What: processes.Learnt, Procs: o.Procs, Epoch: o.Epoch})
	l.carrier.dying(o.Procs)
	return l.turn(0) // connections that were made meanwhile
}

// agrees ends the burial under way when all has come from the dead that will.
func (l *life) agrees() (over bool, err error) {
	if l.dying == nil {
		return false, nil
	}
	l.carrier.cut(l.dying.Cut) // each time: a connection may have been made before the end
	if !l.carrier.drained(l.dying.Procs) {
		return false, nil
	}
	l.steered.buried(l, l.dying.Procs)
	l.marks.add(processes.Mark{What: processes.Agreed, Procs: l.dying.Procs,
		Epoch: l.dying.Epoch, Open: l.carrier.open(l.dying.Procs)})
	l.carrier.over(l.dying.Procs, l.dying.Epoch)
	if err := l.witness.aside(); err != nil {
		return true, err
	}
	l.say(answer{Kind: saidDead, Epoch: l.dying.Epoch})
	l.dying = nil
	l.waiting.Store(true) // what was said since
	return true, nil
}

// turn lets the node do one thing, and waits for it at most so long.
func (l *life) turn(limit time.Duration) error {
	if l.in.Steered {
		return l.node.Take(limit)
	}
	_, err := l.node.Turn(limit)
	return l.settled(err)
}

// settled comes after every input: a machine that rolls back starts again, one that gave up lives
// on, as the others may need what it has, and moments may have come.
func (l *life) settled(err error) error {
	for errors.Is(err, node.ErrRollback) {
		if l.in.Steered {
			l.steered.down, err = true, nil
			break
		}
		err = l.rollback()
	}
	var halt *node.HaltError
	if err != nil && !errors.As(err, &halt) {
		return err
	}
	l.doing.end()
	return l.witness.settled()
}

// obey does what the supervisor has said, up to a failure, which takes a while.
func (l *life) obey() (ended bool, err error) {
	l.mu.Lock()
	table, failure := l.table, l.failure
	l.table, l.failure = nil, nil
	l.waiting.Store(false)
	l.mu.Unlock()
	if failure != nil {
		return false, failure
	}
	l.mesh.Learn(table)
	for l.dying == nil {
		o, ok := l.next("")
		if !ok {
			return false, nil
		}
		l.clock.hear(o.Clock)
		switch o.Kind {
		case sayDead:
			err = l.hearsOf(&o)
		case sayMet:
			l.mesh.Learn(o.Addresses)
		case sayDown, saySuspect:
			l.witness.suspected = o.Kind == saySuspect
			err = l.settled(l.node.Input(core.Input{Kind: core.Down, Procs: o.Procs,
				Incarnation: o.Life}))
		case sayKilled:
			err = l.settled(l.node.Input(core.Input{Kind: core.Killed, From: o.Procs[0],
				Incarnation: o.Life}))
		case sayExpired:
			// otherwise it was stopped, or started again, since
			if q := o.Procs[0]; l.watches[q] == o.Serial {
				delete(l.watches, q)
				err = l.settled(l.node.Input(
					core.Input{Kind: core.Tick, Timer: core.Silence, From: q}))
			}
		case sayCheckpoint:
			err = l.settled(l.node.Input(core.Input{Kind: core.Checkpoint}))
		case sayMove, sayMoved:
			err = l.move(o.Move)
		case sayStatus:
			l.status(&o)
		case sayYield:
			err = l.yield()
		case sayDoing:
			l.say(l.waits())
		case sayEnd:
			err := l.witness.aside()
			l.say(l.final())
			return true, err
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// status says how far it is.
func (l *life) status(o *order) {
	if o.Measure && l.usage.Descriptors == 0 {
		l.usage = l.measure()
	}
	l.say(answer{Kind: saidStatus, Round: o.Round, Epoch: l.carrier.epoch,
		Steps: l.node.Counts().Steps, Idle: l.node.Idle(), Peers: l.carrier.status()})
}

// next takes an order off the queue: the first, or the first of a kind.
func (l *life) next(kind string) (order, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, o := range l.orders {
		if kind == "" || o.Kind == kind {
			l.orders = append(l.orders[:i:i], l.orders[i+1:]...)
			return o, true
		}
	}
	return order{}, false
}
