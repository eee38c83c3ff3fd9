package world

import (
	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// kind is the kind of a global event.
type kind uint8

const (
	deliver    kind = iota + 1 // arg: head of the inbox
	advance                    // arg: index of the choice
	persisted                  // the oldest put or read in progress, with the deletes before it
	told                       // arg: first proc of the group that the pending notice is about
	tick                       // arg: index of the timer
	checkpoint                 // spontaneous
	crash                      // arg: variant
	stop                       // arg: the outcome of writes of who was bound to stop
	restart                    // arg: who has launched it, where procs are launched
	cut                        // arg: channel whose rest is lost
	lose                       // arg: head of the inbox
	duplicate                  // arg: head of the inbox
	suspect                    // arg: proc falsely reported
	expire                     // arg: proc that the watchdog is about
	erase                      // the oldest delete in progress
	kill                       // arg: who is stopped, and the outcome of its writes
	refuse                     // the oldest put in progress
	vanish                     // arg: place of the record that is lost
	spoil                      // arg: place of the record that is corrupted, and how
)

// eventCode names an event of a state, and stays the same while independent events happen. From the
// top: the kind in 8 bits, the proc in 16, in 8 the number of effects after which it stands still
// (0: it does not), the argument in 32.
type eventCode uint64

// code is an event that is not cut short.
func code(k kind, p core.Proc, arg int) eventCode {
	return eventCode(k)<<56 | eventCode(p)<<40 | eventCode(uint32(arg))
}

func (c eventCode) kind() kind      { return kind(c >> 56) }
func (c eventCode) proc() core.Proc { return core.Proc(c >> 40 & 0xffff) }
func (c eventCode) cut() int        { return int(c >> 32 & 0xff) }
func (c eventCode) arg() int        { return int(uint32(c)) }

// cutAfter is the event of which only so many effects happen.
func (c eventCode) cutAfter(effects int) eventCode {
	if effects >= 1<<8 {
		panic("invariant: the effects of a step can be counted")
	}
	return c | eventCode(effects)<<32
}

// variant is the event, which has no argument, with one.
func (c eventCode) variant(arg int) eventCode { return c | eventCode(uint32(arg)) }

// step is the event as one that must happen, fault as one that may.
func (c eventCode) step() checker.Step  { return checker.Step{Code: uint64(c)} }
func (c eventCode) fault() checker.Step { return checker.Step{Code: uint64(c), Fault: true} }
