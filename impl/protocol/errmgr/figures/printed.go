package figures

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

// table1 is printed.
var table1 = []row{
	{"noop", 64, 10.3, 7.6, 4.4, 258.5, 21.0},
	{"noop", 128, 21.8, 17.7, 6.9, 593.8, 48.3},
	{"noop", 192, 40.9, 28.9, 11.7, 1167.4, 93.3},
	{"LAMMPS", 64, 69.1, 77.3, 38.0, 4029.4, 1474.6},
	{"LAMMPS", 128, 87.1, 90.7, 37.4, 4638.7, 1694.7},
	{"LAMMPS", 192, 107.1, 104.1, 35.8, 5427.2, 1786.9},
	{"POP", 64, 19.7, 13.8, 6.1, 609.3, 106.2},
	{"POP", 128, 35.3, 27.9, 8.5, 1105.9, 144.5},
	{"POP", 192, 53.6, 39.8, 14.8, 1802.2, 205.9},
	{"HPL", 64, 182.4, 218.3, 237.2, 13557.8, 13020.2},
	{"HPL", 128, 301.8, 371.6, 347.4, 24581.1, 23234.6},
	{"HPL", 192, 493.8, 561.8, 551.0, 40105.0, 37411.8},
}

// saved is the share of the bytes that packing saves.
func (r *row) saved() float64 { return 1 - r.Packed/r.Raw }

// each is the size of one image in bytes.
func (r *row) each() int64 { return int64(r.Raw * 1e6 / float64(r.Ranks)) }
