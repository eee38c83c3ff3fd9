package netpipe

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/protocol"
)

// Links between the two processes.
const (
	TCP    = "tcp"
	Shared = "shared"
)

// Raw is the case without a machine.
const Raw = "raw"

// Habits are what the program of a case does with what it sends, behind its name. Without one it
// sends the same bytes of the runtime all the time.
const (
	Writes = "+write" // it writes all of each message
	Copied = "+copy"  // its bytes are its own: the runtime does not know when it writes to them
)

// Protocol is what a case runs, and the habit of its program, if it has one.
func Protocol(name string) (protocol, habit string) {
	for _, habit := range []string{Writes, Copied} {
		if protocol, ok := strings.CutSuffix(name, habit); ok {
			return protocol, habit
		}
	}
	return name, ""
}

// Plan says what is measured. All processes get the same one.
type Plan struct {
	Sizes  []int    `json:"sizes"`  // bytes
	Links  []string `json:"links"`  // of TCP, Shared
	Cases  []string `json:"cases"`  // names: Raw, or what the caller makes of the others
	Rounds int      `json:"rounds"` // samples of each
	Sample Duration `json:"sample"` // about how long one takes
	Seed   uint64   `json:"seed"`   // of the order
	// bits a second that each process sends at most, see card; 0: as fast as it can
	Card int `json:"card"`
	// processes that pass a message round, in [2, MaxRing]; 0: two that send it there and back
	Ring int `json:"ring"`
	// messages that rank 0 sends behind each other before one comes back, of the case Raw alone; 0
	// or 1: each is answered
	Stream int `json:"stream,omitempty"`
}

// MaxStream bounds what is under way in a stream.
const MaxStream = 1024

// MaxRing bounds the processes of a ring.
const MaxRing = 256

// Ranks is the number of processes that send messages.
func (p *Plan) Ranks() int { return max(2, p.Ring) }

// Duration is a time.Duration that JSON shows as text.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// MaxSize bounds a message.
const MaxSize = 1 << 30

// Validate reports what is wrong with a plan.
func (p *Plan) Validate() error {
	switch {
	case len(p.Sizes) == 0 || len(p.Links) == 0 || len(p.Cases) == 0:
		return errors.New("nothing to measure: sizes, links and cases are needed")
	case p.Rounds < 1 || p.Rounds > 10_000:
		return fmt.Errorf("%d rounds, want [1, 10000]", p.Rounds)
	case p.Sample <= 0 || p.Sample > Duration(time.Minute):
		return fmt.Errorf("samples of %v, want more than nothing and at most a minute",
			time.Duration(p.Sample))
	case p.Ring != 0 && (p.Ring < 2 || p.Ring > MaxRing):
		return fmt.Errorf("a ring of %d processes, want [2, %d]", p.Ring, MaxRing)
	}
	if p.Stream < 0 || p.Stream > MaxStream || p.Stream > 1 && (p.Ring > 0 ||
		slices.ContainsFunc(p.Cases, func(name string) bool { return name != Raw })) {
		return fmt.Errorf("a stream of %d messages, want [0, %d], of case %s alone, in no ring",
			p.Stream, MaxStream, Raw)
	}
	if p.Card < 0 || p.Card > 0 && p.Card < 1000 {
		return fmt.Errorf("a card of %d bits a second, want none (0) or at least 1000", p.Card)
	}
	if p.Card > 0 && slices.Contains(p.Cases, Raw) {
		return fmt.Errorf("case %s has no card: leave it out of the protocols", Raw)
	}
	for _, name := range p.Cases {
		if protocol, habit := Protocol(name); protocol == Raw && habit != "" {
			return fmt.Errorf("case %s has no program that could have the habit %s", Raw, habit)
		}
	}
	for _, size := range p.Sizes {
		if size < 1 || size > MaxSize {
			return fmt.Errorf("a message of %d bytes, want [1, %d]", size, MaxSize)
		}
	}
	for _, l := range p.Links {
		if l != TCP && l != Shared {
			return fmt.Errorf("unknown link %q, want %s or %s", l, TCP, Shared)
		}
	}
	return nil
}

// Sizes are the powers of two in [least, most], each with its neighbours at a distance of perturb,
// as NetPIPE does to find what depends on alignment.
func Sizes(least, most, perturb int) []int {
	var list []int
	for size := 1; size <= most; size *= 2 {
		for _, n := range []int{size - perturb, size, size + perturb} {
			if n >= least && n <= most {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sample is one measurement of the plan.
type sample struct {
	round, size int
	link, name  string
}

// samples are all of them in the order in which both processes take them.
func (p *Plan) samples() []sample {
	random := rand.New(rand.NewPCG(p.Seed, 1))
	var list []sample
	for round := range p.Rounds {
		for _, s := range random.Perm(len(p.Sizes)) {
			var turn []sample
			for _, l := range p.Links {
				for _, name := range p.Cases {
					turn = append(turn, sample{round, p.Sizes[s], l, name})
				}
			}
			random.Shuffle(len(turn), func(i, j int) { turn[i], turn[j] = turn[j], turn[i] })
			list = append(list, turn...)
		}
	}
	return list
}

// logLimit is how much a sample may make a log grow.
const logLimit = 64 << 20

// trips is how many round trips, or laps, a sample of a size has, beside those before it that warm
// up. All processes must agree on it, so it is a guess of what fits the time.
func (p *Plan) trips(link string, size int) int {
	guess := 10*time.Microsecond + time.Duration(size)/3 // there and back
	if link == Shared {
		guess = time.Microsecond + time.Duration(size)/10
	}
	if p.Card > 0 {
		guess += time.Duration(16 * float64(size) / float64(p.Card) * 1e9)
	}
	guess *= time.Duration(max(1, p.Stream))
	n := int(2 * time.Duration(p.Sample) / guess / time.Duration(p.Ranks()))
	return max(3, min(n, logLimit/size, 20_000))
}

// warmUp is how many round trips come before the clock starts.
func warmUp(trips int) int { return max(1, min(trips/10, 20)) }

// Result is one sample as rank 0 reports it.
type Result struct {
	Link  string `json:"link"`
	Case  string `json:"case"`
	Bytes int    `json:"bytes"`
	Round int    `json:"round"`
	Trips int    `json:"trips"`
	// Nanos is half of a round trip, or a lap of the ring, the mean over the sample; of a stream,
	// half of what it takes and its answer.
	Nanos float64 `json:"nanos"`
	// Allocated is bytes of the heap for each message, of this process.
	Allocated float64 `json:"allocated"`
}

// Row is what a run says about one link, case and size.
type Row struct {
	Link      string  `json:"link"`
	Case      string  `json:"case"`
	Bytes     int     `json:"bytes"`
	Micros    float64 `json:"halfRoundTripMicros"` // median over the rounds; of a ring: the lap
	Least     float64 `json:"leastMicros"`
	Bandwidth float64 `json:"gigabytesPerSecond"` // bytes by the median
	// median over the rounds of the ratio to the case "none"; 0 if that was not measured
	Ratio     float64 `json:"timeToNone"`
	Allocated float64 `json:"allocatedBytes"` // a message, median
	Rounds    int     `json:"rounds"`
	// LeastRatio is the ratio of the least times: what remains of a comparison when the machine has
	// much else to do.
	LeastRatio float64 `json:"leastTimeToNone"`

	Times []float64 `json:"-"` // microseconds of each round, ascending
}

// Baseline is the case that ratios refer to; with the suffix, of those that have it.
const Baseline = protocol.Baseline

// baseline is the case that the ratios of a case refer to: that of a program with the same habit,
// if that is measured.
func (p *Plan) baseline(name string) string {
	if _, habit := Protocol(name); slices.Contains(p.Cases, Baseline+habit) {
		return Baseline + habit
	}
	return Baseline
}

// Summarise makes rows of results, in the order of links, sizes and cases of the plan.
func Summarise(p *Plan, results []Result) []Row {
	type key struct {
		link, name string
		bytes      int
	}
	found := map[key]map[int]Result{}
	for _, r := range results {
		k := key{r.Link, r.Case, r.Bytes}
		if found[k] == nil {
			found[k] = map[int]Result{}
		}
		found[k][r.Round] = r
	}
	var rows []Row
	for _, l := range p.Links {
		for _, size := range p.Sizes {
			for _, name := range p.Cases {
				base := found[key{l, p.baseline(name), size}]
				var times, ratios, allocated []float64
				least := math.Inf(1)
				for _, b := range base {
					least = min(least, b.Nanos)
				}
				// order does not matter: they are sorted
				for round, r := range found[key{l, name, size}] {
					times = append(times, r.Nanos)
					allocated = append(allocated, r.Allocated)
					if b, ok := base[round]; ok {
						ratios = append(ratios, r.Nanos/b.Nanos)
					}
				}
				if len(times) == 0 {
					continue
				}
				row := Row{Link: l, Case: name, Bytes: size, Micros: Median(times) / 1000,
					Least:     slices.Min(times) / 1000,
					Allocated: Median(allocated), Rounds: len(times)}
				row.Bandwidth = float64(size) / row.Micros / 1000
				for _, nanos := range slices.Sorted(slices.Values(times)) {
					row.Times = append(row.Times, nanos/1000)
				}
				if len(ratios) > 0 {
					row.Ratio, row.LeastRatio = Median(ratios), slices.Min(times)/least
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Median sorts the values and returns the middle, of an even number the mean of the two; there must
// be one at least.
func Median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
