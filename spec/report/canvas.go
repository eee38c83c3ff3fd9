package report

import (
	"strings"
	"unicode"
)

// style is how a character stands out when colour is on.
type style uint8

const (
	plain style = iota
	faint
	bold
	alarm // what is wrong or broken
	care  // what needs a second look
	good  // what is saved or restored
)

// escapes are the terminal sequences of the styles.
var escapes = [...]string{"", "\x1b[2m", "\x1b[1m", "\x1b[1;31m", "\x1b[33m", "\x1b[32m"}

// line is one line of output, a grid of characters that is written in any order. It grows as
// needed; what is left of its start is cut off.
type line struct {
	runes  []rune
	styles []style
}

// put writes the text from the column on.
func (l *line) put(column int, text string, s style) {
	for _, r := range text {
		if column >= 0 {
			for len(l.runes) <= column {
				l.runes, l.styles = append(l.runes, ' '), append(l.styles, plain)
			}
			l.runes[column], l.styles[column] = r, s
		}
		column++
	}
}

// text is the line without space at its end, with colours if asked for.
func (l *line) text(color bool) string {
	end := len(l.runes)
	for end > 0 && l.runes[end-1] == ' ' {
		end--
	}
	if !color {
		return string(l.runes[:end])
	}
	var b strings.Builder
	now := plain
	for i, r := range l.runes[:end] {
		if s := l.styles[i]; s != now && (r != ' ' || now != plain) {
			if now != plain {
				b.WriteString("\x1b[0m")
			}
			b.WriteString(escapes[s])
			now = s
		}
		b.WriteRune(r)
	}
	if now != plain {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// width is the number of columns that a text takes.
func width(s string) int { return len([]rune(s)) }

// clean makes a text safe for one line: no control characters, which could move the cursor or break
// a row.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// squeeze shortens a name to so many columns: its first character and its end, which is where the
// names of procs differ.
func squeeze(s string, columns int) string {
	r := []rune(s)
	switch {
	case len(r) <= columns:
		return s
	case columns <= 0:
		return ""
	}
	return string(r[:1]) + string(r[len(r)-columns+1:])
}

// clip leaves out what does not fit into so many columns.
func clip(s string, columns int) string {
	r := []rune(s)
	return string(r[:max(min(len(r), columns), 0)])
}

// middle shortens a text to so many columns, in its middle; at least 8 are kept.
func middle(s string, columns int) string {
	r := []rune(s)
	columns = max(columns, 8)
	if len(r) <= columns {
		return s
	}
	head := (columns - 3) * 2 / 3
	return string(r[:head]) + "..." + string(r[len(r)-(columns-3-head):])
}

// wrap breaks a text at spaces into lines of at most so many columns; a longer word is broken.
// There is at least one line.
func wrap(s string, columns int) []string {
	columns = max(columns, 8)
	var lines []string
	now := ""
	for _, word := range strings.Fields(s) {
		if now != "" && width(now)+1+width(word) <= columns {
			now += " " + word
			continue
		}
		if now != "" {
			lines = append(lines, now)
		}
		for r := []rune(word); len(r) > columns; r = []rune(word) {
			lines = append(lines, string(r[:columns]))
			word = string(r[columns:])
		}
		now = word
	}
	return append(lines, now)
}
