package launch

import (
	"os"
	"syscall"
)

// tied makes the kernel kill a child when the thread that started it ends. In a process group of
// its own it does not hear the terminal: Ctrl-C is its parent's business from the first moment on.
func tied() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// join puts a child into the process group of another one.
func join(attr *syscall.SysProcAttr, leader int) { attr.Pgid = leader }

// untied lets a child live on, and not hear the terminal.
func untied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killAll ends a child and what it has started.
func killAll(p *os.Process) {
	if p.Signal(syscall.Signal(0)) == nil { // otherwise its number may be that of another by now
		syscall.Kill(-p.Pid, syscall.SIGKILL) // it fails only when there is nothing left to kill
	}
}
