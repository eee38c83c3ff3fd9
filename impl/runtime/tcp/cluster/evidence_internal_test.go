package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// evidence writes ten pieces of a life; it returns the file, its bytes, and where each piece ends.
func evidence(t *testing.T) (name string, whole []byte, ends []int64) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "evidence-0")
	r, err := newRecorder(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(10) {
		p := piece{Began: 7 + n, Number: n, Performed: int(n),
			Events: []trace.Event{{Kind: trace.Sent, Peer: 1, Digest: n}},
			Marks:  []processes.Mark{{What: processes.Put, Peer: 1, Clock: n}}}
		if err := r.write(&p); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, r.bytes)
	}
	if err := r.file.Close(); err != nil {
		t.Fatal(err)
	}
	if whole, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return name, whole, ends
}

// TestEvidenceFlips turns every bit of an evidence file: whoever reads it finds out, also of a life
// that was killed, whose last write may be cut, and also in a length.
func TestEvidenceFlips(t *testing.T) {
	name, whole, _ := evidence(t)
	for bit := range 8 * len(whole) {
		spoilt := bytes.Clone(whole)
		spoilt[bit/8] ^= 1 << (bit % 8)
		if _, err := (&reader{name: name}).take(spoilt, true); err == nil {
			t.Fatalf("bit %d is turned, and nobody finds out", bit)
		}
	}
}

// TestEvidenceCut cuts an evidence file at every byte. Of a life that was killed the rest may be a
// write that the kill has cut, unless the life has spoken of it; of one that has ended in order
// nothing may be missing. Bytes behind the last word are no evidence of it, either.
func TestEvidenceCut(t *testing.T) {
	name, whole, ends := evidence(t)
	for size := range len(whole) + 1 {
		pieces, last := 0, int64(0)
		for _, end := range ends {
			if int64(size) >= end {
				pieces, last = pieces+1, end
			}
		}
		got, err := (&reader{name: name, said: last}).take(whole[:size], true)
		if err != nil || len(got) != pieces {
			t.Errorf("%d of %d bytes: %d pieces, error %v, want %d", size, len(whole), len(got),
				err, pieces)
		}
		if _, err := (&reader{name: name, said: last + 1}).take(whole[:size],
			true); err == nil {
			t.Errorf("%d bytes, and the life has spoken of %d: want an error", size, last+1)
		}
		r := reader{name: name, said: int64(len(whole)), whole: true}
		if _, err := r.take(whole[:size], true); (err == nil) != (size == len(whole)) {
			t.Errorf("%d of %d bytes of a life that has ended in order: error %v", size,
				len(whole), err)
		}
		if _, err := (&reader{said: int64(len(whole))}).take(whole[:size], false); err != nil {
			t.Errorf("%d bytes of a life that goes on: %v, want that it waits", size, err)
		}
	}
	r := reader{name: name, said: ends[8], whole: true}
	if _, err := r.read(true); err == nil {
		t.Error("a piece behind the last word: want an error")
	}
}

// TestEvidenceOfSteps: what is written down beside steps makes none.
func TestEvidenceOfSteps(t *testing.T) {
	pieces := []piece{{Number: 1, Began: 3, Events: []trace.Event{{Kind: trace.Sent}}},
		{Number: 1, Began: 9, Marks: []processes.Mark{{What: processes.Agreed}}},
		{Number: 2, Began: 10, Events: []trace.Event{{Kind: trace.Stored}}}}
	got := stepsOf(core.Proc(0), 0, pieces)
	if len(got) != 2 || got[0].began != 3 || len(got[0].events) != 1 || got[1].began != 10 {
		t.Errorf("steps %+v, want those of clocks 3 and 10", got)
	}
}
