package traffic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxLine bounds a line: a file without line ends is no table.
const maxLine = 1 << 16

// lines reads a file line by line and knows where it is.
type lines struct {
	in     *bufio.Reader
	name   string
	number int  // of the last line, from 1
	ended  bool // the last line had no end: perhaps the file was cut there
	cut    bool // it says that its run was
}

func newLines(name string, in io.Reader) *lines {
	return &lines{in: bufio.NewReaderSize(in, maxLine), name: name}
}

// next is the next line without its end, or io.EOF. It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if len(line) == 0 && errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	l.number++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, l.errorf("a line of more than %d bytes: want one channel a line", maxLine)
	case errors.Is(err, io.EOF):
		l.ended = true
	case err != nil:
		return nil, fmt.Errorf("%s: read: %w", l.name, err)
	}
	return bytes.TrimSpace(line), nil
}

// begin passes over the mark of UTF-8 and says of what is no text of bytes what to do with it.
func (l *lines) begin() error {
	head, _ := l.in.Peek(3) // less of a shorter file, and what is wrong with it comes again
	is := func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) }
	switch {
	case is("\xef\xbb\xbf"):
		_, err := l.in.Discard(len(head))
		return err
	case is("\xff\xfe"), is("\xfe\xff"):
		return fmt.Errorf("%s: text in UTF-16: save it as UTF-8", l.name)
	case is("\x1f\x8b"):
		return fmt.Errorf("%s: compressed with gzip: unpack it before", l.name)
	}
	return nil
}

// errorf is an error at the present line.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// whole reads a whole number of a field.
func (l *lines) whole(field string, text []byte) (int64, error) {
	n, digits := int64(0), len(text) > 0 && len(text) <= 18
	for _, c := range text {
		if c < '0' || c > '9' {
			digits = false
			break
		}
		n = n*10 + int64(c-'0')
	}
	if digits {
		return n, nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64) // a sign, or too large, or no number
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, l.errorf("%s %.40s: no number of a run is so large", field, text)
	case err != nil:
		return 0, l.errorf("%s %.40q: want a whole number", field, text)
	case n < 0:
		return 0, l.errorf("%s %d: negative", field, n)
	}
	return n, nil
}

// Read reads a table of channels, in the form that its first line shows: Matrix Market or CSV. The
// ranks are as many as the file names unless their number is given. The name is for errors, which
// have the line and the field.
func Read(name string, in io.Reader, ranks int) (*Graph, error) {
	if ranks < 0 || ranks > MaxRanks {
		return nil, fmt.Errorf("%d ranks: want at most %d, or 0 for as many as the file names",
			ranks, MaxRanks)
	}
	l := newLines(name, in)
	if err := l.begin(); err != nil {
		return nil, err
	}
	if head, _ := l.in.Peek(len(marketHead)); bytes.EqualFold(head, []byte(marketHead)) {
		return readMarket(l, ranks)
	}
	return readCSV(l, ranks)
}

// fields counts them in words.
func fields(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// Graph ends a file: errors about the whole of it name the file alone.
func (l *lines) graph(b *Builder, ranks int, counted bool) (*Graph, error) {
	g, err := b.Graph(ranks, counted)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	if l.cut {
		g.Notes = append(g.Notes, CutMark[2:])
	}
	if l.ended {
		g.Notes = append(g.Notes, fmt.Sprintf("%s:%d: the last line has no end: is it whole?",
			l.name, l.number))
	}
	return g, nil
}
