package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/domino-check/domino/impl/core"
)

// memory is a file system in memory that fails or stops at a chosen operation and can then be shown
// as a crash of the host may leave it: of what was not synced, any subset of the writes to files,
// each perhaps cut, and any prefix of the changes of the folder.
type memory struct {
	names, stable map[string]*inode // now, and what a crash certainly leaves
	pending       []unsynced        // not synced, oldest first
	locks         map[string]int    // -1: exclusive
	operations    int
	stopAt        int   // operation at which it stops (-1: never)
	failure       error // what this operation and, if it is errStopped, all later ones return
	cut           bool  // half of the data of the failing write is written
	made          bool
}

type inode struct{ now, stable []byte }

// unsynced is one write (or, without data, a truncation) to an inode, or one change of the folder.
type unsynced struct {
	to     *inode
	at     int64
	data   []byte
	folder func(map[string]*inode)
}

var errStopped = errors.New("the host has stopped")

func newMemory() *memory {
	return &memory{names: map[string]*inode{}, stable: map[string]*inode{}, locks: map[string]int{},
		stopAt: -1}
}

// operation counts one operation and reports its failure.
func (m *memory) operation() error {
	m.operations++
	if at := m.operations - 1; m.stopAt >= 0 &&
		(at == m.stopAt || at > m.stopAt && errors.Is(m.failure, errStopped)) {
		return m.failure
	}
	return nil
}

func (m *memory) folder(f func(map[string]*inode)) {
	f(m.names)
	m.pending = append(m.pending, unsynced{folder: f})
}

func (m *memory) Make(string) error {
	m.made = true
	return m.operation()
}

func (m *memory) Create(name string) (File, error) {
	if err := m.operation(); err != nil {
		return nil, err
	}
	i := &inode{}
	m.folder(func(names map[string]*inode) { names[name] = i })
	return &memoryFile{m, i}, nil
}

func (m *memory) Open(name string, _ bool) (File, error) {
	if err := m.operation(); err != nil {
		return nil, err
	}
	if i, ok := m.names[name]; ok {
		return &memoryFile{m, i}, nil
	}
	return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
}

func (m *memory) Rename(from, to string) error {
	if err := m.operation(); err != nil {
		return err
	}
	i := m.names[from]
	m.folder(func(names map[string]*inode) { delete(names, from); names[to] = i })
	return nil
}

func (m *memory) Remove(name string) error {
	if err := m.operation(); err != nil {
		return err
	}
	m.folder(func(names map[string]*inode) { delete(names, name) })
	return nil
}

func (m *memory) List(string) (names []string, err error) {
	for name := range m.names {
		names = append(names, filepath.Base(name))
	}
	if !m.made {
		return nil, os.ErrNotExist
	}
	return names, m.operation()
}

func (m *memory) SyncDir(string) error {
	if err := m.operation(); err != nil {
		return err
	}
	m.settle(func(c unsynced) bool { return c.folder != nil })
	return nil
}

// settle makes some of what is pending stable.
func (m *memory) settle(which func(unsynced) bool) {
	var rest []unsynced
	for _, c := range m.pending {
		if which(c) {
			c.apply(m.stable, len(c.data))
		} else {
			rest = append(rest, c)
		}
	}
	m.pending = rest
}

// apply makes a change, of a write the first n bytes.
func (c unsynced) apply(names map[string]*inode, n int) {
	switch {
	case c.folder != nil:
		c.folder(names)
	case c.data == nil:
		c.to.stable = resize(c.to.stable, c.at)
	default:
		c.to.stable = write(c.to.stable, c.at, c.data[:n])
	}
}

func resize(b []byte, size int64) []byte {
	if int64(len(b)) >= size {
		return bytes.Clone(b[:size])
	}
	return append(bytes.Clone(b), make([]byte, size-int64(len(b)))...)
}

func write(b []byte, at int64, data []byte) []byte {
	b = resize(b, max(int64(len(b)), at+int64(len(data))))
	copy(b[at:], data)
	return b
}

type memoryLock struct {
	m    *memory
	name string
	by   int
}

func (l memoryLock) Close() error { l.m.locks[l.name] -= l.by; return nil }

func (m *memory) Lock(name string, exclusive, _ bool) (io.Closer, error) {
	if err := m.operation(); err != nil {
		return nil, err
	}
	by := 1
	if exclusive {
		by = -1
	}
	if held := m.locks[name]; held < 0 || held > 0 && exclusive {
		return nil, ErrLocked
	}
	m.locks[name] += by
	return memoryLock{m, name, by}, nil
}

type memoryFile struct {
	m *memory
	i *inode
}

func (f *memoryFile) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(f.i.now).ReadAt(b, at)
}
func (f *memoryFile) Close() error         { return nil }
func (f *memoryFile) Size() (int64, error) { return int64(len(f.i.now)), nil }

func (f *memoryFile) WriteAt(b []byte, at int64) (int, error) {
	err := f.m.operation()
	if err != nil && f.m.cut {
		b = b[:len(b)/2]
	} else if err != nil {
		return 0, err
	}
	f.i.now = write(f.i.now, at, b)
	f.m.pending = append(f.m.pending, unsynced{to: f.i, at: at, data: append([]byte{}, b...)})
	return len(b), err
}

func (f *memoryFile) Truncate(size int64) error {
	if err := f.m.operation(); err != nil {
		return err
	}
	f.i.now = resize(f.i.now, size)
	f.m.pending = append(f.m.pending, unsynced{to: f.i, at: size})
	return nil
}

func (f *memoryFile) Sync() error {
	if err := f.m.operation(); err != nil {
		return err
	}
	f.m.settle(func(c unsynced) bool { return c.to == f.i })
	return nil
}

// aftermaths calls back with every file system that a crash may leave, and with the one that the
// death of the process alone leaves.
func (m *memory) aftermaths(see func(what string, after *memory)) {
	see("process killed", m.after(func(int) (bool, int) { return true, -1 }))
	var folder, data []int
	for k, c := range m.pending {
		if c.folder != nil {
			folder = append(folder, k)
		} else {
			data = append(data, k)
		}
	}
	subsets := uint(1) << min(len(data), 6)
	for names := range len(folder) + 1 {
		for set := range subsets {
			// the last write of the set: whole, one byte, half
			for _, cut := range []int{-1, 1, 2} {
				see(fmt.Sprintf("names %d data %b cut %d", names, set, cut),
					m.after(func(k int) (bool, int) {
						if i := slices.Index(folder, k); i >= 0 {
							return i < names, -1
						}
						i := slices.Index(data, k)
						in := i >= 6 || set>>i&1 == 1
						last := set>>(i+1) == 0
						switch n := len(m.pending[k].data); {
						case in && last && cut == 1 && n > 0:
							return true, 1
						case in && last && cut == 2:
							return true, n / 2
						}
						return in, -1
					}))
			}
		}
	}
}

// after is the file system with some pending changes made, of each the first bytes (-1: all).
func (m *memory) after(choose func(k int) (bool, int)) *memory {
	inodes := map[*inode]*inode{}
	copied := func(i *inode) *inode {
		if inodes[i] == nil {
			inodes[i] = &inode{stable: i.stable}
		}
		return inodes[i]
	}
	names := maps.Clone(m.stable)
	for k, c := range m.pending {
		if c.to != nil {
			c.to = copied(c.to)
		}
		if in, n := choose(k); in {
			if n < 0 {
				n = len(c.data)
			}
			c.apply(names, n)
		}
	}
	after := newMemory()
	after.made = m.made
	for name, i := range names {
		j := copied(i)
		j.now = j.stable
		after.names[name], after.stable[name] = j, j
	}
	return after
}

// step is one step of a script: "put KEY VALUE", "delete KEY", "commit", "reopen".
type script []string

// progress is how far a script came: entries asked for, and those of them that were acknowledged as
// stable.
type progress struct{ asked, stable int }

var identity = Identity{Run: "test", Proc: 3}

// small opens a store of which every path is reached with few bytes.
func small(files Files) (*Store, error) {
	s, err := Open(files, "d", identity)
	if err == nil {
		s.large, s.extent, s.garbage = 24, 100, 60
	}
	return s, err
}

// run executes a script as far as the files allow.
func (s script) run(files Files) (p progress, err error) {
	store, err := small(files)
	for _, step := range s {
		if err != nil {
			return p, err
		}
		words := strings.Fields(step)
		switch words[0] {
		case "put":
			p.asked++
			err = store.Put(words[1], []byte(words[2]))
		case "delete":
			p.asked++
			err = store.Delete(words[1])
		case "commit":
			if err = store.Commit(); err == nil {
				p.stable = p.asked
			}
		case "reopen":
			if err = store.Close(); err == nil {
				store, err = small(files)
			}
		}
	}
	if store != nil {
		err = errors.Join(err, store.Close())
	}
	return p, err
}

// states are the records after each number of entries, and whether the next entry may be torn.
func (s script) states() (list []map[string]string, next []string) {
	now := map[string]string{}
	list = []map[string]string{maps.Clone(now)}
	for _, step := range s {
		words := strings.Fields(step)
		switch words[0] {
		case "put":
			torn := words[1]
			if _, older := now[torn]; older || len(words[2]) >= 24 {
				torn = ""
			}
			next = append(next, torn)
			now[words[1]] = words[2]
		case "delete":
			next = append(next, "")
			delete(now, words[1])
		default:
			continue
		}
		list = append(list, maps.Clone(now))
	}
	return list, append(next, "")
}

// check reopens the store and compares it with the model: the records of some prefix of the
// entries, at least of the acknowledged ones.
func (s script) check(files *memory, p progress) error {
	before, err := Read(files, "d", identity)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if l, err := Inspect(files, "d"); err == nil && !slices.EqualFunc(l.Items, before,
		func(i Item, r core.Record) bool {
			return i.Key == r.Key && i.Torn == r.Torn && i.Err == nil &&
				int(i.Bytes) == len(r.Value)
		}) || err != nil && (len(before) > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return fmt.Errorf("Read gives %v, Inspect %+v, %w", before, l, err)
	}
	store, err := small(files)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	records, err := store.Records()
	if err != nil {
		return fmt.Errorf("records: %w", err)
	}
	if fmt.Sprint(before) != fmt.Sprint(records) {
		return fmt.Errorf("Read gives %v, Open %v", before, records)
	}
	got, torn := map[string]string{}, ""
	for _, r := range records {
		if r.Torn {
			torn += r.Key
			continue
		}
		got[r.Key] = string(r.Value)
	}
	states, next := s.states()
	for i := p.stable; i <= p.asked; i++ {
		if maps.Equal(states[i], got) && (torn == "" || i < p.asked && torn == next[i]) {
			return s.goOn(files, store, got)
		}
	}
	return fmt.Errorf("records %v, torn %q: not the state after any of %d to %d entries", got, torn,
		p.stable, p.asked)
}

// goOn uses the store after a crash.
func (s script) goOn(files *memory, store *Store, want map[string]string) error {
	err := errors.Join(store.Put("z", []byte("after")), store.Commit(), store.Close())
	if err != nil {
		return err
	}
	records, err := Read(files, "d", identity)
	want["z"] = "after"
	for _, r := range records {
		if want[r.Key] != string(r.Value) || r.Torn {
			return fmt.Errorf("after going on: %v", r)
		}
	}
	if err != nil || len(records) != len(want) {
		return fmt.Errorf("after going on: %v, want %v: %w", records, want, err)
	}
	return nil
}

var noSpace = &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
