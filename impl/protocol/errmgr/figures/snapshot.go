package figures

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/trace"
)

// The components of the source, as options of the composite.
const (
	central = "store=central"
	stage   = "store=stage flow=10 cache=off codec=none"
	zip     = "store=stage flow=10 cache=off codec=gzip"
	cached  = "store=stage flow=10 cache=2 codec=none"
)

// taken is one snapshot: from the request until it is established, until all files are on their
// nodes, and how long the rank that stood still longest did.
type taken struct{ Total, Local, Stall time.Duration }

// snapshot takes one, after a second.
func (j *job) snapshot() (t taken, err error) {
	b, err := j.open()
	if err != nil {
		return t, err
	}
	b.run.After(second, func() { b.run.Request(b.head) })
	paused := make([]time.Duration, j.Ranks)
	left, established := j.Ranks, false
	_, err = b.play(func(m moment) bool {
		switch {
		case m.word(trace.Ruled, trace.RulePaused):
			paused[m.Proc] = m.At
		case m.word(trace.Ruled, trace.RuleContinued):
			t.Stall = max(t.Stall, m.At-paused[m.Proc])
			left--
		case m.word(trace.Snapped, trace.SnapEstablished):
			established, t.Total = true, m.At-second
		}
		return established && left == 0
	})
	if at, ok := b.last(trace.Snapped, trace.SnapLocal); ok {
		t.Local = at - second
	}
	return t, err
}

// sized is a job with images of a row of the table.
func (r *row) job(options string) *job {
	return &job{lab: source, Ranks: r.Ranks, Spares: 0, Image: r.each(), Saved: r.saved(),
		Options: options, Policies: "autor abort"}
}

// optional is a number that is there.
func optional(x float64) *float64 { return &x }

// seconds is a time in seconds.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// three are the snapshots of a row, by component.
type three struct{ central, stage, zip taken }

// measure takes the snapshots of a row.
func (r *row) measure(o protocol.ExperimentOptions) (t three, err error) {
	for _, c := range []struct {
		options string
		to      *taken
	}{{central, &t.central}, {stage, &t.stage}, {zip, &t.zip}} {
		if err := tell(o, "%s, %d ranks, %s", r.Program, r.Ranks, c.options); err != nil {
			return t, err
		}
		if *c.to, err = r.job(c.options).snapshot(); err != nil {
			return t, err
		}
	}
	return t, nil
}

// over is a ratio of times.
func over(x, y time.Duration) float64 { return x.Seconds() / y.Seconds() }

// latency is Table I: every row, emulated beside what is printed and the formula.
func latency(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	grid := protocol.Grid{Title: "seconds until a snapshot is established, in the paper and here " +
		"(formula: n c + V/B)", Columns: []string{"program", "ranks", "MB a rank", "saved",
		"central", "here", "formula", "stage", "here", "formula", "zip", "here"}}
	ratios := protocol.Grid{Title: "ratios to central", Columns: []string{"program", "ranks",
		"MB a rank", "stage: paper", "here", "formula", "zip: paper", "here", "stall: stage"}}
	var all []three
	two := func(x float64) string { return fmt.Sprintf("%.2f", x) }
	rows := table1()
	for i := range rows {
		r := &rows[i]
		t, err := r.measure(o)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		fc, fs := fitCentral.seconds(r.Ranks, r.Raw), fitStage.seconds(r.Ranks, r.Raw)
		name, size := fmt.Sprint(r.Ranks), fmt.Sprintf("%.1f", r.Raw/float64(r.Ranks))
		grid.Rows = append(grid.Rows, []string{r.Program, name, size,
			fmt.Sprintf("%.0f %%", 100*r.saved()),
			fmt.Sprint(r.Central), seconds(t.central.Total), fmt.Sprintf("%.1f", fc),
			fmt.Sprint(r.Stage), seconds(t.stage.Total), fmt.Sprintf("%.1f", fs),
			fmt.Sprint(r.Zip), seconds(t.zip.Total)})
		ratios.Rows = append(ratios.Rows, []string{r.Program, name, size, two(r.Stage / r.Central),
			two(over(t.stage.Total, t.central.Total)), two(fs / fc), two(r.Zip / r.Central),
			two(over(t.zip.Total, t.central.Total)), two(over(t.stage.Stall, t.central.Stall))})
	}
	f.Tables = append(f.Tables, grid, ratios)
	f.Ratios = latencyRatios(all[noop], all[hpl])
	f.Notes = append(f.Notes, "The prices of the emulated cluster are chosen so that the rows "+
		"with 64 ranks come out; those with 128 and 192 follow. The store reads every file back "+
		"behind all that it has to write, so tokens come back together and files are copied in "+
		"waves of ten: a tenth of a second in the price of a stream may cost or save a whole wave.")
	return f, sweepSizes(o, f)
}

// latencyRatios are what the table comes down to, by the rows of 64 ranks with the smallest and the
// largest images.
func latencyRatios(small, large three) []protocol.Ratio {
	rows := table1()
	n, h := &rows[noop], &rows[hpl]
	ring := papers.Find("errmgr", "fig-2")
	stall := ring.Number("stage", "local") / ring.Number("central", "checkpoint")
	return []protocol.Ratio{
		{Name: "stall stage/central, noop, 64 ranks", Least: 0.05, Most: 0.10,
			Value: over(small.stage.Stall, small.central.Stall), Paper: optional(stall)},
		{Name: "latency stage/central, 4 MB a rank", Least: 0.7, Most: 0.8,
			Value: over(small.stage.Total, small.central.Total),
			Paper: optional(n.Stage / n.Central),
			Model: optional(fitStage.seconds(64, n.Raw) / fitCentral.seconds(64, n.Raw))},
		{Name: "latency stage/central, 200 MB a rank", Least: 1.1, Most: 1.2,
			Value: over(large.stage.Total, large.central.Total),
			Paper: optional(h.Stage / h.Central),
			Model: optional(fitStage.seconds(64, h.Raw) / fitCentral.seconds(64, h.Raw))},
		{Name: "latency zip/central, 92 % saved", Least: 0.35, Most: 0.45,
			Value: over(small.zip.Total, small.central.Total),
			Paper: optional(n.Zip / n.Central),
			Model: optional(fitStage.seconds(64, n.Packed) / fitCentral.seconds(64, n.Raw))},
		{Name: "latency zip/central, 4 % saved", Least: 1.1, Most: 1.3,
			Value: over(large.zip.Total, large.central.Total),
			Paper: optional(h.Zip / h.Central),
			Model: optional(fitStage.seconds(64, h.Packed) / fitCentral.seconds(64, h.Raw))},
	}
}

// sweepSizes finds the size of an image from which staging takes longer.
func sweepSizes(o protocol.ExperimentOptions, f *protocol.Findings) error {
	figure := protocol.Figure{Name: "latency-size", Title: "Snapshot of 64 ranks", Bytes: true,
		X: "bytes of an image", Y: "seconds until it is established"}
	sizes := []int64{1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 64, 128, 200}
	var curves [2][][2]float64
	for i, options := range []string{central, stage} {
		fit := [...]fitted{fitCentral, fitStage}[i]
		name := [...]string{"central", "stage"}[i]
		var formula [][2]float64
		for _, mb := range sizes {
			if err := tell(o, "%s, %d MB", name, mb); err != nil {
				return err
			}
			j := job{lab: source, Ranks: 64, Image: mb * MB, Options: options,
				Policies: "autor abort"}
			t, err := j.snapshot()
			if err != nil {
				return err
			}
			curves[i] = append(curves[i], [2]float64{float64(mb) * MB, t.Total.Seconds()})
			formula = append(formula, [2]float64{float64(mb) * MB,
				fit.seconds(64, float64(64*mb))})
		}
		figure.Curves = append(figure.Curves,
			protocol.Curve{Name: name, Style: i, At: curves[i]},
			protocol.Curve{Name: name + ", formula", Style: i, Pale: true, At: formula})
	}
	f.Figures = append(f.Figures, figure)
	f.Ratios = append(f.Ratios, protocol.Ratio{Name: "size at which staging takes as long / 26 MB",
		Value: cross(curves[0], curves[1]) / 26e6, Least: 0.7, Most: 1.4,
		Model: optional(crossing() / 26),
		Why: "the curves are nearly parallel there, so that a second in thirty moves the " +
			"crossing by 6 MB. Central is up to a second faster here than by the formula, for " +
			"the first files of a snapshot are not written in a crowd. By the prices fitted to " +
			"the emulated rows of 4 and 200 MB the formula says 23 MB."})
	return nil
}

// cross is where the second curve, which begins below the first one, comes to it.
func cross(first, second [][2]float64) float64 {
	for i := 1; i < len(first); i++ {
		before := first[i-1][1] - second[i-1][1]
		now := first[i][1] - second[i][1]
		if before > 0 && now <= 0 {
			return first[i-1][0] + (first[i][0]-first[i-1][0])*before/(before-now)
		}
	}
	return 0
}

// tell says what an experiment is at. An error ends it.
func tell(o protocol.ExperimentOptions, format string, args ...any) error {
	if o.Tell == nil {
		return nil
	}
	return o.Tell(fmt.Sprintf(format, args...))
}
