package level

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/internal/prefetch"
	"github.com/domino-check/domino/checker/shard"
)

// expander explores blocks, one after the other.
type expander struct {
	*library
	name    string // of all that it writes: no other one has it
	written int
	made    int // the number of the system for which the rest is
	attempt uint64
	sent    memory

	x       *checker.Expansion
	digests [][]checker.Digest          // of the numbers of each word; zero = not asked for
	numbers []map[checker.Digest]uint32 // of each word
	base    []uint32
	here    []checker.Digest // of base
	reached []uint32         // vectors of the candidates, one behind the other
	prints  []checker.Digest
	parents []uint32
	known   *prints          // of the candidates
	next    []checker.Digest // the successors of the state at hand
	packer  packer
	last    *states // that were read last: several blocks may be of one object
	lastOf  string
}

// block is what a job asks for.
type block struct {
	Attempt uint64
	Level   int
	Block   int
	Inputs  []span
}

func newExpander(l *library, name string) *expander {
	return &expander{library: l, name: name, sent: newMemory(), known: newPrints(true)}
}

// begin makes the expander one of a head.
func (e *expander) begin(ctx context.Context, h *head) error {
	if err := e.sync(ctx, h); err != nil {
		return err
	}
	if h.Attempt != e.attempt {
		if e.done(e.attempt) || !e.asks(attemptRule) {
			e.sent.keep()
		} else {
			e.sent.forget()
		}
		e.attempt = h.Attempt
	}
	if e.made == e.number {
		return nil
	}
	words := e.sys.Words()
	e.made, e.x = e.number, checker.NewExpansion(words)
	e.base, e.digests = make([]uint32, words), make([][]checker.Digest, words)
	e.here = make([]checker.Digest, words)
	e.numbers = nil
	for range words {
		e.numbers = append(e.numbers, map[checker.Digest]uint32{})
	}
	return nil
}

// digest is that of a number of a word.
func (e *expander) digest(word int, number uint32) checker.Digest {
	list := e.digests[word]
	if int(number) < len(list) && list[number] != (checker.Digest{}) {
		return list[number]
	}
	if int(number) >= len(list) {
		list = append(list, make([]checker.Digest, int(number)+1-len(list))...)
		e.digests[word] = list
	}
	list[number] = e.sys.Digest(word, number)
	return list[number]
}

// explore explores a block and writes what it owns. Without ok somebody else has done it, or the
// level is another one by now.
func (e *expander) explore(ctx context.Context, d shard.Delivery, h *head, b *block) (err error) {
	if err := e.begin(ctx, h); err != nil {
		return err
	}
	r := report{Tallies: make([]tally, e.Partitions)}
	e.reached, e.prints, e.parents = e.reached[:0], e.prints[:0], e.parents[:0]
	e.known.clear()
	at := uint32(0)
	for _, in := range b.Inputs {
		if err := e.expandSpan(ctx, in, at, &r); err != nil {
			if ctx.Err() == nil && !errors.Is(err, shard.ErrCrashed) {
				err = fmt.Errorf("%w: %w", errBlock, err)
			}
			return err
		}
		at += uint32(in.To - in.From)
	}
	if err := e.sys.Ended(); err != nil {
		r.Ended = err.Error()
	}
	if err := d.Working(ctx); err != nil {
		return err
	}
	owned, err := e.ask(ctx, h, b, &r)
	if err != nil {
		return err
	}
	o, data := e.object(b, &r, owned)
	if err := e.Blobs.Put(ctx, o.Name, data); err != nil {
		if ctx.Err() == nil && !errors.Is(err, shard.ErrCrashed) {
			err = fmt.Errorf("%w: %w", errFull, err)
		}
		return err
	}
	key := fmt.Sprintf("%s%d", e.results(b.Attempt), b.Block)
	if _, err := e.Engine.Create(ctx, key, encode(o)); err != nil {
		return err // perhaps it is there: then nothing is known of whose it is
	}
	for _, i := range owned {
		e.sent.settle(e.prints[i])
	}
	return nil
}

// Errors of a block that somebody else will not be spared, either.
var (
	errBlock = errors.New("the block can not be explored") // of what it consists of
	errFull  = errors.New("what it owns can not be written")
)

// expandSpan expands states of an object, of which the first one has the place in the block.
func (e *expander) expandSpan(ctx context.Context, in span, at uint32, r *report) error {
	s, err := e.states(ctx, in.Object)
	if err != nil {
		return err
	}
	if in.From < 0 || in.To > s.len() || in.From > in.To {
		return fmt.Errorf("object %s has no states [%d, %d)", in.Object.Name, in.From, in.To)
	}
	table := make([][]uint32, len(e.base)) // the numbers of the digests, as far as they are used
	for w := range table {
		table[w] = make([]uint32, len(s.table[w]))
	}
	for i := in.From; i < in.To; i++ {
		var print checker.Digest
		for w := range e.base {
			place := s.columns[w][i]
			d := s.table[w][place]
			print, e.here[w] = print.Add(d), d
			if table[w][place] == 0 {
				number, err := e.numberOf(w, d)
				if err != nil {
					return fmt.Errorf("object %s: %w", in.Object.Name, err)
				}
				table[w][place] = number + 1
			}
			e.base[w] = table[w][place] - 1
		}
		if i%checker.LookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e.expand(print, at+uint32(i-in.From), place{in.Object, i}, r)
	}
	return nil
}

// states are those of an object.
func (e *expander) states(ctx context.Context, at object) (*states, error) {
	if e.lastOf != "" && e.lastOf == at.Name {
		return e.last, nil
	}
	o, err := e.open(ctx, at)
	if err != nil {
		return nil, err
	}
	s, err := o.states(ctx, len(e.base))
	if err == nil {
		e.last, e.lastOf = s, at.Name
	}
	return s, err
}

// numberOf is the number of what has a digest.
func (e *expander) numberOf(word int, d checker.Digest) (uint32, error) {
	if number, ok := e.numbers[word][d]; ok {
		return number, nil
	}
	number, err := e.sys.Number(word, d, e.find)
	if err == nil {
		e.numbers[word][d] = number
	}
	return number, err
}

// expand expands the state at hand.
func (e *expander) expand(print checker.Digest, parent uint32, at place, r *report) {
	x := e.x
	e.sys.Expand(e.base, e.Options.Reduce, x)
	r.States++
	r.Transitions += len(x.Steps)
	r.Saved.Add(x.LeftOut)
	if x.Reduced {
		r.Saved.Singletons++
	}
	if !x.Progress() {
		r.Terminals++
		if v := e.sys.Terminal(e.base); v != 0 {
			r.find(e.sys, v, finding{At: at, Print: print})
		}
	}
	e.next = e.next[:0]
	for i := range x.Steps {
		next := e.successor(print, i)
		prefetch.Line(&e.sent.slot(next).print.Lo)
		prefetch.Line(&e.known.slots[e.known.home(next)].Lo)
		e.next = append(e.next, next)
	}
	for i, next := range e.next {
		if v := x.Steps[i].Violation; v != 0 {
			r.find(e.sys, v, finding{At: at, Print: print, Next: next, Stepped: true})
			continue // nothing is explored beyond a violation
		}
		if e.sent.certain(next, e.asks(dropRule)) {
			continue
		}
		if _, fresh := e.known.add(next, 0); fresh {
			e.reached = x.State(i, e.reached)
			e.prints, e.parents = append(e.prints, next), append(e.parents, parent)
		}
	}
}

// find keeps a finding.
func (r *report) find(sys checker.System, number int, f finding) {
	v := sys.Violation(number)
	f.Property, f.Message, f.Step = v.Property, v.Message, v.Step
	r.Findings = append(r.Findings, f)
}

// successor is the fingerprint of a successor of a state with the fingerprint.
func (e *expander) successor(print checker.Digest, i int) checker.Digest {
	deltas := e.x.Deltas(i)
	for j, d := range deltas {
		if changes(deltas[j+1:], d.Word) {
			continue // it changes again
		}
		if e.base[d.Word] != d.Value {
			print = print.Sub(e.here[d.Word]).Add(e.digest(d.Word, d.Value))
		}
	}
	return print
}

// changes reports whether one of the deltas is of a word.
func changes(deltas []checker.Delta, word int) bool {
	for i := range deltas {
		if deltas[i].Word == word {
			return true
		}
	}
	return false
}

// ask asks the keepers which of the candidates the block owns: places, ascending.
func (e *expander) ask(ctx context.Context, h *head, b *block, r *report) (owned []int, err error) {
	order, mine := e.byPartition(e.prints), make([]bool, len(e.prints))
	for from := 0; from < len(order); {
		life := h.keeperOf(e.partition(e.prints[order[from]]))
		question := make([]byte, 1, 1+ownHeader+min(len(order)-from, mostAsked)*checker.DigestBytes)
		question[0] = toOwn
		question = binary.BigEndian.AppendUint64(question, b.Attempt)
		question = binary.BigEndian.AppendUint32(question, uint32(b.Block))
		to := from
		for ; to < len(order) && to-from < mostAsked &&
			h.keeperOf(e.partition(e.prints[order[to]])) == life; to++ {
			question = e.prints[order[to]].Append(question)
		}
		asked, stop := context.WithTimeout(ctx, answerTime)
		bits, err := e.Engine.Request(asked, e.keeper(life), question)
		stop()
		if err != nil {
			return nil, err
		}
		if len(bits) != (to-from+7)/8 {
			return nil, fmt.Errorf("keeper %s: %d bytes for %d fingerprints", life, len(bits),
				to-from)
		}
		r.Asked += int64(len(question) + len(bits))
		for i, n := range order[from:to] {
			e.sent.note(e.prints[n])
			if bits[i/8]>>(i%8)&1 != 0 {
				mine[n] = true
			}
		}
		from = to
	}
	for n, is := range mine {
		if is {
			owned = append(owned, n)
		}
	}
	return owned, nil
}

// byPartition are the places of fingerprints, those of a partition together.
func (c *Config) byPartition(prints []checker.Digest) []int {
	next := make([]int, c.Partitions+1)
	for _, d := range prints {
		next[c.partition(d)+1]++
	}
	for p := range c.Partitions {
		next[p+1] += next[p]
	}
	order := make([]int, len(prints))
	for i, d := range prints {
		p := c.partition(d)
		order[next[p]] = i
		next[p]++
	}
	return order
}

// mostAsked is how many fingerprints a question has at most.
const mostAsked = 1 << 18

// object makes the object of what the block owns.
func (e *expander) object(b *block, r *report, owned []int) (object, []byte) {
	words := len(e.base)
	s := &states{words: words, table: make([][]checker.Digest, words),
		columns: make([][]uint32, words)}
	places := make([][]uint32, words) // by number: the place in the table, plus 1
	for w := range places {
		places[w] = make([]uint32, len(e.digests[w]))
	}
	h := header{Search: e.ID, Level: b.Level + 1, Attempt: b.Attempt, Block: b.Block,
		Inputs: b.Inputs, Prints: make([]int, e.Partitions)}
	prints := make([]checker.Digest, 0, len(owned))
	var contents []content
	told := map[checker.Digest]bool{}
	known := func(d checker.Digest) bool { return told[d] || e.has(d) }
	tell := func(d checker.Digest, b []byte) {
		told[d] = true
		contents = append(contents, content{d, b})
	}
	for _, n := range owned {
		prints = append(prints, e.prints[n])
		s.parents = append(s.parents, e.parents[n])
		for w, number := range e.reached[n*words : (n+1)*words] {
			if int(number) >= len(places[w]) {
				e.digest(w, number) // as far as there are digests
				places[w] = append(places[w], make([]uint32, len(e.digests[w])-len(places[w]))...)
			}
			place := &places[w][number]
			if *place == 0 {
				s.table[w] = append(s.table[w], e.digest(w, number))
				*place = uint32(len(s.table[w]))
				e.sys.Contents(w, number, known, tell)
			}
			s.columns[w] = append(s.columns[w], *place-1)
		}
	}
	sorted := make([]checker.Digest, len(prints))
	for i, n := range e.byPartition(prints) {
		d := prints[n]
		sorted[i] = d
		h.Prints[e.partition(d)]++
		r.Tallies[e.partition(d)].add(d)
	}
	e.tell(r)
	o, data := e.packer.build(h, s, contents, r, sorted)
	o.Name = fmt.Sprintf("%s/objects/%d-%d-%s-%d", e.ID, b.Attempt, b.Block, e.name, e.written)
	e.written++
	return o, data
}

// tell puts into a report what runs have shown besides states.
func (e *expander) tell(r *report) {
	shown := e.sys.Shown()
	r.Seen, r.Answer = shown.Seen, shown.Answer
	for key, value := range shown.Witnesses {
		r.Witnesses = append(r.Witnesses, pairing{[]byte(key), []byte(value)})
	}
	steps, states := e.news()
	r.Steps, r.Locals = joined(steps), joined(states)
}
