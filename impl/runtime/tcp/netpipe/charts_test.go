package netpipe_test

import (
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
)

// TestChartsSayWhat looks at the titles: what is measured, and how many processes and which cards
// there were.
func TestChartsSayWhat(t *testing.T) {
	style := func(string) int { return 0 }
	for _, c := range []struct {
		plan netpipe.Plan
		want string
	}{
		{netpipe.Plan{}, "Half a round trip between two processes, TCP, loopback"},
		{netpipe.Plan{Card: 1_000_000_000},
			"Half a round trip between two processes, TCP, loopback, a card of 1000 Mbit/s each"},
		{netpipe.Plan{Ring: 8}, "A lap through a ring of 8 processes, TCP, loopback"},
	} {
		if latency, _ := netpipe.Charts(&c.plan, nil, netpipe.TCP, style); latency.Title != c.want {
			t.Errorf("%q, want %q", latency.Title, c.want)
		}
	}
}

// TestCharts makes the figures of a few rows: a line a case in order of sizes, neighbours of a
// power of two left out, other sizes not.
func TestCharts(t *testing.T) {
	p := &netpipe.Plan{Sizes: []int{61, 64, 67, 1000, 4096}, Cases: []string{"none", "hydee-2"}}
	var rows []netpipe.Row
	for _, size := range []int{4096, 61, 64, 67, 1000} {
		for _, c := range p.Cases {
			rows = append(rows, netpipe.Row{Link: netpipe.TCP, Case: c, Bytes: size,
				Micros: float64(size), Bandwidth: 1},
				netpipe.Row{Link: netpipe.Shared, Case: c, Bytes: size, Micros: 1})
		}
	}
	latency, bandwidth := netpipe.Charts(p, rows, netpipe.TCP, func(name string) int {
		return len(name)
	})
	for _, f := range []int{0, 1} {
		line := latency.Lines[f]
		if line.Name != p.Cases[f] || line.Style != len(line.Name) || len(line.Points) != 3 ||
			line.Points[0].X != 64 || line.Points[1].X != 1000 || line.Points[2].Y != 4096 ||
			len(bandwidth.Lines[f].Points) != 3 || bandwidth.Lines[f].Points[0].Y != 1 {
			t.Errorf("%+v %+v", line, bandwidth.Lines[f])
		}
	}
}
