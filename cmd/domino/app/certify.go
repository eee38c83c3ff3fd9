package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// certified is the answer as JSON.
type certified struct {
	versioned
	Program  string `json:"program"`
	Class    string `json:"class"`
	Stuck    string `json:"stuck,omitempty"`
	Lacks    []lack `json:"lacks,omitempty"`
	Protocol string `json:"protocol,omitempty"` // of a scenario
	Needs    string `json:"needs,omitempty"`    // of its programs, or what --needs says
	Fits     bool   `json:"fits"`
}

// lack is one class that the program is not in, with two runs.
type lack struct {
	Class string   `json:"class"`
	Why   string   `json:"why"`
	First []string `json:"first"`
	Other []string `json:"other"`
}

var classNames = [...]string{"none", "piecewise", "send-deterministic", "deterministic"}

func runCertify(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("certify", "SCENARIO | FILE | PROGRAM N", std, "certify s6", "certify my.txtar",
		"certify programs.txt --needs send-deterministic", "certify master-worker 3",
		"certify 'ring 4' --json")
	needs := f.String("needs", "",
		"the class that the program must have: none, piecewise, send-deterministic or "+
			"deterministic; of a scenario, what its protocol needs")
	states := f.Int("max-states", 1<<20, "states of the failure-free program to look at")
	asJSON := f.Bool("json", false, "print JSON")
	out := registerOutputs(f, std)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := errors.Join(within(f, positive("max-states")), out.open()); err != nil {
		return 0, err
	}
	if f.NArg() == 0 {
		return 0, errors.New("want a scenario, a file, or a program such as \"ring 3\"")
	}
	a := certified{versioned: as("certify"), Program: strings.Join(f.Args(), " "), Needs: *needs}
	setup, err := heard(ctx, func() (*core.Setup, error) { return a.open(f.Args(), std) })
	if err != nil {
		return 0, err
	}
	if a.Needs != "" && classIndex(a.Needs) < 0 {
		return 0, fmt.Errorf("unknown class %q, want %s", a.Needs,
			strings.Join(classNames[:], ", "))
	}
	c, err := heard(ctx, func() (*world.Certificate, error) {
		return world.Certify(ctx, setup, checker.Options{MaxStates: *states})
	})
	if errors.Is(err, errInterrupted) {
		return 0, err
	} else if err != nil {
		fmt.Fprintf(std.err, "unknown: %v\n", err)
		out.certified(&a, err)
		return exitCode(spec.Unknown), nil
	}
	a.answer(c)
	out.certified(&a, nil)
	if *asJSON {
		err = printJSON(std.out, a)
	} else {
		a.print(std.out)
	}
	if !a.Fits {
		return exitCode(spec.OutOfModel), err
	}
	return 0, err
}

func classIndex(name string) int {
	for i, n := range classNames {
		if n == name {
			return i
		}
	}
	return -1
}

// open is the program over the transparent protocol: of a scenario by name or file, of a file with
// programs alone, or a generated one.
func (a *certified) open(args []string, std streams) (*core.Setup, error) {
	if len(args) == 1 {
		text, err := smallFile(args[0])
		if err == nil && !strings.Contains(string(text), "-- scenario --") {
			return programSetup(args[0], string(text))
		}
		s, err := std.one(args[0])
		if err == nil {
			return a.ofScenario(s, std)
		}
		if !strings.Contains(args[0], " ") {
			return nil, err
		}
	}
	text, err := script.Generate(strings.Join(args, " "))
	if err != nil {
		return nil, err
	}
	return programSetup("program", text)
}

func (a *certified) ofScenario(s *scenarios.Scenario, std streams) (*core.Setup, error) {
	r, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	if r.Baseline == nil {
		return nil, fmt.Errorf("%s has no programs", s.Name)
	}
	if a.Protocol = r.Setup.Protocol; a.Needs == "" {
		a.Needs = r.Setup.Promises.Needs.String()
	}
	return r.Baseline, nil
}

func programSetup(file, text string) (*core.Setup, error) {
	suite, err := script.Read(text, 1)
	var at *script.LineError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("%s:%d: %w", file, at.Line, at.Err)
	}
	if err != nil {
		return nil, err
	}
	return verify.Alone(trace.Layout{Names: suite.Names, Ranks: len(suite.Names),
		Trees: suite.Trees}, suite.Programs)
}

// answer compares the certificate with what is needed.
func (a *certified) answer(c *world.Certificate) {
	a.Class, a.Stuck = c.Class.String(), c.Stuck
	need := promise.Determinism(max(0, classIndex(a.Needs)))
	a.Fits = c.Class >= need && c.Stuck == ""
	for i := range c.Lacks {
		l := &c.Lacks[i]
		a.Lacks = append(a.Lacks, lack{l.Class.String(), l.Text(), l.First, l.Other})
	}
}

func (a *certified) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", a.Program, a.Class)
	if a.Stuck != "" {
		fmt.Fprintf(w, "  fails without any failure: %s\n", a.Stuck)
	}
	for _, l := range a.Lacks {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(l.Why, "\n", "\n  "))
	}
	who := "--needs says"
	if a.Protocol != "" {
		who = "protocol " + a.Protocol + " needs"
	}
	switch {
	case a.Needs == "":
	case a.Fits:
		fmt.Fprintf(w, "  %s %s: it fits\n", who, a.Needs)
	default:
		fmt.Fprintf(w, "  %s %s: refused, out of model\n", who, a.Needs)
	}
}
