package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios/spelling"
)

// Share is how much of the runs a strategy gets.
type Share struct {
	Strategy string
	Weight   int
}

// DefaultMix is the portfolio of the design: no strategy is best everywhere, and each bug is found
// by some.
func DefaultMix() []Share {
	return []Share{{"pos", 25}, {"pctcp", 25}, {"urw", 20}, {"random", 15}, {"feedback", 15}}
}

// Strategies are the names that a mix may have.
func Strategies() []string { return append(sample.Strategies(), "feedback") }

// ParseMix reads "pos=25,pctcp=25" or, with equal weights, "pos,random". Empty text is the default.
func ParseMix(text string) ([]Share, error) {
	if text == "" {
		return DefaultMix(), nil
	}
	var mix []Share
	for word := range strings.SplitSeq(text, ",") {
		name, weight, given := strings.Cut(strings.TrimSpace(word), "=")
		if !slices.Contains(Strategies(), name) {
			return nil, fmt.Errorf("unknown strategy %q%s Known: %s", name,
				spelling.Guess(name, Strategies()), strings.Join(Strategies(), ", "))
		}
		if slices.ContainsFunc(mix, func(s Share) bool { return s.Strategy == name }) {
			return nil, fmt.Errorf("strategy %s is given twice", name)
		}
		s := Share{name, 1}
		if given {
			var err error
			if s.Weight, err = strconv.Atoi(weight); err != nil || s.Weight < 1 || s.Weight > 1000 {
				return nil, fmt.Errorf("strategy %s: weight %q, want a number in [1, 1000]", name,
					weight)
			}
		}
		mix = append(mix, s)
	}
	return mix, nil
}

// Yield is what a strategy has brought.
type Yield struct {
	Strategy string `json:"strategy"`
	Runs     int    `json:"runs"`
	Steps    int    `json:"steps"`
	New      int    `json:"new"`   // runs that showed a shape that was new for their scenario
	Found    int    `json:"found"` // violations, of which a run shows one at most
}

// mixDepth is the depth of the bugs that PCTCP looks for: two ordering constraints beside the
// faults, which have places of their own.
const mixDepth = 3

// mix is a strategy that leaves each run to one of several. It watches all runs: what is new among
// them is for the one that learns.
type mix struct {
	parts    []part
	total    int
	now      *part
	feedback *feedback // nil when it is not among them
	shapes   shapes
	run      record
	cut      struct { // the first run that was cut off
		record
		by *part
	}
}

type part struct {
	Share
	sample.Strategy
	yield Yield
}

func newMix(shares []Share) *mix {
	m := &mix{shapes: shapes{edges: map[uint64]struct{}{}}}
	for _, s := range shares {
		p := part{Share: s, yield: Yield{Strategy: s.Strategy}}
		if s.Strategy == "feedback" {
			m.feedback = new(feedback)
			p.Strategy = m.feedback
		} else {
			var err error
			if p.Strategy, err = sample.ParseStrategy(s.Strategy, mixDepth); err != nil {
				panic("invariant: the strategies of a mix are known: " + err.Error())
			}
		}
		m.parts = append(m.parts, p)
		m.total += s.Weight
	}
	return m
}

func (m *mix) Begin(r *rand.Rand, e *sample.Lengths) {
	m.end()
	at := r.IntN(m.total)
	for i := range m.parts {
		if at -= m.parts[i].Weight; at < 0 {
			m.now = &m.parts[i]
			break
		}
	}
	m.now.yield.Runs++
	m.now.Begin(r, e)
}

func (m *mix) Plan() ([]sample.Fault, bool) {
	if p, ok := m.now.Strategy.(sample.Planner); ok {
		return p.Plan()
	}
	return nil, false
}

func (m *mix) Pick(c *sample.Choice) int {
	i := m.now.Pick(c)
	m.now.yield.Steps++
	m.run.note(c, i)
	m.shapes.note(c, i)
	return i
}

// end comes after a run: one that shows a new shape is kept.
func (m *mix) end() {
	if m.now != nil && m.shapes.fresh {
		m.now.yield.New++
		if m.feedback != nil {
			m.feedback.keep(&m.run)
		}
	}
	if len(m.run.codes) >= mostSteps && m.cut.codes == nil {
		m.cut.record, m.cut.by = m.run, m.now
	}
	m.run = record{}
	m.shapes.begin()
}

// found says which strategy drew the last run, which shows a violation; none did when the start
// shows it.
func (m *mix) found() string {
	if m.now == nil {
		return "the start"
	}
	m.now.yield.Found++
	return m.now.Share.Strategy
}

// yields is what each part has brought so far.
func (m *mix) yields() (list []Yield) {
	for i := range m.parts {
		list = append(list, m.parts[i].yield)
	}
	return list
}

// record is a run in the terms of a strategy: its steps, and where faults struck.
type record struct {
	codes     []uint64
	faults    []sample.Fault
	lastFault int // how many steps there were up to the last fault
}

func (r *record) note(c *sample.Choice, i int) {
	step := c.Steps[i]
	r.codes = append(r.codes, step.Code)
	if !step.Fault {
		return
	}
	r.lastFault = len(r.codes)
	proc, kind := c.System.Owner(step.Code)
	at := 0
	if proc < len(c.Taken) {
		at = c.Taken[proc]
	}
	r.faults = append(r.faults, sample.Fault{Kind: kind, Proc: proc, At: at})
}

// shapes are the happens-before edges that the runs of one scenario have shown: which event of a
// proc came right after which, behind how many faults. Events of different procs have no order but
// by their messages, so runs with the same edges differ at most in what is far apart.
type shapes struct {
	edges map[uint64]struct{}
	last  []uint64 // event of each proc in this run
	fresh bool     // this run has an edge that no earlier one had
}

func (s *shapes) begin() { s.last, s.fresh = s.last[:0], false }

func (s *shapes) note(c *sample.Choice, i int) {
	proc, _ := c.System.Owner(c.Steps[i].Code)
	for len(s.last) <= proc {
		s.last = append(s.last, 0)
	}
	edge := core.Mix(core.Mix(s.last[proc])+c.Steps[i].Code) + uint64(c.Struck)
	s.last[proc] = c.Steps[i].Code
	if _, known := s.edges[edge]; !known {
		s.edges[edge] = struct{}{}
		s.fresh = true
	}
}
