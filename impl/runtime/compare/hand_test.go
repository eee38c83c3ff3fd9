package compare

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

const ms = time.Millisecond

// TestDisplaced: of hand-written images and requests, each request is for one image of each rank of
// its unit, the first one behind it; what is left over is displaced.
func TestDisplaced(t *testing.T) {
	pair := []core.Rank{0, 1}
	for _, tt := range []struct {
		name   string
		asked  []Ask
		images []Image
		want   int
	}{
		{"as asked", []Ask{{0, pair[:1], ms}, {1, pair[1:], 2 * ms}},
			[]Image{{Rank: 0, At: ms}, {Rank: 1, At: 3 * ms}}, 0},
		{"dragged along", []Ask{{0, pair[:1], ms}},
			[]Image{{Rank: 0, At: ms}, {Rank: 1, At: ms}}, 1},
		{"forced before the request", []Ask{{0, pair[:1], 2 * ms}},
			[]Image{{Rank: 0, At: ms}, {Rank: 0, At: 2 * ms}}, 1},
		{"twice for one request", []Ask{{0, pair[:1], ms}},
			[]Image{{Rank: 0, At: ms}, {Rank: 0, At: 5 * ms}}, 1},
		{"a group", []Ask{{0, pair, ms}}, []Image{{Rank: 0, At: ms}, {Rank: 1, At: 2 * ms}}, 0},
		{"an image that was not taken", []Ask{{0, pair[:1], ms}}, nil, 0},
	} {
		if got := Displaced(&Facts{Asked: tt.asked, Images: tt.images}); got != tt.want {
			t.Errorf("%s: %d displaced, want %d", tt.name, got, tt.want)
		}
	}
}

// TestPeak: writes of 2 ms that begin at 0, 1, 2 and 10 ms; a write that begins when another ends
// is not at the same time.
func TestPeak(t *testing.T) {
	f := &Facts{Images: []Image{{At: 0}, {Rank: 1, At: ms}, {Rank: 2, At: 2 * ms},
		{Rank: 3, At: 10 * ms}}}
	if got := Peak(f, 2*ms); got != 2 {
		t.Errorf("%d at a time, want 2", got)
	}
	if got := Peak(&Facts{}, ms); got != 0 {
		t.Errorf("%d of none", got)
	}
}

// TestCarried: of three messages on one channel, the kind is the same in all, the number is the
// place in the channel, the index differs, and a list always counts: 1, 2 and 3 integers.
func TestCarried(t *testing.T) {
	message := func(number, index uint64, list ...uint64) Message {
		m := Message{To: 1, Bytes: 4 + len(list), Numbers: []Number{{".Kind", false, 7},
			{".Number", false, number}, {".Index", false, index}}}
		for _, x := range list {
			m.Numbers = append(m.Numbers, Number{".List[]", true, x})
		}
		return m
	}
	f := &Facts{Messages: []Message{message(1, 5), message(2, 5, 9), message(3, 6, 9, 9)}}
	want := Load{Mean: 2, Max: 3, MeanBytes: 1, MaxBytes: 2}
	if diff := cmp.Diff(want, Carried(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Load{}, Carried(&Facts{})); diff != "" {
		t.Errorf("of no messages (-want +got):\n%s", diff)
	}
}

// TestLogWords: which messages are kept, in a word.
func TestLogWords(t *testing.T) {
	for want, k := range map[string]Log{
		"none":           {SentIntra: 8, SentInter: 8},
		"all":            {Intra: 8, Inter: 8, SentIntra: 8, SentInter: 8},
		"between groups": {Inter: 8, SentIntra: 8, SentInter: 8},
		"part":           {Inter: 4, SentIntra: 8, SentInter: 8},
	} {
		if got := k.word(); got != want {
			t.Errorf("%+v: %q, want %q", k, got, want)
		}
	}
	both := Log{Intra: 8, Inter: 4, SentIntra: 8, SentInter: 8}
	if got := both.word(); got != "part" {
		t.Errorf("%+v: %q, want part", both, got)
	}
}

// TestChains: r0 asks r1 and r2, r1 answers through r2, whose answer arrives as the third of a
// chain; a message of a program hands it on; what was on its way before counts nothing, and what is
// on its way to somebody who stops is lost.
func TestChains(t *testing.T) {
	var c chains
	c.init(4)
	c.send(3, 0, true)
	c.begin()
	c.receive(3, 0)
	c.send(0, 1, true)
	c.send(0, 2, true)
	c.receive(0, 1)
	c.send(1, 2, true)
	c.receive(1, 2)
	c.receive(0, 2)
	c.send(2, 0, true)
	c.receive(2, 0)
	c.send(0, 3, false)
	c.receive(0, 3)
	if diff := cmp.Diff([]int{3, 1, 2, 3}, c.known); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.send(0, 1, true)
	c.crash(1)
	c.receive(0, 1)
	if c.of(1) != 0 {
		t.Errorf("who has stopped knows %d", c.of(1))
	}
}
