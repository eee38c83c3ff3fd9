package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The fates of mutants.
const (
	Killed    = "killed"
	Survived  = "survived"
	Uncovered = "uncovered" // no trial reaches the place
	Equal     = "equivalent"
	// nothing kills it, but some searches hit a limit that the original does not
	Unanswered = "unanswered"
)

// Result is what has become of a mutant.
type Result struct {
	Mutant
	Fate    string   `json:"fate"`
	By      string   `json:"by,omitempty"`    // check or fuzz
	Trial   string   `json:"trial,omitempty"` // that has killed it
	Why     string   `json:"why,omitempty"`   // or why it is equivalent
	Trials  int      `json:"trials"`          // that it was asked
	Open    []string `json:"open,omitempty"`  // those that have hit a limit
	Seconds float64  `json:"seconds"`
	Source  string   `json:"source"` // digest of the package
	Budget  string   `json:"budget"` // of one that lives: digest of what it has survived
}

// key tells the mutants of one state of the source apart.
func (r *Result) key() string { return r.Source + " " + r.Name() + " " + r.Operator }

// results reads those of former campaigns.
func results(file string) (map[string]*Result, error) {
	known := map[string]*Result{}
	if file == "" {
		return known, nil
	}
	data, err := os.ReadFile(file)
	if missing(err) {
		return known, nil
	} else if err != nil {
		return nil, err
	}
	for n, l := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		r := new(Result)
		if err := json.Unmarshal(l, r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
		known[r.key()] = r // a later line is a later answer
	}
	return known, nil
}

// keep adds a result to the file.
func (c *Campaign) keep(r *Result) error {
	if c.Out == "" {
		return nil
	}
	f, err := os.OpenFile(c.Out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(r)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// digest is that of the files of a package.
func (m *Module) digest(path string) (string, error) {
	h := sha256.New()
	p := m.packages[path]
	for _, name := range slices.Concat(p.GoFiles, p.EmbedFiles) {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// Digest is that of the program: all of its packages but those of the standard library.
func (m *Module) Digest() (string, error) {
	var paths []string
	for path, p := range m.packages {
		if !p.Standard {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	h := sha256.New()
	for _, path := range paths {
		d, err := m.digest(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, path, d)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
