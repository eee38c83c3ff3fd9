package core

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// The canonical codec: deterministic CBOR (RFC 8949 section 4.2.1), nil containers written as empty
// ones, so that equal state has equal bytes (a machine must therefore not tell nil from empty). A
// well-kept library, because the encoding must be deterministic to the last bit.
var (
	encoding = func() cbor.EncMode {
		options := cbor.CoreDetEncOptions()
		options.NilContainers = cbor.NilContainerAsEmpty
		mode, err := options.EncMode()
		if err != nil {
			panic("invariant: codec options are valid: " + err.Error())
		}
		return mode
	}()
	decoding = func() cbor.DecMode {
		mode, err := cbor.DecOptions{MaxArrayElements: 1 << 24,
			DupMapKey: cbor.DupMapKeyEnforcedAPF}.DecMode()
		if err != nil {
			panic("invariant: codec options are valid: " + err.Error())
		}
		return mode
	}()
)

// Encode returns the canonical bytes of plain data. It panics when the value has no canonical
// encoding (a channel, a function), which is a programmer error.
func Encode(v any) []byte {
	b, err := encoding.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("core: encode %T: %v", v, err))
	}
	return b
}

// Decode reads what Encode wrote into the value that v points to. Truncated, trailing or foreign
// bytes are errors.
func Decode(b []byte, v any) error {
	if err := decoding.Unmarshal(b, v); err != nil {
		return fmt.Errorf("core: decode %T: %w", v, err)
	}
	return nil
}

// DecodeFirst is Decode of what the bytes begin with; it returns the rest.
func DecodeFirst(b []byte, v any) (rest []byte, err error) {
	if rest, err = decoding.UnmarshalFirst(b, v); err != nil {
		return nil, fmt.Errorf("core: decode %T: %w", v, err)
	}
	return rest, nil
}

// EncodeState returns the canonical bytes of a machine's state.
func EncodeState(m Machine) []byte {
	var out []byte
	for _, part := range m.State() {
		out = append(out, Encode(part)...)
	}
	return out
}

// DecodeState loads what EncodeState wrote into a fresh machine of the same proc and setup.
func DecodeState(b []byte, m Machine) error {
	for _, part := range m.State() {
		rest, err := DecodeFirst(b, part)
		if err != nil {
			return fmt.Errorf("core: decode state %T: %w", part, err)
		}
		b = rest
	}
	if len(b) != 0 {
		return fmt.Errorf("core: decode state: %d bytes left over", len(b))
	}
	return nil
}
