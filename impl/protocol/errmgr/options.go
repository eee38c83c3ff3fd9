package errmgr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// Options choose a configuration. The zero value is no valid one: ParseOptions fills in what the
// text does not say.
type Options struct {
	Nodes    int // active nodes; 0 = as the clusters say, or one a rank
	Spares   int // nodes without ranks
	Capacity int // ranks that a node has room for; 0 = any number
	Store    sstore.Kind
	Copies   int          // peers: replicas of each file, the one at home included
	Domains  []int        // failure domain of each node and spare; nil = each its own
	Flow     int          // files on their way to the store at one time
	Cache    int          // stage: files of each rank that stay on its node; 0 = none
	Codec    sstore.Codec // of files that leave their node
	Hold     bool         // an output waits for the snapshot that covers it
	// Direct: the image of a mover goes from node to node, not through the store.
	Direct      bool
	Predictions int  // that the oracle may make
	Notice      int  // how long before a failure it is predicted, in the unit of policy.Costs
	Bad         bool // the oracle may also predict what makes no sense
	Peers       bool // ranks report failures, too
	Heads       int  // replicas of the head
	InPlace     bool // a rank whose node lives starts again there
}

// optionDocs are the options in words.
var optionDocs = []protocol.Option{
	{Name: "nodes", Values: "N", Doc: "active nodes, over which the ranks are dealt in turn; " +
		"otherwise as the clusters say, or one a rank"},
	{Name: "spares", Values: "N", Doc: "nodes that have no ranks at the start; otherwise 1"},
	{Name: "capacity", Values: "N", Doc: "ranks that a node has room for; otherwise any number"},
	{Name: "store", Values: "stage|central|peers", Doc: "files are written on the node and " +
		"copied to the store behind the back of the program, or to the store at once, or to " +
		"other nodes"},
	{Name: "copies", Values: "N", Doc: "store=peers: replicas of each file; otherwise 2"},
	{Name: "domains", Values: "N,N,...", Doc: "store=peers: what each node and spare fails " +
		"together with; otherwise with none"},
	{Name: "flow", Values: "N", Doc: "files on their way at one time; otherwise 1"},
	{Name: "cache", Values: "N|off", Doc: "store=stage: files of each rank that stay on its " +
		"node; otherwise 2"},
	{Name: "codec", Values: "none|s2|zstd|gzip", Doc: "how files are packed before they leave " +
		"their node"},
	{Name: "outputs", Values: "replayable|held", Doc: "whether an output may come again, or " +
		"waits for the snapshot that covers it"},
	{Name: "path", Values: "direct|store", Doc: "how the image of a rank that moves gets to its " +
		"new node"},
	{Name: "predictions", Values: "N", Doc: "failures that the oracle may predict; otherwise 0"},
	{Name: "notice", Values: "N", Doc: "how long before a failure it is predicted: to " +
		"coordinate, to carry an image and to start take 2 each; otherwise 100"},
	{Name: "forecasts", Values: "good|any", Doc: "whether the oracle may also predict what " +
		"makes no sense"},
	{Name: "reports", Values: "head|peers", Doc: "who hears of failures: the head, or the ranks " +
		"too"},
	{Name: "heads", Values: "1|3", Doc: "replicas of the head"},
	{Name: "restart", Values: "elsewhere|inplace", Doc: "where a rank starts again that failed " +
		"alone: on another node if there is one, or on its own"},
}

// mostNodes bounds the number of active nodes.
const mostNodes = 512

// ParseOptions reads the options of a scenario. A number that could only make a job wait for ever
// is refused, and so is what would have no effect beside the others.
func ParseOptions(text string) (Options, error) {
	o := Options{Spares: 1, Copies: 2, Flow: 1, Cache: 2, Heads: 1, Direct: true,
		Notice: 100}
	if err := protocol.ReadOptions(text, o.setters()); err != nil {
		return o, err
	}
	return o, o.validate(protocol.Given(text))
}

// setters read each option.
func (o *Options) setters() protocol.Setters {
	return protocol.Setters{
		"nodes":  protocol.Between(&o.Nodes, 1, mostNodes),
		"spares": protocol.Between(&o.Spares, 0, mostNodes),
		"capacity": protocol.Between(&o.Capacity, 1, mostNodes,
			"a node without room for any rank is none"),
		"copies":      protocol.Between(&o.Copies, 2, 8, "one copy dies with its node"),
		"flow":        protocol.Between(&o.Flow, 1, 64, "without tokens no file is ever copied"),
		"cache":       o.cache,
		"predictions": protocol.Between(&o.Predictions, 0, 4),
		"notice":      protocol.Between(&o.Notice, 0, 1<<20),
		"domains":     o.domains,
		"store":       protocol.OneOf(&o.Store, "stage", "central", "peers"),
		"codec":       protocol.OneOf(&o.Codec, "none", "s2", "zstd", "gzip"),
		"outputs":     protocol.Either(&o.Hold, "replayable", "held"),
		"path":        protocol.Chosen(func(i int) { o.Direct = i == 0 }, "direct", "store"),
		"forecasts":   protocol.Either(&o.Bad, "good", "any"),
		"reports":     protocol.Either(&o.Peers, "head", "peers"),
		"heads":       protocol.Chosen(func(i int) { o.Heads = []int{1, 3}[i] }, "1", "3"),
		"restart":     protocol.Either(&o.InPlace, "elsewhere", "inplace"),
	}
}

// cache reads how many files of a rank stay on its node.
func (o *Options) cache(value string) error {
	if value == "off" {
		o.Cache = 0
		return nil
	}
	return protocol.Between(&o.Cache, 2, 16, "or off: the file of the newest established "+
		"snapshot stays, so with room for one there is none for the next")(value)
}

// domains reads what each node fails together with.
func (o *Options) domains(value string) error {
	for _, d := range strings.Split(value, ",") {
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 {
			return errors.New("want a number, at least 0, for each node, separated by commas")
		}
		o.Domains = append(o.Domains, n)
	}
	return nil
}

// validate reports options that contradict each other.
func (o *Options) validate(given []string) error {
	only := func(kind sstore.Kind, keys ...string) error {
		for _, key := range keys {
			if slices.Contains(given, key) && o.Store != kind {
				return fmt.Errorf("%s is for store=%s, and this is store=%s", key, kind, o.Store)
			}
		}
		return nil
	}
	if err := errors.Join(only(sstore.Stage, "cache"),
		only(sstore.Peers, "copies", "domains")); err != nil {
		return err
	}
	if o.Store == sstore.Central && o.Codec != sstore.None {
		return errors.New("codec is for files that wait on their node, and with store=central " +
			"none does")
	}
	if o.Store == sstore.Peers && !o.Direct {
		return errors.New("path=store needs a store, and with store=peers there is none")
	}
	if o.Store != sstore.Stage {
		o.Cache = 0
	}
	return nil
}
