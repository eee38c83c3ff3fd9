package scenarios

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/spec/report/wholefile"

	"golang.org/x/tools/txtar"
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

// Save writes a scenario to a file, as Format does, whole or not at all.
func Save(file string, s *Scenario) error {
	if err := wholefile.Write(file, Format(s)); err != nil {
		return fmt.Errorf("scenarios: %w", err)
	}
	return nil
}

// header is the section with the keys.
func header(s *Scenario) string {
	var header strings.Builder
	for _, k := range keys {
		if value := k.text(s); value != "" {
			fmt.Fprintf(&header, "%s: %s\n", k.Name, value)
		}
	}
	return header.String()
}

// SaveNew is Save for a file that must not be there yet.
func SaveNew(file string, s *Scenario) error {
	if err := wholefile.New(file, Format(s)); err != nil {
		return fmt.Errorf("scenarios: %w", err)
	}
	return nil
}
