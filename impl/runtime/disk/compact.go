package disk

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// replaceLog writes a log with the live entries alone beside the old one and renames it into its
// place. A crash leaves the one or the other; so does a lack of room (ErrFull).
func (s *Store) replaceLog() error {
	name := s.name(newLogName)
	f, err := s.files.Create(name)
	if err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	c, err := s.rewrite(f)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = s.files.Rename(name, s.name(logName))
	}
	if err != nil {
		return full(fmt.Errorf("disk: %s: %w", name, err),
			errors.Join(f.Close(), s.files.Remove(name)))
	}
	old := s.log
	s.log, s.c, s.written = f, c, c.end
	if old != nil {
		if err := old.Close(); err != nil {
			return fmt.Errorf("disk: %s: %w", s.name(logName), err)
		}
	}
	if err := s.files.SyncDir(s.dir); err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	return nil
}

// rewrite fills a new log.
func (s *Store) rewrite(f File) (*contents, error) {
	c := &contents{live: map[string]entry{}, torn: s.c.torn, end: firstEntry}
	for _, e := range slices.SortedFunc(maps.Values(s.c.live), func(a, b entry) int {
		return int(a.sequence - b.sequence)
	}) {
		b := e.appendTo(nil)
		place := c.end + int64(len(b))
		if e.kind == putInline {
			value, err := fetch(s.files, s.dir, s.id, s.log, e)
			if err != nil {
				return nil, err
			}
			b = append(b, value...)
		}
		if _, err := f.WriteAt(b, c.end); err != nil {
			return nil, err
		}
		e.place = place
		c.apply(e)
	}
	// Numbers of entries that are gone are not used again: one may still be the name of a file.
	c.next, c.slot = s.c.next, slot{s.c.slot.count + 1, c.end}
	for i := range uint64(2) {
		before := slot{c.slot.count - i, c.end}
		if _, err := f.WriteAt(before.encode(), before.place()); err != nil {
			return nil, err
		}
	}
	_, err := f.WriteAt(head(logMagic, s.id, [3]uint64{c.next}), 0)
	return c, err
}
