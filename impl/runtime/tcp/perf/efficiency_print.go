package perf

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/domino-check/domino/spec/report/chart"
)

// efficiencyNotes explain the columns of PrintEfficiencies.
const efficiencyNotes = `every: iterations between two checkpoints; interval: the time between them without failures; failures: in a run, mean;
efficiency: the time of none, without checkpoints and failures, in the same round by that of the run, with quartiles; model: a job that is
slowed down, takes checkpoints and fails as this one was measured to (performability.Job). Medians of %s. All runs keep
evidence, which slows causal logging down more than others: cluster perf measures without it.

`

// PrintEfficiencies writes the lines as a table, then the advice.
func PrintEfficiencies(w io.Writer, r *Rates, rows []Tried, advice []Advice) error {
	fmt.Fprintf(w, efficiencyNotes, rounds(r.Rounds))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "protocol\tMTBF\tevery\tinterval\tms\tfailures\tefficiency\tquartiles\tmodel")
	for _, row := range sortRows(rows) {
		mtbf := "-"
		if row.MTBF > 0 {
			mtbf = span(row.MTBF)
		}
		if row.Rounds == 0 {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t-\t-\t-\t-\t-\n", row.Protocol, mtbf, row.Checkpoint,
				span(row.Interval))
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%.1f\t%s\t%s\t%s\n", row.Protocol, mtbf,
			row.Checkpoint, span(row.Interval), Digits(1000*row.Seconds), row.Failures,
			share(row.Efficiency), share(row.Low)+" to "+share(row.High), share(row.Expected))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, a := range advice {
		fmt.Fprintf(w, "\n%s, MTBF %s: slowed down %.2f times, a checkpoint costs %s, "+
			"a restart %s\n  a checkpoint every %s by Young, %s by Daly; best of those tried: "+
			"%s\n", a.Protocol, span(a.MTBF), a.Slowdown, span(a.Cost), span(a.Restart),
			span(a.Young), span(a.Daly), span(a.Best))
	}
	for _, row := range rows {
		what := fmt.Sprintf("a run of %s, a checkpoint every %d iterations, MTBF %s",
			row.Protocol, row.Checkpoint, span(row.MTBF))
		if row.Wrong != "" {
			fmt.Fprintf(w, "WRONG: %s: %s\n", what, row.Wrong)
		}
		if row.Unfinished != "" {
			fmt.Fprintf(w, "NOT FINISHED: %s: %s\n", what, row.Unfinished)
		}
	}
	return nil
}

// span is a time of a run as people read it.
func span(s float64) string {
	if s == 0 {
		return "-"
	}
	if s < 1 {
		return Digits(1000*s) + "ms"
	}
	return Digits(s) + "s"
}

// share is a part of 1 in percent, "-" if it is none.
func share(x float64) string {
	if !(x > 0) {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*x)
}

// EfficiencyOver is the figure of one protocol: efficiency over the interval, a line for each rate
// of failures with quartiles and extremes, and a pale one for the model.
func EfficiencyOver(r *Rates, rows []Tried, protocol, kernel string) *chart.Lines {
	f := &chart.Lines{Title: fmt.Sprintf("%s with %s: efficiency (medians, quartiles and extremes "+
		"of %s)", kernel, protocol, rounds(r.Rounds)), X: "time between checkpoints (ms)",
		Y: "time of none / time (%)", Linear: true}
	rates := []float64{0}
	for _, m := range r.MTBFs {
		rates = append(rates, m.Seconds())
	}
	for i, m := range rates {
		name := "no failures"
		if m > 0 {
			name = "MTBF " + span(m)
		}
		measured := chart.Line{Name: name, Style: i}
		model := chart.Line{Name: name + ", model", Style: chart.Pale + i}
		for _, row := range sortRows(rows) {
			if row.Protocol != protocol || row.MTBF != m || row.Rounds == 0 {
				continue
			}
			x := 1000 * row.Interval
			percents := slices.Clone(row.Efficiencies)
			for j := range percents {
				percents[j] *= 100
			}
			measured.Points = append(measured.Points, chart.Point{X: x, Y: 100 * row.Efficiency})
			measured.Spreads = append(measured.Spreads, chart.SpreadOf(percents))
			if row.Expected > 0 {
				model.Points = append(model.Points, chart.Point{X: x, Y: 100 * row.Expected})
			}
		}
		for _, line := range []chart.Line{measured, model} {
			if len(line.Points) > 0 {
				f.Lines = append(f.Lines, line)
			}
		}
	}
	return f
}
