package local

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// enforce does the next events of the schedule, while everybody waits, up to one for which a
// machine has to run: its proc is let go.
func (r *run) enforce() {
	for !r.over {
		if r.position == len(r.config.Schedule) {
			if r.out.Complete = r.rest(); !r.out.Complete {
				r.end("end of the schedule")
			} else {
				r.end("")
			}
			return
		}
		text := r.config.Schedule[r.position]
		r.position++
		if !r.enforceLine(text) {
			r.err = fmt.Errorf("step %d: %q is not possible: %w", r.position, text, ErrStale)
			r.end("stale schedule")
			return
		}
		if r.busy > 0 {
			return
		}
	}
}

var (
	numbered = regexp.MustCompile(`^(.*) #(\d+)$`)
	cutShort = regexp.MustCompile(`^(.*)` + strings.Replace(regexp.QuoteMeta(trace.CutShort(7)),
		"7", `(\d+)`, 1) + `$`)
	outcomes = regexp.MustCompile(`^(.*), outcome (\d+) of writes in progress$`)
)

// split takes a number off the end of a name.
func split(e *regexp.Regexp, text string) (rest string, n int) {
	if m := e.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[2]); err == nil {
			return m[1], n
		}
	}
	return text, 0
}

// enforceLine does one event; it reports whether it is possible.
func (r *run) enforceLine(text string) bool {
	r.remember()
	text, number := split(numbered, text)
	if rest, outcome := split(outcomes, text); strings.HasPrefix(rest, "crash ") ||
		strings.HasPrefix(rest, "stop ") {
		return r.enforceCrash(rest, outcome)
	}
	text, cutAfter := split(cutShort, text)
	for _, p := range r.procs {
		for _, o := range r.everything(p) {
			if !r.named(p, &o, text) {
				continue
			}
			if number--; number > 0 {
				continue // one of the others with the name
			}
			if r.direct(p, &o) {
				return true
			}
			if cutAfter > 0 && r.left.failures == 0 && !slices.Contains(r.bound(), p) {
				return false
			}
			o.cut = cutAfter
			p.granted = &o
			r.release(p)
			return true
		}
	}
	return false
}

// named reports whether an offer has the name, and something comes of it. It is given its input.
func (r *run) named(p *proc, o *offer, text string) bool {
	r.prepare(p, o)
	var events []trace.Event
	switch {
	case o.kind == advance: // what it does is known when it is done
		events = r.try(p, o).events
	case r.name(p, o, nil) != text || r.idle(o, r.try(p, o)):
		return false
	}
	return r.name(p, o, events) == text
}

// try lets a copy of the machine do what is offered. What it would do does not happen; if it
// panics, it will again when it is its turn.
func (r *run) try(p *proc, o *offer) *attempt {
	switch o.kind {
	case cut, lose, stop, restart, erase, vanish, spoil:
		return new(attempt)
	}
	machine := r.setup.New(p.id)
	core.Clone(p.machine, machine)
	return r.attempt(&proc{id: p.id, machine: machine}, o)
}

// rest reports whether nothing but faults can happen at the end of the schedule.
func (r *run) rest() bool {
	for _, p := range r.procs {
		for o := range r.offers(p) {
			if r.prepare(p, &o); !o.fault && !r.idle(&o, r.try(p, &o)) {
				return false
			}
		}
	}
	return true
}

// everything lists all that can happen to a proc, faults that need no crash included.
func (r *run) everything(p *proc) (list []offer) {
	for o := range r.offers(p) {
		list = append(list, o)
	}
	for _, c := range p.inbox {
		for _, k := range r.heads(c) {
			if r.left.losses > 0 {
				list = append(list, offer{kind: lose, fault: true, channel: c, packet: k})
			}
			if r.left.duplicates > 0 && p.up {
				list = append(list, offer{kind: duplicate, fault: true, channel: c, packet: k})
			}
		}
	}
	list = append(list, r.possibleHarms(p)...)
	if !p.up {
		return list
	}
	asks := []offer{{kind: checkpoint}}
	for q := range r.procs {
		asks = append(asks, offer{kind: suspect, group: core.Proc(q)},
			offer{kind: expire, group: core.Proc(q)})
	}
	for _, o := range asks {
		if o.fault = true; r.mayAsk(p, &o) {
			list = append(list, o)
		}
	}
	return list
}

// enforceCrash stops the groups with the name.
func (r *run) enforceCrash(name string, outcome int) bool {
	for _, p := range r.procs {
		if r.follows(p) && name == r.layout.CrashName("stop", r.unit([]*proc{p}), 0) {
			return r.fall(p, func(int) int { return outcome })
		}
	}
	var try func(from int, chosen []*proc) bool
	try = func(from int, chosen []*proc) bool {
		if len(chosen) > 0 && name == r.layout.CrashName("crash", r.unit(chosen), 0) {
			if all := r.fates(r.victims(chosen)); r.mayCrash(chosen) && outcome < len(all) {
				r.crashGroups(chosen, all, outcome, fault.Prefix)
				return true
			}
			return false
		}
		for i := from; i < len(r.procs) && len(chosen) < r.config.Model.Together(); i++ {
			if try(i+1, append(chosen[:len(chosen):len(chosen)], r.procs[i])) {
				return true
			}
		}
		return false
	}
	return try(0, nil)
}
