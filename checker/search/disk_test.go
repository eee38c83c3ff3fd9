package search

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// maze is a pseudo-random graph: each state has three successors, at any distance, so that
// duplicates are met in the same level, in the next and much later. A search with the table in
// memory is the reference.
type maze struct {
	n   uint32
	bad uint32 // state that breaks the property when entered, 0 = none
}

func (m maze) Words() int                   { return 2 }
func (m maze) Terminal([]uint32) int        { return 0 }
func (m maze) Violation(int) spec.Violation { return spec.Violation{Property: "bad"} }
func (m maze) Initial(state []uint32) int   { state[0], state[1] = 0, 7; return 0 }
func (m maze) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i := range uint32(3) {
		to := (state[0]*2654435761 + i*40503 + state[0]>>7) % m.n
		if i == 2 {
			to = (state[0] + 1) % (m.n / 3)
		}
		x.Add(checker.Step{Code: uint64(i + 1)})
		x.Set(0, to)
		if m.bad != 0 && to == m.bad {
			x.Steps[i].Violation = 1
		}
	}
}

// onDisk explores with so many bytes of memory.
func onDisk(t *testing.T, sys checker.System, o checker.Options,
	wrap func(io.Writer) io.Writer) checker.Result {
	t.Helper()
	o.Order, o.Disk = checker.BreadthFirst, t.TempDir()
	s := newSearch(t.Context(), sys, o)
	s.wrap = wrap
	d, err := newDisk(s)
	if err != nil {
		t.Fatal(err)
	}
	s.disk = d
	r := s.result()
	d.remove()
	if left, err := os.ReadDir(o.Disk); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return r
}

// TestDiskSameAsMemory compares searches that spill many times, once, and never with the one in
// memory: states, transitions, terminal states, depth, verdict, and the length of the
// counterexample, which must lead to the violation.
func TestDiskSameAsMemory(t *testing.T) {
	for _, bad := range []uint32{0, 4711} {
		sys := maze{n: 20_000, bad: bad}
		want := Explore(t.Context(), sys, checker.Options{Order: checker.BreadthFirst})
		for _, bytes := range []int64{1, 150_000, 1 << 30, 0} {
			for _, workers := range []int{1, 2} {
				r := onDisk(t, sys, checker.Options{MaxBytes: bytes, Workers: workers}, nil)
				name := fmt.Sprintf("bad %d, %d bytes, %d workers, %d runs", bad, bytes, workers,
					r.Spills)
				if bytes == 1 && r.Spills < 3 || bytes == 150_000 && bad == 0 && r.Spills == 0 ||
					(bytes == 0 || bytes == 1<<30) && r.Spills > 0 {
					t.Errorf("%s: not the spills that are to be tested", name)
				}
				if r.States != want.States || r.Transitions != want.Transitions ||
					r.Terminals != want.Terminals || r.Depth != want.Depth ||
					r.Verdict != want.Verdict || r.Bound != "" || r.Covered != want.Covered ||
					len(r.Found) != len(want.Found) {
					t.Errorf("%s: %+v\nwant %+v", name, r, want)
					continue
				}
				for i, f := range r.Found {
					if len(f.Path) != len(want.Found[i].Path) || walk(sys, f.Path) != bad {
						t.Errorf("%s: a run of %d steps to %d, want %d to %d", name, len(f.Path),
							walk(sys, f.Path), len(want.Found[i].Path), bad)
					}
				}
			}
		}
	}
}

// walk is where a path leads.
func walk(m maze, path []uint64) uint32 {
	x, state := checker.NewExpansion(2), make([]uint32, 2)
	m.Initial(state)
	for _, code := range path {
		m.Expand(state, checker.Unreduced, x)
		state = x.State(int(code-1), nil)
	}
	return state[0]
}

// counter counts the bytes that are written.
type counter struct {
	io.Writer
	n *int
}

func (c counter) Write(b []byte) (int, error) {
	*c.n += len(b)
	return c.Writer.Write(b)
}

// narrow is a writer with room for so many bytes.
type narrow struct {
	io.Writer
	room *int
}

func (w narrow) Write(b []byte) (int, error) {
	n := min(len(b), *w.room)
	*w.room -= n
	if n, err := w.Writer.Write(b[:n]); err != nil {
		return n, err
	}
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// TestDiskErrors runs out of disk after many numbers of bytes: unknown, with the operation and the
// file in the reason; never a wrong verdict.
func TestDiskErrors(t *testing.T) {
	sys := maze{n: 20_000}
	whole := 0
	count := func(w io.Writer) io.Writer { return counter{w, &whole} }
	onDisk(t, sys, checker.Options{MaxBytes: 150_000}, count)
	for room := 0; room < whole; room += 1 + whole/11 {
		left := room
		r := onDisk(t, sys, checker.Options{MaxBytes: 150_000}, func(w io.Writer) io.Writer {
			return narrow{w, &left}
		})
		if r.Verdict != spec.Unknown || !strings.Contains(r.Bound, "write /") ||
			!strings.Contains(r.Bound, syscall.ENOSPC.Error()) {
			t.Errorf("%d bytes of %d: %v, %q", room, whole, r.Verdict, r.Bound)
		}
	}
}
