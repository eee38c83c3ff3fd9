//go:build !(linux && (amd64 || arm64))

package search

// reserve grants nothing here: tables are copied when they grow.
func reserve() (all []byte, each [][]uint64) { return nil, nil }

func release([]byte) {}

func vacate[T any]([]T) {}

// recordsIn is a list with room for so many bytes of records.
func recordsIn(bytes int64) (all []byte, list []record) {
	return nil, make([]record, 0, bytes/recordBytes)
}

func settle([]uint64, int, int) {}
