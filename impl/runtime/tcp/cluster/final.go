package cluster

import "github.com/domino-check/domino/impl/core"

// final is what is known at the end.
func (l *life) final() answer {
	n := l.node.Counts()
	a := answer{Kind: saidEnd, Ended: l.ended, Strangers: l.mesh.Strangers(),
		Counts: Counts{Steps: n.Steps, Frames: n.Frames, Encoded: n.Encoded, Bytes: n.Bytes,
			Header: n.Header,
			Coded:  n.Coded, Sends: n.Sends, Payload: n.Payload, Carried: n.Carried,
			Logged: n.Logged,
			Logs:   n.Logs, LogKnown: n.LogBytes, LogUnknown: n.LogUnknown, Stored: l.store.bytes,
			Storing: uint64(l.store.took), Worked: uint64(processor() - l.worked),
			Usage: l.usage}}
	if h := core.HistoryOf(l.machine); h != nil {
		a.Done, a.Digest = h.Done, h.Digest
	}
	return a
}
