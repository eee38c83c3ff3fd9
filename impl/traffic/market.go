package traffic

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// marketHead begins a Matrix Market file.
const marketHead = "%%MatrixMarket"

// marketFile reads a sparse matrix: row, column and bytes, ranks from 1.
type marketFile struct {
	*lines
	pattern, symmetric bool
	order, entries     int64
	Builder
}

// readMarket reads a Matrix Market file in coordinate form, whose entry (i, j) is what rank i-1
// sends to rank j-1. Of a symmetric one each entry stands for both directions, and of a pattern
// each is one byte. Real numbers must be whole. One above the diagonal of a symmetric matrix is
// refused, as the format has it: with the one below it would count twice.
func readMarket(l *lines, ranks int) (*Graph, error) {
	f := &marketFile{lines: l}
	if err := f.head(); err != nil {
		return nil, err
	}
	if err := f.size(ranks); err != nil {
		return nil, err
	}
	for k := range f.entries {
		words, err := f.words()
		if errors.Is(err, io.EOF) {
			return nil, f.errorf("the file ends after %d of %d entries: it was cut", k, f.entries)
		}
		if err != nil {
			return nil, err
		}
		if err := f.entry(words); err != nil {
			return nil, err
		}
	}
	if _, err := f.words(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = f.errorf("more than the %d entries that the size says", f.entries)
		}
		return nil, err
	}
	return l.graph(&f.Builder, int(f.order), false)
}

// head reads the first line.
func (f *marketFile) head() error {
	line, err := f.next()
	if err != nil {
		return err
	}
	words := strings.Fields(strings.ToLower(string(line)))
	if len(words) == 5 && words[1] == "matrix" && words[2] == "array" {
		return f.errorf("a dense matrix, an array: want one in coordinates, with its size and " +
			"entries")
	}
	if len(words) != 5 || words[1] != "matrix" || words[2] != "coordinate" {
		return f.errorf("want \"%s matrix coordinate KIND SYMMETRY\"", marketHead)
	}
	switch words[3] {
	case "integer", "real":
	case "pattern":
		f.pattern = true
	default:
		return f.errorf("entries are %s: want integer, real or pattern", words[3])
	}
	switch words[4] {
	case "general":
	case "symmetric":
		f.symmetric = true
	default:
		return f.errorf("the matrix is %s: want general or symmetric", words[4])
	}
	return nil
}

// words are the fields of the next line that is no comment.
func (f *marketFile) words() ([][]byte, error) {
	for {
		line, err := f.next()
		if err != nil {
			return nil, err
		}
		if len(line) > 0 && line[0] != '%' {
			return bytes.Fields(line), nil
		}
	}
}

// size reads rows, columns and number of entries.
func (f *marketFile) size(ranks int) error {
	words, err := f.words()
	if errors.Is(err, io.EOF) {
		return f.errorf("the file ends before the size of the matrix: it was cut")
	}
	if err != nil {
		return err
	}
	if len(words) != 3 {
		return f.errorf("%s, want rows, columns and entries", fields(len(words)))
	}
	var sizes [3]int64
	for i, field := range []string{"rows", "columns", "entries"} {
		if sizes[i], err = f.whole(field, words[i]); err != nil {
			return err
		}
	}
	f.order, f.entries = sizes[0], sizes[2]
	switch {
	case sizes[0] != sizes[1]:
		return f.errorf("%d rows and %d columns: want as many of both, the ranks", sizes[0],
			sizes[1])
	case f.order == 0 || f.order > MaxRanks:
		return f.errorf("rows %d: want a number of ranks in [1, %d]", f.order, MaxRanks)
	case ranks > 0 && f.order != int64(ranks):
		return f.errorf("rows %d: there are %d ranks", f.order, ranks)
	}
	return nil
}

// entry adds one entry of the matrix.
func (f *marketFile) entry(words [][]byte) error {
	want := 3
	if f.pattern {
		want = 2
	}
	if len(words) != want {
		return f.errorf("%s, want %d", fields(len(words)), want)
	}
	var at [2]int
	for i, field := range []string{"row", "column"} {
		n, err := f.whole(field, words[i])
		if err != nil {
			return err
		}
		if n < 1 || n > f.order {
			return f.errorf("%s %d: this rank is unknown, there are %d, from 1", field, n, f.order)
		}
		at[i] = int(n) - 1
	}
	if f.symmetric && at[0] < at[1] {
		return f.errorf("row %s, column %s: above the diagonal, of which the other side of a "+
			"symmetric matrix stands for both", words[0], words[1])
	}
	value := int64(1)
	if !f.pattern {
		var err error
		if value, err = f.value(words[2]); err != nil {
			return err
		}
	}
	err := f.Add(at[0], at[1], value, 0)
	if err == nil && f.symmetric && at[0] != at[1] {
		err = f.Add(at[1], at[0], value, 0)
	}
	if err != nil {
		return f.errorf("%w", err)
	}
	return nil
}

// value reads bytes, which may be written as a real number.
func (f *marketFile) value(text []byte) (int64, error) {
	if !bytes.ContainsAny(text, ".eEnN") {
		return f.whole("value", text)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(v):
		return 0, f.errorf("value %.40q: want a whole number of bytes", text)
	case v < 0:
		return 0, f.errorf("value %.40s: negative", text)
	case v > MaxBytes:
		return 0, f.errorf("value %.40s: %w", text, errAbsurd)
	case v != math.Trunc(v):
		return 0, f.errorf("value %.40s: want a whole number of bytes", text)
	}
	return int64(v), nil
}
