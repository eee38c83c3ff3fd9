package optimistic_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/baseline/optimistic"
	"github.com/domino-check/domino/scenarios"
)

// began is the beginning of both runs of TestWaitsInImage: y has failed, which z has heard and x
// has not when z sends a, which depends on what y has received since.
const began = `crash y
restart y incarnation 1
step z send p to y
deliver z->y App p (number 1 vector [0 0 0 0 0 0])
persisted y ends
step y receive p from z
step y send c to z
FIRST
deliver y.1->z Announce (ends [[] [] [0]], has 1, line 0)
deliver y.1->z App c (number 1 life 1 vector [0 0 0 0 1 1])
step z receive c from y
step z send a to x
deliver z->x App a (number 1 vector [0 0 0 1 1 1])
THEN
deliver z->x Marker (checkpoint 1 incarnation 0)
step z end
persisted z log/0.1
persisted y log/1.1
persisted z image/1
deliver z->y Ask (incarnation 1 interval 1)
persisted x image/1
deliver y.1->z Stable (incarnation 1 interval 1)
deliver z->x Saved (checkpoint 1 incarnation 0)
persisted x commit/1
deliver y.1->x Announce (ends [[] [] [0]], has 0, line 0)
deliver x->z Commit (checkpoint 1 incarnation 0)
crash x`

// TestWaitsInImage: a message inside a unit that still waits for the beginning of an incarnation
// while the unit takes a checkpoint is in the image of its receiver, whether it came before that
// image was taken or behind it. Its sender has sent it in the line, and will not send it again: x
// would wait for it for ever. Tortured processes found it; these runs are of smaller programs, and
// each ends stuck without its half of what Image and arrive do.
func TestWaitsInImage(t *testing.T) {
	catalogue, err := verify.NewCatalogue(optimistic.Vaidya)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, x, z, first, then string }{
		{"behind the image", "checkpoint; recv z", "send y p; recv y; send x a", "step x go on 0",
			"deliver x->z Marker (checkpoint 1 incarnation 0)"},
		{"before the image", "recv z", "send y p; recv y; send x a; checkpoint", "",
			"step z go on 0\ndeliver z->x SaveRequest\n" +
				"deliver x->z Marker (checkpoint 1 incarnation 0)"},
	} {
		s, err := scenarios.Parse("waits.txtar", []byte("Waits\n-- scenario --\nprotocol: vaidya\n"+
			"clusters: x z | y\nfailures: 2\nvictims: x y\n-- program --\nx: "+tt.x+"\nz: "+tt.z+
			"\ny: recv z; send z c\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := catalogue.Resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		w, reason, err := world.Open(t.Context(), r.Case, checker.Options{})
		if err != nil || reason != "" {
			t.Fatal(err, reason)
		}
		text := strings.NewReplacer("FIRST\n", strings.TrimLeft(tt.first+"\n", "\n"), "THEN",
			tt.then).Replace(began)
		run, err := w.Replay(strings.Split(text, "\n"))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		w.GoOn(run)
		if !run.Complete || run.Violation != nil {
			t.Errorf("%s: complete %t, %v\n%s", tt.name, run.Complete, run.Violation,
				strings.Join(run.Schedule, "\n"))
		}
	}
}
