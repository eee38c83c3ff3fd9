package ho_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/ho"
	"github.com/domino-check/domino/spec/trace"
)

// TestRefused: programs whose order of receptions does not follow from the program alone, at the
// rank that it is about.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		text   string
		errata core.Switches
		rank   core.Rank
		want   string
	}{
		{"a: send b\nb: recv a", 0, 0, ""},
		{"a: send b\nb: recv *", 0, 1, "operation 1 receives from anyone"},
		{"a: post b; wait\nb: send a", 0, 0, "operation 1 posts a receive"},
		{"a: send b\nb: recv *", core.Switches(0).With(ho.HO1), 0, ""},
		{"a: send b\nb: recv *", core.Switches(0).With(ho.HO2), 0, ""},
	} {
		names, programs, err := script.Parse(c.text, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ho.Protocol.Setup(protocol.Request{Programs: programs, Errata: c.errata,
			Layout: trace.Layout{Names: names, Ranks: len(names)}})
		var choice *core.ChoiceError
		switch {
		case (err == nil) != (c.want == ""):
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		case err != nil && (!errors.As(err, &choice) || choice.Rank != c.rank ||
			!strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: %v, want %q at rank %d", c.text, err, c.want, c.rank)
		}
	}
}
