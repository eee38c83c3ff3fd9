package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/trace"
)

// TestParse reads one program with every operation and compares it with the operations written out.
func TestParse(t *testing.T) {
	text := `
  # comment
a: send b x; send b; reply; reply again;; recv b; recv *; recv b ordered
b : post a; post * ordered ;wait;checkpoint; output; loop 3; end
c:
`
	names, programs, err := script.Parse(text, 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	want := []core.Program{
		{{Kind: core.OpSend, Peer: 1, Label: "x"}, {Kind: core.OpSend, Peer: 1},
			{Kind: core.OpSend, Any: true},
			{Kind: core.OpSend, Any: true, Label: "again"}, {Kind: core.OpRecv, Peer: 1},
			{Kind: core.OpRecv, Any: true},
			{Kind: core.OpRecv, Peer: 1, Ordered: true}},
		{{Kind: core.OpPost, Peer: 0}, {Kind: core.OpPost, Any: true, Ordered: true},
			{Kind: core.OpWait}, {Kind: core.OpCheckpoint},
			{Kind: core.OpOutput}, {Kind: core.OpLoop, Count: 3}, {Kind: core.OpEnd}},
		nil,
	}
	if diff := cmp.Diff(want, programs); diff != "" {
		t.Errorf("programs (-want +got):\n%s", diff)
	}
}

// crowd is a program with so many ranks.
func crowd(n int) string {
	var b strings.Builder
	for r := range n {
		fmt.Fprintf(&b, "r%d: wait\n", r)
	}
	return b.String()
}

// TestParseErrors gives bad programs with the exact error; the first line of the text is number 10.
func TestParseErrors(t *testing.T) {
	operations := "want send, reply, recv, post, wait, checkpoint, output, pick, loop, end, " +
		"try, onerror, ack or cancel"
	tests := []struct{ name, text, want string }{
		{"nothing", "", "line 10: the program has no ranks"},
		{"comments only", "# a: wait\n\n", "line 10: the program has no ranks"},
		{"no colon", "a: wait\nhello", `line 11: want "rank: operations", got "hello"`},
		{"a very long line", strings.Repeat("x", 1000), `line 10: want "rank: operations", got "` +
			strings.Repeat("x", 60) + `"`},
		{"too many ranks", crowd(4097),
			"line 4106: one rank too many, want at most 4096"},
		{"no name", ": wait", `line 10: want "rank: operations", got ": wait"`},
		{"two words as name", "a b: wait", `line 10: want "rank: operations", got "a b: wait"`},
		{"wildcard as name", "*: wait", `line 10: want "rank: operations", got "*: wait"`},
		{"separator as name", "a|b: wait", `line 10: want "rank: operations", got "a|b: wait"`},
		{"two programs", "a: wait\nb: wait\n\na: wait", "line 13: rank a has two programs"},
		{"unknown operation", "a: jump b", `line 10: rank a: unknown operation "jump", ` +
			operations},
		{"try of nothing", "a: wait; try", "line 10: rank a: try needs an operation"},
		{"the other order", "a: try onerror wait", `line 10: rank a: "try onerror wait", want ` +
			"each word once, and onerror before try"},
		{"try twice", "a: try try wait", `line 10: rank a: "try try wait", want each word once, ` +
			"and onerror before try"},
		{"upper case", "a: SEND b", `line 10: rank a: unknown operation "SEND", ` + operations},
		{"unknown rank", "a: wait\nb: send c",
			"line 11: rank b: rank c does not exist, there are a b"},
		{"unknown source", "a: recv c", "line 10: rank a: rank c does not exist, there are a"},
		{"send to all", "a: send *", "line 10: rank a: rank * does not exist, there are a"},
		{"send without rank", "a: send", "line 10: rank a: send needs a destination"},
		{"receive without rank", "a: recv", "line 10: rank a: recv needs a source, a rank or *"},
		{"post without rank", "a: post", "line 10: rank a: post needs a source, a rank or *"},
		{"send with too much", "a: send b x y\nb: wait", `line 10: rank a: send: unexpected "y"`},
		{"send of nothing", "a: send b x 0B\nb: wait",
			"line 10: rank a: send: a message of 0 bytes, want at least 8"},
		{"send of too little", "a: send b 7B\nb: wait",
			"line 10: rank a: program of rank 0: operation 1: 7 bytes, want [8, 1048576]"},
		{"send of too much", "a: send b 1048577B\nb: wait",
			"line 10: rank a: program of rank 0: operation 1: 1048577 bytes, want [8, 1048576]"},
		{"reply of less than nothing", "a: reply -1B",
			"line 10: rank a: program of rank 0: operation 1: -1 bytes, want [8, 1048576]"},
		{"send of two sizes", "a: send b 8B 9B x\nb: wait",
			`line 10: rank a: send: unexpected "9B x"`},
		{"reply with too much", "a: reply x y z", `line 10: rank a: reply: unexpected "y z"`},
		{"wait with something", "a: wait b", `line 10: rank a: wait: unexpected "b"`},
		{"end with something", "a: loop 1; end 1", `line 10: rank a: end: unexpected "1"`},
		{"receive with another word", "a: recv * sorted",
			`line 10: rank a: recv: unknown word "sorted", want ordered`},
		{"receive with too much", "a: recv * ordered now",
			`line 10: rank a: recv: unexpected "now"`},
		{"loop without count", "a: loop; end", "line 10: rank a: loop needs a count"},
		{"loop zero", "a: loop 0; end",
			`line 10: rank a: loop count "0", want a number of at least 1`},
		{"loop word", "a: loop x; end",
			`line 10: rank a: loop count "x", want a number of at least 1`},
		{"loop huge", "a: loop 99999999999999999999; end",
			`line 10: rank a: loop count "99999999999999999999", want a number of at least 1`},
		{"pick of nothing", "a: pick", "line 10: rank a: pick needs a count"},
		{"pick of one", "a: pick 1",
			`line 10: rank a: pick count "1", want a number of at least 2`},
		{"pick of too many", "a: wait; pick 65",
			"line 10: rank a: program of rank 0: operation 2: pick 65, want [2, 64]"},
		{"pick with too much", "a: pick 2 b", `line 10: rank a: pick: unexpected "b"`},
		{"pick that is tried", "a: try pick 2", "line 10: rank a: program of rank 0: operation " +
			"1: pick never ends in an error, want try with send, reply, recv, wait or an " +
			"operation on a group"},
		{"loop with too much", "a: loop 2 3; end", `line 10: rank a: loop: unexpected "3"`},
		{"loop open", "a: loop 2; wait", "line 10: rank a: program of rank 0: loop without end"},
		{"end alone", "a: wait\nb: end",
			"line 11: rank b: program of rank 1: operation 1: end without loop"},
		{"send to self", "a: send a",
			"line 10: rank a: program of rank 0: operation 1: a rank can not send to or receive " +
				"from itself"},
		{"too many sends", "a: loop 2000000; send b; end\nb: wait",
			"line 10: rank a: program of rank 0: operation 1: more than 1048576 steps, make the " +
				"loops shorter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := script.Parse(tt.text, 10)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// FuzzParse gives the parser any text: an error, or programs that are valid for their ranks.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: send b x\nb: recv *", "a: loop 2; reply; end",
		"a: post * ordered; wait", ":", "a:\n#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, programs, err := script.Parse(text, 1)
		if err != nil {
			return
		}
		if len(names) == 0 || len(names) != len(programs) {
			t.Fatalf("%d names, %d programs", len(names), len(programs))
		}
		for r, p := range programs {
			if err := p.Validate(core.Rank(r), len(names)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestGenerateErrors gives bad requests for generated programs with the exact error.
func TestGenerateErrors(t *testing.T) {
	all := "ring, stencil, wavefront, all-to-all, reduction, master-worker, domino"
	tests := []struct{ name, words, want string }{
		{"nothing", "", `program "", want NAME RANKS [ITERATIONS] with NAME one of ` + all},
		{"name only", "ring", `program "ring", want NAME RANKS [ITERATIONS] with NAME one of ` +
			all},
		{"too much", "ring 3 4 5",
			`program "ring 3 4 5", want NAME RANKS [ITERATIONS] with NAME one of ` + all},
		{"unknown", "rings 3", `unknown program "rings", want one of ` + all},
		{"too few ranks", "ring 1", `program ring for "1" ranks, want a number in [2, 4096]`},
		{"too few workers", "master-worker 2",
			`program master-worker for "2" ranks, want a number in [3, 4096]`},
		{"no number", "ring x", `program ring for "x" ranks, want a number in [2, 4096]`},
		{"negative", "ring -3", `program ring for "-3" ranks, want a number in [2, 4096]`},
		{"too many", "ring 4097", `program ring for "4097" ranks, want a number in [2, 4096]`},
		{"huge", "ring 99999999999999999999",
			`program ring for "99999999999999999999" ranks, want a number in [2, 4096]`},
		{"no iterations", "ring 3 0",
			`program ring with "0" iterations, want a number of at least 1`},
		{"negative iterations", "ring 3 -1",
			`program ring with "-1" iterations, want a number of at least 1`},
		{"iterations no number", "ring 3 x",
			`program ring with "x" iterations, want a number of at least 1`},
		{"iterations huge", "ring 3 99999999999999999999",
			`program ring with "99999999999999999999" iterations, want a number of at least 1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := script.Generate(tt.words)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestGenerateAbsurdIterations checks that a number of iterations that no memory holds is an error.
func TestGenerateAbsurdIterations(t *testing.T) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v", p)
		}
	}()
	if _, err := script.Generate("master-worker 3 9223372036854775807"); err == nil {
		t.Error("no error")
	}
}

// TestGenerate compares the smallest text of each shape with what was written by hand.
func TestGenerate(t *testing.T) {
	tests := []struct{ words, want string }{
		{"ring 2", "r0: send r1 t0; recv r1\nr1: recv r0; send r0 t1\n"},
		{"ring 3 2",
			"r0: loop 2; send r1 t0; recv r2; end\nr1: loop 2; recv r0; send r2 t1; end\nr2: " +
				"loop 2; recv r1; send r0 t2; end\n"},
		{"stencil 3",
			"r0: send r1 h01; recv r1\nr1: send r0 h10; send r2 h12; recv r0; recv r2\nr2: send " +
				"r1 h21; recv r1\n"},
		{"wavefront 3", "r0: send r1 w0\nr1: recv r0; send r2 w1\nr2: recv r1\n"},
		{"all-to-all 3",
			"r0: send r1 a01; send r2 a02; recv r1; recv r2\nr1: send r0 a10; send r2 a12; recv " +
				"r0; recv r2\nr2: send r0 a20; send r1 a21; recv r0; recv r1\n"},
		{"domino 3 2",
			"r0: send r1; loop 2; recv r1; checkpoint; send r1; end\nr1: loop 2; recv r0; " +
				"checkpoint; send r0; end; recv r0\nr2: loop 2; checkpoint; end\n"},
		{"reduction 3",
			"r0: recv *; recv *; send r1 b1; send r2 b2\nr1: send r0 c1; recv r0\nr2: send r0 " +
				"c2; recv r0\n"},
		{"master-worker 3",
			"r0: recv * ordered; reply; recv * ordered; reply\nr1: send r0; recv r0\nr2: send " +
				"r0; recv r0\n"},
	}
	for _, tt := range tests {
		t.Run(tt.words, func(t *testing.T) {
			got, err := script.Generate(tt.words)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// TestShapes explores every failure-free run of every shape, small, and checks that it neither gets
// stuck nor leaves a message unread, and that it is send-deterministic unless its description says
// otherwise.
func TestShapes(t *testing.T) {
	names, docs := script.Shapes()
	for i, name := range names {
		for _, size := range []string{"3", "4", "3 2"} {
			t.Run(name+" "+size, func(t *testing.T) {
				text, err := script.Generate(name + " " + size)
				if err != nil {
					t.Fatal(err)
				}
				ranks, programs, err := script.Parse(text, 1)
				if err != nil {
					t.Fatal(err)
				}
				setup, err := none.NewSetup(trace.Layout{Names: ranks, Ranks: len(ranks)}, programs)
				if err != nil {
					t.Fatal(err)
				}
				oracle, err := world.Oracle(t.Context(), setup, checker.Options{MaxStates: 1 << 18})
				if err != nil {
					t.Fatal(err)
				}
				if oracle.Stuck != "" {
					t.Errorf("stuck: %s", oracle.Stuck)
				}
				want := !strings.Contains(docs[i], "not send-deterministic")
				if got := len(oracle.Differ) == 0; got != want {
					t.Errorf("send-deterministic: %t, want %t: %v", got, want, oracle.Differ)
				}
			})
		}
	}
}

// TestLargestShapes checks that the largest number of ranks still parses, for the shapes whose text
// does not grow with the square.
func TestLargestShapes(t *testing.T) {
	for _, name := range []string{"ring", "stencil", "wavefront", "reduction", "master-worker",
		"domino"} {
		t.Run(name, func(t *testing.T) {
			text, err := script.Generate(fmt.Sprintf("%s 4096", name))
			if err != nil {
				t.Fatal(err)
			}
			ranks, _, err := script.Parse(text, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(ranks) != 4096 {
				t.Errorf("%d ranks", len(ranks))
			}
		})
	}
}

// TestUnjoined names who contributes too seldom, loops unrolled; a group that nobody reduces waits
// for nobody.
func TestUnjoined(t *testing.T) {
	text := "group g: r > t; t > w\ngroup h: w > t\nr: contribute g; recv g; contribute g; recv " +
		"g\nt: loop 2; contribute g; end\nw: %s"
	for operations, want := range map[string][]string{
		"wait":                     {"reduction 1 of group g waits for w"},
		"contribute g":             {"reduction 2 of group g waits for w"},
		"loop 2; contribute g;end": nil,
		"barrier h; reduce g; reduce g; contribute g": {"reduction 3 of group g waits for r",
			"reduction 3 of group g waits for t", "reduction 1 of group h waits for t"},
	} {
		s, err := script.Read(fmt.Sprintf(text, operations), 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, script.Unjoined(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", operations, diff)
		}
	}
}
