package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// A recovery that declares its line (Lined) is held against the images that ranks have declared
// (Imaged), against where they are, and against where they restart. What is declared is tied to
// what happens: who claims an image and does not restart from it when it fails, or goes on where
// the line has it back, is found out by line-kept.

// goal is what the line has declared of one rank.
type goal struct {
	rank  trace.Proc
	stays bool
	at    point
}

// lined is what these properties remember.
type lined struct {
	images []image
	goals  []goal // of the line that was declared last, while it counts
	// how many of them are declared so far; all: the line is whole
	named int
	round uint64
	moved []moved // of ranks
}

// moved is where a rank has started last, the beginning unless it is there, and whether it has sent
// something since.
type moved struct {
	rank trace.Proc
	from point
	sent bool
}

// goal is what the line says of a rank, if it is whole and that rank is not there yet.
func (m *lined) goal(f *Facts, rank trace.Proc) (g goal, ok bool) {
	i := slices.IndexFunc(m.goals, func(g goal) bool { return g.rank == rank })
	if i < 0 || m.named < f.Layout.Ranks {
		return goal{}, false
	}
	return m.goals[i], true
}

// reached forgets what the line says of a rank.
func (m *lined) reached(rank trace.Proc) {
	m.goals = slices.DeleteFunc(m.goals, func(g goal) bool { return g.rank == rank })
}

func (m *lined) start(rank trace.Proc) moved {
	for _, s := range m.moved {
		if s.rank == rank {
			return s
		}
	}
	return moved{rank: rank}
}

func (m *lined) move(s moved) {
	i, found := slices.BinarySearchFunc(m.moved, s.rank, func(s moved, p trace.Proc) int {
		return int(s.rank) - int(p)
	})
	if !found {
		m.moved = slices.Insert(m.moved, i, s)
	}
	m.moved[i] = s
}

// last is the newest image of a rank, or the beginning.
func (m *lined) last(rank trace.Proc) (p point) {
	for _, i := range imagesOf(m.images, rank) {
		p = i.at
	}
	return p
}

// declare takes what is said of one rank. What is said in the middle of another line, or not of
// every rank in order, makes none.
func (m *lined) declare(f *Facts, e trace.Event) string {
	if e.Peer == 0 {
		m.goals, m.named, m.round = nil, 0, e.Stamp.Round
	}
	if int(e.Peer) != m.named || e.Stamp.Round != m.round || int(e.Peer) >= f.Layout.Ranks ||
		e.Text != trace.LineBack && e.Text != trace.LineStays {
		m.goals, m.named = nil, f.Layout.Ranks
		return fmt.Sprintf("%s declares of %s that it is %q in the line of round %d, want every "+
			"rank once, in order, back or stays", f.name(e.Proc), f.name(e.Peer), e.Text,
			e.Stamp.Round)
	}
	m.goals = append(m.goals, goal{e.Peer, e.Text == trace.LineStays, place(e)})
	m.named++
	return ""
}

// restart is what is wrong with where a rank restarts. An image may be stable before its rank knows
// of it, so one that is newer than all it has declared will do.
func (m *lined) restart(f *Facts, e trace.Event) (broken string) {
	at, last := place(e), m.last(e.Proc)
	g, told := m.goal(f, e.Proc)
	switch {
	case told && !g.stays && g.at == at:
		m.reached(e.Proc)
	case !last.within(at):
		broken = fmt.Sprintf("%s restarts at %s, and its last image is at %s", f.name(e.Proc), at,
			last)
		if told && !g.stays {
			broken += fmt.Sprintf("; the line of round %d has it at %s", m.round, g.at)
		}
	case at != point{}:
		m.images = addImage(m.images, image{rank: e.Proc, at: at})
	}
	m.images = cutImages(m.images, e)
	m.move(moved{rank: e.Proc, from: at})
	return broken
}

// goes is what is wrong with a rank that goes on.
func (m *lined) goes(f *Facts, e trace.Event) (broken string) {
	s := m.start(e.Proc)
	if g, told := m.goal(f, e.Proc); told {
		if !g.stays && (s.sent || s.from != g.at) {
			broken = fmt.Sprintf("%s goes on, and the line of round %d has it back at %s",
				f.name(e.Proc), m.round, g.at)
		}
		m.reached(e.Proc)
	}
	if e.Kind == trace.Sent {
		s.sent = true
		m.move(s)
	}
	return broken
}

// observe is what one event changes, what is wrong with the declaration of a line, and what with
// where a rank is.
func (m *lined) observe(f *Facts, e trace.Event) (declared, kept string) {
	if e.Kind == trace.Lined {
		return m.declare(f, e), ""
	}
	if int(e.Proc) >= f.Layout.Ranks {
		return "", ""
	}
	switch e.Kind {
	case trace.Imaged:
		m.images = addImage(m.images, image{rank: e.Proc, at: place(e)})
	case trace.Restored:
		return "", m.restart(f, e)
	default:
		return "", m.goes(f, e)
	}
	return "", ""
}

// linedKinds is what changes the memory.
var linedKinds = []trace.Kind{trace.Sent, trace.Finished, trace.Released, trace.Imaged,
	trace.Lined, trace.Restored}

func declaresLines(f *Facts) bool { return f.Undo.Maximal || f.Undo.Indexed || f.Undo.Domino }

const withLines = "Undo.Maximal, Undo.Indexed or Undo.Domino: recoveries declare their lines " +
	"(Lined, Imaged)"

// LineKept: a recovery does what it has found out.
var LineKept = register(Property{
	Name: "line-kept", Kind: Monitor, Source: "[Wang]; the evidence of Undo",
	Applies: declaresLines, Needs: withLines, Watched: linedKinds,
	Doc: "a rank restarts from its last image, unless the line that was declared last has it " +
		"back somewhere else; and whom that has back restarts there before it goes on",
	Memory: &Remembers[lined]{Observe: func(f *Facts, m *lined, e trace.Event) string {
		_, kept := m.observe(f, e)
		return kept
	}},
})

// LineDeclared: the line that all go back to is one.
var LineDeclared = register(Property{
	Name: "line-declared", Kind: Monitor, Source: "[BL]; [Wang]",
	Applies: declaresLines, Needs: withLines, Watched: linedKinds,
	Looked: []trace.Kind{trace.Lined, trace.Imaged},
	Doc: "the line that a recovery declares names every rank, has it at an image, at the " +
		"beginning or, if it stays, where it is, and has no orphan; and a rank declares an image " +
		"of where it has been",
	Memory: &Remembers[lined]{
		Observe: func(f *Facts, m *lined, e trace.Event) string {
			declared, _ := m.observe(f, e)
			return declared
		},
		Look: func(f *Facts, v View, m *lined, e trace.Event) string {
			switch h := v.Observed(e.Proc).History; {
			case e.Kind == trace.Lined:
				d, broken := f.drawn(v, m)
				if broken != "" || d == nil || d.lines.Consistent(d.line) {
					return broken
				}
				return d.orphan(f)
			case e.Kind == trace.Imaged && h != nil && !place(e).within(here(h)):
				return fmt.Sprintf("%s, at %s, declares an image at %s", f.name(e.Proc), here(h),
					place(e))
			}
			return ""
		},
	},
})

// LineMaximal: nobody loses more than it must.
var LineMaximal = register(Property{
	Name: "line-maximal", Kind: Monitor, Source: "[Wang]; [BL]",
	Applies: func(f *Facts) bool { return f.Undo.Maximal },
	Needs:   "Undo.Maximal: the line is the last one that is consistent (Lined, Imaged)",
	Watched: linedKinds,
	Looked:  []trace.Kind{trace.Lined},
	Doc: "no rank is farther back in the line that a recovery declares than it has to be: the " +
		"line is the last consistent one of all images and of where the ranks are that live",
	Memory: &Remembers[lined]{
		Observe: func(f *Facts, m *lined, e trace.Event) string {
			m.observe(f, e)
			return ""
		},
		Look: func(f *Facts, v View, m *lined, e trace.Event) string {
			if e.Kind != trace.Lined {
				return ""
			}
			d, broken := f.drawn(v, m)
			if broken != "" || d == nil || !d.lines.Consistent(d.line) {
				return "" // line-declared says so
			}
			for r, at := range d.lines.RecoveryLine(d.lines.Last()) {
				if d.line[r] < at {
					return fmt.Sprintf("%s goes back to %s, and the line could have it at %s",
						f.name(trace.Proc(r)), d.places[r][d.line[r]], d.places[r][at])
				}
			}
			return ""
		},
	},
})
