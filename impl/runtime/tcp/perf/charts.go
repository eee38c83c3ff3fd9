package perf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/report/chart"
)

// style is the colour of a protocol: the one that it has in all figures, or one that is free.
func (p *Plan) style(protocol string) int {
	if style, ok := p.Styles[protocol]; ok {
		return style
	}
	place := 0
	for _, s := range p.Styles {
		if s < chart.Pale {
			place = max(place, s+1)
		}
	}
	for _, other := range p.Protocols() {
		if other == protocol {
			break
		}
		if _, ok := p.Styles[other]; !ok {
			place++
		}
	}
	return place
}

// values are those of each protocol, kernel by kernel, NaN where a cell has none.
func values(p *Plan, rows []Row, value func(*Row) (float64, bool)) (list []chart.Series) {
	protocols := p.Protocols()
	for _, protocol := range protocols {
		s := chart.Series{Name: protocol, Style: p.style(protocol)}
		any := false
		for _, k := range p.Kernels() {
			v := math.NaN()
			if i := slices.IndexFunc(rows, func(r Row) bool {
				return r.Kernel == k && r.Protocol == protocol && r.Rounds > 0
			}); i >= 0 {
				if x, ok := value(&rows[i]); ok {
					v, any = x, true
				}
			}
			s.Values = append(s.Values, v)
		}
		if any {
			list = append(list, s)
		}
	}
	return list
}

// groups are the names of the kernels under an axis, parameters below them.
func groups(p *Plan) (list []string) {
	for _, k := range p.Kernels() {
		list = append(list, strings.ReplaceAll(k, " ", "\n"))
	}
	return list
}

// ranksOf says in a title how many ranks there were.
func ranksOf(p *Plan) string {
	least, most := p.Cells[0].Ranks, p.Cells[0].Ranks
	for _, c := range p.Cells {
		least, most = min(least, c.Ranks), max(most, c.Ranks)
	}
	if least == most {
		return fmt.Sprintf("%d ranks", most)
	}
	return fmt.Sprintf("%d to %d ranks", least, most)
}

// logFrom is the ratio from which times are drawn on a log axis.
const logFrom = 3

// Overheads is the figure of times by the baseline's.
func Overheads(p *Plan, rows []Row) *chart.Bars {
	b := &chart.Bars{Title: fmt.Sprintf("Time with a protocol by time without (%s, medians, "+
		"quartiles and extremes of %s)",
		ranksOf(p), rounds(p.Rounds)), X: "kernel",
		Y: "time / time of " + Baseline, Base: 1, Groups: groups(p)}
	b.Series = values(p, rows, func(r *Row) (float64, bool) {
		ratio := 1 + r.Overhead/100
		b.Log = b.Log || r.Compared && ratio > logFrom
		return ratio, r.Compared && r.Protocol != Baseline
	})
	for i := range b.Series {
		s := &b.Series[i]
		for _, k := range p.Kernels() {
			var ratios []float64
			if at := slices.IndexFunc(rows, func(r Row) bool {
				return r.Kernel == k && r.Protocol == s.Name
			}); at >= 0 {
				ratios = rows[at].Ratios
			}
			s.Spreads = append(s.Spreads, chart.SpreadOf(ratios))
		}
	}
	return b
}

// Bytes is the figure of what protocols send beside what the programs send.
func Bytes(p *Plan, rows []Row) *chart.Bars {
	b := &chart.Bars{
		Title: fmt.Sprintf("Bytes that a protocol adds to a message of the program (%s)",
			ranksOf(p)), X: "kernel", Y: "bytes added / send", Base: 1, Log: true,
		Groups: groups(p)}
	b.Series = values(p, rows, func(r *Row) (float64, bool) {
		return added(r), r.Sends > 0 && added(r) > 0
	})
	return b
}

// Volumes is the figure of what is kept in logs.
func Volumes(p *Plan, rows []Row) *chart.Bars {
	b := &chart.Bars{Title: fmt.Sprintf("Bytes put into logs by bytes that the programs sent (%s)",
		ranksOf(p)), X: "kernel", Y: "logged / sent", Groups: groups(p)}
	b.Series = values(p, rows, func(r *Row) (float64, bool) {
		return r.Logged / r.Payload, r.Payload > 0 && r.Logged > 0 && !r.Unsized
	})
	return b
}

// Stages is the figure of the recoveries of one kernel.
func Stages(rows []Recovery, kernel string) *chart.Stacked {
	s := &chart.Stacked{Title: "Stages of a run with failures: " + kernel +
		" (of each protocol the run of median length)", X: "time (ms)"}
	for i, name := range stageNames {
		s.Parts = append(s.Parts, chart.Series{Name: name, Style: stageStyles[i]})
	}
	for _, r := range rows {
		if r.Rounds == 0 || r.Kernel != kernel {
			continue
		}
		s.Rows = append(s.Rows, r.Protocol)
		for i := range s.Parts {
			s.Parts[i].Values = append(s.Parts[i].Values, millis(r.Stages[i].Time))
		}
	}
	return s
}

// stageStyles are their colours: what is work grey.
var stageStyles = [stages]int{chart.Grey, 7, chart.Grey + 1, 2, 5, 1, 6, 3, 4, chart.Grey + 2}
