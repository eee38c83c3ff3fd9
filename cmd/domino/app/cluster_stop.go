package app

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// parseStops reads the false suspicions that the user asks for: PROC@MOMENT[+DURATION].
func parseStops(list []string, setup *core.Setup) (stops []cluster.Stop, err error) {
	for _, text := range list {
		st, err := parseStop(text, setup)
		if err != nil {
			return nil, fmt.Errorf("--stop %s: %w", text, err)
		}
		stops = append(stops, st)
	}
	return stops, nil
}

func parseStop(text string, setup *core.Setup) (st cluster.Stop, err error) {
	proc := func(name string) core.Proc {
		i := slices.Index(setup.Layout.Names, name)
		if i < 0 && err == nil {
			err = fmt.Errorf("there is no proc %q, there are %s", name,
				strings.Join(setup.Layout.Names, " "))
		}
		return core.Proc(max(i, 0))
	}
	who, when, ok := strings.Cut(text, "@")
	if !ok {
		return st, fmt.Errorf("want PROC@MOMENT or PROC@MOMENT+DURATION")
	}
	st.Proc = proc(who)
	st.By = st.Proc
	when, length, long := strings.Cut(when, "+")
	if long {
		if st.For, err = time.ParseDuration(length); err != nil || st.For <= 0 {
			return st, fmt.Errorf("%q is no time to be stopped, want one like 200ms", length)
		}
	}
	if d, e := time.ParseDuration(when); e == nil && strings.Trim(when, "0123456789") != "" {
		if st.Timed, st.At = true, d; d < 0 {
			return st, fmt.Errorf("the time is negative")
		}
		return st, err
	}
	if name, number, ok := strings.Cut(when, ":"); ok {
		st.By, when = proc(name), number
	}
	n, e := strconv.Atoi(when)
	if err == nil && (e != nil || n < 0) {
		err = fmt.Errorf("want a number of effects or a time after the @")
	}
	st.After = n
	return st, err
}

// allowStops makes room in the failure model for false suspicions: two for each stop, since one
// makes many protocols only ask, as far as the protocol promises.
func (c *clusterCase) allowStops(k strikes) {
	n := len(k.Stops)
	if k.Silence > 0 {
		n++
	}
	if n == 0 {
		return
	}
	m, most := &c.resolved.Model, c.resolved.Setup.Promises.Suspicions
	if most < 0 || most >= 2*n {
		n *= 2
	}
	m.Suspicions, m.Victims = min(max(m.Suspicions, n), fault.Max), nil
}

// drawStops puts, in half of the plans, a process that is stopped for a while in the place of the
// false suspicions that a plan asks for.
func drawStops(rng *rand.Rand, r *verify.Resolved, list []plan.Request) (stops []cluster.Stop,
	rest []plan.Request) {
	l, m := &r.Setup.Layout, &r.Model
	var procs []core.Proc // whom somebody may suspect
	for p := range core.Proc(len(l.Names)) {
		if !l.Hosted[p] && !slices.Contains(r.Setup.Certain, p) &&
			(m.Victims == nil || slices.Contains(m.Victims, p)) {
			procs = append(procs, p)
		}
	}
	replace := rng.IntN(2) == 0 && len(procs) > 0
	for _, q := range list {
		if !replace || !q.Suspicious && !q.Expires {
			rest = append(rest, q)
		} else if len(stops) == 0 {
			stops = append(stops, cluster.Stop{Proc: procs[rng.IntN(len(procs))], By: q.Proc,
				After: q.After, For: time.Duration(rng.IntN(30)+1) * time.Millisecond})
		}
	}
	return stops, rest
}

// gaveUp reports whether some proc has given up with a typed answer, so that not everybody ends as
// without failures.
func gaveUp(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Events, func(e trace.Event) bool { return e.Kind == trace.Halted })
}

// reduced says why the job that ends is not the one that began: a policy has given it up, or has it
// go on without a rank.
func reduced(t *trace.Trace) string {
	for _, e := range t.Events {
		if e.Kind != trace.Ruled {
			continue
		}
		switch word, _ := trace.RuleOf(e.Text); word {
		case trace.RuleAborted:
			return "the job was given up"
		case trace.RuleSustained:
			return "the job went on without " + t.Layout.Name(e.Peer)
		}
	}
	return ""
}

// sameEnd compares the ends of two runs: of ranks that have ended in both, if somebody has given
// up.
func sameEnd(res, reference *cluster.Result) bool {
	if reduced(&res.Trace) != "" {
		return true // another job, of which the judge knows the ends
	}
	if !gaveUp(&res.Trace) {
		return slices.Equal(res.Digests, reference.Digests) &&
			slices.Equal(res.Done, reference.Done)
	}
	for r, done := range res.Done {
		if done && reference.Done[r] && res.Digests[r] != reference.Digests[r] {
			return false
		}
	}
	return true
}

// printStops tells a reader of the stops.
func printStops(w io.Writer, l *trace.Layout, res *cluster.Result) {
	for i, s := range res.Stops {
		fmt.Fprintf(w, "stop %d: %s at %s", i+1, l.NamesOf(s.Procs), short3(s.At))
		if s.Outside {
			fmt.Fprint(w, " (by somebody else, or busy)")
		} else {
			fmt.Fprintf(w, ": stopped after %s", short3(s.Stopped-s.At))
		}
		fmt.Fprintf(w, ", suspected %s, went on %s\n", since(s.Suspected, s.At),
			when(s.WentOn, s.At))
	}
}
