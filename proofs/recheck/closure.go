package recheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Counts are what was gone through.
type Counts struct{ States, Transitions, Ends int }

// Check goes through a certificate. The error is certificate.ErrRefused if what it says is not so,
// with the place, and ErrBeyond if it can not be told here.
func Check(ctx context.Context, s *Subject, c *certificate.Certificate) (n Counts, err error) {
	defer func() { // a property, or what of a machine is not run by Step
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: panic: %v", certificate.ErrRefused, r)
		}
	}()
	if why := s.beyond(c); why != "" {
		return n, fmt.Errorf("%w: %s", ErrBeyond, why)
	}
	if !slices.Equal(c.Header.Procs, s.Layout.Names) {
		return n, fmt.Errorf("%w: its procs are %q, here they are %q", certificate.ErrRefused,
			c.Header.Procs, s.Layout.Names)
	}
	e, err := newEnvironment(s, c)
	if err != nil {
		return n, err
	}
	words := 1 + e.procs
	if len(e.monitors) > 0 {
		words++
	}
	if c.States.Words() != words {
		return n, fmt.Errorf("%w: its states have %d words, not %d", certificate.ErrRefused,
			c.States.Words(), words)
	}
	for i, m := range c.Memories {
		if len(m) != len(e.monitors) {
			return n, fmt.Errorf("%w: memory %d is of %d properties, not of %d",
				certificate.ErrRefused, i, len(m), len(e.monitors))
		}
	}
	w := &scene{environment: e, finder: c.States.Finder(), state: make([]uint32, words),
		base: make([]uint32, words), next: make([]uint32, words),
		bits: make([]uint64, (c.States.Len()+63)/64)}
	if err := w.first(); err != nil {
		return n, w.placed(err)
	}
	switch err = w.all(ctx); {
	case err != nil:
	case len(e.unseen) > 0:
		err = w.refuse("no run shows %s", e.unseen[0].Name)
	case e.answered != "" && !s.Forced:
		err = w.refuse("some failures take a rank and all that protects it: %s", e.answered)
	}
	return w.counts, err
}

// beyond says what is not modelled here, or "".
func (s *Subject) beyond(c *certificate.Certificate) string {
	switch {
	case !c.Complete():
		return "it is reduced"
	case len(s.Layout.Names) > 64:
		return "more than 64 procs"
	}
	return ""
}

// scene is one state of a certificate, and a successor under construction.
type scene struct {
	*environment
	finder   *certificate.Finder
	place    int // the number of the state
	state    []uint32
	base     []uint32 // what each successor begins with
	next     []uint32
	left     certificate.Budgets
	mayFail  bool
	progress bool
	bits     []uint64 // reached
	stack    []uint32
	counts   Counts
}

func (s *scene) at(p trace.Proc) *body { return s.body(p, s.state[1+p]) }

// now is a proc in the successor, as far as it is made.
func (s *scene) now(p trace.Proc) *body { return s.body(p, s.next[1+p]) }

// begin begins a successor.
func (s *scene) begin() { copy(s.next, s.base) }

// touch does something to a proc in the successor.
func (s *scene) touch(p trace.Proc, c change) {
	c.configuration = s.next[1+p]
	s.next[1+p] = s.change(p, c)
}

// budget is what is left in the successor.
func (s *scene) budget(b certificate.Budgets) {
	n, ok := s.budgets[string(b.Entry())]
	if !ok {
		n = missing
	}
	s.next[0] = n
}

// spent is what is left behind a move.
func (s *scene) spent(m *move) certificate.Budgets {
	b := s.left
	if !m.fault {
		return b
	}
	switch m.spends {
	case checkpoints:
		b.Checkpoints--
	case suspicions:
		b.Suspicions--
	case duplicates:
		b.Duplicates--
	case refusals:
		b.Refusing--
	}
	return b
}

// remember makes the properties with a memory see the first events of a move.
func (s *scene) remember(m *move, events int) {
	if len(s.monitors) == 0 {
		return
	}
	o := s.remembered(s.state, m.step)
	if events < len(m.seen) {
		o = s.observe(s.state[1+s.procs], m.seen[:events])
	}
	s.next[1+s.procs] = o.next
}

// done looks for the successor.
func (s *scene) done(name string, isFault bool) error {
	s.counts.Transitions++
	s.progress = s.progress || !isFault
	for _, n := range s.next {
		if n == missing {
			return s.lost(name)
		}
	}
	n, ok := s.finder.Find(s.next)
	if !ok {
		return s.lost(name)
	}
	s.reach(n)
	return nil
}

// lost is what is said of a step that leads to none of the states.
func (s *scene) lost(name string) error {
	return s.refuse("state %d: what it leads to is missing: %s", s.place, name)
}

func (s *scene) reach(n int) {
	if bit := uint64(1) << (n & 63); s.bits[n>>6]&bit == 0 {
		s.bits[n>>6] |= bit
		s.stack = append(s.stack, uint32(n))
	}
}

func (s *scene) refuse(why string, args ...any) error {
	return fmt.Errorf("%w: "+why, append([]any{certificate.ErrRefused}, args...)...)
}

// first reaches the initial state: every proc takes its first step, in their order.
func (s *scene) first() error {
	m := &s.Model
	s.budget(certificate.Budgets{Failures: uint8(m.Failures), Checkpoints: uint8(m.Checkpoints),
		Losses: uint8(m.Loss), Duplicates: uint8(m.Duplicates), Suspicions: uint8(m.Suspicions),
		Torn: uint8(m.Torn), Vanishing: uint8(m.Lose), Spoiling: uint8(m.Corrupt),
		Refusing: uint8(m.Full)})
	v := &view{environment: s.environment}
	for p := range trace.Proc(s.procs) {
		v.start = append(v.start, &body{live: true,
			env:   certificate.Env{Up: true, Host: s.firstHost(p)},
			local: certificate.Local{Proc: p, State: s.Blank(p)}})
	}
	var memory []spec.Remembered
	for i := range s.monitors {
		memory = append(memory, s.monitors[i].Begin())
	}
	for p := range trace.Proc(s.procs) {
		b := v.start[p].clone()
		m, err := s.move("starts", b, &Input{Happening: Starts})
		if err != nil {
			return err
		}
		b = b.clone() // a move may keep the one that it has
		if broken := s.beginning(v, m, memory); broken != "" || v.err != nil {
			return cmp.Or(v.err, s.refuse("the start breaks %s", broken))
		}
		v.start[p] = b
		for _, d := range m.sends {
			if d.kind == arrival { // all are up, and nobody is launched
				v.start[d.to].arrive(trace.Proc(d.a), trace.Incarnation(d.b), d.c, &s.Model)
			}
		}
		for _, c := range m.watches {
			if b.unwatch(trace.Proc(c.a)); c.kind == watching {
				b.watch(trace.Proc(c.a), 0)
			}
		}
		if m.exits {
			return fmt.Errorf("%w: %s stops at once", ErrBeyond, m.name)
		}
	}
	for p, b := range v.start {
		s.next[1+p] = s.number(trace.Proc(p), b)
	}
	if len(s.monitors) > 0 {
		s.next[1+s.procs] = s.memoryNumber(memory)
	}
	if n, ok := s.finder.Find(s.next); ok && !slices.Contains(s.next, missing) {
		s.reach(n)
		return nil
	}
	return s.refuse("the initial state is missing")
}

// beginning judges a first step, and makes the properties with a memory remember it.
func (s *scene) beginning(v *view, m *move, memory []spec.Remembered) (broken string) {
	for i := range m.seen {
		e := &m.seen[i].Event
		v.self, v.own = m.proc, m.seen[i].own
		if broken = s.ask(v, e); broken != "" {
			return broken
		}
		for j := range s.monitors {
			p := &s.monitors[j]
			if !p.Sees(e) {
				continue
			}
			if memory[j], broken = p.Observe(s.Facts, memory[j], *e); broken == "" && p.LooksAt(e) {
				broken = p.Look(s.Facts, v, memory[j], *e)
			}
			if broken != "" {
				return p.Name + ": " + broken
			}
		}
	}
	return ""
}

// all takes every step out of every state that is reached.
func (s *scene) all(ctx context.Context) error {
	for len(s.stack) > 0 {
		s.place = int(s.stack[len(s.stack)-1])
		s.stack = s.stack[:len(s.stack)-1]
		if s.counts.States++; s.counts.States%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.cert.States.At(s.place, s.state)
		if err := s.expand(); err != nil {
			return s.placed(err)
		}
		if s.progress {
			continue
		}
		s.counts.Ends++
		broken, err := s.judgeEnd(s.state)
		if broken != "" {
			return s.refuse("state %d: a run that ends there breaks %s", s.place, broken)
		}
		if err != nil {
			return s.placed(err)
		}
	}
	if n := s.cert.States.Len(); s.counts.States < n {
		for i := range n {
			if s.bits[i>>6]>>(i&63)&1 == 0 {
				return s.refuse("state %d can not be reached", i)
			}
		}
	}
	return nil
}

// placed gives what is wrong the place where it is, unless it has one.
func (s *scene) placed(err error) error {
	if errors.Is(err, certificate.ErrRefused) || errors.Is(err, ErrBeyond) ||
		errors.Is(err, context.Canceled) {
		return err
	}
	return s.refuse("state %d: %w", s.place, err)
}

// expand takes every step out of the state at hand.
func (s *scene) expand() (err error) {
	copy(s.base, s.state)
	s.left, s.progress, s.mayFail = s.cert.Tables.Budgets[s.state[0]], false, true
	if s.waits() {
		if s.mayFail = s.left.Over; !s.mayFail {
			if s.mayFail, err = s.calm(); err != nil {
				return err
			}
		}
		if s.mayFail && !s.left.Over {
			s.left.Over = true
			s.next[0] = missing
			s.budget(s.left)
			s.base[0] = s.next[0]
		}
	}
	for p := range trace.Proc(s.procs) {
		for _, may := range []func(trace.Proc) error{s.proc, s.unreliable, s.harms} {
			if err := may(p); err != nil {
				return err
			}
		}
	}
	if n := int(s.left.Failures); n > 0 && s.mayFail {
		if err := s.crashes(0, nil, min(n, s.Model.Together())); err != nil {
			return err
		}
	}
	return s.stops()
}

// proc takes every step of one proc.
func (s *scene) proc(p trace.Proc) error {
	b := s.at(p)
	if b.env.Still > 0 {
		return cmp.Or(s.falls(p), s.erasure(p, b))
	}
	if !b.env.Up {
		return s.restarts(p)
	}
	all, err := s.movesOf(p, s.state[1+p])
	if err != nil {
		return err
	}
	for _, m := range all.list {
		if err := s.take(m); err != nil {
			return err
		}
	}
	if all.checkpoint != nil && s.left.Checkpoints > 0 {
		if err := s.take(all.checkpoint); err != nil {
			return err
		}
	}
	for _, may := range []func(trace.Proc, *body) error{s.tell, s.suspect, s.expire, s.kills} {
		if err := may(p, b); err != nil {
			return err
		}
	}
	return s.channels(p, b)
}

// take takes a move, and the crashes inside it.
func (s *scene) take(m *move) error {
	broken, err := s.judge(s.base, m.step)
	switch {
	case broken != "":
		return s.refuse("state %d: %s breaks %s", s.place, m.name, broken)
	case err != nil || m.ignored:
		return err
	case m.after == missing:
		return s.lost(m.name)
	}
	s.begin()
	s.next[1+m.proc] = m.after
	for _, d := range m.sends {
		if d.kind != launch || !seems(&s.now(d.to).env) {
			s.touch(d.to, d.change)
		}
	}
	for _, c := range m.watches {
		s.touch(m.proc, s.watched(c))
	}
	if m.rolls {
		s.revoke(m.proc)
	}
	if m.fault {
		s.budget(s.spent(m))
	}
	if m.exits {
		s.exit(m)
	}
	s.remember(m, len(m.seen))
	if m.stays && slices.Equal(s.next[1:], s.state[1:]) {
		return nil // nothing at all comes of it
	}
	if err := s.done(m.name, m.fault); err != nil {
		return err
	}
	return s.cutShort(m)
}

// erasure makes the oldest change of a store stable by itself that shows to others: a delete, or
// any of a proc that stands still.
func (s *scene) erasure(p trace.Proc, b *body) error {
	if w := b.env.Writing; !s.Shared || len(w) == 0 || !w[0].Gone && b.env.Still == 0 ||
		!s.readByOthers(p) {
		return nil
	}
	s.begin()
	s.touch(p, change{kind: erasure})
	return s.done(s.Layout.Name(p)+": a change becomes stable", false)
}

// channels ends channels from lives that are over, where only a part of them need arrive, and makes
// a delete stable that shows to others.
func (s *scene) channels(p trace.Proc, b *body) error {
	if err := s.erasure(p, b); err != nil {
		return err
	}
	if s.Model.FromDead != fault.Prefix {
		return nil
	}
	for i, c := range b.inbox {
		if !s.over(c) {
			continue
		}
		s.begin()
		s.touch(p, change{kind: end, a: uint32(i)})
		if err := s.done(s.Layout.Name(p)+": a channel ends", false); err != nil {
			return err
		}
	}
	return nil
}

// readByOthers reports whether somebody is down who will be handed the records of a proc.
func (s *scene) readByOthers(p trace.Proc) bool {
	for q := range trace.Proc(s.procs) {
		if q != p && !s.at(q).env.Up && slices.Contains(s.Owners[q], p) {
			return true
		}
	}
	return false
}
