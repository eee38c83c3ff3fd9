package app

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/domino-check/domino/scenarios"
)

// TestShow asks for one thing of each kind, for one by its folder, for one that is not there, and
// for JSON.
func TestShow(t *testing.T) {
	for name, want := range map[string][]string{
		"s1":         {"scenario s1", "file  hydee/s1", "-- scenario --\n", "x: send y m2\n"},
		"hydee/s1":   {"scenario s1"},
		"terminates": {"property terminates", "[HydEE] Theorem 2", "always"},
		"log-scope":  {"LogsOutside"},
		"H10":        {"erratum H10", "hydee", "[HydEE] Alg. 2 l. 8", "every send is", "h10"},
		"rbml":       {"protocol rbml", "Fetches", "option memory", "erratum M12"},
		"paxos":      {"protocol paxos", "scenario paxos", "roles"},
	} {
		code, out, err := domino(t.Context(), "show", name)
		if code != 0 || err != "" {
			t.Errorf("show %s: exit %d, %q", name, code, err)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("show %s does not say %q:\n%s", name, w, out)
			}
		}
	}
	code, out, err := domino(t.Context(), "show", "terminate")
	if code != exitUsage || out != "" || !strings.Contains(err, `did you mean "terminates"?`) {
		t.Errorf("exit %d, %q, %q", code, out, err)
	}
	code, out, _ = domino(t.Context(), "show", "s1", "--json")
	var s shown
	if json.Unmarshal([]byte(out), &s) != nil || code != 0 || s.Kind != "scenario" {
		t.Errorf("exit %d, %s", code, out)
	}
	if _, err := scenarios.Parse("s1.txtar", []byte(s.Text)); err != nil {
		t.Errorf("what is shown can not be read: %v", err)
	}
}

// TestShowEverything has a word about everything that domino list names, programs and claims aside.
func TestShowEverything(t *testing.T) {
	std := streams{Catalogue: catalogue()}
	items, err := listItems(std)
	if err != nil {
		t.Fatal(err)
	}
	list := std.everything()
	for _, i := range items {
		if i.Kind == "programs" || i.Kind == "claims" {
			continue
		}
		if _, err := named(list, i.Name); err != nil {
			t.Error(err)
		}
	}
	for _, s := range list {
		if s.Doc == "" || len(s.Facts) == 0 {
			t.Errorf("%s %s says nothing", s.Kind, s.Name)
		}
	}
}
