package cluster

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Who waits for whom, for a run that hangs.

// waits is what a life waits for: the messages of its program and protocol, connections that are
// not there, and what is on its way over those that are.
func (l *life) waits() answer {
	a := answer{Kind: saidWaits, Peers: l.carrier.status()}
	for i := range a.Peers {
		k := &a.Peers[i]
		k.Address, k.Unsent = l.mesh.Address(k.Proc), l.mesh.Unsent(k.Proc)
		k.Early = l.carrier.peers[k.Proc].early != nil
	}
	for _, w := range l.mesh.Waiting() {
		for i := range a.Peers {
			if k := &a.Peers[i]; k.Proc == w.Proc {
				if k.Address, k.Attempts = w.Address, w.Attempts; w.Err != nil {
					k.Error = w.Err.Error()
				}
			}
		}
	}
	var words []string
	for _, w := range core.WaitingOf(l.machine) {
		text := w.What
		if len(w.From) > 0 {
			text += " from " + l.setup.Layout.NamesOf(w.From[:min(len(w.From), listed)])
		}
		words = append(words, text)
	}
	if l.dying != nil {
		words = append(words, "the end of what "+l.setup.Layout.NamesOf(l.dying.Procs)+" had sent")
	}
	a.Text = few(words)
	return a
}

// listed is how many of many things are named.
const listed = 8

// few names the first of some things and counts the others.
func few(list []string) string {
	if n := len(list) - listed; n > 0 {
		return strings.Join(list[:listed], "; ") + fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(list, "; ")
}

// named names the first of some procs and counts the others.
func (s *supervisor) named(procs []core.Proc) string {
	text := s.setup.Layout.NamesOf(procs[:min(len(procs), listed)])
	if n := len(procs) - listed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// hangs says who waits for whom, by what all have answered. The words of programs come last: that
// one waits is often no fault of its own.
func (s *supervisor) hangs() (list []string) {
	if len(s.burying) > 0 && len(s.burying[0].awaiting) > 0 {
		b := s.burying[0]
		list = append(list, fmt.Sprintf("%s have not agreed on the failure of %s",
			s.named(b.awaiting), s.named(b.procs)))
	}
	for _, b := range s.dying {
		list = append(list, fmt.Sprintf("%s were killed and are not gone", s.named(b.waiting)))
	}
	var programs []string
	for _, p := range s.procs {
		if p.process == nil || p.dying || p.waits == nil {
			continue
		}
		for i := range p.waits.Peers {
			if text := s.blocked(p, &p.waits.Peers[i]); text != "" {
				list = append(list, text)
			}
		}
		if p.waits.Text != "" {
			programs = append(programs, s.setup.Layout.Name(p.id)+" waits for "+p.waits.Text)
		}
	}
	if len(list) > listed {
		list = []string{few(list)}
	}
	if len(programs) > 0 {
		list = append(list, few(programs))
	}
	return list
}

// blocked says what is wrong with the connection of p that k is about, "" if nothing is.
func (s *supervisor) blocked(p *proc, k *peer) string {
	name, other := s.setup.Layout.Name(p.id), s.setup.Layout.Name(k.Proc)
	q := s.procs[k.Proc]
	if k.Address != "" {
		other += " at " + k.Address
	}
	switch {
	case k.Lost && q.process != nil && !q.dying:
		return fmt.Sprintf("the connection of %s with %s broke", name, other)
	case k.Held > 0 && q.process == nil:
		return "" // it is down, and may be for good
	case k.Held > 0 && k.Address == "":
		return fmt.Sprintf("%s has %d messages for %s, which has not said where it listens", name,
			k.Held, other)
	case k.Held > 0 && k.Error == "":
		return fmt.Sprintf("%s has %d messages for %s, and no connection yet", name, k.Held, other)
	case k.Held > 0:
		return fmt.Sprintf("%s has %d messages for %s, and no connection after %d attempts: %s",
			name, k.Held, other, k.Attempts, k.Error)
	case k.Early:
		return fmt.Sprintf("%s keeps back what %s knows of a failure", name, other)
	}
	if q.waits != nil && k.Life >= 0 {
		if there := q.waits.with(p.id); there.Received < k.Sent {
			return fmt.Sprintf("%s has not taken %d of %d messages of %s (%d bytes are under way)",
				other, k.Sent-there.Received, k.Sent, name, k.Unsent)
		}
	} else if k.Unsent > 0 {
		return fmt.Sprintf("%d bytes of %s for %s are under way", k.Unsent, name, other)
	}
	return ""
}
