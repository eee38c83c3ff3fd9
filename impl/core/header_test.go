package core_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// Aim: numbers of a header are read as they were written, and nothing else is a number. Method:
// written by hand.
func TestFields(t *testing.T) {
	var b []byte
	for _, x := range []uint64{0, 127, 128, math.MaxUint32, math.MaxUint64, 65535} {
		b = binary.AppendUvarint(b, x)
	}
	b = core.AppendBool(core.AppendBool(b, true), false)
	f := core.ReadFields(b)
	if f.Uint32() != 0 || f.Uint32() != 127 || f.Uint32() != 128 || f.Uint32() != math.MaxUint32 ||
		f.Uint(math.MaxUint64) != math.MaxUint64 ||
		f.Rank() != 65535 || !f.Bool() || f.Bool() || f.End("x") != nil {
		t.Errorf("read %+v", f)
	}
	for _, bad := range []struct {
		name  string
		bytes []byte
		read  func(*core.Fields)
	}{
		{"nothing", nil, func(f *core.Fields) { f.Uint32() }},
		{"cut short", []byte{0x80}, func(f *core.Fields) { f.Uint32() }},
		{"33 bits", binary.AppendUvarint(nil, 1<<32), func(f *core.Fields) { f.Uint32() }},
		{"65 bits", []byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, func(f *core.Fields) {
			f.Uint(math.MaxUint64)
		}},
		{"33 bits of a rank", binary.AppendUvarint(nil, 1<<32), func(f *core.Fields) { f.Rank() }},
		{"17 bits of a group", binary.AppendUvarint(nil, 1<<16), func(f *core.Fields) {
			f.Group()
		}},
		{"not a bool", []byte{2}, func(f *core.Fields) { f.Bool() }},
		{"a long zero", []byte{0x80, 0}, func(f *core.Fields) { f.Uint32() }},
		{"more", []byte{1, 2}, func(f *core.Fields) { f.Uint32() }},
		{"good after bad", []byte{2, 1}, func(f *core.Fields) { f.Bool(); f.Uint32() }},
	} {
		f := core.ReadFields(bad.bytes)
		if bad.read(&f); f.End("x") == nil {
			t.Errorf("%s: accepted", bad.name)
		}
	}
}

// Aim: a queue that is emptied again and again stays in its place, and a long one is taken from in
// order. Method: both, by hand.
func TestPop(t *testing.T) {
	var q []int
	next, took := 0, 0
	for _, n := range []int{1, 3, 40, 17, 2} {
		for range n {
			q = append(q, next)
			next++
		}
		for len(q) > n%3 {
			if got := core.Pop(&q); got != took {
				t.Fatalf("took %d, want %d", got, took)
			}
			took++
		}
	}
	q = make([]int, 0, 4)
	if allocs := testing.AllocsPerRun(100, func() {
		for i := range 4 {
			q = append(q, i)
		}
		for range 4 {
			core.Pop(&q)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Aim: messages of one step are different ones, those of the next the same again. Method: by hand.
func TestScratch(t *testing.T) {
	var s core.Scratch[int]
	a, b := s.New(1), s.New(2)
	if *a != 1 || *b != 2 {
		t.Fatalf("%d, %d", *a, *b)
	}
	s.Begin()
	if c := s.New(3); c != a || *a != 3 || *b != 2 {
		t.Errorf("%d, %d", *a, *b)
	}
}
