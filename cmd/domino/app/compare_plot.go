package app

import (
	"errors"

	"github.com/domino-check/domino/impl/runtime/compare"
	"github.com/domino-check/domino/spec/report/chart"
)

// plotCompare draws how piggyback grows with the ranks, how much longer programs are blocked when
// writes take longer, how the age of the recovery line grows with the run, and what share of the
// work a failure costs.
func plotCompare(dir string, studies []*compare.Study) error {
	if dir == "" {
		return nil
	}
	load := chart.Lines{Title: "Integers that a message carries, all-to-all", X: "ranks",
		Y: "integers", Linear: true}
	stall := chart.Lines{Title: "How long a message is blocked, ring", X: "µs that a write takes",
		Y: "µs", Linear: true}
	age := chart.Lines{Title: "What a failure loses at most, domino", X: "length of the run",
		Y: "sends and receptions", Linear: true}
	redone := chart.Stacked{Title: "Work that is done again after a failure", X: "percent",
		Parts: []chart.Series{{Name: "one failure", Style: 1}}}
	for i, s := range studies {
		line := func(to *chart.Lines, points []chart.Point) {
			if points != nil {
				to.Lines = append(to.Lines, chart.Line{Name: s.Row.Protocol, Style: i,
					Points: points})
			}
		}
		var loads, stalls, ages []chart.Point
		for _, l := range s.Loads {
			for j, one := range l.Loads {
				if l.Program == "all-to-all" {
					loads = append(loads, chart.Point{X: float64(compare.Sizes[j]), Y: one.Mean})
				}
			}
		}
		for _, l := range s.Stalls {
			for _, one := range l.Stalls {
				if l.Program == "ring" {
					stalls = append(stalls, chart.Point{X: float64(one.Write.Microseconds()),
						Y: float64(one.Blocked.Microseconds())})
				}
			}
		}
		for _, a := range s.Ages {
			for j, n := range a.Ages {
				if a.Program == "domino" {
					ages = append(ages, chart.Point{X: float64(compare.Growth[j]), Y: float64(n)})
				}
			}
		}
		line(&load, loads)
		line(&stall, stalls)
		line(&age, ages)
		if s.Costs.Runs > 0 {
			redone.Rows = append(redone.Rows, s.Row.Protocol)
			redone.Parts[0].Values = append(redone.Parts[0].Values, 100*s.Costs.Redone)
		}
	}
	return errors.Join(ifAny(load.Save(dir, "compare-piggyback")),
		ifAny(stall.Save(dir, "compare-blocked")), ifAny(age.Save(dir, "compare-line")),
		ifAny(redone.Save(dir, "compare-redone")))
}
