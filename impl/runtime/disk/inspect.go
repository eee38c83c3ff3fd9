package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Listing is what a store has, for people.
type Listing struct {
	Identity
	Used      bool // somebody has it open: what is not committed is not listed
	Committed int64
	Whole     int64 // bytes of the log up to its last whole entry; Committed or more
	Items     []Item
	Spare     []string // files of values that no entry names: the next life clears them away
}

// Item is a record of a store.
type Item struct {
	Key   string
	Bytes int64
	File  string // of the value
	Torn  bool   // a crash has cut its write, and there is no older value
	Err   error  // what is wrong with the value; nil: it has its checksum
}

// Inspect lists the store of whomever, which may be in use, and checks every value; what is wrong
// with one does not keep it from the others. It changes nothing. The error is fs.ErrNotExist where
// there is no store, or what is wrong with its log.
func Inspect(files Files, dir string) (*Listing, error) {
	for {
		l, again, err := inspectOnce(files, dir)
		if !again {
			return l, err
		}
	}
}

func inspectOnce(files Files, dir string) (l *Listing, again bool, err error) {
	whose := func(log File) (Identity, error) {
		id, _, err := parseHead(log, logMagic)
		return id, err
	}
	var gone error // the first value whose file is not there
	again, err = visit(files, dir, whose, func(v view) error {
		l = &Listing{Identity: v.id, Used: v.used, Committed: v.c.slot.end, Whole: v.c.end}
		spare := map[string]bool{}
		for _, name := range v.names {
			spare[name] = strings.HasPrefix(name, valuePrefix)
		}
		for key, e := range v.c.live {
			item := Item{Key: key, Bytes: e.length, File: logName}
			if e.kind == putFile {
				item.File = filepath.Base(valueName(dir, e.sequence))
				delete(spare, item.File)
			}
			if _, item.Err = fetch(files, dir, v.id, v.log, e); gone == nil &&
				errors.Is(item.Err, fs.ErrNotExist) {
				gone = item.Err
			}
			l.Items = append(l.Items, item)
		}
		for _, key := range v.c.torn {
			l.Items = append(l.Items, Item{Key: key, File: logName, Torn: true})
		}
		slices.SortFunc(l.Items, func(a, b Item) int { return cmp.Compare(a.Key, b.Key) })
		for _, name := range slices.Sorted(maps.Keys(spare)) {
			if spare[name] && !v.used { // its owner writes files before the entries
				l.Spare = append(l.Spare, name)
			}
		}
		return gone
	})
	switch {
	case errors.Is(err, errNoStore):
		return nil, false, fs.ErrNotExist
	case gone != nil && errors.Is(err, gone): // it is in the listing
		err = nil
	case err != nil:
		l = nil
	}
	return l, again, err
}

// IsStore reports whether anything was ever stable in a folder.
func IsStore(files Files, dir string) (bool, error) {
	names, err := files.List(dir)
	if err != nil {
		return false, fmt.Errorf("disk: %w", err)
	}
	return !fresh(names), nil
}
