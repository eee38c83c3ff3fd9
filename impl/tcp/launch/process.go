package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
)

// Process is a child that its parent talks to while it runs: lines of JSON both ways. It may end, be stopped or be killed at any time.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error

	mu sync.Mutex // of in: two may speak at a time
	in io.WriteCloser
}

// Start starts one child with its instructions. Lines are handed on one by one; a line that is not taken ends the child. The caller must wait for Done.
func Start(c Command) (*Process, error) {
	p := &Process{cmd: exec.Command(c.Path, c.Args...), done: make(chan struct{})}
	p.cmd.Stderr, p.cmd.SysProcAttr = c.Errors, tied()
	started := make(chan error, 1)
	go func() { // ends with the child
		// The kernel ties the life of a child to the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		out, err := p.begin()
		started <- err
		if err != nil {
			return
		}
		defer close(p.done)
		if err := c.lines(out); err != nil {
			p.err = err
			p.Kill()
			io.Copy(io.Discard, out) // what it still says is of no use, but it must not block
		}
		p.err = errors.Join(p.err, p.cmd.Wait())
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	if err := p.Tell(c.Instructions); err != nil { // it has ended: Done says so
		p.Kill()
	}
	return p, nil
}

func (p *Process) begin() (out io.Reader, err error) {
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return out, p.cmd.Start()
}

// Tell sends a line. A child that has ended does not hear it, which is no error of the caller.
func (p *Process) Tell(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.in.Write(append(line, '\n'))
	return err
}

// Kill ends the child as a crash does.
func (p *Process) Kill() { p.cmd.Process.Kill() } // it fails only when there is nothing left to kill

// Stop stops the child (SIGSTOP) as it is; Continue lets it go on.
func (p *Process) Stop() { p.cmd.Process.Signal(stopSignal) } // it fails only when there is nothing left to stop

// Continue lets a child that was stopped go on.
func (p *Process) Continue() { p.cmd.Process.Signal(continueSignal) }

// Stopped reports whether all of the child has stopped.
func (p *Process) Stopped() bool { return stopped(p.cmd.Process.Pid) }

// ID is the number that the system gave the process.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and everything that it said was handed on.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how it ended; only after Done.
func (p *Process) Err() error { return p.err }

// Listen reads, in a child of Start, its instructions and then every line that its parent says; the lines belong to heard, which is called from
// a goroutine of its own. It calls orphaned when the parent is gone. From then on Ctrl-C is the parent's business.
func Listen(in io.Reader, to any, heard func(line []byte), orphaned func()) error {
	signal.Ignore(os.Interrupt)
	reader := bufio.NewReaderSize(in, 1<<16)
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w: no instructions: %w", ErrNoParent, err)
	}
	if err := json.Unmarshal(line, to); err != nil {
		return fmt.Errorf("%w: %w", ErrNoParent, err)
	}
	go func() { // ends with the process
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				orphaned()
				return
			}
			heard(line)
		}
	}()
	return nil
}
