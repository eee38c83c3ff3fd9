package figures

import (
	"cmp"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/trace"
)

// ring is a program that passes a message of 8 KiB round, and tells of every lap.
func ring(laps int) func(n int) []core.Program {
	return func(n int) (list []core.Program) {
		for r := range n {
			send := core.Op{Kind: core.OpSend, Peer: core.Rank((r + 1) % n), Bytes: 8 << 10}
			recv := core.Op{Kind: core.OpRecv, Peer: core.Rank((r + n - 1) % n)}
			lap := core.Program{{Kind: core.OpLoop, Count: laps}, recv, send, {Kind: core.OpEnd}}
			if r == 0 {
				lap = core.Program{{Kind: core.OpLoop, Count: laps}, send, recv,
					{Kind: core.OpOutput}, {Kind: core.OpEnd}}
			}
			list = append(list, lap)
		}
		return list
	}
}

// stepLaps is what the source calls a step, and does not define: so many laps.
const stepLaps = 10

// disturbed is what a snapshot does to a program that passes a message round.
type disturbed struct {
	Lap     time.Duration // without a snapshot
	Added   time.Duration // to a hop, mean over the steps that take 5 % longer
	Steps   int           // that do
	Area    time.Duration // by which all laps together take longer
	Longest time.Duration // lap
	Total   time.Duration // of the snapshot
}

// disturb runs a ring over a snapshot.
func (j *job) disturb() (d disturbed, err error) {
	b, err := j.open()
	if err != nil {
		return d, err
	}
	b.run.After(second, func() { b.run.Request(b.head) })
	var laps []time.Duration
	var request, last time.Duration
	after := -1
	_, err = b.play(func(m moment) bool {
		switch {
		case m.word(trace.Snapped, trace.SnapEstablished):
			d.Total, after = m.At-second, 0
		case m.Kind == trace.Released:
			laps = append(laps, m.At-last)
			last = m.At
			if m.At < second {
				request = m.At
			}
			if after >= 0 {
				after++
			}
		}
		return after > 3*stepLaps
	})
	if err != nil {
		return d, err
	}
	d.analyse(laps, request)
	return d, nil
}

// analyse compares laps with those that ended before the request.
func (d *disturbed) analyse(laps []time.Duration, request time.Duration) {
	var at time.Duration
	first := 0
	for at < request {
		at += laps[first]
		first++
	}
	d.Lap = laps[first/2]
	var step, added time.Duration
	for i, lap := range laps[first:] {
		d.Area += lap - d.Lap
		d.Longest = max(d.Longest, lap)
		if step += lap; (i+1)%stepLaps == 0 {
			if mean := step / stepLaps; mean > d.Lap+d.Lap/20 {
				d.Steps++
				added += mean - d.Lap
			}
			step = 0
		}
	}
	if d.Steps > 0 {
		d.Added = added / time.Duration(d.Steps)
	}
}

// ringRatios are what the figure comes down to, of each component in its order.
func ringRatios(all []disturbed, printed *papers.Claim) []protocol.Ratio {
	whole := printed.Number("central", "checkpoint")
	return []protocol.Ratio{
		{Name: "longest lap stage/central", Value: over(all[1].Longest, all[0].Longest),
			Least: 0.05, Most: 0.10, Paper: optional(printed.Number("stage", "local") / whole)},
		{Name: "snapshot stage/central", Value: over(all[1].Total, all[0].Total), Least: 0.7,
			Most: 0.8, Paper: optional(printed.Number("stage", "checkpoint") / whole)},
		{Name: "snapshot zip/central", Value: over(all[2].Total, all[0].Total), Least: 0.35,
			Most: 0.45, Paper: optional(printed.Number("zip", "checkpoint") / whole)}}
}

// disturbance is Figure 2: what a snapshot does to a ring of 64.
func disturbance(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	g := protocol.Grid{Title: fmt.Sprintf("8 KiB round a ring of 64, over one snapshot; a step is "+
		"%d laps", stepLaps), Columns: []string{"", "snapshot s", "in the paper", "added us a hop",
		"in the paper", "steps", "in the paper", "longest lap s", "all laps longer by s"}}
	printed, rows := papers.Find("errmgr", "fig-2"), table1()
	var all []disturbed
	for i, options := range []string{central, stage, zip} {
		name := [...]string{"central", "stage", "zip"}[i]
		if err := tell(o, "%s", name); err != nil {
			return nil, err
		}
		j := rows[noop].job(options)
		j.Programs = ring(3000)
		d, err := j.disturb()
		if err != nil {
			return nil, err
		}
		all = append(all, d)
		g.Rows = append(g.Rows, []string{name, seconds(d.Total),
			printed.Printed(name, "checkpoint"),
			fmt.Sprintf("%.0f", float64(d.Added.Microseconds())/64),
			printed.Printed(name, "added"), fmt.Sprint(d.Steps),
			cmp.Or(printed.Printed(name, "steps"), "-"),
			fmt.Sprintf("%.2f", d.Longest.Seconds()), fmt.Sprintf("%.2f", d.Area.Seconds())})
	}
	f.Tables = append(f.Tables, g)
	f.Ratios = ringRatios(all, printed)
	f.Notes = append(f.Notes, "The source does not say what a step is, nor how its half round "+
		"trips are averaged, so latencies are not to be compared with its own. A lap in which the "+
		"ranks stand still is as long as that; what comes on top is files that pass the cards of "+
		"the nodes. That packing takes processor time from the program is not emulated: the nodes "+
		"of the source have two processors too many.")
	return f, nil
}
