package manetho_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/manetho"
	"github.com/domino-check/domino/impl/protocol/baseline/teams"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/roundtrip"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// request asks for a protocol for programs; clusters are of each rank, nil for none.
func request(t *testing.T, text, options string, clusters []int) protocol.Request {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.Request{Layout: trace.Layout{Names: names, Ranks: len(names),
		Clusters: clusters}, Programs: programs, Options: options}
}

func setup(t *testing.T, p protocol.Protocol, text, options string, clusters []int) *core.Setup {
	t.Helper()
	s, err := p.Make(request(t, text, options, clusters))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// race is two messages of which the receiver tells.
const race = "y: recv * ordered; send a r; checkpoint; recv *\na: send y a; recv y\nw: send y b"

// explored is how large the whole is, with one failure.
func explored(t *testing.T, p protocol.Protocol, text, options string, clusters []int) string {
	t.Helper()
	baseline, err := none.Protocol.Make(request(t, text, "", nil))
	if err != nil {
		t.Fatal(err)
	}
	out, err := world.Check(t.Context(), world.Case{Baseline: baseline,
		Setup: setup(t, p, text, options, clusters), Model: fault.Model{Failures: 1}},
		checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v: %d states, %d transitions, %d ends", out.Verdict, out.States,
		out.Transitions, out.Terminals)
}

// TestTeamsOfOne: with a team for each rank causal-teams has the runs of manetho keep=family, and
// with one team those of any other protocol over groups in which nobody is outside, which has those
// of a coordinated checkpoint.
func TestTeamsOfOne(t *testing.T) {
	for _, text := range []string{
		"a: send b x; recv b\nb: recv a; checkpoint; send a y",
		"a: send b x; send b y; checkpoint\nb: recv a; recv a; checkpoint",
		"a: send c x; recv c\nb: send c z\nc: recv * ordered; recv *; send a y",
	} {
		n := strings.Count(text, "\n") + 1
		alone, one := []int{0, 1, 2}[:n], []int{0, 0, 0}[:n]
		flat := explored(t, manetho.Protocol, text, "keep=family", nil)
		if got := explored(t, manetho.Teams, text, "", alone); got != flat {
			t.Errorf("teams of one: %s, without teams %s\n%s", got, flat, text)
		}
		together := explored(t, teams.Protocol, text, "style=teams", one)
		if got := explored(t, manetho.Teams, text, "", one); got != together {
			t.Errorf("one team: %s, of the pessimistic form %s\n%s", got, together, text)
		}
		if !strings.HasPrefix(flat, "holds: ") || !strings.HasPrefix(together, "holds: ") {
			t.Errorf("%s, %s\n%s", flat, together, text)
		}
	}
}

// run is one random run without failures: what is delivered at each rank, and how many determinants
// went with the messages.
func run(t *testing.T, s *core.Setup, seed uint64) (delivered map[core.Proc][]core.MsgID,
	piggyback int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	n := len(s.Layout.Names)
	machines := make([]core.Machine, n)
	network := map[[2]core.Proc][]core.Message{}
	writing := make([][]string, n)
	delivered = map[core.Proc][]core.MsgID{}
	step := func(p core.Proc, in core.Input) {
		for _, e := range machines[p].Step(in, nil) {
			switch e.Kind {
			case core.SendMessage:
				_, dets := e.Message.(*manetho.Message).Carries()
				piggyback += dets
				m := new(manetho.Message) // a message is valid until the next step only
				if err := core.Decode(core.Encode(e.Message), m); err != nil {
					t.Fatal(err)
				}
				network[[2]core.Proc{p, e.To}] = append(network[[2]core.Proc{p, e.To}], m)
			case core.Persist:
				if e.Value != nil {
					writing[p] = append(writing[p], e.Key)
				}
			case core.Deliver:
				delivered[p] = append(delivered[p], e.Payload.ID)
			}
		}
	}
	for p := range machines {
		machines[p] = s.New(core.Proc(p))
		step(core.Proc(p), core.Input{Kind: core.Start})
	}
	for {
		var actions []func()
		for p := range core.Proc(n) {
			for _, c := range machines[p].Choices(nil) {
				actions = append(actions, func() {
					step(p, core.Input{Kind: core.Advance, Choice: c})
				})
			}
			if len(writing[p]) > 0 {
				actions = append(actions, func() {
					step(p, core.Input{Kind: core.Persisted, Key: core.Pop(&writing[p])})
				})
			}
			for q := range core.Proc(n) {
				channel := [2]core.Proc{q, p}
				if len(network[channel]) > 0 {
					actions = append(actions, func() {
						queue := network[channel]
						network[channel] = queue[1:]
						step(p, core.Input{Kind: core.Received, From: q, Message: queue[0]})
					})
				}
			}
		}
		if len(actions) == 0 {
			return delivered, piggyback
		}
		actions[random.IntN(len(actions))]()
	}
}

// TestMoreHolders: the schedule that a seed draws is the same for every f, because nothing waits
// and no message is sent for it; a larger f then never makes fewer determinants travel, and some
// make more.
func TestMoreHolders(t *testing.T) {
	const text = "a: loop 3; send b; recv *; send d; recv *; end\n" +
		"b: loop 3; send c; recv *; end\nc: loop 3; send a; recv *; end\n" +
		"d: loop 3; recv *; send a; end"
	more := 0
	for seed := range uint64(30) {
		last := -1
		for _, options := range []string{"keep=family f=1", "keep=family f=2", "keep=family f=3"} {
			_, count := run(t, setup(t, manetho.Protocol, text, options, nil), seed)
			if count < last {
				t.Errorf("seed %d: %d determinants with %s, %d with one less", seed, count,
					options, last)
			}
			if last >= 0 && count > last {
				more++
			}
			last = count
		}
	}
	if more < 20 {
		t.Errorf("more determinants in %d of 60 steps: the runs show nothing", more)
	}
}

// TestSafer: who survives two failures at a time survives one.
func TestSafer(t *testing.T) {
	for _, options := range []string{"keep=family f=1", "keep=family f=2"} {
		if got := explored(t, manetho.Protocol, strings.Replace(race, "checkpoint; ", "", 1),
			options, nil); !strings.HasPrefix(got, "holds: ") {
			t.Errorf("%s: %s", options, got)
		}
	}
}

// TestSameHistories: where a program has no race, every form delivers the same at each rank in
// every run.
func TestSameHistories(t *testing.T) {
	const text = "a: loop 3; send b; recv c; end\nb: loop 3; recv a; send c; checkpoint; end\n" +
		"c: loop 3; recv b; send a; end"
	want, _ := run(t, setup(t, manetho.Protocol, text, "", nil), 1)
	for seed := range uint64(5) {
		for _, s := range []*core.Setup{
			setup(t, manetho.Protocol, text, "keep=store", nil),
			setup(t, manetho.Protocol, text, "keep=family f=2", nil),
			setup(t, manetho.Teams, text, "", []int{0, 0, 1}),
			setup(t, manetho.Teams, text, "", []int{0, 0, 0}),
		} {
			got, _ := run(t, s, seed)
			for p := range core.Proc(3) {
				if diff := compare(want[p], got[p]); diff != 0 || len(got[p]) != 3 {
					t.Errorf("%s seed %d: %d delivers %v, want %v", s.Protocol, seed, p, got[p],
						want[p])
				}
			}
		}
	}
}

func compare(a, b []core.MsgID) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return 1
		}
	}
	return cmp.Compare(len(a), len(b))
}

// TestRefused: what is refused, and at which key of the scenario.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		p        protocol.Protocol
		options  string
		clusters []int
		key      string
		want     string
	}{
		{manetho.Protocol, "keep=family f=3", nil, "options", "want at most 2"},
		{manetho.Teams, "f=2", []int{0, 0, 1}, "options", "want at most 1"},
		{manetho.Protocol, "", []int{0, 0, 1}, "clusters", "y and a share a cluster"},
		{manetho.Teams, "", []int{0, 1}, "clusters", "3 ranks, but 2 have a team"},
	} {
		_, err := tt.p.Setup(request(t, race, tt.options, tt.clusters))
		var choice *core.ChoiceError
		if !errors.As(err, &choice) || choice.Key != tt.key ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q %v: %v, want %s at %s", tt.p.Name, tt.options, tt.clusters, err,
				tt.want, tt.key)
		}
	}
	many := request(t, race, "keep=family", nil)
	for tolerates, want := range map[int]string{0: "at least 1", 3: "at most 2", 2: ""} {
		many.Tolerates = &tolerates
		_, err := manetho.Protocol.Setup(many)
		var choice *core.ChoiceError
		if want == "" && err != nil || want != "" && (!errors.As(err, &choice) ||
			choice.Key != "tolerates" || !strings.Contains(err.Error(), want)) {
			t.Errorf("tolerates %d: %v, want %q", tolerates, err, want)
		}
	}
	for text, want := range map[string]string{"keep=disk": "want store or family",
		"f=1": "want keep=family", "keep=family f=0": "in [1, 63]", "k=1": "unknown"} {
		if err := manetho.Protocol.Accept(text); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := manetho.Teams.Accept("keep=store"); err == nil {
		t.Error("teams with a store are accepted")
	}
}

// TestHeader: a header is read back as it was written, and a cut or longer one is refused.
func TestHeader(t *testing.T) {
	for _, life := range []core.Incarnation{0, 1, 127, 128, 1 << 20} {
		m := &manetho.Message{To: life}
		m.Link.Data = link.Data{Number: 7, Life: 300, Index: 5, Phase: 4,
			Dets:    []link.Det{{Receiver: 2, Place: 9, Sender: 1, Number: 7, Past: 3}},
			Payload: core.Payload{ID: core.MsgID{From: 3, Number: 8}}}
		header, ok := m.AppendHeader([]byte{1})
		var read manetho.Message
		if err := read.ParseHeader(header[1:], 3); !ok || err != nil ||
			string(core.Encode(&read)) != string(core.Encode(m)) {
			t.Errorf("%+v is read as %+v, %v", m, read, err)
		}
		for n := range len(header) - 1 {
			if read.ParseHeader(header[1:1+n], 3) == nil {
				t.Errorf("%d of %d bytes are accepted", n, len(header)-1)
			}
		}
		if read.ParseHeader(append(header[1:], 0), 3) == nil {
			t.Error("a byte more is accepted")
		}
		m.Link.Data.Dets = make([]link.Det, core.MaxHeader)
		if header, ok := m.AppendHeader([]byte{1}); ok || len(header) != 1 {
			t.Errorf("too many determinants leave %d bytes", len(header))
		}
	}
}

// TestNoAllocation: a round trip, with a determinant on each message, allocates nothing in the
// layers once their tables have room. The host around them is left out: it makes the payloads of
// programs without numbers.
func TestNoAllocation(t *testing.T) {
	const text = "a: send b; recv b\nb: recv a; send a"
	for _, clusters := range [][]int{{0, 1}, {0, 0}} {
		n, err := roundtrip.Allocations(setup(t, manetho.Teams, text, "", clusters), 2000)
		if err != nil || n != 0 {
			t.Errorf("clusters %v: %v allocations, want 0; %v", clusters, n, err)
		}
	}
}
