package protocol

import (
	"io"
	"io/fs"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
)

// Baseline is the name of the transparent protocol, to which all others are compared: the same
// programs with nothing around them.
const Baseline = "none"

// Protocol is everything that the tools want to know about one protocol. Name and either Setup or
// Build must be set, the rest may be left out; Validate says what is wrong.
type Protocol struct {
	Name string // as scenarios and commands have it: lower case letters, digits and hyphens
	Doc  string // what it is, on one line, with the key of its paper

	// Errata are the switches that a variant may name ("repaired+H3"); entry e is switch e.
	Errata core.Errata
	// Printed are the forms that papers print, line by line, in code of their own, for the reader
	// who holds the paper beside it; without one, "published" is every error that is printed.
	Printed []Printed
	// Own are those of the errata that are listed with this protocol; nil means all. Others are
	// those of a protocol that it stands on, and listed there.
	Own core.Errata

	// Collectives says that it runs multicasts and reductions itself; for others they are expanded
	// into sends and receives along the tree.
	Collectives bool
	// Straight says that its own collectives go from and to the root, whatever the tree. Kernels
	// are expanded nevertheless: what they send is measured, and compared with other protocols.
	Straight bool
	// Many says that it keeps nothing about pairs of ranks that do not communicate, so that it can
	// be simulated with more ranks than a search has (core.MaxSearched).
	Many bool
	// Dense says what it keeps or sends about all ranks, of one that is not Many: why it is not.
	Dense string
	// Errors says that operations of programs may end in errors (core.Failing); for others programs
	// are run as if nobody looked for any (core.Program.Blind).
	Errors bool
	// Chooses says that a scenario may choose how many failures at a time it survives (tolerates).
	Chooses bool
	// Options reports what is wrong with options of its own in a scenario, e.g. "loggers=next"; nil
	// means that it has none.
	Options func(text string) error
	// OptionDocs are its options in words, for help.
	OptionDocs []Option
	// Policies reports what is wrong with a stack of recovery policies in a scenario, e.g.
	// "light(1) autor"; nil means that it has none to choose from.
	Policies func(text string) error
	// PolicyDocs are its policies in words, for help.
	PolicyDocs []Option
	// Setup prepares the protocol for programs. An error is shown to the user at the line of what
	// was asked for (core.ChoiceError), or of the variant.
	Setup func(Request) (*core.Setup, error)

	// Roles are the kinds of procs of a protocol without programs; Build, in the place of Setup, is
	// given how many there are of each, at least one, and "repaired" or one of the Variants, which
	// are broken on purpose.
	Roles    []string
	Variants []string
	Build    func(counts []int, variant string) (*core.Setup, error)

	Shapes *Shapes // random scenarios for it; nil: none are drawn
	// Properties are its own, beside those of the house: runs of this protocol are judged by both.
	Properties []spec.Property
	// Mutants are ways to break it, in the text form of checker/mutate; "" means none but the
	// errata.
	Mutants string
	// Scenarios holds files *.txtar, in any folder, beside those of the house; nil means none.
	Scenarios fs.FS
	// House says that it is one of impl/protocol/all, which the scenarios of the house are about; a
	// protocol of somebody else may have the same name.
	House bool
	Perf  Perf
	// Claims are what its paper says of it and of others, for domino list claims; Tables are what
	// it prints, beside ours, for domino tables.
	Claims []Claim
	Tables []Table
	// Experiments are what it measures on an emulated machine, for domino experiments.
	Experiments []Experiment
}

// Claim is a row of a table in a paper, about one system: what the paper says, not a finding.
type Claim struct{ Name, Doc, Source string }

// Table is something that a paper prints in numbers, made again.
type Table struct {
	Name string // as domino tables takes it
	Doc  string // one line
	// Parts print one table each: a line with its title, one with the heads of its columns, then
	// one a row; every cell ends with a tab.
	Parts []func(io.Writer) error
	Notes string // what a reader should know, behind all parts
}

// With is the protocol and more tables, of packages that need it.
func (p Protocol) With(tables ...Table) Protocol {
	p.Tables = slices.Concat(p.Tables, tables)
	return p
}

// Printed is a protocol as one paper prints it, in the most charitable reading.
type Printed struct {
	Variant string // "published", or "published-" and a word where there are several papers
	Paper   string // what it is the text of, e.g. "[HydEE] Alg. 1 to 4"
	// Setup is like that of the protocol, and has no errata to be switched on.
	Setup func(Request) (*core.Setup, error)
}

// PrintedAs is the protocol and more forms of it, of packages that build on the repaired one.
func (p Protocol) PrintedAs(forms ...Printed) Protocol {
	p.Printed = slices.Concat(p.Printed, forms)
	return p
}

// form is the printed form that is this variant; nil means that none is.
func (p *Protocol) form(variant string) *Printed {
	i := slices.IndexFunc(p.Printed, func(f Printed) bool { return f.Variant == variant })
	if i < 0 {
		return nil
	}
	return &p.Printed[i]
}

// Request is what a scenario asks of a protocol with programs.
type Request struct {
	Layout    core.Layout
	Programs  []core.Program
	Variant   string        // as Switches takes it; "" is "repaired", with Errata
	Errata    core.Switches // that are switched on; none is the repaired protocol
	Options   string        // of its own, accepted by Options
	Policies  string        // accepted by Policies; "" is its default
	Unordered bool          // the network does not keep the order of channels
	Tolerates *int          // failures at a time that it is to survive; nil where nothing is said
}

// Survive is how many failures at a time the protocol is to survive, otherwise where the scenario
// does not say.
func (r *Request) Survive(otherwise int) int {
	if r.Tolerates == nil {
		return otherwise
	}
	return *r.Tolerates
}

// Perf is how a protocol is measured and drawn.
type Perf struct {
	// Colour is its place in the palette of charts, from 1, so that it has the same in all figures;
	// 0 is one that is free. Pale is the pale form, of a protocol over another one.
	Colour int
	Pale   bool
	// Clustered says whether clusters of ranks make a difference with the options; nil means never.
	Clustered func(options string) bool
	// Pairs are the layouts in which messages between two ranks are measured; nil means one, with
	// the name of the protocol and each rank in a cluster of its own.
	Pairs []Pair
	Usual bool // its pairs are measured where nobody says what is to be measured
}

// Pair is one layout for messages between two ranks.
type Pair struct {
	Name     string // e.g. "hydee-1"
	Together bool   // in one cluster
}

// Layouts are the pairs, or the one that a protocol without has.
func (p *Protocol) Layouts() []Pair {
	if len(p.Perf.Pairs) == 0 {
		return []Pair{{Name: p.Name}}
	}
	return p.Perf.Pairs
}

// Listed are the errata that are shown with this protocol, in order.
func (p *Protocol) Listed() []core.Erratum {
	if p.Own != nil {
		return p.Own.List()
	}
	return p.Errata.List()
}
