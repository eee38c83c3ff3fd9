package shard

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Errors that a caller branches on; nothing has happened when one of them is returned.
var (
	ErrExists   = errors.New("it is there already")
	ErrMissing  = errors.New("it is not there")
	ErrConflict = errors.New("somebody has changed it meanwhile")
	ErrTooLarge = errors.New("it is too large")
	ErrNobody   = errors.New("nobody answers there") // of a request: it has reached nobody
)

// Limits in bytes.
const (
	MaxJob     = 256 << 10 // data of a job
	MaxValue   = 512 << 10 // value in a Store
	MaxRequest = 8<<20 - 4<<10
)

// LeaseTime is how long a key of a Store with the first word Lease lives after it was written.
const LeaseTime = 10 * time.Second

// RedeliverAfter is how long a worker may be silent about a job before another one gets it.
const RedeliverAfter = 12 * time.Second

// First words of keys that a Store treats in a way of their own.
const (
	Lease  = "lease"  // vanishes LeaseTime after it was written last
	Result = "result" // can not be changed; goes only with all of its campaign, see Store.Forget
)

// Job is a piece of work as data.
type Job struct {
	Topic    string // who takes it, a word
	Campaign string // what it is part of, a word
	ID       string // which it is there, a word
	Data     []byte // at most MaxJob bytes
}

// String is "campaign/id".
func (j Job) String() string { return j.Campaign + "/" + j.ID }

// Queue hands out jobs in about the order in which they were published.
type Queue interface {
	// Publish adds jobs. One that is waiting or at work (same topic, campaign and ID) is not added
	// again, so that a campaign that has lost its memory may publish all.
	Publish(ctx context.Context, jobs ...Job) error
	// Next waits for a job of a topic.
	Next(ctx context.Context, topic string) (Delivery, error)
	// Purge removes the jobs of a campaign, also those at work: what becomes of them is not asked.
	Purge(ctx context.Context, campaign string) error
}

// Delivery is a job in the hands of a worker. After RedeliverAfter without a word, another worker
// gets it, too.
type Delivery interface {
	Job() Job
	// Attempt counts the deliveries of this job from 1, this one included.
	Attempt() int
	// Working says that the worker is alive.
	Working(ctx context.Context) error
	// Ack removes the job: its result is put.
	Ack(ctx context.Context) error
	// Return gives the job back: somebody else gets it at once.
	Return(ctx context.Context) error
}

// Entry is a value of a Store.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64 // grows with each change of the key, also when it was gone meanwhile
	Gone     bool   // it was there; only Watch tells of such
}

// Store keeps small values, at most MaxValue bytes, by keys of words with dots between them. The
// first word is that of a kind (see Lease and Result), the second one mostly a campaign.
type Store interface {
	// Create puts a value unless there is one: ErrExists.
	Create(ctx context.Context, key string, value []byte) (revision uint64, err error)
	// Get reads a value: ErrMissing.
	Get(ctx context.Context, key string) (Entry, error)
	// Update changes a value that has the revision: else ErrConflict.
	Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	// Delete removes a value that has the revision: else ErrConflict.
	Delete(ctx context.Context, key string, revision uint64) error
	// Watch tells of what is there with a prefix ("kind.campaign.", whole words), in the order of
	// revisions, then of each change, until the context or the caller ends it. Of changes that
	// come faster than they are taken only the last one of a key may be told, and of the end of a
	// lease nothing (Get knows). An error ends it.
	Watch(ctx context.Context, prefix string) iter.Seq2[Entry, error]
	// List is what is there with a prefix, in the order of keys.
	List(ctx context.Context, prefix string) ([]Entry, error)
	// Forget removes all values "KIND.CAMPAIGN." of a kind, results included.
	Forget(ctx context.Context, kind, campaign string) error
}

// Blobs keeps large values by names of words with slashes between them.
type Blobs interface {
	// Put writes a value once. The same again is nothing; another one with the name is ErrExists.
	// What is there is whole and on disk.
	Put(ctx context.Context, name string, data []byte) error
	// Get reads a value: ErrMissing.
	Get(ctx context.Context, name string) ([]byte, error)
	// Range reads length bytes from an offset; fewer are an error.
	Range(ctx context.Context, name string, offset, length int64) ([]byte, error)
	// List is the names below a folder, sorted.
	List(ctx context.Context, folder string) ([]string, error)
	// Forget removes all that is below a folder.
	Forget(ctx context.Context, folder string) error
}

// Bus carries questions of at most MaxRequest bytes and their answers.
type Bus interface {
	// Request asks whoever serves a subject (words with dots). It may have been heard, even more
	// than once, whatever the error, but for ErrNobody.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)
	// Serve answers the questions of a subject, one after the other, until stop is called or the
	// process ends. An error as answer is a text of at most 1 KiB for who has asked.
	Serve(subject string, answer func(data []byte) ([]byte, error)) (stop func(), err error)
}

// Engine is all of it, as one process sees it.
type Engine interface {
	Queue
	Store
	Bus
	// Blobs is where large values are; nil if this engine has none.
	Blobs() Blobs
}

// mostLetters and mostWords bound a word, and how many a name has.
const (
	mostLetters = 80
	mostWords   = 8
)

// isWord reports whether a text is 1 to 80 letters of English, digits, _ and -. It is written out:
// an expression with such bounds takes every process of a run 5 ms and 650 kB when it begins.
func isWord(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' &&
			c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= mostLetters
}

// areWords reports whether a text is up to 8 words with separators between them.
func areWords(s, separator string) bool {
	words := strings.SplitN(s, separator, mostWords+1)
	return len(words) <= mostWords && !slices.ContainsFunc(words, func(w string) bool {
		return !isWord(w)
	})
}

// Check reports what no engine takes: a job that is too large, or names that are no words.
func (j Job) Check() error {
	for _, w := range []string{j.Topic, j.Campaign, j.ID} {
		if !isWord(w) {
			return fmt.Errorf("job %s of topic %s: %q is no word: want letters, digits, _ and -",
				j, j.Topic, w)
		}
	}
	if len(j.Data) > MaxJob {
		return fmt.Errorf("job %s: %d bytes, want at most %d: %w", j, len(j.Data), MaxJob,
			ErrTooLarge)
	}
	return nil
}

// CheckKey reports a key or a subject that no engine takes.
func CheckKey(key string) error {
	if !areWords(key, ".") {
		return fmt.Errorf("%q: want up to 8 words with dots between them", key)
	}
	return nil
}

// CheckPrefix reports a prefix that no engine takes: whole words, each with a dot behind it.
func CheckPrefix(prefix string) error {
	words, ok := strings.CutSuffix(prefix, ".")
	if !ok {
		return fmt.Errorf("prefix %q: want whole words, each with a dot behind it", prefix)
	}
	return CheckKey(words)
}

// CheckEntry reports a key or a value that no Store takes.
func CheckEntry(key string, value []byte) error {
	if len(value) > MaxValue {
		return fmt.Errorf("%s: %d bytes, want at most %d: %w", key, len(value), MaxValue,
			ErrTooLarge)
	}
	return CheckKey(key)
}

// CheckName reports a name of a blob that no engine takes.
func CheckName(name string) error {
	if !areWords(name, "/") {
		return fmt.Errorf("blob %q: want up to 8 words with slashes between them", name)
	}
	return nil
}
