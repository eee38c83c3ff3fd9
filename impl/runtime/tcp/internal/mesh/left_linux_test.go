package mesh_test

import (
	"sync"
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// TestLeftOnce: of a life that has said goodbye the owner is not told again that it is lost when
// the next one comes.
func TestLeftOnce(t *testing.T) {
	r := newRun(t, 2, nil)
	a, old := r.start(0, 0), r.start(1, 0)
	old.Dial([]mesh.Address{a.address}, forever)
	a.notice(mesh.Up)
	old.notice(mesh.Up)
	var closing sync.WaitGroup
	closing.Go(func() { old.Close(forever) })
	a.notice(mesh.Left)
	second := r.start(1, 1)
	second.Dial([]mesh.Address{a.address}, forever)
	if n := a.notice(mesh.Up); n.Life != 1 { // and nothing before
		t.Errorf("up %+v", n)
	}
	closing.Wait()
}
