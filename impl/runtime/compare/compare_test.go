package compare_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/compare"
)

// play runs a case.
func play(t *testing.T, text string) *compare.Facts {
	t.Helper()
	c, err := compare.Parse(text, all.Protocols())
	if err != nil {
		t.Fatal(err)
	}
	if got := c.String(); got != text {
		t.Errorf("%q is written %q", text, got)
	}
	f, err := compare.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPlainRing is worked out by hand, in us: r0 begins its loop until 10 and sends at 20; a hop is
// the latency, a reception and a send, 120, and the last one has no send, so it receives at 370.
// The end of the loop and the next send take until 390, and it receives again at 740; the loop and
// the program end at 760.
func TestPlainRing(t *testing.T) {
	f := play(t, "none; program ring 3 2")
	if f.Elapsed != 760*time.Microsecond || !f.Ended {
		t.Errorf("ends after %v", f.Elapsed)
	}
	if f.Sends != 6 || f.Receptions != 6 || f.Control != 0 || len(f.Images) != 0 {
		t.Errorf("%+v", f)
	}
	if l := compare.Carried(f); l != (compare.Load{}) {
		t.Errorf("carries %+v", l)
	}
}

// TestGroupOfHydee: one group asks for images, one of its ranks fails; it and its mate go back,
// nobody else, and all payloads between the groups are kept, none inside. A lap of four is 490 us:
// r0 sends at 20, 510 and so on, and receives at 490, 980; r1 receives and sends at 130 and 140,
// 620 and 630.
func TestGroupOfHydee(t *testing.T) {
	f := play(t, "hydee; program ring 4 8; groups r0 r1 | r2 r3; images every 3ms; "+
		"fail r1 at 2ms")
	if len(f.Losses) != 1 || !f.Ended {
		t.Fatalf("%+v", f)
	}
	loss := f.Losses[0]
	slices.Sort(loss.Back)
	if diff := cmp.Diff([]core.Rank{0, 1}, loss.Back); diff != "" {
		t.Errorf("who goes back (-want +got):\n%s", diff)
	}
	// At 2 ms r0 has sent 5 and received 4, its image of 0.75 ms has 2 and 1; r1 has received and
	// sent 4, its image of a latency later has 2 and 2.
	if diff := cmp.Diff([]int{6, 4, 0, 0}, loss.Lost); diff != "" {
		t.Errorf("what is lost (-want +got):\n%s", diff)
	}
	if loss.Redone != 10 {
		t.Errorf("%d done again, want what was lost", loss.Redone)
	}
	// 8 laps of 4 messages of 8 bytes, of which r1 to r2 and r3 to r0 are between the groups
	want := compare.Log{Inter: 128, SentIntra: 128, SentInter: 128, Peak: f.Log.Peak,
		AtSenders: f.Log.AtSenders}
	if diff := cmp.Diff(want, f.Log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// TestBadCases: what can not be run is refused, with the place.
func TestBadCases(t *testing.T) {
	for text, want := range map[string]string{
		"hidee; program ring 4 2":           "part 1 (hidee): unknown protocol \"hidee\"",
		"two-phase; program ring 4 2":       "part 1 (two-phase): protocol two-phase runs",
		"sbml colour=red; program ring 4 2": "part 1 (sbml colour=red)",
		"hydee":                             "has no program",
		"hydee; program ring 1 2":           "part 2 (program ring 1 2): program ring for",
		"hydee; program rings 4 2":          "part 2 (program rings 4 2): unknown program",
		"hydee; program ring 4":             "part 2 (program ring 4): want SHAPE RANKS",
		"none; groups r0 r1 | r2; program ring 4 2": "part 2 (groups r0 r1 | r2): rank r3 is " +
			"in no group",
		"none; program ring 4 2; groups r0 r1 | r1 r2 r3": "rank r1 is in two groups",
		"none; program ring 4 2; groups | r0":             "group 1 has no ranks",
		"none; program ring 4 2; fail r4 at 1ms": "part 3 (fail r4 at 1ms): rank r4 does not " +
			"exist, there are r0 to r3",
		"none; program ring 4 2; fail r1 r1 at 1ms": "r1 is there twice",
		"none; program ring 4 2; fail r1":           "want RANK ... at TIME",
		"none; program ring 4 2; fail r1 at 1":      "\"1\" is no time",
		"none; program ring 4 2; write -1ms":        "\"-1ms\" is no time",
		"none; program ring 4 2; images often":      "want every TIME",
		"none; program ring 4 2; seed x":            "want a whole number",
		"none; program ring 4 2; weather fine":      "unknown word \"weather\"",
		"none; program ring 4 2;":                   "part 3 (): is empty",
	} {
		if _, err := compare.Parse(text, all.Protocols()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"hydee; program ring 4 2", "hydee; program ring 4 2; tolerates 1",
		"radic-rbml; program ring 4 2", "causal; program domino 2 4; images of the program 2"} {
		c, err := compare.Parse(text, all.Protocols())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compare.Run(c); !errors.Is(err, compare.ErrRefused) {
			t.Errorf("%s: %v, want it refused", text, err)
		}
	}
	for _, s := range []compare.Scale{{Ranks: 1, Programs: []string{"ring"}}, {Ranks: 4},
		{Ranks: 2, Programs: []string{"master-worker"}}, {Ranks: 4, Programs: []string{"rings"}},
		{Ranks: 4, Programs: []string{"ring"},
			Failures: []compare.Failure{{Ranks: []core.Rank{4}}}}} {
		if s.Validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// TestData: the tables of the papers have the rows that are measured, and nothing is there twice.
func TestData(t *testing.T) {
	papers := map[string][]string{}
	for _, table := range compare.Tables() {
		for _, row := range table.Rows {
			papers[table.Name] = append(papers[table.Name], row.Name)
		}
	}
	if len(papers["1"]) != 7 || len(papers["2"]) != 5 || len(papers["radic"]) != 8 {
		t.Errorf("rows %v", papers)
	}
	measured := map[string]bool{}
	seen := map[string]bool{}
	for _, row := range compare.Rows() {
		measured[row.Table+row.Paper] = true
		if row.Paper[0] != '[' && !slices.Contains(papers[row.Table], row.Paper) {
			t.Errorf("table %s has no row %s", row.Table, row.Paper)
		}
		if row.Protocol != "-" && seen[row.Table+row.Protocol] {
			t.Errorf("%s is there twice", row.Protocol)
		}
		seen[row.Table+row.Protocol] = true
	}
	for _, table := range []string{"1", "2", "radic"} {
		for _, name := range papers[table] {
			if !measured[table+name] {
				t.Errorf("nothing stands for %s of table %s", name, table)
			}
		}
	}
}

// TestRepeats: a study is the same every time, and what no protocol is there for says so.
func TestRepeats(t *testing.T) {
	effort.Seconds(t)
	scale := compare.Scale{Ranks: 4, Programs: []string{"ring"}}
	for _, row := range []compare.Row{
		{Table: "2", Paper: "HydEE", Protocol: "hydee", Grouped: true},
		{Table: "1", Paper: "Coordonné", Protocol: "nobody"}} {
		var texts []string
		for range 2 {
			s, err := compare.Measure(t.Context(), row, scale, all.Protocols())
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
			for _, c := range s.Cells {
				if row.Protocol == "nobody" && (c.Verdict != compare.Unmeasured ||
					c.Why != "there is no protocol nobody here") {
					t.Errorf("%+v", c)
				}
				if row.Protocol == "hydee" && c.Verdict != compare.Same {
					t.Errorf("%+v", c)
				}
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("%s\nthen\n%s", texts[0], texts[1])
		}
	}
}

// TestNoProgram: a protocol that can run none of the programs says so in every cell.
func TestNoProgram(t *testing.T) {
	row := compare.Row{Table: "2", Paper: "HydEE", Protocol: "hydee", Grouped: true}
	s, err := compare.Measure(t.Context(), row, compare.Scale{Ranks: 4,
		Programs: []string{"master-worker"}}, all.Protocols())
	if err != nil {
		t.Fatal(err)
	}
	want := "it needs programs that are send-deterministic, and none of master-worker is"
	for _, c := range s.Cells {
		if c.Why != want || c.Verdict != compare.Unmeasured {
			t.Errorf("%+v", c)
		}
	}
}

// BenchmarkMeasure is how long one row takes.
//
//	go test ./impl/runtime/compare -run '^$' -bench Measure
func BenchmarkMeasure(b *testing.B) {
	for _, row := range compare.Rows() {
		if row.Table == "radic" {
			continue
		}
		b.Run("protocol="+strings.ReplaceAll(row.Protocol, " ", ","), func(b *testing.B) {
			runs := 0
			for b.Loop() {
				s, err := compare.Measure(b.Context(), row, compare.Usual(), all.Protocols())
				if err != nil {
					b.Fatal(err)
				}
				runs += s.Runs
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
