package sstore_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// Two ranks on nodes 2 and 3, spares 4 and 5, the store is 6.
var (
	nodes = []core.Proc{2, 3, 4, 5}
	both  = []core.Rank{0, 1}
	homes = []core.Proc{2, 3}
)

const store = core.Proc(6)

func rules(kind sstore.Kind) *sstore.Rules {
	return &sstore.Rules{Kind: kind, Copies: 2, Flow: 1, Ranks: 2, Store: store, Nodes: nodes}
}

// file is that of a rank in a snapshot.
func file(id sstore.SnapID, r core.Rank) sstore.File {
	return sstore.Describe([]byte{byte(id.Seq), byte(id.Epoch), byte(r)})
}

// rig is a keeper with its rules, which fails the test when the keeper does.
type rig struct {
	*testing.T
	*sstore.Rules
	sstore.Keeper
}

func newRig(t *testing.T, kind sstore.Kind) *rig { return &rig{T: t, Rules: rules(kind)} }

func (g *rig) wrote(id sstore.SnapID, r core.Rank) bool {
	g.Helper()
	all, err := g.Wrote(id, r, file(id, r))
	if err != nil {
		g.Fatal(err)
	}
	return all
}

func (g *rig) copied(id sstore.SnapID, r core.Rank, holder core.Proc) bool {
	g.Helper()
	complete, err := g.Copied(g.Rules, id, r, holder, file(id, r))
	if err != nil {
		g.Fatal(err)
	}
	return complete
}

// take takes a snapshot up to the state in which its files are on their nodes.
func (g *rig) take(epoch uint32) sstore.SnapID {
	g.Helper()
	id := g.Begin(epoch, both, homes)
	if g.wrote(id, 0) || !g.wrote(id, 1) {
		g.Fatal("the last file on its node lets the program go on, and no other")
	}
	return id
}

// settle copies whatever is to be copied, and establishes what is complete then.
func (g *rig) settle(up ...core.Proc) {
	g.Helper()
	for {
		list := g.Grant(g.Rules, up)
		if len(list) == 0 {
			return
		}
		for _, c := range list {
			for _, to := range c.To {
				if g.copied(c.Snap, c.Rank, to) {
					if err := g.Establish(c.Snap); err != nil {
						g.Fatal(err)
					}
				}
			}
		}
	}
}

func (g *rig) selects(want sstore.SnapID) {
	g.Helper()
	if got, ok := g.Select(); got != want || ok == want.None() {
		g.Errorf("selects %v, %v, want %v", got, ok, want)
	}
}

// TestStage takes a snapshot: files on nodes, one copy at a time, a record when the last copy is
// there, and only the durable record makes it established.
func TestStage(t *testing.T) {
	g := newRig(t, sstore.Stage)
	id := g.Begin(0, both, homes)
	if list := g.Grant(g.Rules, nodes); list != nil {
		t.Errorf("copies %v while the program waits", list)
	}
	if g.wrote(id, 1) || g.wrote(id, 1) || !g.wrote(id, 0) || g.wrote(id, 0) {
		t.Error("all files are there once, with the last one")
	}
	for r, home := range homes {
		want := []sstore.Copy{{Snap: id, Rank: core.Rank(r), From: home, To: []core.Proc{store}}}
		if diff := cmp.Diff(want, g.Grant(g.Rules, nodes)); diff != "" {
			t.Errorf("rank %d (-want +got):\n%s", r, diff)
		}
		if list := g.Grant(g.Rules, nodes); list != nil || g.Tokens() != 1 {
			t.Errorf("%v beyond the limit of one, %d tokens", list, g.Tokens())
		}
		g.selects(sstore.SnapID{})
		if complete := g.copied(id, core.Rank(r), store); complete != (r == 1) {
			t.Errorf("complete with %d copies: %v", r+1, complete)
		}
	}
	g.selects(sstore.SnapID{})
	if g.copied(id, 0, store) {
		t.Error("complete twice")
	}
	if err := g.Establish(id); err != nil {
		t.Fatal(err)
	}
	g.selects(id)
	if g.Void(id) || g.Establish(id) == nil {
		t.Error("what is established can neither be void nor be established again")
	}
}

// TestCentral establishes what is in the store, which nobody asks nodes for.
func TestCentral(t *testing.T) {
	g := newRig(t, sstore.Central)
	id := g.Begin(0, both, homes)
	if g.copied(id, 1, store) || !g.copied(id, 0, store) || g.Grant(g.Rules, nodes) != nil {
		t.Error("complete with the last copy, and nothing is granted")
	}
	if err := g.Establish(id); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]core.Proc{store}, g.Sources(g.Rules, id, 0, 2, nodes)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

// TestRetire keeps two established snapshots that are not bad, and what is pinned.
func TestRetire(t *testing.T) {
	for _, unpinned := range []bool{false, true} {
		g := newRig(t, sstore.Stage)
		g.Unpinned = unpinned
		var ids []sstore.SnapID
		for range 4 {
			ids = append(ids, g.take(0))
			g.settle(nodes...)
		}
		g.Bad(ids[3])
		g.Pin(ids[0])
		want := ids[:1:1]
		if !unpinned {
			want = nil
		}
		if diff := cmp.Diff(want, g.Retire(g.Rules)); diff != "" {
			t.Errorf("pinned, unpinned=%v (-want +got):\n%s", unpinned, diff)
		}
		g.Unpin(ids[0])
		if list := g.Retire(g.Rules); unpinned == (len(list) > 0) {
			t.Errorf("retires %v when nobody reads any more", list)
		}
		g.selects(ids[2])
		ids = append(ids, g.take(1))
		g.settle(nodes...)
		if diff := cmp.Diff([]sstore.SnapID{ids[1]}, g.Retire(g.Rules)); diff != "" {
			t.Errorf("a newer one (-want +got):\n%s", diff)
		}
		g.selects(ids[4])
	}
}

// TestNumbers never uses a number twice, and orders by epoch first.
func TestNumbers(t *testing.T) {
	g := newRig(t, sstore.Stage)
	old := g.take(0)
	if !g.Void(old) || g.Void(old) {
		t.Error("void once")
	}
	id := g.take(1)
	if want := (sstore.SnapID{Epoch: 1, Seq: 2}); id != want {
		t.Errorf("got %v, want %v", id, want)
	}
	late := sstore.SnapID{Seq: 9}
	if late.Compare(id) >= 0 || id.Compare(late) <= 0 || id.Compare(id) != 0 {
		t.Errorf("%v, of an abandoned future, is newer than %v", late, id)
	}
	if _, err := g.Wrote(old, 0, file(old, 0)); !errors.Is(err, sstore.ErrUnknown) {
		t.Errorf("news of a void snapshot: %v", err)
	}
	if _, err := g.Copied(g.Rules, id, 7, store, file(id, 0)); !errors.Is(err, sstore.ErrMember) {
		t.Errorf("news of a rank that is no member: %v", err)
	}
	if _, err := g.Copied(g.Rules, id, 0, store, file(id, 1)); !errors.Is(err, sstore.ErrDiffers) {
		t.Errorf("the file of somebody else: %v", err)
	}
}

// TestLost takes a node away: before the copies are made its snapshot is void, with its tokens, and
// afterwards the store has what there is.
func TestLost(t *testing.T) {
	for _, leaks := range []bool{false, true} {
		g := newRig(t, sstore.Stage)
		g.Leaks = leaks
		first := g.take(0)
		g.settle(nodes...)
		second := g.take(0)
		if len(g.Grant(g.Rules, nodes)) != 1 {
			t.Fatal("no token")
		}
		void, degraded := g.Lost(g.Rules, 2)
		if !slices.Equal(void, []sstore.SnapID{second}) || degraded != nil {
			t.Errorf("void %v, degraded %v", void, degraded)
		}
		g.Void(second)
		if (g.Tokens() > 0) != leaks {
			t.Errorf("%d tokens are gone with the node", g.Tokens())
		}
		g.selects(first)
		if diff := cmp.Diff([]core.Proc{store}, g.Sources(g.Rules, first, 0, 4,
			nodes[1:])); diff != "" {
			t.Errorf("sources (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]core.Proc{3, store}, g.Sources(g.Rules, first, 1, 3,
			nodes[1:])); diff != "" {
			t.Errorf("sources with a cache (-want +got):\n%s", diff)
		}
	}
}

// TestPeers copies to the next domain of the ring, and again when a replica is lost; what has none
// left is selected no more.
func TestPeers(t *testing.T) {
	g := newRig(t, sstore.Peers)
	g.Domains = []int{1, 1, 2, 2}
	g.Flow = 2
	id := g.take(0)
	want := []sstore.Copy{{Snap: id, Rank: 0, From: 2, To: []core.Proc{4}},
		{Snap: id, Rank: 1, From: 3, To: []core.Proc{4}}}
	if diff := cmp.Diff(want, g.Grant(g.Rules, nodes)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if g.copied(id, 0, 4) || !g.copied(id, 1, 4) || g.Establish(id) != nil {
		t.Fatal("not established")
	}
	if void, degraded := g.Lost(g.Rules, 4); void != nil ||
		!slices.Equal(degraded, []sstore.SnapID{id}) {
		t.Errorf("void %v, degraded %v", void, degraded)
	}
	want[0].To, want[1].To = []core.Proc{5}, []core.Proc{5}
	up := []core.Proc{2, 3, 5}
	if diff := cmp.Diff(want, g.Grant(g.Rules, up)); diff != "" {
		t.Fatalf("again (-want +got):\n%s", diff)
	}
	g.Lost(g.Rules, 2)
	g.copied(id, 1, 5)
	if diff := cmp.Diff([]core.Proc{3, 5}, g.Sources(g.Rules, id, 1, 3, up)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	g.selects(sstore.SnapID{}) // the copy of rank 0 was under way, and its last replica is gone
	if g.Tokens() != 0 {
		t.Errorf("%d tokens are out", g.Tokens())
	}
}

// TestRelied takes a replica away while the commit record is being written that counts on it: the
// snapshot is void, although the file is at home.
func TestRelied(t *testing.T) {
	g := newRig(t, sstore.Peers)
	g.Flow = 2
	id := g.take(0)
	g.Grant(g.Rules, nodes)
	if g.copied(id, 0, 3) || !g.copied(id, 1, 4) {
		t.Fatal("not complete")
	}
	if void, _ := g.Lost(g.Rules, 4); !slices.Equal(void, []sstore.SnapID{id}) {
		t.Errorf("void %v", void)
	}
}

// TestHome loses the file at home, and not its node: a replica is made there, as there is no other
// place for it.
func TestHome(t *testing.T) {
	g := newRig(t, sstore.Peers)
	id := g.take(0)
	g.settle(2, 3)
	if !g.Failed(id, 0, 2) {
		t.Error("no replica is left")
	}
	want := []sstore.Copy{{Snap: id, Rank: 0, From: 3, To: []core.Proc{2}}}
	if diff := cmp.Diff(want, g.Grant(g.Rules, []core.Proc{2, 3})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMembers restores the members and no others: rank 1 is gone for good when it is taken.
func TestMembers(t *testing.T) {
	g := newRig(t, sstore.Stage)
	id := g.Begin(1, both[:1], homes[:1])
	if !g.wrote(id, 0) {
		t.Error("one member, one file")
	}
	g.settle(nodes...)
	if diff := cmp.Diff(both[:1], g.Members(g.Rules, id)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	g.Everyone = true
	if diff := cmp.Diff(both, g.Members(g.Rules, id)); diff != "" {
		t.Errorf("W21 (-want +got):\n%s", diff)
	}
}
