package app

import (
	"strings"
	"testing"
)

// TestPaperErrors: who asks for what is not there is told what is near.
func TestPaperErrors(t *testing.T) {
	for line, want := range map[string]string{
		"paper hyde":                  `did you mean "hydee"?`,
		"paper hydee fig-11":          `has no claim "fig-11", did you mean "fig-1"?`,
		"paper hydee nowhere-*":       `hydee has no claim "nowhere-*"`,
		"paper --json --markdown":     "--json contradicts --markdown",
		"paper hydee --quick=false":   "nothing else is made",
		"paper hydee fig-1 --measure": "unknown flag",
	} {
		code, out, errs := domino(t.Context(), strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %q %q, want %q", line, code, out, errs, want)
		}
	}
}
