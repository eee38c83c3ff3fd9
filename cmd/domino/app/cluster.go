package app

import (
	"context"
	"fmt"
)

// clusterCommands are the subcommands of cluster.
func clusterCommands() []command {
	return []command{
		{"run", "[SCENARIO | FILE]",
			"run a scenario or a kernel as processes, kill some, and judge the run",
			"seconds", runClusterRun},
		{"torture", "[SCENARIO ...]", "random failures in random scenarios, until a run is wrong",
			"a minute, or --for", runTorture},
		{"lift", "DIR", "find a run as processes again in the world that check explores",
			"seconds", runLift},
		{"resume", "DIR", "go on with a run whose processes have all ended, and judge it",
			"as the run", runResume},
		{"enforce", "FILE", "make processes take the course of a counterexample, and judge them",
			"seconds", runEnforce},
		{"perf", "", "kernels by protocol: time, overhead, bytes, recovery", "minutes",
			runPerf},
		{"efficiency", "", "efficiency by rate of failures and interval of " +
			"checkpoints, beside a model", "minutes", runEfficiency},
		{"netpipe", "", "latency and bandwidth between two processes, by protocol",
			"minutes", runNetpipe},
	}
}

// runCluster executes a subcommand of cluster.
func runCluster(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" || args[0] == "help" {
		fmt.Fprintf(std.out, "Usage: %s cluster COMMAND [flags]\n\n", self())
		for _, c := range clusterCommands() {
			fmt.Fprintf(std.out, "  %-10s %-18s %s (%s)\n", c.name, c.args, c.doc, c.takes)
		}
		fmt.Fprint(std.out,
			"\nEach command explains itself with --help. Processes are real, and none is left "+
				"behind.\n\n"+
				"Examples:\n  domino cluster run s1 --kill x@1\n  domino cluster perf --protocols "+
				"none,hydee\n  domino cluster netpipe --sizes 8,64K,1M\n")
		if len(args) == 0 {
			return exitUsage, nil
		}
		return 0, nil
	}
	return dispatchAmong(ctx, "cluster ", clusterCommands(), args, std), nil
}
