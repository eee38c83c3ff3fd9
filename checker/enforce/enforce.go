package enforce

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Verdict says what came of a run that was to be enforced.
type Verdict string

// The verdicts.
const (
	Broken    Verdict = "enforced and broken"     // the property that the run of the world breaks
	Otherwise Verdict = "enforced and otherwise"  // another property, or only in one of the two
	Fine      Verdict = "enforced and fine"       // nothing, as in the world
	Stuck     Verdict = "not enforced"            // a move could not be made
	Refused   Verdict = "beyond real processes"   // it has what no driver does
	Differs   Verdict = "enforced, not as wanted" // the evidence is not that of the world
)

// Outcome is what came of a run.
type Outcome struct {
	Verdict Verdict
	Reason  string          // in words; of Broken, how it was judged
	Moves   int             // that were made
	Of      int             // moves of the course; a part that repeats itself counts twice
	Stuck   string          // of Stuck and Refused: the move in question
	Want    *spec.Violation // of the run of the world; nil: none
	Got     *spec.Violation // of the run of the processes: of the same property, or the first
	Result  *cluster.Result // nil of Refused
}

// Other is the folder, beside that of the run, of a run without failures with which a property
// compares it.
const Other = "reference"

// Run enforces a run of the world, which has its facts, on the processes of a configuration, which
// lacks the course. Where the property that it breaks compares runs, the run of the world without
// failures, with which that begins, is enforced first (Other). The error says that no run could be
// made at all.
func Run(ctx context.Context, w *world.World, r *world.Run, c cluster.Config) (*Outcome, error) {
	var other *trace.Trace
	if v := r.Violation; v != nil && w.Relates(v.Property) {
		calm, beside := w.Attempt(nil, ""), c
		beside.Dir = filepath.Join(filepath.Dir(c.Dir), Other)
		out, err := one(ctx, w, calm, beside, nil)
		if err != nil {
			return nil, err
		}
		if out.Verdict != Fine {
			out.Reason, out.Want = "the run without failures, with which "+v.Property+
				" compares this one: "+out.Reason, v
			if out.Verdict == Broken {
				out.Verdict = Otherwise
			}
			return out, nil
		}
		other = &out.Result.Trace
	}
	return one(ctx, w, r, c, other)
}

// one enforces one run; other is the trace of the one with which it is compared, nil for none.
func one(ctx context.Context, w *world.World, r *world.Run, c cluster.Config,
	other *trace.Trace) (*Outcome, error) {
	co, reason := Course(w, r)
	out := &Outcome{Verdict: Refused, Reason: reason, Of: len(co.Moves), Want: r.Violation}
	if reason != "" {
		return out, nil
	}
	for i := range co.Moves {
		if m := &co.Moves[i]; m.Why != "" {
			out.Moves, out.Stuck, out.Reason = i, m.Text, m.Why
			return out, nil
		}
	}
	c.Course = co
	var err error
	if out.Result, err = cluster.Run(ctx, c); err != nil {
		return nil, err
	}
	out.Moves = out.Result.Moves
	return out, out.judge(w, r, co, other)
}

// Course is the course of a run; the reason says why there is none for real processes.
func Course(w *world.World, r *world.Run) (c *course.Course, reason string) {
	c = w.Course(r)
	if r.Loop > 0 { // the states show that it comes back
		c.Moves = append(c.Moves, c.Moves[len(c.Moves)-r.Loop:]...)
	}
	if r.Fairly {
		return c, "it goes on for ever without repeating itself"
	}
	return c, ""
}

// judge decides what the run shows.
func (o *Outcome) judge(w *world.World, r *world.Run, c *course.Course,
	other *trace.Trace) error {
	res := o.Result
	if broken := res.Processes.Judge(); broken != nil { // whatever else is wrong may come of it
		o.Verdict, o.Got = Otherwise, broken
		o.Reason = "the runtime itself is wrong: " + broken.Message
		return nil
	}
	if o.Moves < o.Of {
		o.Verdict, o.Reason, o.Stuck = Stuck, res.Unmade, c.Moves[o.Moves].Text
		return nil
	}
	if err := o.find(w, other); err != nil {
		return err
	}
	differs := ""
	if r.Loop == 0 { // otherwise the evidence has some of it twice
		differs = different(&res.Trace, &r.Trace)
	}
	switch want, got := o.Want, o.Got; {
	case differs != "":
		o.Verdict, o.Reason = Differs, differs
	case want != nil && got != nil && got.Property == want.Property:
		o.Verdict, o.Reason = Broken, "judged by the evidence of the processes"
		if other != nil {
			o.Reason += ", beside that of a run without failures"
		}
	case want != nil && got == nil && (r.Loop > 0 || w.ByStates(want.Property)):
		o.Verdict, o.Got = Broken, want
		o.Reason = "judged by the states, which are those of the world"
	case want == nil && got == nil:
		o.Verdict, o.Reason = Fine, "the run breaks nothing, as in the world"
	default:
		o.Verdict, o.Reason = Otherwise, fmt.Sprintf("want %s, got %s", says(want), says(got))
	}
	return nil
}

// find judges the evidence: what is wanted comes before all else.
func (o *Outcome) find(w *world.World, other *trace.Trace) error {
	res := o.Result
	if res.Panic != "" {
		o.Got = &spec.Violation{Property: "no-panic", Message: res.Panic, Step: o.Moves}
		return nil
	}
	properties, err := spec.Select(w.Facts)
	if err != nil {
		return err
	}
	found, err := spec.Judge(w.Facts, &res.Trace, properties, res.Complete)
	if err == nil && other != nil {
		var apart *spec.Violation
		if apart, err = compared(w.Facts, properties, other, &res.Trace); apart != nil {
			found = append(found, *apart)
		}
	}
	if err != nil || len(found) == 0 {
		return err
	}
	at := 0
	if o.Want != nil {
		at = max(0, slices.IndexFunc(found, func(v spec.Violation) bool {
			return v.Property == o.Want.Property
		}))
	}
	o.Got = &found[at]
	return nil
}

// compared is what a run contradicts in one that was judged before it.
func compared(f *spec.Facts, properties []spec.Property, before, now *trace.Trace) (
	*spec.Violation, error) {
	var w spec.Witnesses
	if v, err := w.Judge(f, before, properties); v != nil || err != nil {
		return v, err
	}
	return w.Judge(f, now, properties)
}

// says names a violation.
func says(v *spec.Violation) string {
	if v == nil {
		return "nothing broken"
	}
	return v.Property + ": " + v.Message
}

// different says where the evidence of a proc is not that of the world, "" if it is everywhere.
// That a channel has ended is evidence of the world alone.
func different(got, want *trace.Trace) string {
	for p := range want.Layout.Names {
		a, b := of(got, trace.Proc(p)), of(want, trace.Proc(p))
		for i := range max(len(a), len(b)) {
			var words [2]string
			for k, list := range [2][]trace.Event{a, b} {
				words[k] = "nothing"
				if i < len(list) {
					words[k] = fmt.Sprintf("incarnation %d: %s", list[i].Incarnation,
						want.Layout.Describe(list[i]))
				}
			}
			if words[0] != words[1] {
				return fmt.Sprintf("event %d of %s: want %s, got %s", i+1,
					want.Layout.Name(trace.Proc(p)), words[1], words[0])
			}
		}
	}
	return ""
}

// of are the events of a proc.
func of(t *trace.Trace, p trace.Proc) (list []trace.Event) {
	for _, e := range t.Events {
		if e.Proc == p && e.Kind != trace.Lost {
			list = append(list, e)
		}
	}
	return list
}
