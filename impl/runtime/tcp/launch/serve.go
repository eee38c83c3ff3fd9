package launch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// served are the children of a starter, in the process that starts them.
type served struct {
	saying sync.Mutex // of out: nobody is killed later because a line is not taken
	out    *json.Encoder

	mu       sync.Mutex // of children, and of what they are
	children map[int]*mine
}

// mine is one of them.
type mine struct {
	*child
	stops  int  // so often it was to stop
	asleep bool // it was, and has not gone on
}

// serve starts and ends children as it is told to, until its input ends; then it kills all, and
// returns when none is left.
func serve(in *bufio.Reader, out io.Writer) {
	s := &served{out: json.NewEncoder(out), children: map[int]*mine{}}
	path, err := os.Executable()
	var left sync.WaitGroup
	for err == nil {
		var line []byte
		if line, err = in.ReadBytes('\n'); err != nil {
			break
		}
		var r request
		if err = json.Unmarshal(line, &r); err != nil {
			break
		}
		if r.Do == doStart {
			s.start(path, r, &left)
		} else if p := s.of(r.ID); p != nil {
			s.do(p, r)
		}
	}
	if err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, "starter:", err)
	}
	s.mu.Lock()
	for _, p := range s.children {
		p.Kill()
	}
	s.mu.Unlock()
	left.Wait()
}

func (s *served) of(id int) *mine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.children[id]
}

// say is not heard by anybody when the starter's parent is gone, and then its input ends.
func (s *served) say(r report) {
	s.saying.Lock()
	defer s.saying.Unlock()
	_ = s.out.Encode(r)
}

func (s *served) start(path string, r request, left *sync.WaitGroup) {
	complaint := &tail{w: os.Stderr}
	c := Command{Name: "starter", Path: path, Args: os.Args[1:], Instructions: r.Line,
		Errors: complaint, Line: func(line []byte) error {
			s.say(report{ID: r.ID, Said: saidLine, Line: string(line)})
			return nil
		}}
	if leader := s.of(r.Group); leader != nil {
		c.Group = leader.child
	}
	p, err := start(c)
	if err != nil {
		s.say(report{ID: r.ID, Said: saidEnded, Error: err.Error()})
		return
	}
	s.mu.Lock()
	s.children[r.ID] = &mine{child: p}
	s.mu.Unlock()
	left.Go(func() {
		<-p.done
		s.mu.Lock()
		delete(s.children, r.ID)
		s.mu.Unlock()
		end := report{ID: r.ID, Said: saidEnded, Complaint: complaint.String()}
		if p.err != nil {
			end.Error, end.Killed = p.err.Error(), Killed(p.err)
		}
		s.say(end)
	})
}

func (s *served) do(p *mine, r request) {
	switch r.Do {
	case doTell:
		p.box.put(r.Line)
	case doKill:
		p.Kill()
	case doKillGroup:
		p.KillGroup()
	case doStop:
		s.mu.Lock()
		p.stops++
		p.asleep = true
		stop := p.stops
		s.mu.Unlock()
		p.Stop()
		go s.settle(r.ID, p, stop) // ends when it has stopped, goes on, or ends
	case doContinue:
		s.mu.Lock()
		p.asleep = false
		s.mu.Unlock()
		p.Continue()
	}
}

// stopPoll is how often is looked whether a child has stopped.
const stopPoll = 500 * time.Microsecond

// settle says when a child has stopped that is to.
func (s *served) settle(id int, p *mine, stop int) {
	for tick := time.NewTicker(stopPoll); ; <-tick.C {
		stopped := p.Stopped()
		s.mu.Lock()
		over := !p.asleep || p.stops != stop || s.children[id] != p
		s.mu.Unlock()
		if over {
			tick.Stop()
			return
		}
		if stopped {
			tick.Stop()
			s.say(report{ID: id, Said: saidStopped, Stop: stop})
			return
		}
	}
}
