package spec

import (
	"strconv"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// tape is the memory of a monitor as numbers, in text: a search reads and writes it at every event,
// and keeps it in files.
type tape struct {
	b    []byte
	rest string
}

func (t *tape) put(numbers ...uint64) {
	for _, n := range numbers {
		t.b = append(strconv.AppendUint(t.b, n, 36), ' ')
	}
}

// write is what was put.
func (t *tape) write() string { return string(t.b) }

// more reports whether something is left to read.
func (t *tape) more() bool { return t.rest != "" }

// next is the next number; what is read was written by the same property.
func (t *tape) next() uint64 {
	word, rest, _ := strings.Cut(t.rest, " ")
	n, err := strconv.ParseUint(word, 36, 64)
	if err != nil {
		panic("invariant: a memory is what its property wrote: " + err.Error())
	}
	t.rest = rest
	return n
}

func (t *tape) putBool(b bool) {
	n := uint64(0)
	if b {
		n = 1
	}
	t.put(n)
}

func (t *tape) bool() bool       { return t.next() == 1 }
func (t *tape) proc() trace.Proc { return trace.Proc(t.next()) }

func (t *tape) putPoint(p point) { t.put(uint64(p.sent), uint64(p.received)) }
func (t *tape) point() point     { return point{uint32(t.next()), uint32(t.next())} }
