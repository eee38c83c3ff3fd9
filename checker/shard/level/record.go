package level

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
)

// report is what a block has come to, besides the states that it owns.
type report struct {
	States, Transitions, Terminals int
	Saved                          checker.Savings
	Findings                       []finding
	Seen                           []string
	Answer                         string
	Witnesses                      []pairing
	Steps, Locals                  []byte // digests that no committed level has
	Tallies                        []tally
	Asked                          int64  // bytes of questions to keepers, and of their answers
	Ended                          string // why the process can not go on
}

// pairing is a witness with its key: bytes, not text.
type pairing struct{ Key, Value []byte }

// finding is a violation and where it was seen: at a state of the frontier, or at a step out of it.
type finding struct {
	Property, Message string
	Step              int
	At                place
	Print             checker.Digest // of the state
	Next              checker.Digest // the successor; of no use at a state
	Stepped           bool           // at a step
}

// place is a state of an object.
type place struct {
	Object object
	Place  int
}

// length is that of the run that shows it, at a level.
func (f *finding) length(level int) int {
	if f.Stepped {
		return level + 1
	}
	return level
}

// record is what a committed level has come to, with all before it.
type record struct {
	Level    int    // that was explored
	Attempt  uint64 // of the commit
	Previous string // record, "" for the first one
	Frontier []object
	Tallies  []tally // of each partition, of all states so far
	Steps    []byte  // new digests
	Locals   []byte

	// of all levels so far
	Stats     totals
	Findings  []leveled
	Seen      []string
	Answer    string
	Witnesses []pairing
}

// totals count what the committed levels have come to.
type totals struct {
	States, Transitions, Terminals, Depth int
	Saved                                 checker.Savings
	Steps, Locals                         int
	Asked, Written                        int64 // bytes to keepers and back; of objects
	Again                                 int   // attempts that came to nothing
	Milliseconds                          int64
}

// leveled is a finding with the level of its state.
type leveled struct {
	finding
	Level int
}

// compare orders findings: the shortest run, then the one that was seen first, then the one with
// the least fingerprints, which is the same one whoever has explored which block.
func (f *leveled) compare(g *leveled) int {
	return cmp.Or(cmp.Compare(f.length(f.Level), g.length(g.Level)),
		cmp.Compare(f.Level, g.Level), f.Print.Compare(g.Print), f.Next.Compare(g.Next),
		strings.Compare(f.Property, g.Property), strings.Compare(f.Message, g.Message))
}

// waiting is how many states the frontier has.
func (r *record) waiting() (n int) {
	for _, o := range r.Frontier {
		n += o.States
	}
	return n
}

// shown is what the runs so far have shown.
func (r *record) shown() checker.Shown { return shownOf(r.Seen, r.Answer, r.Witnesses) }

func shownOf(seen []string, answer string, witnesses []pairing) checker.Shown {
	s := checker.Shown{Seen: seen, Answer: answer, Witnesses: map[string]string{}}
	for _, w := range witnesses {
		s.Witnesses[string(w.Key)] = string(w.Value)
	}
	return s
}

// digests are those that lie in bytes.
func digests(b []byte) (list []checker.Digest) {
	for ; len(b) >= checker.DigestBytes; b = b[checker.DigestBytes:] {
		list = append(list, checker.ReadDigest(b))
	}
	return list
}

func joined(list []checker.Digest) (b []byte) {
	for _, d := range list {
		b = d.Append(b)
	}
	return b
}

// readRecord reads a record.
func (c *Config) readRecord(ctx context.Context, name string) (*record, error) {
	b, err := c.Blobs.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &record{}
	return r, decode("record "+name, b, r)
}

// chain are the records up to one, the oldest first: those behind until, or all.
func (c *Config) chain(ctx context.Context, name, until string) (list []*record, err error) {
	for name != until && name != "" {
		r, err := c.readRecord(ctx, name)
		if err != nil {
			return nil, err
		}
		if n := len(list); n > 0 && list[n-1].Level != r.Level+1 {
			return nil, fmt.Errorf("record %s: it is of level %d, want %d", name, r.Level,
				list[n-1].Level-1)
		}
		list = append(list, r)
		name = r.Previous
	}
	slices.Reverse(list)
	return list, nil
}
