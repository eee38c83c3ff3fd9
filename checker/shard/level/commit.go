package level

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard"
)

// commit makes what the blocks have written the next frontier, if that is what the keepers were
// asked about, all of it and nothing else.
func (l *lead) commit(ctx context.Context, objects []object) error {
	named, err := l.close(ctx)
	if err != nil {
		return err
	}
	next := record{Level: l.head.Level, Attempt: l.head.Attempt, Previous: l.name,
		Tallies: slices.Clone(l.record.Tallies), Stats: l.record.Stats,
		Findings: slices.Clone(l.record.Findings), Seen: l.record.Seen, Answer: l.record.Answer,
		Witnesses: l.record.Witnesses}
	next.Stats.Depth = l.head.Level
	written := make([]tally, l.Partitions)
	shown := l.record.shown()
	met := map[checker.Digest]bool{}
	var conflicts []string
	for _, o := range objects {
		in, err := l.open(ctx, o)
		if err != nil {
			return err
		}
		r, err := in.report(ctx)
		if err != nil {
			return err
		}
		if r.Ended != "" && len(r.Findings) == 0 {
			return fmt.Errorf("level %d: %s", l.head.Level, r.Ended)
		}
		if len(r.Tallies) != l.Partitions {
			return fmt.Errorf("object %s: it has %d partitions", o.Name, len(r.Tallies))
		}
		for n, t := range r.Tallies {
			written[n].join(t)
		}
		conflicts = append(conflicts, shown.Merge(shownOf(r.Seen, r.Answer, r.Witnesses))...)
		l.count(&next, o, &r, met)
		l.keep(&next, &r, l.head.Level)
	}
	if !slices.Equal(named, written) && l.asks(sumRule) {
		return fmt.Errorf("%w: what was written is not what keepers were asked about", errAgain)
	}
	for n := range written {
		next.Tallies[n].join(written[n])
	}
	next.Stats.Again += l.again
	next.Stats.Milliseconds = l.before + time.Since(l.began).Milliseconds()
	next.Seen, next.Answer, next.Witnesses = shown.Seen, shown.Answer, pairings(shown.Witnesses)
	if len(conflicts) > 0 {
		return l.settle(conflicts, shown)
	}
	return l.publish(ctx, &next)
}

// close ends the questions of the attempt; it returns what was asked about, by partition.
func (l *lead) close(ctx context.Context) ([]tally, error) {
	named, bytes := make([]tally, l.Partitions), int64(0)
	name := encode(closing{l.head.Attempt})
	err := l.each(ctx, answerTime, func(string) []byte {
		return append([]byte{toClose}, name...)
	}, func(life string, data []byte) error {
		var c closed
		if err := decode("the answer of keeper "+life, data, &c); err != nil {
			return err
		}
		bytes += c.Bytes
		for n := range l.Partitions {
			if l.head.keeperOf(n) != life {
				continue
			}
			if len(c.Named) == 0 {
				return fmt.Errorf("keeper %s does not keep partition %d", life, n)
			}
			named[n], c.Named = c.Named[0], c.Named[1:]
		}
		return nil
	})
	l.bytes = bytes
	return named, err
}

// count adds what a block has come to.
func (l *lead) count(next *record, o object, r *report, met map[checker.Digest]bool) {
	t := &next.Stats
	t.States, t.Transitions = t.States+r.States, t.Transitions+r.Transitions
	t.Terminals += r.Terminals
	t.Saved.Add(r.Saved)
	t.Asked, t.Written = t.Asked+r.Asked, t.Written+int64(o.Bytes)
	next.Frontier = append(next.Frontier, o)
	add := func(to *[]byte, count *int, list []checker.Digest) {
		for _, d := range list {
			if _, old := l.met[d]; !old && !met[d] {
				met[d] = true
				*to = d.Append(*to)
				*count++
			}
		}
	}
	add(&next.Steps, &t.Steps, digests(r.Steps))
	add(&next.Locals, &t.Locals, digests(r.Locals))
}

// keep keeps of each property the shortest run, and of those always the same one.
func (l *lead) keep(next *record, r *report, level int) {
	for _, f := range r.Findings {
		if l.Options.Only != "" && f.Property != l.Options.Only {
			continue
		}
		i := slices.IndexFunc(next.Findings, func(g leveled) bool {
			return g.Property == f.Property
		})
		if i < 0 {
			next.Findings = append(next.Findings, leveled{f, level})
			continue
		}
		if had := &next.Findings[i]; (&leveled{f, level}).compare(had) < 0 {
			*had = leveled{f, level}
		}
	}
}

// settle makes what two processes have seen differently a violation: the level is done again, and
// all know one value of each such key before it begins. So who sees another one finds it broken.
func (l *lead) settle(conflicts []string, shown checker.Shown) error {
	for _, key := range conflicts {
		l.decided = append(l.decided, pairing{[]byte(key), []byte(shown.Witnesses[key])})
	}
	return fmt.Errorf("%w: two processes have seen different things", errAgain)
}

// publish makes a record that of the last committed level.
func (l *lead) publish(ctx context.Context, next *record) error {
	name := fmt.Sprintf("%s/records/%d-%s", l.ID, next.Attempt, l.Life)
	if err := l.Blobs.Put(ctx, name, encode(next)); err != nil {
		if ctx.Err() == nil && !errors.Is(err, shard.ErrCrashed) {
			l.bound = fmt.Sprintf("level %d: %v", l.head.Level, err)
		}
		return err
	}
	h := l.head
	h.Record, h.Level, h.Witnesses = name, l.head.Level+1, nil
	h.Over = next.waiting() == 0 || len(next.Findings) > 0 && !l.Options.All
	if err := l.set(ctx, h); err != nil {
		return err
	}
	for _, d := range slices.Concat(digests(next.Steps), digests(next.Locals)) {
		l.met[d] = struct{}{}
	}
	l.name, l.record, l.again, l.decided = name, next, 0, nil
	l.show()
	return nil
}

// show shows how far the search is.
func (l *lead) show() {
	if l.Options.Progress != nil {
		l.Options.Progress(l.stats())
	}
}

// pairings are witnesses in the order of their keys.
func pairings(of map[string]string) (list []pairing) {
	for key, value := range of {
		list = append(list, pairing{[]byte(key), []byte(value)})
	}
	slices.SortFunc(list, func(a, b pairing) int { return slices.Compare(a.Key, b.Key) })
	return list
}
