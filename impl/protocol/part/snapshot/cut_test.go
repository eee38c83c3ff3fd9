package snapshot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// TestCounted compares what is found on a channel that does not keep order with the definition, for
// all messages up to 4 that are taken, sent before the marker, and here.
func TestCounted(t *testing.T) {
	type message struct{ number uint32 }
	number := func(m *message) uint32 { return m.number }
	cases, whole := 0, 0
	for taken := range uint32(5) {
		for last := range uint32(5) {
			for here := range 1 << 4 {
				for _, marked := range []bool{false, true} {
					ch := snapshot.Channel[message]{Marked: marked, Last: last}
					var want []message
					missing := false
					for n := uint32(1); n <= 4; n++ {
						arrived := here>>(n-1)&1 != 0
						if arrived {
							ch.Messages = append(ch.Messages, message{n})
						}
						if n > taken && n <= last {
							missing = missing || !arrived
							if arrived {
								want = append(want, message{n})
							}
						}
					}
					list, all := ch.Counted(taken, number)
					if !slices.Equal(list, want) || all != (marked && !missing) {
						t.Errorf("taken %d, %+v: %v %v, want %v", taken, ch, list, all, want)
					}
					cases++
					if all {
						whole++
					}
				}
			}
		}
	}
	if cases != 800 || whole != 289 {
		t.Errorf("%d cases, %d of them whole", cases, whole)
	}
}

// TestCut: a channel records until its marker, its own is closed from the beginning.
func TestCut(t *testing.T) {
	c := snapshot.Open[string](3, 1)
	c.Record(0, "a")
	c.Record(1, "self")
	c.Mark(0, 0)
	c.Record(0, "behind")
	c.Record(2, "b")
	if c.Marked() {
		t.Error("the marker of 2 is not here")
	}
	c.Mark(2, 0)
	got := [][]string{c[0].Messages, c[1].Messages, c[2].Messages}
	want := [][]string{{"a"}, nil, {"b"}}
	if !c.Marked() || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("marked %v, %q, want %q", c.Marked(), got, want)
	}
	c.Forget()
	if c[0].Messages != nil || c[2].Messages != nil || !c.Marked() {
		t.Errorf("forgotten: %+v", c)
	}
}

// TestRecords finds the line among records: those of others, torn ones and other keys do not count,
// and numbers are compared as numbers.
func TestRecords(t *testing.T) {
	one := core.Encode(image{Coins: 1})
	records := []core.Record{
		{Owner: 0, Key: "commit/9", Value: []byte{9}},
		{Owner: 0, Key: "commit/10", Value: []byte{10}},
		{Owner: 0, Key: "commit/11", Torn: true},
		{Owner: 1, Key: "commit/12", Value: []byte{12}},
		{Owner: 0, Key: "commit/x"},
		{Owner: 0, Key: "image/13", Value: one},
		{Owner: 1, Key: "image/13", Torn: true},
		{Owner: 2, Key: "image/13", Value: []byte{0xff}},
	}
	if n, value := snapshot.Last(records, snapshot.CommitKey, 0); n != 10 || value[0] != 10 {
		t.Errorf("commit record %d with %v, want 10", n, value)
	}
	if n, value := snapshot.Last(records, snapshot.CommitKey, 5); n != 0 || value != nil {
		t.Errorf("commit record %d with %v, want none", n, value)
	}
	if !slices.Equal(snapshot.Reads(2, 5), []core.Proc{2, 5}) ||
		!slices.Equal(snapshot.Reads(2, 2), []core.Proc{2}) {
		t.Error("a restart reads its own records and those of who decides, each once")
	}
	for owner, want := range []string{"",
		"rank 1: checkpoint 13 is damaged although it was committed",
		"rank 2: checkpoint 13: core: decode", "rank 3: checkpoint 13 is missing although"} {
		var img image
		err := snapshot.Load(records, core.Proc(owner), 13, &img)
		switch {
		case want == "" && (err != nil || img.Coins != 1):
			t.Errorf("owner %d: %+v, %v", owner, img, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("owner %d: %v, want %q", owner, err, want)
		}
	}
}
