package mesh

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// everybody admits.
func everybody(card) verdict { return admitted }

// accepts has proc 0 of a run greet who is at the other end, and says with what that ended.
func accepts(id Identity, who func(conn net.Conn)) error {
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() {
		id.Self = 0
		err := readMagic(ours)
		if err == nil {
			_, err = id.accept(ours, everybody)
		}
		ours.Close()
		done <- err
	}()
	who(theirs)
	theirs.Close()
	return <-done
}

// recorder is a connection that remembers what was said into it.
type recorder struct {
	net.Conn
	said bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) {
	r.said.Write(b)
	return r.Conn.Write(b)
}

// TestHandshakeForged: who does not know the secret is not let in by saying back what he was told,
// or again what he has heard somebody say who was let in.
func TestHandshakeForged(t *testing.T) {
	id := NewIdentity()
	id.Self = 1
	var heard recorder
	if err := accepts(id, func(conn net.Conn) {
		heard.Conn = conn
		if _, err := id.dial(&heard, 0); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	stranger := Identity{Run: id.Run, Secret: []byte("a guess"), Self: 1}
	for name, who := range map[string]func(conn net.Conn){
		"a guess": func(conn net.Conn) {
			if _, err := stranger.dial(conn, 0); !errors.Is(err, ErrSecret) {
				t.Errorf("a guess: the dialer ends with %v", err)
			}
		},
		"a mirror": func(conn net.Conn) {
			ours := stranger.card(0)
			conn.Write(ours.bytes[:])
			var told [cardSize + proofSize]byte
			io.ReadFull(conn, told[:])
			conn.Write(told[cardSize:])
		},
		"a parrot": func(conn net.Conn) {
			said := heard.said.Bytes()
			conn.Write(said[:cardSize])
			io.CopyN(io.Discard, conn, int64(cardSize+proofSize))
			conn.Write(said[cardSize:])
		},
	} {
		err := accepts(id, who)
		if want := ErrSecret; !errors.Is(err, want) && !(name == "a guess" &&
			errors.Is(err, ErrGone)) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// TestHandshakeVerdictForged: a verdict that was changed on its way is not believed.
func TestHandshakeVerdictForged(t *testing.T) {
	id := NewIdentity()
	id.Self = 1
	acceptor := id
	acceptor.Self = 0
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		err := readMagic(theirs)
		if err == nil {
			_, err = acceptor.accept(&changed{theirs}, everybody)
		}
		_ = err // the dialer ends it
	}()
	if _, err := id.dial(ours, 0); !errors.Is(err, ErrSecret) {
		t.Errorf("ended with %v, want %v", err, ErrSecret)
	}
	ours.Close()
}

// changed is a connection on which the verdict becomes another one.
type changed struct{ net.Conn }

func (c *changed) Write(b []byte) (int, error) {
	if len(b) == 1+proofSize {
		b = append([]byte{byte(fenced)}, b[1:]...)
	}
	return c.Conn.Write(b)
}

// TestHandshakeElsewhere: who looks for another proc is told who this is, whatever he makes of it.
func TestHandshakeElsewhere(t *testing.T) {
	id := NewIdentity()
	id.Self = 1
	for to, want := range map[trace.Proc]error{0: nil, 2: ErrElsewhere} {
		err := accepts(id, func(conn net.Conn) {
			ours := id.card(to)
			conn.Write(ours.bytes[:])
			if readMagic(conn) != nil {
				return
			}
			theirs, err := readCard(conn)
			if err == nil {
				err = id.checkProof(conn, "acceptor", &ours, &theirs)
			}
			if err != nil {
				t.Error(err)
			}
			if _, err := conn.Write(id.proof("dialer", &ours, &theirs)); err == nil {
				io.Copy(io.Discard, conn)
			}
		})
		if !errors.Is(err, want) {
			t.Errorf("looks for %d at 0: %v, want %v", to, err, want)
		}
	}
}
