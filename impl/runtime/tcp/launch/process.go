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
	"time"
)

// Process is a child that its parent talks to while it runs: lines of JSON both ways. It may end,
// be stopped or be killed at any time. None of these waits.
type Process interface {
	// Tell sends a line. A child that has ended does not hear it, which is no error of the caller.
	Tell(v any) error
	// Kill ends the child as a crash does.
	Kill()
	// KillGroup ends the child, which leads a group, with all that have joined it, at once.
	KillGroup()
	// Stop stops the child (SIGSTOP) as it is; Continue lets it go on.
	Stop()
	Continue()
	// Stopped reports whether all of the child is known to have stopped.
	Stopped() bool
	// Abandon gives up a child that is known to be gone with its host.
	Abandon()
	// Complaint is the end of what a child on another host, or else the launcher there, has written
	// to its standard error.
	Complaint() string
	// ID is the number that the system gave the process, or its launcher.
	ID() int
	// Done is closed when the child has ended and everything that it said was handed on.
	Done() <-chan struct{}
	// Err says how it ended; only after Done.
	Err() error
}

// child is a process of this host.
type child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
	in   io.WriteCloser
	out  io.ReadCloser
	box  *outbox
}

// Start starts one child of this host with its instructions. Lines are handed on one by one; a line
// that is not taken ends the child. The caller must wait for Done.
func Start(c Command) (Process, error) {
	p, err := start(c)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func start(c Command) (*child, error) {
	instructions, err := json.Marshal(c.Instructions)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	p := &child{cmd: exec.Command(c.Path, c.Args...), done: make(chan struct{})}
	p.cmd.Stderr, p.cmd.SysProcAttr = c.Errors, tied()
	if _, file := c.Errors.(*os.File); !file {
		p.cmd.WaitDelay = grace // what it has started may keep its output open
	}
	leader, grouped := c.Group.(*child)
	if grouped {
		join(p.cmd.SysProcAttr, leader.ID())
	}
	started := make(chan error, 1)
	go func() { // ends with the child
		// The kernel ties the life of a child to the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.begin()
		if err != nil && grouped { // its leader has ended meanwhile
			p.alone()
			err = p.begin()
		}
		if err != nil {
			started <- err
			return
		}
		p.box = newOutbox(p.in)
		started <- nil
		defer close(p.done)
		if p.err = c.lines(p.out); p.err != nil {
			p.KillGroup()
			io.Copy(io.Discard, p.out) // what it still says is of no use, but it must not block
		}
		if err := p.cmd.Wait(); p.err == nil {
			p.err = err
		}
		p.box.close()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	p.box.put(instructions)
	return p, nil
}

func (p *child) begin() (err error) {
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return errors.Join(err, p.in.Close())
	}
	return p.cmd.Start()
}

// alone makes the child ready to be started once more, in a group of its own.
func (p *child) alone() {
	cmd := exec.Command(p.cmd.Path, p.cmd.Args[1:]...)
	cmd.Stderr, cmd.WaitDelay, cmd.SysProcAttr = p.cmd.Stderr, p.cmd.WaitDelay, tied()
	p.cmd = cmd
}

func (p *child) Tell(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		p.box.put(line)
	}
	return err
}

func (p *child) Kill()                 { p.cmd.Process.Kill() } // it fails only when it has ended
func (p *child) KillGroup()            { killAll(p.cmd.Process); p.Kill() }
func (p *child) Stop()                 { p.cmd.Process.Signal(stopSignal) }
func (p *child) Continue()             { p.cmd.Process.Signal(continueSignal) }
func (p *child) Stopped() bool         { return stopped(p.cmd.Process.Pid) }
func (p *child) Complaint() string     { return "" }
func (p *child) ID() int               { return p.cmd.Process.Pid }
func (p *child) Done() <-chan struct{} { return p.done }
func (p *child) Err() error            { return p.err }

// Abandon ends the child with what it has started, and waits for nothing that this still says.
func (p *child) Abandon() {
	p.KillGroup()
	p.out.Close()
}

// dismiss ends a child that ends with its input, or if it does not soon.
func (p *child) dismiss() {
	p.box.finish()
	timer := time.AfterFunc(grace, p.Abandon)
	<-p.done
	timer.Stop()
}

// Killed reports whether an error, that a process has ended with, says that a signal ended it. A
// launcher says so of the process that it has started by its exit code.
func Killed(err error) bool {
	var exit *exec.ExitError
	var end *End
	var lost *Lost
	switch {
	case errors.As(err, &end):
		return end.Killed
	case !errors.As(err, &exit):
		return false
	case errors.As(err, &lost):
		return exit.ExitCode() == -1 || exit.ExitCode() == 128+9 || exit.ExitCode() == 255
	}
	return exit.ExitCode() == -1
}

// Listen reads, in a child of Start, its instructions and then every line that its parent says; the
// lines belong to heard, which is called from a goroutine of its own. It calls orphaned when the
// parent is gone, which must end the process. From then on Ctrl-C is the parent's business. A
// process that is to start others (Starter) does so here, says to out what they say, and ends.
func Listen(in io.Reader, out io.Writer, to any, heard func(line []byte), orphaned func()) error {
	signal.Ignore(os.Interrupt)
	reader := bufio.NewReaderSize(in, 1<<16)
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w: no instructions: %w", ErrNoParent, err)
	}
	if word := ""; json.Unmarshal(line, &word) == nil && word == beStarter {
		serve(reader, out)
		orphaned()
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
