package core

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// anything reads records as maps by the names of their fields.
var anything = func() cbor.DecMode {
	mode, err := cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any](),
		MaxArrayElements: 1 << 24}.DecMode()
	if err != nil {
		panic("invariant: codec options are valid: " + err.Error())
	}
	return mode
}()

// Payloads lists the messages whose payloads are in the state of a machine, as EncodeState writes
// it, in order: whatever has the form of one counts, whether the machine says that it keeps it or
// not. What a machine has packed into bytes, such as an image that it keeps for another, is not
// looked into, nor what comes behind a part of the state with a map that has other keys than words.
func Payloads(state []byte) (list []MsgID) {
	for len(state) > 0 {
		var part any
		rest, err := anything.UnmarshalFirst(state, &part)
		if err != nil {
			break
		}
		state = rest
		list = payloads(part, list)
	}
	slices.SortFunc(list, func(a, b MsgID) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
	})
	return list
}

func payloads(v any, list []MsgID) []MsgID {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = payloads(v[name], list)
		}
	case []any:
		if id, ok := payloadOf(v); ok {
			return append(list, id)
		}
		for _, w := range v {
			list = payloads(w, list)
		}
	}
	return list
}

// payloadOf is the name of the message if the value has the form of a payload.
func payloadOf(v []any) (id MsgID, ok bool) {
	if len(v) != 2 {
		return MsgID{}, false
	}
	name, named := v[0].([]any)
	data, carries := v[1].([]byte)
	if !named || !carries || len(name) != 2 || len(data) < MinBytes {
		return MsgID{}, false
	}
	from, isRank := name[0].(uint64)
	number, isNumber := name[1].(uint64)
	return MsgID{From: Rank(from), Number: uint32(number)}, isRank && isNumber && number > 0
}

// Strings lists the byte strings in something that the codec has written, in order, and those that
// they are themselves made of: what a record or a message has packed. As Payloads it reads no
// further than it understands.
func Strings(encoded []byte) (list [][]byte) {
	for len(encoded) > 0 {
		var part any
		rest, err := anything.UnmarshalFirst(encoded, &part)
		if err != nil {
			break
		}
		encoded = rest
		list = byteStrings(part, list)
	}
	return list
}

func byteStrings(v any, list [][]byte) [][]byte {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = byteStrings(v[name], list)
		}
	case []any:
		for _, w := range v {
			list = byteStrings(w, list)
		}
	case []byte:
		list = append(append(list, v), Strings(v)...)
	}
	return list
}
