package coordinated_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/coordinated"
	"github.com/domino-check/domino/impl/protocol/part/roundtrip"
	"github.com/domino-check/domino/spec/trace"
)

func parse(t *testing.T, text string) (trace.Layout, []core.Program) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Layout{Names: names, Ranks: len(names)}, programs
}

// setup prepares two ranks that send each other messages.
func setup(t *testing.T, options string) *core.Setup {
	t.Helper()
	layout, programs := parse(t, "a: send b; recv b\nb: recv a; send a")
	p := coordinated.Protocol
	s, err := p.Make(protocol.Request{Layout: layout, Programs: programs, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoAllocation: a round trip allocates nothing in the layers once their queues are warm. The
// host around them is left out: it makes the payloads of programs without numbers.
func TestNoAllocation(t *testing.T) {
	for _, options := range []string{"style=blocking", "style=markers"} {
		n, err := roundtrip.Allocations(setup(t, options), 2000)
		if err != nil || n != 0 {
			t.Errorf("%s: %v allocations, want 0; %v", options, n, err)
		}
	}
}

// TestClusters: whatever a scenario says about clusters, everybody is one group.
func TestClusters(t *testing.T) {
	layout, programs := parse(t, "a: send b\nb: recv a\nc: send a; send b")
	layout.Clusters = []int{0, 1, 1}
	s, err := coordinated.Protocol.Setup(protocol.Request{Layout: layout, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	for p := range core.Proc(3) {
		if g := s.Group(p); len(g) != 3 || !s.Layout.SameCluster(0, p) {
			t.Errorf("the group of %d is %v", p, g)
		}
	}
}

// TestRefused: options that mean nothing, and layouts without ranks.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"style=marker":  "want one of blocking, markers",
		"styl=markers":  "unknown, did you mean",
		"markers":       "option \"markers\": unknown",
		"style=markers": "",
	} {
		err := coordinated.Protocol.Accept(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err := coordinated.Protocol.Setup(protocol.Request{Layout: trace.Layout{}})
	if err == nil || !strings.Contains(err.Error(), "want at least 1") {
		t.Errorf("no ranks: %v", err)
	}
}
