// Package scenarios reads scenario files: one named run each, with the program, the protocol, the
// clusters, what may fail, and the expected verdict. The files in the folders beside this one, one
// for each protocol or family, are embedded in the binary.
//
// A file is a txtar archive. Its comment is prose; the first line is the title. Section "scenario"
// has one "key: value" a line, section "program" the program of each rank (see
// impl/program/script), and an optional section "schedule" the events of one run, a line each,
// which makes the file a replay file.
//
// This package knows no protocol and no program: names are resolved by checker/verify.
package scenarios

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/domino-check/domino/spec/fault"
)

// Scenario is one run to check. Names of ranks are unresolved.
type Scenario struct {
	Name     string `json:"name"` // base name of the file
	File     string `json:"file"` // where it was read, for errors
	Title    string `json:"title"`
	Prose    string `json:"-"`
	Source   string `json:"source,omitempty"` // paper and figure
	Protocol string `json:"protocol"`
	Variant  string `json:"variant"` // "repaired", "published", or "repaired+H3+H5"
	// of the protocol, e.g. "loggers=next mode=semi"
	Options string `json:"options,omitempty"`
	// of the protocol, e.g. "crmig light(1) autor abort"
	Policies string `json:"policies,omitempty"`
	Clusters string `json:"clusters"`
	// how many of each kind of proc, of a protocol without programs
	Roles string `json:"roles,omitempty"`
	// failures at a time that the protocol is to tolerate; nil = its default
	Tolerates *int `json:"tolerates,omitempty"`
	// generated program, e.g. "ring 3"; "" when Program is given
	Shape   string      `json:"program,omitempty"`
	Program string      `json:"-"`
	Model   fault.Model `json:"model"`
	Victims []string    `json:"victims,omitempty"`
	Spoils  []string    `json:"spoils,omitempty"` // procs whose records are not safe
	// Interchangeable ranks: renaming them leaves the programs and everything else as it is.
	Interchangeable []string `json:"interchangeable,omitempty"`
	Expect          string   `json:"expect"` // verdict
	// property that is broken when the verdict is "violated"
	Breaks string `json:"breaks,omitempty"`
	// exact number of states of the default search, 0 = not recorded
	States int `json:"states,omitempty"`
	// Sometimes properties without which the run is vacuous
	MustSee []string `json:"mustSee,omitempty"`
	Erratum string   `json:"erratum,omitempty"` // the smallest run of this erratum
	// explore although the program is outside the protocol's model
	Force bool `json:"force,omitempty"`
	// takes more than a few seconds: explored only when asked for
	Long bool `json:"long,omitempty"`
	// one of those that a check without names explores
	Tour     bool     `json:"tour,omitempty"`
	Schedule []string `json:"schedule,omitempty"` // events of one run, for replay

	lines        map[string]int // line of each key
	programLine  int
	scheduleLine int
}

//go:embed */*.txtar
var embedded embed.FS

// Embedded returns all scenarios of the binary, by the name of their file.
func Embedded() ([]*Scenario, error) {
	files, err := fs.Glob(embedded, "*/*.txtar")
	if err != nil {
		return nil, fmt.Errorf("scenarios: list embedded files: %w", err)
	}
	var list []*Scenario
	for _, file := range files {
		data, err := embedded.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("scenarios: read %s: %w", file, err)
		}
		s, err := Parse(file, data)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b *Scenario) int {
		return strings.Compare(path.Base(a.File), path.Base(b.File))
	})
	return list, nil
}

// Named finds the scenarios whose name, or name with folder ("hydee/s1"), matches a pattern as in
// path.Match, in the order of the list.
func Named(list []*Scenario, pattern string) (found []*Scenario, err error) {
	for _, s := range list {
		short, err := path.Match(pattern, s.Name)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		if full, _ := path.Match(pattern, strings.TrimSuffix(s.File, ".txtar")); short || full {
			found = append(found, s)
		}
	}
	return found, nil
}

// Load reads a scenario file from disk.
func Load(file string) (*Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("scenarios: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("scenarios: %w", err)
	case len(data) > mostBytes:
		return nil, fmt.Errorf("scenarios: %s has more than %d bytes, so it is no scenario", file,
			mostBytes)
	}
	return Parse(file, data)
}

// mostBytes is how long the text of a scenario may be: some files have no end.
const mostBytes = 64 << 20

// Parse reads the text of a scenario; errors carry file and line.
func Parse(file string, data []byte) (*Scenario, error) {
	s := &Scenario{File: file, Name: strings.TrimSuffix(path.Base(file), ".txtar"),
		Variant: "repaired", Expect: "holds",
		lines: map[string]int{}}
	archive := txtar.Parse(data)
	s.Title, s.Prose, _ = strings.Cut(strings.TrimSpace(string(archive.Comment)), "\n")
	if len(archive.Files) == 0 {
		return nil,
			fmt.Errorf(
				"%s:1: no section; a scenario needs \"-- scenario --\" and \"-- program --\"", file)
	}
	seen := map[string]bool{}
	for _, f := range archive.Files {
		first := lineOf(data, f.Name, seen[f.Name]) + 1
		if seen[f.Name] {
			return nil, fmt.Errorf("%s:%d: second section %q", file, first-1, f.Name)
		}
		seen[f.Name] = true
		switch f.Name {
		case "scenario":
			if err := s.header(string(f.Data), first); err != nil {
				return nil, err
			}
		case "program":
			s.Program, s.programLine = string(f.Data), first
		case "schedule":
			s.Schedule, s.scheduleLine = nonEmpty(string(f.Data)), first
		default:
			return nil, fmt.Errorf("%s:%d: unknown section %q, want scenario, program or schedule",
				file, first-1, f.Name)
		}
	}
	if !seen["scenario"] {
		return nil, fmt.Errorf("%s:1: section \"-- scenario --\" is missing", file)
	}
	return s, s.complete(seen)
}

func (s *Scenario) complete(seen map[string]bool) error {
	switch {
	case s.Protocol == "":
		return s.Errorf("protocol", "no protocol is named")
	case s.Roles != "" && (s.Shape != "" || seen["program"]):
		return s.Errorf("roles", "procs with roles have no program")
	case s.Shape == "" && s.Roles == "" && !seen["program"]:
		return s.Errorf("program",
			"no program: write a section \"-- program --\" or \"program: NAME N\"")
	case s.Shape != "" && seen["program"]:
		return s.Errorf("program", "two programs, one named and one written")
	}
	return nil
}

// Errorf is an error about a key, with file and line.
func (s *Scenario) Errorf(key, format string, args ...any) error {
	line := max(1, s.lines[key])
	switch key {
	case "-- program --":
		line = s.programLine
	case "-- schedule --":
		line = s.scheduleLine
	}
	return fmt.Errorf("%s:%d: %w", s.File, line, fmt.Errorf(format, args...))
}

// Line is where the file says which answer it expects, or else what it is about.
func (s *Scenario) Line() int { return max(1, cmp.Or(s.lines["expect"], s.lines["protocol"])) }

// ProgramLine is the line on which the written program begins.
func (s *Scenario) ProgramLine() int { return s.programLine }

// lineOf is the line of the marker of a section, of its second one if asked.
func lineOf(data []byte, section string, second bool) int {
	for i, line := range strings.Split(string(data), "\n") {
		if strings.TrimRight(line, " \t\r") != "-- "+section+" --" {
			continue
		}
		if !second {
			return i + 1
		}
		second = false
	}
	return 1
}

func nonEmpty(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// header reads the "key: value" lines.
func (s *Scenario) header(text string, first int) error {
	for i, raw := range strings.Split(text, "\n") {
		line := strings.TrimSpace(raw)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || value == "" {
			return fmt.Errorf("%s:%d: want \"key: value\", got %q", s.File, first+i, line)
		}
		if _, twice := s.lines[key]; twice {
			return fmt.Errorf("%s:%d: %s is given twice", s.File, first+i, key)
		}
		s.lines[key] = first + i
		if err := s.Set(key, value); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", s.File, first+i, key, err)
		}
	}
	return nil
}
