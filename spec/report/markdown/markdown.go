// Package markdown writes text into Markdown so that it is shown as it is, whatever it says.
package markdown

import (
	"fmt"
	"strings"
)

// marks are the characters that mean something to Markdown, or to GitHub, within a line.
var marks = func() *strings.Replacer {
	pairs := []string{"\r", " ", "\n", " ", "\x00", "\uFFFD", "<", "&lt;", ">", "&gt;",
		"&", "&amp;", "://", "&#58;//"}
	for _, c := range "\\`*_[]#|~@$" {
		pairs = append(pairs, string(c), fmt.Sprintf("&#%d;", c))
	}
	return strings.NewReplacer(pairs...)
}()

// Line is text that is shown as it is, on one line: neither Markdown nor HTML sees anything in
// it.
func Line(text string) string {
	return marks.Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

// ticks is a run of backticks that is longer than each in the text, and has at least so many.
func ticks(text string, least int) string {
	most, now := 0, 0
	for _, r := range text {
		if now++; r != '`' {
			now = 0
		}
		most = max(most, now)
	}
	return strings.Repeat("`", max(least, most+1))
}

// Span is text as code within a line.
func Span(text string) string {
	text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	t := ticks(text, 1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return t + text + t
}

// Block is text as code on lines of its own, in a language.
func Block(language, text string) string {
	t := ticks(text, 3)
	text = strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n")
	return t + language + "\n" + text + "\n" + t + "\n"
}
