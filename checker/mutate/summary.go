package mutate

import (
	"math"
	"slices"
)

// Summary is what came of all mutants.
type Summary struct {
	Mutants    int `json:"mutants"`
	Equivalent int `json:"equivalent"` // proved
	// proved to break no property at their scope, and not expected to anywhere
	Within int `json:"within"`
	// killed because no run shows what some run of the original shows
	Vacuous     int      `json:"vacuous"`
	Undecided   []string `json:"undecided,omitempty"`   // a bound or an interruption came first
	Unexpected  []string `json:"unexpected,omitempty"`  // not as the catalogue says
	Scores      []Score  `json:"scores"`                // in the order of the methods
	Shrunk      int      `json:"shrunk"`                // runs made smaller
	MedianRatio float64  `json:"medianRatio,omitempty"` // of their steps to those of a shortest run
}

// Score is what one method has achieved on the mutants that are neither proved equivalent nor
// within the specification.
type Score struct {
	Method string   `json:"method"`
	Killed int      `json:"killed"`
	Of     int      `json:"of"`
	Missed []string `json:"missed,omitempty"`
	// schedules to the first kill; 0 when it does not draw any, or kills less than half
	Median    float64 `json:"median,omitempty"`
	Deep      float64 `json:"deep,omitempty"` // the same, over those mutants of Deeps
	Schedules int     `json:"schedules,omitempty"`
	States    int     `json:"states,omitempty"`
	Seconds   float64 `json:"seconds"`
}

// deepFrom is how many states a breadth-first search visits at least before it breaks a mutant that
// counts as deep. What a mutant does in nearly every run says nothing about strategies; the number
// of states that are nearer to the start than the bug does not depend on any of them.
const deepFrom = 1000

// Deep reports whether a mutant is one of those that tell strategies apart.
func (r *Row) Deep() bool {
	h := r.Hunt("exhaustive")
	return h != nil && h.Killed && !h.Vacuous && h.States >= deepFrom
}

// Sum adds up the rows, which have the same methods. Rows that are nil are left out.
func Sum(rows []*Row) *Summary {
	s := new(Summary)
	var ratios []float64
	for _, r := range rows {
		if r == nil {
			continue
		}
		s.Mutants++
		switch {
		case r.Unexpected != "":
			s.Unexpected = append(s.Unexpected, r.Mutant)
		case r.Undecided:
			s.Undecided = append(s.Undecided, r.Mutant)
		}
		if r.Equivalent() {
			s.Equivalent++
		}
		if r.Within() {
			s.Within++
		}
		if h := r.Hunt("exhaustive"); h != nil && h.Vacuous {
			s.Vacuous++
		}
		if r.Shrunk != nil {
			ratios = append(ratios, r.Shrunk.Ratio())
		}
		for i := range r.Hunts {
			if i == len(s.Scores) {
				s.Scores = append(s.Scores, Score{Method: r.Hunts[i].Method})
			}
			s.Scores[i].add(r, &r.Hunts[i])
		}
	}
	s.Shrunk, s.MedianRatio = len(ratios), median(ratios)
	for i := range s.Scores {
		s.Scores[i].Median = medianOf(rows, i, func(*Row) bool { return true })
		s.Scores[i].Deep = medianOf(rows, i, (*Row).Deep)
	}
	return s
}

// Equivalent reports whether the mutant is proved to be no other protocol, as far as anything that
// is judged goes.
func (r *Row) Equivalent() bool { return r.Comparison != nil && r.Comparison.Equal }

// Within reports whether the mutant is proved to break nothing, and ends otherwise in a way that
// the specification leaves open: no method can kill it.
func (r *Row) Within() bool {
	return r.Expect == Within && r.Unexpected == "" && !r.Undecided && r.Comparison != nil &&
		!r.Comparison.Equal
}

// Score is that of the method with the name, nil when it was not asked.
func (s *Summary) Score(method string) *Score {
	for i := range s.Scores {
		if s.Scores[i].Method == method {
			return &s.Scores[i]
		}
	}
	return nil
}

func (c *Score) add(r *Row, h *Hunt) {
	c.Schedules, c.States, c.Seconds = c.Schedules+h.Schedules, c.States+h.States,
		c.Seconds+h.Seconds
	if r.Equivalent() || r.Within() || h.Unfit || h.CutOff() {
		return
	}
	c.Of++
	if h.Killed {
		c.Killed++
		return
	}
	c.Missed = append(c.Missed, r.Mutant)
}

// medianOf is the median of the schedules to the first kill of a method, over the mutants of which
// a single run breaks something. One that the method misses counts as more than all others. 0 is
// that there is no median.
func medianOf(rows []*Row, method int, which func(*Row) bool) float64 {
	var list []float64
	for _, r := range rows {
		if r == nil || r.Equivalent() || r.Expect != Broken || !which(r) {
			continue
		}
		switch h := &r.Hunts[method]; {
		case h.Unfit, h.CutOff():
		case h.Killed && h.Schedules == 0:
			return 0 // it draws none
		case h.Killed:
			list = append(list, float64(h.Schedules))
		default:
			list = append(list, math.Inf(1))
		}
	}
	if m := median(list); !math.IsInf(m, 1) {
		return m
	}
	return 0
}

// median is the middle of the numbers, 0 when there are none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
