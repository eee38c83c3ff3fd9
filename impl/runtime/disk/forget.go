package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/domino-check/domino/impl/core"
)

// Forgetful is the file system of the operating system as a loss of power leaves it. A process that
// is killed loses nothing that it has written, since the system has it, so a store that does not
// sync would never be found out; what was done through a Forgetful and not synced can be undone by
// Forget when the process is dead. Before each operation it writes into a journal how to undo it.
type Forgetful struct {
	System
	journal *os.File
	kept    string         // folder of files that were removed
	ids     map[string]int // of the files with a name now
	next    int            // id
}

// What an entry of the journal undoes, or takes back that it does.
const (
	undoWrite  = iota + 1 // of file ID, once Name: Old at At, and Size bytes in all
	undoCreate            // Name, which is ID; Other, if set, was there and is kept
	undoRename            // from Name to To, which is ID; Other, if set, was there and is kept
	undoRemove            // of Name, which was ID and is kept
	synced                // the writes to ID
	syncedDir             // the names
)

// undo is an entry of the journal.
type undo struct {
	_        struct{} `cbor:",toarray"`
	What     int
	ID       int
	Other    int
	Name, To string
	At, Size int64
	Old      []byte
}

// NewForgetful begins a journal, which must not lie in the folder of the store. What is on the disk
// now counts as synced.
func NewForgetful(journal string) (*Forgetful, error) {
	f := &Forgetful{kept: journal + ".kept", ids: map[string]int{}}
	err := os.RemoveAll(f.kept)
	if err == nil {
		err = os.MkdirAll(f.kept, 0o777)
	}
	if err == nil {
		f.journal, err = os.Create(journal)
	}
	if err != nil {
		return nil, fmt.Errorf("disk: journal: %w", err)
	}
	return f, nil
}

// Close ends the journal.
func (f *Forgetful) Close() error { return f.journal.Close() }

func (f *Forgetful) note(u undo) error {
	body := core.Encode(&u)
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 8+len(body)), uint32(len(body)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(body, castagnoli))
	if _, err := f.journal.Write(append(b, body...)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// id is that of the file with a name.
func (f *Forgetful) id(name string) int {
	id, ok := f.ids[name]
	if !ok {
		f.next++
		id = f.next
		f.ids[name] = id
	}
	return id
}

// keep links a file that is about to lose its name, if there is one.
func (f *Forgetful) keep(name string) (id int, err error) {
	if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	id = f.id(name)
	if err := os.Link(name, keptName(f.kept, id)); !errors.Is(err, os.ErrExist) {
		return id, err
	}
	return id, nil // an operation on it has failed before
}

func keptName(folder string, id int) string { return filepath.Join(folder, fmt.Sprint(id)) }

// Create implements Files.
func (f *Forgetful) Create(name string) (File, error) {
	other, err := f.keep(name)
	if err != nil {
		return nil, err
	}
	delete(f.ids, name)
	id := f.id(name)
	if err := f.note(undo{What: undoCreate, ID: id, Other: other, Name: name}); err != nil {
		return nil, err
	}
	if other != 0 { // not in place: the old one is kept
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	file, err := f.System.Create(name)
	return &forgetfulFile{file, f, id, name}, err
}

// Open implements Files.
func (f *Forgetful) Open(name string, write bool) (File, error) {
	file, err := f.System.Open(name, write)
	if err != nil {
		return nil, err
	}
	return &forgetfulFile{file, f, f.id(name), name}, nil
}

// Rename implements Files.
func (f *Forgetful) Rename(from, to string) error {
	other, err := f.keep(to)
	if err == nil {
		err = f.note(undo{What: undoRename, ID: f.id(from), Other: other, Name: from, To: to})
	}
	if err == nil {
		err = f.System.Rename(from, to)
	}
	if err == nil {
		f.ids[to] = f.ids[from]
		delete(f.ids, from)
	}
	return err
}

// Remove implements Files.
func (f *Forgetful) Remove(name string) error {
	id, err := f.keep(name)
	if err == nil && id != 0 {
		err = f.note(undo{What: undoRemove, ID: id, Name: name})
	}
	if err == nil {
		err = f.System.Remove(name)
	}
	if err == nil {
		delete(f.ids, name)
	}
	return err
}

// SyncDir implements Files. The system has the names, and who else could lose them is Forget.
func (f *Forgetful) SyncDir(string) error { return f.note(undo{What: syncedDir}) }

// forgetfulFile is an open file of it.
type forgetfulFile struct {
	File
	fs   *Forgetful
	id   int
	name string // when it was opened
}

// WriteAt implements File.
func (w *forgetfulFile) WriteAt(b []byte, at int64) (int, error) {
	if err := w.remember(at, int64(len(b))); err != nil {
		return 0, err
	}
	return w.File.WriteAt(b, at)
}

// Truncate implements File.
func (w *forgetfulFile) Truncate(size int64) error {
	now, err := w.Size()
	if err == nil {
		err = w.remember(size, max(0, now-size))
	}
	if err != nil {
		return err
	}
	return w.File.Truncate(size)
}

// remember notes what is in a part of the file now.
func (w *forgetfulFile) remember(at, length int64) error {
	size, err := w.Size()
	if err != nil {
		return err
	}
	old := make([]byte, max(0, min(length, size-at)))
	if _, err := w.ReadAt(old, at); err != nil && len(old) > 0 {
		return err
	}
	return w.fs.note(undo{What: undoWrite, ID: w.id, Name: w.name, At: at, Size: size,
		Old: old})
}

// Sync implements File, as SyncDir.
func (w *forgetfulFile) Sync() error { return w.fs.note(undo{What: synced, ID: w.id}) }
