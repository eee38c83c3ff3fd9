package world

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// inner has no names in the codec, image has.
type inner struct {
	_    struct{} `cbor:",toarray"`
	Text string   `json:"text"`
}

type image struct {
	Life uint32 `json:"life"`
}

// specimen has what states are made of.
type specimen struct {
	inner
	_       struct{}
	B       bool           `json:"b"`
	A       []inner        `json:"a"`
	None    []inner        `json:"none"`
	Gone    *inner         `json:"gone"`
	There   *inner         `json:"there"`
	Left    []int          `json:"left,omitempty"`
	Skipped int            `json:"-"`
	Plain   [2]uint64      // without a tag
	Keys    map[uint16]any `json:"keys"`
	Kind    trace.Kind     `json:"kind"` // has words of its own
	hidden  int
}

// TestDocument holds what is written of values without bytes against encoding/json, to the byte.
func TestDocument(t *testing.T) {
	for _, v := range []any{specimen{}, &specimen{inner: inner{Text: "<x>"}, B: true,
		A: []inner{{Text: "1"}, {}}, There: &inner{Text: "2"}, Left: []int{3}, Skipped: 4,
		Plain: [2]uint64{1 << 63, 5}, Keys: map[uint16]any{10: nil, 9: inner{Text: "6"}},
		Kind: trace.Crashed, hidden: 7}, map[string]any{"z": nil, "a": []any{1, "x", nil}}} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(document(reflect.ValueOf(v)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%+v (-encoding/json +document):\n%s", v, diff)
		}
	}
}

// TestWords reads bytes of several kinds as a reader of a report does.
func TestWords(t *testing.T) {
	digest := []byte{0, 1, 2, 3, 4, 5, 6, 0xff}
	l := &trace.Layout{Names: []string{"a", "b"}, Labels: map[trace.MsgID]string{
		{From: 1, Number: 2}: `m"2`}}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{core.Payload{ID: core.MsgID{From: 1, Number: 2}, Data: digest},
			`{"id":"m\"2","data":"00010203040506ff"}`},
		{[]core.Payload{{ID: core.MsgID{Number: 7}}}, `[{"id":"a#7","data":""}]`},
		{core.MsgID{}, `"-"`},
		{core.Encode(image{Life: 3}), `{"life":3}`},
		{append(core.Encode(image{Life: 3}), core.Encode(inner{Text: "x"})...), `[{"life":3},["x"]]`},
		{[]byte{1, 2, 3}, `"010203"`},  // three numbers by chance
		{digest, `"00010203040506ff"`}, // a payload
		{[]byte(nil), `""`},
		{`{"from":1,"number":2}`, `"{\"from\":1,\"number\":2}"`}, // a text that looks like a name
	} {
		b, err := json.Marshal(document(reflect.ValueOf(tt.value)))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(labelled(b, l)); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.value, got, tt.want)
		}
	}
}
