package volume

// publishedRow is one column of [CAMEL] Table 3: LeanMD, a million particles, 100 iterations.
// Counts are in millions, logs in GB.
type publishedRow struct {
	cores                           int
	messages                        float64
	plainLog, plainDets, plainCarry float64
	awareLog, awareDets, awareCarry float64
}

var publishedTable = []publishedRow{
	{1024, 24.32, 269.49, 54.72, 348.23, 12.77, 28.94, 185.48},
	{2048, 23.70, 261.19, 54.04, 265.33, 12.77, 28.61, 143.52},
	{4096, 32.33, 363.44, 62.68, 275.84, 12.79, 32.99, 136.62},
	{8192, 32.05, 359.59, 62.40, 221.68, 12.83, 32.87, 129.19},
	{16384, 33.09, 370.82, 63.44, 185.39, 12.94, 33.44, 111.51},
}

// publishedLocal is the number of determinants beyond the messages of the network, in millions: the
// same at every scale of the table, so of deliveries inside a process.
const publishedLocal = 30.4

// publishedSaved is a point of [CAMEL] Figure 6: OpenAtom, the share of the log that CAMEL saves; 0
// where the text gives none.
type publishedSaved struct {
	cores           string
	small, moderate float64
}

var publishedOpenAtom = []publishedSaved{{"256", 24, 0}, {"1K", 0, 24}, {"4K", 52, 0},
	{"16K", 0, 65}}

// publishedParts are shares of the log of SCMEL in percent, multicasts, reductions, and messages
// from rank to rank, in SCMEL and in CAMEL: [CAMEL] Figure 5 for LeanMD, where the last is below 1,
// and Figure 6 for OpenAtom on 4K cores.
var publishedParts = map[string][2][3]float64{"leanmd": {{50, 50, 0}, {1, 3, 0}},
	"openatom": {{38, 30, 32}, {6, 10, 32}}}
