package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
)

// plain is a scenario in which nothing may fail.
func plain(t *testing.T) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("s.txtar", []byte(
		"t\n-- scenario --\nprotocol: none\nprogram: ring 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEveryKnob sets every knob of the failure model to every value that random scenarios draw, and
// every word. Each but the default must show in what a verdict holds within, differently for each,
// be written to a file, and be read back; the default must do none of it. A value that no row may
// have must be refused.
func TestEveryKnob(t *testing.T) {
	for i := range fault.Keys {
		k := &fault.Keys[i]
		values := slices.Clone(k.Draw)
		for v := range k.Words {
			values = append(values, v)
		}
		if k.Doc == "" || len(k.Draw) == 0 || k.Words == nil && (k.One == "" || k.Many == "") {
			t.Errorf("%s: the row is not complete", k.Name)
		}
		if k.Words == nil {
			values = append(values, 0, 1, fault.Max)
		}
		said := map[string]int{}
		for _, v := range values {
			s := plain(t)
			k.Set(&s.Model, v)
			within := s.Within()
			if old, ok := said[within]; ok && old != v {
				t.Errorf("%s: values %d and %d are both %q", k.Name, old, v, within)
			}
			said[within] = v
			if (within == "no failures") != (v == 0) {
				t.Errorf("%s %s: a verdict says %q", k.Name, k.Text(&s.Model), within)
			}
			line := fmt.Sprintf("\n%s: %s\n", k.Name, k.Text(&s.Model))
			if text := string(scenarios.Format(s)); strings.Contains(text, line) != (v != 0) {
				t.Errorf("%q in\n%s", line, text)
			}
			checkFormat(t, s)
			if k.Get(&s.Model) != v {
				t.Errorf("%s: %d was set, %d is read", k.Name, v, k.Get(&s.Model))
			}
			if k.Clear(&s.Model); cmp.Diff(plain(t).Model, s.Model) != "" {
				t.Errorf("%s: cleared %+v", k.Name, s.Model)
			}
		}
		s := plain(t)
		err := s.Set(k.Name, "nonsense")
		if err == nil || !strings.Contains(err.Error(), k.Values()) {
			t.Errorf("%s: nonsense is refused with %v", k.Name, err)
		}
	}
}

// TestWithin gives scenarios and what their verdicts hold within, word for word.
func TestWithin(t *testing.T) {
	tests := []struct{ name, keys, want string }{
		{"nothing", "", "no failures"},
		{"one", "failures: 1", "1 failure"},
		{"victims and network", "network: unordered\nvictims: p1\nfailures: 1",
			"1 failure, victims p1, network unordered"},
		{"no failures", "loss: 1\nnetwork: set\nignored: kept",
			"no failures, network set, ignored kept, 1 loss"},
		{"spacing", "failures: 2\nspacing: settled\nat-once: all",
			"2 failures, all at once, spacing settled"},
		{"names", "victims: a b\ninterchangeable: b c\nforce: yes",
			"no failures, victims a b, interchangeable b c, force yes"},
		{"everything", "failures: 3\nat-once: 2\noverlap: 1\nstop: staggered\ncheckpoints: 2\n" +
			"duplicates: 2\nfrom-dead: every\nto-dead: kept\ndetect: any\nnotice: joint\n" +
			"suspicions: 1\ntorn: 4", "3 failures, 2 at once, 1 down or recovering at a time, " +
			"stop staggered, 2 checkpoints, 2 duplicates, from-dead every, to-dead kept, " +
			"detect any, notice joint, 1 suspicion, 4 torn writes"},
		{"records", "disks: survive\nspoils: S N1\nlose: 1\ncorrupt: 2\nfull: 1", "no failures, " +
			"disks survive, spoils S N1, 1 lost record, 2 corrupted records, 1 refused write"},
		{"not about failures", "source: x\nstates: 7\nlong: yes\nmust-see: recovers\n" +
			"clusters: a | b", "no failures"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.Parse("s.txtar", []byte(
				"t\n-- scenario --\nprotocol: none\nprogram: ring 3\n"+tt.keys+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Within(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestKeysExplained checks that every key says what it is and which values it may have, and is
// there once.
func TestKeysExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range scenarios.Keys() {
		if k.Doc == "" || k.Values == "" || seen[k.Name] {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
	}
	if len(seen) != 40 {
		t.Errorf("%d keys, want 40", len(seen))
	}
}
