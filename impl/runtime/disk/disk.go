package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// The files of a store.
const (
	logName     = "log"
	newLogName  = "log.new"
	valuePrefix = "value-"
	lockName    = "lock"
	readersName = "readers"
)

// Sizes that decide how the store works; they are fields of a Store so that tests reach every path
// with few bytes.
const (
	largeBytes   = 64 << 10 // values from here on get a file of their own
	extentBytes  = 256 << 10
	garbageBytes = 4 << 20
)

// Store is the stable storage of one proc. It is for one goroutine at a time.
type Store struct {
	files   Files
	dir     string
	id      Identity
	lock    io.Closer
	log     File
	c       *contents
	written int64   // length of the file: space behind the end is there, and zero
	batch   []byte  // entries since the last commit, encoded
	queued  []entry // the same, in order
	values  bool    // some of them name new files
	err     error   // the first failure; it stays
	zeros   []byte
	spoiled bool // the environment may damage values

	large, extent, garbage int64
}

// Open opens the store of a proc, and makes it if there is none. It fails with ErrLocked when it is
// open already, with ErrOtherRun when it belongs to another run or proc, with ErrVersion or
// ErrCorrupt when it can not be read. What a crash has cut is cleared away.
func Open(files Files, dir string, id Identity) (*Store, error) {
	return open(files, dir, id, func(*Store) {})
}

// OpenSmall is Open, of a store that keeps all but the smallest values in files of their own and
// writes its log anew for little garbage: so the few bytes of a short run reach every path.
func OpenSmall(files Files, dir string, id Identity) (*Store, error) {
	return open(files, dir, id, func(s *Store) { s.large, s.extent, s.garbage = 48, 512, 512 })
}

// open opens a store with what is special about it.
func open(files Files, dir string, id Identity, special func(*Store)) (*Store, error) {
	if len(id.Run) > MaxRun || id.Run == "" {
		return nil, fmt.Errorf("disk: %s: the run is named %q, want 1 to %d bytes", dir, id.Run,
			MaxRun)
	}
	if err := files.Make(dir); err != nil {
		return nil, fmt.Errorf("disk: %w", err)
	}
	s := &Store{files: files, dir: dir, id: id, large: largeBytes, extent: extentBytes,
		garbage: garbageBytes}
	special(s)
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	return s, nil
}

// open takes the lock, reads the log and clears away what is not part of the store.
func (s *Store) open() (err error) {
	readers, err := s.files.Lock(s.name(readersName), true, true)
	if err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	defer func() { err = errors.Join(err, readers.Close()) }()
	if s.lock, err = s.files.Lock(s.name(lockName), true, false); err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	names, err := s.files.List(s.dir)
	if err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	if fresh(names) {
		s.c = &contents{live: map[string]entry{}, next: 1, end: firstEntry}
		return s.replaceLog()
	}
	if s.log, err = s.files.Open(s.name(logName), true); err != nil {
		return fmt.Errorf("disk: %w", missing(err))
	}
	if s.c, err = load(s.files, s.dir, s.id, s.log, true); err != nil {
		return err
	}
	return s.clear(names)
}

// fresh reports whether nothing was ever stable in a folder: the log is renamed into place before
// there is anything else.
func fresh(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		return n == logName || strings.HasPrefix(n, valuePrefix)
	})
}

// clear makes the rest of the log free space, says how far it is valid, and removes files that no
// entry names.
func (s *Store) clear(names []string) error {
	known := map[string]bool{}
	for _, e := range s.c.live {
		if e.kind == putFile {
			known[filepath.Base(valueName(s.dir, e.sequence))] = true
		}
	}
	for _, name := range names {
		if name == newLogName || strings.HasPrefix(name, valuePrefix) && !known[name] {
			if err := s.files.Remove(s.name(name)); err != nil {
				return fmt.Errorf("disk: %w", err)
			}
		}
	}
	// Entries behind a hole must not come back to life when the hole is filled. The sync also
	// covers what a killed process left unsynced, its slot included: never are both slots on their
	// way to the disk.
	err := s.log.Truncate(s.c.end)
	if err == nil {
		err = s.log.Sync()
	}
	if s.written = s.c.end; err == nil && s.c.slot.end < s.c.end {
		if err = s.mark(); err == nil {
			err = s.log.Sync()
		}
	}
	if err != nil {
		return fmt.Errorf("disk: %s: %w", s.name(logName), err)
	}
	return nil
}

func (s *Store) name(file string) string { return filepath.Join(s.dir, file) }

// mark writes the next slot.
func (s *Store) mark() error {
	s.c.slot = slot{s.c.slot.count + 1, s.c.end}
	_, err := s.log.WriteAt(s.c.slot.encode(), s.c.slot.place())
	return err
}

// Records returns what is stable, by key, with the values read and checked, and the records that a
// crash has torn until they are written again.
func (s *Store) Records() ([]core.Record, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.c.records(s.files, s.dir, s.id, s.log, s.spoiled)
}

// Put writes a record, in the place of an older one with its key; it is stable after the next
// Commit. The value is not kept: a large one is in its file when Put returns, a small one copied.
// With ErrFull it was refused, and nothing else.
func (s *Store) Put(key string, value []byte) error {
	e := entry{sequence: s.c.next + uint64(len(s.queued)), kind: putInline, key: key,
		length: int64(len(value)), sum: checksum(value)}
	if err := s.check(key); err != nil {
		return err
	}
	if e.length >= s.large {
		e.kind = putFile
		if err := s.putFile(e, value); err != nil {
			return s.fail(fmt.Errorf("disk: put %q (not written): %w", key, err))
		}
	}
	s.queue(e, value)
	return nil
}

// Delete removes a record, if there is one; it is stable after the next Commit.
func (s *Store) Delete(key string) error {
	if err := s.check(key); err != nil {
		return err
	}
	s.queue(entry{sequence: s.c.next + uint64(len(s.queued)), kind: remove, key: key}, nil)
	return nil
}

func (s *Store) check(key string) error {
	if s.err == nil && len(key) > MaxKey {
		return fmt.Errorf("disk: %s: a key of %d bytes, at most %d", s.dir, len(key), MaxKey)
	}
	return s.err
}

func (s *Store) queue(e entry, value []byte) {
	s.batch = e.appendTo(s.batch)
	if e.kind == putInline {
		s.batch = append(s.batch, value...)
	}
	s.values = s.values || e.kind == putFile
	s.queued = append(s.queued, e)
}

// putFile writes a large value, without a copy, and syncs it.
func (s *Store) putFile(e entry, value []byte) error {
	name := valueName(s.dir, e.sequence)
	f, err := s.files.Create(name)
	if err != nil {
		return full(err, nil)
	}
	_, err = f.WriteAt(head(valueMagic, s.id,
		[3]uint64{e.sequence, uint64(e.length), uint64(e.sum)}), 0)
	if err == nil {
		_, err = f.WriteAt(value, valueBytes)
	}
	wrote := err == nil
	if wrote {
		err = f.Sync()
	}
	closing := f.Close()
	if err != nil || closing != nil { // no entry names it
		err = fmt.Errorf("%s: %w", name, errors.Join(err, closing))
		if gone := errors.Join(closing, s.files.Remove(name)); wrote || gone != nil {
			return errors.Join(err, gone)
		}
		return full(err, nil)
	}
	return nil
}

// full marks the error of a write for which there is no room, when it is undone.
func full(err, undone error) error {
	if undone == nil && noRoom(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return errors.Join(err, undone)
}

// Queued reports how many puts and deletes wait for a commit.
func (s *Store) Queued() int { return len(s.queued) }

// Commit makes everything stable that was put and deleted since the last one, in that order. After
// an error it may be or not be stable, as far as the order goes; what was committed before is, and
// the store can only be closed. After ErrFull nothing of it is stable, and the store goes on.
func (s *Store) Commit() error {
	if s.err != nil || len(s.queued) == 0 {
		return s.err
	}
	if err := s.commit(); err != nil {
		return s.fail(err)
	}
	return nil
}

func (s *Store) commit() error {
	if s.values {
		if err := s.files.SyncDir(s.dir); err != nil {
			return fmt.Errorf("disk: %w", err)
		}
	}
	err := s.extend(s.c.end + int64(len(s.batch)))
	if err == nil {
		_, err = s.log.WriteAt(s.batch, s.c.end)
	}
	wrote := err == nil
	if wrote {
		err = s.log.Sync()
	}
	if err != nil {
		return s.takeBack(err, wrote)
	}
	var unused []string
	for _, e := range s.queued {
		if old, ok := s.c.live[e.key]; ok && old.kind == putFile {
			unused = append(unused, valueName(s.dir, old.sequence))
		}
		e.place = s.c.end + e.size() - e.length // of an inline value
		s.c.apply(e)
		s.c.torn = slices.DeleteFunc(s.c.torn, func(key string) bool { return key == e.key })
	}
	s.batch, s.queued, s.values = s.batch[:0], s.queued[:0], false
	if err := s.mark(); err != nil {
		return fmt.Errorf("disk: %s: %w", s.name(logName), err)
	}
	for _, name := range unused {
		err := s.files.Remove(name)
		if err != nil && !(s.spoiled && errors.Is(err, os.ErrNotExist)) {
			return fmt.Errorf("disk: %w", err)
		}
	}
	if s.c.end-firstEntry-s.c.bytes > max(s.garbage, s.c.bytes) {
		// without room for a shorter log, the long one stays
		if err := s.replaceLog(); !errors.Is(err, ErrFull) {
			return err
		}
	}
	return nil
}

// takeBack undoes a commit that has failed: the space is not ours, and nobody has been told of the
// entries. If all was written there is more wrong than a lack of room.
func (s *Store) takeBack(err error, wrote bool) error {
	var at *os.PathError
	if errors.As(err, &at) && at.Path == s.name(newLogName) { // it was renamed since it was opened
		err = &os.PathError{Op: at.Op, Path: s.name(logName), Err: at.Err}
	}
	err = fmt.Errorf("disk: commit of %d entries to %s: %w", len(s.queued), s.name(logName), err)
	undone := s.log.Truncate(s.c.end)
	if !wrote && noRoom(err) && undone == nil {
		undone = s.log.Sync() // what was refused must not come back
		for _, e := range s.queued {
			if e.kind == putFile && undone == nil {
				undone = s.files.Remove(valueName(s.dir, e.sequence))
			}
		}
		s.batch, s.queued, s.values, s.written = s.batch[:0], s.queued[:0], false, s.c.end
		return full(err, undone)
	}
	if undone != nil {
		err = errors.Join(err, fmt.Errorf("disk: %s: %w", s.name(logName), undone))
	}
	return err
}

// extend makes sure that the file has room up to the end, so that most syncs need not write its
// size.
func (s *Store) extend(end int64) error {
	if end <= s.written {
		return nil
	}
	room := max(end-s.written, s.extent)
	if int64(len(s.zeros)) < room {
		s.zeros = make([]byte, room)
	}
	if _, err := s.log.WriteAt(s.zeros[:room], s.written); err != nil {
		return err
	}
	s.written += room
	return nil
}

// fail notes the first failure; that there is no room is none.
func (s *Store) fail(err error) error {
	if errors.Is(err, ErrFull) {
		return err
	}
	s.err = fmt.Errorf("%w; the store takes nothing more", err)
	return err
}

// Close ends the use of the store. What was not committed is given up.
func (s *Store) Close() error {
	if s.err == nil {
		s.err = fmt.Errorf("disk: %s: %w", s.dir, os.ErrClosed)
	}
	return s.closeFiles()
}

func (s *Store) closeFiles() error {
	var errs []error
	for _, c := range []io.Closer{s.log, s.lock} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	s.log, s.lock = nil, nil
	return errors.Join(errs...)
}
