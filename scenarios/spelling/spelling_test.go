package spelling_test

import (
	"testing"

	"github.com/domino-check/domino/scenarios/spelling"
)

// TestNearest gives the nearest of some names, and names to which none is near.
func TestNearest(t *testing.T) {
	commands := []string{"list", "check", "errata", "run", "replay", "minimise", "certify", "s1",
		"h1"}
	tests := []struct {
		name, given string
		known       []string
		want        string
	}{
		{"nothing known", "x", nil, ""},
		{"same", "ping", []string{"ring", "ping"}, "ping"},
		{"a letter is missing", "hyde", []string{"none", "hydee"}, "hydee"},
		{"a letter too many", "protocoll", []string{"program", "protocol"}, "protocol"},
		{"first of equals", "pinq", []string{"pine", "ping"}, "pine"},
		{"exchanged letters", "fialures", []string{"failures", "victims"}, "failures"},
		{"exchanged letters of a short name", "lsit", commands, "list"},
		{"case", "CHECK", commands, "check"},
		{"foreign letters", "chéck", commands, "check"},
		{"no name", "", commands, ""},
		{"one letter", "x", commands, ""},
		{"two letters are wrong", "cheat", commands, "check"},
		{"all is wrong", "show", commands, ""},
		{"another word", "sweep", commands, ""},
		{"something else", "--version", commands, ""},
		{"short and wrong", "zz", commands, ""},
		{"the number is wrong", "h2", commands, "h1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := spelling.Nearest(tt.given, tt.known)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			sentence := "."
			if tt.want != "" {
				sentence = `, did you mean "` + tt.want + `"?`
			}
			if got := spelling.Guess(tt.given, tt.known); got != sentence {
				t.Errorf("sentence %q, want %q", got, sentence)
			}
		})
	}
}
