package protocol

// Experiment is something that a paper measures, or leaves open, made again on a machine that is
// emulated: a function of the code, but for what is measured on this machine.
type Experiment struct {
	Name string // as domino experiments takes it
	Doc  string // one line
	// Run carries it out.
	Run func(ExperimentOptions) (*Findings, error)
}

// ExperimentOptions are what an experiment is asked for.
type ExperimentOptions struct {
	Measure bool // measure on this machine what is otherwise a number that was measured
	// Tell is told of what it is at, and ends it by an error; may be nil.
	Tell func(what string) error
}

// Findings are what an experiment shows.
type Findings struct {
	Tables  []Grid   `json:"tables"`
	Ratios  []Ratio  `json:"ratios"`
	Figures []Figure `json:"figures"`
	Notes   []string `json:"notes"` // what a reader should know, a paragraph each
}

// Grid is a table, cell by cell.
type Grid struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Ratio is what a figure comes down to: a number without a unit, the band in which it is expected,
// and what a closed formula says.
type Ratio struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Least float64  `json:"least"`
	Most  float64  `json:"most"`
	Model *float64 `json:"model"` // nil: there is no formula
	Paper *float64 `json:"paper"` // nil: it prints no such numbers
	// Why is why it is outside its band, if it is.
	Why string `json:"why,omitempty"`
}

// Inside reports whether the value is in its band.
func (r *Ratio) Inside() bool { return r.Value >= r.Least && r.Value <= r.Most }

// Figure is curves over a quantity, or bars of parts.
type Figure struct {
	Name   string  `json:"name"` // of its files
	Title  string  `json:"title"`
	X      string  `json:"x"`
	Y      string  `json:"y"`
	Bytes  bool    `json:"bytes"` // both axes are logarithmic, and X is in bytes
	Curves []Curve `json:"curves,omitempty"`
	// Rows are bars, one a row from the top down, each made of the parts; then there are no curves.
	Rows  []string `json:"rows,omitempty"`
	Parts []Part   `json:"parts,omitempty"`
}

// Curve is one line of a figure.
type Curve struct {
	Name string `json:"name"`
	// of the formula, or of what the paper prints, drawn pale in the colour of the curve with the
	// same number
	Pale  bool         `json:"pale,omitempty"`
	Style int          `json:"style"`
	At    [][2]float64 `json:"at"`
}

// Part is what every row of a figure of bars has of something.
type Part struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

// WithExperiments is the protocol and experiments, of packages that need it.
func (p Protocol) WithExperiments(list ...Experiment) Protocol {
	p.Experiments = list
	return p
}
