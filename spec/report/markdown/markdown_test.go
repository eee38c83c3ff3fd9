package markdown_test

import (
	"html"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/report/markdown"
)

// TestLine writes what means something to Markdown, HTML and GitHub: none of it is left, and who
// reads the references has the text again, on one line.
func TestLine(t *testing.T) {
	const evil = "<b> & [a](x) `c` *d* _e_ | f ~g~ @h #1 $i$ \\j https://k"
	got := markdown.Line(evil)
	if bare := strings.ReplaceAll(got, "&#", "&"); strings.ContainsAny(bare, "<>[]`*_|~@#$\\") ||
		strings.Contains(got, "://") {
		t.Errorf("left: %s", got)
	}
	if back := html.UnescapeString(got); back != evil {
		t.Errorf("it is read as %q", back)
	}
	if got := markdown.Line("a\r\nb\x00\xff"); got != "a  b\uFFFD\uFFFD" {
		t.Errorf("got %q", got)
	}
}

// TestCode writes code with backticks: the fence is longer than each run of them.
func TestCode(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{markdown.Span("a b"), "`a b`"},
		{markdown.Span("`a``b"), "``` `a``b ```"},
		{markdown.Span("a\nb"), "`a b`"},
		{markdown.Block("text", "a\n\n"), "```text\na\n```\n"},
		{markdown.Block("", "````\nb"), "`````\n````\nb\n`````\n"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
