package recheck

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// TestStore works by hand through what a store makes of changes on their way: they become stable in
// their order, a crash keeps some of the oldest, and tears one only where no value is lost.
func TestStore(t *testing.T) {
	put := func(key, value string) certificate.Record {
		return certificate.Record{Key: key, Value: []byte(value)}
	}
	gone := func(key string) certificate.Record { return certificate.Record{Key: key, Gone: true} }
	b := &body{live: true, env: certificate.Env{Up: true,
		Store: []certificate.Record{put("b", "1")}}}
	for _, r := range []certificate.Record{put("a", "2"), gone("b"), gone("c"), put("b", "3"),
		{Key: "a", Read: true}} {
		b.write(r)
	}
	// the delete of c is none
	if want := []certificate.Record{put("a", "2"), gone("b"), put("b", "3"),
		{Key: "a", Read: true}}; !cmp.Equal(want, b.env.Writing) {
		t.Fatal(cmp.Diff(want, b.env.Writing))
	}
	var tears []bool
	for kept := range len(b.env.Writing) + 1 {
		tears = append(tears, b.tears(kept))
	}
	// a has no value; b is deleted; then it has none; nobody tears a read; there is no more
	if want := []bool{true, false, true, false, false}; !slices.Equal(tears, want) {
		t.Errorf("tears %v, want %v", tears, want)
	}
	if b.waited() != 0 {
		t.Errorf("it waits for %d", b.waited())
	}
	for _, tt := range []struct {
		kept int
		torn bool
		want []certificate.Record
	}{
		{0, false, []certificate.Record{put("b", "1")}},
		{0, true, []certificate.Record{{Key: "a", Torn: true}, put("b", "1")}},
		{1, false, []certificate.Record{put("a", "2"), put("b", "1")}},
		{2, false, []certificate.Record{put("a", "2")}},
		{2, true, []certificate.Record{put("a", "2"), {Key: "b", Torn: true}}},
		{4, false, []certificate.Record{put("a", "2"), put("b", "3")}},
	} {
		c := b.clone()
		c.local.Round = 3
		c.stop(7, tt.kept, tt.torn, false)
		want := certificate.Env{Incarnation: 7, Former: 3, Store: tt.want}
		if d := cmp.Diff(want, c.env, cmpopts.EquateEmpty()); d != "" || c.live {
			t.Errorf("%d kept, torn %t (-want +got):\n%s", tt.kept, tt.torn, d)
		}
	}
	if len(b.env.Store) != 1 || string(b.env.Store[0].Value) != "1" {
		t.Errorf("a clone has changed what it was made of: %+v", b.env.Store)
	}
}

// TestChannels puts messages into channels and takes them out again.
func TestChannels(t *testing.T) {
	b := &body{}
	for _, m := range []struct{ from, life, message uint32 }{{2, 0, 5}, {1, 1, 6}, {1, 0, 7},
		{1, 1, 8}, {2, 0, 5}} {
		b.arrive(trace.Proc(m.from), trace.Incarnation(m.life), m.message,
			&fault.Model{})
	}
	want := certificate.Inbox{{From: 1, Messages: []uint32{7}},
		{From: 1, Incarnation: 1, Messages: []uint32{6, 8}}, {From: 2, Messages: []uint32{5, 5}}}
	if d := cmp.Diff(want, b.inbox); d != "" {
		t.Fatal(d)
	}
	c := b.clone()
	c.arrive(1, 1, 7, &fault.Model{Unordered: true})
	c.arrive(1, 1, 7, &fault.Model{Set: true}) // is there already
	if d := cmp.Diff([]uint32{6, 7, 8}, c.inbox[1].Messages); d != "" {
		t.Error(d)
	}
	c.take(1, 1)
	c.take(1, 0)
	c.take(0, 0)
	c.lose(2)
	if d := cmp.Diff(certificate.Inbox{{From: 1, Incarnation: 1, Messages: []uint32{8}}},
		c.inbox); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, b.inbox); d != "" {
		t.Errorf("a clone has changed what it was made of: %s", d)
	}
}

// TestRenew begins the next life of a proc that has not stopped: its timers and watchdogs are of
// the life before, all that is on its way is not.
func TestRenew(t *testing.T) {
	record := certificate.Record{Key: "a", Value: []byte("1")}
	b := &body{live: true, inbox: certificate.Inbox{{From: 1, Messages: []uint32{7}}},
		env: certificate.Env{Up: true, Incarnation: 2, Former: 3, Line: 4,
			Store: []certificate.Record{record}, Writing: []certificate.Record{record},
			Pending: []trace.Proc{1}, Timers: []string{"t"},
			Watches: []certificate.Watch{{About: 1}}}}
	want := b.clone()
	want.env.Incarnation, want.env.Former = 3, 5
	want.env.Timers, want.env.Watches = nil, nil
	b.renew(3, 5)
	if d := cmp.Diff(want, b, cmp.AllowUnexported(body{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if b.renew(4, 1); b.env.Former != 5 {
		t.Errorf("the newest round of former lives is %d", b.env.Former)
	}
}

// TestNews tells procs of failures: where procs are launched of each life of a group, the first one
// first, and of none twice.
func TestNews(t *testing.T) {
	b := &body{}
	for _, n := range []struct{ group, life uint32 }{{2, 1}, {4, 1}, {2, 3}, {2, 1}, {1, 2}} {
		b.notice(trace.Proc(n.group), n.life)
	}
	want := certificate.Env{Pending: []trace.Proc{1, 2, 2, 4}, Ended: []uint32{1, 0, 2, 0}}
	if d := cmp.Diff(want, b.env); d != "" {
		t.Error(d)
	}
	b.forget(1)
	want = certificate.Env{Pending: []trace.Proc{1, 2, 4}, Ended: []uint32{1, 2, 0}}
	if d := cmp.Diff(want, b.env); d != "" {
		t.Error(d)
	}
	if b.forget(-1); len(b.env.Pending)+len(b.env.Ended) > 0 {
		t.Errorf("some is left: %v", b.env)
	}
	for range 2 { // no life counts where procs start again by themselves
		b.notice(3, 0)
	}
	b.notice(1, 0)
	if d := cmp.Diff(certificate.Env{Pending: []trace.Proc{1, 3}}, b.env,
		cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if b.forget(0); !slices.Equal(b.env.Pending, []trace.Proc{3}) {
		t.Errorf("left is %v", b.env.Pending)
	}
}
