package app

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
)

// TestTable compares the table of a few scenarios, every interleaving explored, with a golden file;
// what depends on time is masked.
func TestTable(t *testing.T) {
	code, out, _ := domino(t.Context(), "check", "h5", "s0-free", "s6", "outside-network",
		"--reduce", "none", "--save=")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	// the width of the masked columns
	out = regexp.MustCompile(`  +`).ReplaceAllString(mask(out), "  ")
	golden(t, "table", out)
}

// TestJSON checks that check --json writes one object a line, in the order asked for, with the
// documented fields.
func TestJSON(t *testing.T) {
	code, out, _ := domino(t.Context(), "check", "published", "h5", "s6", "--json", "--save=")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	var names []string
	for line := range strings.Lines(out) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, f := range []string{"scenario", "variant", "verdict", "expect", "asExpected",
			"bounds", "states", "transitions", "terminals", "localSteps", "bytes",
			"seconds"} {
			if _, ok := fields[f]; !ok {
				t.Errorf("%v: field %s is missing", fields["scenario"], f)
			}
		}
		if depth, ok := fields["depth"]; ok && depth == 0.0 || !ok && fields["scenario"] == "h5" {
			t.Errorf("%v: depth %v, want it where it is known", fields["scenario"], depth)
		}
		if _, ok := fields["violation"]; ok != (fields["verdict"] == "violated") {
			t.Errorf("%v: verdict %v, violation %v", fields["scenario"], fields["verdict"],
				fields["violation"])
		}
		if fields["asExpected"] != true || fields["verdict"] != fields["expect"] {
			t.Errorf("not as expected: %v", fields)
		}
		names = append(names, fields["scenario"].(string))
	}
	if diff := cmp.Diff([]string{"published", "h5", "s6"}, names); diff != "" {
		t.Errorf("scenarios (-want +got):\n%s", diff)
	}
}

// TestQuickScenarios runs all embedded scenarios that take under 0.3 s each, through the command;
// CI runs all.
func TestQuickScenarios(t *testing.T) {
	quick := strings.Fields(`burst clocks clocks-sender h1 h2 h4 h5 h6 h7-gate h7-order h7b h8 h9-late h9-order h9-twice h10 h11-stuck h14 h16 h17 h18
		h19 h20-notify master-worker outside-network published s0-free s1 s1-kept s1-staggered s3 s4 s5 s6 s6-forced wildcard`)
	if !effort.Long() {
		t.Logf("%d of %d: %s", 12, len(quick), effort.More)
		quick = quick[:12]
	}
	code, out, err := domino(t.Context(), append([]string{"check", "--save="}, quick...)...)
	if code != 0 || err != "" {
		t.Errorf("exit %d\n%s%s", code, out, err)
	}
}

// TestErrata checks that the command shows what each erratum breaks and that the repaired protocol
// does not.
func TestErrata(t *testing.T) {
	code, out, err := domino(t.Context(), "errata", "hydee", "H1", "H5", "--save=")
	if code != 0 || err != "" {
		t.Errorf("exit %d, errors %q", code, err)
	}
	for _, want := range []string{"h1: breaks exactly-once in ", "h5: breaks terminates in ",
		"[HydEE] Alg. 2 l. 14", "[HydEE] Alg. 4 l. 15"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if got := strings.Count(out, "repaired protocol at the same scope: holds"); got != 2 {
		t.Errorf("%d repaired protocols hold in\n%s", got, out)
	}
	code, out, _ = domino(t.Context(), "errata", "hydee", "H5", "--save=", "--show")
	if code != 0 || !strings.Contains(out, "VIOLATED  terminates") {
		t.Errorf("--show: exit %d\n%s", code, out)
	}
	code, out, _ = domino(t.Context(), "errata", "hydee", "H5", "--save=", "--json")
	var fields map[string]any
	if err := json.Unmarshal([]byte(out), &fields); err != nil || code != 0 ||
		fields["id"] != "H5" || fields["confirmed"] != true {
		t.Errorf("--json: exit %d, %v, %v", code, err, fields)
	}
	code, out, err = domino(t.Context(), "errata", "none")
	if code != 0 || out != "" || err != "none has no errata\n" {
		t.Errorf("a protocol without errata: exit %d, %q, %q", code, out, err)
	}
}

// TestErrataUnknown checks that an erratum that could not be explored to its end is not called
// refuted: the exit code is 2, and the text says why.
func TestErrataUnknown(t *testing.T) {
	code, out, _ := domino(t.Context(), "errata", "hydee", "H1", "--save=", "--max-states", "20")
	if code != 2 || !strings.Contains(out, "NOT CONFIRMED: unknown") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestInterrupted checks that a cancelled command ends at once, as unknown, and says so.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errors := domino(ctx, "errata", "hydee", "H1", "--save=")
	if code != 2 || out != "" || !strings.HasPrefix(errors, "interrupted: ") {
		t.Errorf("exit %d, %s%s", code, out, errors)
	}
}

// TestTimeout checks that a search that takes too long ends as unknown, with how far it came.
func TestTimeout(t *testing.T) {
	code, out, _ := domino(t.Context(), "check", "ring3", "--save=", "--timeout", "200ms", "--json")
	var r struct {
		Verdict, Why string
		States       int
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if code != 2 || r.Verdict != "unknown" || !strings.Contains(r.Why, "time limit 200ms") ||
		r.States == 0 {
		t.Errorf("exit %d, %+v", code, r)
	}
}

// TestPool checks that results come in the order of jobs, each once, for more and fewer workers
// than jobs.
func TestPool(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 100} {
		for _, jobs := range []int{0, 1, 17} {
			var got []int
			pool(t.Context(), workers, jobs, func(_ context.Context, job int) int {
				return job * job
			}, func(job, r int) {
				if r != job*job {
					t.Errorf("job %d: %d", job, r)
				}
				got = append(got, job)
			})
			if !slices.IsSorted(got) || len(got) != jobs {
				t.Errorf("%d workers, %d jobs: %v", workers, jobs, got)
			}
		}
	}
}

// TestNumbers checks how counts and times are written.
func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567",
		100000: "100,000"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0 ms", 0.0124: "12 ms", 0.9994: "999 ms",
		0.9996: "1.0 s", 12.34: "12.3 s", 99.99: "100.0 s",
		100: "1m40s", 3725.4: "1h2m5s"} {
		if got := seconds(s); got != want {
			t.Errorf("seconds(%v) = %s, want %s", s, got, want)
		}
	}
}
