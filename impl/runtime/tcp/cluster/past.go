package cluster

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// ErrNotBegun means that a run was ended before all had begun, so nothing can have come of it: it
// can be made anew.
var ErrNotBegun = errors.New("the run had not begun")

// ErrHeld means that a run goes on, or that somebody else has just taken it up.
var ErrHeld = errors.New("the run goes on")

// Past is what is known of a run whose supervisor and processes have all ended. While it is open
// nobody else can go on with the run.
type Past struct {
	Failures int         // groups that had failed by then, each time that all had ended included
	Up       []core.Proc // who was up
	Ended    bool        // the run had come to its end: nothing could happen any more

	dir      string
	lock     io.Closer
	run      mesh.Run
	procs    []formerly // by proc
	epoch    uint64
	gone     []int // by proc: lives that all were to agree on to be over
	failures []processes.Failure
	ended    []Deed  // failures, in order, and
	crashes  []Crash // the same for a reader; times are since 1970
	said     Deed    // the failure that was announced and not agreed on; without Procs: none
	unsaid   []Deed  // failures that were not announced
	tells    []Deed  // what watchers were told
	clock    uint64  // the largest of the supervisor
	erred    int     // times that a watcher or a watchdog may have been wrong
	resumed  bool    // the next failure is the end of all
	starts   int     // machines that had begun
	began    time.Time
	last     time.Time // that somebody has written down something
}

// formerly is what is known of a proc.
type formerly struct {
	life    core.Incarnation // number of the process, or of the next
	inc     core.Incarnation // of the machine, or of the next
	up      bool
	readers []*reader
	born    []born
}

// OpenPast takes up the run in a folder, waits until none of its processes is left, and reads how
// far it has come. It must be of the same setup and case. The error may be ErrNotBegun, ErrHeld or
// ErrModel, and then nothing was changed. The caller closes it.
func OpenPast(dir string, setup *core.Setup, of any) (_ *Past, err error) {
	if setup.Launched || len(setup.Layout.Hosted) > 0 {
		return nil, fmt.Errorf("cluster: %w: who runs on the node of somebody else can not start "+
			"again when all nodes have failed", ErrModel)
	}
	n := len(setup.Layout.Names)
	k := &Past{dir: dir, procs: make([]formerly, n), gone: make([]int, n)}
	text, err := os.ReadFile(filepath.Join(dir, runFile))
	if errors.Is(err, os.ErrNotExist) || err == nil && len(text) == 0 {
		return nil, fmt.Errorf("cluster: %s: %w", dir, ErrNotBegun)
	} else if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if size, err := hex.Decode(k.run[:], text); err != nil || size != len(k.run) {
		return nil, fmt.Errorf("cluster: %s is damaged, or not of a run: it does not name one",
			filepath.Join(dir, runFile))
	}
	if k.lock, err = lockRun(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, k.Close())
		}
	}()
	if err := k.alone(setup); err != nil {
		return nil, err
	}
	if err := sameCase(dir, of); err != nil {
		return nil, err
	}
	if err := k.readAll(setup); err != nil {
		return nil, err
	}
	return k, nil
}

// Close lets others go on with the run.
func (k *Past) Close() error {
	lock := k.lock
	if k.lock = nil; lock == nil {
		return nil
	}
	return lock.Close()
}

// lockRun keeps others from the folder of a run.
func lockRun(dir string) (io.Closer, error) {
	lock, err := disk.System{}.Lock(filepath.Join(dir, runFile), true, false)
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, fmt.Errorf("cluster: %s: %w", dir, ErrHeld)
	case err != nil:
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return lock, nil
}

// caseFile is where the case of a run is.
func caseFile(dir string) string { return filepath.Join(dir, "case.json") }

// sameCase reports that a folder is of another case: machines of one would read records of another.
func sameCase(dir string, of any) error {
	want, err := os.ReadFile(caseFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cluster: %s: %w", dir, ErrNotBegun)
	}
	var text []byte
	if err == nil {
		text, err = json.Marshal(of)
	}
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if !bytes.Equal(text, want) {
		return fmt.Errorf("cluster: the run in %s is of another program, protocol or options than "+
			"it is to be gone on with: %s has those", dir, caseFile(dir))
	}
	return nil
}

// alone waits until nobody has a disk of the run open: processes end with their supervisor, but not
// at the same instant, and what they write until then is evidence.
func (k *Past) alone(setup *core.Setup) error {
	for p := range core.Proc(len(k.procs)) {
		for waited := new(awake.Clock); ; time.Sleep(time.Millisecond) {
			holds, err := diskHeld(storeDir(k.dir, p, nowhere))
			if err != nil {
				return err
			} else if !holds {
				break
			} else if waited.Passed() > lockedFor {
				return fmt.Errorf("cluster: %s: %w: the process of %s has its disk open, %v after "+
					"the end of its supervisor", k.dir, ErrHeld, setup.Layout.Name(p), lockedFor)
			}
		}
	}
	return nil
}

// readAll reads deeds and evidence.
func (k *Past) readAll(setup *core.Setup) error {
	deeds, err := readDeeds(k.dir)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cluster: %s: %w", k.dir, ErrNotBegun)
	} else if err != nil {
		return err
	}
	for i := range deeds {
		err := deeds[i].check(len(k.procs))
		if err == nil {
			err = k.replay(&deeds[i], setup)
		}
		if err != nil {
			return fmt.Errorf("cluster: %s: line %d: %w", deedsFile(k.dir), i+1, err)
		}
	}
	for p := range k.procs {
		if err := k.read(core.Proc(p)); err != nil {
			return err
		}
	}
	if k.starts < len(k.procs) {
		return fmt.Errorf("cluster: %s: %w", k.dir, ErrNotBegun)
	}
	return nil
}

// check reports what no supervisor of so many procs writes.
func (d *Deed) check(procs int) error {
	unknown := func(p core.Proc) bool { return int(p) >= procs }
	of := d.What == DidFail
	switch {
	case slices.ContainsFunc(d.Procs, unknown) || d.To != nil && unknown(*d.To):
		return fmt.Errorf("it is of another program: there are %d procs", procs)
	case len(d.Procs) == 0 && (of || d.What == DidStart || d.What == DidSay),
		of && (len(d.Lives) != len(d.Procs) || len(d.Performed) != len(d.Procs)),
		d.What == DidTell && d.To == nil, d.Gone != nil && len(d.Gone) != procs:
		return fmt.Errorf("it is damaged: %q lacks something", d.What)
	}
	return nil
}

// replay takes one deed.
func (k *Past) replay(d *Deed, setup *core.Setup) error {
	k.clock = max(k.clock, d.Clock)
	switch d.What {
	case DidEnd:
		k.Ended = true
	case DidResume:
		k.Ended, k.resumed = false, len(d.Procs) > 0
	case DidSteer:
		return fmt.Errorf("%w: the run was made to take a course, which can not be resumed",
			ErrModel)
	case DidStart:
		f := &k.procs[d.Procs[0]]
		if int(f.life) > len(f.born) {
			return fmt.Errorf("it is damaged: life %d of proc %d starts, and the one before did "+
				"not", f.life, d.Procs[0])
		}
		gone := d.Gone
		if gone == nil {
			gone = make([]int, len(k.procs))
		}
		// one that had not begun was started again
		f.born = append(f.born[:f.life], born{d.Clock, d.Epoch, gone})
	case DidFail:
		k.fail(d, setup)
	case DidSay:
		k.say(d)
	case DidBury:
		k.said = Deed{}
		k.eachCrash(d.Procs, func(c *Crash) { c.Agreed = cmp.Or(c.Agreed, time.Duration(d.Clock)) })
	case DidTell:
		k.tells = append(k.tells, *d)
		k.eachCrash(d.Procs, func(c *Crash) { c.Told = append(c.Told, time.Duration(d.Clock)) })
	case DidErr, DidExpire:
		k.erred++
	}
	return nil
}

// say notes that a failure was announced.
func (k *Past) say(d *Deed) {
	k.epoch, k.said = d.Epoch, *d
	k.unsaid = slices.DeleteFunc(k.unsaid, func(f Deed) bool {
		return slices.Contains(d.Procs, f.Procs[0])
	})
	f := processes.Failure{Procs: d.Procs}
	for _, q := range d.Procs {
		f.Lives = append(f.Lives, k.procs[q].life-1)
		k.gone[q]++
	}
	k.failures = append(k.failures, f)
}

// eachCrash does something with the newest crash of each of some procs.
func (k *Past) eachCrash(procs []core.Proc, do func(c *Crash)) {
	var done []int
	for _, p := range procs {
		for i := len(k.crashes) - 1; i >= 0; i-- {
			if slices.Contains(k.crashes[i].Procs, p) {
				if !slices.Contains(done, i) {
					done = append(done, i)
					do(&k.crashes[i])
				}
				break
			}
		}
	}
}

// fail notes that machines have stopped, and their processes.
func (k *Past) fail(d *Deed, setup *core.Setup) {
	k.ended, k.unsaid = append(k.ended, *d), append(k.unsaid, *d)
	k.crashes = append(k.crashes, Crash{Procs: d.Procs, Exit: d.Exit, Ordered: d.Ordered,
		Resumed: k.resumed, At: time.Duration(d.Clock), Reaped: time.Duration(d.Clock)})
	k.resumed = false
	next := map[core.Proc]core.Incarnation{}
	for i, p := range d.Procs {
		for _, q := range setup.Group(p) {
			next[q] = max(next[q], d.Lives[i]+1, k.procs[q].inc)
		}
		k.procs[p].life++
	}
	for q, inc := range next {
		k.procs[q].inc = inc
	}
	if !d.Ordered && !d.Exit {
		k.Failures += len(groupsOf(setup, d.Procs))
	}
}

// groupsOf are the first procs of the groups of procs.
func groupsOf(setup *core.Setup, procs []core.Proc) (list []core.Proc) {
	for _, p := range procs {
		if g := setup.Group(p)[0]; !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

// read reads the evidence of a proc. Nobody can have heard of a life that has left none.
func (k *Past) read(p core.Proc) error {
	f, left := &k.procs[p], leftOf(k.ended, p)
	for n := range f.life + 1 {
		r := &reader{name: evidenceFile(k.dir, p, n)}
		if int(n) < len(left) {
			r.said = left[n]
		}
		if _, err := r.read(true); err != nil {
			return err
		}
		if n == 0 && len(r.pieces) > 0 {
			k.starts++
		}
		if n < f.life && len(r.pieces) == 0 {
			return fmt.Errorf("cluster: evidence: %s has nothing, and the life has taken steps: "+
				"it is lost", r.name)
		}
		if len(r.pieces) > 0 {
			f.readers = append(f.readers, r)
		}
		k.times(r.pieces)
	}
	if f.up = len(f.readers) > int(f.life); f.up {
		k.Up = append(k.Up, p)
		f.inc = f.readers[f.life].pieces[len(f.readers[f.life].pieces)-1].Incarnation
	}
	if len(f.born) < len(f.readers) {
		return fmt.Errorf("cluster: %s is damaged: it does not have that life %d of proc %d was "+
			"started", deedsFile(k.dir), len(f.readers)-1, p)
	}
	f.born = f.born[:len(f.readers)]
	return k.agrees(p)
}

// times notes when pieces were written.
func (k *Past) times(pieces []piece) {
	for i := range pieces {
		wall := time.Unix(0, pieces[i].Wall)
		if k.last.Before(wall) {
			k.last = wall
		}
		if k.began.IsZero() || wall.Before(k.began) {
			k.began = wall
		}
	}
}

// agrees reports evidence that ends before what the supervisor had seen of it when the life ended.
func (k *Past) agrees(p core.Proc) error {
	f, life := &k.procs[p], 0
	for _, d := range k.ended {
		i := slices.Index(d.Procs, p)
		if i < 0 {
			continue
		}
		r := f.readers[life]
		if n := r.pieces[len(r.pieces)-1].Performed; n != d.Performed[i] {
			return fmt.Errorf("cluster: evidence: %s ends with effect %d, and the life had "+
				"performed %d when it ended: some of it is lost", r.name, n, d.Performed[i])
		}
		life++
	}
	return nil
}

// stoppedThere reports whether the evidence of a proc itself ends the machine of a life before a
// time, as one that was rolling back.
func (k *Past) stoppedThere(p core.Proc, before uint64) bool {
	crashed := false
	for _, r := range k.procs[p].readers {
		for j := range r.pieces {
			if r.pieces[j].Began > before {
				return crashed
			}
			for _, e := range r.pieces[j].Events {
				crashed = e.Kind == trace.Crashed || crashed && e.Kind != trace.Restored
			}
		}
	}
	return crashed
}
