package perf

import (
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// Stage is a part of a run with failures. The stages of a run add up to its time.
type Stage struct {
	Name string        `json:"name"`
	Time time.Duration `json:"time"`
}

// The stages, in the order of [RADIC] Figure 6.5. Where several ranks recover, a stage lasts until
// the last of them is through.
const (
	beforeCheckpoint = iota // until the program was at the last recovery line before the failure
	checkpoint              // until that line counted
	toFailure               // until the kill
	detection               // until the supervisor knew
	agreement               // until the survivors had taken what the dead had sent
	restart                 // until the new processes ran and had read their records
	restore                 // until they had their images, which may come from elsewhere
	replay                  // until the program had received again what it had received
	catchUp                 // and had sent again what it had sent
	toEnd                   // until the last program had ended
	stages
)

var stageNames = [stages]string{"before checkpoint", "checkpoint", "to failure", "detection",
	"agreement", "restart", "restore", "replay", "catch-up", "to the end"}

// Breakdown splits the time of a run into its stages; nil if there was no failure. With several
// failures a stage is the sum, and what comes between two is "to failure", too.
func Breakdown(r *cluster.Result) []Stage {
	if len(r.Crashes) == 0 {
		return nil
	}
	end := worked(r)
	var sums [stages]time.Duration
	at := time.Duration(0)
	// a stage that is over before it begins takes no time
	until := func(stage int, point, limit time.Duration) {
		if point = min(point, limit); point > at {
			sums[stage] += point - at
			at = point
		}
	}
	recoveries := r.Recoveries()
	for i, c := range r.Crashes {
		limit := end
		if i+1 < len(r.Crashes) {
			limit = min(end, r.Crashes[i+1].At)
		}
		if i == 0 {
			line, counts := lastLine(r, &c)
			until(beforeCheckpoint, line, end)
			until(checkpoint, counts, end)
		}
		until(toFailure, c.At, end)
		until(detection, c.Reaped, limit)
		until(agreement, c.Agreed, limit)
		if n := len(c.Restarts); n > 0 {
			until(restart, c.Restarts[n-1], limit)
		}
		var restored, replayed, caughtUp time.Duration
		for _, v := range recoveries {
			if v.Stopped >= c.Reaped && (i+1 == len(r.Crashes) ||
				v.Stopped < r.Crashes[i+1].Reaped) {
				restored, replayed, caughtUp = max(restored, v.Restored), max(replayed, v.Replayed),
					max(caughtUp, v.CaughtUp)
			}
		}
		until(restore, restored, limit)
		until(replay, replayed, limit)
		until(catchUp, caughtUp, limit)
	}
	until(toEnd, end, end)
	var list []Stage
	for i, name := range stageNames {
		list = append(list, Stage{name, sums[i]})
	}
	return list
}

// lastLine finds the last recovery line of the ranks that stopped: when the program was there, and
// when the line counted; zeros if there was none.
func lastLine(r *cluster.Result, c *cluster.Crash) (reached, counted time.Duration) {
	stopped := map[trace.Proc]bool{}
	for _, p := range c.Procs {
		stopped[p] = int(p) < r.Trace.Layout.Ranks
	}
	type count struct{ sent, received uint32 }
	at := map[trace.Proc]count{}
	when := map[trace.Proc]map[count]time.Duration{} // a program was first there
	for i, e := range r.Trace.Events {
		wall := time.Duration(r.Trace.At[i])
		if wall > c.At {
			break
		}
		if !stopped[e.Proc] {
			continue
		}
		n := at[e.Proc]
		switch e.Kind {
		case trace.Sent:
			n.sent = max(n.sent+1, e.ID.Number)
		case trace.Delivered:
			n.received++
		case trace.Committed:
			reached, counted = when[e.Proc][count{e.Sent, e.Received}], wall
			continue
		default:
			continue
		}
		at[e.Proc] = n
		if when[e.Proc] == nil {
			when[e.Proc] = map[count]time.Duration{}
		}
		when[e.Proc][n] = wall
	}
	return reached, counted
}
