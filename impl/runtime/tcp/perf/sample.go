package perf

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// Sample is what one run has shown. Counts are sums over all processes, services included.
type Sample struct {
	Kernel   string        `json:"kernel"`
	Protocol string        `json:"protocol"`
	Round    int           `json:"round"`
	Kind     Kind          `json:"kind"`
	Time     time.Duration `json:"time"`  // since all had begun, until the last program had ended
	Begun    time.Duration `json:"begun"` // until all had begun
	Bound    string        `json:"bound"` // what cut the run short; "": nothing

	Sends    uint64 `json:"sends"`    // of the programs
	Payload  uint64 `json:"payload"`  // bytes of them
	Messages uint64 `json:"messages"` // of the machines, so with those of the protocol's own
	Bytes    uint64 `json:"bytes"`    // of them
	// bytes that the protocol has put on messages with a payload
	Carried uint64 `json:"carried"`
	// those have a fixed layout, otherwise Carried is not known
	Framed bool `json:"framed"`
	// payloads put into logs in memory, at the sender or elsewhere
	Logs    uint64        `json:"logs"`
	Logged  uint64        `json:"logged"`  // bytes of them
	Unknown uint64        `json:"unknown"` // of them: payloads whose size is not known
	Stored  uint64        `json:"stored"`  // bytes written to stable storage
	Storing time.Duration `json:"storing"` // that it took the process that stored longest
	Worked  time.Duration `json:"worked"`  // of processors, for all processes

	Digests []uint64 `json:"digests"`
	Stages  []Stage  `json:"stages,omitempty"` // of a run with failures
	Struck  int      `json:"struck"`           // failures that have come before the end
	// answers of a runtime that recovers
	Episodes []cluster.Episode `json:"episodes,omitempty"`
}

func newSample(t turn, r *cluster.Result) Sample {
	s := Sample{Kernel: t.cell.Kernel, Protocol: t.cell.Protocol, Round: t.round, Kind: t.kind,
		Time: worked(r), Begun: r.Begun, Digests: r.Digests, Struck: r.Failures}
	switch {
	case r.Panic != "":
		s.Bound = r.Panic
	case !r.Complete:
		s.Bound = r.Bound
	case slices.Contains(r.Done, false):
		s.Bound = "a program does not end"
	}
	for _, c := range r.Counts {
		s.Sends, s.Payload = s.Sends+c.Sends, s.Payload+c.Payload
		s.Messages, s.Bytes = s.Messages+c.Frames+c.Encoded, s.Bytes+c.Bytes+c.Header+c.Coded
		s.Carried, s.Framed = s.Carried+c.Carried, s.Framed || c.Frames > 0
		s.Logs, s.Logged, s.Unknown, s.Stored = s.Logs+c.Logs, s.Logged+c.LogKnown,
			s.Unknown+c.LogUnknown, s.Stored+c.Stored
		s.Worked += time.Duration(c.Worked)
		s.Storing = max(s.Storing, time.Duration(c.Storing))
	}
	if t.kind == Failed && s.Bound == "" {
		s.Stages, s.Episodes = Breakdown(r), r.Episodes()
	}
	return s
}

// worked is how long the programs took.
func worked(r *cluster.Result) time.Duration {
	if len(r.Ended) == 0 || slices.Contains(r.Ended, 0) {
		return r.Elapsed
	}
	return slices.Max(r.Ended)
}
