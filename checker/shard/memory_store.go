package shard

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"
)

// errFixed says that a result stays as it is.
var errFixed = errors.New("a result is not changed")

// entry is a value in the memory, or the grave of one.
type entry struct {
	Entry
	ends time.Time // of a lease; zero = never
}

// kind is the first word of a key.
func kind(key string) string {
	word, _, _ := strings.Cut(key, ".")
	return word
}

// put writes a value, or its end. The lock is held.
func (m *Memory) put(key string, value []byte, gone bool) uint64 {
	m.last++
	e := &entry{Entry: Entry{Key: key, Value: slices.Clone(value), Revision: m.last, Gone: gone}}
	if kind(key) == Lease && !gone {
		e.ends = time.Now().Add(LeaseTime)
	}
	m.entries[key] = e
	m.notify()
	return m.last
}

// expire ends leases whose time has come. The lock is held.
func (m *Memory) expire() {
	now := time.Now()
	for key, e := range m.entries {
		if !e.ends.IsZero() && !e.ends.After(now) {
			m.put(key, nil, true)
		}
	}
}

// Create is that of Store.
func (p *Process) Create(ctx context.Context, key string, value []byte) (revision uint64,
	err error) {
	if err := CheckEntry(key, value); err != nil {
		return 0, err
	}
	err = p.call(ctx, "create", func() error {
		if e := p.entries[key]; e != nil && !e.Gone {
			return ErrExists
		}
		revision = p.put(key, value, false)
		return nil
	})
	return revision, err
}

// Get is that of Store.
func (p *Process) Get(ctx context.Context, key string) (got Entry, err error) {
	err = p.call(ctx, "get", func() error {
		e := p.entries[key]
		if e == nil || e.Gone {
			return ErrMissing
		}
		got = e.copy()
		return nil
	})
	return got, err
}

func (e *entry) copy() Entry {
	c := e.Entry
	c.Value = slices.Clone(c.Value)
	return c
}

// change does what needs a value that has the revision.
func (p *Process) change(ctx context.Context, operation, key string, revision uint64,
	do func()) error {
	return p.call(ctx, operation, func() error {
		e := p.entries[key]
		switch {
		case kind(key) == Result:
			return errFixed
		case e == nil || e.Gone || e.Revision != revision:
			return ErrConflict
		}
		do()
		return nil
	})
}

// Update is that of Store.
func (p *Process) Update(ctx context.Context, key string, value []byte, revision uint64) (
	next uint64, err error) {
	if err := CheckEntry(key, value); err != nil {
		return 0, err
	}
	err = p.change(ctx, "update", key, revision, func() { next = p.put(key, value, false) })
	return next, err
}

// Delete is that of Store.
func (p *Process) Delete(ctx context.Context, key string, revision uint64) error {
	return p.change(ctx, "delete", key, revision, func() { p.put(key, nil, true) })
}

// List is that of Store.
func (p *Process) List(ctx context.Context, prefix string) (list []Entry, err error) {
	if err := CheckPrefix(prefix); err != nil {
		return nil, err
	}
	err = p.call(ctx, "list", func() error {
		for _, e := range p.after(prefix, 0) {
			if !e.Gone {
				list = append(list, e)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return list, err
}

// after is what has changed since a revision, in the order of revisions. The lock is held.
func (m *Memory) after(prefix string, revision uint64) (list []Entry) {
	for key, e := range m.entries {
		if strings.HasPrefix(key, prefix) && e.Revision > revision {
			list = append(list, e.copy())
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Revision, b.Revision) })
	return list
}

// Watch is that of Store.
func (p *Process) Watch(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := CheckPrefix(prefix); err != nil {
			yield(Entry{}, err)
			return
		}
		for seen := uint64(0); ; {
			var news []Entry
			if err := p.call(ctx, "watch", func() (err error) {
				for news = p.after(prefix, seen); len(news) == 0 && err == nil; {
					err = p.wait(ctx, p.nextEnd(prefix))
					news = p.after(prefix, seen)
				}
				return err
			}); err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range news {
				first := seen == 0 && e.Gone // it was gone before
				if seen = e.Revision; !first && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// nextEnd is when the next lease ends. The lock is held.
func (m *Memory) nextEnd(prefix string) (until time.Time) {
	for key, e := range m.entries {
		if strings.HasPrefix(key, prefix) {
			until = sooner(until, e.ends)
		}
	}
	return until
}

// Forget is that of Store.
func (p *Process) Forget(ctx context.Context, kind, campaign string) error {
	prefix := kind + "." + campaign + "."
	if err := CheckPrefix(prefix); err != nil {
		return err
	}
	return p.call(ctx, "forget", func() error {
		for key, e := range p.entries {
			if strings.HasPrefix(key, prefix) && !e.Gone {
				p.put(key, nil, true)
			}
		}
		return nil
	})
}
