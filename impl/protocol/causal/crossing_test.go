package causal_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// TestBackwards refuses programs that wait before a checkpoint for what is sent behind it, and
// accepts all others: what crosses a checkpoint the other way is in an image, and of some programs
// nobody can know before they run.
func TestBackwards(t *testing.T) {
	const group = "\ngroup g: a > b; b > c"
	for _, tt := range []struct{ program, want string }{
		{"a: send b m; checkpoint\nb: checkpoint; recv a", ""},
		{"a: checkpoint; send b m\nb: recv a; checkpoint",
			"b waits before its checkpoint 1 for a message of a, sent behind it"},
		{"a: checkpoint; checkpoint; send b m\nb: checkpoint; recv a; checkpoint", "checkpoint 2"},
		{"a: send b m; checkpoint\nb: recv *; recv *; checkpoint\nc: checkpoint; send b n",
			"b waits before its checkpoint 1 for a message, sent behind it"},
		{"a: send b m; checkpoint\nb: recv *; checkpoint; recv *\nc: send b n; checkpoint", ""},
		{"a: send b m; checkpoint; send b n\nb: recv a; checkpoint; recv a", ""},
		{"a: loop 3; send b m; checkpoint; end\nb: loop 3; checkpoint; recv a; end", ""},
		{"a: loop 3; checkpoint; send b m; end\nb: loop 3; recv a; checkpoint; end",
			"checkpoint 1"},
		{"a: send b m\nb: recv a", ""},
		// what is posted
		{"a: checkpoint; send b m\nb: post a; checkpoint; wait", ""},
		{"a: checkpoint; send b m\nb: post a; wait; checkpoint", "a message of a"},
		{"a: send b m; checkpoint; send b n\nb: post a; recv a; checkpoint; wait",
			"a message of a"},
		{"a: send b m; checkpoint; send b n\nb: post *; recv a; checkpoint; wait", "a message"},
		{"a: send b m; checkpoint\nb: post c; recv a; checkpoint; wait\nc: checkpoint; send b n",
			""},
		// replies: to whoever is named, or to nobody knows whom
		{"a: send b m; checkpoint; recv b\nb: recv a; reply; checkpoint", ""},
		{"a: send b m; recv b; checkpoint\nb: recv a; checkpoint; reply", "a waits"},
		{"a: send b m; recv b; checkpoint\nb: recv *; checkpoint; reply", ""},
		{"a: send b m; recv b; checkpoint\nb: post a; wait; checkpoint; reply", ""},
		// collectives
		{"a: checkpoint; multicast g\nb: recv g; checkpoint\nc: checkpoint; recv g" + group,
			"b waits before its checkpoint 1 for a multicast to g"},
		{"a: multicast g; checkpoint\nb: recv g; checkpoint\nc: checkpoint; recv g" + group, ""},
		{"a: contribute g; recv g; checkpoint\nb: contribute g; checkpoint\n" +
			"c: checkpoint; contribute g" + group, "a result of g"},
		{"a: contribute g; checkpoint; recv g\nb: contribute g; checkpoint\n" +
			"c: checkpoint; contribute g" + group, ""},
		{"a: contribute g; checkpoint; recv g\nb: contribute g; checkpoint\n" +
			"c: contribute g; checkpoint" + group, ""},
		{"a: contribute g; recv *; checkpoint\nb: contribute g; checkpoint\n" +
			"c: checkpoint; contribute g" + group, "a message"},
		{"a: multicast g; multicast g; checkpoint\nb: recv *; recv *; checkpoint\n" +
			"c: recv g; checkpoint; recv g" + group, ""},
	} {
		suite, err := script.Read(tt.program, 1)
		if err != nil {
			t.Fatal(err)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
		_, err = camel.NewSetup(layout, suite.Programs, causal.Options{F: 1})
		if tt.want == "" && err != nil || tt.want != "" &&
			(err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s\ngot %v, want %q", tt.program, err, tt.want)
		}
	}
}

// TestRefuse is the text of the paper: nothing crosses a checkpoint either way, and nobody sends
// while a receive is posted.
func TestRefuse(t *testing.T) {
	for _, tt := range []struct{ program, want string }{
		{"a: send b m; checkpoint\nb: checkpoint; recv a",
			"b receives behind its checkpoint 1 a message of a, sent before it"},
		{"a: checkpoint; send b m\nb: recv a; checkpoint",
			"b receives before its checkpoint 1 a message of a, sent behind it"},
		{"a: checkpoint; send b m; checkpoint\nb: checkpoint; checkpoint; recv a", "checkpoint 2"},
		{"a: send b m; checkpoint\nb: checkpoint; recv *",
			"b receives behind its checkpoint 1 a message of a"},
		{"a: send b m; checkpoint\nb: recv *; checkpoint; recv *\nc: send b n; checkpoint",
			"b receives behind its checkpoint 1 a message, sent before it"},
		{"a: send b m; checkpoint\nb: recv *; recv *; checkpoint\nc: checkpoint; send b n",
			"b receives before its checkpoint 1 a message, sent behind it"},
		{"a: send b m; checkpoint; send b n\nb: recv a; checkpoint; recv a", ""},
		{"a: send b m; checkpoint; send b o\nb: recv *; recv c; checkpoint; recv *\nc: send b n; " +
			"checkpoint", ""},
		{"a: send b m; checkpoint\nb: post a; wait; checkpoint", ""},
		{"a: send b m; recv b\nb: post a; send a n; wait", "b sends while a posted receive"},
		{"a: send b m; recv b\nb: post a; wait; send a n", ""},
		{"a: send b m; checkpoint; recv b\nb: checkpoint; recv *; reply", ""}, // a reply: to whom?
		{"a: send b m; checkpoint\nb: recv a", "checkpoints are taken by all ranks together"},
	} {
		names, programs, err := script.Parse(tt.program, 1)
		if err != nil {
			t.Fatal(err)
		}
		err = causal.Refuse("causal", &trace.Layout{Names: names, Ranks: len(names)}, programs)
		if tt.want == "" && err != nil || tt.want != "" &&
			(err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s\ngot %v, want %q", tt.program, err, tt.want)
		}
	}
}
