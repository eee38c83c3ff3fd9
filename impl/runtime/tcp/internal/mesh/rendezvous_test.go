package mesh_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/trace"
)

// TestManyRegister has more first lives register than an acceptor otherwise handles at one time:
// each of them waits for the last, so all must be let in.
func TestManyRegister(t *testing.T) {
	const procs = 150
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	id := mesh.NewIdentity()
	ctx, stop := context.WithCancel(t.Context())
	var serving, registering sync.WaitGroup
	serving.Go(func() {
		if err := (&mesh.Rendezvous{Identity: id, Procs: procs}).Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	for p := range trace.Proc(procs) {
		registering.Go(func() {
			mine := id
			mine.Self = p
			if table, err := mesh.Register(t.Context(), l.Addr().String(), mine,
				"host:1"); err != nil || len(table) != procs {
				t.Errorf("proc %d: %d addresses, %v", p, len(table), err)
			}
		})
	}
	registering.Wait()
	stop()
	serving.Wait()
}
