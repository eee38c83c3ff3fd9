package fuzz

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/protocol/example/subject"
)

// TestNative runs inputs of a native fuzz target. Method: random bytes for the first attempt of the
// example must show its error within some inputs, as a scenario with a run that replays; the same
// bytes must break nothing of the repaired one; no bytes are a run without faults.
func TestNative(t *testing.T) {
	target := func(hasty bool) Target {
		p := subject.Protocol(hasty)
		p.Shapes.Failures, p.Shapes.Settings = 2, []string{"to-dead"}
		target, err := Trial{}.target(p)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	hasty, repaired := target(true), target(false)
	if f := hasty.bytes(t, nil); f != nil {
		t.Errorf("no bytes break %s", f.property)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 300 {
		data := make([]byte, 20+r.IntN(200))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		found := hasty.bytes(t, data)
		if f := repaired.bytes(t, data); f != nil {
			t.Fatalf("input %d breaks %s of the repaired protocol", n, f.property)
		}
		if found == nil {
			continue
		}
		s := found.scenario(found.draft.scenario())
		if err := hasty.replays(t.Context(), s); err != nil {
			t.Error(err)
		}
		text := actions(s, s.Schedule)
		if !strings.Contains(text, "-- program --") || !strings.Contains(text, "crash ") ||
			!strings.Contains(text, "   1  ") {
			t.Errorf("actions:\n%s", text)
		}
		t.Logf("input %d:\n%s", n, text)
		return
	}
	t.Error("nothing found in 300 inputs")
}
