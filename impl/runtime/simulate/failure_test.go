package simulate_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// play runs a job that must end.
func play(t testing.TB, j simulate.Job) *simulate.Outcome {
	t.Helper()
	out, err := j.Run()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Aim: after a failure at any part of the run every rank ends with the digest that it has without a
// protocol, and somebody has been taken back and was where he had been.
func TestDigestsAfterFailure(t *testing.T) {
	parts := []int{3}
	if effort.Long() {
		parts = []int{1, 2, 3, 4, 5, 6}
	}
	for i, name := range []string{"hydee", "coordinated", "causal", "pessimistic", "sbml"} {
		for l, k := range []string{"ring ranks=6 iterations=20", "heat ranks=4 n=16 iterations=10",
			"cg ranks=4", "bt ranks=4", "lu ranks=4", "leanmd ranks=8"} {
			if (i+l)%3 > 0 && !effort.Long() { // each kernel, and each protocol twice
				continue
			}
			base := simulate.Job{Machine: machine(t, "myrinet"), Setup: setup(t, "none", k, 0)}
			want := play(t, base)
			j := simulate.Job{Machine: base.Machine, Setup: setup(t, name, k, 2)}
			if j.Setup == nil {
				t.Fatalf("%s does not take %s", name, k)
			}
			calm := play(t, j)
			for _, part := range parts {
				at := time.Duration(calm.Completion / 1000 * int64(part) / 7)
				j.Failures = []simulate.Failure{{At: at, Rank: core.Rank(part % 4)}}
				out := play(t, j)
				if diff := cmp.Diff(want.Finals, out.Finals); diff != "" {
					t.Errorf("%s under %s, failure at %v (-none +it):\n%s", k, name, at, diff)
				}
				if len(out.Recoveries) != 1 {
					t.Fatalf("%s under %s: failures %+v", k, name, out.Recoveries)
				}
				if r := out.Recoveries[0]; r.Back < 1 || r.Takes < 3*int64(time.Second)*1000 {
					t.Errorf("%s under %s: %+v, want somebody back, after detection and restart", k,
						name, r)
				}
				// logs of who failed are gone, and there again
				if out.LogNow != calm.LogNow {
					t.Errorf("%s under %s: %d bytes in logs at the end, without a failure %d", k,
						name, out.LogNow, calm.LogNow)
				}
			}
		}
	}
}

// Aim: under every protocol that takes the kernel a rank computes for as long as it is said to, in
// each iteration: the program below its machine is found.
func TestWorkOfAll(t *testing.T) {
	const k, work = "heat ranks=4 n=16 iterations=5", time.Second
	for _, p := range all.Protocols() {
		if p.Setup == nil {
			continue
		}
		s := setup(t, p.Name, k, 2)
		if s == nil {
			t.Errorf("%s does not take %s", p.Name, k)
			continue
		}
		out := play(t, simulate.Job{Machine: scaled(t, 1), Setup: s, Work: work})
		if least := 5 * work.Nanoseconds() * 1000; out.Completion < least {
			t.Errorf("%s takes %d ps, want at least %d", p.Name, out.Completion, least)
		}
	}
}

// Aim: with more ranks than a layer has an entry for each, a rank that restarts from an image of a
// checkpoint ends as without a failure.
func TestSparseImages(t *testing.T) {
	const kernel = "heat ranks=70 n=70 iterations=8"
	plain := play(t, simulate.Job{Machine: machine(t, "myrinet"),
		Setup: setup(t, "none", kernel, 0)})
	for _, name := range []string{"hydee", "rbml", "uncoordinated", "sbml", "hmpl", "induced",
		"monnet"}[:effort.Of(3, 7)] {
		j := simulate.Job{Machine: machine(t, "myrinet"), Setup: setup(t, name, kernel, 10),
			Work: time.Second, Interval: 2 * time.Second}
		calm := play(t, j)
		j.Failures = []simulate.Failure{{At: time.Duration(calm.Completion / 1500), Rank: 33}}
		out := play(t, j)
		if !slices.Equal(out.Finals, plain.Finals) || len(out.Recoveries) != 1 {
			t.Errorf("%s: other digests, or failures %+v", name, out.Recoveries)
		}
		stable := name != "rbml" && name != "hmpl" // the images of these are at loggers
		if r := out.Recoveries; len(r) == 1 && (stable && calm.Writes == 0 || r[0].Lost == 0 ||
			r[0].Takes == 0) {
			t.Errorf("%s: %d records, %+v", name, calm.Writes, r[0])
		}
	}
}

// Aim: with more ranks than a word has bits, who restarts under SCMEL and CAMEL gets back the order
// of its receptions, of messages, multicasts and reductions, and alone: nobody else is taken back.
// One that restarts from a checkpoint does again less than one that begins.
func TestManyCausal(t *testing.T) {
	n := 70
	if effort.Long() {
		n = 1024
	}
	const heat = "heat ranks=70 n=70 iterations=8"
	tests := []struct{ name, kernel string }{
		{"camel", fmt.Sprintf("leanmd ranks=%d cx=4 cy=3 cz=3 iterations=3", n)},
		{"causal", heat + " checkpoint=3"}, {"causal", heat}, {"camel", heat + " checkpoint=3"},
		{"causal", fmt.Sprintf("leanmd ranks=%d cx=4 cy=3 cz=3 iterations=3", n)}}
	for _, tt := range tests[:effort.Of(2, len(tests))] {
		plain := play(t, simulate.Job{Machine: machine(t, "myrinet"),
			Setup: setup(t, "none", tt.kernel, 0)})
		j := simulate.Job{Machine: machine(t, "myrinet"), Setup: setup(t, tt.name, tt.kernel, 0),
			Work: time.Second}
		calm := play(t, j)
		j.Failures = []simulate.Failure{{At: time.Duration(calm.Completion / 1300), Rank: 33}}
		out := play(t, j)
		if !slices.Equal(out.Finals, plain.Finals) || len(out.Recoveries) != 1 {
			t.Errorf("%s under %s: other digests, or failures %+v", tt.kernel, tt.name,
				out.Recoveries)
			continue
		}
		r := out.Recoveries[0]
		if r.Back != 1 || r.Takes == 0 || r.Takes != r.Down+r.Restore+r.Again ||
			(calm.Writes > 0) != strings.Contains(tt.kernel, "checkpoint") {
			t.Errorf("%s under %s: %d records, %+v", tt.kernel, tt.name, calm.Writes, r)
		}
	}
}

// Aim: a failure strikes who has ended, too, and then the job ends when it has ended again; and
// one of a machine whose program is not to be seen does not keep the next one from striking.
func TestEndedAndHidden(t *testing.T) {
	suite, err := kernels.Build("heat ranks=4 n=16 iterations=10")
	if err != nil {
		t.Fatal(err)
	}
	suite.Names, suite.Programs = append(suite.Names, "r4"), append(suite.Programs, core.Program{})
	p, err := protocol.List(all.Protocols()).Find("causal")
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := simulate.Prepare(p, suite, protocol.Request{})
	if err != nil {
		t.Fatal(err)
	}
	const at = 9 * time.Millisecond // of about 10; a restart takes 6 ms
	j := simulate.Job{Machine: scaled(t, 1), Setup: s, Work: time.Millisecond,
		Failures: []simulate.Failure{{At: at, Rank: 4}, {At: time.Hour}}} // the run ends before
	if out := play(t, j); out.Completion < (at+6*time.Millisecond).Nanoseconds()*1000 {
		t.Errorf("done after %d ps, when rank 4 was down: %+v", out.Completion, out.Recoveries)
	}
	own := *s
	own.New = func(p core.Proc) core.Machine { return struct{ core.Machine }{s.New(p)} }
	j.Setup, j.Work = &own, 0
	j.Failures = []simulate.Failure{{Rank: 4}, {At: time.Microsecond, Rank: 4}}
	if out, _ := j.Run(); len(out.Recoveries) != 2 {
		t.Errorf("%+v, want two failures", out.Recoveries)
	}
}

// kinds is a machine of which is counted what kinds of messages it sends.
type kinds struct {
	core.Machine
	sum map[string]int
}

func (k *kinds) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	out = k.Machine.Step(in, out)
	for _, e := range out[first:] {
		if e.Kind == core.SendMessage {
			k.sum[e.Message.Describe().Kind]++
		}
	}
	return out
}

func (k *kinds) Below() core.Machine { return k.Machine }

// Aim: of 16 clusters one failure takes back exactly one, of c ranks, and of n ranks each is told
// that it begins and reports once, and each of the cluster exchanges its status with each outside.
func TestOneClusterRollsBack(t *testing.T) {
	n := 64
	if effort.Long() {
		n = 1024
	}
	c := n / 16
	s, sum := setup(t, "hydee", fmt.Sprintf("ring ranks=%d iterations=6", n), 16), map[string]int{}
	own := *s
	own.New = func(p core.Proc) core.Machine { return &kinds{s.New(p), sum} }
	j := simulate.Job{Machine: machine(t, "myrinet"), Setup: &own}
	calm := play(t, j)
	if len(sum) != 1 || sum["App"] != 6*n || calm.Control != 0 {
		t.Errorf("without a failure messages are %v, of them control %d", sum, calm.Control)
	}
	clear(sum)
	j.Failures = []simulate.Failure{{At: time.Duration(calm.Completion / 2000), Rank: 5}}
	out := play(t, j)
	if r := out.Recoveries[0]; r.Back != c || r.Takes <= 0 || r.Takes != r.Down+r.Restore+r.Again ||
		r.Restore <= 0 {
		t.Errorf("%+v, want that one cluster of %d is taken back, and stages add up", r, c)
	}
	for kind, want := range map[string]int{"Begin": n, "Report": n, "Status": 2 * c * (n - c)} {
		if sum[kind] != want {
			t.Errorf("%d messages %s, want %d", sum[kind], kind, want)
		}
	}
	if all := out.Messages - out.Sends; out.Control != all {
		t.Errorf("%d control messages, of %d that are not of programs", out.Control, all)
	}
}

// scaled is the machine so many times as fast: the text of a machine of which every time and rate
// is a whole multiple.
func scaled(t *testing.T, by float64) *simulate.Machine {
	t.Helper()
	var list []string
	for _, p := range []struct {
		name, unit string
		value      float64
	}{{"between.latency", "ns", 4000}, {"between.overhead", "ns", 600}, {"between.gap", "ns", 200},
		{"between.rate", "GB/s", 1}, {"within.latency", "ns", 1000}, {"within.rate", "GB/s", 2},
		{"memory.rate", "GB/s", 4}, {"step", "ns", 200}, {"operation", "ns", 100},
		{"store.rate", "MB/s", 100}, {"store.file", "us", 30}, {"detect", "ms", 2},
		{"restart", "ms", 4}} {
		value := p.value / by
		if strings.HasSuffix(p.name, "rate") {
			value = p.value * by
		}
		list = append(list, fmt.Sprintf(`{"name":%q,"value":%v,"unit":%q,"source":"test"}`,
			p.name, value, p.unit))
	}
	list = append(list, `{"name":"store.servers","value":2,"unit":"1","source":"test"}`)
	m, err := simulate.ReadMachine("scaled", []byte(`{"name":"scaled","parameters":[`+
		strings.Join(list, ",\n")+"]}"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Aim: on a machine that is twice as fast everything takes half the time, to the picosecond, with
// checkpoints and a failure, too.
func TestScaled(t *testing.T) {
	for _, name := range []string{"none", "hydee", "causal"} {
		job := func(by int) simulate.Job {
			j := simulate.Job{Machine: scaled(t, float64(by)),
				Setup: setup(t, name, "heat ranks=8 n=32 iterations=30", 4),
				Work:  time.Duration(20_000 / by)}
			if name != "none" {
				j.Interval = time.Duration(400_000 / by)
				j.Failures = []simulate.Failure{{At: time.Duration(500_000 / by), Rank: 3}}
			}
			return j
		}
		slow, fast := play(t, job(1)), play(t, job(2))
		if slow.Completion != 2*fast.Completion {
			t.Errorf("%s takes %d ps, on a machine twice as fast %d", name, slow.Completion,
				fast.Completion)
		}
		for i := range fast.Recoveries {
			r := &fast.Recoveries[i]
			for _, time := range []*int64{&r.At, &r.Takes, &r.Down, &r.Restore, &r.Again,
				&r.Protected} {
				*time *= 2
			}
		}
		fast.Completion *= 2
		fast.Busy *= 2
		if diff := cmp.Diff(slow, fast); diff != "" {
			t.Errorf("%s (-slow +fast):\n%s", name, diff)
		}
	}
}

// Aim: a rank that does nothing changes no time.
func TestIdle(t *testing.T) {
	for _, name := range []string{"none", "hydee", "causal", "pessimistic"} {
		p, err := protocol.List(all.Protocols()).Find(name)
		if err != nil {
			t.Fatal(err)
		}
		var ends []int64
		for idle := range 2 {
			suite, err := kernels.Build("heat ranks=4 n=16 iterations=10")
			if err != nil {
				t.Fatal(err)
			}
			if idle > 0 {
				suite.Names = append(suite.Names, "r4")
				suite.Programs = append(suite.Programs, core.Program{})
			}
			request := protocol.Request{}
			if p.Perf.Clustered != nil {
				request.Layout.Clusters = []int{0, 0, 1, 1, 2}[:len(suite.Names)]
			}
			s, _, err := simulate.Prepare(p, suite, request)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, play(t, simulate.Job{Machine: scaled(t, 1), Setup: s,
				Work: time.Millisecond}).Completion)
		}
		if ends[0] != ends[1] || ends[0] == 0 {
			t.Errorf("%s takes %d ps, with an idle rank %d", name, ends[0], ends[1])
		}
	}
}

// Aim: the same job is the same bytes, again and on one processor or eight.
func TestRepeats(t *testing.T) {
	j := simulate.Job{Machine: scaled(t, 1), Setup: setup(t, "hydee",
		"cg ranks=8", 4), Interval: 300 * time.Microsecond,
		Failures: []simulate.Failure{{At: 700 * time.Microsecond, Rank: 2}}}
	first, err := json.Marshal(play(t, j))
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 8} {
		runtime.GOMAXPROCS(n)
		again, err := json.Marshal(play(t, j))
		if err != nil || string(again) != string(first) {
			t.Errorf("%v, on %d processors\n%s, before\n%s", err, n, again, first)
		}
	}
}
