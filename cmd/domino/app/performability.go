package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/performability"
	"github.com/domino-check/domino/spec"
)

// performabilityCommands are the subcommands of performability.
func performabilityCommands() []command {
	return []command{
		{"cores", "", "how many cores keep an SPMD program efficient under message logging",
			"at once", runCores},
		{"interval", "", "how often to write a checkpoint, by protocol and rate of failures",
			"at once", runInterval},
		{"spares", "", "how many spare nodes keep a program running", "at once", runSpares},
		{"mapping", "", "where loggers are to run: on idle cores, those of ranks, or own ones",
			"at once", runMapping},
		{"paper", "", "the tables of the thesis, computed again", "at once", runPerformed},
	}
}

// runPerformability executes a subcommand of performability.
func runPerformability(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" || args[0] == "help" {
		fmt.Fprintf(std.out, "Usage: %s performability COMMAND [flags]\n\n", self())
		for _, c := range performabilityCommands() {
			fmt.Fprintf(std.out, "  %-9s %s (%s)\n", c.name, c.doc, c.takes)
		}
		fmt.Fprint(std.out, "\nIt computes, and proves nothing: of a model, with numbers of "+
			"yours. Times have units, from ns to y.\n\nExamples:\n",
			"  domino performability cores --side 1000 --tile 22.1ns --edge 24.9ns "+
				"--comm 3.79us --efficiency 0.75\n",
			"  domino performability interval --work 10d --checkpoint 15m --restart 15m "+
				"--mtbf 1d,6h --draw 1000\n",
			"  domino performability spares --nodes 32 --mttf 1y --mttr 2d --most 4\n",
			"  domino performability mapping --cores 8 --ranks 56 --utilisation 0.85 "+
				"--messages 4000 --per-message 30us --step 1ms\n",
			"  domino performability paper\n")
		if len(args) == 0 {
			return exitUsage, nil
		}
		return 0, nil
	}
	return dispatchAmong(ctx, "performability ", performabilityCommands(), args, std), nil
}

// performed is what the model says, as JSON; a command fills the part that it is about.
type performed struct {
	versioned
	About     string          `json:"about"` // the command: cores, interval, spares, mapping or paper
	Cores     *coresAnswer    `json:"cores,omitempty"`
	Intervals []intervalRow   `json:"intervals,omitempty"`
	Spares    []sparesRow     `json:"spares,omitempty"`
	Mapping   *mappingAnswer  `json:"mapping,omitempty"`
	Paper     []publishedCell `json:"paper,omitempty"`
	Notes     []string        `json:"notes"` // what a reader should know
	// a signal came before all rows of intervals or spares were known
	Interrupted bool `json:"interrupted,omitempty"`
}

// knownRows computes the rows of an answer one by one, until a signal comes: what is known then is
// an answer, too, and says that there is more. Without a row the error is errInterrupted.
func knownRows[T any](ctx context.Context, a *performed, rows []func() (T, error)) (known []T,
	code int, err error) {
	for _, row := range rows {
		one, err := heard(ctx, row)
		switch {
		case errors.Is(err, errInterrupted) && known != nil:
			a.Interrupted = true
			a.Notes = append(a.Notes, fmt.Sprintf("interrupted: %d of %d rows", len(known),
				len(rows)))
			return known, exitCode(spec.Unknown), nil
		case err != nil:
			return nil, 0, err
		}
		known = append(known, one)
	}
	return known, 0, nil
}

// coresAnswer is how many cores keep the efficiency asked for, and what others do.
type coresAnswer struct {
	Lambda float64   `json:"lambda"` // tiles that are computed while one is sent
	K      float64   `json:"k"`      // tiles a side of the supertile that the efficiency asks for
	Exact  float64   `json:"exact"`  // cores before rounding down
	Cores  int       `json:"cores"`
	Fits   bool      `json:"fits"` // the machine has as many as the model asks for
	Runs   []coreRun `json:"runs"` // on the cores found, and on those asked for
}

// coreRun is the program on some cores; times in seconds.
type coreRun struct {
	Logging    bool    `json:"logging"`
	Cores      int     `json:"cores"`
	K          float64 `json:"k"`
	Edge       float64 `json:"edge"`
	Internal   float64 `json:"internal"`
	Comm       float64 `json:"communication"`
	Iteration  float64 `json:"iteration"`
	Total      float64 `json:"total"`      // of all iterations
	Efficiency float64 `json:"efficiency"` // share of the time in which cores compute
	Serial     float64 `json:"serial"`     // against one core without logging
	Speedup    float64 `json:"speedup"`    // against one core without logging
	// the same with whole tiles, and cores that wait for their neighbours; null where that is not
	// possible
	Simulated *coreSimulated `json:"simulated"`
}

// coreSimulated is a program whose cores were followed one by one; times in seconds.
type coreSimulated struct {
	Layout     []int   `json:"layout"`  // cores along each dimension
	Largest    int     `json:"largest"` // tiles of the largest supertile
	Iteration  float64 `json:"iteration"`
	Efficiency float64 `json:"efficiency"`
	Serial     float64 `json:"serial"`
	Speedup    float64 `json:"speedup"`
}

// coreRunOf is a run of the model as JSON, with the simulation where there is one.
func coreRunOf(p *performability.Program, cores int, logging bool) (coreRun, error) {
	r, err := p.On(cores)
	if err != nil {
		return coreRun{}, err
	}
	run := coreRun{logging, r.Cores, r.K, r.Edge, r.Internal, r.Comm, r.Iteration(), r.Total,
		r.Efficiency, r.Serial, r.Speedup, nil}
	if s, err := p.Simulate(cores); err == nil { // too many cores, or parts of tiles
		run.Simulated = &coreSimulated{s.Layout, s.Largest, s.Iteration, s.Efficiency, s.Serial,
			s.Speedup}
	}
	return run, nil
}

// timeFlag adds a flag that is a time.
func timeFlag(f *pflag.FlagSet, name, what string) *float64 {
	s := new(float64)
	f.Var((*elapsing)(s), name, what)
	return s
}

// runCores asks the model for a number of cores.
func runCores(_ context.Context, args []string, std streams) (int, error) {
	f := flags("performability cores", "", std,
		"performability cores --side 1000 --tile 22.1ns --edge 24.9ns --comm 3.79us",
		"performability cores --side 1000 --tile 22.1ns --edge 24.9ns --comm 3.79us "+
			"--log-tile 5.08ns --log-edge 6.63ns --log-comm 3.36us --cores 16,24,56",
		"performability cores --side 1400 --tile 17.2ns --comm 3.79us --efficiency 0.85 "+
			"--nodes 8 --cores-per-node 8 --reserved 1 --json")
	var p performability.Program
	f.Float64Var(&p.Side, "side", 0, "tiles a side of the domain")
	f.IntVar(&p.Dim, "dim", 2, "dimensions of the domain, 1 to 3")
	f.IntVar(&p.Iterations, "iterations", 1, "iterations of the program")
	tile := timeFlag(f, "tile", "time to compute a tile")
	edge := timeFlag(f, "edge", "time to compute one at the edge with packing (default: as --tile)")
	comm := timeFlag(f, "comm", "time to send one over the slowest link")
	logTile := timeFlag(f, "log-tile", "what logging adds to a tile")
	logEdge := timeFlag(f, "log-edge", "what logging adds to one at the edge")
	logComm := timeFlag(f, "log-comm", "what logging adds to sending one")
	efficiency := f.Float64("efficiency", 0.75, "share of the time in which cores compute")
	others := f.IntSlice("cores", nil, "also on so many cores")
	var m performability.Machine
	f.IntVar(&m.Nodes, "nodes", 0, "nodes there are; 0: as many as are wanted")
	f.IntVar(&m.CoresPerNode, "cores-per-node", 0, "cores of a node")
	f.IntVar(&m.ReservedPerNode, "reserved", 0, "cores of a node that loggers have for themselves")
	asJSON := f.Bool("json", false, "print JSON, times in seconds")
	if err := parseAll(f, args); err != nil {
		return 0, err
	}
	if err := wanted(f, "side", "tile", "comm"); err != nil {
		return 0, err
	}
	if !f.Changed("edge") {
		*edge = *tile
	}
	p.Times = performability.Times{Tile: *tile, Edge: *edge, LogTile: *logTile, LogEdge: *logEdge,
		Links: []performability.Link{{Tile: *comm, Log: *logComm}}}
	plan, err := performability.Solve(p, *efficiency, m)
	if err != nil {
		return 0, err
	}
	answer := performed{versioned: as("performability"), About: "cores",
		Notes: append([]string{}, plan.Notes...),
		Cores: &coresAnswer{plan.Lambda, plan.Ideal, plan.Exact, plan.Cores, plan.Fits, nil}}
	if answer.Cores.Runs, err = coreRuns(p, append([]int{plan.Cores}, *others...)); err != nil {
		return 0, err
	}
	if *asJSON {
		return 0, printJSON(std.out, answer)
	}
	return 0, printCores(std.out, &plan, *efficiency, &answer)
}

// parseAll parses flags of a command that takes no arguments.
func parseAll(f *pflag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("want no argument, got %q; --help has examples", f.Arg(0))
	}
	return nil
}

// wanted reports the first flag that was not given and has no default.
func wanted(f *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if !f.Changed(name) {
			return fmt.Errorf("want --%s, %s", name, f.Lookup(name).Usage)
		}
	}
	return nil
}

// coreRuns is the program on some cores, with logging if that costs anything, and without.
func coreRuns(p performability.Program, cores []int) (runs []coreRun, err error) {
	plain := p
	plain.LogTile, plain.LogEdge = 0, 0
	plain.Links = []performability.Link{{Tile: p.Links[0].Tile}}
	logging := p.LogTile > 0 || p.LogEdge > 0 || p.Links[0].Log > 0
	for _, n := range cores {
		for i, program := range []*performability.Program{&plain, &p} {
			if i > 0 && !logging {
				break
			}
			run, err := coreRunOf(program, n, i > 0)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// printCores prints the answer as a table.
func printCores(out io.Writer, plan *performability.Plan, efficiency float64, a *performed) error {
	fmt.Fprintf(out, "lambda %.4g: supertiles of %.2f tiles a side keep %.4g %%, on %.2f cores: "+
		"%d\n\n", plan.Lambda, plan.Ideal, 100*efficiency, plan.Exact, plan.Cores)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "cores\tlogging\tK\tedge\tinternal\tcommunication\titeration\tall\tefficiency\t"+
		"of one core's\tspeed-up\t")
	for _, r := range a.Cores.Runs {
		fmt.Fprintf(w, "%d\t%s\t%.2f\t%s\t%s\t%s\t%s\t%s\t%.1f %%\t%.1f %%\t%.2f\t\n", r.Cores,
			yesNo(r.Logging), r.K, lasting(r.Edge), lasting(r.Internal), lasting(r.Comm),
			lasting(r.Iteration), lasting(r.Total), 100*r.Efficiency, 100*r.Serial, r.Speedup)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := printSimulated(out, a.Cores.Runs); err != nil {
		return err
	}
	return printNotes(out, append(a.Notes, "efficiency: share of the time in which cores compute; "+
		"of one core's: what the cores do against as many times one without logging; simulated: "+
		"whole tiles, on a grid of cores that wait for their neighbours"))
}

// printSimulated prints the runs that were simulated, if there are any.
func printSimulated(out io.Writer, runs []coreRun) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\ncores\tlogging\tsimulated as\tmost tiles\titeration\tefficiency\t"+
		"of one core's\tspeed-up\t\n")
	some := false
	for _, r := range runs {
		s := r.Simulated
		if s == nil {
			continue
		}
		some = true
		var sides []string
		for _, n := range s.Layout {
			sides = append(sides, strconv.Itoa(n))
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%.1f %%\t%.1f %%\t%.2f\t\n", r.Cores,
			yesNo(r.Logging), strings.Join(sides, "x"), s.Largest, lasting(s.Iteration),
			100*s.Efficiency, 100*s.Serial, s.Speedup)
	}
	if !some {
		return nil
	}
	return w.Flush()
}

// printNotes prints a paragraph for each.
func printNotes(out io.Writer, notes []string) error {
	_, err := fmt.Fprintln(out, "\n"+strings.Join(notes, "\n"))
	return err
}
