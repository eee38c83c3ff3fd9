package app

import (
	"os"
	"regexp"
	"strings"

	"github.com/domino-check/domino/scenarios"
)

// plainWord is a word that every shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,+@%^-]+$`)

// word is a text as one word of a shell: who copies a command must not run what a file is called.
func word(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// scenarioWord is what a scenario is called on a command line: by its file, if it is in one that is
// there.
func scenarioWord(s *scenarios.Scenario) string {
	if info, err := os.Stat(s.File); err == nil && info.Mode().IsRegular() {
		return word(s.File)
	}
	return word(s.Name)
}
