// Package volume counts what SCMEL and CAMEL log, number and carry, beside the figures that [CAMEL]
// publishes: in closed form over the trees of generated workloads, and in runs of the real
// machines.
package volume

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/runtime/census"
)

//go:embed notes.txt
var notes string

// Table has all of it.
var Table = protocol.Table{Name: "volume",
	Doc: "what SCMEL and CAMEL log and carry: published, in closed form, and counted in runs",
	Parts: []func(io.Writer) error{printPublished, printLeanMD, printOpenAtom, printParts,
		printRuns, printTolerance},
	Notes: notes,
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// printPublished prints [CAMEL] Table 3 beside the closed form for its groups: 50 receivers, three
// of them children of the root, 0.6 % of the bytes from process to process, the rest halved between
// multicasts and reductions.
func printPublished(w io.Writer) error {
	const receivers, top, direct = 50.0, 3.0, 0.006
	share := (1 - direct) / 2
	saved := 1 - (direct + share/receivers + share*top/receivers)
	fmt.Fprint(w,
		"LeanMD as published ([CAMEL] Table 3, Fig. 5), and the closed form for its groups\n"+
			"cores\tmessages\tSCMEL log\tCAMEL log\tsaved\tclosed form\twith seeds\tSCMEL "+
			"dets\tCAMEL dets\tshare\tclosed form\tpiggybacked\t\n")
	const dets = (1 + top/receivers) / 2 // of messages, and of deliveries inside a process
	for _, r := range publishedTable() {
		fmt.Fprintf(w, "%s\t%.2fM\t%.1f GB\t%.1f GB\t%s\t%s\t%s\t%.1fM\t%.1fM\t%s\t%s\t%s\t\n",
			strings.ReplaceAll(r.cores, ",", ""), r.messages, r.plainLog, r.awareLog,
			percent(1-r.awareLog/r.plainLog), percent(saved), percent(saved-share*top/receivers),
			r.plainDets, r.awareDets, percent(r.awareDets/r.plainDets), percent(dets),
			percent(r.awareCarry/r.plainCarry))
	}
	return nil
}

// printLeanMD counts generated workloads, tree by tree.
func printLeanMD(w io.Writer) error {
	fmt.Fprint(w, "\nLeanMD-like, counted over all trees of one step\n"+
		"cells\treach\tranks\tmean group\tmessages\tSCMEL log\tper node\tCAMEL log\tsaved\twith "+
		"seeds\tdeterminants\t\n")
	for _, c := range []struct {
		cells               [3]int
		reach, ranks, arity int
	}{{[3]int{4, 4, 4}, 1, 64, 2}, {[3]int{5, 5, 5}, 2, 64, 3}, {[3]int{8, 8, 8}, 1, 1024, 2},
		{[3]int{8, 8, 8}, 2, 1024, 3},
		{[3]int{16, 16, 16}, 1, 16384, 2}, {[3]int{10, 10, 10}, 2, 16384, 3}} {
		l, err := script.LeanMD(c.cells, c.reach, c.ranks, c.arity)
		if err != nil {
			return err
		}
		members := 0
		for _, g := range l.Groups {
			members += len(g.Ranks)
		}
		plain, node, aware := l.Plain(false), l.Plain(true), l.Aware()
		fmt.Fprintf(w, "%dx%dx%d\t%d\t%d\t%.1f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.cells[0],
			c.cells[1], c.cells[2], c.reach, c.ranks,
			float64(members)/float64(len(l.Groups)), count(plain.Messages), count(plain.Logged),
			count(node.Logged), count(aware.Logged),
			percent(1-aware.LoggedSize/plain.LoggedSize),
			percent(1-(aware.LoggedSize+aware.SeedSize)/plain.LoggedSize),
			percent(float64(aware.Determinants)/float64(plain.Determinants)))
	}
	return nil
}

// printOpenAtom counts the sweep of row sizes.
func printOpenAtom(w io.Writer) error {
	fmt.Fprint(w,
		"\nOpenAtom-like, counted; saved as published in [CAMEL] Fig. 6 for a small and a "+
			"moderate problem\n"+
			"row\tdirect\tsaved\twith seeds\tcores\tsmall\tmoderate\t\n")
	for _, c := range []struct {
		m      int
		direct float64
		cores  string
	}{{4, .55, "256"}, {5, .45, "1K"}, {7, .32, "4K"}, {13, .25, "16K"}} {
		o, err := script.OpenAtom(32, c.m, 2, c.direct)
		if err != nil {
			return err
		}
		plain, aware := o.Plain(false), o.Aware()
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.m, percent(c.direct),
			percent(1-aware.LoggedSize/plain.LoggedSize),
			percent(1-(aware.LoggedSize+aware.SeedSize)/plain.LoggedSize), c.cores,
			publishedSaved("fig-6a", c.cores), publishedSaved("fig-6b", c.cores))
	}
	return nil
}

// printParts prints where the log comes from.
func printParts(w io.Writer) error {
	lean, err := script.LeanMD([3]int{5, 5, 5}, 2, 64, 3)
	if err != nil {
		return err
	}
	atom, err := script.OpenAtom(32, 7, 2, .32)
	if err != nil {
		return err
	}
	fmt.Fprint(w,
		"\nParts of the log, relative to that of SCMEL: counted, and as published in [CAMEL] "+
			"Fig. 5 and Fig. 6 for 4K cores\n"+
			"workload\tprotocol\tmulticasts\tpublished\treductions\tpublished\tdirect\tpublished\t\n")
	for _, c := range []struct {
		name string
		load *script.Workload
	}{{"leanmd", lean}, {"openatom", atom}} {
		whole := c.load.Plain(false)
		for i, v := range []script.Volume{whole, c.load.Aware()} {
			protocol := []string{"SCMEL", "CAMEL"}[i]
			fmt.Fprintf(w, "%s\t%s", c.name, protocol)
			for k, part := range []float64{v.Multicasts, v.Reductions, v.Direct} {
				kind := []string{"multicast", "reduction", "point-to-point"}[k]
				fmt.Fprintf(w, "\t%s\t%s", percent(part/whole.LoggedSize),
					publishedPart(c.name, kind, protocol))
			}
			fmt.Fprint(w, "\t\n")
		}
	}
	return nil
}

// printRuns runs both protocols on small workloads and counts what crosses the boundary of their
// machines.
func printRuns(w io.Writer) error {
	lean, err := script.LeanMD([3]int{4, 4, 2}, 1, 32, 2)
	if err != nil {
		return err
	}
	atom, err := script.OpenAtom(8, 4, 2, .55)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "\nRun: 32 ranks, three steps, by the machines of both protocols\n"+
		"workload\tacknowledged\tprotocol\tmessages\tcontrol\tlog\tseeds\tdeterminants\tpiggybacked\tshare\t\n")
	for _, c := range []struct {
		name string
		load *script.Workload
	}{{"leanmd", lean}, {"openatom", atom}} {
		plain, aware, err := volumeSetups(c.load)
		if err != nil {
			return err
		}
		for _, late := range []bool{false, true} {
			p, err := census.Count(plain, 1, late)
			if err != nil {
				return err
			}
			a, err := census.Count(aware, 1, late)
			if err != nil {
				return err
			}
			words := map[bool]string{false: "at once", true: "late"}
			row := func(protocol string, n census.Counts, share string) {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", c.name, words[late],
					protocol, n.Messages, n.Control, n.Copies+n.Parts,
					n.Seeds, n.Determinants, n.Piggybacked, share)
			}
			row("SCMEL", p, "")
			row("CAMEL", a, percent(float64(a.Piggybacked)/float64(p.Piggybacked)))
		}
	}
	return nil
}

// printTolerance prints what it costs to survive more failures at a time.
func printTolerance(w io.Writer) error {
	lean, err := script.LeanMD([3]int{3, 3, 1}, 1, 9, 2)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "\nRun: leanmd on 9 ranks, three steps, SCMEL for f failures at a time\n"+
		"f\tmessages\tat once: piggybacked\ta message\tlate: piggybacked\ta message\t\n")
	suite, err := script.Read(lean.Program(3), 1)
	if err != nil {
		return err
	}
	programs, err := script.Expand(suite)
	if err != nil {
		return err
	}
	for failures := range 5 {
		setup, err := causal.NewSetup(core.Layout{Names: suite.Names, Ranks: len(suite.Names)},
			programs, causal.Options{F: failures})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d\t", failures)
		for _, late := range []bool{false, true} {
			n, err := census.Count(setup, 1, late)
			if err != nil {
				return err
			}
			if !late {
				fmt.Fprintf(w, "%d\t", n.Messages)
			}
			fmt.Fprintf(w, "%d\t%.1f\t", n.Piggybacked, float64(n.Piggybacked)/float64(n.Messages))
		}
		fmt.Fprint(w, "\n")
	}
	return nil
}

// volumeSetups makes SCMEL with the collectives expanded, and CAMEL.
func volumeSetups(l *script.Workload) (plain, aware *core.Setup, err error) {
	suite, err := script.Read(l.Program(3), 1)
	if err != nil {
		return nil, nil, err
	}
	expanded, err := script.Expand(suite)
	if err != nil {
		return nil, nil, err
	}
	layout := core.Layout{Names: suite.Names, Ranks: len(suite.Names)}
	if plain, err = causal.NewSetup(layout, expanded, causal.Options{F: 1}); err != nil {
		return nil, nil, err
	}
	layout.Trees = suite.Trees
	aware, err = camel.NewSetup(layout, suite.Programs, causal.Options{F: 1})
	return plain, aware, err
}

// count is a number with commas.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
