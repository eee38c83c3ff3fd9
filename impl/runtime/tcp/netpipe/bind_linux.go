package netpipe

import (
	"golang.org/x/sys/unix"
)

// bind puts the calling thread on a core of its own, counted among those that the process may use.
// It is for steadier figures alone: a system that refuses is left as it is.
func bind(rank int) {
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil || all.Count() < 2 {
		return
	}
	for cpu, seen := 0, 0; seen < all.Count(); cpu++ {
		if !all.IsSet(cpu) {
			continue
		}
		if seen == rank%all.Count() {
			one.Set(cpu)
			unix.SchedSetaffinity(0, &one)
			return
		}
		seen++
	}
}
