//go:build !linux

package launch

import "syscall"

// tied ties nothing: the end of its input tells a child.
func tied() *syscall.SysProcAttr { return nil }
