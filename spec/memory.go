package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// MemoryBounded: what has no room in memory is on a disk, or somebody is asked to make it
// superfluous.
var MemoryBounded = register(Property{
	Name: "memory-bounded", Kind: FailureFree, Depth: Thrift, Source: "[RADIC] section 4.2.4",
	Applies: func(f *Facts) bool { return f.Memory.Rank > 0 || f.Memory.Service > 0 },
	Needs:   "Memory: how many messages a proc keeps there (Logged, Pruned, Persist)",
	Doc: "without failures a proc that keeps more messages at a time than it has room for in " +
		"memory writes as many records as there are too many, or asks for a checkpoint, and has " +
		"no more of them at the end than messages",
	Whole: func(f *Facts, q *Quiet) string {
		n := len(f.Layout.Names)
		now, peak, written, asked := make([]int, n), make([]int, n), make([]int, n), make([]bool, n)
		for i := range q.Trace.Events {
			e := &q.Trace.Events[i]
			switch e.Kind {
			case trace.Logged:
				now[e.Proc]++
			case trace.Pruned:
				now[e.Proc]--
			case trace.Stored:
				written[e.Proc]++
			case trace.Emitted:
				asked[e.Proc] = asked[e.Proc] || f.Memory.Asks != "" && e.Text == f.Memory.Asks
			}
			// What an image holds is logged and pruned in the step that takes the image: it is
			// never kept beside it.
			if i+1 == len(q.Trace.Events) || q.Trace.Events[i+1].Step != e.Step {
				peak[e.Proc] = max(peak[e.Proc], now[e.Proc])
			}
		}
		for p := range peak {
			most := f.Memory.Service
			if p < f.Layout.Ranks {
				most = f.Memory.Rank
			}
			if most > 0 && peak[p]-most > written[p] && !asked[p] {
				return fmt.Sprintf("%s has kept %d messages at a time, has room for %d in memory, "+
					"and has written %d records", f.name(trace.Proc(p)), peak[p], most, written[p])
			}
		}
		return leftBehind(f, q, now)
	},
})

// leftBehind looks for records of messages that their procs do not keep any more; kept is how many
// each keeps. One that was still being written when the last message went may stay: nobody reads
// it.
func leftBehind(f *Facts, q *Quiet, kept []int) string {
	for p, keys := range q.Records {
		events := q.Trace.Events
		for len(events) > 0 && (events[len(events)-1].Kind != trace.Pruned ||
			events[len(events)-1].Proc != trace.Proc(p)) {
			events = events[:len(events)-1]
		}
		var records []string
		for _, key := range keys {
			if slices.ContainsFunc(f.Memory.Keys, func(prefix string) bool {
				return strings.HasPrefix(key, prefix)
			}) && slices.ContainsFunc(events, func(e trace.Event) bool {
				return e.Kind == trace.Stored && e.Proc == trace.Proc(p) && e.Text == key
			}) {
				records = append(records, key)
			}
		}
		// what waits behind a gap goes without having been logged: fewer than none
		if len(records) > max(kept[p], 0) {
			return fmt.Sprintf("%s keeps %d messages at the end and has the records %s",
				f.name(trace.Proc(p)), kept[p], strings.Join(records, ", "))
		}
	}
	return ""
}
