package emulate

import (
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// Costs is what things take. What is zero takes no time.
type Costs struct {
	Step      time.Duration `json:"step"`      // of a machine, for one input
	Operation time.Duration `json:"operation"` // of a program
	Between   Link          `json:"between"`   // from node to node, through a card on both sides
	Within    Link          `json:"within"`    // from proc to proc on one node, in memory
	Disk      Disk          `json:"disk"`      // of every node but those with one of their own
	Disks     []Own         `json:"disks,omitempty"`
	Launch    time.Duration `json:"launch"`  // until a proc that is launched runs
	Restart   time.Duration `json:"restart"` // until one that nobody has to launch runs again
	Stop      time.Duration `json:"stop"`    // until a proc that is to be stopped has stopped
	Detect    time.Duration `json:"detect"`  // until the detector reports who has crashed
	Tick      time.Duration `json:"tick"`    // of a timer
}

// Link is the way of a message.
type Link struct {
	Latency time.Duration `json:"latency"`
	Rate    int64         `json:"rate"`  // bytes a second; 0 = no limit
	Chunk   int64         `json:"chunk"` // what is larger is bulk, and others pass it by chunks
	Header  int64         `json:"header"`
}

// Disk is where the records of a node, or of one proc, are.
type Disk struct {
	Write int64 `json:"write"` // bytes a second; 0 = no limit
	Read  int64 `json:"read"`
	Fresh int64 `json:"fresh"` // of the first time that a record is read
	// of a record of at least Small bytes, to write it or to read it; of less, it takes Sync to
	// write
	File  time.Duration `json:"file"`
	Open  time.Duration `json:"open"`
	Sync  time.Duration `json:"sync"`
	Small int64         `json:"small"`
	// File is Crowded when more than so many others wait or are served; 0 = never
	Crowd   int           `json:"crowd"`
	Crowded time.Duration `json:"crowded"`
}

// Own is the disk that one proc has for itself, wherever it runs.
type Own struct {
	Proc core.Proc `json:"proc"`
	Disk Disk      `json:"disk"`
}

// Validate reports a price that makes no sense.
func (c *Costs) Validate() error {
	for _, d := range []time.Duration{c.Step, c.Operation, c.Launch, c.Restart, c.Stop, c.Detect,
		c.Tick} {
		if d < 0 {
			return errors.New("emulate: a price is negative")
		}
	}
	for _, l := range []Link{c.Between, c.Within} {
		if l.Latency < 0 || l.Rate < 0 || l.Chunk < 0 || l.Header < 0 {
			return errors.New("emulate: a price of a link is negative")
		}
	}
	if err := c.Disk.validate(); err != nil {
		return err
	}
	for _, d := range c.Disks {
		if err := d.Disk.validate(); err != nil {
			return fmt.Errorf("%w, of proc %d", err, d.Proc)
		}
	}
	return nil
}

// validate reports a price that makes no sense.
func (d *Disk) validate() error {
	if d.Write < 0 || d.Read < 0 || d.Fresh < 0 || d.File < 0 || d.Open < 0 || d.Sync < 0 ||
		d.Small < 0 || d.Crowd < 0 || d.Crowded < 0 {
		return errors.New("emulate: a price of a disk is negative")
	}
	return nil
}

// span is how long so many bytes take at a rate, rounded up: nothing is faster than its rate.
func span(bytes, rate int64) time.Duration {
	if rate <= 0 || bytes <= 0 {
		return 0
	}
	const second = int64(time.Second)
	whole, rest := bytes/rate, bytes%rate
	if rest > (1<<63-1)/second-1 { // a rate beyond any machine
		return time.Duration(whole * second)
	}
	return time.Duration(whole*second + (rest*second+rate-1)/rate)
}
