package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Deed is one thing that the supervisor has done, or has seen happen: a line of JSON in the folder
// of a run.
type Deed struct {
	Clock uint64      `json:"clock"`
	What  string      `json:"what"`
	Procs []core.Proc `json:"procs"` // whom it is about, or of whom somebody was told
	// of machines that have stopped, in the order of Procs: their incarnations, the effects that
	// these and those before them had performed, and the bytes of evidence that they have left
	Lives     []core.Incarnation `json:"lives,omitempty"`
	Performed []int              `json:"performed,omitempty"`
	Evidence  []int64            `json:"evidence,omitempty"`
	// of a failure: by its own effect (core.Exit), or the daemon of its node has ordered it
	Exit    bool `json:"exit,omitempty"`
	Ordered bool `json:"ordered,omitempty"`
	// of a failure: steps with a smaller Cause.Epoch are before it, and all others behind it; of a
	// start: how many failures the life was told of, and
	Epoch uint64     `json:"epoch,omitempty"`
	Gone  []int      `json:"gone,omitempty"` // by proc, how many lives were over; nil: none
	To    *core.Proc `json:"to,omitempty"`   // who was told
}

// What the supervisor does.
const (
	DidFail   = "failed"      // Procs have stopped, with Lives, Performed and Evidence
	DidSay    = "announced"   // all who are up are to agree that Procs have stopped, at Epoch
	DidBury   = "agreed"      // all who are up know that Procs have stopped, at Epoch
	DidEnd    = "complete"    // nothing can happen any more
	DidStart  = "started"     // a process of Procs, as the incarnation Lives, with Epoch and Gone
	DidResume = "resumed"     // the run goes on that had been ended with all its processes
	DidTell   = sayDown       // To that Procs are down, and
	DidErr    = saySuspect    // To that Procs are down, which live
	DidExpire = sayExpired    // the watchdog of To about Procs has
	DidAsk    = sayCheckpoint // To for a checkpoint
	DidSteer  = "steered"     // all that follows is a course that was given
	DidAnswer = sayKilled     // To that Procs, which were to be stopped, are
)

// deedsFile is where the deeds of a run are.
func deedsFile(dir string) string { return filepath.Join(dir, "supervisor.jsonl") }

// openDeeds begins the file, unless nothing is to be kept.
func (s *supervisor) openDeeds() (err error) {
	if s.c.Bare {
		return nil
	}
	if s.past != nil {
		s.deeds, err = reopenDeeds(s.c.Dir)
	} else {
		s.deeds, err = os.Create(deedsFile(s.c.Dir))
	}
	if err != nil {
		return fmt.Errorf("cluster: evidence: %w", err)
	}
	return nil
}

// reopenDeeds goes on with the file behind its last line that is whole.
func reopenDeeds(dir string) (*os.File, error) {
	text, err := os.ReadFile(deedsFile(dir))
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(deedsFile(dir), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(int64(bytes.LastIndexByte(text, '\n') + 1)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// anyGone is the lives that are over by proc, nil if none is: that is most of what a run without
// failures would write down.
func anyGone(gone []int) []int {
	if slices.Max(gone) == 0 {
		return nil
	}
	return gone
}

// closeDeeds ends the file.
func (s *supervisor) closeDeeds() error {
	if s.deeds == nil {
		return nil
	}
	return s.deeds.Close()
}

// did writes down a deed. Who can not write it ends the run: evidence is what it is for.
func (s *supervisor) did(d Deed) {
	if s.deeds == nil {
		return // a bare run
	}
	if d.Clock == 0 {
		d.Clock = s.clock.tick()
	}
	line, err := json.Marshal(d)
	if err == nil {
		_, err = s.deeds.Write(append(line, '\n'))
	}
	if err != nil {
		s.deeds = nil
		s.stop("", fmt.Errorf("cluster: evidence of the supervisor: %w", err))
	}
}

// said writes down what a life is told, as far as it is a deed.
func (s *supervisor) said(p *proc, o *order) {
	switch o.Kind {
	case sayDown, saySuspect, sayExpired, sayCheckpoint, sayKilled:
		s.did(Deed{Clock: o.Clock, What: o.Kind, Procs: o.Procs, To: &p.id})
	}
}

// stopped notes that the machine of a proc has.
func (d *Deed) stopped(p *proc) {
	d.Procs, d.Lives = append(d.Procs, p.id), append(d.Lives, p.inc)
	d.Performed, d.Evidence = append(d.Performed, p.performed), append(d.Evidence, p.reader.at)
}

// readDeeds reads what a supervisor has done; the last line may be cut off.
func readDeeds(dir string) (list []Deed, err error) {
	f, err := os.Open(deedsFile(dir))
	if err != nil {
		return nil, fmt.Errorf("cluster: evidence: %w", err)
	}
	defer f.Close() // it was only read
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("cluster: evidence: %w", err)
		}
		var d Deed
		if err := json.Unmarshal(line, &d); err != nil {
			return nil, fmt.Errorf("cluster: evidence: %s: line %d: %w", f.Name(), len(list)+1, err)
		}
		list = append(list, d)
	}
}
