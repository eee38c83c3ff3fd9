package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/spec/report/page"
)

// TestReportTwo puts two runs beside each other: one and the same, and one that goes elsewhere.
func TestReportTwo(t *testing.T) {
	broken := saved(t, "s1", "--variant", "published", "--search", "bfs")
	read := func(args ...string) string {
		b, err := os.ReadFile(reported(t, args...))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	same := read(broken, broken)
	for _, want := range []string{"Beside it: ", "All steps are the same; it breaks "} {
		if !strings.Contains(same, want) {
			t.Errorf("a run beside itself: the page has no %q", want)
		}
	}
	if strings.Contains(same, "from here on different<") || strings.Contains(same, `data-from="`) {
		t.Error("a run differs from itself")
	}
	two := read(broken, "s1")
	found := regexp.MustCompile(`The first (\d+) steps are the same|The first step already differs|Only the first`).
		FindString(two)
	for _, want := range []string{"Beside it: s1, repaired", "it breaks nothing.",
		`data-from="s1, repaired"`, "Its steps from there on"} {
		if !strings.Contains(two, want) || found == "" {
			t.Errorf("two runs: the page has no %q; %q", want, found)
		}
	}
	if again := read(broken, "s1"); again != two {
		t.Error("again, the page is another one")
	}
}

// TestReportTwoRefuses gives pairs that can not be compared.
func TestReportTwoRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"have other procs":      {"h1", "h10"},
		"are a page, no svg":    {"h1", "h1", "--format", "svg"},
		"makes one run small":   {"h1", "h1", "--small"},
		"unknown scenario":      {"h1", "nothing-like-it"},
		"or two of them, got 3": {"h1", "h1", "h1"},
	} {
		out := filepath.Join(t.TempDir(), "out.html")
		code, _, errors := domino(t.Context(), append([]string{"report", "-o", out}, args...)...)
		if _, err := os.Stat(out); code != exitUsage || !strings.Contains(errors, want) ||
			err == nil {
			t.Errorf("%q: exit %d, %s, file: %v", args, code, errors, err)
		}
	}
}

// TestAgreement compares how long two runs agree as pages say it with how long they do in their
// worlds, where states are compared by themselves.
func TestAgreement(t *testing.T) {
	for name, want := range map[string]int{"h10": 25, "h3-twice": -1, "h1": -1} {
		t.Run(name, func(t *testing.T) {
			if name == "h3-twice" && !effort.Long() {
				t.Skip("searched for a second: " + effort.More)
			}
			what := exhibitOf(t, name)
			b, err := verify.Repaired(t.Context(), all.Protocols(), what.scenario, what.world,
				what.run)
			if err != nil {
				t.Fatal(err)
			}
			one := verify.Story(what.scenario, what.world, what.run, nil)
			other := verify.Story(what.scenario, b.World, b.Run, nil)
			same, blind := page.Agree(one, other)
			if same != b.Same || blind != b.Blind || want >= 0 && same != want {
				t.Errorf("%d steps, blind %t; in the worlds %d, %t; want %d", same, blind, b.Same,
					b.Blind, want)
			}
		})
	}
}
