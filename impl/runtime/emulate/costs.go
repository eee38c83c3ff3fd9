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
	Copy      int64         `json:"copy"`      // bytes a second that a proc copies; 0 = no limit
	Cores     int           `json:"cores"`     // of a node; 0 = each proc has one of its own
	// of a core, until a proc that waits goes on, where more of them than it has cores share a node
	Wake      time.Duration `json:"wake,omitzero"`
	Between   Link          `json:"between"` // from node to node, through a card on both sides
	Within    Link          `json:"within"`  // from proc to proc on one node, in memory
	Disk      Disk          `json:"disk"`    // of every node but those with one of their own
	Shared    bool          `json:"shared"`  // that is one for all nodes: a stable store
	Disks     []Own         `json:"disks,omitempty"`
	Keep      Disk          `json:"keep,omitzero"`       // of every node, for images (Config.Images)
	Launch    time.Duration `json:"launch"`              // until a proc that is launched runs
	Restart   time.Duration `json:"restart"`             // until one that nobody has to launch runs again
	Stop      time.Duration `json:"stop"`                // until a proc that is to be stopped has stopped
	Detect    time.Duration `json:"detect"`              // until the detector reports who has crashed
	Tick      time.Duration `json:"tick"`                // of a timer
	Heartbeat time.Duration `json:"heartbeat,omitempty"` // between signs of life; 0 = all the time
	Watchdog  time.Duration `json:"watchdog,omitempty"`  // until one expires that says no time
}

// Link is the way of a message, by LogGP: latency, overhead, gap, and the gap a byte, which is one
// by Rate. To send takes the processor, then the card of the node, which is busy until the last
// byte has left and the gap is over; the first byte is at the other card a latency later, which is
// busy in the same way; then it takes the processor there.
type Link struct {
	Latency  time.Duration `json:"latency"`
	Steps    []Step        `json:"steps,omitempty"` // other latencies, of larger messages
	Overhead time.Duration `json:"overhead"`        // of a processor, to send and to receive
	Gap      time.Duration `json:"gap"`             // of a card, behind a message
	// a message of more bytes leaves two latencies later, when it was announced and may come; those
	// behind it on its channel wait; 0 = none does
	Eager  int64 `json:"eager"`
	Rate   int64 `json:"rate"`  // bytes a second; 0 = no limit
	Chunk  int64 `json:"chunk"` // what is larger is bulk, and others pass it by chunks
	Header int64 `json:"header"`
}

// Step is the latency of messages of at least so many bytes, up to those of the next one.
type Step struct {
	From    int64         `json:"from"`
	Latency time.Duration `json:"latency"`
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
	// so many records are written or read at once; 0 = one
	Servers int `json:"servers"`
	// File is Crowded when more than so many others wait or are served; 0 = never
	Crowd   int           `json:"crowd"`
	Crowded time.Duration `json:"crowded"`
}

// Own is the disk that one proc has for itself, wherever it runs.
type Own struct {
	Proc core.Proc `json:"proc"`
	Disk Disk      `json:"disk"`
}

// Beside is what a step takes beside Costs.Step.
type Beside struct {
	Copied   int64         // bytes, at the rate Costs.Copy
	Takes    time.Duration // of a processor, as the step itself
	Computes time.Duration // of the program, and others pass it meanwhile
}

// Validate reports a price that makes no sense.
func (c *Costs) Validate() error {
	for _, d := range []time.Duration{c.Step, c.Operation, c.Launch, c.Restart, c.Stop, c.Detect,
		c.Tick, c.Heartbeat, c.Watchdog, c.Wake} {
		if d < 0 {
			return errors.New("emulate: a price is negative")
		}
	}
	if c.Cores < 0 || c.Cores > 1<<16 || c.Copy < 0 {
		return fmt.Errorf("emulate: %d cores a node, which copy %d bytes a second", c.Cores, c.Copy)
	}
	if c.Heartbeat > 0 && c.Watchdog > 0 && c.Watchdog <= c.Heartbeat {
		return fmt.Errorf("emulate: a watchdog of %v expires before the next sign of life, which "+
			"comes after %v", c.Watchdog, c.Heartbeat)
	}
	for _, l := range []Link{c.Between, c.Within} {
		if err := l.validate(); err != nil {
			return err
		}
	}
	for _, d := range []*Disk{&c.Disk, &c.Keep} {
		if err := d.validate(); err != nil {
			return err
		}
	}
	for _, d := range c.Disks {
		if err := d.Disk.validate(); err != nil {
			return fmt.Errorf("%w, of proc %d", err, d.Proc)
		}
	}
	return nil
}

// validate reports a price that makes no sense.
func (l *Link) validate() error {
	if l.Latency < 0 || l.Rate < 0 || l.Chunk < 0 || l.Header < 0 || l.Overhead < 0 || l.Gap < 0 ||
		l.Eager < 0 {
		return errors.New("emulate: a price of a link is negative")
	}
	for i, s := range l.Steps {
		if s.Latency < 0 || s.From < 1 || i > 0 && s.From <= l.Steps[i-1].From {
			return errors.New("emulate: steps of a latency begin at rising sizes from 1, and " +
				"none is negative")
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
	if d.Servers < 0 || d.Servers > 1<<16 || d.Servers > 1 && d.Crowd > 0 {
		return fmt.Errorf("emulate: %d servers of a disk, or a crowd before more than one",
			d.Servers)
	}
	return nil
}
