package local_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/local"
)

// TestStepHangs runs a machine one of whose steps does not end, at the start and later, in time
// that only goes on when nobody else does anything: the error names the proc and the step, and when
// the step ends after all, nothing is left behind. Steps that are each just short of the limit are
// no error, however many there are.
func TestStepHangs(t *testing.T) {
	const limit = 40 * time.Second
	tests := []struct {
		name     string
		at       core.InputKind
		takes    time.Duration // of the step, 0 = it ends when the run has been given up
		parallel bool
		want     string
	}{
		{"at the start", core.Start, 0, false,
			"local: p1 inc 0: a step does not end: after 40s it is still at its start"},
		{"at a message", core.Received, 0, false,
			`local: p1 inc 0: a step does not end: after 40s it is still at "deliver `},
		{"with others going on", core.Received, 0, true,
			`local: p1 inc 0: a step does not end: after 40s it is still at "deliver `},
		{"takes long", core.Received, limit - 1, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hold := make(chan struct{})
				slow := service{step: func(p core.Proc, _ *uint64, in core.Input) []core.Effect {
					if p == 1 && in.Kind == tt.at && tt.takes == 0 {
						<-hold
					} else if in.Kind == tt.at {
						<-time.After(tt.takes)
					}
					return []core.Effect{core.SendTo(1-p, &noiseMessage{Mix: 4})}
				}}
				r, err := local.Run(t.Context(), slow.setup(2),
					local.Config{Parallel: tt.parallel, MaxStep: limit, MaxSteps: 50})
				switch {
				case tt.want == "" && (err != nil || r.Bound != "limit of 50 steps"):
					t.Errorf("%+v %v", r, err)
				case tt.want != "" && (!errors.Is(err, local.ErrHangs) ||
					!strings.HasPrefix(err.Error(), tt.want)):
					t.Errorf("%v, want %s", err, tt.want)
				}
				close(hold)
			})
		})
	}
}
