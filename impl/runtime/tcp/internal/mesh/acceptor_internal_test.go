package mesh

import (
	"context"
	"net"
	"testing"
	"time"
)

// queue is a listener with connections that wait.
type queue chan net.Conn

func (q queue) Accept() (net.Conn, error) {
	if c := <-q; c != nil {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (q queue) Close() error   { return nil }
func (q queue) Addr() net.Addr { return &net.TCPAddr{} }

// TestRoomAtOnce accepts strangers faster than their goroutines begin: each makes room for the
// next, and who says the first word behind them is heard.
func TestRoomAtOnce(t *testing.T) {
	for range 200 {
		const strangers = 3
		q := make(queue, strangers+1)
		for range strangers {
			mute, accepted := net.Pipe()
			defer mute.Close()
			q <- accepted
		}
		ours, accepted := net.Pipe()
		q <- accepted
		ctx, stop := context.WithCancel(t.Context())
		a := &acceptor{bound: 1, firstWord: time.Hour, refused: func(string, error) {},
			handle: func(net.Conn) { stop() }}
		go a.serve(ctx, q)
		ours.SetDeadline(time.Now().Add(time.Minute))
		if _, err := ours.Write([]byte(cardMagic)); err != nil {
			t.Fatal("nobody heard it: ", err)
		}
		<-ctx.Done()
		close(q)
		ours.Close()
	}
}
