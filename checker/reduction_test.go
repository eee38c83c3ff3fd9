package checker_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
)

// TestParseReduction reads lists of reductions: what is written is read again, and all is what
// every protocol can have.
func TestParseReduction(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		ok         bool
	}{
		{"none", "none", true},
		{"ranks", "ranks", true},
		{"all", "singletons,crashes,sleep,sets,symmetry,alone", true},
		{"alone,singletons", "singletons,alone", true},
		{"rank", "none", false},
		{"", "none", false},
	} {
		r, err := checker.ParseReduction(tt.text)
		if r.String() != tt.want || err == nil != tt.ok {
			t.Errorf("%q is %q, %v, want %q", tt.text, r, err, tt.want)
		}
	}
}
