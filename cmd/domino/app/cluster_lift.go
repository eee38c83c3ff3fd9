package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/checker/lift"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// liftedFile is the name under which a run that was found in the world is saved.
const liftedFile = "lifted.txtar"

// lifted is a run as processes that was looked for in the world.
type lifted struct {
	*lift.Outcome
	scenario *scenarios.Scenario // with the schedule, that replays
	file     string              // where it is saved; "": nowhere
}

// lift looks for the run in a folder of evidence.
func (c *clusterCase) lift(dir string, places int) (*lifted, error) {
	log, err := cluster.ReadLog(dir, len(c.resolved.Setup.Layout.Names))
	if err != nil {
		return nil, err
	}
	if log.Resumed() {
		return &lifted{scenario: c.scenario, Outcome: &lift.Outcome{Verdict: lift.Unknown,
			Reason: "the run was resumed after all of it had ended at once, which is not looked " +
				"for in the world"}}, nil
	}
	if c.lifter == nil {
		c.lifter = lift.New(c.resolved.Setup, c.resolved.Model, c.facts)
	}
	out, err := c.lifter.Lift(log, places)
	if err != nil {
		return nil, err
	}
	s := *c.scenario
	s.Model, s.Schedule, s.Expect, s.Breaks, s.States = out.Model, out.Schedule, "holds", "", 0
	s.MustSee, s.Tour, s.Victims = nil, false, nil
	if out.Run != nil && out.Run.Violation != nil {
		s.Expect, s.Breaks = "violated", out.Run.Violation.Property
	}
	if c.resolved.Setup.Spared != nil { // whom the scenario spares somebody else may have killed
		s.Victims = slices.Clone(c.resolved.Setup.Layout.Names)
	}
	return &lifted{Outcome: out, scenario: &s}, nil
}

// liftAndSave is lift, with the replay file beside the evidence.
func (c *clusterCase) liftAndSave(dir string) (*lifted, error) {
	l, err := c.lift(dir, world.MostLifted)
	if err != nil {
		return nil, err
	}
	err = l.save(filepath.Join(dir, liftedFile))
	if c.quiet || !c.keeps && l.code() == 0 { // the file does not stay
		l.file = ""
	}
	return l, err
}

// save writes the replay file.
func (l *lifted) save(file string) error {
	if len(l.Schedule) == 0 {
		return nil
	}
	l.file = file
	return scenarios.Save(file, l.scenario)
}

// violation is what the run breaks in the world; nil if it breaks nothing or there is none.
func (l *lifted) violation() *spec.Violation {
	if l.Run == nil {
		return nil
	}
	return l.Run.Violation
}

// code is the exit code.
func (l *lifted) code() int {
	switch {
	case l.Verdict == lift.Found && l.violation() == nil:
		return 0
	case l.Verdict == lift.Unknown:
		return exitCode(spec.Unknown)
	}
	return exitCode(spec.Violated)
}

// mostOffers is how many events that the world offers a reader is told.
const mostOffers = 12

// print tells a reader.
func (l *lifted) print(w io.Writer) {
	if l.Lifted == nil {
		fmt.Fprintf(w, "unknown: %s\n", l.Reason)
		return
	}
	fmt.Fprintf(w, "%s: %d of %d recorded steps and failures, %d steps of the world, %d places\n",
		l.Verdict, l.Lifted.Explained, l.Lifted.Of, len(l.Schedule), l.Lifted.Nodes)
	if l.Reason != "" {
		fmt.Fprintln(w, l.Reason)
	}
	if !l.Lifted.Found {
		fmt.Fprintf(w, "%s fits nowhere behind them: %s\n", l.Lifted.Stuck, l.Lifted.Why)
		for i, o := range l.Lifted.Offers {
			if i == mostOffers {
				fmt.Fprintf(w, "  and %d more\n", len(l.Lifted.Offers)-i)
				break
			}
			fmt.Fprintf(w, "  the world offers: %s\n", o)
		}
	}
	if v := l.violation(); v != nil {
		fmt.Fprintf(w, "in the world it breaks %s: %s\n", v.Property, v.Message)
	}
	if l.file != "" {
		fmt.Fprintf(w, "domino replay %s shows it\n", word(l.file))
	}
}

// liftReport is the answer as JSON.
type liftReport struct {
	versioned
	Scenario  string          `json:"scenario"`
	Verdict   string          `json:"verdict"`
	Reason    string          `json:"reason,omitempty"`
	Explained int             `json:"explained"`
	Of        int             `json:"of"`
	Steps     int             `json:"steps"`
	Places    int             `json:"places"`
	Stuck     string          `json:"stuck,omitempty"`
	Why       string          `json:"why,omitempty"`
	Offers    []string        `json:"offers,omitempty"`
	Violation *spec.Violation `json:"violation"`
	Replay    string          `json:"replay,omitempty"`
}

func (l *lifted) report() *liftReport {
	r := &liftReport{versioned: as("lift"), Scenario: l.scenario.Name, Verdict: string(l.Verdict),
		Reason: l.Reason, Steps: len(l.Schedule), Violation: l.violation(), Replay: l.file}
	if f := l.Lifted; f != nil {
		r.Explained, r.Of, r.Places = f.Explained, f.Of, f.Nodes
		r.Stuck, r.Why, r.Offers = f.Stuck, f.Why, f.Offers
	}
	return r
}

// runLift is cluster lift.
func runLift(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("cluster lift", "DIR", std, "cluster run s1 --kill x@1 --dir s1-run --lift",
		"cluster lift s1-run", "cluster lift domino-torture --places 10000 --json")
	places := f.Int("places", world.MostLifted, "places of the search, at most")
	save := f.String("save", "", "replay file for what is found (default: "+liftedFile+" in DIR)")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, positive("places")); err != nil {
		return 0, err
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want the folder of one run, as cluster run --dir and torture keep "+
			"it, got %d arguments", f.NArg())
	}
	dir := f.Arg(0)
	saved, s, err := readPlan(filepath.Join(dir, planFile), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s is not the folder of a run, as cluster run --dir and torture "+
			"keep it: %w", dir, err)
	} else if err != nil {
		return 0, err
	}
	evidence, err := evidenceFolder(dir)
	if err != nil {
		return 0, err
	}
	resolved, err := std.Resolve(s)
	if err != nil {
		return 0, withoutFile(err)
	}
	resolved.Model = saved.Model
	c := &clusterCase{scenario: s, resolved: resolved, std: std}
	if reason, err := c.open(ctx); err != nil || reason != "" {
		if reason != "" {
			fmt.Fprintf(std.err, "out of model: %s\n", reason)
		}
		return exitCode(spec.OutOfModel), err
	}
	l, err := heard(ctx, func() (*lifted, error) { return c.lift(evidence, *places) })
	if err != nil {
		return 0, err
	}
	if *save == "" {
		*save = filepath.Join(dir, liftedFile)
	}
	err = l.save(*save)
	if *asJSON {
		err = errors.Join(err, printJSON(std.out, l.report()))
	} else {
		l.print(std.out)
	}
	return l.code(), err
}

// evidenceFolder is where in the folder of a run its evidence is: of the run with failures, else of
// the one without.
func evidenceFolder(dir string) (string, error) {
	for _, name := range []string{"run", "files/run", "reference", "files/reference"} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(at); err == nil {
			return at, nil
		}
	}
	return "", fmt.Errorf("%s has no evidence of a run: want the folder of cluster run --dir, or "+
		"of a wrong run of torture", dir)
}
