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
	"slices"
	"sync"
	"time"
)

// Process is a child that its parent talks to while it runs: lines of JSON both ways. It may end,
// be stopped or be killed at any time.
type Process struct {
	cmd    *exec.Cmd
	far    bool // the command is a launcher
	done   chan struct{}
	err    error
	out    io.ReadCloser
	tail   tail
	killed sync.Once

	mu sync.Mutex // of in: two may speak at a time
	in io.WriteCloser
}

// die is the line that tells a child behind a launcher to kill itself. It is no JSON.
const die = "die"

// Start starts one child with its instructions. Lines are handed on one by one; a line that is not
// taken ends the child. The caller must wait for Done.
func Start(c Command) (*Process, error) {
	line := append(slices.Clone(c.Launcher), c.Args...)
	if p := c.Path; len(c.Launcher) == 0 {
		line = append([]string{p}, c.Args...)
	}
	p := &Process{cmd: exec.Command(line[0], line[1:]...), far: len(c.Launcher) > 0,
		done: make(chan struct{})}
	p.cmd.Stderr, p.cmd.SysProcAttr = c.Errors, tied()
	if g := c.Group; g != nil && !p.far && !g.far {
		join(p.cmd.SysProcAttr, g.ID())
	}
	if p.far {
		p.tail.w = c.Errors
		// what it has started may keep its output open
		p.cmd.Stderr, p.cmd.WaitDelay = &p.tail, grace
	}
	started := make(chan error, 1)
	go func() { // ends with the child
		// The kernel ties the life of a child to the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.begin()
		if err != nil && c.Group != nil { // its leader has ended meanwhile
			p.alone()
			err = p.begin()
		}
		started <- err
		if err != nil {
			return
		}
		defer close(p.done)
		if err := c.lines(p.out); err != nil {
			p.err = err
			p.Kill()
			io.Copy(io.Discard, p.out) // what it still says is of no use, but it must not block
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

func (p *Process) begin() (err error) {
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return errors.Join(err, p.in.Close())
	}
	return p.cmd.Start()
}

// alone makes the child ready to be started once more, in a group of its own.
func (p *Process) alone() {
	cmd := exec.Command(p.cmd.Path, p.cmd.Args[1:]...)
	cmd.Stderr, cmd.SysProcAttr = p.cmd.Stderr, tied()
	p.cmd = cmd
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

// Abandon gives up a child behind a launcher that is known to be gone: the launcher is killed at
// once, as it may wait for ever.
func (p *Process) Abandon() {
	if p.Kill(); p.far {
		killAll(p.cmd.Process)
		p.out.Close() // what the launcher has started here may have it, and live
	}
}

// Kill ends the child as a crash does. It does not wait.
func (p *Process) Kill() {
	if !p.far {
		p.cmd.Process.Kill() // it fails only when there is nothing left to kill
		return
	}
	p.killed.Do(func() {
		p.tail.hush()
		// ends when the launcher has, which takes no part of what is sent to it any more
		go func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			io.WriteString(p.in, die+"\n")
			p.in.Close() // if it was not heard, the end of the input is
		}()
		go func() { // ends with the launcher
			timer := time.NewTimer(grace)
			defer timer.Stop()
			select {
			case <-p.done:
			case <-timer.C:
				killAll(p.cmd.Process)
				p.out.Close() // the child may have it, and live
			}
		}()
	})
}

// KillGroup ends the child, which leads a group, with all that have joined it, at once.
func (p *Process) KillGroup() {
	if !p.far {
		killAll(p.cmd.Process)
	}
	p.Kill()
}

// Stop stops the child (SIGSTOP) as it is; Continue lets it go on.
// it fails only when there is nothing left to stop
func (p *Process) Stop() { p.cmd.Process.Signal(stopSignal) }

// Continue lets a child that was stopped go on.
func (p *Process) Continue() { p.cmd.Process.Signal(continueSignal) }

// Stopped reports whether all of the child has stopped.
func (p *Process) Stopped() bool { return stopped(p.cmd.Process.Pid) }

// Complaint is the end of what a launcher, and the child behind it, have written to their standard
// error.
func (p *Process) Complaint() string { return p.tail.String() }

// ID is the number that the system gave the process, or its launcher.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and everything that it said was handed on.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how it ended; only after Done.
func (p *Process) Err() error { return p.err }

// Listen reads, in a child of Start, its instructions and then every line that its parent says; the
// lines belong to heard, which is called from a goroutine of its own. It calls orphaned when the
// parent is gone. From then on Ctrl-C is the parent's business.
func Listen(in io.Reader, to any, heard func(line []byte), orphaned func()) error {
	signal.Ignore(os.Interrupt)
	reader := bufio.NewReaderSize(in, 1<<16)
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w: no instructions: %w", ErrNoParent, err)
	}
	obey(line, orphaned)
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
			obey(line, orphaned)
			heard(line)
		}
	}()
	return nil
}

// obey ends this process when a line says so.
func obey(line []byte, orphaned func()) {
	if string(line) != die+"\n" {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	orphaned() // where a process can not kill itself
}
