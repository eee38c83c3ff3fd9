package world

import (
	"fmt"
	"slices"
)

// That procs are alike, so that states of one orbit stand for each other.
//
// A swap renames what states consist of (swap). Let S be the states that a search of orbits meets,
// and all images of them. The search is answered only when, for every swap,
//
//  1. it takes no two machines' states, messages or memories of properties to one, and is its own
//     inverse on all that was met (swap.once); it leaves the start as it is (quotient.Initial);
//  2. every local step (state of a machine, input) that was met, and so every image of one, has as
//     its image the local step from the image of the state with the image of the input: this leads
//     to the image of the next state, which offers the same choices, with the images of the sends
//     to each proc in their order and the same changes of the store and the timers, is shown or not
//     shown to monitors, ignored or not, and breaks the same property (audit);
//  3. the monitors, with the image of what they remember, remember the image of what they remember
//     behind the step, and it breaks the same; so does the end of a run that left a memory.
//
// Theorem. Then for every state s that the unreduced search has, the search of orbits has one that
// is s with other names, and what s breaks by a step, or as an end, that one does, too.
//
// Proof, by induction on the run to s. The start is its own image. Let s be a state of S, and t
// one of its orbit that the search has expanded: t is s under some swaps. What can happen to a
// proc is a choice of its machine, a message at the head of a channel (any, where the network
// keeps no order), a write or a timer in its env; a loss or a repetition of such a message. Each
// is there in t under its new name: inboxes are renamed message by message and channel by channel,
// choices and envs are the same. As no proc can fail, a local step is taken as a whole: it changes
// its own proc and puts messages on channels, each of which it has alone; so only the order of
// sends to one proc matters, and by 2 the step from t leads to the image of the one from s. The
// network decides by numbers that are equal or not (what is there already, what is ignored, what
// changes nothing), and by 1 images are equal when what they are of is. So the orbits behind s and
// t are the same ones. What is broken is the same, too. Properties of one proc, those that relate
// runs, and what some run must show are asked of every local step of S, as in the unreduced
// search: 2 has taken them all. Monitors remember and judge alike by 3. Those that look at other
// procs are shown no step (compare, withoutOrbits), and at an end the same whatever the state:
// that all are up, and nothing else (swap.local).
//
// What is believed: that the world treats the procs of such a setup alike, as it has no other
// reason to tell them apart than what is refused; TestAutomorphism asks it about every state of
// unreduced searches.

// audit compares what was met with its images, until nothing new is met. The error says what is
// not alike. No search may be under way.
func (q *quotient) audit() (err error) {
	if err := q.wrong(); err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = q.wrong()
		}
	}()
	defer q.guard()
	if q.auditSteps() {
		q.auditMonitors()
	}
	return nil
}

// auditSteps compares local steps from where it has stopped on; it reports whether all are alike.
func (q *quotient) auditSteps() bool {
	for ; int(q.compared) < q.world.transitions.len(); q.compared++ {
		for _, s := range q.swaps {
			if words := s.compare(q.compared); words != "" {
				q.refuse(words)
				return false
			}
		}
	}
	return true
}

// compare says in what a local step is another one than its image, or "".
func (s *swap) compare(n uint32) string {
	w, t := s.world, s.world.transitions.at(n)
	image := w.transitions.at(w.transition(s.local(t.from), s.input(t.input)))
	what := ""
	switch {
	case s.local(t.next) != image.next:
		what = "leads to another state"
	case !slices.Equal(w.locals.at(t.next).choices, w.locals.at(image.next).choices):
		what = "leads to other choices"
	case !slices.Equal(s.effects(t), byReceiver(image.acts)):
		what = "has other effects"
	case len(t.checks) > 0:
		what = "is shown to properties that look at other procs, and that"
	case t.idle != image.idle || t.watched != image.watched:
		what = "shows something else"
	case w.property(t.violation) != w.property(image.violation):
		what = "breaks something else"
	default:
		return ""
	}
	l := w.locals.at(t.from)
	return fmt.Sprintf("a step of %s (%s) %s when %s and %s are exchanged",
		w.layout.Name(l.proc), w.describeInput(*w.inputs.at(t.input)), what, w.layout.Name(s.a),
		w.layout.Name(s.b))
}

// effects are the images of what a local step does, in the order of byReceiver.
func (s *swap) effects(t *transition) []act {
	list := slices.Clone(t.acts)
	for i := range list {
		list[i] = s.act(list[i])
	}
	return byReceiver(list)
}

// byReceiver are the effects without what only evidence and crashes ask for: the changes of the
// proc in their order, then the sends to each proc in theirs.
func byReceiver(acts []act) []act {
	var list []act
	for _, a := range acts {
		switch a.kind {
		case actNothing:
			continue
		case actSend, actChange:
		default:
			panic(asymmetry{"a machine restarts, watches, starts or ends somebody"})
		}
		a.first, a.firm = 0, false
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b act) int {
		if a.kind != b.kind {
			return int(b.kind) - int(a.kind)
		}
		return int(a.to) - int(b.to)
	})
	return list
}

// property is that of a violation, "" of none.
func (w *World) property(violation int) string {
	if violation == 0 {
		return ""
	}
	return w.Violation(violation).Property
}

// brokenEnd is the first monitor that the end of a run breaks that leaves these memories, "" for
// none.
func (w *World) brokenEnd(memories uint32) string {
	numbers := *w.monitors.memories.at(memories)
	for i, n := range numbers {
		if p := &w.monitors.list[i]; p.Settles(w.Facts, nil, *w.monitors.each[i].at(n)) != "" {
			return p.Name
		}
	}
	return ""
}

// auditMonitors compares what the monitors have made of local steps, and of ends, with what they
// make of the images.
func (q *quotient) auditMonitors() {
	w := q.world
	if w.monitors.word == 0 {
		return
	}
	met := w.monitors.steps.keyed()
	known := map[uint64]bool{}
	for _, key := range met {
		known[key] = true
	}
	for at := 0; at < len(met); at++ {
		memory, tr := uint32(met[at]>>32), uint32(met[at])
		o, t := w.observe(memory, tr), w.transitions.at(tr)
		for _, s := range q.swaps {
			image := pair(s.memory(memory), w.transition(s.local(t.from), s.input(t.input)))
			i := w.observe(uint32(image>>32), uint32(image))
			if s.memory(o.next) != i.next || w.property(o.violation) != w.property(i.violation) {
				q.refuse("a property remembers something else when " + w.layout.Name(s.a) +
					" and " + w.layout.Name(s.b) + " are exchanged")
				return
			}
			if !known[image] {
				known[image] = true
				met = append(met, image)
			}
		}
	}
	for n := uint32(0); int(n) < w.monitors.memories.len(); n++ {
		for _, s := range q.swaps {
			if w.brokenEnd(n) != w.brokenEnd(s.memory(n)) {
				q.refuse("a property judges the end of a run otherwise when " +
					w.layout.Name(s.a) + " and " + w.layout.Name(s.b) + " are exchanged")
				return
			}
		}
	}
}
