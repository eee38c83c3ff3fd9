package perf_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

const ms = time.Millisecond

// plan has two kernels under two or three protocols.
func plan() *perf.Plan {
	p := &perf.Plan{Rounds: 3, Seed: 1}
	for _, c := range []string{"bt none", "bt hydee", "bt rbml", "cg none", "cg hydee"} {
		kernel, protocol, _ := strings.Cut(c, " ")
		p.Cells = append(p.Cells, perf.Cell{Kernel: kernel, Program: kernel + " ranks=2", Ranks: 2,
			Protocol: protocol, Repeats: true})
	}
	return p
}

// record measures with a runner that takes no time, and lists the runs.
func record(t *testing.T, p *perf.Plan) (runs []string) {
	t.Helper()
	samples, err := perf.Measure(t.Context(), p,
		func(_ context.Context, c perf.Cell, kind perf.Kind, _ time.Duration) (*cluster.Result,
			error) {
			runs = append(runs, fmt.Sprint(c.Kernel, " ", c.Protocol, " ", kind))
			return &cluster.Result{Complete: true, Elapsed: ms}, nil
		}, nil)
	if err != nil || len(samples) != len(runs) || len(runs) != p.Runs() {
		t.Fatalf("%d samples of %d runs, plan of %d, %v", len(samples), len(runs), p.Runs(), err)
	}
	return runs
}

// TestOrder looks at the order of runs: in each round every cell once, the cells of a kernel side
// by side, a calm run right before each with failures; one seed gives one order, the rounds and
// another seed give others.
func TestOrder(t *testing.T) {
	p := plan()
	runs := record(t, p)
	want := []string{"bt none bare", "bt hydee bare", "bt rbml bare", "cg none bare",
		"cg hydee bare"}
	slices.Sort(want)
	differs := false
	for round := range p.Rounds {
		part := slices.Clone(runs[round*len(want) : (round+1)*len(want)])
		differs = differs || !slices.Equal(part, runs[:len(want)])
		changes := 0
		for i := 1; i < len(part); i++ {
			if part[i][:2] != part[i-1][:2] {
				changes++
			}
		}
		if slices.Sort(part); changes != 1 || !slices.Equal(part, want) {
			t.Errorf("round %d: %q, %d changes of the kernel", round, part, changes)
		}
	}
	if !differs || !slices.Equal(runs, record(t, p)) {
		t.Errorf("all rounds have one order, or two runs of one plan have not: %q", runs)
	}
	if p.Seed = 2; slices.Equal(runs, record(t, p)) {
		t.Error("another seed changes nothing")
	}
	p.Kills = true
	runs = record(t, p)
	for i, r := range runs {
		if cell, failed := strings.CutSuffix(r, "failed"); failed && runs[i-1] != cell+"calm" ||
			strings.Contains(r, "none") && !strings.Contains(r, "bare") {
			t.Errorf("run %d is %s after %s", i, r, runs[i-1])
		}
	}
	if len(runs) != p.Rounds*(5+2*3) {
		t.Errorf("%d runs", len(runs))
	}
}

// TestMeasureEnds ends measuring early: by the context, after which the sample that was cut short
// does not count, and by an error, which names the cell and comes with what was measured before it.
func TestMeasureEnds(t *testing.T) {
	for _, fails := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		samples, err := perf.Measure(ctx, plan(),
			func(context.Context, perf.Cell, perf.Kind, time.Duration) (*cluster.Result, error) {
				if n++; n == 4 && fails {
					return nil, errors.New("no more processes")
				} else if n == 4 {
					cancel()
				}
				return &cluster.Result{Complete: true}, nil
			}, nil)
		if len(samples) != 3 || fails != (err != nil) {
			t.Errorf("%d samples, %v", len(samples), err)
		}
		if fails && !strings.Contains(err.Error(), " with protocol ") {
			t.Errorf("error %v", err)
		}
	}
}

// TestMeasureRefused: runs that real processes can not make do not end the others; where that is so
// without failures none is made with them. The rows say why.
func TestMeasureRefused(t *testing.T) {
	for _, kind := range []perf.Kind{perf.Bare, perf.Calm, perf.Failed} {
		p := plan()
		p.Kills = true
		made := map[perf.Kind]int{}
		samples, err := perf.Measure(t.Context(), p, func(_ context.Context, c perf.Cell,
			k perf.Kind, calm time.Duration) (*cluster.Result, error) {
			if c.Protocol == "hydee" {
				if made[k]++; k == kind {
					return nil, fmt.Errorf("r1 begins again: %w", cluster.ErrModel)
				}
			} else if k == perf.Failed && calm != ms {
				t.Errorf("%s is to fail in a run of %v", c.Protocol, calm)
			}
			return &cluster.Result{Complete: true, Elapsed: ms, Failures: 1}, nil
		}, nil)
		if err != nil || len(samples) != p.Runs() {
			t.Fatalf("%v: %d samples of %d, %v", kind, len(samples), p.Runs(), err)
		}
		if made[perf.Bare] == 0 || (made[perf.Failed] == 0) != (kind == perf.Calm) {
			t.Errorf("%v: made %v", kind, made)
		}
		why := ""
		for _, r := range perf.Summarise(p, samples) {
			if r.Unfinished != "" {
				why += r.Protocol + ": " + r.Unfinished + "\n"
			}
		}
		for _, r := range perf.Recoveries(p, samples) {
			if r.Unfinished != "" {
				why += r.Protocol + ": " + r.Unfinished + "\n"
			}
		}
		for line := range strings.Lines(why) {
			if !strings.HasPrefix(line, "hydee: r1 begins again") {
				t.Errorf("%v: %s", kind, line)
			}
		}
		if why == "" {
			t.Errorf("%v: no row says why", kind)
		}
	}
}

// TestValidate refuses plans that make no sense.
func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		change func(*perf.Plan)
		want   string
	}{
		{func(p *perf.Plan) { p.Rounds = 0 }, "0 rounds, want"},
		{func(p *perf.Plan) { p.Rounds = 20_000 }, "20000 rounds, want"},
		{func(p *perf.Plan) { p.Cells = nil }, "nothing to measure"},
		{func(p *perf.Plan) {
			p.Cells[1] = p.Cells[0]
		}, "kernel bt with protocol none is there twice"},
	} {
		p := plan()
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		tt.change(p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// sample is one of a bare run.
func sample(kernel, protocol string, round int, time time.Duration) perf.Sample {
	return perf.Sample{Kernel: kernel, Protocol: protocol, Round: round, Kind: perf.Bare,
		Time: time, Begun: 20 * ms, Sends: 10, Payload: 1000, Messages: 10, Bytes: 1320,
		Carried: 320,
		Framed:  true, Logs: 5, Logged: 500, Stored: 7, Storing: 3 * ms, Worked: 2 * time,
		Digests: []uint64{1, 2}}
}

// TestSummarise works out medians by hand: the overhead is the median of the ratios within a round,
// not the ratio of the medians, so that a round in which the machine is slow for both counts like
// any other.
func TestSummarise(t *testing.T) {
	p := plan()
	var samples []perf.Sample
	// ratios 1.1, 1.05, 1.2
	for round, times := range [][2]time.Duration{{100 * ms, 110 * ms}, {200 * ms, 210 * ms},
		{50 * ms, 60 * ms}} {
		samples = append(samples, sample("bt", "none", round, times[0]),
			sample("bt", "hydee", round, times[1]))
	}
	cut := sample("bt", "hydee", 3, ms)
	cut.Bound = "time limit"
	rows := perf.Summarise(p, append(samples, cut))
	if len(rows) != 2 || rows[0].Protocol != "none" || rows[0].Millis != 100 || !rows[0].Compared ||
		rows[0].Overhead != 0 || rows[0].Rounds != 3 {
		t.Fatalf("rows %+v", rows)
	}
	r := rows[1]
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if r.Millis != 110 || !near(r.Overhead, 10) || !near(r.Least, 20) || !near(r.Spread, 7.5) ||
		r.Rounds != 3 || r.Unfinished != "time limit" || r.Wrong != "" {
		t.Errorf("row %+v", r)
	}
	if !slices.Equal(r.Times, []float64{110, 210, 60}) || len(r.Ratios) != 3 {
		t.Errorf("times %v, ratios %v", r.Times, r.Ratios)
	}
	if r.Sends != 10 || r.Payload != 1000 || r.Bytes != 1320 || r.Carried != 320 ||
		r.Logged != 500 || r.Stored != 7 || r.Storing != 3 || r.Worked != 220 ||
		!near(r.Work, 10) || r.Begun != 20 || !r.Framed || r.Unsized {
		t.Errorf("row %+v", r)
	}
	if totals := perf.Totals(p, rows); len(totals) != 1 || totals[0].Protocol != "hydee" ||
		!near(totals[0].Median, 10) || totals[0].Where != "bt" {
		t.Errorf("totals %+v", totals)
	}
	alone := perf.Summarise(p, samples[1:2])
	if len(alone) != 1 || alone[0].Compared {
		t.Errorf("without a baseline: %+v", alone)
	}
}

// TestWrong changes one digest: the row says so, unless the kernel need not end in the same states.
// With no baseline the first protocol is what others are compared with.
func TestWrong(t *testing.T) {
	p := plan()
	bad := sample("bt", "rbml", 0, ms)
	bad.Digests = []uint64{1, 3}
	for _, first := range []string{"none", "hydee"} {
		samples := []perf.Sample{sample("bt", first, 0, ms), bad}
		rows := perf.Summarise(p, samples)
		if rows[0].Wrong != "" || !strings.Contains(rows[1].Wrong,
			"not those of a run with "+first) {
			t.Errorf("rows %+v", rows)
		}
		p.Cells[2].Repeats = false
		if rows = perf.Summarise(p, samples); rows[1].Wrong != "" {
			t.Errorf("a program that chooses: %+v", rows[1])
		}
		p.Cells[2].Repeats = true
	}
}

// TestMedian compares with values worked out by hand.
func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{5, 1, 3}, 3},
		{[]float64{4, 1, 3, 2}, 2.5}} {
		given := slices.Clone(tt.values)
		if got := perf.Median(given); got != tt.want || !slices.Equal(given, tt.values) {
			t.Errorf("median of %v: %v, want %v; the values are now %v", tt.values, got, tt.want,
				given)
		}
	}
}

// TestPrint pins the table: it must stay the same for the same figures. What was compared in one
// round alone has no ±.
func TestPrint(t *testing.T) {
	p := plan()
	slow, unfinished := sample("bt", "rbml", 0, 300*ms), sample("cg", "hydee", 0, ms)
	slow.Framed, slow.Unknown, slow.Bytes, slow.Digests = false, 3, 4000, nil
	unfinished.Bound = "time limit 1m0s"
	var b strings.Builder
	rows := perf.Summarise(p, []perf.Sample{sample("bt", "none", 0, 100*ms),
		sample("bt", "hydee", 0, 101*ms),
		sample("bt", "none", 1, 100*ms), sample("bt", "hydee", 1, 101*ms), slow,
		sample("cg", "none", 0, 5*ms), unfinished})
	if err := perf.Print(&b, p, rows); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "\n\n")
	want := `kernel  protocol  ms    overhead       least     cpu ms  cpu       sends  MB     messages  +B    carried  logged MB  stored MB  disk ms
bt      none      100   -              -         200     -         10     0.001  10        32.0  32.0     0.0005     7e-06      3.00
        hydee     101   +1.0 % ±0.0 %  +1.0 %    202     +1.0 %    10     0.001  10        32.0  32.0     0.0005     7e-06      3.00
        rbml      300   +200.0 %       +200.0 %  600     +200.0 %  10     0.001  10        300   -        -          7e-06      3.00
cg      none      5.00  -              -         10.0    -         10     0.001  10        32.0  32.0     0.0005     7e-06      3.00
        hydee     -     -              -         -       -         -      -      -         -     -        -          -          -

hydee: overhead +1.0 % (median of 1 kernels), at most +1.0 % (bt)
rbml: overhead +200.0 % (median of 1 kernels), at most +200.0 % (bt)
all processes of a run had begun after 20.0 ms (median), 20.0 ms at most
WRONG: bt with rbml: the final digests are not those of a run with none
NOT FINISHED: a run of cg with hydee: time limit 1m0s
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBench pins the lines for benchstat: keys as it knows them, the protocol last, nothing of a
// run that was cut short.
func TestBench(t *testing.T) {
	p := plan()
	p.Cells[0].Kernel = "bt n=12 iterations=3"
	cut := sample("cg", "none", 0, ms)
	cut.Bound = "interrupted"
	var b strings.Builder
	if err := perf.Bench(&b, p, []perf.Sample{sample("bt n=12 iterations=3", "none", 0, 2*ms),
		cut}); err != nil {
		t.Fatal(err)
	}
	want := "BenchmarkCluster/kernel=bt/n=12/iterations=3/ranks=2/run=bare/protocol=none 1 " +
		"2000000 ns/op 4000000 cpu-ns/op 10 sends 1000 payload-B 10 messages 1320 sent-B 320 " +
		"carried-B 500 logged-B " +
		"7 stored-B 3000000 storing-ns\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
}

// TestProgram completes kernels; each of the usual ones, and each kernel that there is with
// checkpoints, must be one that can be built.
func TestProgram(t *testing.T) {
	for _, tt := range []struct{ item, want string }{
		{"bt", "bt ranks=4 class=S"},
		{"bt n=24", "bt ranks=4 n=24"},
		{"ring ranks=64 size=8", "ring ranks=64 size=8"},
		{"matmul", "matmul ranks=4"},
	} {
		if got := perf.Program(tt.item, 4, 0); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.item, got, tt.want)
		}
	}
	names, _ := kernels.List()
	for _, n := range names {
		text := perf.Program(strings.TrimPrefix(n, "kernel "), 4, 2)
		if _, err := kernels.Build(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, n := range perf.Usual {
		if !slices.Contains(names, "kernel "+n) {
			t.Errorf("there is no kernel %s", n)
		}
	}
}

// TestFigures looks at what is drawn: ratios of the protocols but the baseline, on a log axis when
// one is large, what is not known left out, a colour a protocol whatever others there are.
func TestFigures(t *testing.T) {
	p := plan()
	rbml := sample("bt", "rbml", 0, 400*ms)
	rbml.Unknown = 1
	samples := []perf.Sample{sample("bt", "none", 0, 100*ms), sample("bt", "hydee", 0, 150*ms),
		rbml}
	times := perf.Overheads(p, perf.Summarise(p, samples))
	if !times.Log || len(times.Series) != 2 || times.Series[0].Name != "hydee" ||
		times.Series[0].Values[0] != 1.5 || !math.IsNaN(times.Series[0].Values[1]) ||
		times.Series[1].Values[0] != 4 {
		t.Errorf("times %+v", times)
	}
	if few := perf.Overheads(p, perf.Summarise(p, samples[:2])); few.Log ||
		few.Series[0].Style != times.Series[0].Style {
		t.Errorf("times %+v", few)
	}
	if logged := perf.Volumes(p, perf.Summarise(p, samples)); len(logged.Series) != 2 ||
		logged.Series[1].Name != "hydee" || logged.Series[1].Values[0] != 0.5 {
		t.Errorf("logged %+v", logged) // none logs in this sample, too
	}
	if bytes := perf.Bytes(p, perf.Summarise(p, samples)); len(bytes.Series) != 3 ||
		bytes.Series[0].Values[0] != 32 || !bytes.Log {
		t.Errorf("bytes %+v", bytes)
	}
	s := sample("bt", "hydee", 0, 10*ms)
	s.Kind, s.Struck = perf.Failed, 1
	for i := range 10 {
		s.Stages = append(s.Stages, perf.Stage{Name: fmt.Sprint(i), Time: time.Duration(i) * ms})
	}
	stages := perf.Stages(perf.Recoveries(p, []perf.Sample{s}), "bt")
	if len(stages.Rows) != 1 || stages.Rows[0] != "hydee" || len(stages.Parts) != 10 ||
		stages.Parts[3].Values[0] != 3 || len(perf.Stages(nil, "bt").Rows) != 0 {
		t.Errorf("stages %+v", stages)
	}
}
