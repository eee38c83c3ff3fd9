package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// parseHosts reads hosts from a file, one a line, ADDRESS [LAUNCHER ...], or from the text itself,
// ADDRESS[=LAUNCHER ...], separated by commas. A # begins a comment.
func parseHosts(text string) (list []cluster.Host, err error) {
	if text == "" {
		return nil, nil
	}
	var lines []string
	if content, err := os.ReadFile(text); err == nil {
		lines = strings.Split(string(content), "\n")
	} else if strings.ContainsRune(text, os.PathSeparator) && !strings.ContainsAny(text, "=,") {
		return nil, fmt.Errorf("--hosts: %w", err)
	} else {
		for _, entry := range splitOutside(text, ',') {
			address, launcher, _ := strings.Cut(entry, "=")
			lines = append(lines, address+" "+launcher)
		}
	}
	for i, line := range lines {
		words, err := splitWords(line)
		if err != nil {
			return nil, fmt.Errorf("--hosts: host %d: %w", i+1, err)
		}
		if len(words) > 0 {
			list = append(list, cluster.Host{Address: words[0],
				Launcher: words[1:len(words):len(words)]})
			if len(words) == 1 {
				list[len(list)-1].Launcher = nil
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--hosts %s: no hosts", text)
	}
	return list, nil
}

// splitOutside splits at a separator that is not quoted.
func splitOutside(text string, separator rune) (parts []string) {
	var quote rune
	start := 0
	for i, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == separator:
			parts, start = append(parts, text[start:i]), i+len(string(r))
		}
	}
	return append(parts, text[start:])
}

// splitWords splits a command line at spaces. Single and double quotes keep what is in them as it
// is; nothing is expanded.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	some := false
	end := func() {
		if some {
			words = append(words, word.String())
		}
		word.Reset()
		some = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, some = r, true
		case quote == 0 && r == '#' && !some:
			return words, nil
		case quote == 0 && (r == ' ' || r == '\t' || r == '\r'):
			end()
		default:
			word.WriteRune(r)
			some = true
		}
	}
	if end(); quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	return words, nil
}
