package simulate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// sized are the sizes of trips.
var sized = []int64{8, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}

// known is a machine whose trips follow from formulas: steps and operations of 100 ns, overheads of
// 400 and 2,000 ns, latencies of 1,000 ns and, from 4 KiB on, 3,000 ns in memory, of 9,000 ns
// between, rates of 8 and 1 GB/s.
func known(noise float64) *simulate.Measured {
	m := &simulate.Measured{Computer: simulate.Computer{Host: "h", CPU: "c", Cores: 2,
		System: "linux"}, Memory: 5e9, Start: 2e7, Death: 1e5, How: "by hand"}
	for i, n := range sized {
		latency, more := 1000., 1+noise*float64(i%3-1)
		if n >= 4<<10 {
			latency = 3000
		}
		within, between := latency+2*400+float64(n)/8, 9000+2*2000+float64(n)
		m.Within.Bare = append(m.Within.Bare, simulate.Trip{Bytes: n, Nanos: within})
		m.Between.Bare = append(m.Between.Bare, simulate.Trip{Bytes: n, Nanos: between})
		m.Within.None = append(m.Within.None, simulate.Trip{Bytes: n, Nanos: (within + 300) * more})
		m.Between.None = append(m.Between.None, simulate.Trip{Bytes: n,
			Nanos: (between + 300) * more})
	}
	m.Within.Behind, m.Between.Behind = 400, 2000
	for _, n := range []int64{1 << 10, 1 << 20, 8 << 20} { // 2 ms and 200 MB/s
		m.Records = append(m.Records, simulate.Trip{Bytes: n, Nanos: 2e6 + float64(n)*5})
	}
	return m
}

// values are those of a machine by name.
func values(m *simulate.Machine) map[string]float64 {
	list := map[string]float64{}
	for _, p := range m.Parameters {
		list[p.Name] = p.Value
	}
	return list
}

// Aim: of trips that follow from prices, calibration finds the prices, and what it writes is a
// machine; with a noise of 3 % all but latencies are within 10 %.
func TestCalibrate(t *testing.T) {
	want := map[string]float64{"step": 100, "operation": 100, "within.latency": 1000,
		"within.latency.4096": 3000, "within.overhead": 400, "within.rate": 8e9,
		"between.latency": 9000, "between.overhead": 2000, "between.rate": 1e9,
		"memory.rate": 5e9, "store.rate": 2e8, "store.file": 2e6, "store.servers": 1,
		"detect": 1e5, "restart": 2e7, "cores": 2, "ranks": 2}
	m, left, err := known(0).Calibrate("mine")
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0], "wake: no laps") {
		t.Fatal(err, left)
	}
	got := values(m)
	if len(got) != len(want) {
		t.Errorf("%d parameters, want %d: %v", len(got), len(want), got)
	}
	for name, value := range want {
		if math.Abs(got[name]/value-1) > 1e-3 {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	for _, p := range m.Parameters {
		if p.Source == "" || p.Residual > 1e-3 {
			t.Errorf("%+v", p)
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := simulate.ReadMachine("file", text); err != nil ||
		*again.Computer != known(0).Computer {
		t.Errorf("%v %+v", err, again)
	}
	noisy, _, err := known(.03).Calibrate("mine")
	if err != nil {
		t.Fatal(err)
	}
	got = values(noisy)
	for _, name := range []string{"within.rate", "between.rate", "between.latency"} {
		if math.Abs(got[name]/want[name]-1) > .1 {
			t.Errorf("with noise %s is %v, want %v", name, got[name], want[name])
		}
	}
}

// Aim: a lap of six ranks on two cores takes six trips of 2,101 ns and wakings of 5,000 ns, which
// calibration finds; the machine then has the lap that was measured. Laps that say nothing of that
// are left out, with the reason.
func TestCalibrateWake(t *testing.T) {
	m := known(0)
	const lap = 6 * (2101 + 5000)
	m.Lap = simulate.Lap{Ranks: 6, Trip: simulate.Trip{Bytes: 8, Nanos: lap}}
	machine, left, err := m.Calibrate("mine")
	if err != nil || len(left) > 0 || values(machine)["wake"] != 5000 {
		t.Fatalf("%v, %v, wake is %v ns, want 5000", err, left, values(machine)["wake"])
	}
	few, many := 10, 20
	var ends []int64
	for _, laps := range []int{few, many} {
		s := setup(t, "none", fmt.Sprintf("ring variant=token ranks=6 size=8 iterations=%d", laps),
			0)
		ends = append(ends, play(t, simulate.Job{Machine: machine.Together(), Setup: s}).Completion)
	}
	if got := float64(ends[1]-ends[0]) / 1000 / float64(many-few); math.Abs(got/lap-1) > .001 {
		t.Errorf("a lap of six ranks takes %v ns, want %v", got, lap)
	}
	for words, wrong := range map[string]simulate.Lap{
		"no laps of more ranks":         {},
		"a lap of 2 ranks was measured": {Ranks: 2, Trip: m.Lap.Trip},
		"no trip has its size":          {Ranks: 6, Trip: simulate.Trip{Bytes: 9, Nanos: lap}},
		"takes 0 ns":                    {Ranks: 6, Trip: simulate.Trip{Bytes: 8}},
	} {
		m.Lap = wrong
		machine, left, err := m.Calibrate("mine")
		if err != nil || len(left) != 1 || !strings.Contains(left[0], words) ||
			values(machine)["wake"] != 0 {
			t.Errorf("%s: %v, %v", words, err, left)
		}
	}
}

// Aim: the step of HydEE between two clusters follows from a trip by hand: what none takes, 28
// bytes more (TestParts), a copy into the log, and the step instead of that of none.
func TestCalibrateStep(t *testing.T) {
	effort.Seconds(t)
	m := known(0)
	p, err := protocol.List(all.Protocols()).Find("hydee")
	if err != nil {
		t.Fatal(err)
	}
	s := simulate.Stepped{Protocol: p}
	for _, trip := range m.Within.None {
		trip.Nanos += 28./8 + float64(trip.Bytes)/5 + 700 - 100
		s.Trips = append(s.Trips, trip)
	}
	m.Protocols = append(m.Protocols, s)
	machine, _, err := m.Calibrate("mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := values(machine)["step.hydee"]; math.Abs(got-700) > 3 {
		t.Errorf("step.hydee is %v ns, want 700", got)
	}
	if i := slices.IndexFunc(machine.Parameters, func(p simulate.Parameter) bool {
		return p.Name == "step.hydee"
	}); machine.Parameters[i].Residual > .01 {
		t.Errorf("residual %v", machine.Parameters[i].Residual)
	}
}

// Aim: of eight ranks that are never idle on two cores, an iteration takes four times what one rank
// has to do in it. With HydEE that is a step of it, and not one of none, and the copy of a message
// of 8 bytes, of 1.6 ns: of 2,406.4 ns more, a step of 700 ns follows, whatever a trip takes. With
// sixteen it is eight times that; of two rings the mean counts. A round that makes no sense is
// refused.
func TestCalibrateStepOfRounds(t *testing.T) {
	p, err := protocol.List(all.Protocols()).Find("hydee")
	if err != nil {
		t.Fatal(err)
	}
	m := known(0)
	s := simulate.Stepped{Protocol: p, Trips: m.Within.None,
		Rounds: []simulate.Round{{Ranks: 8, Bytes: 8, More: 4 * (700 - 100 + 1.6)}}}
	m.Protocols = []simulate.Stepped{s}
	for _, want := range []float64{700, 600} {
		machine, left, err := m.Calibrate("mine")
		if err != nil || len(left) != 1 {
			t.Fatalf("%v, left out %v", err, left)
		}
		if got := values(machine)["step.hydee"]; math.Abs(got-want) > 10 {
			t.Errorf("step.hydee is %v ns, want %v", got, want)
		}
		m.Protocols[0].Rounds = append(m.Protocols[0].Rounds, simulate.Round{Ranks: 16, Bytes: 8,
			More: 8 * (500 - 100 + 1.6)})
	}
	for _, wrong := range []simulate.Round{{Ranks: 1, Bytes: 8, More: 1}, {Ranks: 8, More: 1},
		{Ranks: 8, Bytes: 8, More: math.NaN()}, {Ranks: 8, Bytes: 8, More: math.Inf(1)}} {
		m.Protocols[0].Rounds = []simulate.Round{wrong}
		if _, left, err := m.Calibrate("mine"); err != nil || len(left) != 2 ||
			!strings.Contains(left[1], "step.hydee: a round of ") {
			t.Errorf("%+v: %v, left out %v", wrong, err, left)
		}
	}
}

// Aim: a protocol whose steps were timed has the price of what it adds, and that is not in its
// constant price, too: of a trip under HydEE, which adds 28 bytes, handled where a message leaves
// and where it comes at 12.5 ns each, 300 ns remain for the step.
func TestCalibrateHeader(t *testing.T) {
	m := known(0)
	p, err := protocol.List(all.Protocols()).Find("hydee")
	if err != nil {
		t.Fatal(err)
	}
	s := simulate.Stepped{Protocol: p, Timed: handledBy(12.5, 0, 100, 500)}
	for _, trip := range m.Within.None {
		trip.Nanos += 28./8 + float64(trip.Bytes)/5 + 2*28*12.5 + 300 - 100
		s.Trips = append(s.Trips, trip)
	}
	m.Protocols = append(m.Protocols, s)
	machine, _, err := m.Calibrate("mine")
	if err != nil {
		t.Fatal(err)
	}
	got := values(machine)
	if got["step.hydee.header"] != 12800 || math.Abs(got["step.hydee"]-300) > 5 {
		t.Errorf("step.hydee.header is %v ns/KiB, want 12800; step.hydee %v ns, want 300",
			got["step.hydee.header"], got["step.hydee"])
	}
	text, err := json.Marshal(machine)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := simulate.ReadMachine("file", text); err != nil {
		t.Error(err)
	}
}

// Aim: what no machine can be made of is an error that says what; protocols that are not simulated
// are left out with a reason; without one way, the other one stands for it.
func TestCalibrateWrong(t *testing.T) {
	for want, change := range map[string]func(*simulate.Measured){
		"no trips":      func(m *simulate.Measured) { m.Within.None, m.Between.None = nil, nil },
		"positive":      func(m *simulate.Measured) { m.Within.None = m.Within.None[:1] },
		"takes 0 ns":    func(m *simulate.Measured) { m.Within.None[3].Nanos = 0 },
		"takes NaN":     func(m *simulate.Measured) { m.Within.None[3].Nanos = math.NaN() },
		"takes +Inf ns": func(m *simulate.Measured) { m.Within.None[3].Nanos = math.Inf(1) },
		"no line": func(m *simulate.Measured) {
			for i := range m.Within.None { // disturbed: no size takes longer than another one
				m.Within.None[i].Nanos = 1359e3 / 7
			}
		},
		"storage": func(m *simulate.Measured) { m.Records = nil },
	} {
		m := known(0)
		change(m)
		if _, _, err := m.Calibrate("x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	m := known(0)
	m.Between = simulate.Way{}
	p, err := protocol.List(all.Protocols()).Find("radic-rbml")
	if err != nil {
		t.Fatal(err)
	}
	m.Protocols = []simulate.Stepped{{Protocol: p, Trips: m.Within.None}}
	machine, left, err := m.Calibrate("x")
	if err != nil || len(left) != 2 || !strings.Contains(left[1], "step.radic-rbml") {
		t.Fatalf("%v, left out %v", err, left)
	}
	if got := values(machine); got["between.rate"] != got["within.rate"] {
		t.Errorf("%v", got)
	}
}
