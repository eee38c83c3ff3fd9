package netpipe

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/report/chart"
)

// Charts are the figures of one link: latency and bandwidth over sizes, a line a case. Style gives
// each case its colour. Of a power of two and its neighbours at most sixteen bytes away only the
// power is drawn: the others would be in the same place.
func Charts(p *Plan, rows []Row, link string, style func(name string) int) (latency,
	bandwidth *chart.Lines) {
	where := map[string]string{TCP: "TCP, loopback", Shared: "shared memory"}[link]
	if p.Card > 0 {
		where += fmt.Sprintf(", a card of %g Mbit/s each", float64(p.Card)/1e6)
	}
	latency = &chart.Lines{Title: "Half a round trip between two processes, " + where,
		X: "message size", Y: "time (µs)"}
	bandwidth = &chart.Lines{Title: "Bandwidth between two processes, " + where, X: "message size",
		Y: "bandwidth (GB/s)"}
	if p.Ring > 0 {
		latency.Title = fmt.Sprintf("A lap through a ring of %d processes, %s", p.Ring, where)
		bandwidth.Title, bandwidth.Y = fmt.Sprintf(
			"Bytes by a lap through a ring of %d processes, %s", p.Ring, where),
			"bytes / lap (GB/s)"
	}
	for _, name := range p.Cases {
		mine := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
			return r.Link != link || r.Case != name || perturbed(p, r.Bytes)
		})
		slices.SortFunc(mine, func(a, b Row) int { return a.Bytes - b.Bytes })
		var times, rates []chart.Point
		var spreads []chart.Spread
		for _, r := range mine {
			times = append(times, chart.Point{X: float64(r.Bytes), Y: r.Micros})
			rates = append(rates, chart.Point{X: float64(r.Bytes), Y: r.Bandwidth})
			spreads = append(spreads, chart.SpreadOf(r.Times))
		}
		latency.Lines = append(latency.Lines,
			chart.Line{Name: name, Style: style(name), Points: times, Spreads: spreads})
		bandwidth.Lines = append(bandwidth.Lines,
			chart.Line{Name: name, Style: style(name), Points: rates})
	}
	return latency, bandwidth
}

// perturbed reports whether a size is there for the sake of a power of two.
func perturbed(p *Plan, size int) bool {
	return size&(size-1) != 0 && slices.ContainsFunc(p.Sizes, func(n int) bool {
		return n&(n-1) == 0 && n != size && max(n, size)-min(n, size) <= 16
	})
}
