package script_test

import (
	"math"
	"testing"

	"github.com/domino-check/domino/impl/program/script"
)

// saved is the part of the log of point-to-point logging that CAMEL does not keep, and the share of
// its determinants.
func saved(w *script.Workload) (log, determinants float64) {
	plain, aware := w.Plain(false), w.Aware()
	return 1 - aware.LoggedSize/plain.LoggedSize,
		float64(aware.Determinants) / float64(plain.Determinants)
}

// TestLeanMD compares the enumeration with what the definition says of a grid that is wider than
// the reach and of enough ranks for every compute: each cell has (2r+1)^3 computes, so as many
// other ranks, and with [CAMEL] section 5.2: at least 95 % of the log saved, and about 53 % of the
// determinants.
func TestLeanMD(t *testing.T) {
	w, err := script.LeanMD([3]int{4, 4, 4}, 1, 4096, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Groups) != 64 {
		t.Errorf("%d groups, want one a cell", len(w.Groups))
	}
	for _, g := range w.Groups {
		if n := len(g.Ranks); n < 27 || n > 28 { // one compute may be on the rank of its cell
			t.Errorf("a group has %d ranks, want 27 computes and the cell", n)
		}
	}
	if w, err = script.LeanMD([3]int{5, 5, 5}, 2, 64, 3); err != nil {
		t.Fatal(err)
	}
	if log, determinants := saved(w); log < 0.95 || math.Abs(determinants-0.53) > 0.015 {
		t.Errorf(
			"saves %.3f of the log and keeps %.3f of the determinants, want at least .95 and "+
				"about .53", log, determinants)
	}
}

// TestOpenAtom compares the sweep with the closed form: direct share p, the rest 56 to 44 between
// multicasts and reductions, rows of m ranks and b children of the root: p + u/(m-1) + v b/(m-1).
// The published range is 24 to 65 %.
func TestOpenAtom(t *testing.T) {
	for _, tt := range []struct {
		m      int
		direct float64
	}{{4, .55}, {5, .45}, {7, .32}, {13, .25}} {
		w, err := script.OpenAtom(40, tt.m, 2, tt.direct)
		if err != nil {
			t.Fatal(err)
		}
		u, v := (1-tt.direct)/1.79, (1-tt.direct)*.79/1.79
		want := 1 - (tt.direct + u/float64(tt.m-1) + v*2/float64(tt.m-1))
		if log, _ := saved(w); math.Abs(log-want) > 1e-9 || log < .23 || log > .67 {
			t.Errorf("rows of %d: saves %.4f, want %.4f, in [.23, .67]", tt.m, log, want)
		}
	}
}

// TestPerNode is the count of the paper's example, Figure 3(b): SCMEL stores a multicast at four
// processes and eight contributions, CAMEL one copy and the two contributions that reach the root.
func TestPerNode(t *testing.T) {
	// Figure 3(b) is no complete binary tree; written as one of arity 2 over nine members it has
	// the same numbers of inner nodes and edges.
	w := script.Workload{Ranks: 9, Reduction: 1,
		Groups: []script.Members{{Ranks: []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, Arity: 2}}}
	if got := w.Plain(true).Logged; got != 4+8 {
		t.Errorf("SCMEL logs %d, want 12", got)
	}
	if got := w.Aware().Logged; got != 1+2 {
		t.Errorf("CAMEL logs %d, want 3", got)
	}
}

// TestBadWorkloads gives sizes that make no sense.
func TestBadWorkloads(t *testing.T) {
	if _, err := script.LeanMD([3]int{0, 1, 1}, 1, 4, 2); err == nil {
		t.Error("no cells: no error")
	}
	if _, err := script.OpenAtom(1, 1, 2, 0.5); err == nil {
		t.Error("rows of one: no error")
	}
	if _, err := script.OpenAtom(1, 2, 2, 1); err == nil {
		t.Error("everything direct: no error")
	}
}

// TestGroupErrors gives bad groups and bad uses of groups, with the exact error.
func TestGroupErrors(t *testing.T) {
	ranks := "\na: wait\nb: wait\nc: wait"
	tests := []struct{ name, text, want string }{
		{"no tree: a cycle", "group g: a > b; b > a" + ranks,
			"line 1: group g is not a tree: it has no root, everybody is below somebody"},
		{"no tree: a cycle beside the root", "group g: a > b; c > c" + ranks,
			"line 1: group g is not a tree: c is in a cycle"},
		{"two roots", "group g: a > b; c > a2" + ranks + "\na2: wait",
			"line 1: group g has 2 roots: [a c]"},
		{"a member twice", "group g: a > b c; b > c" + ranks,
			"line 1: group g: c is a member twice, below a and below b"},
		{"children twice", "group g: a > b; a > c" + ranks,
			"line 1: group g: a is given children twice"},
		{"no members", "group g:" + ranks, "line 1: group g has no members"},
		{"unknown rank", "group g: a > d" + ranks,
			"line 1: group g: rank d does not exist, there are a b c"},
		{"no children", "group g: a" + ranks,
			`line 1: group g: want "parent > child child", got "a"`},
		{"no name", "group : a > b" + ranks,
			`line 1: want "group NAME [COMBINE]: parent > child child; ...", got "group"`},
		{"two names", "group g: a > b\ngroup g: a > c" + ranks,
			"line 2: the name g of a group is taken"},
		{"name of a rank", "group a: a > b" + ranks, "line 1: the name a of a group is taken"},
		{"not associative", "group g mean: a > b" + ranks,
			"line 1: group g: combine mean is not associative: the shape of the tree would show " +
				"in the result; want sum, xor, max or concat"},
		{"unknown combine", "group g plus: a > b" + ranks,
			`line 1: group g: unknown combine "plus", want sum, xor, max or concat`},
		{"unknown group", "group g: a > b\na: multicast h\nb: wait",
			"line 2: rank a: group h does not exist"},
		{"no group", "group g: a > b\na: multicast\nb: wait",
			"line 2: rank a: multicast needs a group"},
		{"multicast of a member", "group g: a > b\na: recv g\nb: multicast g",
			"line 3: rank b: operation 1: only the root a of group g can multicast to it"},
		{"no member", "group g: a > b\na: wait\nb: wait\nc: contribute g",
			"line 4: rank c: operation 1: c is not a member of group g"},
		{"send to a group", "group g: a > b\na: send g\nb: wait",
			"line 2: rank a: rank g does not exist, there are a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := script.Read(tt.text, 1)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestExpandErrors gives programs that can not be expanded along their trees.
func TestExpandErrors(t *testing.T) {
	for text, want := range map[string]string{
		"group g: a > b\na: multicast g; recv *\nb: recv g; send a": "a: operation 2 receives " +
			"from anyone, and could take a part of a collective",
		"group g: a > b\na: multicast g\nb: post g; wait": "b: operation 1 posts a " +
			"receive of a group",
	} {
		s, err := script.Read(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := script.Expand(s); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
