package world

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// together runs the same for each of several goroutines and waits for them.
func together(goroutines int, do func(g int)) {
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() { do(g) })
	}
	all.Wait()
}

// crowd is how many goroutines write and read what is shared in these tests.
const crowd = 8

// TestStore: what is added stays where it was added, also while others add; all numbers up to the
// last are handed out.
func TestStore(t *testing.T) {
	const each = 3000
	var s store[uint32, [2]int]
	numbers := make([][]uint32, crowd)
	together(crowd, func(g int) {
		for i := range each {
			numbers[g] = append(numbers[g], s.add([2]int{g, i}))
			back := i / 2 // one of its own, added before
			if got := *s.at(numbers[g][back]); got != [2]int{g, back} {
				t.Errorf("number %d is %v, want %v", numbers[g][back], got, [2]int{g, back})
			}
		}
	})
	met := make([]bool, crowd*each)
	for g := range numbers {
		for i, n := range numbers[g] {
			if got := *s.at(n); met[n] || got != [2]int{g, i} {
				t.Fatalf("number %d is %v, want %v; there already: %t", n, got, [2]int{g, i},
					met[n])
			}
			met[n] = true
		}
	}
	if s.len() != len(met) {
		t.Errorf("%d numbers, want %d", s.len(), len(met))
	}
}

// TestStoreInOrder: one goroutine gets the numbers in order.
func TestStoreInOrder(t *testing.T) {
	var s store[uint32, int]
	for i := range 1000 {
		if n := s.add(i); int(n) != i || *s.at(n) != i {
			t.Fatalf("thing %d has number %d and is %d", i, n, *s.at(n))
		}
	}
}

// TestTable compares a table that many goroutines write with a map: each key has one value, the
// same for all of them, and the three ways to add a key agree. Values are numbers of a store, none
// of them is wasted where the way says so.
func TestTable(t *testing.T) {
	const keys = 2000
	var tab table
	var next atomic.Uint32
	number := func() uint32 { return next.Add(1) }
	seen := make([]map[uint64]uint32, crowd)
	together(crowd, func(g int) {
		r := rand.New(rand.NewPCG(uint64(g), 1))
		seen[g] = map[uint64]uint32{}
		for range 3 * keys {
			key := r.Uint64N(keys)
			key |= key << 40
			var v uint32
			switch key % 3 {
			case 0:
				v = tab.add(key, number)
			case 1:
				v = tab.once(key, number)
			default:
				v = tab.put(key, uint32(key)+1<<24)
			}
			if got, ok := tab.get(key); !ok || got != v {
				t.Errorf("key %x: %d, %t, want %d", key, got, ok, v)
			}
			if old, ok := seen[g][key]; ok && old != v {
				t.Errorf("key %x: %d, was %d", key, v, old)
			}
			seen[g][key] = v
		}
	})
	numbered, all := 0, map[uint64]uint32{}
	for _, m := range seen {
		for key, v := range m {
			if old, ok := all[key]; ok && old != v {
				t.Errorf("key %x: %d and %d", key, v, old)
			} else if !ok && key%3 != 2 {
				numbered++
			}
			all[key] = v
		}
	}
	if int(next.Load()) != numbered {
		t.Errorf("%d numbers for %d keys", next.Load(), numbered)
	}
	if _, ok := tab.get(keys + 1); ok {
		t.Error("there is a key that nobody has put there")
	}
}

// TestOnceComputesOutside: while one key is computed others can be, and whoever wants that one
// waits for it and gets what the first has computed.
func TestOnceComputesOutside(t *testing.T) {
	var tab table
	begun, end, second := make(chan bool), make(chan bool), make(chan uint32)
	go tab.once(7, func() uint32 {
		begun <- true
		<-end
		return 70
	})
	<-begun
	go func() { second <- tab.once(7, func() uint32 { return 71 }) }()
	for key := range uint64(100) { // some are in the same part
		if v := tab.once(100+key, func() uint32 { return uint32(key) }); v != uint32(key) {
			t.Fatalf("key %d: %d", 100+key, v)
		}
	}
	if _, ok := tab.get(7); ok {
		t.Error("the key is there before it is computed")
	}
	close(end)
	if v := <-second; v != 70 {
		t.Errorf("who waits gets %d, want 70", v)
	}
}

// TestOncePanics: who waits for a computation that panics computes the value itself.
func TestOncePanics(t *testing.T) {
	var tab table
	begun, end, second := make(chan bool), make(chan bool), make(chan uint32)
	go func() {
		defer func() { _ = recover() }()
		tab.once(7, func() uint32 {
			begun <- true
			<-end
			panic("no value")
		})
	}()
	<-begun
	go func() { second <- tab.once(7, func() uint32 { return 71 }) }()
	close(end)
	if v := <-second; v != 71 {
		t.Errorf("got %d, want 71", v)
	}
}

// TestInterned: goroutines that meet the same things in different orders get one number for each,
// and the keys are those of the numbers.
func TestInterned(t *testing.T) {
	const things = 1500
	var n interned[uint32, string]
	numbers := make([]map[int]uint32, crowd)
	together(crowd, func(g int) {
		numbers[g] = map[int]uint32{}
		for _, i := range rand.New(rand.NewPCG(uint64(g), 2)).Perm(things) {
			content := binary.BigEndian.AppendUint32(nil, uint32(i))
			number, ok := n.find(content)
			if !ok {
				number = n.intern(content, fmt.Sprint(i))
			}
			if got := *n.at(number); got != fmt.Sprint(i) {
				t.Errorf("thing %d is %q", i, got)
			}
			numbers[g][i] = number
		}
	})
	keys := n.keys()
	if len(keys) != things || n.content.Load() != 4*things {
		t.Fatalf("%d keys of %d bytes, want %d", len(keys), n.content.Load(), things)
	}
	for i, number := range numbers[0] {
		if int(binary.BigEndian.Uint32([]byte(keys[number]))) != i {
			t.Errorf("key of number %d is %x, want %x", number, keys[number], i)
		}
		for g := range numbers {
			if numbers[g][i] != number {
				t.Errorf("thing %d has the numbers %d and %d", i, number, numbers[g][i])
			}
		}
	}
}
