package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// errInterrupted ends a command that a signal has stopped before it had an answer.
var errInterrupted = errors.New("interrupted")

// leftOver ends a list that a signal has cut short: what was not begun has no row, and no answer.
func leftOver(std streams, left, all int, what string, code int) int {
	if left == 0 {
		return code
	}
	fmt.Fprintf(std.err, "interrupted: %d of %d %s were not explored\n", left, all, what)
	if code == 0 {
		return exitCode(spec.Unknown)
	}
	return code
}

// heard does what hears no signal itself, such as to read a file that may be a pipe, or to build a
// large program. Nobody waits for it any longer when the context ends; it does not begin when that
// has ended.
func heard[R any](ctx context.Context, work func() (R, error)) (r R, err error) {
	type answer struct {
		r   R
		err error
	}
	ended := ctx.Done()
	select {
	case <-ended:
		return r, errInterrupted
	default:
	}
	done := make(chan answer, 1)
	go func() {
		r, err := work()
		done <- answer{r, err}
	}()
	select {
	case a := <-done:
		return a.r, a.err
	case <-ended:
		return r, errInterrupted
	}
}

// chosen are the scenarios with the names, or in the files.
func (std streams) chosen(ctx context.Context, names []string) ([]*scenarios.Scenario, error) {
	return heard(ctx, func() ([]*scenarios.Scenario, error) {
		list, err := std.Select(names)
		if err == nil && len(list) == 0 {
			err = errors.New("no protocol of this command comes with scenarios: name a file")
		}
		return list, err
	})
}

// resolvable reports all scenarios that can not be run, before one of them is.
func (std streams) resolvable(ctx context.Context, list []*scenarios.Scenario) error {
	_, err := heard(ctx, func() (any, error) {
		var all []error
		for _, s := range list {
			_, err := std.Resolve(s)
			all = append(all, err)
		}
		return nil, errors.Join(all...)
	})
	return err
}
