package hydee_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// printed are the errata that the text of [HydEE] or [HydEE-fr] prints; the others are readings
// that it allows, silences, and an extension.
const printed = "H3 H5 H7 H9a H10 H11a H11b H13a H13b H16 H20a H20b"

// readings are all others.
const readings = "H1 H2 H4 H6 H7b H8 H9b H9c H12a H12b H13c H13d H14 H15 H17 H18 H19 H23 H24"

// TestErrataTable checks that every switch has a unique name and all its texts, that ByID finds it,
// and that Published is exactly what is printed.
func TestErrataTable(t *testing.T) {
	want := map[string]bool{}
	for _, id := range strings.Fields(printed) {
		want[id] = true
	}
	for _, id := range strings.Fields(readings) {
		want[id] = false
	}
	got := map[string]bool{}
	numbers := map[hydee.Erratum]string{}
	for _, e := range hydee.Errata() {
		if _, twice := got[e.ID]; twice {
			t.Errorf("%s is in the table twice", e.ID)
		}
		number, ok := hydee.Errata().Find(e.ID)
		if !ok || numbers[number] != "" {
			t.Errorf("ByID(%q) = %d, %t; %d is also %s", e.ID, number, ok, number, numbers[number])
		}
		numbers[number] = e.ID
		got[e.ID] = hydee.Errata().Published().Has(number)
		if e.Place == "" || e.Switched == "" || e.Repaired == "" || e.Switched == e.Repaired {
			t.Errorf("%s has an incomplete text: %+v", e.ID, e)
		}
		if got[e.ID] && e.Quote == "" || e.Class == core.ClassReading && e.Other == "" {
			t.Errorf("%s has no quote, or no other reading: %+v", e.ID, e)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("published errata (-want +got):\n%s", diff)
	}
	for _, id := range []string{"", "h1", "H", "H21", "H99", "H1 "} {
		if e, ok := hydee.Errata().Find(id); ok {
			t.Errorf("ByID(%q) = %d, want none", id, e)
		}
	}
}

// TestSet checks the set operations over all pairs of switches.
func TestSet(t *testing.T) {
	n := hydee.Erratum(len(hydee.Errata()))
	for a := range n {
		for b := range n {
			s := hydee.Set(0).With(a).With(b)
			for e := range n {
				if s.Has(e) != (e == a || e == b) {
					t.Fatalf("{%d, %d}.Has(%d) = %t", a, b, e, s.Has(e))
				}
			}
		}
	}
}

// TestSetup checks what the setup tells the driver: the recovery process is the last proc and
// stands alone, clusters stop together, the first rank of each begins checkpoints, a member reads
// its own records and those of the first.
func TestSetup(t *testing.T) {
	s := newSetup(t, figure3, figure3Clusters)
	if diff := cmp.Diff([]string{"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "RP"},
		s.Layout.Names); diff != "" {
		t.Errorf("procs (-want +got):\n%s", diff)
	}
	groups := [][]core.Proc{{0}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {4, 5, 6, 7}, {4, 5, 6, 7},
		{4, 5, 6, 7}, {4, 5, 6, 7}, {8}}
	reads := [][]core.Proc{{0}, {1}, {1, 2}, {1, 3}, {4}, {4, 5}, {4, 6}, {4, 7}, nil}
	for p := range core.Proc(9) {
		if diff := cmp.Diff(groups[p], s.Group(p)); diff != "" {
			t.Errorf("group of proc %d (-want +got):\n%s", p, diff)
		}
		if diff := cmp.Diff(reads[p], s.Reads(p)); diff != "" {
			t.Errorf("records read by proc %d (-want +got):\n%s", p, diff)
		}
	}
	if diff := cmp.Diff([]core.Proc{0, 1, 4}, s.Initiators); diff != "" {
		t.Errorf("initiators (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]core.Proc{8}, s.Watchers); diff != "" {
		t.Errorf("watchers (-want +got):\n%s", diff)
	}
	labels := slices.Sorted(maps.Values(s.Layout.Labels))
	if diff := cmp.Diff([]string{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"},
		labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

// TestBadSetup checks that a setup that can not run is refused with a reason.
func TestBadSetup(t *testing.T) {
	two := []core.Program{{{Kind: core.OpSend, Peer: 1}}, {{Kind: core.OpRecv, Peer: 0}}}
	tests := []struct {
		name     string
		layout   trace.Layout
		programs []core.Program
		want     string
	}{
		{"no ranks", trace.Layout{}, nil, "setup hydee: 0 ranks, want at least 1"},
		{"no clusters", trace.Layout{Names: []string{"a", "b"}, Ranks: 2}, two,
			"hydee: 2 ranks, but 0 have a cluster"},
		{"a rank without cluster", trace.Layout{Names: []string{"a", "b"}, Ranks: 2,
			Clusters: []int{0}}, two, "hydee: 2 ranks, but 1 have a cluster"},
		{"empty cluster", trace.Layout{Names: []string{"a", "b"}, Ranks: 2, Clusters: []int{0, 2}},
			two, "hydee: cluster 1 has no rank"},
		{"program missing", trace.Layout{Names: []string{"a", "b"}, Ranks: 2,
			Clusters: []int{0, 1}}, two[:1],
			"setup hydee: 2 ranks with 2 names and 1 programs"},
		{"send to self", trace.Layout{Names: []string{"a", "b"}, Ranks: 2, Clusters: []int{0, 1}},
			[]core.Program{two[1], nil},
			"program of rank 0: operation 1: a rank can not send to or receive from itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := hydee.NewSetup(tt.layout, tt.programs, hydee.Options{})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestBadSetupPanics lists setups that are not refused but panic; programs that come from text
// never look like this.
func TestBadSetupPanics(t *testing.T) {
	one := []core.Program{nil}
	tests := map[string]func() (*core.Setup, error){
		"cluster -1": func() (*core.Setup, error) {
			return hydee.NewSetup(trace.Layout{Names: []string{"a"}, Ranks: 1, Clusters: []int{-1}},
				one, hydee.Options{})
		},
		"no names": func() (*core.Setup, error) {
			return hydee.NewSetup(trace.Layout{Ranks: 1, Clusters: []int{0}}, one, hydee.Options{})
		},
		"end without loop": func() (*core.Setup, error) {
			return hydee.NewSetup(trace.Layout{Names: []string{"a"}, Ranks: 1, Clusters: []int{0}},
				[]core.Program{{{Kind: core.OpEnd}}}, hydee.Options{})
		},
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("panic: %v", p)
				}
			}()
			if _, err := build(); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestDescribe checks the words of every kind of message, which are the evidence in traces and the
// names in schedules.
func TestDescribe(t *testing.T) {
	round := hydee.Round(1<<32 | 2)
	stamp := trace.Stamp{Round: uint64(round)}
	full := func(date, phase uint64) trace.Stamp {
		return trace.Stamp{Date: date, Phase: phase, Round: uint64(round)}
	}
	id := core.MsgID{From: 1, Number: 4}
	tests := []struct {
		message hydee.Message
		want    trace.Wire
	}{
		{hydee.Message{Kind: hydee.App, Date: 3, Phase: 2, Payload: core.Payload{ID: id}},
			trace.Wire{Kind: "App", ID: id, Stamp: full(3, 2), Text: "date 3 phase 2 round 1.2"}},
		{hydee.Message{Kind: hydee.Begin}, trace.Wire{Kind: "Begin", Stamp: stamp,
			Text: "round 1.2"}},
		{hydee.Message{Kind: hydee.Status, Date: 3, Last: 4},
			trace.Wire{Kind: "Status", Stamp: stamp, Text: "round 1.2 date 3 last received 4"}},
		{hydee.Message{Kind: hydee.Report, Orphans: make([]hydee.Orphan, 2)},
			trace.Wire{Kind: "Report", Stamp: stamp, Text: "round 1.2, 2 orphans"}},
		{hydee.Message{Kind: hydee.Frontier, Phase: 7},
			trace.Wire{Kind: "Frontier", Stamp: full(0, 7), Text: "round 1.2 phase 7"}},
		{hydee.Message{Kind: hydee.Frontier, Phase: infinite},
			trace.Wire{Kind: "Frontier", Stamp: full(0, uint64(infinite)),
				Text: "round 1.2 phase all"}},
		{hydee.Message{Kind: hydee.OrphanDone, To: 2, Date: 3, Phase: 1},
			trace.Wire{Kind: "OrphanDone", Stamp: full(3, 1),
				Text: "round 1.2 to rank 2 date 3 phase 1"}},
		{hydee.Message{Kind: hydee.Acknowledge, Date: 3, Last: 4},
			trace.Wire{Kind: "Acknowledge", Stamp: stamp,
				Text: "checkpoint date 3, received up to 4"}},
		{hydee.Message{Kind: hydee.SaveRequest}, trace.Wire{Kind: "SaveRequest", Stamp: stamp}},
		{hydee.Message{Kind: hydee.Marker, Number: 2, Incarnation: 1},
			trace.Wire{Kind: "Marker", Stamp: stamp, Text: "checkpoint 2 incarnation 1"}},
		{hydee.Message{Kind: hydee.Saved, Number: 2},
			trace.Wire{Kind: "Saved", Stamp: stamp, Text: "checkpoint 2 incarnation 0"}},
		{hydee.Message{Kind: hydee.CommitNotice, Number: 2},
			trace.Wire{Kind: "Commit", Stamp: stamp, Text: "checkpoint 2 incarnation 0"}},
		{hydee.Message{Kind: 200}, trace.Wire{Kind: "kind 200", Stamp: stamp}},
	}
	for _, tt := range tests {
		t.Run(tt.want.Kind, func(t *testing.T) {
			tt.message.Round = round
			if diff := cmp.Diff(tt.want, tt.message.Describe()); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
		})
	}
}
