package level

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/domino-check/domino/checker"
)

// keeper knows the fingerprints of some partitions: those of the committed levels, and those of the
// open one, each with the block that has named it first. It is in the memory of one life of a
// process, and answers for one attempt at a time: whoever takes over knows nothing of an open one.
type keeper struct {
	*Config
	ctx     context.Context
	mu      sync.Mutex
	attempt uint64
	open    bool   // the attempt may still be asked about
	record  string // that all in visited is of
	parts   map[int]*part
	loading bool // it reads what was visited, and answers nothing else
	failed  error
	group   sync.WaitGroup // of who reads
}

// part is a partition.
type part struct {
	visited *prints
	named   *prints // in the attempt; the number is the block
}

// What a keeper is asked.
const (
	toPrepare = 'p'
	toOwn     = 'o'
	toClose   = 'c'
	toSay     = 's' // that it is there
)

// preparation makes a keeper that of partitions in an attempt; asking again changes nothing.
type preparation struct {
	Attempt uint64
	Record  string
	Parts   []int
}

// closing ends the questions of an attempt.
type closing struct{ Attempt uint64 }

// closed is what a keeper was asked about, and what it takes.
type closed struct {
	Named []tally // of each of its partitions, in their order
	Bytes int64
}

var errOtherAttempt = errors.New("it is not in that attempt")

// notYet is the answer of a keeper that still reads: it is to be asked again. So nobody waits long
// for one that was killed meanwhile.
const notYet = "not yet"

// answer answers a question.
func (k *keeper) answer(question []byte) ([]byte, error) {
	if len(question) == 0 {
		return nil, errors.New("an empty question")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	kind, rest := question[0], question[1:]
	switch {
	case k.loading && kind == toPrepare:
		return []byte(notYet), nil
	case k.loading && kind != toSay:
		return nil, errOtherAttempt
	case k.loading:
		return nil, nil
	}
	switch kind {
	case toOwn:
		return k.own(rest)
	case toPrepare:
		var p preparation
		if err := decode("a preparation", rest, &p); err != nil {
			return nil, err
		}
		return k.prepare(p)
	}
	var c closing
	if err := decode("the name of an attempt", rest, &c); err != nil {
		return nil, err
	}
	if c.Attempt != k.attempt {
		return nil, errOtherAttempt
	}
	if kind == toSay {
		return nil, nil
	}
	return encode(k.close()), nil
}

// prepare makes the keeper that of the partitions: what the record says was visited, all of it, and
// nothing else.
func (k *keeper) prepare(p preparation) (answer []byte, err error) {
	if err := k.failed; err != nil {
		k.failed, k.attempt = nil, 0 // it is prepared by another question, or not at all
		return nil, err
	}
	switch {
	case p.Attempt < k.attempt:
		return nil, errOtherAttempt
	case p.Attempt > k.attempt:
		if err := k.turn(p.Record); err != nil {
			return nil, err
		}
		k.attempt, k.open = p.Attempt, true
	}
	parts := map[int]*part{}
	var missing []int
	for _, n := range p.Parts {
		if parts[n] = k.parts[n]; parts[n] == nil {
			parts[n] = &part{visited: newPrints(false), named: newPrints(true)}
			missing = append(missing, n)
		}
	}
	if len(missing) == 0 {
		k.parts = parts
		return nil, nil
	}
	k.loading = true
	k.group.Go(func() {
		err := k.load(parts, missing)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.loading, k.failed = false, err; err == nil {
			k.parts = parts
		}
	})
	return []byte(notYet), nil
}

// turn makes what was visited that of a record: the level that was open becomes part of it if it is
// the one that was committed, and counts for nothing else.
func (k *keeper) turn(name string) error {
	if name == k.record {
		for _, p := range k.parts {
			p.named.clear()
		}
		return nil
	}
	r, err := k.readRecord(k.ctx, name)
	if err != nil {
		return err
	}
	if r.Previous != k.record || r.Attempt != k.attempt {
		k.parts, k.record = nil, name
		return nil
	}
	for n, p := range k.parts {
		p.named.all(func(d checker.Digest) { p.visited.add(d, 0) })
		p.named = newPrints(true)
		if p.visited.tally() != r.Tallies[n] && k.asks(sumRule) {
			k.parts = nil // what is here is not what was committed
			break
		}
	}
	k.record = name
	return nil
}

// load reads what was visited of partitions, of which the keeper knows nothing.
func (k *keeper) load(parts map[int]*part, missing []int) error {
	if len(missing) == 0 {
		return nil
	}
	list, err := k.chain(k.ctx, k.record, "")
	if err != nil {
		return err
	}
	for _, r := range list {
		for _, o := range r.Frontier {
			in, err := k.Config.open(k.ctx, o)
			if err != nil {
				return err
			}
			for i := 0; i < len(missing); {
				from, to := missing[i], missing[i]+1
				for i++; i < len(missing) && missing[i] == to; i++ {
					to++
				}
				if err := in.prints(k.ctx, from, to, func(d checker.Digest) {
					if p := parts[k.partition(d)]; p != nil {
						p.visited.add(d, 0)
					}
				}); err != nil {
					return err
				}
			}
		}
	}
	for _, n := range missing {
		if got, want := parts[n].visited.tally(), list[len(list)-1].Tallies[n]; got != want &&
			k.asks(sumRule) {
			return fmt.Errorf("partition %d: %+v are in the levels, want %+v", n, got, want)
		}
	}
	return nil
}

// ownHeader is how many bytes a question has before the fingerprints: attempt and block.
const ownHeader = 12

// own says of each fingerprint whether the block owns it: one bit each. It owns what no level has,
// and no other block has named before.
func (k *keeper) own(q []byte) ([]byte, error) {
	if len(q) < ownHeader || len(q)%checker.DigestBytes != ownHeader {
		return nil, fmt.Errorf("a question of %d bytes", len(q))
	}
	attempt, block := binary.BigEndian.Uint64(q), binary.BigEndian.Uint32(q[8:])
	if attempt != k.attempt || !k.open {
		return nil, errOtherAttempt
	}
	q = q[ownHeader:]
	bits := make([]byte, (len(q)/checker.DigestBytes+7)/8)
	var p *part
	for i, at := 0, -1; len(q) > 0; i, q = i+1, q[checker.DigestBytes:] {
		d := checker.ReadDigest(q)
		if n := k.partition(d); n != at { // those of a partition come together
			if p, at = k.parts[n], n; p == nil {
				return nil, fmt.Errorf("partition %d is not here", n)
			}
		}
		if p.visited.has(d) {
			continue
		}
		if owner, _ := p.named.add(d, block); owner == block {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits, nil
}

// close ends the attempt: no question comes behind what is counted.
func (k *keeper) close() (c closed) {
	k.open = false
	for n := range k.Partitions {
		if p := k.parts[n]; p != nil {
			c.Named = append(c.Named, p.named.tally())
			c.Bytes += p.visited.bytes() + p.named.bytes()
		}
	}
	return c
}
