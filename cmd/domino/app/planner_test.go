package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/scenarios"
)

// planOf runs domino plan with --json and reads the answer.
func planOf(t *testing.T, args ...string) *plannedAnswer {
	t.Helper()
	code, out, errors := domino(t.Context(), append([]string{"plan", "--json"}, args...)...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, errors)
	}
	valid(t, []byte(out))
	var a plannedAnswer
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

// TestPlanPublished makes rows of Table I of [HydEE]: CG and MG on 256 ranks as they are printed,
// and FT, which is best not clustered.
func TestPlanPublished(t *testing.T) {
	for _, row := range []struct {
		kernel    string
		clusters  int
		gigabytes float64
	}{{"cg", 16, 440}, {"mg", 4, 13}, {"ft", 1, 0}} {
		t.Run(row.kernel, func(t *testing.T) {
			if row.kernel != "cg" { // in ft everybody sends to everybody
				effort.Seconds(t)
			}
			a := planOf(t, row.kernel, "class=D", "ranks=256", "--method", "both")
			if got := float64(a.Plan.Logged) / (1 << 30); a.Plan.Clusters != row.clusters ||
				got < row.gigabytes-.5 || got > row.gigabytes+.5 || a.Bisection == nil ||
				a.Bisection.Clusters != row.clusters || a.Optimal || a.Seeds != 32 {
				t.Errorf("%d clusters, %.2f GB; bisection %+v", a.Plan.Clusters, got, a.Bisection)
			}
		})
	}
}

// TestPlanLine: the line of a plan is one that scenarios take, with the clusters of the plan, and
// the same for one worker as for four.
func TestPlanLine(t *testing.T) {
	a := planOf(t, "bt class=S ranks=16", "--workers", "1")
	var names []string
	for r := range 16 {
		names = append(names, fmt.Sprint("r", r))
	}
	labels, err := scenarios.ReadClusters(a.Plan.Line, names)
	if err != nil || !slices.Equal(labels, a.Plan.Labels) {
		t.Errorf("%q is %v, %v, want %v", a.Plan.Line, labels, err, a.Plan.Labels)
	}
	if b := planOf(t, "bt class=S ranks=16", "--workers", "4"); b.Plan.Line != a.Plan.Line {
		t.Errorf("%q with four workers, %q with one", b.Plan.Line, a.Plan.Line)
	}
	code, out, _ := domino(t.Context(), "plan", "bt", "class=S", "ranks=16")
	if code != 0 || !strings.HasSuffix(out, "\nclusters: "+a.Plan.Line+"\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// planFileOf writes a file into a temporary folder.
func planFileOf(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// pairs is a table in which ranks 2i and 2i+1 have much to do with each other.
const pairs = "src,dst,bytes,messages\n0,1,1000,1\n2,3,1000,1\n4,5,1000,1\n1,2,1,1\n3,4,1,1\n"

// TestPlanFile plans a file by hand: three pairs, of which each is a cluster, with 2 of 3,002 bytes
// between them and a third of the ranks in each.
func TestPlanFile(t *testing.T) {
	file := planFileOf(t, "x.csv", pairs)
	a := planOf(t, file)
	if a.Plan.Line != "r0 r1 | r2 r3 | r4 r5" || a.Plan.Logged != 2 || !a.Optimal ||
		a.Messages != 5 || fmt.Sprintf("%.6f", a.Plan.Cost) !=
		fmt.Sprintf("%.6f", 0.23*2/3002+0.124/3) {
		t.Errorf("%+v", a)
	}
	a = planOf(t, file, "--clusters", "2", "--part", "r0 r2", "--join", "r1 5")
	if a.Plan.Line != "r0 r1 r4 r5 | r2 r3" {
		t.Errorf("%+v", a.Plan)
	}
	a = planOf(t, file, "--per-node", "3", "--alpha", "0", "--beta", "1")
	if a.Plan.Line != "r0-r2 | r3-r5" {
		t.Errorf("%+v", a.Plan)
	}
	nodes := planFileOf(t, "nodes", "\ufeff0 a\r\n# rank node\n1 b\n2 b\n3 a\n4 c\n\n5 c\n")
	a = planOf(t, file, "--node-map", nodes, "--beta", "9")
	if a.Plan.Line != "r0 r3 | r1 r2 | r4 r5" {
		t.Errorf("%+v", a.Plan)
	}
	market := planFileOf(t, "x.mtx",
		"%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 9\n3 1 1\n")
	if a := planOf(t, market, "--max-size", "2"); a.Plan.Line != "r0 r1 | r2" || a.Bytes != 20 {
		t.Errorf("%+v", a)
	}
}

// TestPlanBound: a bound is what it says, to its last digit. A third of the ranks is more than
// 33.3333 % and less than 33.3334 %; with less, one of three pairs is cut.
func TestPlanBound(t *testing.T) {
	file := planFileOf(t, "x.csv", pairs)
	for bound, clusters := range map[string]int{"33.3333": 4, "33.3334%": 3, "16.6667": 6,
		"100": 3, "100.0000%": 3} {
		if a := planOf(t, file, "--max-rollback", bound); a.Plan.Clusters != clusters {
			t.Errorf("%s: %s, want %d clusters", bound, a.Plan.Line, clusters)
		}
	}
}

// TestPlanFront: the points of a front are the undominated of all partitions, by hand: nothing
// logged, then a byte for each cut.
func TestPlanFront(t *testing.T) {
	a := planOf(t, planFileOf(t, "x.csv", pairs), "--front")
	var got []string
	for _, p := range a.Front {
		got = append(got, fmt.Sprint(p.Clusters, " ", p.Logged))
	}
	want := []string{"6 3002", "5 2002", "4 1002", "3 2", "2 1", "1 0"}
	if !slices.Equal(got, want) {
		t.Errorf("the front is %v, want %v", got, want)
	}
	large := planOf(t, "cg class=S ranks=16", "--front")
	for i, p := range large.Front[1:] {
		if before := large.Front[i]; p.Share >= before.Share || p.Rollback <= before.Rollback {
			t.Errorf("%+v does not follow %+v", p, before)
		}
	}
	if len(large.Front) < 4 {
		t.Errorf("a front of %d points", len(large.Front))
	}
}

// TestPlanScenario plans the programs of a scenario, under the names of its ranks.
func TestPlanScenario(t *testing.T) {
	a := planOf(t, "s1", "--beta", "5")
	if a.Ranks != 3 || a.Plan.Clusters != 3 || strings.Contains(a.Plan.Line, "r0") {
		t.Errorf("%+v", a)
	}
}

// TestPlanRefuses says what can not be planned, with the place where it is wrong.
func TestPlanRefuses(t *testing.T) {
	good := planFileOf(t, "good.csv", pairs)
	tests := []struct {
		name, want string
		args       []string
	}{
		{"nothing", "want a kernel", nil},
		{"unknown", `"nosuch" is no file, no folder and no kernel with its numbers, such as "cg ` +
			`class=D ranks=256": unknown scenario "nosuch"`, []string{"nosuch"}},
		{"words", "is no file, no kernel", []string{"nosuch", "ranks=4"}},
		{"a kernel without numbers", `kernel cg wants numbers, such as "cg ranks=16"`,
			[]string{"cg"}},
		{"kernel", "want a square", []string{"bt class=S ranks=5"}},
		{"one rank", "ring ranks=1: no traffic", []string{"ring ranks=1"}},
		{"one rank of a file", "no traffic", []string{planFileOf(t, "x", "0,0,1\n")}},
		{"an unknown rank", "x.csv:2: dst 7: this rank is unknown, there are 6",
			[]string{planFileOf(t, "x.csv", "0,1,1\n0,7,1\n"), "--ranks", "6"}},
		{"a negative size", "x.csv:1: bytes -4: negative",
			[]string{planFileOf(t, "x.csv", "0,1,-4\n")}},
		{"a cut file", "the file ends after 0 of 1 entries", []string{planFileOf(t, "x.mtx",
			"%%MatrixMarket matrix coordinate integer general\n2 2 1\n")}},
		{"ranks of a kernel", "--ranks is for a file", []string{"ring ranks=3", "--ranks", "3"}},
		{"alpha", "alpha \"x\": want a decimal", []string{good, "--alpha", "x"}},
		{"weights of zero", "both 0", []string{good, "--alpha", "0", "--beta", "0"}},
		{"method", "--method x: want", []string{good, "--method", "x"}},
		{"bisection", "bisection knows no constraint", []string{good, "--method", "bisection",
			"--max-size", "2"}},
		{"rollback", "--max-rollback 0: want percent", []string{good, "--max-rollback", "0"}},
		{"a bound that would be none", "--max-rollback 0.00001: want percent in (0, 100] with at " +
			"most 4 digits", []string{good, "--max-rollback", "0.00001"}},
		{"a bound by an exponent", "--max-rollback 1e-300: want", []string{good, "--max-rollback",
			"1e-300"}},
		{"a bound above all", "--max-rollback 100.0001: want", []string{good, "--max-rollback",
			"100.0001"}},
		{"a bound without an end", "--max-rollback inf: want", []string{good, "--max-rollback",
			"inf"}},
		{"a rank twice", "--join \"r0 0\": rank 0 twice", []string{good, "--join", "r0 0"}},
		{"parted from itself", "--part \"r1 r1\": rank r1 twice",
			[]string{good, "--part", "r1 r1"}},
		{"a number with a sign", "rank r+1 does not exist", []string{good, "--join", "r+1 r2"}},
		{"a number of two digits", "rank r01 does not exist", []string{good, "--join", "r01 r2"}},
		{"a kernel", `and no scenario, did you mean "cg"?`, []string{"cgg class=S ranks=4"}},
		{"a name", "--join \"r0 r9\": rank r9 does not exist, there are 6, from r0 to r5",
			[]string{good, "--join", "r0 r9"}},
		{"three parted", "--part \"r0 r1 r2\": want two", []string{good, "--part", "r0 r1 r2"}},
		{"a node map", ":1: rank 9 does not exist", []string{good, "--node-map",
			planFileOf(t, "nodes", "9 a\n")}},
		{"a word in a node map", ":2: want two words, a rank and its node", []string{good,
			"--node-map", planFileOf(t, "nodes", "0 a\n1\n")}},
		{"two nodes", ":2: rank 0 has a node already", []string{good, "--node-map",
			planFileOf(t, "nodes", "0 a\n0 b\n")}},
		{"half a node map", "rank r1 has no node", []string{good, "--node-map",
			planFileOf(t, "nodes", "0 a\n")}},
		{"a clash by arithmetic", "the constraints clash: 2 clusters; at most 2 ranks each",
			[]string{good, "--clusters", "2", "--max-size", "2"}},
		{"a clash by trying", "2 clusters; ranks that must part can not be kept together",
			[]string{good, "--clusters", "2", "--part", "r0 r1", "--part", "r1 r2", "--part",
				"r0 r2", "--min-size", "1"}},
		{"no file", "no such file", []string{"nosuch.csv"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errors := domino(t.Context(), append([]string{"plan"}, tt.args...)...)
			if code != exitUsage || out != "" || !strings.Contains(errors, tt.want) {
				t.Errorf("exit code %d, %q\n%s", code, out, errors)
			}
		})
	}
}

// TestPlanInterrupted: who has had enough gets what is known, with the exit code of unknown.
func TestPlanInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, errors := domino(ctx, "plan", "cg class=S ranks=16")
	if code != 2 || !strings.Contains(errors, "interrupted") {
		t.Errorf("exit code %d: %s", code, errors)
	}
}

// TestPlanFirstAnswers: a signal in the middle of a search leaves what whole attempts have found,
// and says of how many.
func TestPlanFirstAnswers(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	std := streams{Catalogue: catalogue()}
	what, err := std.planned(ctx, []string{"bt class=S ranks=16"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &planning{plannerFlags: plannerFlags{seeds: 32, workers: 1, method: "search"},
		subject: what, std: std, Problem: clustering.Problem{Traffic: what.graph,
			Weights: clustering.Published}}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	asked := int64(0)
	first := p.Attempt(0, func() bool { asked++; return false })
	cut := &cutOff{Context: ctx, after: 4*asked + 8, cancel: cancel} // some attempts, not all
	if err := p.find(cut); err != nil {
		t.Fatal(err)
	}
	if p.tried < 1 || p.tried >= 32 || p.best == nil || p.Better(first, p.best) {
		t.Errorf("%d seeds, %+v", p.tried, p.best)
	}
	if text := p.limits(true); !strings.HasPrefix(text, fmt.Sprintf(
		"interrupted: best of %d seeds", p.tried)) {
		t.Error(text)
	}
}

// cutOff is a context that ends when it has been asked so often.
type cutOff struct {
	context.Context
	asked  atomic.Int64
	after  int64
	cancel func()
}

func (c *cutOff) Err() error {
	if c.asked.Add(1) > c.after {
		c.cancel()
	}
	return c.Context.Err()
}
