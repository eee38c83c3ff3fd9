package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Guard is a process that makes a temporary folder, and removes it when its parent, and all that
// the parent has started, can not do it any more.
type Guard struct {
	Dir string
	cmd *exec.Cmd
	in  io.WriteCloser
}

// dismissed is what a guard is told when there is nothing to do for it.
const dismissed = "dismissed"

// StartGuard starts a program that calls Keep, and waits for its folder. It is in the folder named,
// or if that is "" where temporary files of the system are.
func StartGuard(parent, path string, args ...string) (*Guard, error) {
	g := &Guard{cmd: exec.Command(path, args...)}
	if parent != "" {
		g.cmd.Env = append(os.Environ(), "TMPDIR="+parent)
	}
	g.cmd.SysProcAttr = untied()
	var err error
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	var said made
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err == nil && said.Error != "" {
		err = errors.New(said.Error)
	}
	if g.Dir = said.Dir; err != nil {
		return nil, errors.Join(err, g.in.Close(), g.cmd.Wait())
	}
	return g, nil
}

// made is what a guard says at first.
type made struct{ Dir, Error string }

// Dismiss ends the guard: the folder is the caller's business.
func (g *Guard) Dismiss() error {
	_, err := io.WriteString(g.in, dismissed)
	return errors.Join(err, g.in.Close(), g.cmd.Wait())
}

// Bounds of a guard's patience: those who were killed with the parent, or stop without it, may
// still write for a moment.
const (
	guardPause = 50 * time.Millisecond
	guardTime  = 5 * time.Second
)

// Keep is the life of a guard: it makes a temporary folder with a name that begins with the prefix
// and says which. Then it waits for the end of its input, and removes the folder unless it was
// dismissed.
func Keep(in io.Reader, out io.Writer, prefix string) error {
	// a write to nobody must not end it before it has cleaned up
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return json.NewEncoder(out).Encode(made{Error: err.Error()})
	}
	// whoever does not hear it is gone, and the input has ended
	_ = json.NewEncoder(out).Encode(made{Dir: dir})
	said, err := io.ReadAll(in)
	if err == nil && string(said) == dismissed {
		return nil
	}
	for end := time.Now().Add(guardTime); ; time.Sleep(guardPause) {
		err := os.RemoveAll(dir)
		time.Sleep(guardPause)
		if _, e := os.Lstat(dir); errors.Is(e, os.ErrNotExist) && err == nil ||
			time.Now().After(end) {
			return err
		}
	}
}
