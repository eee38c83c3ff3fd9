package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/minimise"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// minimised is the result as JSON.
type minimised struct {
	versioned
	Scenario  string          `json:"scenario"`
	Variant   string          `json:"variant"`
	Violation *spec.Violation `json:"violation"`
	Before    minimise.Counts `json:"before"`
	After     minimise.Counts `json:"after"`
	Steps     []minimise.Step `json:"steps"` // what was taken out, in order
	Program   string          `json:"program"`
	Clusters  string          `json:"clusters"`
	Roles     string          `json:"roles,omitempty"`
	Schedule  []string        `json:"schedule"`
	Tried     int             `json:"tried"`
	Undecided int             `json:"undecided"`
	// every change of the result that was tried in vain: why it is not smaller
	Trials   []minimise.Trial `json:"trials"`
	Minimal  bool             `json:"minimal"`
	Shortest bool             `json:"shortest"`
	Seconds  float64          `json:"seconds"`
	Replay   string           `json:"replay,omitempty"`
}

func runMinimise(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("minimise", "SCENARIO | FILE", std, "minimise .domino/s1-published.txtar",
		"minimise s2 --variant repaired+H17",
		"minimise s1 --variant published --breaks causal-replay --timeout 1m")
	variant := f.String("variant", "",
		"repaired, published, or repaired+ERRATUM, instead of the scenario's")
	breaks := f.String("breaks", "",
		"the property that must stay broken, instead of the first that is")
	force := f.Bool("force", false, "go on although the program is outside the protocol's model")
	states := f.Int("max-states", minimise.DefaultStates,
		"states to look at for each smaller scenario")
	memory := f.Int64("max-memory", 8192,
		"stop the search for the first run when its tables take so many MiB; 0 = no limit")
	timeout := f.Duration("timeout", 0, "keep what is smallest after this time; 0 = no limit")
	save := f.String("save", ".domino", "folder for the replay file; \"\" saves none")
	control := f.Bool("control", false, "show control messages in the diagram, too")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want one scenario or replay file, got %d arguments", f.NArg())
	}
	if err := within(f, positive("max-states"), notNegative("max-memory timeout")); err != nil {
		return 0, err
	}
	s, err := heard(ctx, func() (*scenarios.Scenario, error) { return std.one(f.Arg(0)) })
	if err != nil {
		return 0, err
	}
	if *variant != "" && *variant != s.Variant {
		s.Variant, s.Schedule, s.Breaks = *variant, nil, "" // the run is of another variant
	}
	s.Force = s.Force || *force
	if err := std.knownProperty(*breaks); err != nil {
		return 0, err
	}
	if *timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *timeout)
		defer cancel()
	}
	cuts := slices.ContainsFunc(s.Schedule, trace.IsCutShort)
	resolve := func(s *scenarios.Scenario) (world.Case, error) {
		c, err := std.guarded(s)
		c.Cuts = cuts
		return c, err
	}
	line := term.NewLine(std.err, *asJSON)
	began := time.Now()
	answer, err := minimise.Minimise(ctx, minimise.Question{Scenario: s, Resolve: resolve,
		Property: *breaks, States: *states,
		Search: checker.Options{MaxBytes: *memory << 20}, Tried: shrinkProgress(line)})
	line.Clear()
	if err != nil {
		return tooEarly(ctx, err, std)
	}
	return showMinimised(std, s, answer, time.Since(began), *save, *control, *asJSON)
}

// tooEarly is how minimise ends without any run.
func tooEarly(ctx context.Context, err error, std streams) (int, error) {
	switch ctx.Err() {
	case nil:
		return 0, err
	case context.DeadlineExceeded:
		fmt.Fprintln(std.err, "unknown: the --timeout came before a run was found")
		return exitCode(spec.Unknown), nil
	}
	return 0, errInterrupted
}

// knownProperty reports a name that no property has; those that come with a driver or a protocol,
// such as no-panic, are known too.
func (std streams) knownProperty(name string) error {
	known := append(fuzz.GuardProperties(), "no-panic", "deterministic")
	all := spec.Properties()
	for _, p := range std.Protocols() {
		all = append(all, p.Properties...)
	}
	for _, p := range all {
		known = append(known, p.Name)
	}
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("unknown property %q%s See: domino list properties", name,
		spelling.Guess(name, known))
}

// guarded is the scenario as a question; machines are guarded where it breaks what guards look for.
func (std streams) guarded(s *scenarios.Scenario) (world.Case, error) {
	r, err := std.Resolve(s)
	if err != nil {
		return world.Case{}, err
	}
	if slices.Contains(fuzz.GuardProperties(), s.Breaks) {
		return fuzz.Guard(r.Case), nil
	}
	return r.Case, nil
}

// showMinimised prints what is left, and saves it.
func showMinimised(std streams, s *scenarios.Scenario, a *minimise.Answer, took time.Duration,
	save string, control, asJSON bool) (int, error) {
	file := saveMinimised(a, save, std.err)
	v := a.Run.Violation
	if asJSON {
		return exitCode(spec.Violated), printJSON(std.out,
			minimised{versioned: as("minimise"),
				Scenario: s.Name, Variant: s.Variant, Violation: v, Before: a.Before,
				After: a.After, Steps: a.Steps, Program: a.Scenario.Program,
				Clusters: a.Scenario.Clusters, Roles: a.Scenario.Roles,
				Schedule: a.Scenario.Schedule,
				Trials:   a.Trials, Tried: a.Tried, Undecided: a.Undecided,
				Minimal: a.Minimal, Shortest: a.Shortest,
				Seconds: took.Seconds(), Replay: file})
	}
	fmt.Fprintf(std.out, "%s (%s): %s\n", s.Name, s.Variant, a.Summary())
	for _, step := range a.Steps {
		fmt.Fprintf(std.out, "  %-12s %-44s %4d steps\n", step.Phase, step.Words, step.Counts.Steps)
	}
	fmt.Fprintf(std.out, "%d smaller scenarios tried in %s; %s\n", a.Tried, seconds(took.Seconds()),
		limits(a))
	what, who := "clusters", a.Scenario.Clusters
	if a.Scenario.Roles != "" {
		what, who = "roles", a.Scenario.Roles
	}
	fmt.Fprintf(std.out, "\n%s: %s\nwithin: %s\n%s", what, who, a.Scenario.Within(),
		a.Scenario.Program)
	command := "domino minimise " + scenarioWord(s) + " --variant " + s.Variant
	if file != "" {
		command = "domino replay " + word(file)
	}
	printStory(std.out, told(verify.Story(a.Scenario, a.World, a.Run, v), command), control)
	return exitCode(spec.Violated), nil
}

// limits says how far the result is from being the best.
func limits(a *minimise.Answer) string {
	words := []string{"no single change leaves less"}
	if !a.Minimal {
		words[0] = "ended early, so less may be possible"
	}
	if a.Undecided > 0 {
		words = append(words, fmt.Sprintf("%d searches ended at their bound", a.Undecided))
	}
	if !a.Shortest {
		words = append(words, "a shorter run may exist")
	}
	return strings.Join(words, "; ")
}

// saveMinimised writes the replay file and returns its name.
func saveMinimised(a *minimise.Answer, folder string, errors io.Writer) string {
	if folder == "" {
		return ""
	}
	name := a.Scenario.Name
	if !strings.Contains(name, a.Scenario.Variant) {
		name = strings.TrimSuffix(name, "-min") + "-" +
			strings.ReplaceAll(a.Scenario.Variant, "+", "-") + "-min"
	}
	return saveReplay(a.Scenario, folder, name, errors)
}

// shrinkEvent is what is tried.
type shrinkEvent struct {
	happening
	Phase  string `json:"phase"`
	Trying string `json:"trying"`
	Tried  int    `json:"tried"`
	Kept   int    `json:"kept"`
	Steps  int    `json:"steps"` // of the smallest run so far
}

// shrinkProgress shows what is tried.
func shrinkProgress(line *term.Line) func(minimise.Progress) {
	return func(p minimise.Progress) {
		line.Show("", func() string {
			return fmt.Sprintf(
				"%d ranks, %d failures, %d messages, %d steps; %d tried, %d kept; %s: %s",
				p.Counts.Ranks, p.Counts.Failures,
				p.Counts.Messages, p.Counts.Steps, p.Tried, p.Kept, p.Phase, p.Trying)
		}, func() any {
			return shrinkEvent{underWay, p.Phase, p.Trying, p.Tried, p.Kept, p.Counts.Steps}
		})
	}
}
