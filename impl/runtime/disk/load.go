package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// contents is what a log says.
type contents struct {
	live  map[string]entry
	torn  []string // keys without a value of which a crash has cut the write
	next  uint64   // sequence number of the next entry
	end   int64    // of the last whole entry
	slot  slot
	bytes int64 // of the entries that are live
}

// load reads a log. With tail it goes on behind the committed end, as far as entries are whole.
func load(files Files, dir string, id Identity, log File, tail bool) (*contents, error) {
	name := filepath.Join(dir, logName)
	numbers, err := readHead(log, logMagic, id)
	if err != nil {
		return nil, fmt.Errorf("disk: %s: %w", name, err)
	}
	c := &contents{live: map[string]entry{}, end: firstEntry}
	defer func() { c.next = max(c.next, numbers[0]) }()
	if c.slot, err = readSlot(log); err != nil {
		return nil, fmt.Errorf("disk: %s: %w", name, err)
	}
	for tail || c.end < c.slot.end {
		e, ok, err := readEntry(log, c.end)
		if err != nil {
			return nil, fmt.Errorf("disk: %s: %w", name, err)
		}
		committed := c.end < c.slot.end
		whole := ok && e.sequence >= c.next
		if whole && e.kind == putInline {
			if whole, err = intact(log, e); err != nil {
				return nil, fmt.Errorf("disk: %s: %w", name, err)
			}
		}
		switch {
		case whole && committed && c.end+e.size() > c.slot.end, !whole && committed:
			return nil, fmt.Errorf("disk: %s: %w: entry at byte %d, committed up to %d", name,
				ErrCorrupt, c.end, c.slot.end)
		case !whole:
			if _, older := c.live[e.key]; ok && e.kind == putInline && e.sequence >= c.next &&
				!older {
				c.torn = append(c.torn, e.key)
			}
			return c, nil
		}
		c.apply(e)
	}
	return c, nil
}

// apply takes an entry into account.
func (c *contents) apply(e entry) {
	if old, ok := c.live[e.key]; ok {
		c.bytes -= old.size()
		delete(c.live, e.key)
	}
	if e.kind != remove {
		c.live[e.key] = e
		c.bytes += e.size()
	}
	c.next, c.end = e.sequence+1, c.end+e.size()
}

// intact reports whether the inline value of an entry has its checksum.
func intact(log File, e entry) (bool, error) {
	size, err := log.Size()
	if err != nil || e.length > size-e.place {
		return false, err
	}
	value := make([]byte, e.length)
	if _, err := io.ReadFull(io.NewSectionReader(log, e.place, e.length), value); err != nil {
		return false, err
	}
	return checksum(value) == e.sum, nil
}

func valueName(dir string, sequence uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%s%016x", valuePrefix, sequence))
}

// fetch reads the value of an entry and checks it.
func fetch(files Files, dir string, id Identity, log File, e entry) (value []byte, err error) {
	name, from, at := filepath.Join(dir, logName), log, e.place
	if e.kind == putFile {
		name, at = valueName(dir, e.sequence), valueBytes
		if from, err = files.Open(name, false); err != nil {
			return nil, fmt.Errorf("disk: value of %q: %w", e.key, missing(err))
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		if err := checkValueFile(from, id, e); err != nil {
			return nil, fmt.Errorf("disk: %s: value of %q: %w", name, e.key, err)
		}
	}
	value = make([]byte, e.length)
	if _, err := io.ReadFull(io.NewSectionReader(from, at, e.length), value); err != nil {
		return nil, fmt.Errorf("disk: %s: value of %q: %w: %w", name, e.key, ErrCorrupt, err)
	}
	if checksum(value) != e.sum {
		return nil, fmt.Errorf("disk: %s: value of %q: %w: wrong checksum", name, e.key, ErrCorrupt)
	}
	return value, nil
}

// missing marks the error of a file that should be there as corruption.
func missing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// checkValueFile checks that a value file is what the entry says, content aside.
func checkValueFile(f File, id Identity, e entry) error {
	numbers, err := readHead(f, valueMagic, id)
	if err != nil {
		return err
	}
	size, err := f.Size()
	if err != nil {
		return err
	}
	if numbers != [3]uint64{e.sequence, uint64(e.length), uint64(e.sum)} ||
		size != valueBytes+e.length {
		return fmt.Errorf(
			"%w: number, length and checksum are %v and the file has %d bytes, want %d, %d, %d "+
				"and %d", ErrCorrupt, numbers, size,
			e.sequence, e.length, e.sum, valueBytes+e.length)
	}
	return nil
}

// records hands out what is stable, by key. In a store whose values may be damaged, those are torn
// or not there.
func (c *contents) records(files Files, dir string, id Identity, log File,
	spoiled bool) ([]core.Record, error) {
	keys := slices.Clone(c.torn)
	for key := range c.live {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var list []core.Record
	for _, key := range keys {
		e, ok := c.live[key]
		if !ok {
			list = append(list, core.Record{Owner: id.Proc, Key: key, Torn: true})
			continue
		}
		if spoiled {
			record, found, err := readBack(files, dir, id, log, e)
			if err != nil {
				return nil, err
			}
			if found {
				list = append(list, record)
			}
			continue
		}
		value, err := fetch(files, dir, id, log, e)
		if err != nil {
			return nil, err
		}
		list = append(list, core.Record{Owner: id.Proc, Key: key, Value: value})
	}
	return list, nil
}

// Read returns the records of a store that another proc may be using, by key: what is committed,
// and when nobody uses it, what else a crash has left whole. It changes nothing. A store that does
// not exist has no records. No file of values is left out because it is gone: when the owner
// removes one meanwhile, Read begins again.
func Read(files Files, dir string, id Identity) ([]core.Record, error) {
	for {
		list, again, err := readOnce(files, dir, id)
		if !again {
			return list, err
		}
	}
}

// readOnce reads the store; again says that its owner has changed it under our feet.
func readOnce(files Files, dir string, id Identity) (list []core.Record, again bool, err error) {
	again, err = visit(files, dir, func(File) (Identity, error) { return id, nil },
		func(v view) (err error) {
			list, err = v.c.records(files, dir, id, v.log, false)
			return err
		})
	if errors.Is(err, errNoStore) {
		err = nil
	}
	return list, again, err
}

// view is a store as somebody sees it who does not own it.
type view struct {
	id    Identity
	log   File
	c     *contents
	names []string // of the files in the folder
	used  bool     // by its owner: what is not committed is not looked at
}

// errNoStore says that nothing was ever stable in a folder, or that it does not exist.
var errNoStore = errors.New("no store")

// visit looks into a store whose owner is known, or is read from its log; again says that the owner
// has changed it meanwhile, so that a value that is gone is not missing.
func visit(files Files, dir string, whose func(log File) (Identity, error),
	see func(view) error) (again bool, err error) {
	var v view
	v.names, err = files.List(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && fresh(v.names) {
		return false, errNoStore
	} else if err != nil {
		return false, fmt.Errorf("disk: %w", err)
	}
	reading, err := files.Lock(filepath.Join(dir, readersName), false, true)
	if err != nil {
		return false, fmt.Errorf("disk: %w", err)
	}
	defer func() { err = errors.Join(err, reading.Close()) }()
	probe, err := files.Lock(filepath.Join(dir, lockName), false, false)
	v.used = errors.Is(err, ErrLocked)
	if err == nil {
		err = probe.Close() // it can not be opened as long as we hold the other lock
	}
	if err != nil && !v.used {
		return false, fmt.Errorf("disk: %w", err)
	}
	name := filepath.Join(dir, logName)
	if v.log, err = files.Open(name, false); err != nil {
		return false, fmt.Errorf("disk: %w", missing(err))
	}
	defer func() { err = errors.Join(err, v.log.Close()) }()
	if !v.used {
		// what its owner had no time to sync before it was killed
		if err := v.log.Sync(); err != nil {
			return false, fmt.Errorf("disk: %s: %w", name, err)
		}
	}
	if v.id, err = whose(v.log); err != nil {
		return false, fmt.Errorf("disk: %s: %w", name, err)
	}
	if v.c, err = load(files, dir, v.id, v.log, !v.used); err != nil {
		return false, err
	}
	if err = see(v); err == nil || !v.used || !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	now, changed := readLatest(files, dir, v.id)
	return changed != nil || now.count != v.c.slot.count, err
}

// readLatest reads how far the log with the name is committed now.
func readLatest(files Files, dir string, id Identity) (s slot, err error) {
	log, err := files.Open(filepath.Join(dir, logName), false)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if _, err := readHead(log, logMagic, id); err != nil {
		return s, err
	}
	return readSlot(log)
}
