package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/runtime/gauge"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// calibrating sets what is measured for a machine, unless the user has said it, and refuses what
// none can be made of.
func (std streams) calibrating(o *netpipeOptions, f *pflag.FlagSet) error {
	if !f.Changed("sizes") {
		o.sizes = "8,64,256,1K,4K,8K,16K,64K,256K,1M,4M"
	}
	if !f.Changed("perturb") {
		o.perturb = 0
	}
	if !f.Changed("protocols") {
		names, pairs, of := std.pairs()
		list := []string{netpipe.Raw}
		for _, name := range names { // those that figures have, each once
			if perf := of[name].Perf; perf.Colour > 0 && !perf.Pale && !pairs[name].Together {
				list = append(list, name)
			}
		}
		o.protocols = strings.Join(list, ",")
	}
	info, err := os.Stat(filepath.Dir(o.calibrate))
	switch {
	case o.ring > 0 || o.card != "":
		return errors.New("--calibrate: not with --ring or --card")
	case !slices.Contains(fields(o.protocols), netpipe.Baseline):
		return fmt.Errorf("--calibrate: --protocols must have %s", netpipe.Baseline)
	case err != nil:
		return fmt.Errorf("--calibrate: %w", err)
	case !info.IsDir():
		return fmt.Errorf("--calibrate: %s is no folder", filepath.Dir(o.calibrate))
	}
	o.protocols = strings.Join(copied(fields(o.protocols)), ",")
	return nil
}

// copied are the cases with programs whose bytes a log copies: what the model of a send has.
func copied(cases []string) (list []string) {
	for _, name := range cases {
		if name != netpipe.Raw && name != netpipe.Baseline {
			protocol, _ := netpipe.Protocol(name)
			name = protocol + netpipe.Copied
		}
		list = append(list, name)
	}
	return list
}

// streamed is how many messages of a stream follow each other, and streamedBytes what each has.
const streamed, streamedBytes = 64, 8

// calibrate measures the rest of what a machine needs and writes the file.
func (std streams) calibrate(ctx context.Context, o *netpipeOptions, plan *netpipe.Plan,
	results []netpipe.Result, measure measurer) error {
	m := &simulate.Measured{Computer: simulate.Computer(gauge.This()), Memory: gauge.Memory(),
		How: fmt.Sprintf("netpipe, least of %d rounds", plan.Rounds)}
	ways := map[string]*simulate.Way{netpipe.Shared: &m.Within, netpipe.TCP: &m.Between}
	for link, way := range ways {
		way.Bare = trips(results, link, netpipe.Raw)
		way.None = trips(results, link, netpipe.Baseline)
	}
	err := streamTimes(ctx, plan, ways, measure)
	if err != nil || ctx.Err() != nil {
		return err
	}
	if m.Lap, err = o.lapTime(ctx, std, plan); err != nil || ctx.Err() != nil {
		return err
	}
	m.Protocols = std.steppedTrips(plan, results)
	for i := range m.Protocols {
		// without, it is refused below, with the reason
		m.Protocols[i].Timed, _ = simulate.Time(m.Protocols[i].Protocol)
	}
	if err := o.crowdedRounds(ctx, std, m); err != nil || ctx.Err() != nil {
		return err
	}
	records, err := gauge.Store("")
	if err != nil {
		return err
	}
	for _, r := range records {
		m.Records = append(m.Records, simulate.Trip(r))
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	start, death, err := gauge.Process(ctx,
		func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, path, "version") },
		func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, path, "cluster", "netpipe", "--"+childFlag)
		})
	if err != nil {
		return err
	}
	m.Start, m.Death = float64(start), float64(death)
	name := strings.TrimSuffix(filepath.Base(o.calibrate), filepath.Ext(o.calibrate))
	machine, left, err := m.Calibrate(name)
	if err != nil {
		return err
	}
	return std.writeMachine(o, machine, left)
}

// writeMachine writes the file, a parameter a line, and says what is in it.
func (std streams) writeMachine(o *netpipeOptions, m *simulate.Machine, left []string) error {
	var b bytes.Buffer
	head := *m
	head.Parameters = []simulate.Parameter{}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	b.Write(bytes.TrimSuffix(text, []byte("]}")))
	for i, p := range m.Parameters {
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n ")
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	if _, err := simulate.ReadMachine(o.calibrate, b.Bytes()); err != nil {
		return fmt.Errorf("no machine comes of this: %w", err)
	}
	if err := wholefile.Write(o.calibrate, b.Bytes()); err != nil {
		return fmt.Errorf("--calibrate: %w", err)
	}
	if o.json || o.bench {
		return nil
	}
	fmt.Fprintf(std.out, "\n%s: %d parameters of %s\n", o.calibrate, len(m.Parameters), m.Computer)
	for _, l := range left {
		fmt.Fprintln(std.out, "left out:", l)
	}
	return nil
}

// trips are the least times of a case, by size; those that programs can not send are left out.
func trips(results []netpipe.Result, link, name string) (list []simulate.Trip) {
	for _, r := range results {
		if r.Link != link || r.Case != name || r.Bytes < streamedBytes {
			continue
		}
		at := slices.IndexFunc(list, func(t simulate.Trip) bool {
			return t.Bytes == int64(r.Bytes)
		})
		if at < 0 {
			at = len(list)
			list = append(list, simulate.Trip{Bytes: int64(r.Bytes), Nanos: math.Inf(1)})
		}
		list[at].Nanos = min(list[at].Nanos, r.Nanos)
	}
	slices.SortFunc(list, func(a, b simulate.Trip) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return list
}

// streamTimes measures what a message of a stream takes: a stream and its answer, less a message
// and its answer, by the messages that are more.
func streamTimes(ctx context.Context, plan *netpipe.Plan, ways map[string]*simulate.Way,
	measure measurer) error {
	p := *plan
	p.Sizes, p.Cases = []int{streamedBytes}, []string{netpipe.Raw}
	single, err := measure(ctx, p, nil)
	if err != nil {
		return err
	}
	p.Stream = streamed
	stream, err := measure(ctx, p, nil)
	if err != nil {
		return err
	}
	for _, link := range plan.Links {
		one, all := trips(single, link, netpipe.Raw), trips(stream, link, netpipe.Raw)
		if len(one) > 0 && len(all) > 0 {
			ways[link].Behind = max(1, 2*(all[0].Nanos-one[0].Nanos)/(streamed-1))
		}
	}
	return nil
}

// crowd is how many processes a core has while laps are measured. They look for messages in turns,
// as those of a job with a few processes on a core; with two of them a lap is faster, and with more
// it takes as long for each (see package netpipe).
const crowd = 4

// lapTime measures laps of more processes than this computer has cores. They are none where it has
// so many that a ring is too small.
func (o *netpipeOptions) lapTime(ctx context.Context, std streams,
	plan *netpipe.Plan) (lap simulate.Lap, err error) {
	p := *plan
	p.Ring, p.Cases = min(crowd*runtime.NumCPU(), netpipe.MaxRing), []string{netpipe.Baseline}
	p.Links = []string{linkOf(plan)}
	p.Sizes = slices.DeleteFunc(slices.Clone(plan.Sizes), func(n int) bool {
		return n < streamedBytes
	})
	if p.Ring <= runtime.NumCPU() || len(p.Sizes) == 0 {
		return lap, nil
	}
	p.Sizes = []int{slices.Min(p.Sizes)}
	measure, err := o.measurer(std, p.Ring)
	if err != nil {
		return lap, err
	}
	results, err := measure(ctx, p, nil)
	if err != nil {
		return lap, err
	}
	for _, t := range trips(results, p.Links[0], netpipe.Baseline) {
		lap = simulate.Lap{Ranks: p.Ring, Trip: t}
	}
	return lap, nil
}

// linkOf is the way on which steps are measured: memory, if that is in the plan.
func linkOf(plan *netpipe.Plan) string {
	if slices.Contains(plan.Links, netpipe.Shared) {
		return netpipe.Shared
	}
	return netpipe.TCP
}

// steppedTrips are those of protocols: in memory, if that was measured, and of a protocol with
// clusters in two of them.
func (std streams) steppedTrips(plan *netpipe.Plan,
	results []netpipe.Result) (list []simulate.Stepped) {
	_, pairs, of := std.pairs()
	link := linkOf(plan)
	for _, name := range plan.Cases {
		pair, habit := netpipe.Protocol(name)
		p := of[pair]
		if p == nil || habit != netpipe.Copied || pairs[pair].Together {
			continue // raw and none have their own place, and one cluster logs nothing
		}
		list = append(list, simulate.Stepped{Protocol: p, Trips: trips(results, link, name)})
	}
	return list
}
