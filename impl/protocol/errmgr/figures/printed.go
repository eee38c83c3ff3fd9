package figures

import (
	"strconv"

	"github.com/domino-check/domino/impl/papers"
)

// row is a row of Table I of [ErrMgr]: seconds from the request to the established snapshot, and
// megabytes of the whole snapshot.
type row struct {
	Program             string
	Ranks               int
	Central, Stage, Zip float64
	Raw, Packed         float64
}

// The rows of 64 ranks with the smallest and the largest images.
const (
	noop = 0
	hpl  = 9
)

// table1 is what is printed.
func table1() (rows []row) {
	for i, program := range []string{"noop", "LAMMPS", "POP", "HPL"} {
		c := papers.Find("errmgr", "table-1"+string(rune('a'+i)))
		for _, ranks := range []int{64, 128, 192} {
			at := strconv.Itoa(ranks)
			rows = append(rows, row{program, ranks, c.Number(at, "central"), c.Number(at, "stage"),
				c.Number(at, "zip"), c.Number(at, "raw"), c.Number(at, "packed")})
		}
	}
	return rows
}

// saved is the share of the bytes that packing saves.
func (r *row) saved() float64 { return 1 - r.Packed/r.Raw }

// each is the size of one image in bytes.
func (r *row) each() int64 { return int64(r.Raw * 1e6 / float64(r.Ranks)) }
