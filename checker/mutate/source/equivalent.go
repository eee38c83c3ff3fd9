package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// EquivalentFile is the name of the text, beside the source of a package, of the mutants that do
// what the original does.
const EquivalentFile = "equivalent.txt"

// Equivalent is an entry of it: a mutant, and the argument why nobody can tell.
//
//	survivor.go layer.evaluate
//		- l.s.Frontier = 0
//		+ (nothing)
//		The frontier is 0 since the rank has joined the round.
//
// What is said twice in a function has its number behind the function, as in "layer.evaluate #2".
type Equivalent struct {
	File, Function string
	Nth            int
	Before, After  string
	Why            string
	Line           int // in the text
}

// ReadEquivalent reads the text of the package, if there is one.
func ReadEquivalent(folder string) ([]Equivalent, error) {
	at := filepath.Join(folder, EquivalentFile)
	data, err := os.ReadFile(at)
	if missing(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return parseEquivalent(at, string(data))
}

func parseEquivalent(name, text string) (list []Equivalent, err error) {
	for n, l := range strings.Split(text, "\n") {
		bad := func(want string) error {
			return fmt.Errorf("%s:%d: want %s", name, n+1, want)
		}
		rest, indented := strings.CutPrefix(l, "\t")
		switch {
		case strings.TrimSpace(l) == "" || l[0] == '#':
		case !indented:
			words := strings.Fields(l)
			e := Equivalent{Nth: 1, Line: n + 1}
			if len(words) == 3 {
				if e.Nth, err = strconv.Atoi(strings.TrimPrefix(words[2], "#")); err != nil {
					return nil, bad("FILE FUNCTION #NUMBER")
				}
			} else if len(words) != 2 {
				return nil, bad("FILE FUNCTION, or FILE FUNCTION #NUMBER")
			}
			e.File, e.Function = words[0], words[1]
			list = append(list, e)
		case len(list) == 0:
			return nil, bad("FILE FUNCTION before the lines of an entry")
		default:
			if !list[len(list)-1].add(rest) {
				return nil, bad("a line \"- before\", a line \"+ after\", and why, in this order")
			}
		}
	}
	for _, e := range list {
		if e.Before == "" || e.After == "" || e.Why == "" {
			return nil, fmt.Errorf("%s:%d: want what is before, what is after, and why", name,
				e.Line)
		}
	}
	return list, nil
}

// add takes a line of an entry.
func (e *Equivalent) add(text string) bool {
	before, isBefore := strings.CutPrefix(text, "- ")
	after, isAfter := strings.CutPrefix(text, "+ ")
	switch {
	case isBefore && e.Before == "":
		e.Before = before
	case isAfter && e.Before != "" && e.After == "":
		e.After = after
	case e.After != "":
		e.Why = strings.TrimSpace(e.Why + " " + strings.TrimSpace(text))
	default:
		return false
	}
	return true
}

// is reports whether an entry is about the mutant.
func (e *Equivalent) is(m *Mutant) bool {
	return e.File == m.File && e.Function == m.Function && e.Before == m.Before &&
		e.After == orNothing(m.After) && e.Nth == m.Nth
}

// equivalents finds the entries of the packages: why each of their mutants is equivalent, and the
// entries that are about none any more.
func (c *Campaign) equivalents() (why map[*Mutant]string, stale []string, err error) {
	why = map[*Mutant]string{}
	for _, p := range c.Packages {
		list, err := ReadEquivalent(p.folder)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range list {
			found := false
			for _, m := range p.Mutants {
				if e.is(m) {
					why[m], found = e.Why, true
				}
			}
			if !found {
				stale = append(stale, fmt.Sprintf("%s:%d: %s %s: %s -> %s", filepath.Join(
					p.folder, EquivalentFile), e.Line, e.File, e.Function, e.Before, e.After))
			}
		}
	}
	return why, stale, nil
}
