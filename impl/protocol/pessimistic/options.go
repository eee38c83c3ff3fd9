package pessimistic

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/protocol"
)

// Protocol is one of the three.
type Protocol uint8

// The protocols.
const (
	SBML Protocol = iota + 1
	RBML
	HMPL
)

var protocolNames = [...]string{"", "sbml", "rbml", "hmpl"}

var loggings = [...]string{"", "pessimistic, sender", "pessimistic, receiver",
	"pessimistic, sender until the receiver has logged"}

// String is the name in scenarios.
func (p Protocol) String() string { return protocolNames[p] }

// Place says on which node the logger of a rank runs.
type Place uint8

// The places.
const (
	Apart Place = iota // on a node of its own
	Next               // on the next node of the ring, with the ranks there
)

// OnFull says what a logger does when its memory is full.
type OnFull uint8

// The answers.
const (
	Flush             OnFull = iota // write the oldest entries to disk
	CommandCheckpoint               // ask its rank for a checkpoint
)

// Options choose a variant. The zero value is the repaired protocol without limits, loggers apart.
type Options struct {
	Errata  Set
	Loggers Place
	// the ranks of a cluster are one node: unit of failure and of rollback; only messages between
	// nodes are logged
	Semi   bool
	Buffer Limit  // of a sender's temporary buffer in memory
	Memory Limit  // of the log in the memory of a logger
	Full   OnFull // what a logger does at its limit
}

// optionDocs are the options in words.
var optionDocs = []protocol.Option{
	{Name: "loggers", Values: "apart|next", Doc: "loggers are on nodes of their own, or with the " +
		"ranks of the next node; of rbml and hmpl"},
	{Name: "mode", Values: "uncoordinated|semi", Doc: "semi: the ranks of a cluster are one " +
		"node, which fails and rolls back as one; of rbml and hmpl"},
	{Name: "buffer", Values: "N|NB", Doc: "messages, or bytes as in 64B, that a sender keeps in " +
		"memory, the rest on its disk; of hmpl"},
	{Name: "memory", Values: "N|NB", Doc: "messages or bytes that a logger keeps in memory; of " +
		"rbml and hmpl"},
	{Name: "full", Values: "flush|checkpoint", Doc: "what a logger does when its memory is full: " +
		"write the oldest to disk, or ask its rank for a checkpoint"},
}

// OptionDocs are the options in words that say nothing about nodes: those that are left where
// something else decides on nodes.
func OptionDocs() []protocol.Option { return optionDocs[2:] }

// ParseOptions reads "KEY=VALUE ..." of a scenario.
func ParseOptions(text string) (Options, error) {
	var o Options
	err := protocol.ReadOptions(text, protocol.Setters{
		"loggers": protocol.OneOf(&o.Loggers, "apart", "next"),
		"mode":    protocol.Either(&o.Semi, "uncoordinated", "semi"),
		"buffer":  limit(&o.Buffer),
		"memory":  limit(&o.Memory),
		"full":    protocol.OneOf(&o.Full, "flush", "checkpoint"),
	})
	return o, err
}

// Limit bounds memory, in messages or in bytes of payload. The zero value is no limit. A message
// that does not fit, also one that is larger than the limit by itself, goes to the local disk:
// nothing is lost and nobody waits.
type Limit struct {
	Messages int
	Bytes    int
}

// none reports whether there is no limit.
func (m Limit) none() bool { return m == Limit{} }

// exceeded reports whether so much is too much.
func (m Limit) exceeded(messages, bytes int) bool {
	return m.Messages > 0 && messages > m.Messages || m.Bytes > 0 && bytes > m.Bytes
}

// most is how many messages there is room for, 0 where they are not counted: of a limit in bytes
// nothing is promised, since the place of a delivery inside a node costs none.
func (m Limit) most() int { return m.Messages }

// limit reads messages, "2", or bytes, "64B". A limit of zero would stop every send, so it is
// refused.
func limit(to *Limit) protocol.Setter {
	return func(value string) error {
		digits, bytes := strings.CutSuffix(value, "B")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 {
			return errors.New("want messages (2) or bytes (64B), at least 1 (leave the option " +
				"out for no limit)")
		}
		if *to = (Limit{Messages: n}); bytes {
			*to = Limit{Bytes: n}
		}
		return nil
	}
}

// Validate reports options that contradict each other or the protocol.
func (o Options) Validate(p Protocol) error {
	switch {
	case p != HMPL && !o.Buffer.none():
		return fmt.Errorf("%s: only hmpl has a temporary buffer to limit", p)
	case p == SBML && (o.Semi || !o.Memory.none() || o.Loggers != Apart):
		return fmt.Errorf("sbml has no loggers and no semi-coordinated mode")
	case o.Full == CommandCheckpoint && o.Memory.none():
		return fmt.Errorf("full=checkpoint without memory=N never happens")
	}
	return nil
}
