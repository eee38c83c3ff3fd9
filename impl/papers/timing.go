package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// PerfPlan is kernels under protocols, on real processes of this machine.
type PerfPlan struct {
	Kernels       []string
	Cases         []PerfCase // the first is what the others are compared with
	Ranks, Rounds int
}

// PerfCase is a protocol; of one with clusters, in how many.
type PerfCase struct {
	Name, Protocol string
	Clusters       int
}

// NetpipePlan is messages between two processes; Card is the bits a second that each may send, 0
// for no limit.
type NetpipePlan struct {
	Cases        []string // the first is what the others are compared with
	Sizes        []int    // bytes
	Rounds, Card int
}

// Timings are times, each by that of the first case in the same round.
type Timings struct {
	List []Timing
	// processes that ran at a time, the processors of the machine, and how many of these something
	// else kept busy meanwhile
	Processes, Cores int
	Others           float64
}

// Timing is of a kernel, or a size in bytes, and a case.
type Timing struct {
	Of, Case string
	Ratios   []float64 // by round
}

// mark says of a value that its times may be those of something else: where others have worked, it
// decides nothing; where only too many processes of ours have, it does not contradict.
func (t *Timings) mark(g Got) Got {
	switch {
	case t.Others > float64(t.Cores)/4:
		g.Disturbed = true
		g.Doubt = fmt.Sprintf("something else kept %.1f of %d processors busy", t.Others, t.Cores)
	case t.Processes > t.Cores:
		g.Doubt = fmt.Sprintf("%d processes shared %d processors", t.Processes, t.Cores)
	}
	return g
}

// ratios are those of a case by round, of which there must be some.
func (t *Timings) ratios(of, name string) ([]float64, error) {
	for _, one := range t.List {
		if one.Of == of && one.Case == name && len(one.Ratios) > 0 {
			return one.Ratios, nil
		}
	}
	return nil, fmt.Errorf("%s under %s was not measured", of, name)
}

// middle is the median of values, and half the distance of their quartiles.
func middle(values []float64) (median, spread float64) {
	sorted := slices.Sorted(slices.Values(values))
	at := func(q float64) float64 {
		place := q * float64(len(sorted)-1)
		below := int(place)
		above := min(below+1, len(sorted)-1)
		return sorted[below] + (place-float64(below))*(sorted[above]-sorted[below])
	}
	return at(.5), (at(.75) - at(.25)) / 2
}

// quotients are values by others, one by one.
func quotients(values, by []float64) (list []float64) {
	for i := range min(len(values), len(by)) {
		list = append(list, values[i]/by[i])
	}
	return list
}

// percentOver is what ratios are above one, in percent, as a value.
func (t *Timings) percentOver(row, name string, ratios []float64) Got {
	median, spread := middle(ratios)
	return t.mark(Got{Row: row, Name: name, Number: 100 * (median - 1), Spread: 100 * spread,
		Why: fmt.Sprintf("%s in %d rounds", percents(ratios), len(ratios))})
}

// same is how far from one a ratio may be, in percent, of which a paper says that there is no
// difference.
const same = 5

// equivalent says whether ratios are one: all that their spread covers, or nothing of it, else it
// is unclear.
func (t *Timings) equivalent(v *Value, ratios []float64) Got {
	median, spread := middle(ratios)
	g := Got{Row: v.Row, Name: v.Name, Text: v.Printed, Why: percents(ratios)}
	switch one := (&Value{Printed: "0", Tolerance: same}); one.meets(&Got{
		Number: 100 * (median - 1), Spread: 100 * spread}) {
	case Contradicted:
		g.Text = g.Why
	case Unclear:
		g.Text, g.Status = "", Unclear
	}
	return t.mark(g)
}

// percents writes what ratios are above one.
func percents(ratios []float64) string {
	median, spread := middle(ratios)
	return fmt.Sprintf("%+.1f +- %.1f %%", 100*(median-1), 100*spread)
}

// perf are the times of a plan, which are measured once.
func (b *Bench) perf(ctx context.Context, p PerfPlan) (*Timings, error) {
	if b.Perf == nil {
		return nil, fmt.Errorf("real processes: %w", ErrAbsent)
	}
	return b.timings(fmt.Sprint(p), func() (*Timings, error) { return b.Perf(ctx, p) })
}

// netpipe are the times of a plan, which are measured once.
func (b *Bench) netpipe(ctx context.Context, p NetpipePlan) (*Timings, error) {
	if b.Netpipe == nil {
		return nil, fmt.Errorf("real processes: %w", ErrAbsent)
	}
	return b.timings(fmt.Sprint(p), func() (*Timings, error) { return b.Netpipe(ctx, p) })
}

// timings keeps what was measured.
func (b *Bench) timings(key string, measure func() (*Timings, error)) (*Timings, error) {
	if t := b.timed[key]; t != nil {
		return t, nil
	}
	t, err := measure()
	if err != nil {
		return nil, err
	}
	if b.timed == nil {
		b.timed = map[string]*Timings{}
	}
	b.timed[key] = t
	return t, nil
}

// SizeWord is a number of bytes in words.
func SizeWord(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// upper are names of kernels as papers write them.
func upper(names []string) (list []string) {
	for _, n := range names {
		list = append(list, strings.ToUpper(n))
	}
	return list
}
