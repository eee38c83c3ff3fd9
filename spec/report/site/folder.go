package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/spec/report/wholefile"
)

// Folder is a folder that a site is written to. Its own are the files dataName, indexName and
// historyName and all pages in the folders that it makes; it touches nothing else. It is not to be
// used by several goroutines.
type Folder struct {
	dir, kind string
	names     map[string]bool // of pages, in small letters, as some disks compare names
}

// The names of files.
const (
	indexName   = "index.html"
	dataName    = "data.json"
	historyName = "runs.jsonl"
)

// stamp begins the data of a site: by it a folder is known again.
type stamp struct {
	Schema string `json:"schema"`
	Domino string `json:"domino"`
	// the site is not complete: its run was ended, or has not come to its end yet
	Incomplete bool `json:"incomplete,omitempty"`
}

// schemaOf is the name of the form of the data of a kind of sites.
func schemaOf(kind string) string { return "domino/site/" + kind + "/1" }

// Forms are the forms of what is written for programs, by name, each with a value of its type: of
// data.json by the kind of the site, and of a line of runs.jsonl.
func Forms() map[string]any {
	return map[string]any{schemaOf(Check): suiteData{}, schemaOf(Errata): errataData{},
		schemaOf(Mutants): mutantsData{}, schemaOf(Perf): measuredData{},
		schemaOf(Netpipe): measuredData{}, historySchema: record{}}
}

// Open makes the folder, or takes one that is empty or that a run of the same kind has written, and
// tries whether it can be written to, before the work is done whose results are to go there.
func Open(dir, kind string) (*Folder, error) {
	f := &Folder{dir: dir, kind: kind, names: map[string]bool{}}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("folder for pages: %w", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("folder for pages: %w", err)
	}
	var old stamp
	data, err := os.ReadFile(filepath.Join(dir, dataName))
	switch {
	case err == nil:
		if json.Unmarshal(data, &old) != nil || old.Schema != schemaOf(kind) {
			return nil, fmt.Errorf("%s has a %s that domino %s has not written; want an empty "+
				"folder, or one that it has", dir, dataName, kind)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("folder for pages: %w", err)
	case len(list) > 0:
		return nil, fmt.Errorf("%s has files that domino %s has not written, as %s; want an empty "+
			"folder, or one that it has", dir, kind, list[0].Name())
	}
	// the folder is known again if nothing more comes
	b, err := encode(stamp{Schema: schemaOf(kind), Incomplete: true})
	if err == nil && data == nil {
		err = f.put(dataName, b)
	} else if err == nil {
		err = f.try()
	}
	if err != nil {
		return nil, fmt.Errorf("folder for pages: %w", err)
	}
	return f, nil
}

// try writes a file and removes it again.
func (f *Folder) try() error {
	file, err := os.CreateTemp(f.dir, ".domino-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// Page is the name of a page in a folder of the site, made of words as far as names of files and
// addresses may have them. No two pages have the same.
func (f *Folder) Page(folder string, words ...string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, strings.Join(words, "-"))
	base = strings.TrimLeft(base, ".-")
	base = base[:min(len(base), 100)]
	name := folder + "/" + base + ".html"
	for n := 2; base == "" || f.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s/%s~%d.html", folder, base, n)
		if !f.names[strings.ToLower(name)] {
			break
		}
	}
	f.names[strings.ToLower(name)] = true
	return name
}

// Write writes a page that Page has named, whole or not at all.
func (f *Folder) Write(name string, data []byte) error {
	folder := filepath.Join(f.dir, filepath.FromSlash(filepath.Dir(name)))
	err := os.Mkdir(folder, 0o777)
	if errors.Is(err, fs.ErrExist) {
		// a link would lead out of the folder
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
			return errors.Join(fmt.Errorf("%s is no folder", folder), err)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return f.put(name, data)
}

// put writes a file, whole or not at all.
func (f *Folder) put(name string, data []byte) error {
	return wholefile.Write(filepath.Join(f.dir, filepath.FromSlash(name)), data)
}

// finish writes the data, then the index, then removes the pages of earlier runs that nothing leads
// to any more.
func (f *Folder) finish(data any, index []byte, folders ...string) error {
	b, err := encode(data)
	if err == nil {
		err = f.put(dataName, b)
	}
	if err == nil {
		err = f.put(indexName, index)
	}
	if err != nil {
		return err
	}
	for _, folder := range folders {
		path := filepath.Join(f.dir, folder)
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			continue // there are none
		}
		list, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range list {
			name := e.Name()
			page := strings.HasSuffix(name, ".html") || strings.Contains(name, ".html.") &&
				strings.HasSuffix(name, ".new")
			if !page || f.names[strings.ToLower(folder+"/"+name)] || !e.Type().IsRegular() {
				continue
			}
			if err := os.Remove(filepath.Join(path, name)); err != nil {
				return err
			}
		}
		_ = os.Remove(path) // if nothing is left
	}
	return nil
}
