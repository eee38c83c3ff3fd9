package world

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// TestStoredJSON writes records by hand, and reads them as a reader of a report does.
func TestStoredJSON(t *testing.T) {
	type entry struct {
		_    struct{} `cbor:",toarray"`
		Life uint32
		Text []byte
		Seen map[uint16]bool
	}
	for want, value := range map[string]any{
		`[1,"go",{"7":true}]`:  &entry{Life: 1, Text: []byte("go"), Seen: map[uint16]bool{7: true}},
		`[0,"",{}]`:            &entry{},
		`[2,"fffe00",{}]`:      &entry{Life: 2, Text: []byte{0xff, 0xfe, 0}},
		`[3,[1,2],{}]`:         &entry{Life: 3, Text: core.Encode([]uint32{1, 2})},
		`18446744073709551615`: ^uint64(0),
	} {
		if got := string(storedJSON(write{Value: core.Encode(value)})); got != want {
			t.Errorf("%+v is read as %s, want %s", value, got, want)
		}
	}
	if got := string(storedJSON(write{Value: []byte("no record")})); got != `"no record"` {
		t.Errorf("what is in no known form is read as %s", got)
	}
	if got := string(storedJSON(write{Value: core.Encode(1), Torn: true})); got != "null" {
		t.Errorf("a torn record is read as %s", got)
	}
}
