//go:build unix

package world_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
)

// regimes are the kinds of search, each with what bounds its speed: one rate for all would hide
// where it is lost. A reduced search stands beside the same one unreduced where that ends.
var regimes = []struct {
	regime, subject string
	prepare         func() (world.Case, error)
	reduced         bool // ask for both
}{
	{"unreduced", "s1-two", embedded("hydee/s1-two"), true},
	{"unreduced", "two-phase-9", commit(9), false},
	{"reduced", "s0", embedded("hydee/s0"), true},
	{"local-steps", "causal-mpi", embedded("causal/causal-mpi"), true},
	{"local-steps", "paxos-three", embedded("paxos/paxos-three"), true},
	{"global-properties", "causal-halo", embedded("causal/causal-halo"), true},
	{"global-properties", "radic-figure-2-8-full", embedded("radic/radic-figure-2-8-full"), true},
	{"watchdogs", "radic-rbml-zombie", embedded("radic/radic-rbml-zombie"), true},
	{"registers", "single-copy-4", singleCopy(4), false},
}

// BenchmarkRegimes measures whole searches, properties judged, failures included; the reduction is
// the one that a search has when nobody asks.
//
//	go test ./checker/world -run '^$' -bench Regimes -benchtime 1x -count 3
//
// .ci/measure puts two such outputs side by side.
func BenchmarkRegimes(b *testing.B) {
	for _, r := range regimes {
		for _, reduce := range []checker.Reduction{checker.Unreduced, verify.DefaultReduction} {
			unending := r.subject == "s0" && reduce == checker.Unreduced // more than 10^8 states
			if reduce != checker.Unreduced && !r.reduced || unending {
				continue
			}
			for workers := 1; workers <= 2; workers++ {
				name, o := "none", checker.Options{Workers: workers, Reduce: reduce}
				if reduce != checker.Unreduced {
					name = "default"
				}
				b.Run(fmt.Sprintf("regime=%s/subject=%s/reduce=%s/workers=%d", r.regime, r.subject,
					name, workers), func(b *testing.B) {
					c, err := r.prepare()
					if err != nil {
						b.Fatal(err)
					}
					measure(b, c, o)
				})
			}
		}
	}
}

// measure explores as often as the benchmark wants and reports sizes, processor time, and the
// rate by it, which other work on the machine hurts little.
func measure(b *testing.B, c world.Case, o checker.Options) *world.Outcome {
	b.Helper()
	debug.FreeOSMemory()
	forgetPeak()
	began := processorTime(b)
	var out *world.Outcome
	for b.Loop() {
		var err error
		if out, err = world.Check(b.Context(), c, o); err != nil {
			b.Fatal(err)
		}
	}
	seconds := (processorTime(b) - began).Seconds() / float64(b.N)
	b.ReportMetric(seconds, "cpu-s")
	b.ReportMetric(float64(out.Transitions)/seconds, "transitions/cpu-s")
	b.ReportMetric(float64(out.States)/seconds, "states/cpu-s")
	b.ReportMetric(float64(out.States), "states")
	b.ReportMetric(float64(out.Transitions), "transitions")
	b.ReportMetric(float64(out.Terminals), "ends")
	b.ReportMetric(float64(out.Peak)/float64(out.States), "B/state")
	if out.Spills > 0 {
		b.ReportMetric(float64(out.Spills), "spills")
		b.ReportMetric(float64(out.Disk)/1e6, "MB-disk")
	}
	if peak, ok := peakMemory(); ok {
		b.ReportMetric(peak/1e6, "MB")
	}
	return out
}

// processorTime is what the process has used: in user mode, and in the system on its behalf.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak lets the system's record of the largest resident memory begin anew, where it can.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMemory is the largest resident memory in bytes since forgetPeak, where the system says it.
func peakMemory() (float64, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	if fields := bytes.Fields(rest); found && len(fields) > 0 {
		kib, err := strconv.ParseFloat(string(fields[0]), 64)
		return kib * 1024, err == nil
	}
	return 0, false
}

// embedded prepares a scenario of the suite.
func embedded(name string) func() (world.Case, error) {
	return file("../../scenarios/" + name + ".txtar")
}

// file prepares a scenario.
func file(name string) func() (world.Case, error) {
	return func() (world.Case, error) {
		s, err := scenarios.Load(name)
		if err != nil {
			return world.Case{}, err
		}
		r, err := resolve(s)
		if err != nil {
			return world.Case{}, err
		}
		return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model,
			Interchangeable: r.Interchangeable}, nil
	}
}

// commit prepares two-phase commit with so many resource managers.
func commit(resources int) func() (world.Case, error) {
	return func() (world.Case, error) {
		setup, err := twophase.NewSetup(twophase.Options{Resources: resources})
		return world.Case{Setup: setup, Model: fault.Model{Set: true}}, err
	}
}
