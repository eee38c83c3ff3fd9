package traffic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// columns are those that a CSV file may have, the last one or none; without a header they are in
// this order.
var columns = []string{"src", "dst", "bytes", "messages"}

// csvFile reads lines "src,dst,bytes,messages".
type csvFile struct {
	*lines
	ranks  int   // 0 = any
	order  []int // of each column of the file, which of columns it is
	comma  byte  // what is between fields
	fields [4]int64
}

// CutMark is a line of a file whose run did not come to its end; who reads the file is told.
const CutMark = "# the run did not end by itself: it would have sent more"

// readCSV reads a file of lines "src,dst,bytes[,messages]", ranks from 0. A first line with names
// may give them another order, and semicolons or tabs will do in the place of commas. Empty lines
// and those that begin with # are passed over.
func readCSV(l *lines, ranks int) (*Graph, error) {
	f := &csvFile{lines: l, ranks: ranks, comma: ','}
	var b Builder
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || line[0] == '#' {
			l.cut = l.cut || string(line) == CutMark
			continue
		}
		if f.order == nil {
			names, err := f.header(line)
			if err != nil {
				return nil, err
			}
			if names {
				continue
			}
		}
		if err := f.channel(line); err != nil {
			return nil, err
		}
		if bytes := f.fields[2]; bytes > 0 && f.fields[3] == 0 && len(f.order) > 3 {
			return nil, l.errorf("messages 0: %d bytes need one", bytes)
		}
		if err := b.Add(int(f.fields[0]), int(f.fields[1]), f.fields[2],
			f.fields[3]); err != nil {
			return nil, l.errorf("%w", err)
		}
	}
	if f.order == nil {
		return nil, fmt.Errorf("%s: not a line in it: %w", l.name, ErrEmpty)
	}
	return l.graph(&b, ranks, slices.Contains(f.order, 3))
}

// header takes the first line: what is between fields, a comma if there is one, and the order of
// the columns by their names, or by their number.
func (f *csvFile) header(line []byte) (names bool, err error) {
	for _, other := range []byte{';', '\t'} {
		if bytes.IndexByte(line, f.comma) < 0 && bytes.IndexByte(line, other) >= 0 {
			f.comma = other
		}
	}
	words := strings.Split(strings.ToLower(string(line)), string(f.comma))
	if len(words) < 3 || len(words) > 4 {
		return false, f.errorf("%s, want src,dst,bytes or src,dst,bytes,messages, with commas, "+
			"semicolons or tabs", fields(len(words)))
	}
	first := unquoted([]byte(words[0]))
	if names = len(first) > 0 && first[0] >= 'a' && first[0] <= 'z'; !names {
		f.order = []int{0, 1, 2, 3}[:len(words)]
		return false, nil
	}
	for _, w := range words {
		at := slices.Index(columns, string(unquoted([]byte(w))))
		if at < 0 || slices.Contains(f.order, at) {
			return false, f.errorf("column %q: want %s, each once", unquoted([]byte(w)),
				strings.Join(columns, ", "))
		}
		f.order = append(f.order, at)
	}
	if len(f.order) == 3 && slices.Contains(f.order, 3) {
		return false, f.errorf("a column of src, dst and bytes is missing")
	}
	return true, nil
}

// unquoted is a field without space and quotes around it, in which some programs write all of them.
func unquoted(word []byte) []byte {
	word = bytes.TrimSpace(word)
	if n := len(word); n >= 2 && word[0] == '"' && word[n-1] == '"' {
		return word[1 : n-1]
	}
	return word
}

// channel reads the fields of a line.
func (f *csvFile) channel(line []byte) error {
	for i, at := range f.order {
		word, rest, more := bytes.Cut(line, []byte{f.comma})
		if more != (i < len(f.order)-1) {
			n := i + 1
			if more {
				n += 1 + bytes.Count(rest, []byte{f.comma})
			}
			return f.errorf("%s, the first line has %d", fields(n), len(f.order))
		}
		n, err := f.whole(columns[at], unquoted(word))
		if err != nil {
			return err
		}
		if at < 2 && f.ranks > 0 && n >= int64(f.ranks) {
			return f.errorf("%s %d: this rank is unknown, there are %d, from 0", columns[at], n,
				f.ranks)
		}
		f.fields[at], line = n, rest
	}
	return nil
}
