package world

import (
	"sync"
	"time"
)

// A step is code of somebody else. It runs on a goroutine of its own, so that one that never
// returns ends the search and not the program: nobody can stop it, so it is left behind. Because of
// that one no other step begins in this world any more, and what others show that are under way is
// not judged.

// DefaultMaxStep is how long a step may take.
const DefaultMaxStep = 10 * time.Second

// graceful is how long a step may go on that is under way when the caller has had enough.
const graceful = time.Second

// looks is how often a step must be seen under way to be one that does not return. To count looks,
// not time, spares a program that was stopped as a whole.
const looks = 4

// lingers is how long a goroutine waits for another step: a new one would have to grow its stack
// again, and most steps follow each other closely.
const lingers = 50 * time.Millisecond

// foreign runs code for a world, any number of pieces at one time. The pool is not a part of it: Go
// keeps what has a pool until the second collection after its last use, the world included, and of
// many small worlds, one after the other, more and more.
type foreign struct{ idle *sync.Pool } // of *runner

// runner runs one piece of code after another.
type runner struct {
	work  chan func() // whoever lingers takes it
	ended chan any    // what the code panics with, nil if it returns
	timer *time.Timer
}

// lost is what a step panics with, for whoever waits for it, that was left behind.
type lost struct {
	limit time.Duration
	given bool // it had all of the time that a step may take
}

// run runs code for at most so long, or a little longer than the caller waits, and panics with what
// it panics with.
func (f *foreign) run(limit time.Duration, until <-chan struct{}, code func()) {
	r, idle := f.idle.Get().(*runner)
	if idle {
		r.timer.Reset(limit / looks)
	} else {
		r = &runner{make(chan func()), make(chan any, 1), time.NewTimer(limit / looks)}
	}
	select {
	case r.work <- code:
	default:
		go linger(code, r.work, r.ended)
	}
	failure := r.wait(limit, until) // who does not return is not used again
	f.idle.Put(r)
	if failure != nil {
		panic(failure)
	}
}

// wait returns what the code panics with, or panics with lost.
func (r *runner) wait(limit time.Duration, until <-chan struct{}) (failure any) {
	defer r.timer.Stop()
	hurried := false
	for looked := 1; ; {
		select {
		case failure = <-r.ended:
			return failure
		case <-until:
			until, hurried, looked = nil, true, 1
			limit = min(limit, graceful)
			r.timer.Reset(limit / looks)
		case <-r.timer.C:
			if looked == looks {
				panic(lost{limit: limit, given: !hurried})
			}
			looked++
			r.timer.Reset(limit / looks)
		}
	}
}

// linger runs the code, and then what comes soon.
func linger(code func(), work <-chan func(), ended chan<- any) {
	idle := time.NewTimer(lingers)
	defer idle.Stop()
	for {
		attempt(code, ended)
		idle.Reset(lingers)
		select {
		case code = <-work:
		case <-idle.C:
			return
		}
	}
}

// attempt runs the code and says how it has ended, also when it ends its goroutine.
func attempt(code func(), ended chan<- any) {
	var failure any = "it ends its goroutine"
	defer func() {
		if r := recover(); r != nil {
			failure = r
		}
		ended <- failure
	}()
	code()
	failure = nil
}

// maxStep is how long a step may take.
func (w *World) maxStep() time.Duration {
	if w.MaxStep == 0 {
		return DefaultMaxStep
	}
	return w.MaxStep
}

// Returns is the name of the property that every step returns.
const Returns = "returns"
