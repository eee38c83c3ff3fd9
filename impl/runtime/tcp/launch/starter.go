package launch

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Starter starts children on another host, all behind one launcher: what this starts is the same
// program with the same arguments as a child, which then starts itself for each of them (Listen),
// kills them when it is told to, and says how they end. So a host needs one connection, a child is
// killed from outside like one of this host, and that it is gone is known. When the starter ends,
// or its launcher does, all its children do; of those it can not be said from here when (Lost).
type Starter struct {
	launcher *child
	errors   tail

	mu       sync.Mutex
	last     int
	children map[int]*far // that have not ended
	over     bool
}

// beStarter is the instruction to be one.
const beStarter = "start others"

// deafTime is how long a starter may take to end a child. After that it is not heard any more.
const deafTime = 5 * time.Second

// request is what a starter is told about a child.
type request struct {
	ID    int             `json:"id"`
	Do    string          `json:"do"`
	Group int             `json:"group,omitempty"` // start: its leader
	Line  json.RawMessage `json:"line,omitempty"`  // start: instructions; tell
}

const (
	doStart     = "start"
	doTell      = "tell"
	doKill      = "kill"
	doKillGroup = "kill group"
	doStop      = "stop"
	doContinue  = "continue"
)

// report is what a starter says about a child.
type report struct {
	ID        int    `json:"id"`
	Said      string `json:"said"`
	Line      string `json:"line,omitempty"`
	Stop      int    `json:"stop,omitempty"` // stopped: which stop of this child it was
	Error     string `json:"error,omitempty"`
	Killed    bool   `json:"killed,omitempty"`
	Complaint string `json:"complaint,omitempty"`
}

const (
	saidLine    = "line"
	saidStopped = "stopped"
	saidEnded   = "ended"
)

// End is how a child of a starter has ended, as that has seen; nil: in order.
type End struct {
	Text   string
	Killed bool // by a signal
}

// Error is what the system says of it.
func (e *End) Error() string { return e.Text }

// Lost means that the launcher of a child has ended, with the error in it, and not whether the
// child has.
type Lost struct{ err error }

// Error says how the launcher has ended.
func (l *Lost) Error() string {
	if l.err == nil {
		return "its launcher has ended"
	}
	return l.err.Error()
}

// Unwrap is the error of the launcher; nil: it ended in order.
func (l *Lost) Unwrap() error { return l.err }

// NewStarter calls a launcher, the first word of a command line, with what is behind it and the
// arguments of the command. It does not wait until it has come anywhere. The caller must Close it.
func NewStarter(launcher []string, c Command) (*Starter, error) {
	s := &Starter{children: map[int]*far{}, errors: tail{w: c.Errors}}
	var err error
	s.launcher, err = start(Command{Name: c.Name, Path: launcher[0],
		Args: slices.Concat(launcher[1:], c.Args), Instructions: beStarter, Errors: &s.errors,
		Line: s.hear})
	if err != nil {
		return nil, err
	}
	go func() { // ends with the launcher
		<-s.launcher.done
		s.mu.Lock()
		s.over = true
		left := s.children
		s.children = nil
		s.mu.Unlock()
		for _, p := range left {
			p.end(&Lost{s.launcher.err})
		}
	}()
	return s, nil
}

// Over reports whether it starts nothing any more.
func (s *Starter) Over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// ID is the number that the system gave the launcher.
func (s *Starter) ID() int { return s.launcher.ID() }

// Close ends the starter, with all children that it still has, and waits for it, not for long.
func (s *Starter) Close() {
	s.errors.hush() // a launcher says of the end that was asked for that it came
	s.launcher.dismiss()
}

// Start starts a child of the host; path and arguments are those of the starter. One that can not
// be started ends at once.
func (s *Starter) Start(c Command) (Process, error) {
	line, err := json.Marshal(c.Instructions)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	p := &far{starter: s, command: c, done: make(chan struct{})}
	s.mu.Lock()
	s.last++
	over := s.over
	if p.id = s.last; !over {
		s.children[p.id] = p
	}
	s.mu.Unlock()
	if over {
		p.end(&Lost{s.launcher.err})
		return p, nil
	}
	r := request{ID: p.id, Do: doStart, Line: line}
	if leader, ok := c.Group.(*far); ok && leader.starter == s {
		r.Group = leader.id
	}
	return p, s.launcher.Tell(r)
}

// hear takes what the starter says. What is none of its words comes from the launcher.
func (s *Starter) hear(line []byte) error {
	var r report
	if err := json.Unmarshal(line, &r); err != nil || r.Said == "" {
		return fmt.Errorf("it says %q, and should pass on what domino says", line)
	}
	s.mu.Lock()
	p := s.children[r.ID]
	if r.Said == saidEnded {
		delete(s.children, r.ID)
	}
	s.mu.Unlock()
	if p == nil {
		return nil // it has ended for us
	}
	switch r.Said {
	case saidLine:
		p.hear([]byte(r.Line))
	case saidStopped:
		p.mu.Lock()
		p.stopped = r.Stop == p.stops
		p.mu.Unlock()
	case saidEnded:
		p.complaint = r.Complaint
		if r.Error == "" {
			p.end(nil)
		} else {
			p.end(&End{r.Error, r.Killed})
		}
	}
	return nil
}

// far is a child of a starter.
type far struct {
	starter   *Starter
	command   Command
	id        int
	done      chan struct{}
	err       error
	wrong     error // a line that was not taken
	complaint string

	mu      sync.Mutex
	killed  bool
	stops   int  // so often it was to stop
	stopped bool // it has, since the last of them
}

// hear hands on a line, in the goroutine of the starter.
func (p *far) hear(line []byte) {
	if p.command.Line == nil || p.wrong != nil {
		return
	}
	if p.wrong = p.command.Line(line); p.wrong != nil {
		p.Kill()
	}
}

// end says that it has ended, once.
func (p *far) end(err error) {
	if p.err = p.wrong; p.err == nil {
		p.err = err
	}
	close(p.done)
}

func (p *far) tell(do string) {
	_ = p.starter.launcher.Tell(request{ID: p.id, Do: do}) // it can be encoded
}

func (p *far) Tell(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p.starter.launcher.Tell(request{ID: p.id, Do: doTell, Line: line})
}

func (p *far) Kill()      { p.kill(doKill) }
func (p *far) KillGroup() { p.kill(doKillGroup) }

// kill has the starter kill. A starter that does not is deaf, and so are all its children.
func (p *far) kill(do string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(do)
	if p.killed {
		return
	}
	p.killed = true
	go func() { // ends soon
		timer := time.NewTimer(deafTime)
		defer timer.Stop()
		select {
		case <-p.done:
		case <-timer.C:
			p.Abandon()
		}
	}()
}

func (p *far) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stops++
	p.stopped = false
	p.tell(doStop)
}

func (p *far) Continue() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = false
	p.tell(doContinue)
}

func (p *far) Stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped && !p.ended()
}

// Abandon kills the launcher at once, as it may wait for ever.
func (p *far) Abandon() {
	p.starter.errors.hush()
	p.starter.launcher.Abandon()
}

func (p *far) Complaint() string {
	if p.ended() && p.complaint != "" {
		return p.complaint
	}
	return p.starter.errors.String()
}

func (p *far) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *far) ID() int               { return p.starter.ID() }
func (p *far) Done() <-chan struct{} { return p.done }
func (p *far) Err() error            { return p.err }
