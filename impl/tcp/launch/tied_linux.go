package launch

import "syscall"

// tied makes the kernel kill a child when the thread that started it ends.
func tied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
