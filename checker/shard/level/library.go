package level

import (
	"context"
	"slices"

	"github.com/domino-check/domino/checker"
)

// library is what a worker knows of the committed levels.
type library struct {
	*Config
	sys       checker.Portable
	number    int // of the system: another one begins anew
	shown     checker.Shown
	record    string // up to which everything below is known
	attempts  map[uint64]bool
	contents  map[checker.Digest][]byte
	committed map[checker.Digest]struct{} // local steps and states
	met       [2]int                      // of the system, and of these
	pending   [2][]checker.Digest         // those that are not committed
}

func newLibrary(c *Config) (*library, error) {
	l := &library{Config: c, attempts: map[uint64]bool{}, contents: map[checker.Digest][]byte{},
		committed: map[checker.Digest]struct{}{}}
	return l, l.begin()
}

// begin makes a system that knows nothing but what runs have shown.
func (l *library) begin() (err error) {
	if l.sys, err = l.Make(); err != nil {
		return err
	}
	l.sys.Learn(l.shown) // there is nothing with which it could disagree
	l.number++
	l.met, l.pending = [2]int{}, [2][]checker.Digest{}
	return nil
}

// sync reads what was committed up to the record of a head.
func (l *library) sync(ctx context.Context, h *head) error {
	if err := l.read(ctx, h.Record); err != nil {
		return err
	}
	l.shown.Merge(shownOf(nil, "", h.Witnesses))
	if !l.sys.Learn(l.shown) {
		return l.begin()
	}
	return nil
}

// read reads the records that are new.
func (l *library) read(ctx context.Context, name string) error {
	news, err := l.chain(ctx, name, l.record)
	if err != nil {
		return err
	}
	for _, r := range news {
		for _, o := range r.Frontier {
			in, err := l.open(ctx, o)
			if err != nil {
				return err
			}
			list, err := in.contents(ctx)
			if err != nil {
				return err
			}
			for _, c := range list {
				l.contents[c.digest] = c.bytes
			}
		}
		l.attempts[r.Attempt] = true
		for _, d := range slices.Concat(digests(r.Steps), digests(r.Locals)) {
			l.committed[d] = struct{}{}
		}
	}
	if len(news) > 0 {
		l.record, l.shown = name, news[len(news)-1].shown()
	}
	return nil
}

// has reports whether a content is known everywhere.
func (l *library) has(d checker.Digest) bool {
	_, ok := l.contents[d]
	return ok
}

// find looks for a content.
func (l *library) find(d checker.Digest) ([]byte, bool) {
	b, ok := l.contents[d]
	return b, ok
}

// done reports whether an attempt was the one that was committed.
func (l *library) done(attempt uint64) bool {
	return l.attempts[attempt]
}

// news are the local steps and states that this process has met and no committed level tells of.
func (l *library) news() (steps, states []checker.Digest) {
	var more [2][]checker.Digest
	more[0], more[1] = l.sys.Met(l.met[0], l.met[1])
	for i := range more {
		l.met[i] += len(more[i])
		l.pending[i] = slices.DeleteFunc(append(l.pending[i], more[i]...),
			func(d checker.Digest) bool {
				_, there := l.committed[d]
				return there
			})
	}
	return slices.Clone(l.pending[0]), slices.Clone(l.pending[1])
}
