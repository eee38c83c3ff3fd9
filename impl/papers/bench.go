package papers

import (
	"context"
	"errors"
	"fmt"

	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/census"
	"github.com/domino-check/domino/impl/runtime/compare"
	"github.com/domino-check/domino/impl/traffic"
)

// ErrAbsent says that a command has not the protocol or scenario that a claim is about.
var ErrAbsent = errors.New("this command has not what it is about")

// Answer is what a search has said of a scenario.
type Answer struct {
	Verdict    string // holds, violated or unknown
	AsExpected bool   // by the scenario
	Property   string // that is broken
	Bounds     string // within which the verdict holds
	Steps      int    // of the run that breaks it
	Command    string // that repeats it
}

// Shown is an erratum that a search has looked at: the protocol as printed, and repaired.
type Shown struct {
	ID, Scenario     string
	Quote            string // of the paper
	Class            string // printed, reading, silence or extension
	OtherReading     bool   // of the paper, by which there is no error
	Broken, Repaired Answer
	Confirmed        bool
}

// End is the last state of a run in which nothing fails.
type End struct {
	Messages map[string]uint64 // the phase of each message that was delivered, by name
	Procs    map[string]uint64 // the phase of each process, by name
}

// Bench is what makers work with. What it makes once it keeps.
type Bench struct {
	// Check explores a scenario in a variant ("" = its own); Errata looks at the errata of a
	// protocol by their IDs. Both come from whoever knows how to explore.
	Check  func(ctx context.Context, scenario, variant string) (*Answer, error)
	Errata func(ctx context.Context, protocol string, ids ...string) ([]Shown, error)
	// Ends are the ends of all schedules of a scenario without failures, of a protocol with phases.
	Ends func(ctx context.Context, scenario string) ([]End, error)
	// Experiment carries out an experiment on an emulated machine, by its name.
	Experiment func(ctx context.Context, name string) (*protocol.Findings, error)
	// Run runs a program once under a protocol, without failures, with acknowledgements of
	// determinants at once or as late as can be.
	Run func(ctx context.Context, protocol, program string, late bool) (*census.Counts, error)

	// Perf measures kernels under protocols, Netpipe messages between two processes, Compare a row
	// of the tables of [HydEE-fr] in modelled time.
	Perf    func(context.Context, PerfPlan) (*Timings, error)
	Netpipe func(context.Context, NetpipePlan) (*Timings, error)
	Compare func(context.Context, compare.Row) (*compare.Study, error)
	// Model runs a kernel in modelled time, in less than a second.
	Model func(context.Context, ModelPlan) (*Model, error)
	// Stages runs a recovery of RADIC in modelled time, in less than a second.
	Stages func(context.Context, StagesPlan) (*Stages, error)
	// Measures and Simulates: also make what takes processes, or minutes of modelled time.
	Measures, Simulates bool
	// Earlier are values that are not quick, of other runs, for claims of which this bench makes
	// none of them.
	Earlier map[*Claim][]Got

	graphs  map[string]*traffic.Graph
	timed   map[string]*Timings // by plan
	models  map[ModelPlan]*Model
	plans   map[string]*clustering.Plan // by bisection, by kernel
	found   map[string]*protocol.Findings
	volumes map[[2]int][2]script.Volume // of LeanMD, by cells each way and ranks
	leans   map[bool][2]*census.Counts  // of LeanMD over SCMEL and CAMEL, by Run's late
}

// Traffic is what a kernel sends, by a line such as "cg class=D ranks=1024".
func (b *Bench) Traffic(ctx context.Context, kernel string) (*traffic.Graph, error) {
	if g := b.graphs[kernel]; g != nil {
		return g, nil
	}
	g, err := traffic.Kernel(kernel, ctx.Err)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kernel, err)
	}
	if b.graphs == nil {
		b.graphs = map[string]*traffic.Graph{}
	}
	b.graphs[kernel] = g
	return g, nil
}

// findings are those of an experiment.
func (b *Bench) findings(ctx context.Context, name string) (*protocol.Findings, error) {
	if f := b.found[name]; f != nil {
		return f, nil
	}
	if b.Experiment == nil {
		return nil, fmt.Errorf("experiment %s: %w", name, ErrAbsent)
	}
	f, err := b.Experiment(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", name, err)
	}
	if b.found == nil {
		b.found = map[string]*protocol.Findings{}
	}
	b.found[name] = f
	return f, nil
}

// Lasting reports whether a value of a claim is one that is not quick, so that one of an earlier
// run may stand for it.
func (c *Claim) Lasting(v *Value) bool {
	m := c.method(v)
	return m != None && !m.Quick()
}

// Wants reports whether the bench makes what is not quick of a claim.
func (b *Bench) Wants(c *Claim) bool {
	if c.Long == nil {
		return false
	}
	simulated := c.Method == Simulated
	for i := range c.Values {
		simulated = simulated || c.Values[i].Method == Simulated
	}
	if simulated {
		return b.Simulates
	}
	return b.Measures
}

// Make makes of a claim what the bench makes, and judges it. The error is that of the context.
func (b *Bench) Make(ctx context.Context, c *Claim) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var got []Got
	var err error
	if c.Make != nil && c.quick() {
		got, err = c.Make(ctx, b)
	}
	if err == nil && b.Wants(c) {
		var more []Got
		more, err = c.Long(ctx, b)
		got = append(got, more...)
	} else if err == nil {
		got = append(got, b.Earlier[c]...)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, ErrAbsent) {
		return c.absent(err), nil
	}
	return Judge(c, got, err), nil
}

// quick reports whether some value of a claim takes no process and no clock.
func (c *Claim) quick() bool {
	quick := len(c.Values) == 0 && c.Method.Quick()
	for i := range c.Values {
		quick = quick || c.method(&c.Values[i]).Quick()
	}
	return quick
}

// absent is a claim about what this command has not.
func (c *Claim) absent(why error) *Result {
	var got []Got
	for _, v := range c.Values {
		got = append(got, Got{Row: v.Row, Name: v.Name, Status: NotHere, Why: why.Error()})
	}
	return Judge(c, got, nil)
}
