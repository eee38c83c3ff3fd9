package app

import (
	"fmt"
	"io"

	"github.com/domino-check/domino/spec"
)

// Exit codes that are not those of a verdict.
const (
	exitUsage   = 4
	exitSampled = 5
)

// exitCodes are what a command says when it ends, for who writes a script.
var exitCodes = []struct {
	code int
	doc  string
}{
	{0, "as expected: what was explored holds, or breaks what its scenario expects"},
	{1, "violated, or otherwise not as expected"},
	{2, "unknown: a limit or a signal came first"},
	{3, "out of model: more is asked than the protocol promises"},
	{exitUsage, "bad usage, an internal error, or output that could not be written"},
	{exitSampled, "sampled: the runs that were asked for break nothing, which proves nothing"},
}

// printExitCodes prints the table.
func printExitCodes(w io.Writer) {
	fmt.Fprint(w, "Exit codes; of several answers the first of 1, 2, 3, 5 that one of them has:\n")
	for _, c := range exitCodes {
		fmt.Fprintf(w, "  %d  %s\n", c.code, c.doc)
	}
}

// exitCode is the code for a verdict.
func exitCode(v spec.Verdict) int { return int(v) }

// worse is the exit code of two answers.
func worse(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
