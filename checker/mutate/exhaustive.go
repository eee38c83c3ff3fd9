package mutate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
)

// exhaustive searches everything at the scope, breadth first, so that what it finds is as short as
// can be; what does not end within the bound of states, again depth first with the bound of memory
// alone. What breaks no property is killed if no run shows what some run of the original shows (a
// Sometimes property): the answer of a check would be that it is vacuous. Before that it has to
// keep the promises for runs without failures.
type exhaustive struct{}

func (exhaustive) Name() string { return "exhaustive" }

func (exhaustive) Hunt(ctx context.Context, t *Target, b Budget) (h Hunt, err error) {
	began := time.Now()
	h.Method = "exhaustive"
	defer func() { h.Seconds = time.Since(began).Seconds() }()
	var report func(checker.Stats)
	if b.Progress != nil {
		report = func(s checker.Stats) {
			b.Progress(Hunt{Method: "exhaustive", States: s.States, Seconds: s.Elapsed.Seconds()})
		}
	}
	o := checker.Options{Order: checker.BreadthFirst, MaxStates: b.States, MaxBytes: b.Bytes,
		Progress: report}
	w, err := open(ctx, t.Case, b)
	if err != nil {
		return h, err
	}
	r := search.Explore(ctx, w, o)
	if len(r.Found) == 0 && r.Bound != "" && ctx.Err() == nil {
		o.Order, o.Reduce, o.MaxStates = checker.DepthFirst, checker.Crashes, 0
		r = search.Explore(ctx, w, o)
	}
	h.States, h.Bound, h.Complete = r.States, r.Bound, r.Bound == "" && len(r.Found) == 0
	if len(r.Found) > 0 {
		h.shows(w, r.Found[0])
		return h, w.Err()
	}
	if err := cmp.Or(w.Err(), ctx.Err()); err != nil || !h.Complete {
		return h, err
	}
	quiet, err := open(ctx, t.Case, b)
	if err != nil {
		return h, err
	}
	if r := quiet.Rehearse(); r != nil {
		h.Killed, h.Property, h.Steps, h.Run = true, r.Violation.Property, len(r.Schedule),
			r.Schedule
		return h, nil
	}
	if missing, err := unseen(ctx, w, t.Original, b); err != nil || missing != "" {
		h.Killed, h.Vacuous, h.Property = missing != "", missing != "", missing
		return h, err
	}
	return h, nil
}

// unseen is a guard that the original has shown, and the world, explored to the end, has not.
func unseen(ctx context.Context, w *world.World, original world.Case, b Budget) (string, error) {
	_, never := w.Seen()
	if len(never) == 0 {
		return "", nil
	}
	o, err := open(ctx, original, b)
	if err != nil {
		return "", err
	}
	r := search.Explore(ctx, o, checker.Options{Reduce: checker.Crashes, MaxBytes: b.Bytes})
	if len(r.Found) > 0 {
		return "", fmt.Errorf("the original breaks %s: it is no scope to hunt at",
			r.Found[0].Property)
	}
	seen, _ := o.Seen()
	for _, name := range never {
		if slices.Contains(seen, name) {
			return name, nil
		}
	}
	return "", ctx.Err()
}

// Comparison is what the ends of all runs of a mutant and of the original have in common.
type Comparison struct {
	Equal bool `json:"equal"`
	// distinct observations at the ends of runs of the original
	Ends     int    `json:"ends"`
	States   int    `json:"states"`            // of both
	Missing  string `json:"missing,omitempty"` // an end that only the original has
	Extra    string `json:"extra,omitempty"`   // an end that only the mutant has
	Bound    string `json:"bound,omitempty"`   // what ended a search early: then nothing is proved
	Property string `json:"property,omitempty"`
}

// Compare explores both to the end and compares all that can be observed there: what each program
// has sent, received and ended in, its recovery line, who is up, and what properties with a memory
// remember; of a protocol without programs the states of all procs.
func Compare(ctx context.Context, t *Target, b Budget) (Comparison, error) {
	var ends [2]map[string]bool
	var c Comparison
	for i, q := range []world.Case{t.Original, t.Case} {
		w, err := open(ctx, q, b)
		if err != nil {
			return c, err
		}
		e := &endings{World: w, seen: map[string]bool{}}
		r := search.Explore(ctx, e, checker.Options{Reduce: checker.Crashes, MaxBytes: b.Bytes})
		if err := cmp.Or(w.Err(), ctx.Err()); err != nil {
			return c, err
		}
		c.States += r.States
		if r.Bound != "" {
			c.Bound = r.Bound
		}
		if len(r.Found) > 0 {
			c.Property = r.Found[0].Property
		}
		ends[i] = e.seen
	}
	c.Ends = len(ends[0])
	c.Missing, c.Extra = only(ends[0], ends[1]), only(ends[1], ends[0])
	c.Equal = c.Missing == "" && c.Extra == "" && c.Bound == "" && c.Property == ""
	return c, nil
}

// difference says in what the two are not equal.
func (c *Comparison) difference() string {
	switch {
	case c.Property != "":
		return "it breaks " + c.Property
	case c.Missing != "":
		return "no run ends like this one of the original: " + c.Missing
	}
	return "some run ends like none of the original: " + c.Extra
}

// only is the first text that is in one set alone.
func only(a, b map[string]bool) string {
	least := ""
	for text := range a { // the least: the order does not matter
		if !b[text] && (least == "" || text < least) {
			least = text
		}
	}
	return least
}

// endings is a world that notes the observations at the ends of runs.
type endings struct {
	*world.World
	mu   sync.Mutex
	seen map[string]bool
}

func (e *endings) Terminal(state []uint32) int {
	text := e.observe(state)
	e.mu.Lock()
	e.seen[text] = true
	e.mu.Unlock()
	return e.World.Terminal(state)
}

// observe is what can be seen of a state from outside.
func (e *endings) observe(state []uint32) string {
	var b strings.Builder
	layout := &e.Setup.Layout
	for p := range core.Proc(len(layout.Names)) {
		o := e.Observed(state, p)
		switch h := o.History; {
		case layout.Ranks == 0:
			fmt.Fprintf(&b, "%s %x\n", layout.Name(p), e.Content(state, p))
		case int(p) >= layout.Ranks:
		case h == nil:
			fmt.Fprintf(&b, "%s is down\n", layout.Name(p))
		default:
			fmt.Fprintf(&b, "%s sent %d done %t %x received", layout.Name(p), h.Sent, h.Done,
				h.Digest)
			for _, d := range h.Delivered {
				fmt.Fprintf(&b, " %s/%x", layout.Label(d.ID), d.Digest)
			}
			if o.Line != nil {
				fmt.Fprintf(&b, " line %d/%d", o.Line.Sent, len(o.Line.Delivered))
			}
			b.WriteByte('\n')
		}
	}
	for _, r := range e.Remembered(state) {
		fmt.Fprintf(&b, "%x\n", r.AppendKey(nil))
	}
	return b.String()
}
