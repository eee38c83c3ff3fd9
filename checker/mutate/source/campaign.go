package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Campaign asks mutants, each until something notices it.
type Campaign struct {
	Module   *Module
	Packages []*Package
	Program  string // built with the mutants of the packages
	// Judges are the protocols whose scenarios may notice a mutant of a package, by its path;
	// Others, those that stand on the package, are asked after them.
	Judges, Others map[string][]string
	Fuzzed         []string      // protocols that there are random scenarios for
	Fuzz           time.Duration // for each mutant that the scenarios do not notice
	Seed           uint64
	Within         int // scenarios of more states are left out; 0 = none is
	Workers        int
	Out            string       // file of results, to go on from; "" = none
	Tell           func(string) // what is going on; may be nil

	base    *Baseline
	odds    *odds
	sources map[string]string // digests of packages
	budget  string
	why     map[*Mutant]string
}

// Campaigned is what a campaign has shown.
type Campaigned struct {
	Results []*Result `json:"results"` // in the order of the source
	Mutants int       `json:"mutants"` // that there are
	Left    []*Mutant `json:"left"`    // out, as they do not compile
	Stale   []string  `json:"stale"`   // entries of EquivalentFile that are about no mutant
	Wrong   []string  `json:"wrong"`   // scenarios that the original does not answer as expected
	Slow    []string  `json:"slow"`    // scenarios that were left out
}

// Run asks the mutants. Those that are known from the file of results are not asked again: killed
// ones while their package is as it was, others while everything is.
func (c *Campaign) Run(ctx context.Context, mutants []*Mutant, done func(*Result)) (*Campaigned,
	error) {
	out := &Campaigned{}
	for _, p := range c.Packages {
		out.Mutants += len(p.Mutants)
		out.Left = append(out.Left, p.Left...)
	}
	known, err := c.prepare(ctx, mutants)
	if err != nil {
		return nil, err
	}
	if c.why, out.Stale, err = c.equivalents(); err != nil {
		return nil, err
	}
	out.Wrong, out.Slow = c.base.Wrong, c.base.Slow
	answers := make([]*Result, len(mutants))
	var mu sync.Mutex
	var all []error
	parallel(c.Workers, len(mutants), func(i int) {
		r, err := c.answer(ctx, mutants[i], known)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			if ctx.Err() == nil {
				all = append(all, err)
			}
			return
		}
		answers[i] = r
		done(r)
	})
	for _, r := range answers {
		if r != nil {
			out.Results = append(out.Results, r)
		}
	}
	return out, errors.Join(all...)
}

// prepare asks the original, and finds what is known.
func (c *Campaign) prepare(ctx context.Context, mutants []*Mutant) (map[string]*Result, error) {
	digest, err := c.Module.Digest()
	if err != nil {
		return nil, err
	}
	c.budget = fmt.Sprintf("%s within %d fuzz %v seed %d", digest, c.Within, c.Fuzz, c.Seed)
	c.odds, c.sources = newOdds(), map[string]string{}
	var protocols []string
	for _, p := range c.Packages {
		if c.sources[p.Path], err = c.Module.digest(p.Path); err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(c.Judges[p.Path], c.Others[p.Path]) {
			if !slices.Contains(protocols, name) {
				protocols = append(protocols, name)
			}
		}
	}
	if c.base, err = c.baseline(ctx, digest, protocols); err != nil {
		return nil, err
	}
	known, err := results(c.Out)
	if err != nil {
		return nil, err
	}
	for _, m := range mutants {
		if r := c.known(m, known); r != nil && r.Fate == Killed {
			c.odds.note(m, r.Trial, true)
		}
	}
	return known, nil
}

// last is the number of the last mutant.
func (c *Campaign) last() int {
	p := c.Packages[len(c.Packages)-1]
	if len(p.Mutants) == 0 {
		return 0
	}
	return p.Mutants[len(p.Mutants)-1].Number
}

// known is the answer of a former campaign, if it still says something.
func (c *Campaign) known(m *Mutant, known map[string]*Result) *Result {
	r := known[(&Result{Mutant: *m, Source: c.sources[m.Package]}).key()]
	if r == nil || r.Fate != Killed && r.Budget != c.budget {
		return nil
	}
	r.Mutant = *m
	return r
}

// answer is the result of one mutant.
func (c *Campaign) answer(ctx context.Context, m *Mutant, known map[string]*Result) (*Result,
	error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if why, ok := c.why[m]; ok {
		return &Result{Mutant: *m, Fate: Equal, Why: why}, nil
	}
	if r := c.known(m, known); r != nil {
		return r, nil
	}
	r, err := c.ask(ctx, m)
	if err != nil {
		return nil, err
	}
	return r, c.keep(r)
}

// ask goes through the trials that reach the place of a mutant.
func (c *Campaign) ask(ctx context.Context, m *Mutant) (*Result, error) {
	r := &Result{Mutant: *m, Source: c.sources[m.Package], Budget: c.budget}
	began := time.Now()
	defer func() { r.Seconds = time.Since(began).Seconds() }()
	own := c.reaching(m, c.Judges[m.Package])
	others := c.reaching(m, c.Others[m.Package])
	if len(own)+len(others) == 0 {
		r.Fate = Uncovered
		return r, nil
	}
	cost := func(trial string) float64 { return float64(c.base.Trials[trial].States) }
	c.odds.sort(m, own, cost)
	c.odds.sort(m, others, cost)
	fuzz := c.Judges[m.Package]
	if len(own) == 0 {
		fuzz = c.Others[m.Package]
	}
	for _, trials := range [][]Trial{own, others, c.random(m, fuzz)} {
		if err := c.through(ctx, r, m, trials); err != nil || r.Fate == Killed {
			return r, err
		}
	}
	if r.Fate = Survived; len(r.Open) > 0 {
		r.Fate = Unanswered
	}
	return r, nil
}

// through asks trials in one process, which ends at the first that kills.
func (c *Campaign) through(ctx context.Context, r *Result, m *Mutant, trials []Trial) error {
	if len(trials) == 0 {
		return nil
	}
	limit := 0.0
	for _, t := range trials {
		limit += t.Seconds
	}
	return judge(ctx, c.Program, &Job{Mutant: m.Number, Trials: trials},
		time.Duration(limit*float64(time.Second)), func(s *Said) {
			r.Trials++
			c.odds.note(m, s.Trial, s.Killed)
			switch {
			case s.Killed:
				r.Fate, r.By, r.Trial, r.Why = Killed, "check", s.Trial, s.Why
				if strings.HasPrefix(s.Trial, "fuzz ") {
					r.By = "fuzz"
				}
			case s.Open:
				r.Open = append(r.Open, s.Trial)
			}
		})
}

// Limits of a search of a mutant, against that of the original: by states, so that a busy machine
// does not show, and by time, so that it ends.
const (
	moreStates  = 4
	moreTime    = 20
	leastStates = 5_000
	leastTime   = 20
)

// reaching are the scenarios of some protocols that reach a mutant.
func (c *Campaign) reaching(m *Mutant, protocols []string) (list []Trial) {
	for name, s := range c.base.Trials {
		if slices.Contains(protocols, s.Protocol) && slices.Contains(s.Reached, m.Site) {
			list = append(list, Trial{Scenario: name, States: moreStates*s.States + leastStates,
				Seconds: moreTime*s.Seconds + leastTime})
		}
	}
	slices.SortFunc(list, func(a, b Trial) int { return strings.Compare(a.Scenario, b.Scenario) })
	return list
}

// random are the trials with random scenarios, which share the time.
func (c *Campaign) random(m *Mutant, protocols []string) (list []Trial) {
	for _, p := range protocols {
		if c.Fuzz > 0 && slices.Contains(c.Fuzzed, p) && len(c.reaching(m, []string{p})) > 0 {
			list = append(list, Trial{Fuzz: p, Seed: c.Seed})
		}
	}
	for i := range list {
		list[i].Seconds = c.Fuzz.Seconds() / float64(len(list))
	}
	return list
}

// tell says what is going on.
func (c *Campaign) tell(what string) {
	if c.Tell != nil {
		c.Tell(what)
	}
}
