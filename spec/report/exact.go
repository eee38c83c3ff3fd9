package report

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// largestExact is the largest number up to which every reader of JSON knows each whole number.
const largestExact = 1 << 53

// Exact replaces the whole numbers of a JSON document that a reader with floating point would
// round: by the word of their 16 hexadecimal digits, and the largest of 64 bits, which stands for
// "no bound", by null. A document without any comes back as it is.
func Exact(document []byte) []byte {
	var out []byte
	from, inText := 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == '-' || c >= '0' && c <= '9'):
			end := i + 1
			for end < len(document) && bytes.IndexByte([]byte("0123456789+-.eE"),
				document[end]) >= 0 {
				end++
			}
			if word := exact(string(document[i:end])); word != "" {
				out = append(append(out, document[from:i]...), word...)
				from = end
			}
			i = end - 1
		}
	}
	if from == 0 {
		return document
	}
	return append(out, document[from:]...)
}

// exact is what stands for a number, "" where it stays.
func exact(number string) string {
	if n, err := strconv.ParseUint(number, 10, 64); err == nil {
		switch {
		case n == math.MaxUint64:
			return "null"
		case n > largestExact:
			return fmt.Sprintf("%q", fmt.Sprintf("%016x", n))
		}
	} else if n, err := strconv.ParseInt(number, 10, 64); err == nil && n < -largestExact {
		return fmt.Sprintf("%q", number)
	}
	return ""
}
