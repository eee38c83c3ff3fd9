package papers

import (
	"context"
	"fmt"
	"math"
	"time"
)

// The cases of the measurements on [HydEE]: no protocol, clusters, and each rank in its own.
const (
	bare      = "none"
	clustered = "hydee"
	allLogged = "hydee, all logged"
)

// hydeeKernels are those of Figure 6.
var hydeeKernels = []string{"bt", "cg", "ft", "lu", "mg", "sp"}

// hydeePerf measures them on four processes, in two clusters.
func hydeePerf(ctx context.Context, b *Bench) (*Timings, error) {
	return b.perf(ctx, PerfPlan{Kernels: hydeeKernels, Ranks: 4, Rounds: 7, Cases: []PerfCase{
		{bare, bare, 0}, {clustered, clustered, 2}, {allLogged, clustered, 4}}})
}

// hydeePerfTakes is about how long that takes.
const hydeePerfTakes = 2 * time.Minute

// hydeeOverhead is the promise of the abstract, of each kernel.
func hydeeOverhead() Claim {
	var values []Value
	for _, row := range upper(hydeeKernels) {
		values = append(values, Value{Row: row, Name: "overhead", Unit: "%", Printed: "2",
			Sense: AtMost})
	}
	values = append(values, Value{Row: "all", Name: "the most in section V-D", Unit: "%",
		Printed: "1.25", Sense: AtMost, Shown: true, Method: Data,
		Why: "a second maximum, which is within the first"})
	return Claim{ID: "abstract-2", Where: "abstract, section 1", Method: Measured, Values: values,
		Says: "an overhead without failures of at most 2%",
		Why: "ours on four processes of this machine, a median with half the distance of " +
			"quartiles",
		Command: "domino cluster perf --protocols none,hydee", Takes: hydeePerfTakes,
		Long: func(ctx context.Context, b *Bench) (got []Got, err error) {
			t, err := hydeePerf(ctx, b)
			if err != nil {
				return nil, err
			}
			for i, kernel := range hydeeKernels {
				ratios, err := t.ratios(kernel, clustered)
				if err != nil {
					return nil, err
				}
				got = append(got, t.percentOver(values[i].Row, values[i].Name, ratios))
			}
			return got, nil
		}}
}

// hydeeFigure6 compares clusters with logging everything.
func hydeeFigure6() Claim {
	const over, beside = "overhead of clusters", "clusters beside logging all"
	var values []Value
	for _, row := range upper(hydeeKernels) {
		values = append(values, Value{Row: row, Name: over, Unit: "%", Printed: "1.25",
			Sense: AtMost, Shown: true, Why: "of class D on 256 processes; ours are four"},
			Value{Row: row, Name: beside, Printed: "beneficial"})
	}
	return Claim{ID: "fig-6", Where: "Figure 6", Method: Measured, Values: values,
		Says: "the overhead of clusters, and of logging everything, on six kernels with 256 " +
			"processes; means of 8 runs, without their spread",
		Why:     "the bars have no numbers but the largest",
		Command: "domino cluster perf --kernels bt,cg,ft,lu,mg,sp --protocols none,hydee",
		Takes:   hydeePerfTakes,
		Long: func(ctx context.Context, b *Bench) (got []Got, err error) {
			t, err := hydeePerf(ctx, b)
			if err != nil {
				return nil, err
			}
			for i, kernel := range hydeeKernels {
				some, err := t.ratios(kernel, clustered)
				if err != nil {
					return nil, err
				}
				all, err := t.ratios(kernel, allLogged)
				if err != nil {
					return nil, err
				}
				got = append(got, t.percentOver(values[2*i].Row, over, some),
					beneficial(t, values[2*i+1], some, all))
			}
			return got, nil
		}}
}

// beneficial compares the three bars of a kernel: no protocol, clusters, all logged.
func beneficial(t *Timings, v Value, some, all []float64) Got {
	g := Got{Row: v.Row, Name: v.Name, Text: v.Printed,
		Why: fmt.Sprintf("beside none, clusters %s, all logged %s", percents(some), percents(all))}
	median, spread := middle(quotients(some, all))
	switch {
	case median-spread > 1:
		g.Text = "worse"
	case median+spread >= 1:
		g.Text, g.Status = "", Unclear
	}
	return t.mark(g)
}

// hydeeSizes are those of messages in the measurements on [HydEE].
var hydeeSizes = []int{8, 1 << 10, 8 << 10, 64 << 10, 1 << 20}

// hydeePing measures messages between two processes.
func hydeePing(ctx context.Context, b *Bench) (*Timings, error) {
	return b.netpipe(ctx, NetpipePlan{Cases: []string{bare, "hydee-1", "hydee-2"},
		Sizes: hydeeSizes, Rounds: 9})
}

// hydeePingTakes is about how long that takes.
const hydeePingTakes = 10 * time.Second

// hydeeFigure5 compares logging with no logging, and both with no protocol.
func hydeeFigure5() Claim {
	const beside, large = "logging beside no logging", "no logging beside no protocol"
	var values []Value
	for _, n := range hydeeSizes {
		values = append(values, Value{Row: SizeWord(n), Name: beside, Printed: "equivalent"})
		if n >= 64<<10 {
			values = append(values, Value{Row: SizeWord(n), Name: large,
				Printed: "overhead only for small-sized messages"})
		}
	}
	return Claim{ID: "fig-5", Where: "Figure 5, section V-C", Method: Measured, Values: values,
		Says: "latency and bandwidth of two processes in one cluster and in two; the cost is " +
			"that of the bytes piggybacked, in two peaks where they cross a plateau",
		Why: "equivalent: within 5 % with its spread. The plateaus, from 3.3 us to 4 us at 32 " +
			"bytes, are those of their network, and TCP has none",
		Command: "domino cluster netpipe --protocols none,hydee-1,hydee-2",
		Takes:   hydeePingTakes,
		Long: func(ctx context.Context, b *Bench) (got []Got, err error) {
			t, err := hydeePing(ctx, b)
			if err != nil {
				return nil, err
			}
			for i := range values {
				v := &values[i]
				without, err := t.ratios(v.Row, "hydee-1")
				if err != nil {
					return nil, err
				}
				ratios := without
				if v.Name == beside {
					with, err := t.ratios(v.Row, "hydee-2")
					if err != nil {
						return nil, err
					}
					ratios = quotients(with, without)
				}
				got = append(got, t.equivalent(v, ratios))
			}
			return got, nil
		}}
}

// hydeeFrAlpha is what logging costs of latency and bandwidth.
func hydeeFrAlpha() Claim {
	cost := Value{Name: "mean cost of logging", Unit: "%", Printed: "23", Shown: true,
		Why: "of their network"}
	return Claim{ID: "alpha", Where: "section 6.2", Method: Measured, Values: []Value{cost},
		Says: "what logging costs of latency and bandwidth, in the mean",
		Why: "fig-5 of hydee says that logging costs nothing on the same network, only what is " +
			"piggybacked does",
		Command: "domino cluster netpipe --protocols none,hydee-2", Takes: hydeePingTakes,
		Long: func(ctx context.Context, b *Bench) ([]Got, error) {
			t, err := hydeePing(ctx, b)
			if err != nil {
				return nil, err
			}
			var medians []float64
			for _, n := range hydeeSizes {
				ratios, err := t.ratios(SizeWord(n), "hydee-2")
				if err != nil {
					return nil, err
				}
				median, _ := middle(ratios)
				medians = append(medians, median)
			}
			sum, least, most := 0., math.Inf(1), math.Inf(-1)
			for _, m := range medians {
				sum, least, most = sum+m, min(least, m), max(most, m)
			}
			mean := sum / float64(len(medians))
			return []Got{{Name: cost.Name, Number: 100 * (mean - 1), Spread: 50 * (most - least),
				Why: fmt.Sprintf("over TCP on this machine, the mean of %d sizes from %s to %s, "+
					"%+.1f to %+.1f %%", len(medians), SizeWord(hydeeSizes[0]),
					SizeWord(hydeeSizes[len(hydeeSizes)-1]), 100*(least-1), 100*(most-1))}}, nil
		}}
}
