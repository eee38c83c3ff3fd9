package app

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/performability"
)

// mappingAnswer is where loggers are to run.
type mappingAnswer struct {
	Ranks       int     `json:"ranks"`
	Utilisation float64 `json:"utilisation"` // share of the time in which a rank computes
	Messages    float64 `json:"messages"`    // of a rank that are logged, a second
	Bytes       float64 `json:"bytes"`       // in them
	CPU         float64 `json:"cpu"`         // of a message, seconds

	Load       float64      `json:"load"`       // share of a core that the logger of one rank needs
	Placements []mappingRow `json:"placements"` // the one that is recommended, and the others
	Chosen     string       `json:"chosen"`
	Reason     string       `json:"reason"`
}

// mappingRow is a placement of loggers.
type mappingRow struct {
	Placement string   `json:"placement"` // os, affinity, cores or nodes
	Nodes     int      `json:"nodes"`     // that the program and its loggers take
	Ranks     int      `json:"ranks"`     // on the fullest
	Reserved  int      `json:"reserved"`  // cores of a node, or nodes, that only loggers have
	Busy      float64  `json:"busy"`      // share of the time in which a core of theirs logs
	Slowdown  *float64 `json:"slowdown"`  // null: it is impossible
	Why       string   `json:"why"`
}

// runMapping asks where loggers are to run.
func runMapping(_ context.Context, args []string, std streams) (int, error) {
	f := flags("performability mapping", "", std,
		"performability mapping --cores 8 --ranks 56 --utilisation 0.85 --messages 4000 "+
			"--per-message 30us --step 1ms",
		"performability mapping --cores 8 --ranks 64 --nodes 8 --utilisation 0.6 --messages 500 "+
			"--bytes 33e6 --per-message 10us --per-byte 0.3ns --cost nodes --json",
		"performability mapping --cores 8 --ranks 64 --measured perf.json --kernel lu")
	var l performability.Logging
	file := f.String("measured", "", "take rates, CPU and utilisation from this answer of cluster "+
		"perf --json, but what other flags say")
	kernel := f.String("kernel", "", "of it (default: the only one)")
	logging := f.String("logging", "", "protocol of it (default: the only one beside none)")
	f.IntVar(&l.Cores, "cores", 0, "cores of a node")
	f.IntVar(&l.Ranks, "ranks", 0, "ranks of the program")
	f.IntVar(&l.Nodes, "nodes", 0, "nodes that it has; 0: as few as each mapping needs")
	f.Float64Var(&l.Utilisation, "utilisation", 1, "share of the time in which a rank computes")
	f.Float64Var(&l.Messages, "messages", 0, "messages of a rank that are logged, a second")
	f.Float64Var(&l.Bytes, "bytes", 0, "bytes in them")
	perMessage := timeFlag(f, "per-message", "CPU that a logger needs for a message")
	perByte := timeFlag(f, "per-byte", "and for a byte of it")
	moved := timeFlag(f, "moved", "and more for a message if the OS chooses the core")
	step := timeFlag(f, "step", "time after which ranks wait for the slowest; 0: they never do")
	f.IntVar(&l.Reserved, "reserved", 0, "cores of a node for loggers alone; 0: as few as keep up")
	cost := f.String("cost", "time", "what is to be least: time, or nodes for their time")
	asJSON := f.Bool("json", false, "print JSON")
	err := parseAll(f, args)
	if err == nil && *file != "" {
		err = wanted(f, "cores")
	} else if err == nil {
		err = wanted(f, "cores", "ranks", "messages", "per-message")
	}
	if err != nil {
		return 0, err
	}
	if *cost != "time" && *cost != "nodes" {
		return 0, fmt.Errorf("--cost %s: want time or nodes", *cost)
	}
	l.PerMessage, l.PerByte, l.Moved, l.Step = *perMessage, *perByte, *moved, *step
	notes := []string{"os: on an idle core, or else on any; affinity: each on the core of one " +
		"rank; cores and nodes: of their own",
		"what a logger takes of the network is as long in all of them, and is not counted"}
	if *file != "" {
		found, note, err := measuredLogging(*file, *kernel, *logging)
		if err != nil {
			return 0, err
		}
		unlessSet(f, &l, &found)
		notes = append(notes, note)
	}
	mapping, err := l.Recommend(*cost == "nodes")
	if err != nil {
		return 0, err
	}
	answer := performed{versioned: as("performability"), About: "mapping", Notes: notes,
		Mapping: mappingAnswerOf(&l, &mapping)}
	if *asJSON {
		return 0, printJSON(std.out, answer)
	}
	return 0, printMapping(std.out, &answer)
}

// unlessSet takes what was measured, but what flags say.
func unlessSet(f *pflag.FlagSet, l, measured *performability.Logging) {
	for name, field := range map[string][2]*float64{
		"utilisation": {&l.Utilisation, &measured.Utilisation},
		"messages":    {&l.Messages, &measured.Messages},
		"bytes":       {&l.Bytes, &measured.Bytes},
		"per-message": {&l.PerMessage, &measured.PerMessage},
	} {
		if !f.Changed(name) {
			*field[0] = *field[1]
		}
	}
	if !f.Changed("ranks") {
		l.Ranks = measured.Ranks
	}
}

// mappingAnswerOf is a recommendation as JSON.
func mappingAnswerOf(l *performability.Logging, m *performability.Mapping) *mappingAnswer {
	a := &mappingAnswer{Ranks: l.Ranks, Utilisation: l.Utilisation, Messages: l.Messages,
		Bytes: l.Bytes, CPU: l.CPU(), Load: l.Load(), Chosen: string(m.Chosen), Reason: m.Reason}
	for _, p := range m.All {
		row := mappingRow{string(p.Placement), p.Nodes, p.Ranks, p.Reserved, p.Busy, nil, p.Why}
		if p.Slowdown > 0 {
			row.Slowdown = &p.Slowdown
		}
		a.Placements = append(a.Placements, row)
	}
	return a
}

// printMapping prints the answer as a table.
func printMapping(out io.Writer, a *performed) error {
	m := a.Mapping
	fmt.Fprintf(out, "%d ranks compute %.3g of the time; each has %.4g messages and %.4g bytes a "+
		"second logged\na message takes %s, so the logger of a rank needs %.4g of a core\n\n",
		m.Ranks, m.Utilisation, m.Messages, m.Bytes, lasting(m.CPU), m.Load)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "mapping\tnodes\tranks a node\treserved\tbusy\ttime\twhy")
	for _, r := range a.Mapping.Placements {
		if r.Slowdown == nil {
			fmt.Fprintf(w, "%s\t%d\t\t\t\timpossible\t%s\n", r.Placement, r.Nodes, r.Why)
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f %%\t%.4f\t%s\n", r.Placement, r.Nodes, r.Ranks,
			r.Reserved, 100*r.Busy, *r.Slowdown, r.Why)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "\nrecommended: %s\n", a.Mapping.Reason); err != nil {
		return err
	}
	return printNotes(out, a.Notes)
}
