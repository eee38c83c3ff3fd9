package causal_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// TestQuiet refuses programs of which a message is on its way during a checkpoint, in either
// direction, and accepts those of which none is or nobody can know before they run.
func TestQuiet(t *testing.T) {
	for _, tt := range []struct{ program, want string }{
		{"a: send b m; checkpoint\nb: checkpoint; recv a",
			"b receives from a behind its checkpoint what is sent before it: checkpoint 1"},
		{"a: checkpoint; send b m\nb: recv a; checkpoint",
			"b receives from a before its checkpoint what is sent behind it: checkpoint 1"},
		{"a: checkpoint; send b m; checkpoint\nb: checkpoint; checkpoint; recv a", "checkpoint 2"},
		{"a: send b m; checkpoint\nb: checkpoint; recv *",
			"b receives from a behind its checkpoint what is sent before it"},
		{"a: send b m; checkpoint\nb: recv *; checkpoint; recv *\nc: send b n; checkpoint",
			"b receives behind its checkpoint what is sent before it"},
		{"a: send b m; checkpoint\nb: recv *; recv *; checkpoint\nc: checkpoint; send b n",
			"b receives before its checkpoint what is sent behind it"},
		{"a: send b m; checkpoint; send b n\nb: recv a; checkpoint; recv a", ""},
		{"a: send b m; checkpoint; send b o\nb: recv *; recv c; checkpoint; recv *\nc: send b n; " +
			"checkpoint", ""},
		{"a: send b m; checkpoint\nb: post a; wait; checkpoint", ""},
		{"a: send b m; checkpoint; recv b\nb: checkpoint; recv a; reply", ""}, // a reply: to whom?
		{"a: send b m\nb: recv a", ""},
		{"a: loop 3; send b m; checkpoint; end\nb: loop 3; recv a; checkpoint; end", ""},
		{"a: loop 3; send b m; checkpoint; end\nb: loop 3; checkpoint; recv a; end",
			"checkpoint 1"},
	} {
		names, programs, err := script.Parse(tt.program, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = causal.NewSetup(trace.Layout{Names: names, Ranks: len(names)}, programs,
			causal.Options{F: 1})
		if tt.want == "" && err != nil || tt.want != "" &&
			(err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s\ngot %v, want %q", tt.program, err, tt.want)
		}
	}
}
