package spec

import (
	"encoding/binary"

	"github.com/domino-check/domino/spec/trace"
)

// Survivors is the behaviour of a program of which some ranks are gone for good and the others run
// on, from exploring all runs in which ranks stop and operations end in errors from then on.
type Survivors struct {
	// combinations of the ends of all ranks, see SurvivorsKey
	Finals map[string]bool
	// by rank: every prefix of a sequence of deliveries (SequenceKey)
	Legal []map[string]bool
	// what is sent in some run
	Sent map[SendOf]bool
}

// SendOf is one send in one run.
type SendOf struct {
	ID     trace.MsgID
	To     trace.Proc
	Digest uint64
}

// How a rank may end, beside the final digests, which are odd.
const (
	Gone    uint64 = 0 // it has stopped for good
	Blocked uint64 = 2 // its program waits for what will never be there
)

// SurvivorsKey is a map key for the ends of all ranks; gone says which are gone for good.
func SurvivorsKey(f *Facts, v View, gone func(trace.Proc) bool) string {
	var key []byte
	for r := range f.ranks() {
		digest := Blocked
		switch h := v.Observed(r.Proc()).History; {
		case h == nil || gone(r.Proc()):
			digest = Gone
		case h.Done:
			digest = h.Digest
		}
		key = binary.BigEndian.AppendUint64(key, digest)
	}
	return string(key)
}
