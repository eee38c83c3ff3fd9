// Package app is the command domino as a function, so that anybody's main can be it.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// command is one subcommand.
type command struct {
	name, args, doc string
	takes           string // about how long, without flags
	run             func(ctx context.Context, args []string, std streams) (int, error)
}

// streams are what a command works with: the protocols with their scenarios, and where it writes;
// what can not be written to out is noticed when it ends.
type streams struct {
	*verify.Catalogue
	out, err io.Writer
	asked    func(*pflag.FlagSet) // is given the flags of a command in the place of its help
	cores    func(int) int        // lets the process use so many; nil if it is not only ours
	outputs  *outputs             // of the command
	engine   Engine               // carries work elsewhere; nil = there is none
	typed    []string             // the arguments, of the command whole
	resuming string               // campaign that the command goes on with, "" = a new one
	carrier  shard.Engine         // of a worker, for jobs that talk to others
	blobs    shard.Blobs          // of a worker; nil = those of the engine
}

func commands() []command {
	return []command{
		{"list", "[KIND ...]", "what there is: protocols, scenarios, properties, programs, claims",
			"at once", runList},
		{"show", "NAME ...", "a scenario, a property, an erratum or a protocol in full",
			"at once", runShow},
		{"check", "[SCENARIO | FILE ...]", "explore scenarios and compare with what they expect",
			"a tour: 10 s; --all: minutes; one: mostly within a second", runCheck},
		{"errata", "[PROTOCOL] [ID ...]",
			"the smallest run of each published error, and the repaired protocol at the same scope",
			"half a minute; one protocol: 10 s; one erratum: a second", runErrata},
		{"fuzz", "[PROTOCOL ...]", "draw random scenarios and runs, make what fails small",
			"30 s, or --for", runFuzz},
		{"mutate", "[PROTOCOL | MUTANT ...]",
			"break protocols on purpose, and measure which method finds it, and how soon",
			"an hour; one mutant: minutes", runMutate},
		{"explore", "SCENARIO | FILE",
			"step through a scenario in a browser, or by a script", "until Ctrl-C", runExplore},
		{"minimise", "SCENARIO | FILE", "make a counterexample as small as it gets",
			"a second, seldom minutes", runMinimise},
		{"certify", "SCENARIO | FILE | PROGRAM N",
			"how deterministic a program is, with two runs that show why not more", "at once",
			runCertify},
		{"run", "[SCENARIO | FILE ...]", "run scenarios as goroutines, with random failures",
			"minutes; one: a second", runRun},
		{"tables", "[NAME ...]", "what papers print in numbers, made again", "seconds",
			runTables},
		{"experiments", "[NAME ...]", "what papers measure, made again on emulated machines",
			"seconds", runExperiments},
		{"paper", "[NAME [ID ...]]", "what the papers claim, made again and compared",
			"half a minute; one paper: seconds", runPaper},
		{"compare", "[PROTOCOL ...]",
			"protocols measured against each other, beside the tables of papers",
			"a minute or two; one protocol: seconds", runCompare},
		{"replay", "FILE", "repeat the run in a replay file", "at once", runReplay},
		{"recheck", "FILE ...", "what a certificate says, found out again without the search",
			"a few times as long as the search", runRecheck},
		{"report", "SCENARIO | FILE | FOLDER", "a run as a page for a browser, or in another form",
			"mostly within a second", runReport},
		{"plan", "KERNEL | SCENARIO | FILE | FOLDER",
			"which ranks form a cluster: bytes logged against ranks rolled back",
			"seconds; 65,536 ranks: half a minute", runPlan},
		{"simulate", "KERNEL", "a kernel under a protocol with many ranks, in modelled time",
			"seconds; a thousand ranks: half a minute", runSimulate},
		{"cluster", "run | torture | perf | netpipe",
			"the same machines as real processes: run, kill, judge and measure them",
			"a run: seconds; perf: minutes", runCluster},
		{"disk", "ls | verify", "what processes have on their disks, and whether it is whole",
			"at once", runDisk},
		{"performability", "cores | interval | spares | mapping | paper",
			"how many cores, checkpoints and spares pay, and where loggers run, by models of the " +
				"thesis", "at once", runPerformability},
		{"version", "", "which domino this is, by release, revision and Go", "at once",
			runVersion},
		{"completion", "bash | zsh | fish", "completion of commands, flags and names for a shell",
			"at once", runCompletion},
		{"help", "[TOPIC | COMMAND]", "this page, a topic, or the help of a command", "at once",
			runHelp},
	}
}

// commands are those that every domino has, and those of its engine.
func (std *streams) commands() []command { return append(commands(), std.own()...) }

// Main is the command over the protocols: it runs the arguments of the process and returns its exit
// code. Protocols that make no sense, or that clash, are refused before anything runs.
//
//	func main() { os.Exit(app.Main(append(all.Protocols(), mine.Protocol)...)) }
func Main(protocols ...protocol.Protocol) int { return MainWith(nil, protocols...) }

// mainWith is Main with what the streams have already.
func mainWith(std streams, protocols ...protocol.Protocol) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	defer stop()
	std.out, std.err, std.cores = os.Stdout, os.Stderr, runtime.GOMAXPROCS
	return start(ctx, os.Args[1:], std, protocols...)
}

// start is Main with arguments and streams of the caller's.
func start(ctx context.Context, args []string, std streams, protocols ...protocol.Protocol) int {
	if isChild(args) {
		std.Catalogue = verify.Trusted(protocols...)
		return run(ctx, args, std)
	}
	c, wrong := verify.NewCatalogue(protocols...)
	if len(protocols) == 0 {
		wrong = errors.New("there are none: give Main at least one, e.g. all.Protocols()")
	}
	if wrong != nil {
		fmt.Fprintf(std.err, "%s: the protocols of this command:\n%v\n", self(), wrong)
		return exitUsage
	}
	std.Catalogue = c
	return run(ctx, args, std)
}

// isChild reports whether the process is one of those that a command of ours starts, perhaps by the
// thousand: whoever has started it has looked at the protocols.
func isChild(args []string) bool {
	return len(args) >= 3 && args[0] == "cluster" &&
		(args[2] == "--"+childFlag || args[2] == "--"+guardFlag)
}

// run executes one command line and returns the exit code. An answer that could not be printed is
// none, whatever it was.
func run(ctx context.Context, args []string, std streams) int {
	out := term.NewOutput(std.out)
	std.out = out
	code := dispatch(ctx, args, std)
	if err := out.Err(); err != nil {
		fmt.Fprintf(std.err, "%s: the output is not complete: %v\n", self(), err)
		return exitUsage
	}
	return code
}

// dispatch finds the command and runs it.
func dispatch(ctx context.Context, args []string, std streams) int {
	switch {
	case len(args) == 0:
		usage(std)
		return exitUsage
	case args[0] == "-h" || args[0] == "--help":
		usage(std)
		return 0
	case args[0] == "--version":
		args = append([]string{"version"}, args[1:]...)
	}
	std.typed = args
	return dispatchAmong(ctx, "", std.commands(), args, std)
}

// dispatchAmong runs one of some commands. The prefix is what stands before their names.
func dispatchAmong(ctx context.Context, prefix string, list []command, args []string,
	std streams) int {
	var names []string
	for _, c := range list {
		names = append(names, c.name)
		if c.name != args[0] {
			continue
		}
		std.outputs = &outputs{}
		code, err := c.run(ctx, args[1:], std)
		err = std.outputs.end(err)
		switch {
		case errors.Is(err, pflag.ErrHelp):
			return 0
		case errors.Is(err, errInterrupted):
			fmt.Fprintf(std.err, "%s %s%s: interrupted\n", self(), prefix, c.name)
			return exitCode(spec.Unknown)
		case isLost(std.out, err): // run says so
			return exitUsage
		case err != nil:
			// a package may have its name
			fmt.Fprintf(std.err, "%s %s%s: %s\n", self(), prefix, c.name, plainly(
				strings.TrimPrefix(strings.TrimPrefix(err.Error(), prefix), c.name+": "))+
				wayOut(err, std.outputs.flags))
			return exitUsage
		}
		return code
	}
	fmt.Fprintf(std.err, "%s: unknown command %q%s Commands: %s\n", self(), prefix+args[0],
		spelling.Guess(args[0], names), strings.Join(names, ", "))
	return exitUsage
}

// wayOut ends the words about a flag that a command does not have, "" for all other errors.
func wayOut(err error, f *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || f == nil || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	f.VisitAll(func(g *pflag.Flag) {
		if !g.Hidden {
			names = append(names, g.Name)
		}
	})
	if name := spelling.Nearest(unknown.GetSpecifiedName(), names); name != "" {
		return fmt.Sprintf(", did you mean --%s?", name)
	}
	return fmt.Sprintf(". See: %s %s --help", self(), f.Name())
}

// isLost reports whether an error is that of a stream that could not be written, perhaps many
// times, and no other.
func isLost(out io.Writer, err error) bool {
	o, ok := out.(*term.Output)
	if !ok || o.Err() == nil {
		return false
	}
	for err != nil && err != o.Err() {
		if list, ok := err.(interface{ Unwrap() []error }); ok {
			return !slices.ContainsFunc(list.Unwrap(), func(one error) bool {
				return !isLost(out, one)
			})
		}
		err = errors.Unwrap(err)
	}
	return err != nil
}

// self is what the command is called: a stranger's has another name. A test stands in for domino.
func self() string {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if strings.HasSuffix(name, ".test") {
		return "domino"
	}
	return name
}

// called is a command line of domino with the name of this command.
func called(line string) string { return self() + strings.TrimPrefix(line, "domino") }

// flags makes the flag set of a command, with help that shows examples.
func flags(name, args string, std streams, examples ...string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(std.err)
	f.SortFlags = false
	if std.outputs != nil {
		std.outputs.flags = f
	}
	f.Usage = func() {
		if std.asked != nil {
			std.asked(f)
			return
		}
		fmt.Fprintf(std.out, "Usage: %s %s [flags]\n\n", self(), strings.TrimSpace(name+" "+args))
		if text := help.Command(name); text != "" {
			fmt.Fprintln(std.out, text)
		}
		fmt.Fprintf(std.out, "%s\nExamples:\n", f.FlagUsages())
		for _, e := range examples {
			fmt.Fprintf(std.out, "  %s %s\n", self(), e)
		}
	}
	return f
}
