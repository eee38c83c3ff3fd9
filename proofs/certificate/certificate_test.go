package certificate

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/trace"
)

// example is a certificate with something in every table, of which every entry is used; there are
// as many states as configurations of the two procs have pairs, but for one.
func example() (h *Header, t *Tables, states [][]uint32) {
	h = &Header{Scenario: "x", Variant: "repaired", Text: "-- scenario --\n", Build: "b",
		Judged: []string{"fifo"}, Procs: []string{"a", "b"}}
	t = &Tables{
		Messages:  []Text{Text("m1"), Text("m2")},
		Histories: []Text{Text("h")},
		Locals: []Local{{Proc: 0, State: []byte("s")}, {Proc: 1, Incarnation: 1, Round: 2,
			Evaluated: 3, Holding: []byte("h"), State: []byte("t")}},
		Inboxes: []Inbox{nil, {{From: 0, Messages: []uint32{1, 0, 1}}, {From: 0, Incarnation: 1,
			Messages: []uint32{0}}, {From: 1, Messages: []uint32{1}}}},
		Envs: []Env{
			{Incarnation: 1, Tickets: []Ticket{{By: 1, Key: "k", Value: []byte("v")}}},
			{Up: true, Incarnation: 1, Former: 7, Line: 1, Host: 2,
				Store:   []Record{{Key: "a", Value: []byte("1")}, {Key: "b", Torn: true}},
				Writing: []Record{{Key: "a", Gone: true}, {Key: "b", Read: true}},
				Pending: []trace.Proc{0, 1}, Ended: []uint32{1, 2}, Kills: []trace.Proc{1},
				Timers: []string{"t", "u"}, Watches: []Watch{{About: 1, Incarnation: 4}}}},
		Budgets:  []Budgets{{Failures: 1}, {Failures: 1, Torn: 3, Refusing: 2, Over: true}},
		Memories: []Memory{{[]byte("x"), nil}, {[]byte("y"), []byte("z")}},
		Procs: [][]Configuration{
			{{Local: 0, Env: 0, Inbox: 0}, {Local: 1, Env: 1, Inbox: 0},
				{Local: 1, Env: 1, Inbox: 1}},
			{{Local: 2, Env: 1, Inbox: 0}, {Local: 2, Env: 1, Inbox: 1}}},
	}
	for n := range uint32(2 * 3 * 2 * 2) {
		if n != 5 {
			states = append(states, []uint32{n % 2, n / 2 % 3, n / 6 % 2, n / 12})
		}
	}
	return h, t, states
}

func written(t *testing.T, h *Header, tables *Tables, states [][]uint32, room Room) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, h, tables, slices.Values(states), room); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readBytes(b []byte, most int64) (*Certificate, error) {
	return Read(bytes.NewReader(b), int64(len(b)), most)
}

// TestRoundTrip writes states in any order, and reads the same content back; the bytes do not
// depend on the order.
func TestRoundTrip(t *testing.T) {
	h, tables, states := example()
	want := written(t, h, tables, states, Room{})
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(states), func(i, j int) {
		states[i], states[j] = states[j], states[i]
	})
	if got := written(t, h, tables, states, Room{}); !bytes.Equal(got, want) {
		t.Error("the order of the states shows")
	}
	c, err := readBytes(want, 0)
	if err != nil {
		t.Fatal(err)
	}
	// nothing is empty in place of nil but where the codec can not know
	for i := range tables.Envs {
		for _, list := range [][]Record{tables.Envs[i].Store, tables.Envs[i].Writing} {
			for j := range list {
				list[j].Value = append([]byte{}, list[j].Value...)
			}
		}
	}
	tables.Locals[0].Holding, tables.Memories[0][1] = []byte{}, []byte{}
	if d := cmp.Diff(tables, &c.Tables); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
	if d := cmp.Diff(h, &c.Header); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	var got [][]uint32
	finder := c.States.Finder()
	for i := range c.States.Len() {
		state := make([]uint32, c.States.Words())
		c.States.At(i, state)
		if n, ok := finder.Find(state); n != i || !ok {
			t.Errorf("state %d is found as %d, %t", i, n, ok)
		}
		got = append(got, state)
	}
	slices.SortFunc(states, slices.Compare)
	if d := cmp.Diff(states, got); d != "" {
		t.Errorf("states (-want +got):\n%s", d)
	}
	for _, other := range [][]uint32{{1, 2, 0, 0}, {2, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 0, 1 << 31}} {
		if _, ok := finder.Find(other); ok {
			t.Errorf("%v is found", other)
		}
	}
	if err := Write(new(bytes.Buffer), h, tables, slices.Values([][]uint32{{0, 0, 0, 0},
		{0, 0, 0, 0}}), Room{}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a state that is there twice: %v", err)
	}
}

// TestSort sorts vectors of any widths, in memory and in files, as package slices does.
func TestSort(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range effort.Of(30, 300) {
		counts := make([]int, 1+random.IntN(12))
		for i := range counts {
			counts[i] = 1 + random.IntN(1<<random.IntN(31))
		}
		s := sorter{layout: newLayout(counts), room: Room{Folder: t.TempDir()}}
		var want, got [][]uint32
		// beyond the least room there is, at times
		for range random.IntN(1 << (4 + random.IntN(14))) {
			state := make([]uint32, len(counts))
			for i := range state {
				state[i] = uint32(random.IntN(counts[i])) >> random.IntN(8)
			}
			want = append(want, state)
			if err := s.add(state); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(want, slices.Compare)
		if err := s.each(func(numbers []uint64) error {
			state := make([]uint32, len(counts))
			s.unpack(numbers, state)
			got = append(got, state)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s.close()
		if !slices.EqualFunc(want, got, slices.Equal) {
			t.Fatalf("%d states of %v, %d files: not in order", len(want), counts, len(s.files))
		}
	}
}

// TestDamaged cuts a certificate at every place, and changes every byte: it is refused. With the
// checksum made right again nothing panics.
func TestDamaged(t *testing.T) {
	h, tables, states := example()
	b := written(t, h, tables, states, Room{})
	refuse := func(what string, b []byte) {
		if _, err := readBytes(b, 0); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range b {
		refuse(fmt.Sprintf("cut at %d", n), b[:n])
	}
	refuse("with more", append(slices.Clone(b), 0))
	for i := range b {
		for bit := range 8 {
			damaged := slices.Clone(b)
			damaged[i] ^= 1 << bit
			refuse(fmt.Sprintf("bit %d of byte %d", bit, i), damaged)
			// signed again it may be well-formed, and is judged by what it says
			if _, err := readBytes(signed(damaged[:len(b)-sha256.Size]), 0); err != nil &&
				!errors.Is(err, ErrRefused) {
				t.Errorf("bit %d of byte %d, signed again: %v", bit, i, err)
			}
		}
	}
}

// signed makes the checksum right.
func signed(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(slices.Clone(b), sum[:]...)
}

// TestMalformed writes certificates that are not canonical or refer to nothing: the reader says
// which entry it is.
func TestMalformed(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(h *Header, t *Tables, states *[][]uint32)
		want string
	}{
		{"two entries swapped", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Messages[0], t.Messages[1] = t.Messages[1], t.Messages[0]
		}, "message 1: it is not behind"},
		{"an entry twice", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Messages = append(t.Messages, t.Messages[1])
		}, "message 2: it is not behind"},
		{"an entry that nothing uses", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Messages = append(t.Messages, Text("m3"))
		}, "message 2: nothing uses it"},
		{"a configuration that nothing uses", func(_ *Header, t *Tables, states *[][]uint32) {
			*states = slices.DeleteFunc(*states, func(s []uint32) bool { return s[1] == 1 })
		}, "configuration of proc 0 1: nothing uses it"},
		{"no such message", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Inboxes[1][2].Messages[0] = 2
		}, "inbox 1: there is no message 2"},
		{"an empty channel", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Inboxes[1][2].Messages = nil
		}, "inbox 1: channel 2 is empty"},
		{"channels out of order", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Inboxes[1][1].Incarnation = 0
		}, "inbox 1: channel 1 is not behind"},
		{"no such proc", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Envs[1].Watches[0].About = 2
		}, "environment 1: there is no proc 2"},
		{"no such history", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Envs[1].Line = 2
		}, "environment 1: there is no history 2"},
		{"the state of another proc", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Procs[0][2].Local = 2
		}, "configuration of proc 0 2: its local state is one of proc 1"},
		{"up without a local state", func(_ *Header, t *Tables, _ *[][]uint32) {
			t.Procs[0][0].Env = 1
		}, "configuration of proc 0 0: it is up without"},
		{"procs that are not there", func(h *Header, _ *Tables, _ *[][]uint32) {
			h.Procs = append(h.Procs, "c")
		}, "configuration of proc 2 0: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, tables, states := example()
			tt.do(h, tables, &states)
			_, err := readBytes(written(t, h, tables, states, Room{}), 0)
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// TestHostile reads certificates with lengths and counts that nothing stands behind, and one that
// does not fit into the memory that there is.
func TestHostile(t *testing.T) {
	h, tables, states := example()
	b := written(t, h, tables, states, Room{})
	if _, err := readBytes(b, 500); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), "more memory") {
		t.Errorf("in 500 bytes: %v", err)
	}
	for _, body := range [][]byte{
		{0xff, 0xff, 0xff, 0xff, 0x0e},       // messages
		{1, 0, 0xff, 0xff, 0xff, 0xff, 0x07}, // bytes of the first one
		{1, 5, 0},                            // of which some are those of none before
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f}, // states
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},                   // of tables without entries
		bytes.Repeat([]byte{0xff}, 100),
	} {
		if _, err := readBytes(hostile(h, body), 1<<20); !errors.Is(err, ErrRefused) {
			t.Errorf("%x: %v", body, err)
		}
	}
}

// FuzzRead reads anything behind a checksum that is right.
func FuzzRead(f *testing.F) {
	h, tables, states := example()
	var b bytes.Buffer
	if err := Write(&b, h, tables, slices.Values(states), Room{}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-sha256.Size], false)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, b []byte, body bool) {
		if body {
			b = hostile(h, b)
		} else {
			b = signed(b)
		}
		c, err := readBytes(b, 1<<22)
		if err != nil {
			if !errors.Is(err, ErrRefused) {
				t.Fatal(err)
			}
			return
		}
		var all [][]uint32
		for i := range c.States.Len() {
			state := make([]uint32, c.States.Words())
			c.States.At(i, state)
			all = append(all, state)
		}
		again, err := readBytes(written(t, &c.Header, &c.Tables, all, Room{}), 0)
		if err != nil || !slices.Equal(again.States.data, c.States.data) {
			t.Fatalf("it is read, but not written and read again: %v", err)
		}
	})
}

// hostile is a certificate with the body, and a checksum that is right.
func hostile(h *Header, body []byte) []byte {
	var b bytes.Buffer
	head, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	b.WriteString(format + string(head) + "\n")
	w, err := flate.NewWriter(&b, flate.NoCompression)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	return signed(b.Bytes())
}
