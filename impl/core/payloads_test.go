package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// keeper is a machine that keeps payloads in several places.
type keeper struct {
	Log   []entry                 `json:"log"`
	Named map[string]core.Payload `json:"named"`
	Image []byte                  `json:"image"`
	Seen  []core.MsgID            `json:"seen"`
}

type entry struct {
	_       struct{} `cbor:",toarray"`
	To      core.Rank
	Payload core.Payload
}

// Aim: what a state holds is found wherever it is, and nothing else is taken for a payload. Method:
// a state with payloads in lists, maps and records, and with names and bytes that are none.
func TestPayloads(t *testing.T) {
	id := func(from core.Rank, number uint32) core.MsgID {
		return core.MsgID{From: from, Number: number}
	}
	data := make([]byte, core.MinBytes)
	k := keeper{Log: []entry{{To: 1, Payload: core.Payload{ID: id(2, 3), Data: data}}},
		Named: map[string]core.Payload{"b": {ID: id(0, 2), Data: data}, "a": {ID: id(0, 1),
			Data: data}},
		Image: core.Encode(core.Payload{ID: id(5, 5), Data: data}),
		Seen:  []core.MsgID{id(4, 4)}}
	state := append(core.Encode([]int{1, 2}), core.Encode(&k)...)
	want := []core.MsgID{id(0, 1), id(0, 2), id(2, 3)}
	if diff := cmp.Diff(want, core.Payloads(state)); diff != "" {
		t.Errorf("payloads (-want +got):\n%s", diff)
	}
	if got := core.Payloads(core.Encode([]any{core.MsgID{}, []byte("short")})); got != nil {
		t.Errorf("payloads %v in a state without", got)
	}
}
