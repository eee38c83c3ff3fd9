package core_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// holder is a state with payloads in a list, in a map and beside other bytes.
type holder struct {
	_     struct{} `cbor:",toarray"`
	List  []core.Payload
	Known map[core.MsgID][]byte
	Word  string
	Image []byte
}

// TestStateDigest: the bytes of a payload make no difference, everything else does, and what is no
// state has a digest, too.
func TestStateDigest(t *testing.T) {
	state := func(change func(h *holder)) []byte {
		id := core.MsgID{From: 1, Number: 300}
		h := &holder{List: []core.Payload{{ID: id, Data: []byte{1, 2, 3}}, {ID: id}},
			Known: map[core.MsgID][]byte{id: {4}}, Word: "word", Image: make([]byte, 70000)}
		change(h)
		return append(core.Encode(h), core.Encode([]uint64{1 << 40, 7})...)
	}
	base := core.StateDigest(state(func(*holder) {}))
	for _, tt := range []struct {
		name   string
		change func(h *holder)
		same   bool
	}{
		{"bytes of a payload", func(h *holder) { h.List[0].Data[0]++ }, true},
		{"length of a payload", func(h *holder) { h.List[0].Data = make([]byte, 300) }, true},
		{"payload without bytes", func(h *holder) { h.List[0].Data = nil }, true},
		{"name of a payload", func(h *holder) { h.List[0].ID.Number++ }, false},
		{"number of payloads", func(h *holder) { h.List = h.List[:1] }, false},
		{"bytes that are none", func(h *holder) { h.Known[h.List[0].ID][0]++ }, false},
		{"image", func(h *holder) { h.Image[69999]++ }, false},
		{"word", func(h *holder) { h.Word = "wore" }, false},
	} {
		if got := core.StateDigest(state(tt.change)) == base; got != tt.same {
			t.Errorf("%s: same digest %t, want %t", tt.name, got, tt.same)
		}
	}
	whole := state(func(*holder) {})
	for n := range 100 { // cut off anywhere
		if core.StateDigest(whole[:n]) == 0 {
			t.Errorf("digest 0 of the first %d bytes", n)
		}
	}
	if core.StateDigest(nil) == 0 {
		t.Error("digest 0 of nothing")
	}
}
