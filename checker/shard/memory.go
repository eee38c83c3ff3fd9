package shard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrCrashed is what a process of a Memory gets from every call after its crash.
var ErrCrashed = errors.New("this process has crashed")

// Memory is an engine in the memory of one process, in which others are played (Process). Its clock
// is that of package time; under testing/synctest nobody waits for it.
type Memory struct {
	mu      sync.Mutex
	changed chan struct{} // closed at each change, and replaced
	last    uint64        // revision
	entries map[string]*entry
	jobs    []*waiting // in the order in which they are handed out
	blobs   map[string][]byte
	served  map[string]*service
}

// NewMemory is an empty engine.
func NewMemory() *Memory {
	return &Memory{changed: make(chan struct{}), entries: map[string]*entry{},
		blobs: map[string][]byte{}, served: map[string]*service{}}
}

// Process is an engine as one process of a Memory sees it.
type Process struct {
	*Memory
	name  string
	gate  func(call string)
	calls int
	fatal int // moment of the crash, see CrashAt; -1 = none
	dead  chan struct{}
}

// Process is a new process. The gate, unless nil, is called before each call with the name of its
// operation, without a lock: a test may wait there, or crash the process.
func (m *Memory) Process(name string, gate func(call string)) *Process {
	return &Process{Memory: m, name: name, gate: gate, fatal: -1, dead: make(chan struct{})}
}

// CrashAt lets the process crash at a moment to come: 2n before its n-th call (from 0) has done
// anything, 2n+1 after it has done all, but before it returns.
func (p *Process) CrashAt(moment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fatal = moment
}

// Crash ends the process between two calls: from now on each one is ErrCrashed, its jobs go to
// others, and it serves nothing.
func (p *Process) Crash() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crash()
}

func (p *Process) crash() {
	if p.crashed() {
		return
	}
	close(p.dead)
	for subject, s := range p.served {
		if s.process == p {
			delete(p.served, subject)
		}
	}
	p.notify()
}

// Crashed is closed when the process has crashed.
func (p *Process) Crashed() <-chan struct{} { return p.dead }

func (p *Process) crashed() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// Calls is how many calls the process has begun.
func (p *Process) Calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// call does something under the lock as one call of the process.
func (p *Process) call(ctx context.Context, operation string, do func() error) error {
	if p.gate != nil {
		p.gate(operation)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	moment := 2 * p.calls
	p.calls++
	if p.fatal == moment {
		p.crash()
	}
	err := ctx.Err()
	switch {
	case p.crashed():
		err = ErrCrashed
	case err == nil:
		p.expire()
		err = do()
	}
	if p.fatal == moment+1 {
		p.crash()
	}
	if p.crashed() {
		err = ErrCrashed
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", p.name, operation, err)
	}
	return nil
}

// Elapse is as if LeaseTime and RedeliverAfter had gone by: leases end, and jobs of which nobody
// has said anything meanwhile go to others.
func (m *Memory) Elapse() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, e := range m.entries {
		if !e.ends.IsZero() && !e.Gone {
			m.put(key, nil, true)
		}
	}
	for _, w := range m.jobs {
		w.silent = time.Now()
	}
	m.notify()
}

// notify wakes up all who wait. The lock is held.
func (m *Memory) notify() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// wait gives up the lock until something changes, or the time has come; zero = no time.
func (p *Process) wait(ctx context.Context, until time.Time) error {
	changed := p.changed
	p.mu.Unlock()
	err := p.await(ctx, changed, until)
	p.mu.Lock()
	if p.crashed() {
		return ErrCrashed
	}
	p.expire()
	return err
}

// await waits without the lock.
func (p *Process) await(ctx context.Context, changed <-chan struct{}, until time.Time) error {
	var timer <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-changed:
	case <-timer:
	case <-p.dead:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// sooner is the earlier one of two times; zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
