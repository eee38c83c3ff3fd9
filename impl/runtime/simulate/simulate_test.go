package simulate_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/spec/trace"
)

// setup is a kernel under a protocol, with clusters of neighbours; nil if the protocol refuses it.
func setup(t testing.TB, name, kernel string, clusters int) *core.Setup {
	t.Helper()
	suite, err := kernels.Build(kernel)
	if err != nil {
		t.Fatal(err)
	}
	request := protocol.Request{}
	p, err := protocol.List(all.Protocols()).Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if clusters > 0 && p.Perf.Clustered != nil && p.Perf.Clustered("") {
		for r := range suite.Names {
			request.Layout.Clusters = append(request.Layout.Clusters, r*clusters/len(suite.Names))
		}
	}
	s, _, err := simulate.Prepare(p, suite, request)
	if err != nil {
		return nil
	}
	return s
}

func machine(t testing.TB, name string) *simulate.Machine {
	t.Helper()
	m, err := simulate.Shipped(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// small are kernels at sizes that take no time, by ranks.
func small(ranks int) (list []string) {
	names, _ := kernels.List()
	for _, n := range names {
		name := strings.TrimPrefix(n, "kernel ")
		text := fmt.Sprintf("%s ranks=%d", name, ranks)
		if _, err := kernels.Build(text); err == nil {
			list = append(list, text)
		}
	}
	return list
}

// tally is what machines ask for, counted apart from the simulator.
type tally struct {
	messages int
	bytes    int64
	logs     int   // payloads put into logs, or said more about that are there
	logged   int64 // bytes put into logs
}

// tap counts what a machine asks for.
type tap struct {
	core.Machine
	mutex *sync.Mutex
	sum   *tally
	log   map[core.MsgID]bool
	sizes map[core.MsgID]int // of payloads that programs have sent
}

func (t *tap) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	out = t.Machine.Step(in, out)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, e := range out[first:] {
		switch {
		case e.Kind == core.ProgramSent:
			t.sizes[e.Payload.ID] = len(e.Payload.Data)
		case e.Kind == core.SendMessage:
			t.sum.messages++
			if f, ok := e.Message.(core.Framed); ok {
				if header, ok := f.AppendHeader(nil); ok {
					t.sum.bytes += int64(len(header) + len(f.Content().Data))
					continue
				}
			}
			t.sum.bytes += int64(len(core.Encode(e.Message)))
		case e.Kind == core.Declare && e.What == trace.Logged:
			t.sum.logs++
			t.puts(e.ID, t.sizes[e.ID])
		case e.Kind == core.Declare && e.What == trace.Kept && len(e.Payload.Data) > 0:
			t.sum.logs++
			t.puts(e.ID, len(e.Payload.Data))
		case e.Kind == core.Declare && e.What == trace.Pruned,
			e.Kind == core.Declare && e.What == trace.Forgotten:
			delete(t.log, e.ID)
		}
	}
	return out
}

// puts is a payload that is put into the log, unless it is there.
func (t *tap) puts(id core.MsgID, bytes int) {
	if bytes > 0 && !t.log[id] {
		t.log[id] = true
		t.sum.logged += int64(bytes)
	}
}

func (t *tap) History() *trace.History { return core.HistoryOf(t.Machine) }

// counted is a setup whose machines are counted.
func counted(s *core.Setup) (*core.Setup, *tally) {
	own, sum, mutex, sizes := *s, new(tally), new(sync.Mutex), map[core.MsgID]int{}
	own.New = func(p core.Proc) core.Machine {
		return &tap{s.New(p), mutex, sum, map[core.MsgID]bool{}, sizes}
	}
	return &own, sum
}

// finals are the digests of the ranks at the end of a trace.
func finals(tr *trace.Trace) []uint64 {
	list := make([]uint64, tr.Layout.Ranks)
	for _, e := range tr.Events {
		if e.Kind == trace.Finished {
			list[e.Proc] = e.Digest
		}
	}
	return list
}

// localRun is the same setup on goroutines.
func localRun(t *testing.T, s *core.Setup, seed uint64) (digests []uint64, sum *tally) {
	t.Helper()
	own, sum := counted(s)
	result, err := local.Run(t.Context(), own, local.Config{Seed: seed, MaxSteps: 1 << 20,
		MaxInFlight: 1 << 20})
	if err != nil || !result.Complete {
		t.Fatalf("protocol %s: %v %s %s", s.Protocol, err, result.Bound, result.Panic)
	}
	return finals(&result.Trace), sum
}

// Aim: what happens in modelled time is what happens on goroutines: the digests of all ranks, the
// messages, their bytes, entries of logs and bytes in them are the same, of every kernel under
// every protocol that takes it. Of a protocol with which messages depend on the order of events,
// because two runs on goroutines differ in them, only digests are compared. The short form runs
// every other kernel under a protocol, and the others under the next; the long one all with four
// ranks, and a third of them with 9 and with 16; a huge one all of these, too.
func TestAsLocal(t *testing.T) {
	sizes := effort.Of([]int{4}, []int{4, 9, 16})
	var exact []string
	var refused []string
	left, nodes := 0, 0
	for i, p := range all.Protocols() {
		if p.Setup == nil {
			continue
		}
		varies := false
		var wrong []string
		for _, n := range sizes {
			for j, k := range small(n) {
				switch {
				case effort.Huge():
				case n == 9 && (i+j)%3 > 0, n > 9 && (i+j)%9 > 0,
					!effort.Long() && ((i+j)%4 > 0 || strings.HasPrefix(k, "cg")):
					left++
					continue
				}
				s := setup(t, p.Name, k, 2)
				switch {
				case s == nil:
					refused = append(refused, p.Name+" "+k)
					continue
				case s.Watchdogs && n > sizes[0]: // nodes make no difference to those
					nodes++
					continue
				}
				job := simulate.Job{Machine: machine(t, "myrinet"), Setup: s}
				out, err := job.Run()
				if err != nil {
					t.Errorf("%s under %s: %v", k, p.Name, err)
					continue
				}
				want, sum := localRun(t, s, 1)
				if diff := cmp.Diff(want, out.Finals); diff != "" {
					t.Errorf("%s under %s (-local +simulated):\n%s", k, p.Name, diff)
				}
				_, again := localRun(t, s, 2)
				if strings.HasPrefix(k, "matmul-dynamic") {
					continue // who sends what to whom depends on the order
				}
				varies = varies || *sum != *again
				if got := (tally{out.Messages, out.Bytes, out.Logs, out.Logged}); got != *sum {
					wrong = append(wrong, fmt.Sprintf("%s: %+v, locally %+v", k, got, *sum))
				}
			}
		}
		switch {
		case !varies && len(wrong) > 0:
			t.Errorf("%s: %s", p.Name, strings.Join(wrong, "\n"))
		case !varies:
			exact = append(exact, p.Name)
		}
	}
	onlyRefused(t, refused, nodes)
	if left > 0 {
		t.Logf("%d kernels under protocols are left out, all with %s=huge", left, effort.Variable)
	}
	for _, name := range []string{"none", "hydee", "coordinated", "pessimistic", "rbml"} {
		if !slices.Contains(exact, name) {
			t.Errorf("%s is not among those whose messages do not depend on order: %v", name, exact)
		}
	}
}

// onlyRefused says which kernels protocols have refused, and how many are left out since nodes make
// no difference: as many as are known, all of a protocol that takes no receives by any.
func onlyRefused(t *testing.T, refused []string, nodes int) {
	t.Helper()
	t.Logf("%d with nodes are left out, and refused are: %s", nodes, strings.Join(refused, ", "))
	wanted, others := effort.Of(2, 6), effort.Of(0, 16)
	if !effort.Huge() && (len(refused) != wanted || nodes != others) {
		t.Errorf("%d kernels under protocols are refused, %d with nodes left out, want %d and %d",
			len(refused), nodes, wanted, others)
	}
	for _, name := range refused {
		if !strings.HasPrefix(name, "ho ") {
			t.Errorf("refused: %s", name)
		}
	}
}
