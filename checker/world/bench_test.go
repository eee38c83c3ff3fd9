//go:build unix

package world_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
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
