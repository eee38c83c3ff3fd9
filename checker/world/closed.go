package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// Proving asks Check for a certificate of what holds: all states of the search, by their content.
type Proving struct {
	File   string
	Room   certificate.Room
	Header certificate.Header // what the world does not know; the rest is filled in
	err    error
}

// unprovable says why no certificate can come of a search with the options, or "".
func unprovable(o *checker.Options) string {
	switch {
	case o.Lasso:
		return "endless runs are not in it: without --lasso"
	case o.Order == checker.StatelessOptimal:
		return "that search keeps no states: want dfs or bfs"
	case o.Reduce&^(checker.Singletons|checker.Crashes|checker.Sleep) != 0:
		return "it is of one search of all that may happen: want none, or a list of singletons, " +
			"crashes, sleep"
	case o.Reduce.Has(checker.Singletons | checker.Sleep):
		// a step that sleeps may lead to a state that only the step taken alone leaves out
		return "steps that sleep lead out of the states that singletons leaves: want one of both"
	}
	return ""
}

// prove makes the search write the certificate, if the case holds by all that can be said then.
func (c *Case) prove(w *World, o *checker.Options) {
	if c.Proving == nil {
		return
	}
	o.Visited = func(states iter.Seq[[]uint32]) {
		out := &Outcome{World: w, Result: checker.Result{Verdict: spec.Holds}}
		out.note(w)
		if out.conclude(c, w) != nil || out.Verdict != spec.Holds {
			return // and Check says why
		}
		c.Proving.err = c.Proving.write(w, c, o.Reduce, states)
	}
}

func (p *Proving) write(w *World, c *Case, reduce checker.Reduction,
	states iter.Seq[[]uint32]) error {
	h := p.Header
	h.Text, h.MustSee = c.Subject, c.MustSee
	if reduce.Has(checker.Singletons) {
		h.Reduced = checker.Singletons.String()
	}
	err := wholefile.Stream(p.File, func(to io.Writer) error {
		return w.WriteCertificate(to, h, states, p.Room)
	})
	if err != nil {
		return fmt.Errorf("write the certificate: %w", err)
	}
	return nil
}

// WriteCertificate writes a certificate of states of the world; of the header it fills in what it
// knows.
func (w *World) WriteCertificate(to io.Writer, h certificate.Header, states iter.Seq[[]uint32],
	room certificate.Room) error {
	h.Procs, h.Judged = w.layout.Names, w.Judged()
	in := newInventory(w, states)
	return certificate.Write(to, &h, &in.Tables, in.states(states), room)
}

// Judged are the names of the properties that the world looks at.
func (w *World) Judged() (names []string) {
	if w.Facts == nil {
		return nil
	}
	list, err := spec.Select(w.Facts)
	if err != nil {
		panic("invariant: New has selected the properties: " + err.Error())
	}
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names
}

// Recheck answers a case by a certificate: without a search, but with the world. What it does not
// trust is that states were visited, and known again: it begins at the initial state and takes
// every step out of every state of the certificate, and there must be one for the state behind it.
// So a certificate that is accepted has exactly the states that can be reached. The error is
// certificate.ErrRefused when it is not.
func Recheck(ctx context.Context, c Case, o checker.Options, cert *certificate.Certificate) (
	*Outcome, error) {
	refuse := func(why string, args ...any) error {
		return fmt.Errorf("%w: "+why, append([]any{certificate.ErrRefused}, args...)...)
	}
	if cert.Text != c.Subject {
		return nil, refuse("it is of another scenario")
	}
	w, out, err := prepare(ctx, c, o)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, refuse("%v: %s", out.Verdict, out.Reason)
	}
	switch {
	case !slices.Equal(cert.Header.Procs, w.layout.Names):
		return nil, refuse("its procs are %q, here they are %q", cert.Header.Procs, w.layout.Names)
	case !slices.Equal(cert.Judged, w.Judged()):
		return nil, refuse("it is judged by %q, here by %q", cert.Judged, w.Judged())
	case !slices.Equal(cert.MustSee, c.MustSee):
		return nil, refuse("its runs show %q, here they must show %q", cert.MustSee, c.MustSee)
	}
	reduce := checker.Unreduced
	if !cert.Complete() {
		if cert.Reduced != checker.Singletons.String() {
			return nil, refuse("it is reduced by %q", cert.Reduced)
		}
		reduce = checker.Singletons
	}
	l := &closing{World: w, cert: cert, reduce: reduce}
	err = l.close(ctx)
	if broken := w.Err(); broken != nil {
		return nil, broken
	}
	if err != nil {
		return nil, err
	}
	out.Result = checker.Result{Verdict: spec.Holds, Stats: l.stats}
	out.note(w)
	if err := out.conclude(&c, w); err != nil {
		return nil, err
	}
	if out.Verdict != spec.Holds {
		return nil, refuse("%v: %s", out.Verdict, out.Reason)
	}
	return out, nil
}

// closing goes through the states of a certificate.
type closing struct {
	*World
	cert   *certificate.Certificate
	reduce checker.Reduction
	names  *namer
	mine   [][]uint32 // by word, by number of the certificate: that of the world
	reached
	stats checker.Stats
}

// reached are the states that were reached, and those of them that wait.
type reached struct {
	bits  []uint64
	stack []uint32
	count int
}

func (r *reached) reach(state int) {
	if bit := uint64(1) << (state & 63); r.bits[state>>6]&bit == 0 {
		r.bits[state>>6] |= bit
		r.stack = append(r.stack, uint32(state))
		r.count++
	}
}

var errInterrupted = errors.New("interrupted")

func (l *closing) close(ctx context.Context) error {
	if l.cert.States.Words() != l.Words() {
		return l.refuse("its states have %d words, here they have %d", l.cert.States.Words(),
			l.Words())
	}
	l.names = newNamer(l.World, lookup(l.cert))
	l.mine = make([][]uint32, l.Words())
	l.bits = make([]uint64, (l.cert.States.Len()+63)/64)
	finder, x := l.cert.States.Finder(), checker.NewExpansion(l.Words())
	state, next, here := make([]uint32, l.Words()), make([]uint32, l.Words()),
		make([]uint32, l.Words())
	if v := l.Initial(here); v != 0 {
		return l.refuse("the initial state breaks %s", l.broken(v))
	}
	if err := l.translate(here, next); err != nil {
		return l.refuse("the initial state is missing: %v", err)
	}
	number, ok := finder.Find(next)
	if !ok {
		return l.refuse("the initial state is missing")
	}
	l.reach(number)
	for len(l.stack) > 0 {
		number := int(l.stack[len(l.stack)-1])
		l.stack = l.stack[:len(l.stack)-1]
		if l.stats.States++; l.stats.States%checker.LookEvery == 0 && ctx.Err() != nil {
			return errInterrupted
		}
		l.cert.States.At(number, state)
		for i, word := range state {
			here[i] = l.mine[i][word]
		}
		if err := l.expand(number, state, here, next, x, finder); err != nil {
			return err
		}
	}
	if l.count < l.cert.States.Len() {
		return l.refuse("state %d can not be reached", l.unreached())
	}
	return nil
}

// expand looks for all successors of a state, and judges it.
func (l *closing) expand(number int, state, here, next []uint32, x *checker.Expansion,
	finder *certificate.Finder) error {
	l.Expand(here, l.reduce, x)
	l.stats.Transitions += len(x.Steps)
	for i := range x.Steps {
		if v := x.Steps[i].Violation; v != 0 {
			return l.refuse("state %d: %s breaks %s", number, l.step(here, x, i), l.broken(v))
		}
		copy(next, state)
		for _, d := range x.Deltas(i) {
			word, err := l.theirWord(d.Word, d.Value)
			if err != nil && x.State(i, nil)[d.Word] == d.Value {
				return l.refuse("state %d: what %s leads to is missing: %v", number,
					l.step(here, x, i), err)
			}
			next[d.Word] = word
		}
		to, ok := finder.Find(next)
		if !ok {
			return l.refuse("state %d: what %s leads to is missing", number, l.step(here, x, i))
		}
		l.reach(to)
	}
	if !x.Progress() {
		l.stats.Terminals++
		if v := l.Terminal(here); v != 0 {
			return l.refuse("state %d: a run that ends there breaks %s", number, l.broken(v))
		}
	}
	return nil
}

// translate writes a state in the numbers of the certificate.
func (l *closing) translate(state, to []uint32) (err error) {
	for i, number := range state {
		if to[i], err = l.theirWord(i, number); err != nil {
			return err
		}
	}
	return nil
}

// theirWord is the number of a word in the certificate.
func (l *closing) theirWord(word int, number uint32) (uint32, error) {
	found, err := l.names.word(word, number)
	if err == nil {
		keep(&l.mine[word], found, number)
	}
	return found, err
}

// unreached is the first state that was not reached.
func (l *closing) unreached() int {
	for i := range l.cert.States.Len() {
		if l.bits[i>>6]>>(i&63)&1 == 0 {
			return i
		}
	}
	return -1
}

// step names a step in words.
func (l *closing) step(state []uint32, x *checker.Expansion, i int) string {
	return l.describe(state, eventCode(x.Steps[i].Code))
}

func (l *closing) broken(violation int) string {
	v := l.Violation(violation)
	return v.Property + ": " + v.Message
}

func (l *closing) refuse(why string, args ...any) error {
	return fmt.Errorf("%w: "+why, append([]any{certificate.ErrRefused}, args...)...)
}
