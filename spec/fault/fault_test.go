package fault_test

import (
	"testing"

	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// TestValidate gives failure models for 3 procs with the exact error, "" for a good one: every
// budget in [0, Max], every victim known.
func TestValidate(t *testing.T) {
	tests := []struct {
		name  string
		model fault.Model
		want  string
	}{
		{"zero", fault.Model{}, ""},
		{"largest budgets", fault.Model{Failures: 15, AtOnce: 15, Checkpoints: 15, Loss: 15,
			Duplicates: 15, Suspicions: 15, Torn: 15}, ""},
		{"victims", fault.Model{Victims: []trace.Proc{0, 2, 2}}, ""},
		{"failures", fault.Model{Failures: 16}, "budget failures is 16, want [0, 15]"},
		{"negative", fault.Model{Failures: -1}, "budget failures is -1, want [0, 15]"},
		{"at once", fault.Model{AtOnce: 16}, "budget at-once is 16, want [0, 15]"},
		{"checkpoints", fault.Model{Checkpoints: 1 << 40},
			"budget checkpoints is 1099511627776, want [0, 15]"},
		{"loss", fault.Model{Loss: 16}, "budget loss is 16, want [0, 15]"},
		{"duplicates", fault.Model{Duplicates: 16}, "budget duplicates is 16, want [0, 15]"},
		{"suspicions", fault.Model{Suspicions: 16}, "budget suspicions is 16, want [0, 15]"},
		{"torn", fault.Model{Torn: 16}, "budget torn is 16, want [0, 15]"},
		{"set", fault.Model{Set: true, Selective: true, Loss: 1, Failures: 1}, ""},
		{"selective", fault.Model{Unordered: true, Selective: true, Failures: 1,
			FromDead: fault.Every, DetectAny: true}, ""},
		{"two orders", fault.Model{Set: true, Unordered: true},
			"a network is either a set or unordered"},
		{"duplicates in a set", fault.Model{Set: true, Duplicates: 1},
			"in a network that is a set every message may arrive again, a budget of duplicates " +
				"makes no sense"},
		{"selective in order", fault.Model{Selective: true},
			"in a network that keeps order a message that stays would block its channel for ever"},
		{"never detected", fault.Model{Set: true, Failures: 1, FromDead: fault.Every},
			"messages that stay do not all arrive before a failure is detected"},
		{"victim", fault.Model{Victims: []trace.Proc{3}},
			"victim 3 does not exist, there are 3 procs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.model.Validate(3); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestTogether gives the number of groups that one crash may take.
func TestTogether(t *testing.T) {
	tests := []struct {
		name  string
		model fault.Model
		want  int
	}{
		{"zero", fault.Model{}, 1},
		{"one by one", fault.Model{Failures: 3}, 1},
		{"two at once", fault.Model{Failures: 3, AtOnce: 2}, 2},
		{"all in one instant", fault.Model{Failures: 3, OneInstant: true}, 3},
		{"one instant without failures", fault.Model{OneInstant: true}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.model.Together(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
