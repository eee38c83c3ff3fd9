package mutate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
)

// Budget bounds the hunt of one method for one mutant. A zero is no bound.
type Budget struct {
	Time      time.Duration // of methods that draw runs
	Schedules int           // of methods that draw runs
	States    int           // of the exhaustive search, breadth first and then again depth first
	Bytes     int64         // of memory
	Seed      uint64
	Progress  func(Hunt) // called now and then, may be nil
}

// Hunt is what came of one method on one mutant.
type Hunt struct {
	Method    string `json:"method"`
	Killed    bool   `json:"killed"`
	Property  string `json:"property,omitempty"`  // that is broken
	Schedules int    `json:"schedules,omitempty"` // drawn, up to the one that breaks it
	States    int    `json:"states,omitempty"`    // visited
	// of the run that breaks it, 0 when only several runs together do
	Steps int `json:"steps,omitempty"`
	// steps of it when the method makes what it finds smaller
	Small int `json:"small,omitempty"`
	// the method has nothing to say about the protocol: Bound
	Unfit bool `json:"unfit,omitempty"`
	// killed because no run shows what some run of the original shows: Property
	Vacuous  bool    `json:"vacuous,omitempty"`
	Complete bool    `json:"complete,omitempty"` // nothing is left to be searched
	Bound    string  `json:"bound,omitempty"`    // what ended it
	Seconds  float64 `json:"seconds"`

	Run []string `json:"-"` // events of the run that breaks it
}

// Method hunts for a violation at the scope of a target within a budget. What it finds is the same
// for the same target, seed and bounds of states and schedules; bounds of time and memory only make
// it stop earlier.
type Method interface {
	Name() string
	Hunt(ctx context.Context, t *Target, b Budget) (Hunt, error)
}

// Beyond is a method that hunts in other scopes than that of the scenario of a target, too.
type Beyond interface {
	Method
	Beyond()
}

// Methods are those of this package, by the name of each; "portfolio" takes turns.
func Methods() []Method {
	list := []Method{exhaustive{}, plainWalk{}}
	for _, name := range sample.Strategies() {
		list = append(list, sampler{name, func() sample.Strategy { return parse(name) }})
	}
	return append(list, sampler{"portfolio", func() sample.Strategy {
		return newPortfolio(parse("pos"), parse("pctcp"), parse("urw"), parse("random"))
	}})
}

// SelectMethods finds the methods with the names.
func SelectMethods(all []Method, names []string) ([]Method, error) {
	var list []Method
	for _, name := range names {
		i := slices.IndexFunc(all, func(m Method) bool { return m.Name() == name })
		if i < 0 {
			var known []string
			for _, m := range all {
				known = append(known, m.Name())
			}
			return nil, fmt.Errorf("unknown method %q, want some of %s", name,
				strings.Join(known, ", "))
		}
		if slices.ContainsFunc(list, func(m Method) bool { return m.Name() == name }) {
			return nil, fmt.Errorf("method %s is there twice", name)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// pctcpDepth is the depth of bugs that PCTCP looks for: most known bugs need no more ordered
// events.
const pctcpDepth = 3

func parse(name string) sample.Strategy {
	s, err := sample.ParseStrategy(name, pctcpDepth)
	if err != nil {
		panic("invariant: the names of strategies are known: " + err.Error())
	}
	return s
}

// sampler draws runs with a strategy.
type sampler struct {
	name string
	make func() sample.Strategy
}

func (s sampler) Name() string { return s.name }

func (s sampler) Hunt(ctx context.Context, t *Target, b Budget) (Hunt, error) {
	began := time.Now()
	w, err := open(ctx, t.Case, b)
	if err != nil {
		return Hunt{}, err
	}
	o := sample.Options{Runs: b.Schedules, Seed: b.Seed, MaxTime: b.Time, MaxBytes: b.Bytes}
	if o.Runs == 0 {
		o.Runs = 1 << 40
	}
	if b.Progress != nil {
		o.Progress = func(r sample.Result) {
			b.Progress(Hunt{Method: s.name, Schedules: r.Runs, Seconds: r.Elapsed.Seconds()})
		}
	}
	r := sample.Draw(ctx, w, s.make(), o)
	h := Hunt{Method: s.name, Schedules: r.Runs, Bound: r.Bound}
	if len(r.Found) > 0 {
		h.Schedules = r.First
		h.shows(w, r.Found[0])
	}
	h.Seconds = time.Since(began).Seconds()
	return h, cmp.Or(w.Err(), ctx.Err())
}

// open makes a new world: what it remembers of other runs would help one method with what another
// has seen.
func open(ctx context.Context, c world.Case, b Budget) (*world.World, error) {
	w, _, err := world.Open(ctx, c, checker.Options{MaxBytes: b.Bytes})
	return w, err
}

// shows notes the run that breaks a property.
func (h *Hunt) shows(w *world.World, f checker.Found) {
	h.Killed, h.Property = true, f.Property
	run, err := w.Follow(f.Path)
	if err != nil || run.Violation == nil || run.Violation.Property != f.Property ||
		w.Relates(f.Property) {
		return // it takes several runs to see it
	}
	h.Steps, h.Run = len(run.Schedule), run.Schedule
}
