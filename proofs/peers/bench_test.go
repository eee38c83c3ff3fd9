//go:build unix

package peers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// side is one way to explore the system.
type side struct {
	name string
	runs []figures
	run  func() figures
}

// BenchmarkPeers explores the same systems with each peer and with the checker, each in a process
// of its own, alternating, and prints the medians side by side. Rates are by processor time, so
// that other work on the machine hurts no side.
//
//	go test ./proofs/peers -run '^$' -bench . -resources 9 -rounds 5
func BenchmarkPeers(b *testing.B) {
	for _, e := range examples {
		b.Run(e.name, func(b *testing.B) {
			s := &system{example: e, size: 3, fast: true} // the largest of Paxos
			switch e.name {
			case "two-phase":
				s.size = *resources
			case "ring":
				s.size = *nodes
			}
			compare(b, s)
		})
	}
}

// compare explores a system on all sides.
func compare(b *testing.B, s *system) {
	states, known := s.published[s.size]
	if !known {
		states = ourselves(b, s, 1).States // and the peers have to agree
	}
	var sides []*side
	for _, p := range s.peers {
		if missing := p.missing(); missing != "" {
			fmt.Printf("left out: %s: %s\n", p.name, missing)
			continue
		}
		run := p.prepare(b, s)
		sides = append(sides, &side{name: p.name, run: func() figures { return run(states) }})
	}
	sides = append(sides,
		&side{name: "domino", run: func() figures { return ourselves(b, s, 1) }},
		&side{name: "domino, two workers", run: func() figures { return ourselves(b, s, 2) }})
	b.ResetTimer()
	steps := 0
	for range *rounds {
		for _, one := range sides {
			f := one.run()
			if steps == 0 {
				steps = f.Transitions
			}
			if f.States != states || f.Transitions != steps || f.Errors != 0 {
				b.Fatalf("%s: %d states, %d steps, %d errors, want %d, %d, 0", one.name, f.States,
					f.Transitions, f.Errors, states, steps)
			}
			one.runs = append(one.runs, f)
		}
	}
	b.StopTimer()
	table(b, s, sides)
}

// ourselves explores in a process of its own.
func ourselves(b *testing.B, s *system, workers int) figures {
	b.Helper()
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.CommandContext(b.Context(), path, "-child", s.name, "-size", fmt.Sprint(s.size),
		"-workers", fmt.Sprint(workers))
	c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", workers))
	out, measured := measure(b, c)
	f := figures{}
	if err := json.Unmarshal(out, &f); err != nil {
		b.Fatalf("%v in %s", err, out)
	}
	f.Wall, f.CPU, f.Bytes = measured.Wall, measured.CPU, measured.Bytes
	return f
}

// table prints the medians and, for each, how it compares with the first side.
func table(b *testing.B, s *system, sides []*side) {
	b.Helper()
	median := func(s *side, of func(figures) float64) float64 {
		var list []float64
		for _, f := range s.runs {
			list = append(list, of(f))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	var t strings.Builder
	fmt.Fprintf(&t, "%s, %d %s, %d states, %d steps; medians of %d runs; %s; %s\n", s.name, s.size,
		s.of, sides[0].runs[0].States, sides[0].runs[0].Transitions,
		*rounds, version(b.Context(), "spin", "-V"), version(b.Context(), "rumur", "--version"))
	fmt.Fprintf(&t, "%-26s %9s %9s %12s %14s %10s %8s\n", "", "CPU", "elapsed", "states/s",
		"transitions/s", "B/state", "speed")
	first := 0.0
	for i, s := range sides {
		cpu := median(s, func(f figures) float64 { return f.CPU.Seconds() })
		wall := median(s, func(f figures) float64 { return f.Wall.Seconds() })
		size := median(s, func(f figures) float64 { return float64(f.Bytes) / float64(f.States) })
		if i == 0 {
			first = cpu
		}
		fmt.Fprintf(&t, "%-26s %9v %9v %12.0f %14.0f %10.0f %7.2fx\n", s.name, round(cpu),
			round(wall), float64(s.runs[0].States)/cpu,
			float64(s.runs[0].Transitions)/cpu, size, first/cpu)
		b.ReportMetric(float64(s.runs[0].Transitions)/cpu,
			strings.ReplaceAll(s.name, " ", "-")+"-transitions/cpu-s")
	}
	fmt.Println("\n" + t.String()) // a benchmark's log is cut after ten lines
}

func round(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond)
}
