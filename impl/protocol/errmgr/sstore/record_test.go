package sstore_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// signed is a record with these contents and the right sum.
func signed(g sstore.Global) []byte {
	b := core.Encode(&g)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// TestLoad restarts a head that has two established snapshots, one of them with a new copy under
// way, and one that is not: the two are there, with all their replicas, and nothing else.
func TestLoad(t *testing.T) {
	g := newRig(t, sstore.Stage)
	var records []core.Record
	for range 2 {
		id := g.take(0)
		g.settle(nodes...)
		records = append(records, core.Record{Key: id.RecordKey(), Value: g.Record(id)})
	}
	open := g.take(0)
	if !slices.Equal(g.Open(), []sstore.SnapID{open}) {
		t.Errorf("open: %v", g.Open())
	}
	slices.Reverse(records)
	records = append(records, core.Record{Key: "seq", Value: []byte{3}})
	got, reasons := sstore.Load(g.Rules, 3, records)
	g.Void(open)
	if diff := cmp.Diff(core.Encode(&g.Keeper), core.Encode(&got)); diff != "" || reasons != nil {
		t.Errorf("%v (-want +got):\n%s", reasons, diff)
	}
}

// TestBadRecords gives records of which each has one thing wrong: its snapshot is not established,
// and the next older one is selected.
func TestBadRecords(t *testing.T) {
	r := newRig(t, sstore.Stage)
	old, id := r.take(0), r.take(0)
	r.settle(nodes...)
	good, _ := sstore.ReadRecord(id.RecordKey(), r.Record(id), 2)
	change := func(f func(g *sstore.Global)) []byte {
		g := good
		g.Members, g.Parts = slices.Clone(g.Members), slices.Clone(g.Parts)
		f(&g)
		return signed(g)
	}
	key, whole := id.RecordKey(), signed(good)
	type test struct {
		name, key string
		value     []byte
		torn      bool
		want      string
	}
	tests := []test{
		{"good", key, whole, false, ""},
		{"torn", key, nil, true, "interrupted"},
		{"wrong sum", key, append(slices.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1), false,
			"sum"},
		{"no bytes", key, nil, false, "length"},
		{"other name", "snap/3.0", whole, false, "about snapshot 2.0"},
		{"name with a separator", "snap/../2.0", whole, false, "names no snapshot"},
		{"name with a sign", "snap/+2.0", whole, false, "names no snapshot"},
		{"name without epoch", "snap/2", whole, false, "names no snapshot"},
		{"seq not reserved", "snap/9.0", change(func(g *sstore.Global) { g.Snap.Seq = 9 }), false,
			"last number that was given is 2"},
		{"seq twice", "snap/1.5", change(func(g *sstore.Global) {
			g.Snap = sstore.SnapID{Epoch: 5, Seq: 1}
		}), false, "twice"},
		{"members differ", key, change(func(g *sstore.Global) { g.Members = g.Members[:1] }), false,
			"1 members with 2 parts"},
		{"no members", key, change(func(g *sstore.Global) { g.Members, g.Parts = nil, nil }), false,
			"0 members"},
		{"rank twice", key, change(func(g *sstore.Global) { g.Members[1] = 0 }), false, "twice"},
		{"rank missing", key, change(func(g *sstore.Global) { g.Parts[1].Rank = 0 }), false,
			"no part of rank 1"},
		{"unknown rank", key, change(func(g *sstore.Global) {
			g.Members[1], g.Parts[1].Rank = 2, 2
		}), false, "does not exist"},
		{"unknown codec", key, change(func(g *sstore.Global) { g.Parts[0].File.Codec = 4 }), false,
			"unknown codec"},
		{"negative length", key, change(func(g *sstore.Global) { g.Parts[0].File.RawLen = -1 }),
			false, "-1 bytes"},
		{"huge length", key, change(func(g *sstore.Global) {
			g.Parts[0].File.PackedLen = sstore.MaxLen + 1
		}), false, "want [0,"},
		{"no sum", key, change(func(g *sstore.Global) { g.Parts[0].File.RawSum = nil }), false,
			"no SHA-256"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, reasons := sstore.Load(r.Rules, 2, []core.Record{
				{Key: old.RecordKey(), Value: r.Record(old)},
				{Key: tt.key, Value: tt.value, Torn: tt.torn}})
			want := id
			if tt.want != "" {
				want = old
			}
			said := fmt.Sprint(reasons)
			if got, _ := k.Select(); got != want || !strings.Contains(said, tt.want) {
				t.Errorf("selects %v, want %v; %s, want %q", got, want, said, tt.want)
			}
		})
	}
}

// FuzzReadRecord reads anything, which never panics, and whatever it accepts means one thing.
func FuzzReadRecord(f *testing.F) {
	r := &rig{T: new(testing.T), Rules: rules(sstore.Stage)}
	id := r.take(0)
	r.settle(nodes...)
	f.Add("snap/1.0", r.Record(id))
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		g, err := sstore.ReadRecord(key, value, 2)
		if err == nil && g.Snap.RecordKey() != key {
			t.Errorf("%q is %v", key, g.Snap)
		}
	})
}
