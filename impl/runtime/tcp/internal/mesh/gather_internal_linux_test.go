package mesh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/spec/trace"
)

// TestGather waits for one who is there, and has already said something, and for one who never
// comes: it ends at its limit and names him; and what was said, and what has happened, is there for
// the owner then.
func TestGather(t *testing.T) {
	a, b := pairOf(t)
	b.Call(0)
	if err := b.Gather([]trace.Proc{0}, time.Minute); err != nil {
		t.Fatal(err)
	}
	b.Send(0, frame.Control, 1, nil, []byte("early"))
	b.Flush()
	a.c.Procs, a.peers = 3, append(a.peers, nil)
	err := a.Gather([]trace.Proc{1, 2}, 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "proc 2 did not come in 50ms") {
		t.Errorf("gathered with %v", err)
	}
	var f Arrival
	if w := a.Next(&f, time.Minute); w != Notified {
		t.Fatalf("then %d, want the notice", w)
	}
	if n, ok := a.Notice(); !ok || n.Event != Up || n.Proc != 1 {
		t.Errorf("notice %+v, want that 1 is up", n)
	}
	if w := a.Next(&f, time.Minute); w != Frame || string(f.Payload) != "early" {
		t.Errorf("then %d, %q, want the frame", w, f.Payload)
	}
	b.Close(0)
	err = a.Gather([]trace.Proc{2, 1}, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "proc 1 inc 0 is lost") {
		t.Errorf("one is lost: gathered with %v", err)
	}
}

// TestValueBound: nobody at a meeting makes the other side take memory for more than a table has.
func TestValueBound(t *testing.T) {
	for length, want := range map[uint32]error{maxValue + 1: ErrStranger, 1<<32 - 1: ErrStranger,
		maxValue: io.EOF} {
		var v any
		err := readValue(bytes.NewReader(binary.LittleEndian.AppendUint32(nil, length)), &v)
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", length, err, want)
		}
	}
}
