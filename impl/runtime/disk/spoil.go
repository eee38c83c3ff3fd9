package disk

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// What becomes of records on a disk that is not to be trusted: they are lost, damaged or have no
// room, and whoever reads them back is told so and goes on.

// ErrFull says that a put has no room. Nothing of it is stable, nor of what was queued with it, and
// the store goes on.
var ErrFull = errors.New("no room")

// OpenSpoiled opens a store whose values the environment may damage (Spoil). Every value has a file
// of its own, so that damage to one says nothing about others: a value whose file is gone is not
// there, one whose file is damaged is a torn record. Damage to the log itself is an error as ever.
func OpenSpoiled(files Files, dir string, id Identity) (*Store, error) {
	return open(files, dir, id, func(s *Store) { s.large, s.spoiled = 0, true })
}

// Get reads one committed record back from its file: none if it is not there or its file is gone, a
// torn one if its bytes are not what was written. So it is where a machine has to know what it has
// before it tells others of it.
func (s *Store) Get(key string) (record core.Record, found bool, err error) {
	if s.err != nil {
		return record, false, s.err
	}
	e, found := s.c.live[key]
	if !found {
		found = slices.Contains(s.c.torn, key)
		return core.Record{Owner: s.id.Proc, Key: key, Torn: true}, found, nil
	}
	return readBack(s.files, s.dir, s.id, s.log, e)
}

// readBack reads the value of an entry, whatever has become of it.
func readBack(files Files, dir string, id Identity, log File, e entry) (core.Record, bool, error) {
	value, err := fetch(files, dir, id, log, e)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return core.Record{}, false, nil
	case isDamage(err):
		return core.Record{Owner: id.Proc, Key: e.key, Torn: true}, true, nil
	}
	return core.Record{Owner: id.Proc, Key: e.key, Value: value}, err == nil, err
}

// isDamage reports whether an error says that bytes are not those that were written. A file that
// was cut ends too early for its head to be read, too.
func isDamage(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) ||
		errors.Is(err, ErrOtherRun) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Damage is what becomes of one value.
type Damage uint8

// The damages.
const (
	Lost    Damage = iota // its file is gone
	Flipped               // one byte of its file is another
	Cut                   // its file ends in its middle
	// it is another one, or its half, and whole: no sum of the store tells (fault.Damaged)
	Changed
	Halved
)

// Spoil damages the file of one value, as nobody who uses the store would. Which one, and where, is
// drawn: draw gives a number in [0, n). It reports false if there is no value to damage.
func (s *Store) Spoil(what Damage, draw func(n int) int) (done bool, err error) {
	keys := slices.Sorted(maps.Keys(s.c.live))
	for len(keys) > 0 {
		i := draw(len(keys))
		switch e := s.c.live[keys[i]]; {
		case what == Changed || what == Halved:
			done, err = s.change(keys[i], int(what-Changed))
		case e.kind == putFile:
			err = s.spoil(valueName(s.dir, e.sequence), what, draw)
			if done = err == nil; errors.Is(err, os.ErrNotExist) {
				err = nil // it is lost already
			}
		}
		if done || err != nil {
			return done, err
		}
		keys = slices.Delete(keys, i, i+1)
	}
	return false, nil
}

// change writes another value in the place of one, if there is any to change.
func (s *Store) change(key string, way int) (done bool, err error) {
	record, found, err := s.Get(key)
	value, ok := fault.Damaged(record.Value, way)
	if err != nil || !found || !ok {
		return false, err
	}
	if err = s.Put(key, value); err == nil {
		err = s.Commit()
	}
	if errors.Is(err, ErrFull) {
		return false, nil
	}
	return err == nil, err
}

// spoil damages a file.
func (s *Store) spoil(name string, what Damage, draw func(n int) int) (err error) {
	if what == Lost {
		return s.files.Remove(name)
	}
	f, err := s.files.Open(name, true)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil && e != nil {
			err = fmt.Errorf("disk: %w", e)
		}
	}()
	size, err := f.Size()
	if err != nil || size == 0 {
		return err
	}
	if what == Cut {
		return f.Truncate(size / 2)
	}
	at, b := int64(draw(int(size))), []byte{0}
	if _, err := f.ReadAt(b, at); err != nil {
		return err
	}
	b[0] ^= 1 << draw(8)
	_, err = f.WriteAt(b, at)
	return err
}
