package replay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/replay"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// setup prepares programs over groups.
func setup(t testing.TB, text string, groups []int, rules replay.Rules) (*core.Setup, error) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	rules.Protocol, rules.Style = "test", snapshot.Markers
	return replay.NewSetup(trace.Layout{Names: names, Ranks: len(names), Clusters: groups},
		programs, rules)
}

// layers are those of the ranks, started.
func layers(t testing.TB, text string, groups []int, gate replay.Gate) []core.Layer {
	t.Helper()
	s, err := setup(t, text, groups, replay.Rules{Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	var list []core.Layer
	for p := range s.Layout.Names {
		l := s.New(core.Proc(p)).(*program.Host).Layer()
		l.Step(core.Input{Kind: core.Start}, nil)
		list = append(list, l)
	}
	return list
}

// pass takes a message from one layer to another, as a driver does on the data path.
func pass(t testing.TB, list []core.Layer, from, to core.Rank, m *replay.Message,
	header []byte, out []core.Effect) ([]byte, []core.Effect) {
	payload := core.Payload{ID: core.MsgID{From: from, Number: 1}, Data: data}
	out = list[from].Step(core.Input{Kind: core.Send, To: to, Payload: payload}, out[:0])
	header, ok := out[len(out)-1].Message.(core.Framed).AppendHeader(header[:0])
	if err := m.ParseHeader(header, from.Proc()); err != nil || !ok {
		t.Fatal(err, ok)
	}
	m.Data.Payload.Data = data
	out = list[to].Step(core.Input{Kind: core.Received, From: from.Proc(), Message: m}, out[:0])
	return header, list[to].Step(core.Input{Kind: core.Receive, From: from.Proc()}, out[:0])
}

var data = make([]byte, 8)

// TestNoAllocation: a round trip allocates nothing in the layers once their queues are warm and
// their logs have room, but for the record of a determinant, its value and its name: five each.
func TestNoAllocation(t *testing.T) {
	for _, c := range []struct {
		groups []int
		gate   replay.Gate
		most   float64
	}{
		{[]int{0, 0}, replay.EverySend, 0}, {[]int{0, 0}, replay.Border, 0},
		{[]int{0, 1}, replay.NoGate, 0},
		{[]int{0, 1}, replay.EverySend, 2 * 5}, {[]int{0, 1}, replay.Border, 2 * 5},
	} {
		list := layers(t, "a: send b; recv b\nb: recv a; send a", c.groups, c.gate)
		var header []byte
		var out []core.Effect
		m := new(replay.Message)
		n := testing.AllocsPerRun(2000, func() {
			for from := range core.Rank(2) {
				header, out = pass(t, list, from, 1-from, m, header, out)
				if last := out[len(out)-1]; last.Kind == core.Persist {
					stable := core.Input{Kind: core.Persisted, Key: last.Key}
					out = list[1-from].Step(stable, out[:0])
				}
			}
		})
		if n > c.most {
			t.Errorf("groups %v, gate %d: %v allocations, want %v", c.groups, c.gate, n, c.most)
		}
	}
}

// TestClosed: at the border everything that a rank depends on is in its records: what came along
// comes before the reception that it came with, once, and goes along until it is stable.
func TestClosed(t *testing.T) {
	list := layers(t, "y: recv *; send z; send z\nz: recv y; recv y; send x\nx: send y; recv z",
		[]int{0, 0, 1}, replay.Border)
	const y, z, x = 0, 1, 2
	m := new(replay.Message)
	written := func(out []core.Effect) (dets []link.Det) {
		t.Helper()
		last := out[len(out)-1]
		if err := core.Decode(last.Value, &dets); err != nil || last.Kind != core.Persist {
			t.Fatalf("%v writes no determinants: %v", out, err)
		}
		return dets
	}
	det := func(receiver core.Rank, place uint32, sender core.Rank, number uint32) link.Det {
		return link.Det{Receiver: receiver, Place: place, Sender: sender, Number: number,
			ID: core.MsgID{From: sender, Number: 1}}
	}
	want := func(out []core.Effect, list ...link.Det) {
		t.Helper()
		if diff := cmp.Diff(list, written(out), cmp.AllowUnexported(link.Det{})); diff != "" {
			t.Errorf("determinants (-want +got):\n%s", diff)
		}
	}
	_, out := pass(t, list, x, y, m, nil, nil)
	want(out, det(y, 1, x, 1))
	if list[y].Ready(x) || !list[y].Ready(z) {
		t.Error("only what leaves the group waits")
	}
	_, out = pass(t, list, y, z, m, nil, nil)
	want(out, det(y, 1, x, 1), det(z, 1, y, 1))
	_, out = pass(t, list, y, z, m, nil, nil)
	want(out, det(z, 2, y, 2))
	list[z].Step(core.Input{Kind: core.Persisted, Key: "det/1"}, nil)
	if list[z].Ready(x) {
		t.Error("the gate is open, and a determinant is not stable")
	}
	list[z].Step(core.Input{Kind: core.Persisted, Key: "det/2"}, nil)
	if !list[z].Ready(x) {
		t.Error("the gate is closed, and all determinants are stable")
	}
}

// TestRefused: groups that do not cover the ranks, or are none.
func TestRefused(t *testing.T) {
	const text = "a: send b\nb: recv a"
	for _, c := range []struct {
		groups []int
		alone  bool
		want   string
	}{
		{[]int{0}, false, "2 ranks, but 1 have a cluster"},
		{[]int{0, 2}, false, "rank 1 is in cluster 2"},
		{[]int{-1, 0}, false, "rank 0 is in cluster -1"},
		{[]int{1, 1}, false, "cluster 0 has no rank"},
		{[]int{0, 0}, true, "every rank restarts alone"},
		{[]int{0, 1}, true, ""},
		{nil, false, ""},
	} {
		_, err := setup(t, text, c.groups, replay.Rules{Alone: c.alone})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.groups, err, c.want)
		}
	}
}
