package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// TestLedgerKeepsPast applies random runs of one rank, with crashes, restarts that cut its history
// back, and images that come later and cut less, of the same restart or of the next one. What a
// ledger has shown after each event must stay as it was, however it goes on, and be what a twin has
// that copies every history before it changes it.
func TestLedgerKeepsPast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := spec.NewLedger(&trace.Layout{Names: []string{"a"}, Ranks: 1})
		twin, past := &trace.History{}, (*trace.History)(nil)
		var shown, copies []*trace.History
		for i := range rapid.IntRange(1, 40).Draw(t, "events") {
			e := trace.Event{Kind: rapid.SampledFrom(
				[]trace.Kind{trace.Delivered, trace.Delivered, trace.Delivered, trace.Sent,
					trace.Crashed, trace.Restored, trace.Resumed}).Draw(t, "kind"),
				ID: trace.MsgID{From: 1, Number: uint32(i)}, Sent: 99, Digest: 1}
			if e.Kind == trace.Restored || e.Kind == trace.Resumed {
				e.Received = uint32(rapid.IntRange(0, i).Draw(t, "received"))
			}
			switch {
			case e.Kind == trace.Restored && past == nil:
				past = twin
			case past != nil && (e.Kind == trace.Restored || e.Kind == trace.Resumed):
				twin = past
			case e.Kind == trace.Sent || e.Kind == trace.Delivered:
				past = nil
			}
			twin = twin.Clone()
			twin.Apply(e)
			l.Apply(e)
			shown, copies = append(shown, l.Observed(0).History), append(copies, twin)
		}
		for i := range shown {
			if shown[i] == nil { // it was down
				continue
			}
			if diff := cmp.Diff(copies[i], shown[i]); diff != "" {
				t.Fatalf("after event %d (-want +got):\n%s", i+1, diff)
			}
		}
	})
}
