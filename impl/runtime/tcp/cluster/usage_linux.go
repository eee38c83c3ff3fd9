package cluster

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
)

// measure is what this process uses now. What can not be read is 0.
func (l *life) measure() Usage {
	u := Usage{Opened: l.carrier.opened}
	for _, p := range l.carrier.peers {
		if p != nil && p.up {
			u.Connections++
		}
	}
	u.Resident = kilobytes("/proc/self/smaps_rollup", "Rss:")
	u.Proportional = kilobytes("/proc/self/smaps_rollup", "Pss:")
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.Descriptors = len(list) - 1 // that of the folder itself
	}
	if list, err := os.ReadDir("/proc/self/task"); err == nil {
		u.Threads = len(list)
	}
	return u
}

// kilobytes reads a line of a file of the system that says so many of them, as bytes.
func kilobytes(file, name string) uint64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		f := bytes.Fields(lines.Bytes())
		if len(f) >= 2 && string(f[0]) == name {
			n, err := strconv.ParseUint(string(f[1]), 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
