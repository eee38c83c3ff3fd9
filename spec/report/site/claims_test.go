package site

import (
	"strings"
	"testing"
)

// TestClaims writes claims of three shapes: with values beside each other, with values of their
// own, and with none; a value that is not as printed is marked in words, and text is escaped.
func TestClaims(t *testing.T) {
	c := &Claims{Heading: "A <paper>", Sums: []ClaimSum{{"contradicted", "bad", []string{"t-1"}}},
		Claims: []Claim{
			{ID: "t-1", Says: "a & b", Where: "Table 1", Method: "graph", Status: "contradicted",
				Class: "bad", Tables: []ClaimTable{{[]string{"x, %", "y"}, []ClaimRow{{Name: "r",
					Status: "contradicted", Class: "bad", Cells: []ClaimCell{{Printed: "≤ 1",
						Ours: "2", Class: "bad", Status: "contradicted"}, {}}}}},
					{[]string{"u"}, []ClaimRow{{Name: "r", Cells: []ClaimCell{{}}}}}},
				Rest: []ClaimRow{{Name: "z", Cells: []ClaimCell{{Printed: "3", Ours: "3"}}}},
				Notes: []ClaimNote{{"contradicted by a run", "bad", "r x", "1 < 2"},
					{Why: "all"}},
				Agreeing: []ClaimNote{{"reproduced", "good", "z", "3"}}, Command: "domino plan"},
			{ID: "t-2", Says: "nothing"}}}
	b, err := c.Render()
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for text, want := range map[string]int{"<table": 3, `class="bare"`: 1, "A &lt;paper&gt;": 1,
		`<span class="hidden"> contradicted</span>`: 1, "1 &lt; 2": 1, `href="#t-1"`: 2,
		`<details>`: 1, `colspan="2"`: 3, `<td class="n first"></td>`: 2,
		`"Values of t-1"`: 1, `"Values of t-1, table 2"`: 1, `"Other values of t-1"`: 1, "<code>": 1,
		"<script": 1, "http://": 0, "https://": 0} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
}
