package level

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard"
)

// Config says what is searched, and where.
type Config struct {
	Engine shard.Engine
	Blobs  shard.Blobs // where levels are; nil = those of the engine
	ID     string      // of the search: a word in all names
	Life   string      // of this process: a word that no other one has, and none has had
	// Build names the program, Subject is the text of what is explored: a search with others is
	// refused.
	Build, Subject string
	// Make makes a system that has met nothing. All that are made of one subject are the same.
	Make func() (checker.Portable, error)
	// Reduce, All, Only, MaxStates, MaxTime and Progress count; order is breadth first.
	Options checker.Options

	Partitions int // a power of two up to 4096; 0 = 64
	Block      int // most states of a block; 0 = 65,536
	Workers    int // the search begins when there are so many; 0 = 1
	Most       int // one more worker waits until one of so many is gone; 0 = any number

	// Log is told why a level is done again, by who leads; nil = nobody is told.
	Log func(format string, args ...any)

	without rule
}

// rule is what keeps the search right. A test leaves out one after the other and expects wrong
// counts.
type rule uint8

const (
	noRule      rule = iota
	dropRule         // only what is certainly known is dropped
	attemptRule      // a level that is done again forgets what was said before
	keeperRule       // a keeper that is replaced ends the attempt
	sumRule          // what was written is what keepers were asked for
	rules
)

// asks reports whether a rule counts. Without one of the first ones the sums are not compared,
// either, where they would hide that.
func (c *Config) asks(r rule) bool {
	return c.without != r && (r != sumRule || c.without == noRule || c.without == attemptRule)
}

// ErrRefused is about a search that is one of something else.
var ErrRefused = errors.New("the search can not go on")

const (
	defaultPartitions = 64
	defaultBlock      = 1 << 16
	leastBlock        = 1 << 11
)

// filled is the configuration with its defaults, or what is wrong with it.
func (c Config) filled() (Config, error) {
	if c.Partitions == 0 {
		c.Partitions = defaultPartitions
	}
	if c.Block == 0 {
		c.Block = defaultBlock
	}
	c.Workers = max(c.Workers, 1)
	if c.Log == nil {
		c.Log = func(string, ...any) {}
	}
	if c.Blobs == nil {
		c.Blobs = c.Engine.Blobs()
	}
	switch {
	case c.Partitions < 1 || c.Partitions > 4096 || bits.OnesCount(uint(c.Partitions)) != 1:
		return c, fmt.Errorf("%d partitions, want a power of two up to 4096", c.Partitions)
	case c.Blobs == nil:
		return c, errors.New("one search on many machines needs a folder that all have: " +
			"--blobs FOLDER, at the command and at each worker")
	case c.Options.Reduce&^(checker.Singletons|checker.Crashes) != 0:
		return c, fmt.Errorf("reductions %v: a search in several processes has none but %v",
			c.Options.Reduce, checker.Singletons|checker.Crashes)
	}
	return c, nil
}

// partition is that of a fingerprint: its first bits.
func (c *Config) partition(d checker.Digest) int {
	return int(d.Hi >> 32 * uint64(c.Partitions) >> 32)
}

// Names in the engine.
func (c *Config) headKey() string { return "search." + c.ID + ".head" }
func (c *Config) leadKey() string { return shard.Lease + ".search." + c.ID + ".lead" }
func (c *Config) workersPrefix() string {
	return shard.Lease + ".search." + c.ID + ".worker."
}
func (c *Config) keeper(life string) string { return "search." + c.ID + "." + life }
func (c *Config) results(attempt uint64) string {
	return fmt.Sprintf("%s.%s.%d.", shard.Result, c.ID, attempt)
}
func (c *Config) topic() string { return "level-" + c.ID }

// head is the state of a search, which the coordinator alone changes: by comparing and setting, so
// that of two coordinators one fails.
type head struct {
	Build, Subject string
	Words          int
	Partitions     int
	Reduce         checker.Reduction
	All            bool
	Only           string

	Record  string   // blob of the record of the last committed level
	Level   int      // that is explored now
	Attempt uint64   // at it; grows with each, and so tells all attempts at all levels apart
	Keepers []string // lives: each keeps as many partitions as the next one, in order; nil = none
	// what all processes know before the level, of what they have seen differently
	Witnesses []pairing
	Over      bool // the search is complete, or has found what it looks for
}

// keeperOf is who keeps a partition.
func (h *head) keeperOf(partition int) string {
	return h.Keepers[partition*len(h.Keepers)/h.Partitions]
}

// kept are the partitions [from, to) of a life, none if it keeps nothing.
func (h *head) kept(life string) (from, to int) {
	from = -1
	for p := range h.Partitions {
		if len(h.Keepers) > 0 && h.keeperOf(p) == life {
			if from < 0 {
				from = p
			}
			to = p + 1
		}
	}
	return max(from, 0), to
}

// begun is the head of a search that begins.
func (c *Config) begun(words int, record string) head {
	o := &c.Options
	return head{Build: c.Build, Subject: c.Subject, Words: words, Partitions: c.Partitions,
		Reduce: o.Reduce, All: o.All, Only: o.Only, Record: record}
}

// fits reports a head that is of another search than this one.
func (c *Config) fits(h *head, words int) error {
	o := &c.Options
	why := ""
	switch {
	case h.Build != c.Build:
		why = fmt.Sprintf("it is of another build of domino, %q; this is %q", h.Build, c.Build)
	case h.Subject != c.Subject || h.Words != words:
		why = "it is of another scenario"
	case h.Reduce != o.Reduce:
		why = fmt.Sprintf("its reductions are %v, here they are %v", h.Reduce, o.Reduce)
	case h.All != o.All || h.Only != o.Only:
		why = "it looks for other violations"
	case h.Partitions != c.Partitions:
		why = fmt.Sprintf("it has %d partitions, here there are %d", h.Partitions, c.Partitions)
	default:
		return nil
	}
	return fmt.Errorf("search %s: %w: %s", c.ID, ErrRefused, why)
}

// readHead reads the head and its revision.
func (c *Config) readHead(ctx context.Context) (h head, revision uint64, err error) {
	e, err := c.Engine.Get(ctx, c.headKey())
	if err != nil {
		return h, 0, err
	}
	return h, e.Revision, decode("the head of search "+c.ID, e.Value, &h)
}

// encode is a small record as bytes.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("invariant: records are plain data: " + err.Error())
	}
	return b
}

// decode reads what encode wrote.
func decode(what string, data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// pause waits, or says why not.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
