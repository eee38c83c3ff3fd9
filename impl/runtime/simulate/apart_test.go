package simulate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// text is the outcome of a job in so many blocks, and its error.
func text(t *testing.T, j *simulate.Job, blocks int) string {
	t.Helper()
	out, err := j.RunIn(blocks)
	b, failed := json.Marshal(out)
	if failed != nil {
		t.Fatal(failed)
	}
	return fmt.Sprintf("%s, error %v", b, err)
}

// drawn is a machine with prices that are small and alike, so that much happens at once, of which
// some are left out: without latency, with cores or nodes that ranks share, with latencies by size.
func drawn(t *testing.T, rng *rand.Rand) *simulate.Machine {
	t.Helper()
	m := scaled(t, 1)
	for i := range m.Parameters {
		p := &m.Parameters[i]
		switch p.Unit {
		case "ns", "us", "ms":
			p.Unit, p.Value = "ns", float64(1+rng.IntN(3))
		default:
			p.Value *= float64(1 + rng.IntN(3))
		}
	}
	more := func(name, unit string, value int) {
		if rng.IntN(4) == 0 {
			m.Parameters = append(m.Parameters, simulate.Parameter{Name: name, Unit: unit,
				Value: float64(value)})
		}
	}
	more("between.latency.40", "ns", 1+rng.IntN(9))
	more("between.latency.200", "ns", 1+rng.IntN(9))
	more("between.header", "B", rng.IntN(90))
	more("within.latency.60", "ns", 1+rng.IntN(9))
	more("step.hydee", "ns", 1+rng.IntN(4))
	more("between.eager", "B", 100+rng.IntN(900)*rng.IntN(2))
	more("cores", "1", 1+rng.IntN(2))
	more("ranks", "1", 1+rng.IntN(4))
	return m
}

// Aim: a job is the same to the picosecond and the byte whether events come one after the other, or
// procs do, in however many blocks: under every protocol, with ranks that compute, on machines that
// are shipped and on drawn ones, with the bytes or the steps of protocols free or not. Which
// protocols need the order of all events, so that this is for them a second run, is known.
func TestApart(t *testing.T) {
	kernels := []string{"ring ranks=5 iterations=4", "heat ranks=6 n=16 iterations=3",
		"matmul-dynamic ranks=5", "openatom ranks=16"}
	if effort.Long() {
		kernels = append(small(4), append(small(9), small(13)...)...)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	ordered, refused := map[string]bool{}, 0
	for _, p := range all.Protocols() {
		if p.Setup == nil {
			continue
		}
		for i, k := range kernels {
			s := setup(t, p.Name, k, 2)
			if s == nil {
				refused++
				continue
			}
			j := simulate.Job{Machine: machine(t, simulate.Machines()[i%3]), Setup: s,
				Work:      time.Duration(i%2) * 10 * time.Microsecond,
				FreeBytes: rng.IntN(4) == 0, FreeSteps: rng.IntN(4) == 0}
			if rng.IntN(2) == 0 {
				j.Machine = drawn(t, rng)
			}
			if rng.IntN(8) == 0 {
				j.Steps = 1 + rng.IntN(300)
			}
			want := text(t, &j, 0)
			for _, blocks := range []int{1, 2, 3 + rng.IntN(4)} {
				got := text(t, &j, blocks)
				if got == "null, error "+emulate.ErrOrder.Error() {
					ordered[p.Name] = ordered[p.Name] || j.Steps == 0
				} else if got != want {
					t.Errorf("%s under %s in %d blocks, %+v:\n%s\nevent after event\n%s", k, p.Name,
						blocks, j, got, want)
				}
			}
		}
	}
	for _, name := range strings.Fields("none hydee causal camel rbml") {
		if ordered[name] {
			t.Errorf("%s needs the order of all events, which it did not", name)
		}
	}
	t.Log("for these the order of all events matters:", ordered)
	if want := effort.Of(2, 13); refused != want {
		t.Errorf("%d pairs of a protocol and a kernel are refused, want %d", refused, want)
	}
}

// tired is a machine that gives up with its n-th message, and takes nothing any more.
type tired struct {
	core.Machine
	left int
	name string
}

func (g *tired) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Received {
		if g.left--; g.left == 0 {
			return append(out, core.Halted(g.name))
		}
	}
	if g.left <= 0 {
		return out
	}
	return g.Machine.Step(in, out)
}

func (g *tired) Choices(buf []core.Choice) []core.Choice {
	if g.left <= 0 {
		return buf
	}
	return g.Machine.Choices(buf)
}

func (g *tired) Below() core.Machine { return g.Machine }

// Aim: whoever gives up first is named, however many procs go on at the same time.
func TestGivesUpFirst(t *testing.T) {
	s := setup(t, "none", "heat ranks=9 n=24 iterations=6", 0)
	own := *s
	own.New = func(p core.Proc) core.Machine {
		return &tired{s.New(p), 3 + int(p*5%3), fmt.Sprint("tired of ", p)}
	}
	j := &simulate.Job{Machine: machine(t, "ethernet-10g"), Setup: &own}
	want := text(t, j, 0)
	if !strings.Contains(want, "gives up: tired of") {
		t.Fatal(want)
	}
	for blocks := range 4 {
		if got := text(t, j, blocks); got != want &&
			got != "null, error "+emulate.ErrOrder.Error() {
			t.Errorf("%d blocks: %s\nevent after event %s", blocks, got, want)
		}
	}
}

// Aim: so it is with so many ranks that blocks of them go on at the same time, of a program that
// goes around, of one with neighbours on both sides, of one with operations on groups, and of one
// in which many send to one at once.
func TestBlocks(t *testing.T) {
	kernels := []string{"ring iterations=2 ranks=1500"}
	if effort.Long() {
		kernels = append(kernels, "ring iterations=3 ranks=5000", "openatom ranks=1024",
			"heat n=128 iterations=2 ranks=4096", "matmul-dynamic ranks=1200")
	}
	for i, k := range kernels {
		for j, name := range strings.Fields("none hydee causal camel") {
			if (i+j)%2 > 0 {
				continue
			}
			s := setup(t, name, k, 16)
			if s == nil {
				t.Errorf("%s does not take %s", name, k)
				continue
			}
			job := &simulate.Job{Machine: machine(t, "myrinet"), Setup: s, Work: time.Microsecond}
			want := text(t, job, 0)
			for _, blocks := range []int{2, 7} {
				if got := text(t, job, blocks); got != want {
					t.Errorf("%s under %s, %d blocks: %.300s\nevent after event\n%.300s", k, name,
						blocks, got, want)
				}
			}
		}
	}
}

// Aim: who waits longer than he need is told: a run that is made a second time says so, of a
// protocol that writes what it has received, and no other does, nor one that has to be event after
// event from the start.
func TestMadeAgain(t *testing.T) {
	const k = "heat ranks=4 n=16 iterations=3"
	for name, again := range map[string]int{"hydee": 0, "rbml": 0, "pessimistic": 3} {
		s := simulate.Study{Base: setup(t, "none", k, 0), Count: 1, Job: simulate.Job{
			Machine: scaled(t, 1), Setup: setup(t, name, k, 2), Work: time.Millisecond}}
		a, err := s.Run()
		if err != nil || a.Again != again || a.Struck.Again {
			t.Errorf("%s: %v, %d runs were made again, want %d", name, err, a.Again, again)
		}
	}
}

// Aim: a job is in as many blocks as there are processors, and nobody sees how many that are.
func TestProcessors(t *testing.T) {
	j := &simulate.Job{Machine: machine(t, "ethernet-10g"),
		Setup: setup(t, "hydee", "ring iterations=2 ranks=3000", 16)}
	want := text(t, j, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 8} {
		runtime.GOMAXPROCS(n)
		out, err := j.Run()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(out); string(got)+", error <nil>" != want {
			t.Errorf("%d processors: %.300s\nevent after event\n%.300s", n, got, want)
		}
	}
}
