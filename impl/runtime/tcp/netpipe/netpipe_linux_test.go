package netpipe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/monnet"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// asChild, in the environment, makes the test's program one of the two processes.
const asChild = "DOMINO_NETPIPE_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		// a child that was built with -race would sleep for a second when it ends
		os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
		goleak.VerifyTestMain(m)
		return
	}
	var in Instructions
	err := launch.Instructions(os.Stdin, &in, func() { os.Exit(7) })
	if err == nil {
		var out io.Writer = os.Stdout
		if os.Getenv(asChild) == "dies" && in.Rank == 0 {
			out = dies{}
		}
		err = Run(context.Background(), in, setup, out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
}

// dies ends the process at its first result.
type dies struct{}

func (dies) Write([]byte) (int, error) {
	os.Exit(9)
	return 0, nil
}

var cases = []string{Raw, "none", "hydee-1", "hydee-2", "causal", "camel", "sbml", "rbml", "hmpl",
	"none+write", "hydee-2+write", "hydee-2+copy"}

func setup(name string, ranks int) (*core.Setup, error) {
	layout := core.Layout{Ranks: ranks}
	for r := range ranks {
		layout.Names, layout.Clusters = append(layout.Names, fmt.Sprint("r", r)),
			append(layout.Clusters, r)
	}
	switch name {
	case "none":
		return none.NewSetup(layout, make([]core.Program, ranks))
	case "hydee-1":
		clear(layout.Clusters)
	case "monnet":
		return monnet.Protocol.Make(protocol.Request{Layout: layout,
			Programs: make([]core.Program, ranks)})
	case "causal":
		return causal.NewSetup(layout, make([]core.Program, ranks), causal.Options{F: 1})
	case "camel":
		return camel.NewSetup(layout, make([]core.Program, ranks), causal.Options{F: 1})
	case "sbml":
		return pessimistic.NewSetup(pessimistic.SBML, layout, make([]core.Program, ranks),
			pessimistic.Options{})
	case "rbml":
		return pessimistic.NewSetup(pessimistic.RBML, layout, make([]core.Program, ranks),
			pessimistic.Options{})
	case "hmpl":
		return pessimistic.NewSetup(pessimistic.HMPL, layout, make([]core.Program, ranks),
			pessimistic.Options{})
	}
	return hydee.NewSetup(layout, make([]core.Program, ranks), hydee.Options{})
}

// TestProcesses runs a small plan in processes of the system, two and the services that some
// protocols need: every sample comes, once.
func TestProcesses(t *testing.T) {
	plan := Plan{Sizes: []int{1, 8, 8192, 300_000}, Links: []string{TCP, Shared}, Cases: cases,
		Rounds: 2, Sample: Duration(time.Microsecond), Seed: 3}
	results, err := Measure(t.Context(), plan, Options{Procs: 4, Child: child(t, "runs")})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[sample]int{}
	for _, r := range results {
		seen[sample{r.Round, r.Bytes, r.Link, r.Case}]++
		if r.Nanos <= 0 || r.Trips < 3 {
			t.Errorf("%+v", r)
		}
	}
	if want := 2 * 4 * 2 * len(cases); len(results) != want || len(seen) != want {
		t.Errorf("%d results of %d samples, want %d", len(results), len(seen), want)
	}
	if rows, want := Summarise(&plan, results), 4*2*len(cases); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
}

// TestStream: of messages that follow each other every one comes before the next sample, which has
// another size.
func TestStream(t *testing.T) {
	plan := Plan{Sizes: []int{8, 20_000}, Links: []string{TCP, Shared}, Cases: []string{Raw},
		Rounds: 1, Sample: Duration(time.Microsecond), Seed: 3}
	plan.Stream = MaxStream
	all, err := Measure(t.Context(), plan, Options{Child: child(t, "runs")})
	if err != nil || len(all) != 4 {
		t.Fatalf("%v, %v", all, err)
	}
	for i := range all {
		if all[i].Nanos <= 0 || all[i].Trips < 3 {
			t.Errorf("%+v", all[i])
		}
	}
}

// TestServicesOfOthers: a protocol whose services are left out does not reach those that another
// one has for its samples, although their processes have the same numbers.
func TestServicesOfOthers(t *testing.T) {
	plan := Plan{Sizes: []int{8, 64}, Links: []string{TCP}, Cases: []string{"monnet", "hmpl"},
		Rounds: 2, Sample: Duration(time.Millisecond), Seed: 1}
	if results, err := Measure(t.Context(), plan, Options{Procs: 4,
		Child: child(t, "runs")}); err != nil || len(results) != 8 {
		t.Errorf("%d results, %v", len(results), err)
	}
}

// TestCard: with a card, half a round trip takes as long as the message takes to leave it; under
// RBML twice that, because the program waits until the message is at the logger. Only the lower
// bounds are certain on a machine that has other things to do.
func TestCard(t *testing.T) {
	plan := Plan{Sizes: []int{25_000}, Links: []string{TCP},
		Cases: []string{"none", "rbml", "hmpl"}, Rounds: 1, Sample: Duration(time.Microsecond),
		Card: 100_000_000}
	results, err := Measure(t.Context(), plan, Options{Procs: 4, Child: child(t, "runs")})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 3 {
		t.Errorf("%d results, want 3", len(results))
	}
	for _, r := range results {
		least := 2e6 // 25,000 bytes at 12.5 a microsecond
		if r.Case == "rbml" {
			least = 4e6
		}
		if r.Nanos < least {
			t.Errorf("%s: %.0f ns, want %.0f at least", r.Case, r.Nanos, least)
		}
	}
}

// TestRing runs a small plan on a ring of five: every sample comes, once, and a lap takes longer
// than nothing.
func TestRing(t *testing.T) {
	plan := Plan{Sizes: []int{8, 8192}, Links: []string{TCP, Shared}, Cases: cases[:4], Rounds: 2,
		Sample: Duration(time.Microsecond), Seed: 3, Ring: 5}
	results, err := Measure(t.Context(), plan, Options{Child: child(t, "runs"), Bind: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[sample]int{}
	for _, r := range results {
		if seen[sample{r.Round, r.Bytes, r.Link, r.Case}]++; r.Nanos <= 0 || r.Trips < 3 {
			t.Errorf("%+v", r)
		}
	}
	if len(results) != 2*2*2*4 || len(seen) != len(results) {
		t.Errorf("%d results of %d samples, want 32", len(results), len(seen))
	}
}

func child(t *testing.T, how string) func(core.Rank) launch.Command {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(r core.Rank) launch.Command {
		return launch.Command{Name: fmt.Sprintf("rank %d", r), Path: "/usr/bin/env",
			Args: []string{asChild + "=" + how, self}}
	}
}

// TestDeath lets rank 0 die in the middle: the other one must notice, and the error come back.
func TestDeath(t *testing.T) {
	plan := Plan{Sizes: []int{8}, Links: []string{TCP}, Cases: []string{Raw}, Rounds: 50,
		Sample: Duration(time.Microsecond)}
	if _, err := Measure(t.Context(), plan, Options{Child: child(t, "dies")}); err == nil {
		t.Error("no error")
	}
}

// TestNoAllocation is the data path as a whole, all processes in one thread: program step,
// protocol, node, mesh, link, over sockets and over shared memory. Nothing may be allocated a
// message; the logs of HydEE, SBML and of loggers grow by whole pieces.
func TestNoAllocation(t *testing.T) {
	for _, private := range []bool{true, false} {
		for _, name := range cases[1:] {
			for _, size := range []int{8, 20_000} {
				p := newPair(t, name, private, size, 2000)
				// a log that grows needs memory; here it was used before
				for _, pool := range p.pools {
					var log [][]byte
					for range 150 {
						log = append(log, pool.Get(size))
					}
					for _, b := range log {
						pool.Put(b)
					}
				}
				if n := testing.AllocsPerRun(100, func() { p.trip(t) }); n != 0 {
					t.Errorf("%s, private %v, %d bytes: %v allocations a round trip, want 0", name,
						private, size, n)
				}
				p.close()
			}
		}
	}
}

// BenchmarkRoundTrip is the processor time of a round trip, all processes in one thread.
//
//	go test -run '^$' -bench RoundTrip ./impl/runtime/tcp/netpipe
func BenchmarkRoundTrip(b *testing.B) {
	for _, link := range []string{TCP, Shared} {
		for _, name := range cases[1:] {
			b.Run("link="+link+"/protocol="+name, func(b *testing.B) {
				p := newPair(b, name, link == TCP, 8, math.MaxInt/4)
				defer p.close()
				b.ReportAllocs()
				for b.Loop() {
					p.trip(b)
				}
			})
		}
	}
}

// pair is both ranks of a case, and their services, in one thread.
type pair struct {
	meshes []*mesh.Mesh
	nodes  []*node.Node
	ranks  []*pinger
	pools  []*buffer.Pool
}

func newPair(t testing.TB, name string, private bool, size, trips int) *pair {
	t.Helper()
	p := new(pair)
	protocol, habit := Protocol(name)
	s, err := setup(protocol, 2)
	if err != nil {
		t.Fatal(err)
	}
	id := mesh.NewIdentity()
	var table []mesh.Address
	for r := range core.Rank(Procs(s)) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		id.Self = r.Proc()
		table = append(table, mesh.Address{Proc: id.Self, Host: l.Addr().String()})
		pool := new(buffer.Pool)
		m, err := mesh.New(mesh.Config{Identity: id, Procs: Procs(s), Listener: l, Pool: pool,
			Private: private})
		if err != nil {
			t.Fatal(err)
		}
		machine := s.New(r.Proc())
		if r < 2 {
			rank, err := newPinger(s, r, make([]byte, size), trips)
			if err != nil {
				t.Fatal(err)
			}
			rank.habit = habit
			p.ranks, machine = append(p.ranks, rank), rank
		}
		n, err := node.New(node.Config{Proc: id.Self, Procs: len(s.Layout.Names), Machine: machine,
			NewMessage: s.NewMessage, Mesh: m, Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		if r < 2 {
			p.ranks[r].use(n.Buffers())
		}
		p.pools, p.meshes, p.nodes = append(p.pools, pool), append(p.meshes, m), append(p.nodes, n)
	}
	for r, m := range p.meshes {
		others := neighbours(core.Proc(r), len(p.meshes))
		m.Dial(slices.DeleteFunc(mesh.Below(table, core.Proc(r)), func(a mesh.Address) bool {
			return !slices.Contains(others, a.Proc)
		}), timeout)
	}
	for r := range p.meshes {
		if err := p.meshes[r].Gather(neighbours(core.Proc(r), len(p.meshes)), timeout); err != nil {
			t.Fatal(err)
		}
		for _, ok := p.meshes[r].Notice(); ok; _, ok = p.meshes[r].Notice() {
		}
		if err := p.nodes[r].Input(core.Input{Kind: core.Start}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// trip takes turns until a round trip is complete.
func (p *pair) trip(t testing.TB) {
	for goal := p.ranks[0].left - 2; p.ranks[0].left > goal; {
		for _, n := range p.nodes {
			if _, err := n.Turn(0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (p *pair) close() {
	for r, m := range p.meshes {
		p.nodes[r].Release()
		m.Close(0)
	}
}

// TestRelease: what a log has kept goes back to the pool at the end.
func TestRelease(t *testing.T) {
	p := newPair(t, "hydee-2+copy", false, 1000, 100)
	defer p.close()
	for range 50 {
		p.trip(t)
	}
	if kept := p.nodes[0].Counts().Logged; kept != 50*1000 {
		t.Fatalf("%d bytes logged, want 50000", kept)
	}
	if p.pools[0].InUse() < 50 {
		t.Fatalf("%d buffers in use, want the 50 of the log", p.pools[0].InUse())
	}
	p.nodes[0].Release()
	if p.pools[0].InUse() != 0 {
		t.Errorf("%d buffers in use after the release", p.pools[0].InUse())
	}
}

// TestSizes pins the sizes of a sweep.
func TestSizes(t *testing.T) {
	if diff := cmp.Diff([]int{1, 2, 4, 5, 7, 8, 11, 13, 16}, Sizes(1, 18, 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Sizes(8, 8, 0); !slices.Equal(got, []int{8}) {
		t.Errorf("one size: %v", got)
	}
}

// TestSummarise checks medians and ratios by hand: rounds of 10, 30, 20 for none and 11, 60, 30 for
// hydee-1 have ratios 1.1, 2, 1.5.
func TestSummarise(t *testing.T) {
	plan := Plan{Sizes: []int{1000}, Links: []string{TCP}, Cases: []string{"none", "hydee-1"}}
	var results []Result
	for round, pair := range [][2]float64{{10_000, 11_000}, {30_000, 60_000}, {20_000, 30_000}} {
		results = append(results, Result{Link: TCP, Case: "none", Bytes: 1000, Round: round,
			Nanos: pair[0]},
			Result{Link: TCP, Case: "hydee-1", Bytes: 1000, Round: round, Nanos: pair[1]})
	}
	want := []Row{
		{Link: TCP, Case: "none", Bytes: 1000, Micros: 20, Least: 10, Bandwidth: 0.05, Ratio: 1,
			LeastRatio: 1, Rounds: 3, Times: []float64{10, 20, 30}},
		{Link: TCP, Case: "hydee-1", Bytes: 1000, Micros: 30, Least: 11, Bandwidth: 1.0 / 30,
			Ratio: 1.5, LeastRatio: 1.1, Rounds: 3, Times: []float64{11, 30, 60}},
	}
	if diff := cmp.Diff(want, Summarise(&plan, results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What lends is compared with what lends, if that is measured.
	plan.Cases = []string{"none", "hydee-2+write"}
	results = []Result{{Link: TCP, Case: "none", Bytes: 1000, Nanos: 1000},
		{Link: TCP, Case: "hydee-2+write", Bytes: 1000, Nanos: 6000}}
	if rows := Summarise(&plan, results); rows[1].Ratio != 6 || rows[1].LeastRatio != 6 {
		t.Errorf("%+v", rows)
	}
	plan.Cases = append(plan.Cases, "none+write")
	results = append(results, Result{Link: TCP, Case: "none+write", Bytes: 1000, Nanos: 4000})
	if rows := Summarise(&plan, results); rows[1].Ratio != 1.5 || rows[1].LeastRatio != 1.5 ||
		rows[2].Ratio != 1 {
		t.Errorf("%+v", rows)
	}
}

// TestPlan: both processes get the same samples in the same order, each once; a plan that makes no
// sense is refused.
func TestPlan(t *testing.T) {
	plan := Plan{Sizes: []int{1, 2, 3}, Links: []string{TCP, Shared}, Cases: cases, Rounds: 4,
		Sample: Duration(time.Second), Seed: 7}
	b, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var again Plan
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(plan.samples(), again.samples()) || len(plan.samples()) != 3*2*4*len(cases) {
		t.Errorf("%d samples, want each once, the same after a journey", len(plan.samples()))
	}
	for _, bad := range []func(*Plan){
		func(p *Plan) {
			p.Sizes = nil
		}, func(p *Plan) { p.Sizes = []int{0} }, func(p *Plan) { p.Sizes = []int{MaxSize + 1} },
		// raw is a case
		func(p *Plan) {
			p.Links = []string{"udp"}
		}, func(p *Plan) {
			p.Card = -1
		}, func(p *Plan) { p.Card = 999 }, func(p *Plan) { p.Card = 1000 },
		func(p *Plan) {
			p.Cases = []string{"raw+write"}
		}, func(p *Plan) { p.Rounds = 0 }, func(p *Plan) { p.Sample = 0 },
		func(p *Plan) {
			p.Ring = 1
		}, func(p *Plan) { p.Ring = MaxRing + 1 }, func(p *Plan) { p.Ring = -1 },
		func(p *Plan) { p.Stream = 2 }, func(p *Plan) { p.Stream = -1 },
		func(p *Plan) { p.Stream, p.Cases, p.Ring = 2, []string{Raw}, 3 },
		func(p *Plan) { p.Stream, p.Cases = MaxStream+1, []string{Raw} },
	} {
		p := plan
		if bad(&p); p.Validate() == nil {
			t.Errorf("accepted: %+v", p)
		}
	}
}
