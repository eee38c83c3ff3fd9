package perf

import (
	"cmp"
	"slices"
	"time"
)

// Row is what the bare runs of one cell say: medians over the rounds.
type Row struct {
	Kernel   string  `json:"kernel"`
	Protocol string  `json:"protocol"`
	Ranks    int     `json:"ranks"`
	Rounds   int     `json:"rounds"`
	Millis   float64 `json:"millis"` // time of the programs
	// Overhead is the median over the rounds of the time by that of the baseline in the same round,
	// less one, in percent. Least is the same of the least times of both. Compared says that there
	// was a baseline.
	Compared bool    `json:"compared"`
	Overhead float64 `json:"overheadPercent"`
	Least    float64 `json:"leastOverheadPercent"`
	// between the quartiles of the ratios, so how far to believe Overhead
	Spread float64 `json:"spreadPercent"`

	Sends    float64 `json:"sends"`    // of the programs
	Payload  float64 `json:"payload"`  // bytes of them
	Messages float64 `json:"messages"` // of the machines
	Bytes    float64 `json:"bytes"`
	Carried  float64 `json:"carried"` // bytes put on messages of the programs
	Framed   bool    `json:"framed"`  // Carried is known
	Logs     float64 `json:"logs"`    // payloads in logs
	Logged   float64 `json:"logged"`
	Unsized  bool    `json:"unsized"` // not all of them have a known size, so Logged is too small
	Stored   float64 `json:"stored"`
	Storing  float64 `json:"storingMillis"`
	Begun    float64 `json:"begunMillis"`  // until all processes had begun
	Worked   float64 `json:"workedMillis"` // of processors, for all processes
	// Work is the overhead of that: as Overhead, but of a quantity that other work on the machine
	// changes less.
	Work float64 `json:"workOverheadPercent"`
	// Wrong says how a run was not what it should be; "" if none was.
	Wrong string `json:"wrong,omitempty"`
	// Unfinished says what cut a run short; its times and counts are left out.
	Unfinished string `json:"unfinished,omitempty"`

	Times  []float64 `json:"-"` // milliseconds of each round
	Ratios []float64 `json:"-"` // to the baseline of the same round
}

// Recovery is what the runs with failures of one cell say.
type Recovery struct {
	Kernel   string        `json:"kernel"`
	Protocol string        `json:"protocol"`
	Rounds   int           `json:"rounds"`
	Stages   []Stage       `json:"stages"` // of the run of median length, so that they add up
	Total    time.Duration `json:"total"`  // of that run
	Calm     time.Duration `json:"calm"`   // median of the runs without failures, with evidence
	// Overhead is the median over the rounds of the time by that of the calm run before it, less
	// one, in percent.
	Overhead float64 `json:"overheadPercent"`
	Logged   uint64  `json:"logged"` // bytes, of the run of median length
	Stored   uint64  `json:"stored"`
	// runs that ended before their failure came; they are left out
	Unstruck   int    `json:"unstruck"`
	Wrong      string `json:"wrong,omitempty"`
	Unfinished string `json:"unfinished,omitempty"`

	Times []float64 `json:"-"` // milliseconds of each round with a failure
}

// Median is the middle of the values, of an even number the mean of the two in the middle, and 0 of
// none.
func Median(values []float64) float64 { return quantile(values, 0.5) }

// quantile interpolates between the sorted values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	place := q * float64(len(sorted)-1)
	below := int(place)
	above := min(below+1, len(sorted)-1)
	part := place - float64(below)
	return float64(sorted[below]*(1-part)) + float64(sorted[above]*part)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// of are the samples of one kind of a cell, by round.
func of(samples []Sample, c Cell, kind Kind) (list []Sample) {
	for _, s := range samples {
		if s.Kernel == c.Kernel && s.Protocol == c.Protocol && s.Kind == kind {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Sample) int { return cmp.Compare(a.Round, b.Round) })
	return list
}

// finished leaves out what was cut short, and says why.
func finished(samples []Sample) (list []Sample, unfinished string) {
	for _, s := range samples {
		if s.Bound == "" {
			list = append(list, s)
		} else {
			unfinished = s.Bound
		}
	}
	return list, unfinished
}

// Summarise makes a row of each cell that was measured, in the order of the plan.
func Summarise(p *Plan, samples []Sample) (rows []Row) {
	for _, c := range p.Cells {
		list, unfinished := finished(of(samples, c, Bare))
		if len(list) == 0 && unfinished == "" {
			continue
		}
		median := func(value func(Sample) float64) float64 {
			var values []float64
			for _, s := range list {
				values = append(values, value(s))
			}
			return Median(values)
		}
		count := func(value func(Sample) uint64) float64 {
			return median(func(s Sample) float64 { return float64(value(s)) })
		}
		row := Row{Kernel: c.Kernel, Protocol: c.Protocol, Ranks: c.Ranks,
			Logs: count(func(s Sample) uint64 {
				return s.Logs
			}),
			Unsized: slices.ContainsFunc(list, func(s Sample) bool {
				return s.Unknown > 0
			}), Rounds: len(list), Unfinished: unfinished,
			Millis: median(func(s Sample) float64 { return millis(s.Time) }),
			Begun:  median(func(s Sample) float64 { return millis(s.Begun) }),
			Worked: median(func(s Sample) float64 {
				return millis(s.Worked)
			}), Storing: median(func(s Sample) float64 { return millis(s.Storing) }),
			Sends: count(func(s Sample) uint64 {
				return s.Sends
			}), Payload: count(func(s Sample) uint64 { return s.Payload }),
			Messages: count(func(s Sample) uint64 {
				return s.Messages
			}), Bytes: count(func(s Sample) uint64 { return s.Bytes }),
			Carried: count(func(s Sample) uint64 {
				return s.Carried
			}), Logged: count(func(s Sample) uint64 { return s.Logged }),
			Stored: count(func(s Sample) uint64 {
				return s.Stored
			}), Framed: len(list) > 0 && list[0].Framed}
		for _, s := range list {
			row.Times = append(row.Times, millis(s.Time))
		}
		base := c
		base.Protocol = Baseline
		none, _ := finished(of(samples, base, Bare))
		row.compare(list, none)
		row.Wrong = wrong(p, samples, c, list)
		rows = append(rows, row)
	}
	return rows
}

// compare fills in what refers to the baseline.
func (r *Row) compare(list, none []Sample) {
	var ratios, works []float64
	var least, leastNone time.Duration
	for _, s := range list {
		least = shorter(least, s.Time)
		for _, b := range none {
			if b.Round != s.Round || b.Time == 0 {
				continue
			}
			if ratios = append(ratios, float64(s.Time)/float64(b.Time)); b.Worked > 0 {
				works = append(works, float64(s.Worked)/float64(b.Worked))
			}
		}
	}
	for _, b := range none {
		leastNone = shorter(leastNone, b.Time)
	}
	if len(ratios) == 0 {
		return
	}
	r.Compared, r.Overhead, r.Ratios = true, 100*(Median(ratios)-1), ratios
	r.Spread = 100 * (quantile(ratios, 0.75) - quantile(ratios, 0.25))
	r.Least = 100 * (float64(least)/float64(leastNone) - 1)
	if len(works) > 0 {
		r.Work = 100 * (Median(works) - 1)
	}
}

// shorter is the least of the times that are not zero.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// wrong compares the final digests of runs with those of the kernel's first bare run that finished,
// preferably of the baseline.
func wrong(p *Plan, samples []Sample, c Cell, list []Sample) string {
	if !c.Repeats {
		return ""
	}
	var reference []Sample
	for _, protocol := range append([]string{Baseline}, p.Protocols()...) {
		o := c
		if o.Protocol = protocol; len(reference) == 0 {
			reference, _ = finished(of(samples, o, Bare))
		}
	}
	for _, s := range list {
		if len(reference) > 0 && !slices.Equal(s.Digests, reference[0].Digests) {
			return "the final digests are not those of a run with " + reference[0].Protocol
		}
	}
	return ""
}

// Recoveries makes a row of each cell that was run with failures, in the order of the plan.
func Recoveries(p *Plan, samples []Sample) (rows []Recovery) {
	for _, c := range p.Cells {
		all, unfinished := finished(of(samples, c, Failed))
		calm, cut := finished(of(samples, c, Calm))
		row := Recovery{Kernel: c.Kernel, Protocol: c.Protocol, Unfinished: cmp.Or(unfinished, cut),
			Wrong: wrong(p, samples, c, append(slices.Clone(all), calm...))}
		var list []Sample
		for _, s := range all {
			if s.Struck == 0 {
				row.Unstruck++
			} else {
				list = append(list, s)
			}
		}
		if len(all) == 0 && row.Unfinished == "" {
			continue
		}
		if row.Rounds = len(list); row.Rounds > 0 {
			row.measure(list, calm)
		}
		rows = append(rows, row)
	}
	return rows
}

// measure fills in the figures; there is a run at least.
func (r *Recovery) measure(list, calm []Sample) {
	var ratios, times []float64
	for _, s := range list {
		r.Times = append(r.Times, millis(s.Time))
		for _, b := range calm {
			if b.Round == s.Round && b.Time > 0 {
				ratios = append(ratios, float64(s.Time)/float64(b.Time))
			}
		}
	}
	for _, b := range calm {
		times = append(times, float64(b.Time))
	}
	middle := slices.Clone(list)
	slices.SortStableFunc(middle, func(a, b Sample) int { return cmp.Compare(a.Time, b.Time) })
	m := middle[(len(middle)-1)/2]
	r.Stages, r.Total, r.Logged, r.Stored = m.Stages, m.Time, m.Logged, m.Stored
	if r.Calm = time.Duration(Median(times)); len(ratios) > 0 {
		r.Overhead = 100 * (Median(ratios) - 1)
	}
}
