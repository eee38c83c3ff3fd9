//go:build linux && (amd64 || arm64)

package search

import (
	"syscall"
	"unsafe"
)

// regionBytes is how much is reserved for one shard where the system grants it: addresses, not
// memory.
const regionBytes = 1 << 34

// Huge pages make a table that is read at random faster, but a region that is not full wastes the
// rest of its last one. So memory comes in small pages unless that is little.
const collapse = 25 // MADV_COLLAPSE, Linux 6.1

// reserve gives addresses to as many shards as there are, nil when there are none: memory is taken
// where something is written.
func reserve() (all []byte, each [][]uint64) {
	for size := regionBytes; size >= 1<<30; size >>= 2 {
		all, err := syscall.Mmap(-1, 0, size<<shardBits, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err != nil {
			continue
		}
		for i := range 1 << shardBits {
			first := (*uint64)(unsafe.Pointer(&all[i*size]))
			each = append(each, unsafe.Slice(first, size/8))
		}
		return all, each
	}
	return nil, nil
}

// release gives back what reserve gave.
func release(all []byte) {
	if all != nil {
		_ = syscall.Munmap(all) // it is known
	}
}

// vacate gives back the memory of a part of a region, which then reads as zeros.
func vacate[T any](part []T) {
	var t T
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))),
		uintptr(len(part))*unsafe.Sizeof(t))
	_ = syscall.Madvise(bytes, syscall.MADV_DONTNEED) // it stays in use until the end
}

// recordsIn is a list with room for so many bytes of records, which lies where no collector counts
// it: memory is taken where something is written. Release gives the memory back.
func recordsIn(bytes int64) (all []byte, list []record) {
	all, err := syscall.Mmap(-1, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, make([]record, 0, bytes/recordBytes)
	}
	first := (*record)(unsafe.Pointer(unsafe.SliceData(all)))
	return all, unsafe.Slice(first, len(all)/recordBytes)[:0]
}

// settle makes huge pages of the part of a region that will be in use, where it was not in use
// before. The last one may be for the next growth, which is by a quarter.
func settle(region []uint64, before, now int) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(region)))
	from := (start + uintptr(before)*8) / hugePage * hugePage
	from = max(from, (start+hugePage-1)/hugePage*hugePage)
	to := (start + uintptr(now)*10) / hugePage * hugePage
	if from >= to {
		return
	}
	first := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(region)), from-start))
	part := unsafe.Slice(first, to-from)
	_ = syscall.Madvise(part, syscall.MADV_HUGEPAGE) // it works without
	_ = syscall.Madvise(part, collapse)
}
