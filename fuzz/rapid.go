package fuzz

import (
	"flag"
	"fmt"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// shrinking is held while rapid runs: its settings are flags of the process.
var shrinking sync.Mutex

// width is how many choices one draw of rapid answers for: the bits of the significand of a float,
// the only number that rapid draws without preferring small ones.
const width = 52

// undo lets rapid look for what can be taken out of a failure. try is given the elements to take
// out, of n, and reports whether the failure is still there; it is there when nothing is taken out.
// The answer is the largest set that was found.
//
// Rapid's shrinker makes drawn numbers smaller, first all of a number, then bit by bit. So each
// element is a bit of a number: where it was drawn as 1 and has become 0, the element is taken out.
// An element whose bit happens to be 0 from the start stays; other seeds have others.
func undo(n int, seed uint64, try func(out []bool) bool) []bool {
	generator := rapid.Float64Range(0x1p52, math.Nextafter(0x1p53, 0))
	var first []uint64
	best := make([]bool, n)
	calls := 0
	property := func(t *rapid.T) {
		var bits []uint64
		for range (n + width - 1) / width {
			bits = append(bits, uint64(generator.Draw(t, ""))&(1<<width-1))
		}
		if calls++; calls == 1 {
			first = bits
		}
		out, some := make([]bool, n), false
		for i := range out {
			bit := uint64(1) << (i % width)
			out[i] = first[i/width]&bit != 0 && bits[i/width]&bit == 0
			some = some || out[i]
		}
		if some && !try(out) {
			return
		}
		if count(out) > count(best) {
			best = out
		}
		t.Fatalf("still there")
	}
	shrinking.Lock()
	defer shrinking.Unlock()
	restore := setFlags(map[string]string{"rapid.checks": "5", "rapid.seed": fmt.Sprint(seed | 1),
		"rapid.nofailfile": "true", "rapid.failfile": "",
		"rapid.shrinktime": "24h", "rapid.v": "false", "rapid.log": "false", "rapid.debug": "false",
		"rapid.debugvis": "false"})
	defer restore()
	rapid.Check(new(quiet), property)
	return best
}

func count(set []bool) (n int) {
	for _, in := range set {
		if in {
			n++
		}
	}
	return n
}

// setFlags sets flags of rapid, and returns what sets them back. Outside of a test binary the flags
// that rapid asks for do not exist yet.
func setFlags(values map[string]string) (restore func()) {
	if !flag.Parsed() {
		testing.Init()
		if err := flag.CommandLine.Parse(nil); err != nil {
			panic("invariant: no arguments can be parsed: " + err.Error())
		}
	}
	before := map[string]string{}
	for name, value := range values {
		before[name] = flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			panic(fmt.Sprintf("invariant: rapid has the flag %s: %v", name, err))
		}
	}
	return func() {
		for name, value := range before {
			_ = flag.Set(name, value) // it was the value before
		}
	}
}

// quiet is what rapid takes for the test that it runs in: it says nothing, and remembers that it
// failed.
type quiet struct{ failed bool }

func (q *quiet) Helper()               {}
func (q *quiet) Name() string          { return "domino-fuzz" }
func (q *quiet) Logf(string, ...any)   {}
func (q *quiet) Log(...any)            {}
func (q *quiet) Skipf(string, ...any)  {}
func (q *quiet) Skip(...any)           {}
func (q *quiet) SkipNow()              {}
func (q *quiet) Errorf(string, ...any) { q.failed = true }
func (q *quiet) Error(...any)          { q.failed = true }
func (q *quiet) Fatalf(string, ...any) { q.failed = true }
func (q *quiet) Fatal(...any)          { q.failed = true }
func (q *quiet) FailNow()              { q.failed = true }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) Failed() bool          { return q.failed }
