// Package look is what all pages of reports have in common: colours for the light and the dark,
// the style of texts, controls and tables, and how styles and scripts are put into a page.
package look

import (
	_ "embed" // the rules
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// Colour is a variable of a style sheet with its two values.
type Colour struct{ Name, Light, Dark string }

// Colours declares variables: light or dark as the reader prefers or the attribute data-theme
// ("light", "dark") of the root says, light in print.
func Colours(list []Colour) string {
	var light, dark strings.Builder
	for _, c := range list {
		fmt.Fprintf(&light, "--%s:%s;", c.Name, c.Light)
		fmt.Fprintf(&dark, "--%s:%s;", c.Name, c.Dark)
	}
	return ":root{" + light.String() + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){" +
		dark.String() + "}}\n@media screen{:root[data-theme=dark]{" + dark.String() + "}}\n"
}

// own are colours of pages beside those of figures.
var own = []Colour{
	{"rule", "#dde1e6", "#31373f"},
	{"tint", "#f4f6f8", "#1b2027"},
	{"link", "#0b57a4", "#7db8f5"},
	{"pick", "#e8f0fa", "#1c2b3b"},      // the ground of what is chosen
	{"minus", "#9a3412", "#f2a97f"},     // what was
	{"care-tint", "#fbf3e2", "#2c2415"}, // the ground of a warning
}

//go:embed asset/look.css
var rules string

// Style is the element with the style of a page: what all have in common, of a figure what its
// package says, and the rules of the page alone.
func Style(figure string, colours []Colour, css string) template.HTML {
	return element("style", Small(figure+Colours(own)+Colours(colours)+rules+css))
}

// Script is the element with the scripts of a page, one behind the other in one function, so that
// they share names with each other and with nobody else.
func Script(parts ...string) template.HTML { return element("script", Program(parts...)) }

// Program is the text of that element.
func Program(parts ...string) string {
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(small(p))
	}
	return "\"use strict\";\n(() => {\n" + all.String() + "})();\n"
}

// Open is the element with a script whose names others may use.
func Open(script string) template.HTML {
	return element("script", "\"use strict\";\n"+small(script))
}

// element is one whose text is ours.
func element(name, text string) template.HTML {
	return template.HTML("<" + name + ">\n" + text + "</" + name + ">")
}

// comment is one that stands at the beginning of a line, in a style sheet or a script.
var comment = regexp.MustCompile(`(?m)^[\t ]*(//.*|/\*([^*]|\*[^/])*\*/)$`)

// loose is white space that a style sheet can do without, and strings, which stay what they are.
var loose = regexp.MustCompile(`"[^"]*"|;?\s*}\s*|\s*([{;,])\s*|:\s+`)

// Small is a style sheet without comments and without white space that says nothing.
func Small(css string) string {
	text := loose.ReplaceAllStringFunc(comment.ReplaceAllString(css, ""), func(s string) string {
		switch {
		case s[0] == '"':
			return s
		case strings.Contains(s, "}"):
			return "}"
		}
		return strings.TrimSpace(s)
	})
	return strings.TrimSpace(text) + "\n"
}

// small is a script without comments and indentation.
func small(text string) string {
	var b strings.Builder
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		if line = strings.TrimLeft(line, "\t "); line != "\n" {
			b.WriteString(line)
		}
	}
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}
