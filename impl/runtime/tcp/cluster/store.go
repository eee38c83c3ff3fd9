package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/spec/processes"
)

// store is the disk as the node of a life sees it: a record that is deleted is gone at once, as the
// machine may rely on.
type store struct {
	disk  *disk.Store
	delay time.Duration
	doing *doing
	marks *marks
	bytes uint64
	took  time.Duration

	late    bool // what is written is marked here, and not when the machine asks for it
	refuses bool // the machine can be told that the disk is full (core.Refused)
	full    int  // puts that are refused, as the plan has it
}

func (s *store) Put(key string, value []byte) error {
	defer s.count(time.Now())
	if s.late {
		s.marks.persisting(&core.Effect{Kind: core.Persist, Key: key, Value: value})
	}
	if s.full > 0 {
		s.full--
		s.marks.add(processes.Mark{What: processes.Refused, Key: key})
		return node.ErrFull
	}
	s.bytes += uint64(len(value))
	err := s.refusal(s.disk.Put(key, value))
	if errors.Is(err, node.ErrFull) {
		s.marks.add(processes.Mark{What: processes.Refused, Key: key})
	}
	return err
}

func (s *store) Delete(key string) error {
	defer s.count(time.Now())
	if s.late {
		s.marks.persisting(&core.Effect{Kind: core.Persist, Key: key})
	}
	if err := s.disk.Delete(key); err != nil {
		return err
	}
	return s.Commit()
}

func (s *store) Commit() error {
	defer s.count(time.Now())
	if s.disk.Queued() > 0 {
		s.doing.disk(true)
		defer s.doing.disk(false)
		time.Sleep(s.delay)
	}
	err := s.refusal(s.disk.Commit())
	if err == nil {
		s.marks.add(processes.Mark{What: processes.Stable})
	} else if errors.Is(err, node.ErrFull) {
		s.marks.add(processes.Mark{What: processes.Refused})
	}
	return err
}

// Get reads a record back from its file.
func (s *store) Get(key string) ([]core.Record, error) {
	defer s.count(time.Now())
	r, found, err := s.disk.Get(key)
	if err != nil || !found {
		return nil, err
	}
	return []core.Record{r}, nil
}

// refusal translates the error of a disk that is full, if the machine can be told.
func (s *store) refusal(err error) error {
	if s.refuses && errors.Is(err, disk.ErrFull) {
		return fmt.Errorf("%w: %w", node.ErrFull, err)
	}
	return err
}

func (s *store) count(began time.Time) { s.took += time.Since(began) }

func (s *store) close() error {
	if err := s.disk.Close(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// spoil does to the disk what the plan has the environment do. What is corrupt may be found out by
// the sums of the disk, as half of all damage is, or only by those of the machine. It tells which,
// and whether there was a record.
func (s *store) spoil(m *moment) (what disk.Damage, done bool, err error) {
	rng := rand.New(rand.NewPCG(m.Draw, 2))
	what = disk.Lost
	switch m.Spoil {
	case plan.Full:
		s.full++
		return what, false, nil
	case plan.Corrupt:
		what = []disk.Damage{disk.Flipped, disk.Cut, disk.Changed, disk.Halved}[rng.IntN(4)]
	}
	if done, err = s.disk.Spoil(what, rng.IntN); err != nil {
		return what, done, fmt.Errorf("cluster: %w", err)
	}
	return what, done, nil
}
