package radic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
)

// Options choose a configuration. The zero value is the repaired control plane without spares, on a
// node for each rank.
type Options struct {
	Errata   Set
	Spares   int // nodes that wait for the ranks of a failed one
	Capacity int // ranks that a spare has room for; 0 = any number
	Nodes    int // active nodes, over which the ranks are spread evenly; 0 = as the clusters say
	Joins    int // nodes that come later, at any time, as further spares
	// number of an active node, from 1, that is taken out for maintenance at any time; 0 = none
	Leaves int
	// the protector of a node is the one before it on the ring, as in Figs. 2.8 and 6.1, not the
	// next one, as in section 2.3.4
	Backwards bool
	Rejoin    bool // failed nodes come back, empty
	Zombies   bool // what runs on a node that lives and is given up goes on
	// Heartbeat and Watchdog are in ticks. With both, heartbeats are messages and watchdogs plain
	// timers; without, the driver knows who is silent (core.Watch).
	Heartbeat, Watchdog int
}

// optionDocs are the options in words, with those of the logging protocol below.
func optionDocs() []protocol.Option {
	return append([]protocol.Option{
		{Name: "nodes", Values: "N", Doc: "active nodes, over which the ranks are spread evenly; " +
			"otherwise as the clusters say"},
		{Name: "spares", Values: "N", Doc: "nodes that wait for the ranks of a failed one"},
		{Name: "capacity", Values: "N", Doc: "ranks that a spare has room for; otherwise any " +
			"number"},
		{Name: "joins", Values: "N", Doc: "spares that come later, at any time"},
		{Name: "leaves", Values: "N", Doc: "node N, from 1, is taken out for maintenance, at " +
			"any time"},
		{Name: "ring", Values: "+1|-1", Doc: "who protects a node: the next one, or the one " +
			"before"},
		{Name: "rejoin", Values: "no|yes", Doc: "failed nodes come back, empty"},
		{Name: "zombies", Values: "no|yes", Doc: "what runs on a node that lives and is given up " +
			"goes on"},
		{Name: "heartbeat", Values: "N", Doc: "ticks between two heartbeats, which are messages; " +
			"with watchdog; without, the failure detector of the world"},
		{Name: "watchdog", Values: "N", Doc: "ticks without a heartbeat after which a watchdog " +
			"expires"},
	}, pessimistic.OptionDocs()...)
}

// mostNodes bounds each number of nodes.
const mostNodes = 64

// ParseOptions splits the text of a scenario into the options of RADIC and the rest, which is for
// the protocol below.
func ParseOptions(text string) (o Options, rest string, err error) {
	var words []string
	elsewhere := protocol.Refuse("radic decides where loggers run, and the unit of failure is " +
		"its node")
	err = protocol.Setters{
		"spares": protocol.Between(&o.Spares, 0, 8),
		"capacity": protocol.Between(&o.Capacity, 1, mostNodes,
			"a spare without room for any rank is none"),
		"nodes": protocol.Between(&o.Nodes, 3, mostNodes,
			"NeedThreeNodes, with two the only survivor would protect itself"),
		"joins":     protocol.Between(&o.Joins, 0, 8),
		"leaves":    protocol.Between(&o.Leaves, 1, mostNodes),
		"heartbeat": protocol.Between(&o.Heartbeat, 1, 1<<20),
		"watchdog":  protocol.Between(&o.Watchdog, 1, 1<<20),
		"rejoin":    protocol.Either(&o.Rejoin, "no", "yes"),
		"zombies":   protocol.Either(&o.Zombies, "no", "yes"),
		"ring":      protocol.Either(&o.Backwards, "+1", "-1"),
		"loggers":   elsewhere,
		"mode":      elsewhere,
	}.Read(text, func(_, word string) error {
		words = append(words, word)
		return nil
	})
	if err != nil {
		return o, "", err
	}
	return o, strings.Join(words, " "), o.validate()
}

// validate reports options that contradict each other.
func (o *Options) validate() error {
	switch {
	case (o.Heartbeat > 0) != (o.Watchdog > 0):
		return fmt.Errorf("BadTimers: heartbeat is %d ticks and watchdog %d, want both or none",
			o.Heartbeat, o.Watchdog)
	case o.Heartbeat > 0 && o.Watchdog <= o.Heartbeat:
		return fmt.Errorf(
			"BadTimers: a watchdog of %d ticks expires before the next heartbeat, which comes "+
				"after %d", o.Watchdog, o.Heartbeat)
	case o.Zombies && (o.Joins > 0 || o.Leaves > 0):
		// 1. J announces itself to N1, and watches it until it answers. 2. Two false alarms: J
		// fences N1. 3. N1 stops, its protector knows nothing, and nobody starts its ranks again.
		return errors.New("zombies=yes is for nodes that neither join nor leave: those are " +
			"watched by others than their protectors, who would fence, and start nothing again")
	case o.Capacity > 0 && o.Spares+o.Joins == 0:
		return fmt.Errorf("capacity=%d is about spares, and there are none", o.Capacity)
	}
	return nil
}
