package world

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// What is refused before anything is explored, because a protocol does not promise it: each refusal
// says what, why, and the nearest failure model that the protocol can carry.

// refusal is one thing in a failure model that a protocol does not carry.
type refusal struct {
	reason string
	limit  string // whose words of Promises.Limits say why, "" = the reason does
	// mend changes the model as little as it takes to be without that; nil: the protocol can carry
	// no model, whatever is changed
	mend func(m *fault.Model)
}

// Beyond says in what a failure model is beyond the promises of a protocol, why, and the nearest
// one that is not; or "".
func Beyond(s *core.Setup, m *fault.Model) string {
	r := beyond(s, m)
	if r == nil {
		return ""
	}
	text := r.reason
	if why := s.Promises.Limits[r.limit]; why != "" {
		text += ": " + why
	}
	if near, ok := Nearest(s, m); ok {
		text += "; the nearest that it can carry: " + changed(m, &near)
	}
	return text
}

// Nearest is the model with as little changed as it takes to be within the promises of a protocol,
// if there is one.
func Nearest(s *core.Setup, m *fault.Model) (near fault.Model, ok bool) {
	near = *m
	for range len(fault.Keys) { // each mends another key
		r := beyond(s, &near)
		if r == nil {
			return near, true
		}
		if r.mend == nil {
			return near, false
		}
		r.mend(&near)
	}
	return near, beyond(s, &near) == nil
}

// changed lists what one model has other than another one, as a scenario file has it.
func changed(from, to *fault.Model) string {
	var list []string
	for i := range fault.Keys {
		if k := &fault.Keys[i]; k.Get(from) != k.Get(to) {
			list = append(list, k.Name+": "+k.Text(to))
		}
	}
	return strings.Join(list, ", ")
}

// Idle says which knobs of a model change nothing, and why: an answer that holds says nothing about
// them.
func Idle(s *core.Setup, m *fault.Model) (list []string) {
	say := func(key, why string) {
		if k := fault.Find(key); k.Get(m) != 0 {
			list = append(list, k.Name+" "+k.Text(m)+" ("+why+")")
		}
	}
	if m.Failures == 0 {
		for _, key := range fault.Find("failures").With {
			say(key, "nobody fails")
		}
	}
	switch keys := s.Promises.StableKeys; {
	case m.Failures == 0:
		say("torn", "nobody fails")
	case keys != nil && len(keys) == 0:
		say("torn", "the protocol writes nothing")
	}
	if keys := s.Promises.StableKeys; keys != nil && len(keys) == 0 {
		for _, key := range []string{"lose", "corrupt", "full"} {
			say(key, "the protocol writes nothing")
		}
	}
	if len(s.Local) == 0 {
		say("disks", "no records lie on the disks of nodes")
	}
	if len(s.Watchers) == 0 && !s.Watchdogs {
		say("suspicions", "nobody suspects anybody")
	}
	return list
}

// beyond is the first thing in a model that a protocol does not carry, or nil.
func beyond(s *core.Setup, m *fault.Model) *refusal {
	for _, refuse := range []func(*core.Setup, *fault.Model) *refusal{
		beyondClocks, beyondNetwork, beyondSuspicions, beyondStorage, beyondFailures} {
		if r := refuse(s, m); r != nil {
			return r
		}
	}
	return nil
}

// without mends a model by a key that goes back to its default.
func without(key string) func(m *fault.Model) {
	return func(m *fault.Model) { fault.Find(key).Clear(m) }
}

func beyondClocks(s *core.Setup, _ *fault.Model) *refusal {
	if !s.Promises.Timed {
		return nil
	}
	return &refusal{"the protocol tells who is down by timers of its own, and in a modelled " +
		"world, without clocks, a timer expires at any time", "suspicions", nil}
}

func beyondNetwork(s *core.Setup, m *fault.Model) *refusal {
	p := &s.Promises
	switch {
	case p.FIFO && m.Set:
		return &refusal{"the protocol needs FIFO channels, the network is a set", "",
			without("network")}
	case p.FIFO && !m.KeepsOrder():
		return &refusal{"the protocol needs FIFO channels, the network is unordered", "",
			without("network")}
	case p.Reliable && m.Loss > 0:
		return &refusal{"the protocol needs reliable channels, the network may lose messages", "",
			without("loss")}
	case p.Reliable && m.Duplicates > 0:
		return &refusal{"the protocol needs reliable channels, the network may duplicate messages",
			"", without("duplicates")}
	case p.Reliable && m.Set:
		return &refusal{"the protocol needs reliable channels, and a network that is a set may " +
			"duplicate messages", "", func(m *fault.Model) { m.Set, m.Unordered = false, true }}
	}
	return nil
}

func beyondSuspicions(s *core.Setup, m *fault.Model) *refusal {
	p := &s.Promises
	switch watched := len(s.Watchers) > 0 || s.Watchdogs; {
	case watched && p.Suspicions >= 0 && m.Suspicions > p.Suspicions:
		return &refusal{fmt.Sprintf("the protocol survives %s, the model has %d",
			count(p.Suspicions, "false suspicion"), m.Suspicions), "suspicions",
			func(m *fault.Model) { m.Suspicions = p.Suspicions }}
	case p.Quiet && m.Failures > 0 && m.Suspicions >= p.Suspicions:
		return &refusal{fmt.Sprintf("the protocol survives %s beside failures, the model has %d",
			count(p.Suspicions-1, "false suspicion"), m.Suspicions), "suspicions",
			func(m *fault.Model) { m.Suspicions = p.Suspicions - 1 }}
	}
	return nil
}

func beyondStorage(s *core.Setup, m *fault.Model) *refusal {
	p := &s.Promises
	switch {
	case p.Damage >= 0 && m.Lose+m.Corrupt > p.Damage:
		return &refusal{fmt.Sprintf("the protocol survives %s that are lost or corrupted, the "+
			"model has %d", count(p.Damage, "record"), m.Lose+m.Corrupt), "corrupt",
			func(m *fault.Model) {
				m.Lose = min(m.Lose, p.Damage)
				m.Corrupt = p.Damage - m.Lose
			}}
	case p.Full >= 0 && m.Full > p.Full:
		return &refusal{fmt.Sprintf("the protocol survives %s, the model has %d",
			count(p.Full, "refused write"), m.Full), "full",
			func(m *fault.Model) { m.Full = p.Full }}
	}
	return nil
}

func beyondFailures(s *core.Setup, m *fault.Model) *refusal {
	p := &s.Promises
	switch {
	case p.MaxFailures < 0 && m.Failures > 0:
		return &refusal{"the protocol survives no failure", "failures", without("failures")}
	case m.Overlap > 0 && !p.Recovers:
		return &refusal{"the model counts who is recovering, and the protocol does not declare " +
			"when a recovery is complete", "", without("overlap")}
	case p.InAll > 0 && m.Failures > p.InAll:
		return &refusal{fmt.Sprintf("the protocol survives %s in one run, the model has %d",
			count(p.InAll, "failure"), m.Failures), "failures",
			func(m *fault.Model) { m.Failures = p.InAll }}
	case p.MaxFailures > 0 && m.AtATime() > p.MaxFailures:
		return &refusal{fmt.Sprintf("the protocol survives %s at a time, the model has %d",
			count(p.MaxFailures, "failure"), m.AtATime()), "failures",
			func(m *fault.Model) { apart(p, m) }}
	}
	return nil
}

// apart mends a model in which too many groups fail at a time: it keeps the failures, and puts each
// behind the recovery from the ones before.
func apart(p *promise.Promises, m *fault.Model) {
	if m.Together() > p.MaxFailures {
		fault.Find("at-once").Set(m, p.MaxFailures)
		if p.MaxFailures == 1 { // as without
			fault.Find("at-once").Clear(m)
		}
	}
	switch {
	case m.AtATime() <= p.MaxFailures:
	case p.Recovers:
		m.Overlap = p.MaxFailures
	default:
		m.Settled = true
	}
}

// count is a number of things in words.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
