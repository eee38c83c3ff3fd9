package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/domino-check/domino/impl/protocol"
)

// Computer says on which computer something was measured.
type Computer struct {
	Host   string `json:"host"`
	CPU    string `json:"cpu"` // its model
	Cores  int    `json:"cores"`
	System string `json:"system"`
}

// String names it in one line.
func (c *Computer) String() string {
	return fmt.Sprintf("%s (%s, %d cores, %s)", cmp.Or(c.Host, "no name"), c.CPU, c.Cores, c.System)
}

// Trip is a measured way of a message between two processes: half of a round trip.
type Trip struct {
	Bytes int64
	Nanos float64
}

// Way is what was measured of one kind of way, in memory or through a network.
type Way struct {
	Bare   []Trip  // of processes that do nothing but send, by rising size
	None   []Trip  // of ranks without a protocol
	Behind float64 // nanoseconds a message of a stream, of processes that do nothing but send
}

// Measured is what a machine can be made of. Of a way with no trips the machine has the values of
// the other one.
type Measured struct {
	Computer        Computer
	Within, Between Way
	Protocols       []Stepped // in memory
	Lap             Lap       // in memory, if that was measured
	Memory          float64   // bytes a second
	Records         []Trip    // to stable storage
	Start, Death    float64   // of a process: nanoseconds until it runs, until its end is known
	How             string    // how the trips were measured, for sources
}

// Lap is how long a message is on its way round, of ranks without a protocol that all share the
// cores of one computer and wait for it; zero where that was not measured.
type Lap struct {
	Ranks int
	Trip
}

// Round is what an iteration of a busy ring of ranks that all share the cores of one computer takes
// longer under a protocol than without. Every rank sends and receives one message, so that no core
// is idle, and whatever a protocol does beside the ranks counts as well.
type Round struct {
	Ranks int
	Bytes int64   // of a message
	More  float64 // nanoseconds
}

// Stepped are the trips of a protocol.
type Stepped struct {
	Protocol *protocol.Protocol
	Together bool // in one cluster
	Trips    []Trip
	Rounds   []Round   // instead of the trips the step follows from these
	Timed    []Handled // steps, see Time; none: what a protocol adds to messages takes no time
}

// fitted is a line over sizes in some pieces: from[i] bytes on a trip takes base[i], and each byte.
type fitted struct {
	from     []int64
	base     []float64 // nanoseconds
	byte     float64   // nanoseconds
	residual float64   // root of the mean square of relative errors
}

// The best fit has as few pieces as can be: one more must make the residual so much smaller, if it
// is not small enough already.
const (
	mostPieces = 4
	better     = 0.7
	enough     = 0.02
)

// fit finds the line by least squares of relative errors: all ways to cut the sizes into pieces are
// tried, of which each begins at least as high as the one before. It is an error if no line with
// positive values is found.
func fit(trips []Trip) (best fitted, err error) {
	best.residual = math.Inf(1)
	trips = slices.Clone(trips)
	for i := len(trips) - 2; i >= 0; i-- { // a smaller message takes no longer: it was disturbed
		trips[i].Nanos = min(trips[i].Nanos, trips[i+1].Nanos)
	}
	for pieces := 1; pieces <= min(mostPieces, len(trips)/2); pieces++ {
		next := fitted{residual: math.Inf(1)}
		var cut func(starts []int)
		cut = func(starts []int) {
			if len(starts) == pieces {
				if f, ok := fitPieces(trips, starts); ok && f.residual < next.residual {
					next = f
				}
				return
			}
			for at := starts[len(starts)-1] + 1; at < len(trips); at++ {
				cut(append(slices.Clone(starts), at))
			}
		}
		cut([]int{0})
		if next.residual < better*best.residual {
			best = next
		}
		if best.residual < enough {
			break
		}
	}
	if math.IsInf(best.residual, 1) {
		return best, fmt.Errorf("no line of positive latency and rate fits %d sizes: more rounds, "+
			"more sizes, or less other work on the computer may help", len(trips))
	}
	return best, nil
}

// fitPieces fits one slope and a constant for each piece.
func fitPieces(trips []Trip, starts []int) (f fitted, ok bool) {
	piece := func(i int) []Trip {
		end := len(trips)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		return trips[starts[i]:end]
	}
	var over, under float64
	means := make([][2]float64, len(starts)) // of sizes and times, by weights
	for i := range starts {
		var weight float64
		for _, t := range piece(i) {
			w := 1 / t.Nanos / t.Nanos
			weight += w
			means[i][0] += w * float64(t.Bytes)
			means[i][1] += w * t.Nanos
		}
		means[i][0] /= weight
		means[i][1] /= weight
		for _, t := range piece(i) {
			w, x := 1/t.Nanos/t.Nanos, float64(t.Bytes)-means[i][0]
			over += w * x * (t.Nanos - means[i][1])
			under += w * x * x
		}
	}
	// times that are equal have a slope that is nothing but an error of rounding
	if f.byte = over / under; !(1e9/f.byte > 0 && 1e9/f.byte <= absurd) {
		return f, false
	}
	var squares float64
	for i, start := range starts {
		base := means[i][1] - f.byte*means[i][0]
		if !(base > 0) || i > 0 && base < f.base[i-1] {
			return f, false // a larger message is not begun sooner
		}
		f.from, f.base = append(f.from, trips[start].Bytes), append(f.base, base)
		for _, t := range piece(i) {
			e := (base+f.byte*float64(t.Bytes))/t.Nanos - 1
			squares += e * e
		}
	}
	f.residual = math.Sqrt(squares / float64(len(trips)))
	return f, true
}

// Calibrate makes a machine of what was measured. Protocols that have no price, because they are
// not simulated, are left out with a reason.
func (m *Measured) Calibrate(name string) (machine *Machine, left []string, err error) {
	c := &calibration{Measured: m, machine: &Machine{Name: name, Computer: &m.Computer,
		About: fmt.Sprintf("calibrated on %s", &m.Computer)}}
	if len(m.Within.None) == 0 && len(m.Between.None) == 0 {
		return nil, nil, errors.New("simulate: no trips without a protocol were measured")
	}
	if err := c.steps(); err != nil {
		return nil, nil, err
	}
	for _, w := range []struct {
		prefix, what string
		own, other   *Way
	}{{"between", "loopback", &m.Between, &m.Within}, {"within", "memory", &m.Within, &m.Between}} {
		if len(w.own.None) == 0 {
			w.own, w.what = w.other, w.what+" was not measured: as the other one"
		}
		if err := c.way(w.prefix, w.what, w.own); err != nil {
			return nil, nil, fmt.Errorf("simulate: %s: %w", w.prefix, err)
		}
	}
	if err := c.rest(); err != nil {
		return nil, nil, err
	}
	if err := c.wake(); err != nil {
		left = append(left, fmt.Sprintf("wake: %v", err))
	}
	for _, p := range m.Protocols {
		if err := c.protocol(&p); err != nil {
			left = append(left, fmt.Sprintf("step.%s: %v", p.Protocol.Name, err))
		}
	}
	return c.machine, left, nil
}

// calibration is a machine that is being made.
type calibration struct {
	*Measured
	machine *Machine
	own     float64 // of a step and of an operation each
}

// add adds a parameter. Times are in nanoseconds, at least one; three digits mean something.
func (c *calibration) add(name string, value float64, unit, source string, residual float64) {
	if unit == "ns" || unit == "B/s" {
		value = math.Max(1, math.Round(value))
	}
	c.machine.Parameters = append(c.machine.Parameters, Parameter{Name: name, Value: value,
		Unit: unit, Source: source, Residual: math.Round(residual*1e4) / 1e4})
}

// steps finds what the machine of a rank takes beside the message: half a round trip is a step and
// two operations, one to send and one to receive.
func (c *calibration) steps() error {
	w := &c.Within
	if len(w.None) == 0 {
		w = &c.Between
	}
	for _, t := range slices.Concat(w.None, w.Bare) {
		if !(t.Nanos > 0) || math.IsInf(t.Nanos, 0) || t.Bytes < 1 {
			return fmt.Errorf("simulate: a trip of %d bytes takes %v ns", t.Bytes, t.Nanos)
		}
	}
	source := "assumed: no trips of bare processes were measured"
	c.own = 1
	var more []float64
	for _, none := range w.None {
		for _, bare := range w.Bare {
			if none.Bytes == bare.Bytes && none.Bytes <= smallest {
				more = append(more, (none.Nanos-bare.Nanos)/3)
			}
		}
	}
	if len(more) > 0 {
		slices.Sort(more)
		c.own = math.Max(1, more[len(more)/2])
		source = fmt.Sprintf("%s: none less raw, a third of it, median of %d small sizes", c.How,
			len(more))
	}
	c.add("step", c.own, "ns", source, 0)
	c.add("operation", c.own, "ns", source, 0)
	c.own = math.Round(c.own)
	return nil
}

// way finds latencies, overhead and rate.
func (c *calibration) way(prefix, what string, w *Way) error {
	f, err := fit(w.None)
	if err != nil {
		return err
	}
	source := c.How + ", " + what
	// a processor can not take longer than all
	overhead := math.Round(math.Max(1, min(w.Behind, (f.base[0]-3*c.own-1)/2)))
	for i, from := range f.from {
		name := prefix + ".latency"
		if i > 0 {
			name += fmt.Sprint(".", from)
		}
		c.add(name, f.base[i]-3*c.own-2*overhead, "ns", source+": half a round trip of none less "+
			"two overheads, a step, two operations", f.residual)
	}
	from := ": a message of a stream, which the slower side bounds"
	if w.Behind <= 0 {
		from = ": assumed, no stream was measured"
	}
	c.add(prefix+".overhead", overhead, "ns", source+from, 0)
	c.add(prefix+".rate", 1e9/f.byte, "B/s", source+": slope over sizes", f.residual)
	return nil
}

// rest adds memory, storage and processes.
func (c *calibration) rest() error {
	c.add("memory.rate", c.Memory, "B/s", "measured: copies of 64 KiB to memory beyond caches", 0)
	f, err := fit(c.Records)
	if err != nil {
		return fmt.Errorf("simulate: stable storage: %w", err)
	}
	const records = "measured: records of the stable storage of a rank, written and synchronised"
	c.add("store.rate", 1e9/f.byte, "B/s", records+", slope over sizes", f.residual)
	c.add("store.file", f.base[0], "ns", records, f.residual)
	c.add("store.servers", 1, "1", "one disk", 0)
	c.add("detect", c.Death, "ns", "measured: a process of this computer is killed and reaped", 0)
	c.add("restart", c.Start, "ns", "measured: a process of domino runs and ends", 0)
	c.add("cores", float64(c.Computer.Cores), "1", "the system", 0)
	c.add("ranks", float64(c.Computer.Cores), "1", "assumed: one on each core", 0)
	return nil
}

// wake finds what it takes until a rank that waits goes on, where more of them share a computer
// than it has cores: of a lap each rank has its part, less what a message takes between ranks that
// have a core each.
func (c *calibration) wake() error {
	none := c.Within.None
	if len(none) == 0 {
		none = c.Between.None
	}
	at := slices.IndexFunc(none, func(t Trip) bool { return t.Bytes == c.Lap.Bytes })
	switch {
	case c.Lap.Ranks == 0:
		return errors.New("no laps of more ranks than cores were measured")
	case c.Lap.Ranks <= c.Computer.Cores:
		return fmt.Errorf("a lap of %d ranks was measured, want more than %d cores", c.Lap.Ranks,
			c.Computer.Cores)
	case at < 0 || !(c.Lap.Nanos > 0) || math.IsInf(c.Lap.Nanos, 0):
		return fmt.Errorf("a lap of %d bytes takes %v ns, and no trip has its size", c.Lap.Bytes,
			c.Lap.Nanos)
	}
	c.add("wake", c.Lap.Nanos/float64(c.Lap.Ranks)-none[at].Nanos, "ns", fmt.Sprintf("%s: a lap "+
		"of %d ranks that share %d cores, of each its part, less half a round trip of none", c.How,
		c.Lap.Ranks, c.Computer.Cores), 0)
	return nil
}

// With is the machine with another value of a parameter, whatever that is.
func (m *Machine) With(p Parameter) *Machine {
	other := *m
	other.Parameters = slices.DeleteFunc(slices.Clone(m.Parameters), func(q Parameter) bool {
		return q.Name == p.Name
	})
	other.Parameters = append(other.Parameters, p)
	return &other
}
