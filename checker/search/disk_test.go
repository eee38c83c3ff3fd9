package search

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

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

// onDisk explores with a folder, after something has been done to the search.
func onDisk(t *testing.T, sys checker.System, o checker.Options,
	prepare func(*search)) checker.Result {
	t.Helper()
	o.Order, o.Disk = checker.BreadthFirst, t.TempDir()
	s := newSearch(t.Context(), sys, o)
	if prepare != nil {
		prepare(s)
	}
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

// weighed is a maze that weighs the search now and then.
type weighed struct {
	maze
	expanded *int
	weigh    func()
}

func (w weighed) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	if *w.expanded++; *w.expanded%5000 == 0 {
		w.weigh()
	}
	w.maze.Expand(state, reduce, x)
}

// heap is what is in use of the memory that is collected.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestDiskWithinBound weighs a search again and again: what is on the heap, and what lies elsewhere
// by the lengths of the lists. That is never more than the bound, nor more than what is reported.
func TestDiskWithinBound(t *testing.T) {
	var of *search
	for _, bound := range []int64{1 << 20, 3 << 20} {
		n, most, spills := 0, int64(0), 0
		before := heap()
		sys := weighed{maze{n: 200_000}, &n, func() {
			bytes := heap() - before
			for i := range of.visited.shards {
				if s := &of.visited.shards[i]; s.in != nil {
					bytes += int64(len(s.now.Load().slots)) * 8
				}
			}
			if d := of.disk; d.memory != nil {
				bytes += int64(d.touched) * recordBytes
			}
			most, spills = max(most, bytes), spills+len(of.disk.parts)
		}}
		r := onDisk(t, sys, checker.Options{MaxBytes: bound}, func(s *search) { of = s })
		if most > bound || r.Peak > bound || most > r.Peak+1<<16 || r.Bound != "" {
			t.Errorf("%d bytes in use, %d reported, the bound is %d; %q", most, r.Peak, bound,
				r.Bound)
		}
		if most < bound/4 || r.Spills < 3 || bound == 1<<20 && spills == 0 {
			t.Errorf("%d bytes of %d in use, %d spills, %d parts: no test of the bound", most,
				bound, r.Spills, spills)
		}
	}
}

// TestDiskFile writes random states in a random order, and sorted, with links and without, and
// reads them back; of a file that is cut off, the search says so.
func TestDiskFile(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := newSearch(t.Context(), maze{n: 9}, checker.Options{Order: checker.BreadthFirst,
			Disk: t.TempDir(), MaxBytes: 1})
		d, err := newDisk(s)
		if err != nil {
			t.Fatal(err)
		}
		defer d.remove()
		linked := rapid.Bool().Draw(r, "linked")
		want := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) (c record) {
			bits := rapid.IntRange(0, 127).Draw(r, "bits")
			c.code = checker.Code{Hi: rapid.Uint64().Draw(r, "hi"),
				Lo: rapid.Uint64().Draw(r, "lo")}
			if c.code.Hi &= 1<<max(0, bits-64) - 1; bits < 64 {
				c.code.Lo &= 1<<bits - 1
			}
			if linked {
				c.parent, c.step = rapid.Uint32().Draw(r, "parent"), rapid.Uint32().Draw(r, "step")
			}
			return c
		}), 1, 2000).Draw(r, "states")
		if rapid.Bool().Draw(r, "sorted") {
			slices.SortFunc(want, record.compare)
		}
		o := d.create("test", linked)
		for _, c := range want {
			o.write(c)
		}
		o.close()
		name := o.file.Name()
		if got := records(d, name, linked); !slices.Equal(got, want) || d.err != nil {
			r.Fatalf("%v, %d of %d states come back, or others", d.err, len(got), len(want))
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size := rapid.Int64Range(0, info.Size()-1).Draw(r, "size")
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		got := records(d, name, linked)
		if n := len(got); n >= len(want) || !slices.Equal(got, want[:n]) {
			r.Fatalf("%d states of a part", n)
		}
	})
}

// records are those of a file.
func records(d *disk, name string, linked bool) (list []record) {
	for r := range d.read([]string{name}, linked) {
		list = append(list, r)
	}
	return list
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
	onDisk(t, sys, checker.Options{MaxBytes: 150_000}, func(s *search) {
		s.wrap = func(w io.Writer) io.Writer { return counter{w, &whole} }
	})
	for room := 0; room < whole; room += 1 + whole/11 {
		left := room
		r := onDisk(t, sys, checker.Options{MaxBytes: 150_000}, func(s *search) {
			s.wrap = func(w io.Writer) io.Writer { return narrow{w, &left} }
		})
		if r.Verdict != spec.Unknown || !strings.Contains(r.Bound, "write /") ||
			!strings.Contains(r.Bound, syscall.ENOSPC.Error()) {
			t.Errorf("%d bytes of %d: %v, %q", room, whole, r.Verdict, r.Bound)
		}
	}
}
