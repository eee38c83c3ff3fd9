// Package verify takes a scenario and protocols, and gives an answer: the verdict with its bounds,
// whether it is what the scenario expects, and the run to show. The command does nothing else, and
// a program or a test can do the same:
//
//	answer, err := verify.File(ctx, "testdata/lost.txtar", verify.Options{}, mine.Protocol)
//	verify.Test(t, "testdata/*.txtar", mine.Protocol)
//
// A Catalogue is protocols with all scenarios about them: those of the house and their own.
package verify
