package processes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// disk is what may be on the disk of a proc.
type disk struct {
	stable  map[string]uint64 // digests by key: what was acknowledged
	pending []Mark            // writes and deletions behind it, in order
	owed    map[string]int    // by key: stable writes of the life that its machine was not told of
}

// kept returns how a disk has not kept what it had acknowledged, or has handed out what was never
// written.
func (r *Run) kept() string {
	disks := make([]disk, len(r.Layout.Names))
	lives := slices.Clone(r.Lives)
	slices.SortStableFunc(lives, func(a, b Life) int { return int(a.Number) - int(b.Number) })
	for i := range lives {
		l := &lives[i]
		if int(l.Proc) < len(r.Untrusted) && r.Untrusted[l.Proc] {
			continue
		}
		d := &disks[l.Proc]
		d.owed = nil // whoever dies is told nothing more
		for k := range l.Marks {
			if m := d.apply(&l.Marks[k]); m != "" {
				return r.life(l.Proc, l.Number) + " is " + m
			}
		}
	}
	return ""
}

// apply follows one mark; it returns what is wrong with records that are handed out, and with what
// the machine is told.
func (d *disk) apply(e *Mark) string {
	switch e.What {
	case Writing, Erasing:
		d.pending = append(d.pending, *e)
	case Refused:
		d.refuse(e.Key)
	case Stable:
		d.owe()
		d.settle(len(d.pending))
	case Handed:
		d.owed = nil // it begins anew
		return d.handed(e.Records)
	case Acked:
		if d.owed[e.Key] == 0 {
			return fmt.Sprintf("told that a write of %q is stable, and the disk has acknowledged "+
				"none that it was not told of", e.Key)
		}
		d.owed[e.Key]--
	}
	return ""
}

// owe notes that all writes that wait are stable.
func (d *disk) owe() {
	for i := range d.pending {
		if d.pending[i].What == Writing {
			if d.owed == nil {
				d.owed = map[string]int{}
			}
			d.owed[d.pending[i].Key]++
		}
	}
}

// refuse takes back the last write of the key, or everything that is not acknowledged.
func (d *disk) refuse(key string) {
	if key == "" {
		d.pending = nil
	}
	for i, e := range slices.Backward(d.pending) {
		if e.Key == key {
			d.pending = slices.Delete(d.pending, i, i+1)
			return
		}
	}
}

// settle makes the first entries that wait stable, and forgets the rest.
func (d *disk) settle(n int) {
	for _, e := range d.pending[:n] {
		d.stable = after(d.stable, &e)
	}
	d.pending = nil
}

// after is what an entry leaves.
func after(stable map[string]uint64, e *Mark) map[string]uint64 {
	next := maps.Clone(stable)
	if next == nil {
		next = map[string]uint64{}
	}
	if delete(next, e.Key); e.What == Writing {
		next[e.Key] = e.Digest
	}
	return next
}

// handed compares the records with what every prefix of the entries would leave.
func (d *disk) handed(records []Record) string {
	got, torn := map[string]uint64{}, []string(nil)
	for _, r := range records {
		if r.Torn {
			torn = append(torn, r.Key)
		} else {
			got[r.Key] = r.Digest
		}
	}
	state := d.stable
	for n := 0; ; n++ {
		if maps.Equal(state, got) && d.mayTear(n, state, torn) {
			d.settle(n)
			return ""
		}
		if n == len(d.pending) {
			break
		}
		state = after(state, &d.pending[n])
	}
	return fmt.Sprintf("handed by its disk %s%s, want what was acknowledged, %s, and a prefix of "+
		"%d entries behind it",
		words(got), tornWords(torn), words(d.stable), len(d.pending))
}

// mayTear reports whether the records may be torn when so many entries are whole.
func (d *disk) mayTear(n int, state map[string]uint64, torn []string) bool {
	for _, key := range torn {
		if _, there := state[key]; there || n == len(d.pending) || d.pending[n].Key != key ||
			d.pending[n].What != Writing {
			return false
		}
	}
	return len(torn) <= 1
}

func words(state map[string]uint64) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(state)) {
		list = append(list, fmt.Sprintf("%s=%x", key, state[key]))
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, " ")
}

func tornWords(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return " and torn " + strings.Join(keys, " ")
}
