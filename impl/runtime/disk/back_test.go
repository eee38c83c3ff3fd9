package disk

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// keys are what the store has for Read, without values.
func keys(t *testing.T, files Files) (list []string) {
	t.Helper()
	records, err := Read(files, "d", identity)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		list = append(list, r.Key)
	}
	return list
}

// TestRefusedStaysAway: a commit is refused for want of room when half of it is written, and the
// host stops then. The caller was told that nothing of it is stable, so no crash may leave a part.
func TestRefusedStaysAway(t *testing.T) {
	refused := 0
	for at := 0; ; at++ {
		m := newMemory()
		s, err := small(m)
		if err = errors.Join(err, s.Put("a", []byte("1")), s.Commit(), s.Put("b", []byte("2")),
			s.Put("c", []byte("3"))); err != nil {
			t.Fatal(err)
		}
		m.stopAt, m.failure, m.cut = m.operations+at, noSpace, true
		if err = s.Commit(); err == nil {
			break
		}
		if !errors.Is(err, ErrFull) {
			continue // the store can only be closed
		}
		refused++
		m.aftermaths(func(what string, after *memory) {
			if got := keys(t, after); !slices.Equal(got, []string{"a"}) {
				t.Errorf("no room at operation %d of the commit, %s: %v is there", at, what, got)
			}
		})
	}
	if refused < 2 { // to make the log longer, and to write into it
		t.Errorf("%d commits were refused: the test looks at nothing", refused)
	}
}

// TestHole: of a commit that was never acknowledged the disk has the second entry and not the
// first. What is committed next fills the hole, and whatever a crash leaves then, the entry behind
// it does not come to life: it has the right number, and was never put in this life of the store.
func TestHole(t *testing.T) {
	m := newMemory()
	s, err := small(m)
	if err := errors.Join(err, s.Put("a", []byte("1")), s.Commit()); err != nil {
		t.Fatal(err)
	}
	hole := s.c.end
	if err := errors.Join(s.Put("b", []byte("2")), s.Put("c", []byte("3")),
		s.Commit()); err != nil {
		t.Fatal(err)
	}
	crashed := m.after(func(int) (bool, int) { return false, 0 }) // the slot was not synced
	log := crashed.names["d/log"]
	log.stable = bytes.Clone(log.stable)
	clear(log.stable[hole : s.c.live["b"].place+1])
	if log.now = log.stable; !slices.Equal(keys(t, crashed), []string{"a"}) {
		t.Fatal("there is no hole: ", keys(t, crashed))
	}
	looks := 0
	for at := 0; ; at++ {
		m := crashed.after(func(int) (bool, int) { return true, -1 })
		m.stopAt, m.failure = at, errStopped
		s, err := small(m)
		if err == nil {
			err = errors.Join(s.Put("d", []byte("4")), s.Commit())
		}
		m.aftermaths(func(what string, after *memory) {
			looks++
			if got := keys(t, after); !slices.Equal(got, []string{"a"}) &&
				!slices.Equal(got, []string{"a", "d"}) {
				t.Errorf("stopped at operation %d, %s: %v is there", at, what, got)
			}
		})
		if err == nil {
			break
		}
	}
	if looks < 50 {
		t.Errorf("%d crashes: the test looks at nothing", looks)
	}
}
