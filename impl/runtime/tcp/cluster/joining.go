package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"syscall"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// How a life comes to the others.

// listen is where others connect, and the address that they are told. A name may mean the loopback
// on the host itself, as in many an /etc/hosts, so a host that others must reach by name listens
// everywhere, and they are told the name.
func (l *life) listen() (net.Listener, string, error) {
	host := l.in.Host
	if l.in.Public && net.ParseIP(host) == nil {
		host = ""
	}
	listener, err := l.in.Ports.listen(host, int(l.in.Proc)+1)
	if err != nil {
		return nil, "", err
	}
	address := listener.Addr().String()
	if l.in.Public {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, "", errors.Join(err, listener.Close())
		}
		address = net.JoinHostPort(l.in.Host, port)
	}
	return listener, address, nil
}

// join makes the mesh and the node.
func (l *life) join() error {
	listener, listens, err := l.listen()
	if err != nil {
		return err
	}
	l.address = listens
	procs, pool := len(l.setup.Layout.Names), new(buffer.Pool)
	pool.Reserve(l.in.Reserve)
	m, err := mesh.New(mesh.Config{Identity: l.identityOnMesh(), Procs: procs, Listener: listener,
		Pool: pool, Patience: mesh.PatienceFor(procs, runtime.NumCPU())})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	l.mu.Lock()
	l.mesh = m
	l.mu.Unlock()
	l.clock.hear(l.in.Clock)
	l.carrier = &carrier{mesh: m, pool: pool, clock: &l.clock, epoch: l.in.Epoch, gone: l.in.Gone,
		nothing: l.in.Nothing, peers: make([]*connection, procs), refused: l.refused,
		marks: &l.marks}
	l.carrier.fence()
	l.machine = l.setup.New(l.in.Proc)
	l.witness.begin(l)
	config := node.Config{Proc: l.in.Proc, Life: l.in.Incarnation, Procs: procs, Machine: l.machine,
		NewMessage: l.setup.NewMessage, Mesh: l.carrier,
		Pool: pool, Store: l.store, Perform: l.perform, Edges: l.setup.Layout.Edges,
		Keep: l.in.Keep, Set: l.in.Set, Held: l.in.Steered}
	if !l.in.Bare {
		config.Before, config.Observe = l.doing.begin, l.witness.observe
	}
	if l.node, err = node.New(config); err != nil {
		return err
	}
	for _, k := range l.in.Mail {
		l.node.Post(k.From, k.Body)
	}
	l.tune()
	return nil
}

// identityOnMesh is what the life is to the others.
func (l *life) identityOnMesh() mesh.Identity {
	return mesh.Identity{Run: l.in.Run, Secret: l.in.Secret, Self: l.in.Proc, Life: l.in.Life}
}

// register comes to the rendezvous, meanwhile.
func (l *life) register(ctx context.Context) {
	l.tasks.Go(func() {
		table, err := mesh.Register(ctx, l.in.Rendezvous, l.identityOnMesh(), l.address)
		l.mu.Lock()
		defer l.mu.Unlock()
		if ctx.Err() == nil || err != nil && !errors.Is(err, context.Canceled) {
			l.table, l.failure = table, err
		}
		l.ring()
	})
}

// meet waits until all first lives are known to each other: whoever dies before would never be.
func (l *life) meet() error {
	for {
		l.mu.Lock()
		met, failure := l.table != nil, l.failure
		l.mu.Unlock()
		if met || failure != nil {
			return failure
		}
		<-l.bell
	}
}

// connect waits for the connections with all that this proc will talk with, so that no program has
// to, and a run over hosts that do not reach each other does not begin. There both sides call: one
// of the two directions may be closed.
func (l *life) connect() error {
	l.mu.Lock()
	table := l.table
	l.mu.Unlock()
	l.mesh.Learn(table)
	partners := partnersOf(l.setup, l.in.Proc)
	for _, q := range partners {
		if q < l.in.Proc || l.in.Public {
			l.mesh.Call(q)
		}
	}
	err := l.mesh.Gather(partners, l.in.Connect)
	if err == nil {
		return nil
	}
	var missing []string
	for _, q := range partners {
		if _, ok := l.mesh.Connected(q); !ok {
			missing = append(missing, l.missing(q))
		}
	}
	if len(missing) == 0 {
		return err
	}
	return fmt.Errorf("%d of the %d connections that it needs are missing after %v: %s",
		len(missing), len(partners), l.in.Connect, few(missing))
}

// missing says what is known of a connection that is not there.
func (l *life) missing(q core.Proc) string {
	name := l.setup.Layout.Name(q)
	if a := l.mesh.Address(q); a != "" {
		name += " at " + a
	}
	for _, w := range l.mesh.Waiting() {
		if w.Proc == q && w.Err != nil {
			return fmt.Sprintf("%s (%d attempts, the last: %v)", name, w.Attempts, w.Err)
		}
	}
	return name + " (it has not called)"
}

// await waits for leave to go on.
func (l *life) await() {
	for {
		if o, ok := l.next(sayGo); ok {
			l.clock.hear(o.Clock)
			return
		}
		<-l.bell
	}
}

// refused passes on what happened to the mesh.
func (l *life) refused(n mesh.Notice) {
	switch {
	case n.Event == mesh.Refused && hungUp(n.Err): // killed meanwhile, most likely
	case n.Event == mesh.Refused:
		l.say(answer{Kind: saidRefused, Text: fmt.Sprintf(
			"proc %d refused a connection from %s: %v", l.in.Proc, n.Address, n.Err)})
	case n.Event == mesh.Unreachable:
		l.say(answer{Kind: saidNote, Text: fmt.Sprintf(
			"proc %d did not reach proc %d life %d at %s: %v", l.in.Proc, n.Proc, n.Life, n.Address,
			n.Err)})
	}
}

// hungUp reports whether a connection was refused because the other side ended it before it had
// said who it is: nobody needs to know of that, while a wrong word is worth a note.
func hungUp(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET,
		syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
