// Package launch starts the processes of a run on this host and ends them, whatever happens: in
// order, by Ctrl-C, or by the death of the process that started them.
//
// Every child gets its instructions as one line of JSON on its standard input, so that no secret is
// seen in a list of processes, and the input stays open as long as its parent lives: a child that
// reads its end stops at once (Instructions). On Linux the kernel kills it then, too, so that not
// even a stopped child is left behind. What it writes to its standard output comes back line by
// line.
//
// Children of another host are started there by one process (Starter), which is behind a launcher
// such as ssh.
package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"time"
)

// maxLine bounds a line of a child's output and of its instructions.
const maxLine = 16 << 20

// Command says what to start.
type Command struct {
	Name         string   // for messages, e.g. "rank 3"
	Path         string   // of the program
	Args         []string // without the program
	Instructions any      // encoded as JSON
	Line         func(line []byte) error
	// its standard error; nil: discarded; one that several children have must be Shared
	Errors io.Writer
	// the child of the same host that leads the process group which this one joins, while that
	// child lives; nil: a group of its own
	Group Process
}

// grace is how long a child may take to end after its input has ended before it is killed.
const grace = 2 * time.Second

// Run starts the commands and waits for all. The first that fails, and the end of the context, end
// the others. Lines are handed on in the goroutine of each child. When Run returns, no child is
// left.
func Run(ctx context.Context, commands []Command) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, len(commands))
	var children sync.WaitGroup
	for _, c := range commands {
		children.Go(func() {
			// The kernel ties the life of a child to the thread that started it.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if err := c.run(ctx); err != nil {
				failed <- fmt.Errorf("%s: %w", c.Name, err)
				cancel()
			}
		})
	}
	children.Wait()
	close(failed)
	err := <-failed // the first: the others may have failed because of it
	return err
}

func (c *Command) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	instructions, err := json.Marshal(c.Instructions)
	if err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Stderr = c.Errors
	cmd.SysProcAttr = tied()
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Cancel, cmd.WaitDelay = in.Close, grace
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = in.Write(append(instructions, '\n'))
	if err == nil {
		err = c.lines(out)
	}
	if err != nil {
		cancel()
		io.Copy(io.Discard, out) // until it ends
	}
	if e := cmd.Wait(); err == nil {
		err = e
	}
	if parent.Err() != nil {
		return parent.Err()
	}
	return err
}

func (c *Command) lines(r io.Reader) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		if c.Line != nil {
			if err := c.Line(scanner.Bytes()); err != nil {
				return err
			}
		}
	}
	if err := scanner.Err(); !errors.Is(err, os.ErrClosed) { // by Abandon: it is of no interest
		return err
	}
	return nil
}

// ErrNoParent means that a process that only Run starts was started otherwise.
var ErrNoParent = errors.New("this command is started by domino itself")

// Instructions reads what Run has written, in the child, and calls orphaned when the parent is
// gone. From then on Ctrl-C is the parent's business.
func Instructions(in io.Reader, to any, orphaned func()) error {
	reader := bufio.NewReader(io.LimitReader(in, maxLine))
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w: no instructions: %w", ErrNoParent, err)
	}
	if err := json.Unmarshal(line, to); err != nil {
		return fmt.Errorf("%w: %w", ErrNoParent, err)
	}
	signal.Ignore(os.Interrupt)
	go func() { // ends with the process
		io.Copy(io.Discard, in)
		orphaned()
	}()
	return nil
}
