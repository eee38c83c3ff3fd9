package mesh

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/domino-check/domino/spec/trace"
)

// What a handshake can end with, beside errors of the network.
var (
	ErrStranger  = errors.New("no process of domino")
	ErrGone      = errors.New("it ended, or was too slow, in its handshake")
	ErrElsewhere = errors.New("another process of the run is at this address")
	ErrOtherRun  = errors.New("a process of another run")
	ErrSecret    = errors.New("the secret of the run is not proven")
	ErrFenced    = errors.New("a newer life of this process is known, or this one was given up")
	ErrDuplicate = errors.New("the two processes are connected or about to be")
)

// Run names one run, so that what is left of another is recognised.
type Run [16]byte

// Identity is who a process is and what it must prove.
type Identity struct {
	Run    Run
	Secret []byte // of the run
	Self   trace.Proc
	Life   trace.Incarnation
}

// NewIdentity is an identity in a new run with a random secret.
func NewIdentity() Identity {
	var id Identity
	id.Secret = make([]byte, 32)
	rand.Read(id.Run[:]) // never fails
	rand.Read(id.Secret)
	return id
}

// rendezvousProc is the number of the rendezvous in handshakes.
const rendezvousProc trace.Proc = 1<<16 - 1

// cardMagic begins every connection; the last byte is the version.
const cardMagic = "domino\x00\x01"

const cardSize = len(cardMagic) + 16 + 2 + 2 + 4 + 32

// card is what each side says about itself.
type card struct {
	run      Run
	from, to trace.Proc
	life     trace.Incarnation
	bytes    [cardSize]byte // as it travels, nonce included
}

func (id *Identity) card(to trace.Proc) card {
	c := card{run: id.Run, from: id.Self, to: to, life: id.Life}
	b := append(c.bytes[:0], cardMagic...)
	b = append(b, id.Run[:]...)
	b = binary.LittleEndian.AppendUint16(b, uint16(c.from))
	b = binary.LittleEndian.AppendUint16(b, uint16(c.to))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.life))
	rand.Read(c.bytes[len(b):])
	return c
}

// readMagic reads the first bytes, by which a stranger is known.
func readMagic(r io.Reader) error {
	var got [len(cardMagic)]byte
	if _, err := io.ReadFull(r, got[:]); err != nil {
		return fmt.Errorf("%w: %w", ErrStranger, err)
	}
	if string(got[:]) != cardMagic {
		return fmt.Errorf("%w: it says %q", ErrStranger, got[:])
	}
	return nil
}

// readCard reads the other side's card behind the magic.
func readCard(r io.Reader) (card, error) {
	var c card
	copy(c.bytes[:], cardMagic)
	if _, err := io.ReadFull(r, c.bytes[len(cardMagic):]); err != nil {
		return c, fmt.Errorf("%w: %w", ErrGone, err)
	}
	b := c.bytes[len(cardMagic):]
	copy(c.run[:], b)
	c.from, c.to = trace.Proc(binary.LittleEndian.Uint16(b[16:])),
		trace.Proc(binary.LittleEndian.Uint16(b[18:]))
	c.life = trace.Incarnation(binary.LittleEndian.Uint32(b[20:]))
	return c, nil
}

const proofSize = sha256.Size

// proof is what only a process of the run can say; role keeps the proofs of the two sides, and
// their later words, apart.
func (id *Identity) proof(role string, dialer, acceptor *card) []byte {
	mac := hmac.New(sha256.New, id.Secret)
	mac.Write([]byte(role))
	mac.Write(dialer.bytes[:])
	mac.Write(acceptor.bytes[:])
	return mac.Sum(nil)
}

// checkProof reads a proof. Whoever ends before he has said it may have been killed: only a wrong
// one is ErrSecret.
func (id *Identity) checkProof(r io.Reader, role string, dialer, acceptor *card) error {
	var got [proofSize]byte
	if _, err := io.ReadFull(r, got[:]); err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	if !hmac.Equal(got[:], id.proof(role, dialer, acceptor)) {
		return ErrSecret
	}
	return nil
}

// verdict is the acceptor's answer to a dialer that has proven the secret.
type verdict byte

const (
	admitted verdict = iota + 1
	fenced
	duplicate
)

// accept is the acceptor's part, behind the magic; judge decides about who has proven itself. The
// card of the dialer is valid if it is not zero.
func (id *Identity) accept(rw io.ReadWriter, judge func(card) verdict) (card, error) {
	theirs, err := readCard(rw)
	if err != nil {
		return card{}, err
	}
	ours := id.card(theirs.from)
	if theirs.run != id.Run {
		// so that it can see the reason; that it may be gone does not matter
		rw.Write(ours.bytes[:])
		return card{}, ErrOtherRun
	}
	if _, err := rw.Write(append(ours.bytes[:],
		id.proof("acceptor", &theirs, &ours)...)); err != nil {
		return card{}, fmt.Errorf("%w: %w", ErrGone, err)
	}
	if theirs.to != id.Self {
		return card{}, fmt.Errorf("%w: proc %d looks for proc %d, this is %d", ErrElsewhere,
			theirs.from, theirs.to, id.Self)
	}
	if err := id.checkProof(rw, "dialer", &theirs, &ours); err != nil {
		return card{}, err
	}
	v := judge(theirs)
	answer := append([]byte{byte(v)}, id.proof(string([]byte{'v', byte(v)}), &theirs, &ours)...)
	if _, err := rw.Write(answer); err != nil {
		return theirs, fmt.Errorf("%w: %w", ErrGone, err)
	}
	return theirs, v.err()
}

func (v verdict) err() error {
	switch v {
	case admitted:
		return nil
	case fenced:
		return ErrFenced
	case duplicate:
		return ErrDuplicate
	}
	return ErrStranger
}

// dial is the dialer's part.
func (id *Identity) dial(rw io.ReadWriter, to trace.Proc) (card, error) {
	ours := id.card(to)
	if _, err := rw.Write(ours.bytes[:]); err != nil {
		return card{}, fmt.Errorf("%w: %w", ErrGone, err)
	}
	err := readMagic(rw)
	if errors.Is(err, io.EOF) { // it had no place, or ends
		err = fmt.Errorf("%w: %w", ErrGone, io.EOF)
	}
	var theirs card
	if err == nil {
		theirs, err = readCard(rw)
	}
	switch {
	case err != nil:
		return card{}, err
	case theirs.run != id.Run:
		return card{}, ErrOtherRun
	}
	if err := id.checkProof(rw, "acceptor", &ours, &theirs); err != nil {
		return card{}, err
	}
	if theirs.from != to || theirs.to != id.Self {
		return card{}, fmt.Errorf("%w: this is proc %d, want %d", ErrElsewhere, theirs.from, to)
	}
	if _, err := rw.Write(id.proof("dialer", &ours, &theirs)); err != nil {
		return card{}, err
	}
	var v [1]byte
	if _, err := io.ReadFull(rw, v[:]); err != nil {
		return card{}, err
	}
	if err := id.checkProof(rw, string([]byte{'v', v[0]}), &ours, &theirs); err != nil {
		return card{}, err
	}
	return theirs, verdict(v[0]).err()
}
