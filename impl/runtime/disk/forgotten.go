package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Forget undoes what was done through a Forgetful with the journal and was not synced, as a loss of
// power may: of the writes to each file, and of the changes of names, the last ones, as many as are
// drawn (a number below n), from none to all. Nobody may use the store. Without a journal there is
// nothing to forget; afterwards there is none.
func Forget(journal string, draw func(n int) int) error {
	data, err := os.ReadFile(journal)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var list []undo
	if err == nil {
		list, err = readJournal(data)
	}
	if err == nil {
		err = newForgetting(journal+".kept", list).undo(draw)
	}
	if err == nil {
		err = errors.Join(os.Remove(journal), os.RemoveAll(journal+".kept"))
	}
	if err != nil {
		return fmt.Errorf("disk: forget by %s: %w", journal, err)
	}
	return nil
}

// readJournal reads the entries. The kill may have cut the last one, which was not followed by what
// it would undo.
func readJournal(data []byte) (list []undo, err error) {
	for len(data) >= 8 {
		size := int(binary.LittleEndian.Uint32(data))
		if len(data) < 8+size {
			break
		}
		body := data[8 : 8+size]
		if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
			return nil, errors.New("the journal is corrupt")
		}
		var u undo
		if err := core.Decode(body, &u); err != nil {
			return nil, err
		}
		list, data = append(list, u), data[8+size:]
	}
	return list, nil
}

// names stands for the folder where the writes to a file have an id.
const names = 0

// forgetting is a journal that is undone.
type forgetting struct {
	kept string
	list []undo
	of   []int          // by entry: the file whose writes it is among, names, or -1: none
	open map[int]int    // by file, or names: entries that are not synced
	path map[int]string // by file, as things are
}

func newForgetting(kept string, list []undo) *forgetting {
	f := &forgetting{kept: kept, list: list, open: map[int]int{}, path: map[int]string{}}
	lost := func(of int) {
		f.open[of] = 0
		for i := range f.of {
			if f.of[i] == of {
				f.of[i] = -1
			}
		}
	}
	for _, u := range list {
		of := names
		switch u.What {
		case undoWrite:
			of = u.ID
		case undoCreate:
			f.path[u.ID] = u.Name
		case undoRename:
			f.path[u.ID] = u.To
		case undoRemove:
			f.path[u.ID] = keptName(kept, u.ID)
		case synced:
			lost(u.ID)
			of = -1
		case syncedDir:
			lost(names)
			of = -1
		}
		if u.Other != 0 {
			f.path[u.Other] = keptName(kept, u.Other)
		}
		if u.What == undoWrite && f.path[u.ID] == "" {
			f.path[u.ID] = u.Name
		}
		if f.of = append(f.of, of); of >= 0 {
			f.open[of]++
		}
	}
	return f
}

// undo undoes the last entries of each file, and of the names, as many as are drawn.
func (f *forgetting) undo(draw func(n int) int) error {
	var of []int
	for id := range f.open {
		of = append(of, id)
	}
	slices.Sort(of)
	for _, id := range of {
		if n := f.open[id]; n > 0 && draw(2) == 0 { // otherwise everything
			f.open[id] = draw(n + 1)
		}
	}
	for i, u := range slices.Backward(f.list) {
		if f.of[i] < 0 || f.open[f.of[i]] == 0 {
			continue
		}
		f.open[f.of[i]]--
		if err := f.undoOne(&u); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetting) undoOne(u *undo) (err error) {
	switch u.What {
	case undoWrite:
		return f.rewrite(u)
	case undoCreate:
		err = os.Rename(u.Name, keptName(f.kept, u.ID))
		f.path[u.ID] = keptName(f.kept, u.ID)
	case undoRename:
		err = os.Rename(u.To, u.Name)
		f.path[u.ID] = u.Name
	case undoRemove:
		err = f.back(u.ID, u.Name)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil // the kill came before it was done
	}
	if err == nil && u.Other != 0 {
		name := u.Name
		if u.What == undoRename {
			name = u.To
		}
		err = f.back(u.Other, name)
	}
	return err
}

// back gives a file that was kept its name again, if it has lost it.
func (f *forgetting) back(id int, name string) error {
	f.path[id] = name
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	return os.Rename(keptName(f.kept, id), name)
}

// rewrite puts back what was in a part of a file.
func (f *forgetting) rewrite(u *undo) (err error) {
	file, err := os.OpenFile(f.path[u.ID], os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.WriteAt(u.Old, u.At); err != nil {
		return err
	}
	return file.Truncate(u.Size)
}
