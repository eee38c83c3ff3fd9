package term

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// failing takes so many bytes, as a disk that fills up.
type failing struct {
	room  int
	calls int
}

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	f.calls++
	n := min(f.room, len(b))
	if f.room -= n; n < len(b) {
		return n, errFull
	}
	return n, nil
}

// TestOutputRemembers fills a disk: the error stays, and nothing is written behind it, since a
// text with a hole in it says something else.
func TestOutputRemembers(t *testing.T) {
	f := &failing{room: 4}
	o := NewOutput(f)
	for range 3 {
		_, _ = io.WriteString(o, "abc")
	}
	if !errors.Is(o.Err(), errFull) || f.calls != 2 {
		t.Errorf("error %v after %d writes, want the first error and no write behind it", o.Err(),
			f.calls)
	}
}

// clock is a time that the test moves.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

// line is a Line with a clock and, if it has one, a terminal of a width.
func testLine(w io.Writer, events bool, width int) (*Line, *clock) {
	c := &clock{now: time.Unix(1000, 0)}
	l := NewLine(w, events)
	l.now, l.last[""], l.log = c.time, c.now, true
	if width > 0 {
		l.tty, l.width = os.Stderr, func() int { return width }
	}
	return l, c
}

// TestLine tells a line twenty times within two seconds, then twenty times within two minutes, and
// compares what is seen.
func TestLine(t *testing.T) {
	tests := []struct {
		name   string
		events bool
		width  int
		want   string
		count  int
	}{
		{"terminal", false, 80, "\r\x1b[Ka line of some length", 30},
		{"narrow terminal", false, 10, "\r\x1b[Ka line o…", 30},
		{"no terminal", false, 0, "a line of some length\n", 10},
		{"events", true, 0, "{\"Runs\":7}\n", 24},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			l, c := testLine(&b, tt.events, tt.width)
			for i := range 40 {
				step := 100 * time.Millisecond
				if i >= 20 {
					step = 6 * time.Second
				}
				c.now = c.now.Add(step)
				l.Show("", func() string { return "a line of some length" },
					func() any { return struct{ Runs int }{7} })
			}
			got := b.String()
			if n := strings.Count(got, tt.want); n != tt.count || len(got) != n*len(tt.want) {
				t.Errorf("%d times %q, want %d, and nothing else:\n%q", n, tt.want, tt.count, got)
			}
		})
	}
}

// TestLineKeys tells of two searches: each has events as often as it would have alone.
func TestLineKeys(t *testing.T) {
	var b bytes.Buffer
	l, c := testLine(&b, true, 0)
	for range 25 {
		for _, key := range []string{"one", "other"} {
			l.Show(key, nil, func() any { return key })
		}
		c.now = c.now.Add(100 * time.Millisecond)
	}
	if got := b.String(); strings.Count(got, "one") != 4 || strings.Count(got, "other") != 4 {
		t.Errorf("want four events of each in 2.4 s, got\n%s", got)
	}
}

// TestClear erases the line only where one is.
func TestClear(t *testing.T) {
	var b bytes.Buffer
	l, c := testLine(&b, false, 80)
	l.Clear()
	c.now = c.now.Add(time.Second)
	l.Show("", func() string { return "x" }, nil)
	l.Clear()
	l.Clear()
	if got := b.String(); got != "\r\x1b[Kx\r\x1b[K" {
		t.Errorf("got %q", got)
	}
}

// TestNoTerminal looks for a terminal behind what is none.
func TestNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{f, NewOutput(f), &bytes.Buffer{}} {
		if file(w) != nil || Coloured(w) {
			t.Errorf("%T is taken for a terminal", w)
		}
	}
}

// TestTable prints a table with all that a column can say, with colours and without.
func TestTable(t *testing.T) {
	columns := []Column{{Title: "name", Width: 6, Left: true},
		{Title: " verdict", Width: 9, Left: true, Colour: func(cell string) Colour {
			if cell == "!bad" {
				return Red
			}
			return Plain
		}}, {Title: "n", Width: 4}, {Title: " what", Left: true}}
	want := "  name    verdict     n  what\n" +
		"  one     good        1  wörd\n            about one\n  seven77 !bad       100  x\n"
	for _, colours := range []bool{false, true} {
		var b bytes.Buffer
		table := NewTable(&b, 2, columns...)
		table.colours = colours
		table.Row("one", " good", "1", " wörd")
		table.Note("about %s", "one")
		table.Row("seven77", "!bad", "100", " x")
		want := want
		if colours {
			want = strings.Replace(want, "!bad", "\x1b[31m!bad\x1b[0m", 1)
		}
		if b.String() != want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), want)
		}
	}
}
