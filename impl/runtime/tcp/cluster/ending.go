package cluster

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// Bounds of what the supervisor waits for.
const (
	startTimeout = 45 * time.Second // in which nobody more comes, before all have begun
	// processes may take so long to end in order, on a machine that is busy
	endTimeout = 10 * time.Second
	// whoever does not say by then what it is doing says nothing at all
	answerTime  = 300 * time.Millisecond
	answerAProc = 2 * time.Millisecond
)

// finish ends a complete run in order.
func (s *supervisor) finish() {
	s.ending = true
	s.did(Deed{What: DidEnd})
	for _, p := range s.procs {
		if p.process != nil {
			s.tell(p, order{Kind: sayEnd})
		}
	}
	s.within(endTimeout, func() {
		var left []core.Proc
		for _, p := range s.procs {
			if p.process != nil {
				left = append(left, p.id)
			}
		}
		s.stop("", fmt.Errorf("cluster: %s do not end %v after the run",
			s.setup.Layout.NamesOf(left), endTimeout))
	})
}

// atOnceACore is how many processes are begun at one time on a core. To begin costs a process tens
// of milliseconds of it; of a thousand at once none would come for a minute.
const atOnceACore = 8

// beget starts first lives. Those of this host come to the meeting a few at one time.
func (s *supervisor) beget() {
	begin := 0
	for _, p := range s.procs {
		if p.process != nil && !p.met && !s.far(p) {
			begin++
		}
	}
	for len(s.unborn) > 0 && begin < atOnceACore*runtime.NumCPU() {
		p := s.unborn[0]
		if s.unborn = s.unborn[1:]; !s.far(p) {
			begin++
		}
		s.spawn(p)
	}
}

// late ends a run that does not begin: so many had come the last time.
func (s *supervisor) late(before int) {
	come := 0
	for _, p := range s.procs {
		if p.met {
			come++
		}
		if p.up {
			come++
		}
	}
	switch {
	case s.live:
	case come > before: // it is only slow, and the time limit is the end of that
		s.within(startTimeout, func() { s.late(come) })
	default:
		s.stop("", fmt.Errorf("cluster: not all have begun, and nobody has come for %v: %s",
			startTimeout, s.stuck()))
	}
}

// overdue ends a run that takes too long, when it has heard who hangs. It is not complete any more,
// whatever happens meanwhile.
func (s *supervisor) overdue() {
	if s.over || s.ending {
		return // they end by themselves, or not
	}
	s.expired = true
	s.inquire(s.timeOut)
}

// missing counts those who have not begun.
func (s *supervisor) missing() (n int) {
	for _, p := range s.procs {
		if !p.up {
			n++
		}
	}
	return n
}

// inquire asks all what they do and what they wait for, and goes on when they have answered, or
// most likely never will.
func (s *supervisor) inquire(then event) {
	for _, p := range s.procs {
		if p.doing, p.waits = "?", nil; p.process != nil {
			s.tell(p, order{Kind: sayDoing})
		}
	}
	once := false
	s.stall.then = func() {
		if !once {
			once = true
			then()
		}
	}
	s.within(answerTime+time.Duration(len(s.procs))*answerAProc, s.stall.then)
}

// answered notes what a proc does or waits for, and goes on when all have said both.
func (s *supervisor) answered(p *proc, a *answer) {
	if a.Kind == saidWaits {
		p.waits = a
	} else {
		p.doing = a.Text
	}
	if s.stall.then != nil && !slices.ContainsFunc(s.procs, func(p *proc) bool {
		return p.process != nil && !p.dying && (p.doing == "?" || p.doing == "" && p.waits == nil)
	}) {
		s.stall.then()
	}
}

// timeOut ends the run at its time limit.
func (s *supervisor) timeOut() {
	bound := fmt.Sprintf("time limit %v", s.c.Timeout)
	switch {
	case s.c.Idle > 0 && s.own.Passed() < s.limit():
		bound = fmt.Sprintf("nothing has happened for %v", s.c.Idle)
	case !s.live && s.limit() > s.c.Timeout:
		bound = fmt.Sprintf("%d of %d processes have not begun in %v: give them a longer time "+
			"limit than that", s.missing(), len(s.procs), s.limit())
	}
	if stuck := s.stuck(); stuck != "" {
		bound += ": " + stuck
	}
	s.stop(bound, nil)
}

// stuck names who has not come, by host, who hangs, and who waits for whom.
func (s *supervisor) stuck() string {
	var list []string
	if s.steering != nil && s.live {
		list = append(list, s.steering.words())
	}
	var deaf []core.Proc
	waiting := map[int][]core.Proc{} // by host
	for _, p := range s.procs {
		if p.process != nil && !p.met && !p.up && p.life == 0 {
			waiting[p.host] = append(waiting[p.host], p.id)
		} else if p.process == nil || p.dying {
			continue
		} else if p.doing == "?" {
			deaf = append(deaf, p.id)
		} else if p.doing != "" {
			list = append(list, s.where(p)+" "+p.doing)
		}
	}
	switch len(deaf) {
	case 0:
	case 1:
		list = append(list, s.where(s.procs[deaf[0]])+" does not answer: it is stopped, or hangs")
	default:
		list = append(list, s.named(deaf)+" do not answer: they are stopped, or hang")
	}
	if len(list) > listed {
		list = []string{few(list)}
	}
	for _, p := range s.procs {
		if procs := waiting[p.host]; len(procs) > 0 && procs[0] == p.id {
			text := s.named(procs) + " did not come to the meeting at " +
				s.instructions.Rendezvous
			if len(s.c.Hosts) > 0 {
				text = "host " + s.c.Hosts[p.host].String() + ": " + text
			}
			if s.far(p) {
				text += fmt.Sprintf(" (%s)%s", strings.Join(s.c.Hosts[p.host].Launcher, " "),
					complaint(p.process))
			}
			list = append(list, text)
		}
	}
	list = append(list, s.hangs()...)
	if s.out.Strangers > 0 {
		list = append(list, fmt.Sprintf("%d connections of strangers were refused",
			s.out.Strangers))
	}
	return strings.Join(list, "; ")
}
