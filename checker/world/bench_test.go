//go:build unix

package world_test

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// BenchmarkGrowth explores two-phase commit with more and more resource managers: 10^4 to 10^8
// states of one kind, the largest only when asked, as it takes minutes and gigabytes.
//
//	go test ./checker/world -run '^$' -bench Growth -benchtime 1x
//	DOMINO_TESTS=huge go test ./checker/world -run '^$' -bench Growth/resources=11 -benchtime 1x
func BenchmarkGrowth(b *testing.B) {
	for resources := 5; resources <= 11; resources++ {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("resources=%d/workers=%d", resources, workers), func(b *testing.B) {
				if resources > 9 && !effort.Huge() {
					b.Skip("minutes and gigabytes: run with DOMINO_TESTS=huge")
				}
				c, err := commit(resources)()
				if err != nil {
					b.Fatal(err)
				}
				measure(b, c, checker.Options{Workers: workers})
			})
		}
	}
}

// BenchmarkOrbits explores two-phase commit and Paxos with all states, and with one state of each
// orbit.
//
//	go test ./checker/world -run '^$' -bench Orbits -benchtime 1x
func BenchmarkOrbits(b *testing.B) {
	cases := map[string]func() (world.Case, error){}
	for n := 5; n <= 9; n++ {
		cases[fmt.Sprint("resources=", n)] = commit(n)
		if n < 8 {
			cases[fmt.Sprint("servers=", n)] = func() (world.Case, error) {
				setup, err := paxos.NewSetup(paxos.Options{Servers: n, Clients: 1})
				return world.Case{Setup: setup,
					Model: fault.Model{Unordered: true, Selective: true}}, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for _, reduce := range []checker.Reduction{checker.Unreduced, checker.Ranks} {
			b.Run(fmt.Sprint(name, "/reduce=", reduce), func(b *testing.B) {
				c, err := cases[name]()
				if err != nil {
					b.Fatal(err)
				}
				measure(b, c, checker.Options{Reduce: reduce})
			})
		}
	}
}

// BenchmarkGrowthOnDisk explores channels that have nothing to do with each other, 10^6 to 10^9
// states, with one worker and memory for fewer: what has no room is on disk. There are as many
// states as the product of what each channel alone has.
//
//	DOMINO_TESTS=huge go test ./checker/world -run '^$' -bench OnDisk -benchtime 1x -timeout 5h
func BenchmarkGrowthOnDisk(b *testing.B) {
	for i, g := range []struct {
		messages []int // in each channel
		memory   int64
	}{{[]int{6, 6, 6}, 1 << 25}, {[]int{8, 8, 8}, 1 << 27}, {[]int{11, 11, 12}, 1 << 29},
		{[]int{15, 16, 15}, 1 << 31}} {
		b.Run(fmt.Sprintf("power=%d", 6+i), func(b *testing.B) {
			if i > 1 && !effort.Huge() {
				b.Skip("minutes and gigabytes: run with DOMINO_TESTS=huge")
			}
			want := 1
			for _, n := range g.messages {
				out, err := world.Check(b.Context(), channels(b, n), checker.Options{})
				if err != nil {
					b.Fatal(err)
				}
				want *= out.States
			}
			defer debug.SetGCPercent(debug.SetGCPercent(25))
			o := measure(b, channels(b, g.messages...), checker.Options{Disk: b.TempDir(),
				Order: checker.BreadthFirst, MaxBytes: g.memory})
			if o.States != want || o.Verdict != spec.Holds || o.Peak > g.memory {
				b.Errorf("%v: %d states, want %d; %d bytes", o.Verdict, o.States, want, o.Peak)
			}
		})
	}
}

// channels prepares pairs of ranks of which one sends the other so many messages.
func channels(b *testing.B, messages ...int) world.Case {
	text := "Channels\n-- scenario --\nprotocol: none\nfailures: 0\n-- program --\n"
	for i, n := range messages {
		text += fmt.Sprintf("s%d: %s\nr%d: %s\n", i,
			strings.Repeat(fmt.Sprintf("send r%d t; ", i), n-1)+fmt.Sprintf("send r%d t", i), i,
			strings.Repeat(fmt.Sprintf("recv s%d; ", i), n-1)+fmt.Sprintf("recv s%d", i))
	}
	s, err := scenarios.Parse("channels", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		b.Fatal(err)
	}
	return world.Case{Setup: r.Setup, Model: r.Model}
}

// BenchmarkHundredMillion explores more than a hundred million states, on all cores: minutes, and
// gigabytes of memory.
//
//	DOMINO_TESTS=huge go test ./checker/world -run '^$' -bench HundredMillion -benchtime 1x
func BenchmarkHundredMillion(b *testing.B) {
	if !effort.Huge() {
		b.Skip("minutes and gigabytes: run with DOMINO_TESTS=huge")
	}
	c, err := file("testdata/hundred.txtar")()
	if err != nil {
		b.Fatal(err)
	}
	measure(b, c, checker.Options{Workers: runtime.GOMAXPROCS(0)})
}

// BenchmarkAblation explores one scenario with each part of the engine switched off in turn: the
// memory of local steps, and each reduction.
//
//	go test ./checker/world -run '^$' -bench Ablation -benchtime 1x -count 3
func BenchmarkAblation(b *testing.B) {
	all := checker.Singletons | checker.Crashes | checker.Symmetry
	for _, scenario := range []string{"alike", "s3"} {
		for _, v := range []struct {
			name   string
			reduce checker.Reduction
			forget bool
		}{
			{"as-is", all, false},
			{"memory=off", all, true},
			{"singletons=off", all &^ checker.Singletons, false},
			{"crashes=off", all &^ checker.Crashes, false},
			{"symmetry=off", all &^ checker.Symmetry, false},
			{"sets=on", all&^checker.Symmetry | checker.Sets, false},
			{"sleep=on", all | checker.Sleep, false},
			{"sleep=alone", checker.Sleep, false},
			{"reduce=none", checker.Unreduced, false},
		} {
			b.Run("scenario="+scenario+"/"+v.name, func(b *testing.B) {
				c, err := embedded("hydee/" + scenario)()
				if err != nil {
					b.Fatal(err)
				}
				c.Forget = v.forget
				measure(b, c, checker.Options{Reduce: v.reduce})
			})
		}
	}
}
