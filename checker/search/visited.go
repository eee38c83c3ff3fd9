package search

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
)

// visited is the set of the states that were met, safe for concurrent use. It consists of many
// small tables, chosen by the fingerprint, so that one grows without a stall and workers seldom
// meet.
//
// A table holds fingerprints in open addressing, each near the place that its value has among all
// values. So growing by half copies it from front to back, and no power of two is needed: it is
// between half and three quarters full. In exact mode a table also holds the vectors, and a
// fingerprint only says where to look.
type visited struct {
	exact  bool
	words  int
	shards [1 << shardBits]shard
}

const shardBits = 8

type shard struct {
	slots atomic.Pointer[[]uint64] // pairs (lo, hi); lo = 0 is empty
	_     [56]byte                 // read at every step, so not in one cache line with what changes
	mu    sync.Mutex               // held by who inserts
	count int
	size  atomic.Int64 // bytes
	exact exactShard
	_     [56]byte
}

// exactShard holds whole vectors; all access is under the mutex of the shard.
type exactShard struct {
	vectors []uint32
	slots   []uint32 // 0 = empty, otherwise number in the shard + 1
}

func newVisited(exact bool, words int) *visited { return &visited{exact: exact, words: words} }

// insert adds a state and reports whether it is new. The vector is needed in exact mode only.
func (v *visited) insert(f checker.Fingerprint, state []uint32) bool {
	s := &v.shards[f.Hi>>(64-shardBits)]
	if v.exact {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.insertVector(f, state)
	}
	f = stored(f)
	if slots := s.slots.Load(); slots != nil {
		if _, found := find(*slots, f); found {
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slots := s.roomy()
	i, found := find(slots, f)
	if found {
		return false
	}
	atomic.StoreUint64(&slots[i+1], f.Hi) // before lo, which says that the slot is taken
	atomic.StoreUint64(&slots[i], f.Lo)
	s.count++
	return true
}

// touch loads the place of a fingerprint, so that it is in the cache when it is wanted.
func (v *visited) touch(f checker.Fingerprint) uint64 {
	if slots := v.shards[f.Hi>>(64-shardBits)].slots.Load(); slots != nil {
		return atomic.LoadUint64(&(*slots)[home(*slots, f)])
	}
	return 0
}

// home is the index at which the search for a fingerprint begins.
func home(slots []uint64, f checker.Fingerprint) int {
	h, _ := bits.Mul64(f.Lo, uint64(len(slots)/2))
	return int(h) * 2
}

// find returns the index of a fingerprint, or of the empty slot where it belongs.
func find(slots []uint64, f checker.Fingerprint) (index int, found bool) {
	for i := home(slots, f); ; {
		lo := atomic.LoadUint64(&slots[i])
		if lo == 0 {
			return i, false
		}
		if lo == f.Lo && atomic.LoadUint64(&slots[i+1]) == f.Hi {
			return i, true
		}
		if i += 2; i == len(slots) {
			i = 0
		}
	}
}

// roomy is the table with room for one more.
func (s *shard) roomy() []uint64 {
	var old []uint64
	if p := s.slots.Load(); p != nil {
		old = *p
	}
	if s.count*8 < len(old)*3 {
		return old
	}
	slots := make([]uint64, 2*(len(old)/2*3/2+16))
	for i := 0; i < len(old); i += 2 {
		if old[i] != 0 {
			j, _ := find(slots, checker.Fingerprint{Lo: old[i], Hi: old[i+1]})
			slots[j], slots[j+1] = old[i], old[i+1]
		}
	}
	s.slots.Store(&slots)
	s.size.Store(int64(len(slots)) * 8)
	return slots
}

func (s *shard) insertVector(f checker.Fingerprint, state []uint32) bool {
	e, words := &s.exact, len(state)
	if s.count*4 >= len(e.slots)*3 {
		e.slots = make([]uint32, len(e.slots)*3/2+16)
		mixers := checker.NewMixers(words)
		for n := range s.count {
			old := e.vectors[n*words : (n+1)*words]
			i, _ := e.find(mixers.Fingerprint(old), old)
			e.slots[i] = uint32(n + 1)
		}
	}
	i, found := e.find(f, state)
	if found {
		return false
	}
	e.vectors = append(e.vectors, state...)
	s.count++
	e.slots[i] = uint32(s.count)
	s.size.Store(int64(cap(e.vectors)+len(e.slots)) * 4)
	return true
}

// find returns the slot of the state, or the empty one where it belongs.
func (e *exactShard) find(f checker.Fingerprint, state []uint32) (slot int, found bool) {
	h, _ := bits.Mul64(f.Lo, uint64(len(e.slots)))
	words := len(state)
	for i := int(h); ; {
		n := int(e.slots[i])
		if n == 0 {
			return i, false
		}
		if slices.Equal(e.vectors[(n-1)*words:n*words], state) {
			return i, true
		}
		if i++; i == len(e.slots) {
			i = 0
		}
	}
}

// stored is the fingerprint as the table holds it: lo = 0 means an empty slot there.
func stored(f checker.Fingerprint) checker.Fingerprint {
	f.Lo = max(1, f.Lo)
	return f
}

// bytes is the size of the tables.
func (v *visited) bytes() (total int64) {
	for i := range v.shards {
		total += v.shards[i].size.Load()
	}
	return total
}
