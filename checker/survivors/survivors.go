// Package survivors is a reference for jobs that run on without ranks that are gone for good: a
// naive interpreter of programs that goes through every run in which some ranks stop, each at any
// of its points, and operations of the others end in errors from then on. It says in which states
// the others may end, what they may have received, and what they may have sent.
//
// It shares no code with the ranks under test (impl/program), which it is to judge, nor with any
// protocol: what a program does, and which of its operations end in which error, is written down a
// second time here, from the words of core.OpError and of the text form. What both must agree on
// are the formulas by which a program mixes what it sees into its state.
//
// The network is ideal but for deaths. A rank that stops has sent what it has sent, of which a
// survivor has got any beginning when it is told of the death; it is told at any time, of each
// death once, and nothing of the dead arrives later. Every survivor is told of every death before
// the run is over, and in any order, though a job has one: which is more runs than there are, and
// no fewer.
package survivors

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// ErrBound says that the runs are too many.
var ErrBound = errors.New("too many runs with ranks that are gone")

// Job is what is explored.
type Job struct {
	Layout   *trace.Layout
	Programs []core.Program
	// PostsWait: a posted receive completes only where the program waits
	PostsWait bool
	Deaths    int // at most so many ranks stop by themselves
	States    int // bound of the search
}

// Explore goes through all runs of the job.
func Explore(ctx context.Context, job Job) (*spec.Survivors, error) {
	x := explorer{job: job, seen: map[string]bool{},
		found: &spec.Survivors{Finals: map[string]bool{}, Sent: map[spec.SendOf]bool{}}}
	begin := state{left: job.Deaths}
	n, groups := job.Layout.Ranks, len(job.Layout.Trees)
	begin.channels = make([][]message, n*n)
	begin.boxes, begin.parts = make([][]message, n*groups), make([][]message, n*groups)
	for _, p := range job.Programs {
		x.ops = append(x.ops, p.Unrolled())
		begin.ranks = append(begin.ranks, rank{})
		x.found.Legal = append(x.found.Legal, map[string]bool{"": true})
	}
	for stack := []state{begin}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if key := s.key(); x.seen[key] {
			continue
		} else if x.seen[key] = true; len(x.seen) > job.States {
			return nil, fmt.Errorf("%w: more than %d states", ErrBound, job.States)
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", ErrBound, ctx.Err())
		}
		next := x.steps(&s)
		if len(next) == 0 {
			x.found.Finals[s.end(n)] = true
		}
		stack = append(stack, next...)
		stack = append(stack, s.deaths()...)
	}
	return x.found, nil
}

// explorer is the state of the search.
type explorer struct {
	job   Job
	ops   [][]core.Op // of each rank, without loops
	seen  map[string]bool
	found *spec.Survivors
}

// message is one that is under way or has arrived.
type message struct {
	id   trace.MsgID
	data []byte
}

// request is a receive that is open.
type request struct {
	peer         trace.Rank
	any, ordered bool
	told         int // so many deaths have ended a wait for it
}

// rank is one program and what it knows.
type rank struct {
	dead, ended  bool
	failed       bool // the last operation that was tried
	at           int  // next operation
	acknowledged int  // so many deaths
	value        uint64
	number       uint32     // of the last message that the program has come past
	source       trace.Rank // of the last message received
	posted       []request
	told         []trace.Rank // who is dead
	broken       []core.Group // an operation on them has ended in an error
	delivered    []trace.Delivery
}

// state is one state of the job.
type state struct {
	ranks    []rank
	channels [][]message // from sender to receiver
	boxes    [][]message // of a group at a member: multicasts, results
	parts    [][]message // of a group at its root, by member: contributions
	left     int         // deaths to come
}

// copy is an independent state.
func (s *state) copy() state {
	c := *s
	c.ranks = slices.Clone(s.ranks)
	for i := range c.ranks {
		r := &c.ranks[i]
		r.posted, r.told = slices.Clone(r.posted), slices.Clone(r.told)
		r.broken, r.delivered = slices.Clone(r.broken), slices.Clone(r.delivered)
	}
	for _, list := range []*[][]message{&c.channels, &c.boxes, &c.parts} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = slices.Clone((*list)[i])
		}
	}
	return c
}

// key is equal exactly for equal states.
func (s *state) key() string {
	b := binary.AppendUvarint(nil, uint64(s.left))
	for i := range s.ranks {
		r := &s.ranks[i]
		if r.dead {
			b = append(b, 'd')
			continue
		}
		b = fmt.Appendf(b, "%t%t %d %d %x %d %d %v %v %v ", r.ended, r.failed, r.at, r.acknowledged,
			r.value, r.number, r.source, r.posted, r.told, r.broken)
		b = append(b, spec.SequenceKey(r.delivered)...)
	}
	for _, list := range [][][]message{s.channels, s.boxes, s.parts} {
		for _, queue := range list {
			b = binary.AppendUvarint(b, uint64(len(queue)))
			for _, m := range queue {
				b = fmt.Appendf(b, "%v%x ", m.id, m.data)
			}
		}
	}
	return string(b)
}

// end is the key of the state in which a run ends, see spec.SurvivorsKey.
func (s *state) end(n int) string {
	var key []byte
	for i := range n {
		digest := spec.Blocked
		switch r := &s.ranks[i]; {
		case r.dead:
			digest = spec.Gone
		case r.ended:
			digest = core.Mix(r.value^uint64(i)) | 1
		}
		key = binary.BigEndian.AppendUint64(key, digest)
	}
	return string(key)
}

// deaths are the states behind the death of one more rank.
func (s *state) deaths() (list []state) {
	for i := range s.ranks {
		if s.left > 0 && !s.ranks[i].dead {
			c := s.copy()
			c.stop(trace.Rank(i))
			c.left--
			list = append(list, c)
		}
	}
	return list
}

// stop ends a rank; what is for it is lost.
func (s *state) stop(i trace.Rank) {
	n := len(s.ranks)
	s.ranks[i] = rank{dead: true}
	for k := int(i); k < len(s.channels); k += n {
		s.channels[k] = nil
	}
	for k := int(i); k < len(s.boxes); k += n {
		s.boxes[k] = nil
	}
}

// steps are the states behind everything that happens sooner or later: what programs do, and that
// ranks are told.
func (x *explorer) steps(s *state) (list []state) {
	for i := range s.ranks {
		if r := &s.ranks[i]; !r.dead && !r.ended {
			list = append(list, x.news(s, trace.Rank(i))...)
			list = append(list, x.program(s, trace.Rank(i))...)
		}
	}
	return list
}

// news are the states behind a rank being told of one death: of what the dead has sent to it, some
// beginning has arrived, and no more will.
func (x *explorer) news(s *state, i trace.Rank) (list []state) {
	for d := range s.ranks {
		d := trace.Rank(d)
		if !s.ranks[d].dead || slices.Contains(s.ranks[i].told, d) {
			continue
		}
		first := s.copy()
		first.ranks[i].told = append(first.ranks[i].told, d)
		ends := []state{first}
		cut := func(queue func(*state) *[]message) {
			for _, c := range ends {
				for k := range *queue(&c) {
					shorter := c.copy()
					*queue(&shorter) = (*queue(&shorter))[:k]
					ends = append(ends, shorter)
				}
			}
		}
		n := len(s.ranks)
		cut(func(c *state) *[]message { return &c.channels[int(d)*n+int(i)] })
		for g := range x.job.Layout.Trees {
			switch root := x.job.Layout.Trees[g].Root(); {
			case root == d:
				cut(func(c *state) *[]message { return &c.boxes[g*n+int(i)] })
			case root == i:
				cut(func(c *state) *[]message { return &c.parts[g*n+int(d)] })
			}
		}
		list = append(list, ends...)
	}
	return list
}
