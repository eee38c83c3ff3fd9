package spec_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// deep is a memory with everything that can be remembered.
type deep struct {
	Count  int
	small  int8
	large  uint64
	word   string
	is     bool
	pair   [2]uint16
	list   []string
	points []struct{ x, y int32 }
	tree   []deep
}

func drawDeep(t *rapid.T, depth int) deep {
	d := deep{Count: rapid.Int().Draw(t, "count"), small: rapid.Int8().Draw(t, "small"),
		large: rapid.Uint64().Draw(t, "large"), word: rapid.String().Draw(t, "word"),
		is: rapid.Bool().Draw(t, "is"), pair: [2]uint16{rapid.Uint16().Draw(t, "pair")},
		list: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "list")}
	for range rapid.IntRange(0, 2).Draw(t, "points") {
		d.points = append(d.points, struct{ x, y int32 }{x: rapid.Int32().Draw(t, "x")})
	}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "tree") {
			d.tree = append(d.tree, drawDeep(t, depth-1))
		}
	}
	return d
}

// becomes is a monitor whose memory becomes the value at any event.
func becomes(d deep) spec.Property {
	return spec.Property{Memory: &spec.Remembers[deep]{
		Observe: func(_ *spec.Facts, memory *deep, _ trace.Event) string {
			*memory = d
			return ""
		}}}
}

// Aim: the key is the memory: different memories have different keys, and what is restored from a
// key has that key. Method: random memories; the reference for being the same is cmp.Equal, for
// which nil is empty. Keys that are cut short are refused.
func TestKeysAreMemories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDeep(t, 2), drawDeep(t, 1)
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		p, q := becomes(a), becomes(b)
		one, _ := p.Observe(nil, p.Begin(), trace.Event{})
		other, _ := q.Observe(nil, q.Begin(), trace.Event{})
		key := one.AppendKey(nil)
		same := cmp.Equal(a, b, cmpopts.EquateEmpty(),
			cmp.Exporter(func(reflect.Type) bool { return true }))
		if equal := bytes.Equal(key, other.AppendKey(nil)); equal != same {
			t.Fatalf("one key: %t, one memory: %t\n%s\n%s", equal, same, one, other)
		}
		again, err := q.Restore(key)
		if err != nil || !bytes.Equal(again.AppendKey(nil), key) {
			t.Fatalf("restored %s, %v, want %s", again, err, one)
		}
		if _, err := p.Restore(key[:rapid.IntRange(0, len(key)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("a key that is cut short is restored")
		}
		if _, err := p.Restore(append(key, 0)); err == nil {
			t.Fatal("a key with a byte too many is restored")
		}
	})
}

// Aim: nobody can change what was remembered, nor tell an empty slice from none. Method: an Observe
// that writes into what it is given and appends to it, as an author may.
func TestMemoriesDoNotChange(t *testing.T) {
	p := spec.Property{Memory: &spec.Remembers[deep]{
		Observe: func(_ *spec.Facts, d *deep, e trace.Event) string {
			for i := range d.tree {
				d.tree[i].Count += 100
				d.tree[i].list[0] += e.Text
			}
			if d.list != nil && len(d.list) == 0 {
				t.Error("a slice that is empty and not nil is given")
			}
			d.list = append(d.list[:0], e.Text)[:len(e.Text)%2]
			d.tree = append(d.tree, deep{Count: len(d.tree), list: []string{e.Text}})
			return ""
		}}}
	keys := [][]byte{p.Begin().AppendKey(nil)}
	list := []spec.Remembered{p.Begin()}
	for i, from := range []int{0, 0, 1, 1, 3, 3, 5} {
		next, _ := p.Observe(nil, list[from], trace.Event{Text: fmt.Sprint(100 * i)})
		list, keys = append(list, next), append(keys, next.AppendKey(nil))
		for k, r := range list[:len(list)-1] {
			if !bytes.Equal(r.AppendKey(nil), keys[k]) {
				t.Fatalf("event %d from memory %d: memory %d has become %s", i, from, k, r)
			}
		}
	}
	if slices.ContainsFunc(keys[1:], func(k []byte) bool { return bytes.Equal(k, keys[0]) }) {
		t.Error("nothing was remembered")
	}
}
