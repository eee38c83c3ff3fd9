package launch

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

const (
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
)

// stopped reports whether every thread of a process has stopped. What the parent is told of by wait
// belongs to whoever waits for its end.
func stopped(process int) bool {
	tasks := fmt.Sprintf("/proc/%d/task", process)
	list, err := os.ReadDir(tasks)
	if err != nil || len(list) == 0 {
		return false
	}
	for _, task := range list {
		status, err := os.ReadFile(tasks + "/" + task.Name() + "/stat")
		if err != nil {
			return false // it has ended meanwhile: look again
		}
		after := status[bytes.LastIndexByte(status, ')')+1:]
		if len(after) < 2 || after[1] != 'T' {
			return false
		}
	}
	return true
}
