package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/internal/prefetch"
)

// codeOf cuts two numbers to a code of the size.
func codeOf(hi, lo uint64, isWide bool) checker.Code {
	if isWide {
		return checker.Code{Hi: hi >> 1, Lo: lo}
	}
	return checker.Code{Hi: hi % (1 << (checker.NarrowBits - 64)), Lo: lo}
}

// TestScramble checks that every code comes back from its place, so no two codes have one.
func TestScramble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hi, lo := rapid.Uint64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")
		n := checker.Code{Hi: hi % (1 << (checker.NarrowBits - 64)), Lo: lo}
		if p := narrowPlace(n); p.code(false) != n || p.slot&1 == 0 || p.shard > shardMask {
			t.Fatalf("%x lies at %x, which is %x", n, p, p.code(false))
		}
		w := checker.Code{Hi: hi % (1 << (checker.CodeBits - 64)), Lo: lo}
		if p := widePlace(w); p.code(true) != w || p.slot&1 == 0 || p.shard > shardMask {
			t.Fatalf("%x lies at %x, which is %x", w, p, p.code(true))
		}
	})
}

// regions is how many reserved regions the process has.
func regions(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("the system does not say what is mapped")
	}
	n := 0
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil && to-from >= 1<<34 &&
			strings.Contains(line, " rw-p ") && !strings.Contains(line, "[") {
			n++
		}
	}
	return n
}

// TestTable lets workers insert the same codes in different orders, and compares with a map: each
// code is new once, and the table holds all of them and nothing else. Codes are random, or few
// words side by side; shards are copied, and grow within a region. At the end no region is left.
func TestTable(t *testing.T) {
	before := regions(t)
	for _, isWide := range []bool{false, true} {
		for _, dense := range []bool{false, true} {
			for _, large := range []int{1 << 9, 1 << 30} {
				t.Run(fmt.Sprintf("wide=%t/dense=%t/large=%d", isWide, dense, large),
					func(t *testing.T) { checkTable(t, isWide, dense, large) })
			}
		}
	}
	if n := regions(t); n > before {
		t.Errorf("%d regions are left, there were %d before", n, before)
	}
}

func checkTable(t *testing.T, isWide, dense bool, large int) {
	const n, workers = 60_000, 4
	r := rand.New(rand.NewPCG(3, 4))
	want := map[checker.Code]bool{}
	var codes []checker.Code
	for i := range uint64(n) {
		c := codeOf(r.Uint64(), r.Uint64(), isWide)
		if dense {
			c = codeOf(i%3<<40, i/3%100<<50|i/300<<7, isWide)
		}
		codes = append(codes, c)
		want[c] = true
	}
	table := newTable(isWide)
	defer table.close()
	table.large = large
	var fresh atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		order := rand.New(rand.NewPCG(5, uint64(w))).Perm(n)
		group.Go(func() {
			for _, i := range order {
				p := table.place(codes[i])
				prefetch.Line(table.home(p))
				if table.insert(p) {
					fresh.Add(1)
				}
				if !table.contains(p) {
					t.Errorf("%x is not there", codes[i])
				}
			}
		})
	}
	group.Wait()
	if int(fresh.Load()) != len(want) {
		t.Errorf("%d codes are new, want %d", fresh.Load(), len(want))
	}
	if large < 1<<30 && table.all != nil && table.shards[0].in == nil {
		t.Error("no shard lies in its region")
	}
	count := 0
	for c := range table.codes() {
		if count++; !want[c] {
			t.Fatalf("%x was not inserted", c)
		}
	}
	if count != len(want) {
		t.Errorf("%d codes, want %d", count, len(want))
	}
	for range n {
		if c := codeOf(r.Uint64(), r.Uint64(), isWide); !want[c] &&
			table.contains(table.place(c)) {
			t.Fatalf("%x is there", c)
		}
	}
	table.wipe()
	if p := table.place(codes[0]); table.contains(p) || !table.insert(p) || table.insert(p) {
		t.Error("it is not empty")
	}
}
