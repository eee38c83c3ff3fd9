package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// maxHandshakes bounds the handshakes that an acceptor carries on at one time; more wait in the
// system's queue.
const maxHandshakes = 64

// defaultFirstWord is how long somebody who has connected may take for the first bytes. Whoever is
// of the run sends them at once.
const defaultFirstWord = time.Second

// afterError is how long an acceptor rests when it can not accept, mostly for want of descriptors.
const afterError = 50 * time.Millisecond

// acceptor accepts connections and hands on those that begin as one of ours does. It handles a
// bounded number at one time; when there is no place for one more, the oldest that has not said a
// word makes room.
type acceptor struct {
	bound     int
	firstWord time.Duration // 0 means a second
	refused   func(address string, err error)
	handle    func(net.Conn) // behind its first bytes; the connection is closed when it returns

	places chan struct{}
	mu     sync.Mutex
	silent []net.Conn // that have not said a word, oldest first
}

// serve accepts until the context ends. It goes on after errors, which it tells, unless somebody
// else closes the listener.
func (a *acceptor) serve(ctx context.Context, l net.Listener) error {
	defer l.Close()
	defer closeWith(ctx, l)()
	var handlers sync.WaitGroup
	defer handlers.Wait()
	a.places = make(chan struct{}, a.bound)
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("mesh: accept: %w", err)
		default:
			a.refused(l.Addr().String(), fmt.Errorf("mesh: accept: %w", err))
			rest(ctx, afterError)
			continue
		}
		if !a.enter(ctx) {
			conn.Close()
			return nil
		}
		a.note(conn) // here, not in its goroutine: who comes next must find somebody to close
		handlers.Go(func() {
			defer func() { <-a.places }()
			closing := closeWith(ctx, conn)
			a.meet(ctx, conn)
			closing()
			conn.Close()
		})
	}
}

// enter waits for a place; it reports false if the context has ended.
func (a *acceptor) enter(ctx context.Context) bool {
	select {
	case a.places <- struct{}{}:
		return true
	default:
		a.makeRoom()
	}
	select {
	case a.places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// makeRoom closes the oldest connection on which nothing was said: its handler gives up its place.
func (a *acceptor) makeRoom() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.silent) > 0 {
		a.silent[0].Close()
		a.silent = slices.Delete(a.silent, 0, 1)
	}
}

// note adds a connection to those on which nothing was said.
func (a *acceptor) note(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silent = append(a.silent, conn)
}

// meet reads the first bytes of a connection that was noted and handles who says the right ones.
func (a *acceptor) meet(ctx context.Context, conn net.Conn) {
	limit := a.firstWord
	if limit == 0 {
		limit = defaultFirstWord
	}
	conn.SetDeadline(time.Now().Add(limit))
	err := readMagic(conn)
	a.mu.Lock()
	at := slices.Index(a.silent, conn)
	if at >= 0 {
		a.silent = slices.Delete(a.silent, at, at+1)
	}
	a.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case at < 0:
		a.refused(conn.RemoteAddr().String(), fmt.Errorf("%w: it had said nothing when others came",
			ErrStranger))
	case err != nil:
		a.refused(conn.RemoteAddr().String(), err)
	default:
		a.handle(conn)
	}
}

// closeWith closes something when the context ends. The function that it returns, to be called
// once, ends that; what was being closed is closed then.
func closeWith(ctx context.Context, c io.Closer) (stop func()) {
	closed := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		c.Close()
		close(closed)
	})
	return func() {
		if !forget() {
			<-closed
		}
	}
}

// rest waits, unless the context ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
