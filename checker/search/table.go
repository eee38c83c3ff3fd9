package search

import (
	"iter"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/internal/prefetch"
)

// table is the set of the states that were met, as their codes, safe for concurrent use.
//
// It consists of a few shards, each in open addressing, and near the place that a code has among
// all codes; so it need not be a power of two, and grows front to back by a quarter. A small shard
// is copied, a large one grows where it lies, in addresses that are reserved. A slot has 8 bytes,
// which is the whole code with what the shard says of it, or 16 when codes are wide.
//
// A look-up takes no lock. What it finds is there, since a slot holds the state itself; what it
// does not find it looks up again under the lock of the shard before it adds it. Of a wide slot it
// may see the half of one state and the half of another while the shard grows: then it counts as
// not found.
type table struct {
	wide    bool
	large   int           // largeShard, but in tests
	most    *atomic.Int64 // bytes that it may have, nil for any
	shards  [1 << shardBits]shard
	mapped  sync.Once
	all     []byte     // the reserved addresses
	regions [][]uint64 // of each shard
}

type shard struct {
	now   atomic.Pointer[space]
	moves atomic.Uint32 // odd while states move within the region
	_     [48]byte      // read at every step, so not in one cache line with what changes
	mu    sync.Mutex    // held by who adds
	in    []uint64      // the region where it lies, nil when it lies elsewhere
	count int
	bytes atomic.Int64
	_     [16]byte
}

// space is a shard at one size: states have their homes in the first slots, the last ones take what
// finds no room there.
type space struct {
	slots []uint64
	homes uint64
}

const (
	// tail is how many slots come after the homes.
	tail = 32
	// largeShard is from how many words on a shard lies in a region.
	largeShard = 1 << 13
	// lineWords is how many words a cache line has.
	lineWords = 8
	// hugePage is the size of large pages, where there are any.
	hugePage = 1 << 21
	// margin is room at the end of a region for what the tail has no room for.
	margin = 1 << 16
)

func newTable(wide bool) *table {
	t := &table{wide: wide, large: largeShard}
	for i := range t.shards {
		t.shards[i].set(t.space(16, nil))
	}
	return t
}

// stride is how many words a slot has.
func (t *table) stride() int {
	if t.wide {
		return 2
	}
	return 1
}

// space is an empty one with so many homes, in the memory if there is enough.
func (t *table) space(homes int, memory []uint64) *space {
	words := (homes + tail) * t.stride()
	if words > len(memory) {
		memory = make([]uint64, words)
	}
	return &space{slots: memory[:words:words], homes: uint64(homes)}
}

func (s *shard) set(to *space) {
	s.now.Store(to)
	s.bytes.Store(int64(len(to.slots)) * 8)
}

// place is where the table looks for a code.
func (t *table) place(c checker.Code) place {
	if t.wide {
		return widePlace(c)
	}
	return narrowPlace(c)
}

// home is where the search for a state begins.
func (t *table) home(p place) *uint64 {
	s := t.shards[p.shard].now.Load()
	return &s.slots[s.home(p.slot, t.wide)]
}

func (s *space) home(slot uint64, wide bool) int {
	h, _ := bits.Mul64(slot, s.homes)
	if wide {
		h *= 2
	}
	return int(h &^ (lineWords - 1))
}

// find returns the index of a state, or of the empty slot where it belongs, which is beyond the end
// when there is no room.
func (s *space) find(p place) (index int, found bool) {
	for i := s.home(p.slot, false); i < len(s.slots); i++ {
		switch atomic.LoadUint64(&s.slots[i]) {
		case p.slot:
			return i, true
		case 0:
			return i, false
		}
	}
	return len(s.slots), false
}

// findWide is find for wide codes. Of a state, the first word is written last.
func (s *space) findWide(p place) (index int, found bool) {
	for i := s.home(p.slot, true); i < len(s.slots); i += 2 {
		switch atomic.LoadUint64(&s.slots[i]) {
		case p.slot:
			if atomic.LoadUint64(&s.slots[i+1]) == p.high {
				return i, true
			}
		case 0:
			return i, false
		}
	}
	return len(s.slots), false
}

// contains reports whether a state is in the set.
func (t *table) contains(p place) bool {
	s := &t.shards[p.shard]
	if t.seen(s, p) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, found := t.lookup(s.now.Load(), p)
	return found
}

// seen reports whether a state is certainly in the shard.
func (t *table) seen(s *shard, p place) bool {
	if !t.wide {
		_, found := s.now.Load().find(p)
		return found
	}
	moves := s.moves.Load()
	_, found := s.now.Load().findWide(p)
	return found && moves&1 == 0 && s.moves.Load() == moves
}

func (t *table) lookup(s *space, p place) (index int, found bool) {
	if t.wide {
		return s.findWide(p)
	}
	return s.find(p)
}

// insert adds a state and reports whether it is new. The table has no bound.
func (t *table) insert(p place) bool {
	fresh, _ := t.offer(p)
	return fresh
}

// offer adds a state unless there is no room; it reports whether it was not there before, and
// whether it is there now.
func (t *table) offer(p place) (fresh, kept bool) {
	s := &t.shards[p.shard]
	if t.seen(s, p) {
		return false, true
	}
	s.mu.Lock()
	fresh, kept = t.add(s, p)
	s.mu.Unlock()
	return fresh, kept
}

// add is offer for who has the lock of the shard.
func (t *table) add(s *shard, p place) (fresh, kept bool) {
	now := s.now.Load()
	i, found := t.lookup(now, p)
	if found {
		return false, true
	}
	for i == len(now.slots) || uint64(s.count)*5 >= now.homes*4 {
		if t.most != nil && !t.mayGrow(s) {
			return true, false
		}
		t.grow(int(p.shard))
		now = s.now.Load()
		i, _ = t.lookup(now, p)
	}
	t.put(now.slots, i, p)
	s.count++
	return true, true
}

// mayGrow reports whether the bound has room for the next size of a shard: with the former one when
// it is copied, or with the rest of its last page.
func (t *table) mayGrow(s *shard) bool {
	homes := larger(s.now.Load().homes)
	next := int64(homes+tail) * int64(t.stride()) * 8
	if s.in != nil {
		next += min(next/4, hugePage)
	} else {
		next += s.bytes.Load()
	}
	return next <= t.most.Load()>>shardBits
}

// larger is the next size of a shard of so many homes.
func larger(homes uint64) int {
	if homes < 1<<12 {
		return int(2 * homes)
	}
	return int(homes + homes/4)
}

// put fills an empty slot: who sees the first word sees the second one.
func (t *table) put(slots []uint64, i int, p place) {
	if t.wide {
		atomic.StoreUint64(&slots[i+1], p.high)
	}
	atomic.StoreUint64(&slots[i], p.slot)
}

// region is where a shard of so many words lies when it is large, nil when it is not or there is no
// such place.
func (t *table) region(number, words int) []uint64 {
	if words < t.large {
		return nil
	}
	t.mapped.Do(func() { t.all, t.regions = reserve() })
	if t.regions == nil || words+margin > len(t.regions[number]) {
		return nil
	}
	return t.regions[number]
}

// shaped is an empty shard of a size that it had before.
func (t *table) shaped(number int, homes, words uint64) *space {
	memory := t.region(number, int(words))
	if t.shards[number].in = memory; memory == nil {
		memory = make([]uint64, words)
	} else {
		settle(memory, 0, int(words))
	}
	return &space{slots: memory[:words:words], homes: homes}
}

// grow makes a shard larger by a quarter.
func (t *table) grow(number int) {
	s := &t.shards[number]
	old := s.now.Load()
	homes := larger(old.homes)
	region := t.region(number, (homes+tail)*t.stride())
	s.moves.Add(1)
	defer s.moves.Add(1)
	if region != nil && s.in != nil {
		settle(region, len(old.slots), (homes+tail)*t.stride())
		slots := t.spreadOut(region, homes, old)
		s.set(&space{slots: slots, homes: uint64(homes)})
		return
	}
	to := t.space(homes, region)
	for !t.copyTo(to, old) { // there is hardly ever no room at the end
		if region != nil {
			vacate(region)
		}
		region = nil
		homes += homes / 4
		to = t.space(homes, nil)
	}
	s.set(to)
	if s.in != nil {
		vacate(s.in)
	}
	s.in = region
}

// copyTo fills an empty space; it reports whether there was room.
func (t *table) copyTo(to, from *space) bool {
	stride := t.stride()
	for i := 0; i < len(from.slots); i += stride {
		if from.slots[i] != 0 {
			p := t.at(from.slots, i, 0)
			j, _ := t.lookup(to, p)
			if j == len(to.slots) {
				return false
			}
			t.put(to.slots, j, p)
		}
	}
	return true
}

// at is what a slot holds.
func (t *table) at(slots []uint64, i, shard int) place {
	p := place{shard: uint32(shard), slot: slots[i]}
	if t.wide {
		p.high = slots[i+1]
	}
	return p
}

// spreadOut moves the states of a space, which lies at the beginning of the region, to more homes
// there, and returns what it takes then. It goes from back to front, run by run of full slots: none
// has its home before its run, and homes only move back, so nothing is written over that is still
// to be moved.
func (t *table) spreadOut(region []uint64, homes int, from *space) []uint64 {
	var run []place
	to, stride := &space{slots: region, homes: uint64(homes)}, t.stride()
	end := (homes + tail) * stride
	for i := len(from.slots) - stride; i >= 0; i -= stride {
		run = run[:0]
		for ; i >= 0 && from.slots[i] != 0; i -= stride {
			run = append(run, t.at(from.slots, i, 0))
			from.slots[i] = 0
		}
		for j := len(run) - 1; j >= 0; j-- {
			at := to.home(run[j].slot, t.wide)
			for region[at] != 0 {
				at += stride
			}
			region[at] = run[j].slot
			if t.wide {
				region[at+1] = run[j].high
			}
			end = max(end, at+stride)
		}
	}
	return region[:end:end]
}

// codes are all states, shard by shard. Nobody may add any meanwhile.
func (t *table) codes() iter.Seq[checker.Code] {
	return func(yield func(checker.Code) bool) {
		for i := range t.shards {
			for c := range t.codesOf(i) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// codesOf are the states of one shard.
func (t *table) codesOf(number int) iter.Seq[checker.Code] {
	return func(yield func(checker.Code) bool) {
		slots, stride := t.shards[number].now.Load().slots, t.stride()
		for i := 0; i < len(slots); i += stride {
			if slots[i] != 0 && !yield(t.at(slots, i, number).code(t.wide)) {
				return
			}
		}
	}
}

// used are all bits that some code has set.
func (t *table) used() (all checker.Code) {
	for c := range t.codes() {
		all.Lo, all.Hi = all.Lo|c.Lo, all.Hi|c.Hi
	}
	return all
}

// count is how many states there are. Nobody may add any meanwhile.
func (t *table) count() (total int) {
	for i := range t.shards {
		total += t.shards[i].count
	}
	return total
}

// fill moves the states of another table, which is not used any more, into an empty one: they get
// other codes, from as many recoders as there are workers. Each shard becomes as large as the one
// that had the same number, and is emptied when it is done, so that there is hardly ever more than
// one table.
func (t *table) fill(from *table, workers int, recoder func() *recoder) {
	for i := range from.shards {
		homes := from.shards[i].now.Load().homes
		t.shards[i].set(t.shaped(i, homes, (homes+tail)*uint64(t.stride())))
	}
	var taken atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			r := recoder()
			for i := int(taken.Add(1)) - 1; i < len(from.shards); i = int(taken.Add(1)) - 1 {
				t.fillFrom(from.codesOf(i), r)
				from.empty(i)
			}
		})
	}
	group.Wait()
	from.close()
}

// fillFrom inserts states. Some codes at a time are made before they are inserted, so that the
// processor waits for memory once for all.
func (t *table) fillFrom(codes iter.Seq[checker.Code], r *recoder) {
	var places []place
	flush := func() {
		for _, p := range places {
			t.insert(p)
		}
		places = places[:0]
	}
	for c := range codes {
		p := t.place(r.code(c))
		prefetch.Line(t.home(p))
		if places = append(places, p); len(places) == 64 {
			flush()
		}
	}
	flush()
}

// empty gives the memory of a shard back; it is not used any more, but for looking up.
func (t *table) empty(number int) {
	s := &t.shards[number]
	if s.in != nil {
		vacate(s.in)
	}
	s.in = nil
	s.set(t.space(16, nil))
	s.count = 0
}

// wipe empties the set, which keeps its memory. Nobody may use it meanwhile.
func (t *table) wipe() {
	for i := range t.shards {
		clear(t.shards[i].now.Load().slots)
		t.shards[i].count = 0
	}
}

// close gives all memory back. Nobody may use the table any more.
func (t *table) close() {
	for i := range t.shards {
		t.shards[i].set(&space{})
	}
	release(t.all)
	t.all, t.regions = nil, nil
}

// bytes is the size of the table.
func (t *table) bytes() (total int64) {
	for i := range t.shards {
		total += t.shards[i].bytes.Load()
	}
	return total
}
