package app

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/scenarios"
)

// rates are what differs from run to run in the summary of mutate: runs a second.
var rates = regexp.MustCompile(
	`(?m)^((?:walk|random|pos|pctcp|urw|portfolio|fuzz|local) .*?) +[0-9,]+$`)

// TestMutate compares the kill matrix and the summary of a handful of mutants with a golden file:
// killed ones, one that only a guard kills, an equivalent and a weaker one. The short form leaves
// out those of large scenarios.
func TestMutate(t *testing.T) {
	t.Parallel()
	mutants := []string{"hydee/H5", "hydee/drop-marker", "two-phase"}
	if effort.Long() {
		mutants = append(mutants, "hydee/drop-status", "hydee/drop-commit", "hydee/twice-report",
			"hydee/frontier-ahead", "sbml/block-short")
	}
	code, out, errors := domino(t.Context(), append([]string{"mutate", "--methods",
		"exhaustive,walk,random,pos,pctcp,urw,portfolio", "--schedules", "2000", "--show"},
		mutants...)...)
	if code != 0 || errors != "" {
		t.Errorf("exit code %d\n%s", code, errors)
	}
	golden(t, effort.Of("mutate-short", "mutate"), rates.ReplaceAllString(out, "$1 RATE"))
}

// TestMutateFuzz hunts one mutant in random scenarios, and one of a protocol that there are none
// for.
func TestMutateFuzz(t *testing.T) {
	effort.Seconds(t)
	t.Parallel()
	code, out, errors := domino(t.Context(), "mutate", "causal/piggyback-none", "two-phase/hasty",
		"--methods", "exhaustive,fuzz", "--schedules", "2000", "--json",
		"--shrink", "0")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3 {
		t.Fatalf("exit code %d\n%s%s", code, out, errors)
	}
	var rows [2]mutate.Row
	var sum mutate.Summary
	for i, into := range []any{&rows[0], &rows[1], &sum} {
		if err := json.Unmarshal([]byte(lines[i]), into); err != nil {
			t.Fatalf("%v\n%s", err, lines[i])
		}
	}
	if h := rows[0].Hunt("fuzz"); !h.Killed || h.Schedules == 0 || h.Small == 0 ||
		h.Small > h.Steps {
		t.Errorf("%+v", h)
	}
	if h := rows[1].Hunt("fuzz"); h.Killed || !h.Unfit || sum.Scores[1].Of != 1 ||
		sum.Mutants != 2 {
		t.Errorf("%+v, %+v", h, sum)
	}
}

// TestMutateOdd gives arguments that make no sense, and interrupts: every answer has its exit code,
// and nothing hangs.
func TestMutateOdd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args, want string
		code       int
	}{
		{"hydee/gate-opn", `did you mean "hydee/gate-open"`, 4},
		{"none", "unknown mutant", 4},
		{"--budget 0s", "--budget 0s: want more than 0", 4},
		{"--budget -1s", "want more than 0", 4},
		{"--schedules -1", "--schedules -1: want 0 or more", 4},
		{"--workers 0", "want 1 to 1024", 4},
		{"--methods bfs", `unknown method "bfs"`, 4},
		{"--methods pos,pos", "twice", 4},
		{"hydee/twice-report --methods pos --schedules 5", "undecided", 2},
		{"--list two-phase", "two-phase/hasty", 0},
		{"--list --show two-phase", "\ntwice-prepared: twice Prepared\n\tsays two times that", 0},
		{"--list nobody", "unknown mutant", 4},
	} {
		code, out, errors := domino(t.Context(),
			append([]string{"mutate"}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(out+errors, tt.want) {
			t.Errorf("mutate %s: exit code %d, want %d with %q\n%s%s", tt.args, code, tt.code,
				tt.want, out, errors)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, out, errors := domino(ctx, "mutate", "hydee/drop-status"); code != 2 ||
		!strings.Contains(out, "interrupted: 1 mutants were not hunted") {
		t.Errorf("interrupted: exit code %d\n%s%s", code, out, errors)
	}
}

// TestOriginalBreaks shows scenarios to the test of what a fuzzer finds in a mutant: one in which
// the original breaks the property, too (a program that is not send-deterministic), and one in
// which it breaks nothing.
func TestOriginalBreaks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"protocol: hydee\nclusters: a | b | c\nfailures: 1\nforce: yes\n-- program --\n" +
			"a: send b x; recv b\nb: post a; send c s; wait; send a z\nc: recv b\n": true,
		"protocol: hmpl\nvictims: a\nfailures: 1\n-- program --\na: post b; wait; send b m\nb: " +
			"send a n; recv a\n": false,
	} {
		s, err := scenarios.Parse("drawn.txtar", []byte("Drawn\n-- scenario --\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		s.Variant = "of the mutant"
		if breaks, err := (streams{Catalogue: catalogue()}).originalBreaks(t.Context(),
			&fuzz.Failure{Scenario: s, Property: "no-orphan"}); err != nil || breaks != want {
			t.Errorf("%t, %v, want %t\n%s", breaks, err, want, text)
		}
	}
}
