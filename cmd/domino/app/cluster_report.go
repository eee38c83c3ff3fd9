package app

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/domino-check/domino/checker/lift"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// clusterRan is one run as processes, judged.
type clusterRan struct {
	*clusterCase
	strikes   strikes
	result    *cluster.Result
	reference *cluster.Result // without failures; nil: this is one
	violation *spec.Violation
	verdict   spec.Verdict
	why       string
	err       error   // a property panics
	digests   string  // what the comparison of the digests says
	lifted    *lifted // nil: nobody has looked for it in the world
}

// decide judges the run.
func (r *clusterRan) decide() {
	res := r.result
	if res.Outside > 0 {
		r.why = fmt.Sprintf("%d processes were killed by somebody else: ", res.Outside)
	}
	switch broken := res.Processes.Judge(); {
	case broken != nil: // whatever else is wrong may come of it
		r.violation = broken
	case res.Panic != "":
		r.violation = &spec.Violation{Property: "no-panic", Message: res.Panic}
	default:
		r.violation, r.err = r.judge.Trace(&res.Trace, res.Complete)
	}
	r.digests = "no failure-free run to compare with"
	same := true
	if r.reference != nil && res.Complete {
		same = sameEnd(res, r.reference)
		switch r.digests = "as in the failure-free run"; {
		case reduced(&res.Trace) != "":
			r.digests = "not compared: " + reduced(&res.Trace)
		case !same:
			r.digests = "not as in the failure-free run"
		case gaveUp(&res.Trace):
			r.digests = "as in the failure-free run, of the ranks that have ended: somebody gave up"
		}
	}
	switch {
	case r.violation != nil:
		r.verdict, r.why = spec.Violated, r.why+r.violation.Property+": "+r.violation.Message
	case !res.Complete:
		r.verdict, r.why = spec.Unknown, r.why+"the run was ended by: "+res.Bound
	case !same && r.mustAgree():
		r.verdict, r.why = spec.Violated, "the final digests are "+r.digests
	case gaveUp(&res.Trace) && !r.scenario.Force: // as the checker has it
		r.verdict, r.why = spec.OutOfModel,
			r.why+"this run breaks nothing, but its failures have taken a rank and all that "+
				"protects it, which answers so"
	default:
		r.verdict, r.why = spec.Holds, r.why+"this run breaks nothing, which proves nothing"
	}
	// an exit is among the crashes, and no failure
	if res.Outside > 0 && r.verdict == spec.Violated &&
		res.Failures > r.resolved.Model.Failures+r.beyond {
		r.verdict = spec.OutOfModel
	}
}

// mustAgree reports whether all runs end in the same states: a program may choose otherwise, and
// then the judge knows all ends, or nobody does.
func (r *clusterRan) mustAgree() bool {
	return r.resolved.Setup.Promises.Needs >= promise.SendDeterministic &&
		!slices.ContainsFunc(r.resolved.Setup.Programs, func(p core.Program) bool {
			return slices.ContainsFunc(p, func(o core.Op) bool {
				return o.Ordered && (o.Any || o.Kind == core.OpPost)
			})
		})
}

// code is the exit code. A failure that the user has asked for, and that never struck, has shown
// nothing.
func (r *clusterRan) code() int {
	if r.verdict == spec.Holds && r.missed() > 0 {
		return exitCode(spec.Unknown)
	}
	if r.verdict == spec.Holds && r.lifted != nil {
		return r.lifted.code()
	}
	return exitCode(r.verdict)
}

// wrong reports whether the run breaks something, or was not found in the world.
func (r *clusterRan) wrong() bool {
	return r.verdict != spec.Holds || r.lifted != nil && r.lifted.code() != 0
}

// missed counts the failures and stops whose moment did not come.
func (r *clusterRan) missed() int {
	if r.strikes.Lawful { // whoever asks for a rate asks for no moment
		return r.result.Unstopped
	}
	return r.result.Unstruck + r.result.Unstopped
}

// print tells a reader.
func (r *clusterRan) print(w io.Writer, events bool) {
	l, res := &r.resolved.Setup.Layout, r.result
	fmt.Fprintf(w, "%s: %s (%s), %d ranks", r.scenario.Name, r.scenario.Protocol,
		r.scenario.Variant, l.Ranks)
	if n := len(l.Names) - l.Ranks; n > 0 {
		fmt.Fprintf(w, " and %d services", n)
	}
	fmt.Fprintf(w, ", %d processes, %s", len(l.Names), short3(res.Elapsed))
	if r.reference != nil {
		fmt.Fprintf(w, " (%s without failures)", short3(r.reference.Elapsed))
	}
	fmt.Fprintln(w)
	printUsage(w, l, res)
	r.printCrashes(w)
	printStops(w, l, res)
	printEpisodes(w, l, res.Episodes())
	for _, c := range res.Recoveries() {
		life := ""
		if c.Incarnation > 1 { // one of several
			life = fmt.Sprintf(" in life %d", c.Incarnation+1)
		}
		fmt.Fprintf(w,
			"  %s%s rolls back by %d sends and %d deliveries: restored after %s, caught up %s\n",
			l.Name(c.Rank.Proc()), life, c.Sends, c.Deliveries,
			when(c.Restored, c.Stopped), when(c.CaughtUp, c.Stopped))
	}
	if events {
		for i, e := range res.Trace.Events {
			fmt.Fprintf(w, "%10.3f ms  step %-5d %s/%d %s\n", float64(res.Trace.At[i])/1e6, e.Step,
				l.Name(e.Proc), e.Incarnation, l.Describe(e))
		}
	}
	for p := range l.Ranks {
		fmt.Fprintf(w, "%s ends in %016x\n", l.Name(trace.Proc(p)), res.Digests[p])
	}
	fmt.Fprintf(w, "digests: %s\n", r.digests)
	if r.unknown != "" {
		fmt.Fprintf(w, "note: %s\n", r.unknown)
	}
	why := r.why
	if n := r.missed(); n > 0 {
		why += fmt.Sprintf("; %d failures or stops did not strike: their moment has not come", n)
	}
	if r.lifted != nil {
		r.lifted.print(w)
	}
	fmt.Fprintf(w, "%s: %s\n", r.word(), why)
}

// word is the verdict on one run, of which nobody can say that something holds in all.
func (r *clusterRan) word() string {
	switch {
	case r.lifted != nil && r.verdict == spec.Holds && r.lifted.Verdict != lift.Found:
		return string(r.lifted.Verdict)
	case r.code() == exitCode(spec.Unknown):
		return spec.Unknown.String()
	case r.verdict == spec.Holds:
		return "fine"
	}
	return r.verdict.String()
}

// report is the run for a program.
func (r *clusterRan) report() *clusterReport {
	var digests []string
	for _, d := range r.result.Digests {
		digests = append(digests, fmt.Sprintf("%016x", d))
	}
	report := &clusterReport{versioned: as("cluster-run"), Scenario: r.scenario.Name,
		Protocol: r.scenario.Protocol, Variant: r.scenario.Variant, Verdict: r.word(), Why: r.why,
		Violation: r.violation, Digests: digests, Crashes: r.result.Crashes,
		Recoveries: r.result.Recoveries(), Counts: r.result.Counts, Stops: r.result.Stops,
		Suspicions: r.result.Suspicions, Performed: r.result.Performed, Missed: r.missed(),
		Strangers: r.result.Strangers, Placement: r.result.Placement,
		Episodes: r.result.Episodes(), Elapsed: r.result.Elapsed, Complete: r.result.Complete,
		Strikes: r.strikes}
	if r.lifted != nil {
		report.Lifted = r.lifted.report()
	}
	return report
}

// clusterReport is a run as JSON.
type clusterReport struct {
	versioned
	Scenario   string               `json:"scenario"`
	Protocol   string               `json:"protocol"`
	Variant    string               `json:"variant"`
	Verdict    string               `json:"verdict"`
	Why        string               `json:"why"`
	Violation  *spec.Violation      `json:"violation"`
	Digests    []string             `json:"digests"` // of the ends of the ranks, as words
	Crashes    []cluster.Crash      `json:"crashes"`
	Recoveries []cluster.Recovery   `json:"recoveries"`
	Counts     []cluster.Counts     `json:"counts"` // by proc, of its last life
	Stops      []cluster.Suspension `json:"stops"`
	Suspicions int                  `json:"suspicions"`         // that were false
	Performed  []int                `json:"performed"`          // effects by proc
	Missed     int                  `json:"missed"`             // failures and stops that did not strike
	Episodes   []cluster.Episode    `json:"episodes,omitempty"` // of a runtime that recovers
	// connections that were refused, of whoever had not proven to be of the run
	Strangers int             `json:"strangers"`
	Placement []cluster.Place `json:"placement,omitempty"` // with hosts: who began where
	Elapsed   time.Duration   `json:"elapsed"`
	Complete  bool            `json:"complete"`
	Strikes   strikes         `json:"strikes"`
	Lifted    *liftReport     `json:"lifted,omitempty"` // in the world, with --lift
}

// short3 is a time with three digits.
func short3(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// since is the first and the last of some times, from another on.
func since(list []time.Duration, from time.Duration) string {
	switch len(list) {
	case 0:
		return "nobody"
	case 1:
		return "after " + short3(list[0]-from)
	}
	return fmt.Sprintf("after %s to %s", short3(list[0]-from), short3(list[len(list)-1]-from))
}

// after is a time since another one; the run may have ended before.
func after(at, from time.Duration) string {
	if at == 0 {
		return "never"
	}
	return "after " + short3(at-from)
}

func when(at, from time.Duration) string {
	if at == 0 {
		return "never"
	}
	return short3(at - from)
}
