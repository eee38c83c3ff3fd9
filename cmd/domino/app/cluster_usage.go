package app

import (
	"fmt"
	"io"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// printUsage says what runs where, and what a process uses when nobody has anything to do any more.
func printUsage(w io.Writer, l *trace.Layout, res *cluster.Result) {
	const named = 16
	for _, p := range res.Placement {
		text := l.NamesOf(p.Procs[:min(len(p.Procs), named)])
		if n := len(p.Procs) - named; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "host %s: %s\n", p.Host, text)
	}
	if res.Strangers > 0 {
		fmt.Fprintf(w, "%d connections of strangers were refused\n", res.Strangers)
	}
	var sum, most cluster.Usage
	n := 0
	for _, c := range res.Counts {
		u := c.Usage
		if u.Descriptors == 0 {
			continue
		}
		n++
		sum.Resident, sum.Proportional = sum.Resident+u.Resident, sum.Proportional+u.Proportional
		sum.Connections, sum.Descriptors = sum.Connections+u.Connections,
			sum.Descriptors+u.Descriptors
		most.Proportional = max(most.Proportional, u.Proportional)
		most.Connections = max(most.Connections, u.Connections)
		most.Descriptors = max(most.Descriptors, u.Descriptors)
	}
	if n == 0 {
		return
	}
	mebi := func(bytes uint64) float64 { return float64(bytes) / (1 << 20) }
	fmt.Fprintf(w, "a process: %.1f MiB of memory (PSS; at most %.1f), %.1f connections (at most "+
		"%d), %.0f descriptors (at most %d); all: %.0f MiB\n", mebi(sum.Proportional)/float64(n),
		mebi(most.Proportional), float64(sum.Connections)/float64(n), most.Connections,
		float64(sum.Descriptors)/float64(n), most.Descriptors, mebi(sum.Proportional))
}
