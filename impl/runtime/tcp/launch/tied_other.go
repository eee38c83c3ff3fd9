//go:build !linux

package launch

import (
	"os"
	"syscall"
)

// tied ties nothing: the end of its input tells a child.
func tied() *syscall.SysProcAttr { return nil }

// join does nothing: every child is killed by itself.
func join(*syscall.SysProcAttr, int) {}

// untied needs nothing: what is started lives on.
func untied() *syscall.SysProcAttr { return nil }

// killAll ends a child; what it has started ends with its input.
func killAll(p *os.Process) { p.Kill() } // it fails only when there is nothing left to kill
