package figure

import (
	"strconv"
	"strings"
	"unicode"
)

// Sizes of type, and what a character of it is wide: fonts of fixed width differ by 2 %.
const (
	labelSize = 11.0
	nameSize  = 12.0
	smallSize = 9.5
	advance   = 0.602
)

// mostColumns is the longest label; what is longer is cut in the middle and whole in its title.
const mostColumns = 22

func itoa(n int) string { return strconv.Itoa(n) }

// clean makes a text safe to stand in a document and in one line: no control characters, nothing
// that turns the direction of what follows.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f,
			r == 0x061c, r == 0xfeff, r == 0xfffe, r == 0xffff:
			return -1
		case unicode.IsControl(r), r == 0x2028, r == 0x2029:
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;",
	"'", "&#39;")

// escape writes a text so that it is neither markup nor the end of an attribute.
func escape(s string) string { return escapes.Replace(clean(s)) }

// columns is how many fixed columns a text takes: two for a wide character, none for one that
// stands on another.
func columns(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana,
			unicode.Katakana), r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff,
			r >= 0x3000 && r <= 0x303f:
			n += 2
		default:
			n++
		}
	}
	return n
}

// textWidth is the width of a text in pixels.
func textWidth(s string, size float64) float64 { return float64(columns(s)) * size * advance }

// short cuts a text in its middle to so many columns.
func short(s string, most int) string {
	s = clean(s)
	if columns(s) <= most {
		return s
	}
	runes := []rune(s)
	head, tail, n := 0, len(runes), 1
	for head < tail {
		if w := columns(string(runes[head])); n+w <= most {
			n, head = n+w, head+1
		} else {
			break
		}
		if w := columns(string(runes[tail-1])); head < tail && n+w <= most {
			n, tail = n+w, tail-1
		} else {
			break
		}
	}
	return string(runes[:head]) + "\u2026" + string(runes[tail:])
}

// number writes a coordinate with one decimal at most.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// wrapWords joins words with commas into lines of so many columns.
func wrapWords(words []string, most int) (lines []string) {
	now := ""
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		if now != "" && columns(now)+1+columns(w) > most {
			lines, now = append(lines, now), ""
		}
		if now != "" {
			now += " "
		}
		now += w
	}
	return append(lines, now)
}
