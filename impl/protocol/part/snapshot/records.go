package snapshot

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// The records on stable storage, a number behind each: the image of every member, the commit record
// of the member that decides.
const (
	ImageKey  = "image/"
	CommitKey = "commit/"
)

// Record is the key of a record.
func Record(key string, number uint32) string { return fmt.Sprint(key, number) }

// Writes are what a line costs: an image and, at one member, the commit record.
func Writes() map[string]int { return map[string]int{ImageKey: 1, CommitKey: 1} }

// Persist writes a record; without a value it deletes it.
func Persist(key string, number uint32, value []byte) core.Effect {
	return core.Effect{Kind: core.Persist, Key: Record(key, number), Value: value}
}

// Reads are the procs whose records the restart of a member needs: its own, and those of the member
// that decides.
func Reads(first, self core.Proc) []core.Proc {
	if first == self {
		return []core.Proc{self}
	}
	return []core.Proc{first, self}
}

// Last is the whole record of an owner with the highest number; 0 when there is none.
func Last(records []core.Record, key string, owner core.Proc) (number uint32, value []byte) {
	for _, r := range records {
		var n uint32
		if r.Owner != owner || r.Torn {
			continue
		}
		if found, _ := fmt.Sscanf(r.Key, key+"%d", &n); found == 1 && n > number {
			number, value = n, r.Value
		}
	}
	return number, value
}

// Load reads the image that an owner has stored for a checkpoint that was committed.
func Load(records []core.Record, owner core.Proc, number uint32, image any) error {
	for _, r := range records {
		if r.Owner != owner || r.Key != Record(ImageKey, number) {
			continue
		}
		if r.Torn {
			return fmt.Errorf("rank %d: checkpoint %d is damaged although it was committed", owner,
				number)
		}
		if err := core.Decode(r.Value, image); err != nil {
			return fmt.Errorf("rank %d: checkpoint %d: %w", owner, number, err)
		}
		return nil
	}
	return fmt.Errorf("rank %d: checkpoint %d is missing although it was committed", owner, number)
}
