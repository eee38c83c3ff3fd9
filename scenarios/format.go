package scenarios

import (
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/domino-check/domino/spec/fault"
)

// Format writes a scenario, with its schedule if it has one, as a file that Parse reads back to the
// same scenario.
func Format(s *Scenario) []byte {
	comment := s.Title + "\n" + s.Prose
	a := &txtar.Archive{Comment: []byte(strings.TrimSpace(comment) + "\n")}
	a.Files = append(a.Files, txtar.File{Name: "scenario", Data: []byte(header(s))})
	if s.Shape == "" && s.Roles == "" {
		a.Files = append(a.Files, txtar.File{Name: "program", Data: []byte(s.Program)})
	}
	if s.Schedule != nil {
		a.Files = append(a.Files, txtar.File{Name: "schedule",
			Data: []byte(strings.Join(s.Schedule, "\n") + "\n")})
	}
	return txtar.Format(a)
}

// header is the section with the keys.
func header(s *Scenario) string {
	var header strings.Builder
	put := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&header, "%s: %s\n", key, value)
		}
	}
	number := func(key string, n int) {
		if n != 0 {
			put(key, fmt.Sprint(n))
		}
	}
	flag := func(key string, set bool, value string) {
		if set {
			put(key, value)
		}
	}
	m := &s.Model
	put("source", s.Source)
	put("protocol", s.Protocol)
	put("variant", s.Variant)
	put("options", s.Options)
	put("program", s.Shape)
	put("clusters", s.Clusters)
	put("roles", s.Roles)
	if s.Tolerates != nil {
		put("tolerates", fmt.Sprint(*s.Tolerates))
	}
	number("failures", m.Failures)
	number("at-once", m.AtOnce)
	flag("at-once", m.OneInstant, "all")
	flag("spacing", m.Settled, "settled")
	number("overlap", m.Overlap)
	put("victims", strings.Join(s.Victims, " "))
	put("interchangeable", strings.Join(s.Interchangeable, " "))
	flag("stop", m.Staggered, "staggered")
	number("checkpoints", m.Checkpoints)
	flag("network", m.Unordered, "unordered")
	flag("network", m.Set, "set")
	flag("ignored", m.Selective, "kept")
	number("loss", m.Loss)
	number("duplicates", m.Duplicates)
	flag("from-dead", m.FromDead != fault.Prefix, survivals[m.FromDead])
	flag("to-dead", m.KeepToDead, "kept")
	flag("detect", m.DetectAny, "any")
	flag("notice", m.Joint, "joint")
	number("suspicions", m.Suspicions)
	number("torn", m.Torn)
	flag("force", s.Force, "yes")
	flag("long", s.Long, "yes")
	put("erratum", s.Erratum)
	put("expect", s.Expect)
	put("breaks", s.Breaks)
	number("states", s.States)
	put("must-see", strings.Join(s.MustSee, " "))
	return header.String()
}

// Nearest is the known name with the smallest edit distance to the given one, "" when there are
// none.
func Nearest(name string, known []string) string {
	best, least := "", 1<<30
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
