package printed_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/camel/printed"
	"github.com/domino-check/domino/impl/runtime/census"
	"github.com/domino-check/domino/spec/trace"
)

func request(t *testing.T, text string) protocol.Request {
	t.Helper()
	suite, err := script.Read(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.Request{Programs: suite.Programs, Layout: trace.Layout{Names: suite.Names,
		Ranks: len(suite.Names), Trees: suite.Trees}}
}

// figure3 is [CAMEL] Figure 3(b), with one operation of the root and one of everybody else.
func figure3(root, member string) string {
	text := "group g: r > s t; s > u v; t > w x; x > y z\nr: " + root + "\n"
	for _, name := range strings.Split("stuvwxyz", "") {
		text += name + ": " + member + "\n"
	}
	return text
}

// TestFigure3 counts what section 3.1 says of Figure 3(b) without failures: a multicast is stored
// once, and of a reduction the two messages that reach the root, where the repaired protocol keeps
// four. A reduction makes a determinant for each of the two, a multicast one at each of the eight
// receivers.
func TestFigure3(t *testing.T) {
	tests := []struct {
		name, text                string
		copies, parts, seeds, det int
	}{
		{"multicast", figure3("multicast g m", "recv g"), 1, 0, 0, 8},
		{"reduction", figure3("contribute g; recv g", "contribute g"), 0, 2, 0, 2},
	}
	for _, tt := range tests {
		for seed := range uint64(20) {
			setup, err := printed.Form.Setup(request(t, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			n, err := census.Count(setup, seed, false)
			if err != nil {
				t.Fatal(err)
			}
			if n.Copies != tt.copies || n.Parts != tt.parts || n.Seeds != tt.seeds ||
				n.Determinants != tt.det {
				t.Errorf("%s, seed %d: %+v, want %d copies, %d parts, %d seeds, %d determinants",
					tt.name, seed, n, tt.copies, tt.parts, tt.seeds, tt.det)
			}
		}
	}
	setup, err := camel.Protocol.Setup(request(t, tests[1].text))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := census.Count(setup, 1, false); err != nil || n.Parts+n.Seeds != 4 {
		t.Errorf("repaired: %+v, %v, want 4 contributions", n, err)
	}
}

// TestRefused: what the printed form has no determinants for, and what its checkpoints have no
// room for, is refused with the reason.
func TestRefused(t *testing.T) {
	const group = "group g: r > t\n"
	tests := []struct{ root, child, want string }{
		{"contribute g; recv *; recv *", "send r a; contribute g", "r receives from anyone"},
		{"contribute g; post g; wait", "contribute g", "at any moment"},
		{"contribute g; checkpoint; recv g", "contribute g; checkpoint",
			"contributions are on their way at checkpoint 1"},
		{"checkpoint; contribute g; recv g", "contribute g; checkpoint",
			"contributions are on their way at checkpoint 1"},
		{"recv *; multicast g m", "send r a; recv g", ""},
		{"contribute g; recv g; checkpoint", "contribute g; checkpoint", ""},
		{"contribute g; recv g; checkpoint; contribute g; recv g",
			"contribute g; checkpoint; contribute g", ""},
	}
	for _, tt := range tests {
		text, want := group+"r: "+tt.root+"\nt: "+tt.child, tt.want
		_, err := printed.Form.Setup(request(t, text))
		if want == "" && err != nil || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%s\nerror %v, want ...%s...", text, err, want)
		}
	}
	r := request(t, group+"r: multicast g\nt: recv g")
	r.Layout.Trees = []trace.Tree{{Name: "g", Combine: core.Sum, Members: []core.Rank{0},
		Parents: []core.Rank{0}}}
	if _, err := printed.Form.Setup(r); err == nil {
		t.Error("a group of one is accepted")
	}
}
