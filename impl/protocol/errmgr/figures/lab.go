package figures

import (
	"fmt"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

const (
	micro  = time.Microsecond
	milli  = time.Millisecond
	second = time.Second

	// MB is a megabyte, as the source counts.
	MB = 1_000_000
)

// lab is the machine that is emulated: the testbed of the source, two ranks a node, gigabit
// Ethernet, one store. The prices of the store and of who copies to it are chosen so that the rows
// of Table I with 64 ranks come out; everything else follows.
type lab struct {
	PerNode int
	// The store writes at Rate. A file costs it File, but Crowded as soon as more than Crowd wait:
	// 64 ranks that write at once are slow, ten at a time are not.
	Rate          int64
	File, Crowded time.Duration
	Crowd         int
	// To open a file for reading.
	Open time.Duration
	// Who copies in the background does it by a stream that takes a while to set up, and has a rate
	// of its own: ten of them together are slower than the store.
	Setup  time.Duration
	Stream int64
	// What is copied in the background passes the machine of the store a second time, at these
	// rates: on its way in, and on its way out.
	CopyIn, CopyOut int64
	// Local is the disk of a node, with a price a file.
	Local     int64
	LocalFile time.Duration
	// Pack and Unpack are bytes a second of one process of the codec. A node has a core for each of
	// its ranks.
	Pack, Unpack int64
	Card, Memory int64
	Launch       time.Duration
	Detect       time.Duration
	Operation    time.Duration
}

// source is the testbed.
var source = lab{PerNode: 2, Rate: 76 * MB, File: 40 * milli, Crowded: 160 * milli, Crowd: 10,
	Open: 60 * milli, Setup: 100 * milli, Stream: 24 * MB, CopyIn: 620 * MB, CopyOut: 76 * MB,
	Local: 70 * MB, LocalFile: 400 * milli, Pack: 9 * MB, Unpack: 40 * MB, Card: 110 * MB,
	Memory: 1000 * MB, Launch: 1000 * milli, Detect: 100 * milli, Operation: 10 * micro}

// job is what runs on it.
type job struct {
	lab
	Ranks, Spares int
	Image         int64   // bytes of one image
	Saved         float64 // the share that the codec saves
	Options       string  // of the composite, but for nodes and spares
	Policies      string
	Programs      func(ranks int) []core.Program // nil: all wait
}

// has reports whether the options say something.
func (j *job) has(option string) bool {
	for _, word := range strings.Fields(j.Options) {
		if word == option {
			return true
		}
	}
	return false
}

// staged reports whether files are copied in the background.
func (j *job) staged() bool { return !j.has("store=central") }

// packs reports whether files are packed.
func (j *job) packs() bool {
	return strings.Contains(j.Options, "codec=") && !j.has("codec=none")
}

// packed is how many bytes an image has in the store.
func (j *job) packed() int64 {
	if !j.packs() {
		return j.Image
	}
	return int64(float64(j.Image) * (1 - j.Saved))
}

// nodes are those with ranks.
func (j *job) nodes() int { return (j.Ranks + j.PerNode - 1) / j.PerNode }

// idle is a job that waits: rank 0 for a message that never comes, the others for rank 0.
func idle(ranks int) (list []core.Program) {
	for r := range ranks {
		list = append(list, core.Program{{Kind: core.OpRecv, Peer: core.Rank((r + 1) % ranks)}})
	}
	return list
}

// moment is an event of the evidence, and when.
type moment struct {
	At time.Duration
	trace.Event
}

// bench is a job that is set up, and what was seen of it.
type bench struct {
	*job
	run   *emulate.Run
	setup *core.Setup
	head  core.Proc
	story []moment
	local map[core.Rank]time.Duration // when the newest image was whole on the node
	seen  func(moment)                // is told of every event of policies and snapshots
}

// open sets a job up.
func (j *job) open() (*bench, error) {
	layout := core.Layout{Ranks: j.Ranks}
	for r := range j.Ranks {
		layout.Names = append(layout.Names, fmt.Sprint("r", r))
	}
	programs := j.Programs
	if programs == nil {
		programs = idle
	}
	p := errmgr.Protocol
	setup, err := p.Make(protocol.Request{Layout: layout, Programs: programs(j.Ranks),
		Policies: j.Policies, Options: fmt.Sprintf("nodes=%d spares=%d %s", j.nodes(), j.Spares,
			j.Options)})
	if err != nil {
		return nil, err
	}
	b := &bench{job: j, setup: setup, local: map[core.Rank]time.Duration{}}
	for i, name := range setup.Layout.Names {
		if name == "head" {
			b.head = core.Proc(i)
		}
	}
	b.run, err = emulate.New(setup, emulate.Config{Costs: b.costs(), Size: b.size, Weight: b.weight,
		Carry: b.carry, Observe: b.observe,
		Choose: func(r *emulate.Run, p core.Proc, list []core.Choice) (core.Choice, bool) {
			return list[0], int(p) < j.Ranks // what services may do is up to the experiment
		}})
	return b, err
}

// costs are the prices of the lab for this job.
func (b *bench) costs() emulate.Costs {
	small := emulate.Disk{Sync: 5 * milli, Small: 64 << 10}
	node, store := small, small
	node.Write, node.Read, node.Fresh = b.Local, b.Memory, b.Memory
	node.File = b.LocalFile
	store.Write, store.Read, store.File, store.Open = b.Rate, b.Rate, b.File, b.Open
	store.Crowd, store.Crowded = b.Crowd, b.Crowded
	if b.staged() {
		store.Write, store.Read = both(b.Rate, b.CopyIn), both(b.Rate, b.CopyOut)
	}
	c := emulate.Costs{Step: 5 * micro, Operation: b.Operation,
		Between: emulate.Link{Latency: 50 * micro, Rate: b.Card, Chunk: 64 << 10, Header: 66},
		Within:  emulate.Link{Latency: 10 * micro, Rate: b.Memory},
		Disk:    node, Launch: b.Launch, Stop: 20 * milli, Detect: b.Detect, Tick: second}
	for p, name := range b.setup.Layout.Names {
		if name == "store" {
			c.Disks = append(c.Disks, emulate.Own{Proc: core.Proc(p), Disk: store})
		}
	}
	return c
}

// both is the rate of what passes one after the other at two rates, of which the second may be 0,
// for no limit.
func both(first, second int64) int64 {
	if second == 0 {
		return first
	}
	return int64(1 / (1/float64(first) + 1/float64(second)))
}

// isStore reports whether a proc is the store.
func (b *bench) isStore(p core.Proc) bool { return b.setup.Layout.Name(p) == "store" }

// size is how many bytes a message has.
func (b *bench) size(m core.Message) int64 {
	e := m.(*errmgr.Message)
	switch {
	case e.Kind == errmgr.Save:
		return b.Image
	case e.Kind == errmgr.Put && e.File.Codec == sstore.None:
		return b.Image
	case e.Kind == errmgr.Put, e.Kind == errmgr.Got && !e.Missing:
		return b.packed()
	}
	return int64(len(e.Payload.Data))
}

// weight is how many bytes a record has: a file is packed in the store, and not on its node.
func (b *bench) weight(owner core.Proc, key string, value []byte) int64 {
	switch {
	case !strings.HasPrefix(key, sstore.FilePrefix) && !strings.HasPrefix(key, "move/"):
		return int64(len(value))
	case b.isStore(owner):
		return b.packed()
	}
	return b.Image
}

// carry is what it takes to copy a file, beside cards.
func (b *bench) carry(r *emulate.Run, from, to core.Proc, m core.Message) emulate.Carriage {
	e := m.(*errmgr.Message)
	if !b.staged() || e.Kind != errmgr.Put && (e.Kind != errmgr.Got || e.Missing) {
		return emulate.Carriage{}
	}
	if e.Move > 0 && !b.isStore(from) && !b.isStore(to) {
		return emulate.Carriage{} // an image goes from memory to memory
	}
	way := emulate.Carriage{Wait: b.Setup, Rate: b.Stream}
	if b.packs() && (e.Move == 0 || e.File.Codec != sstore.None) {
		switch raw := float64(b.Image) * float64(second); {
		case b.isStore(from): // the addressee unpacks
			way.Wait += time.Duration(raw / float64(b.Unpack))
		case e.Move > 0:
			way.Wait += time.Duration(raw / float64(b.Pack))
		default: // packing began when the image was there, on every node at once
			done := b.local[e.Ranks[0]] + time.Duration(raw/float64(b.Pack))
			way.Wait += max(0, done-r.Now())
		}
	}
	return way
}

// observe keeps what is about policies and snapshots.
func (b *bench) observe(r *emulate.Run, e trace.Event) {
	switch e.Kind {
	case trace.Snapped:
		if e.Text == trace.SnapLocal {
			b.local[core.Rank(e.Peer)] = r.Now()
		}
	case trace.Ruled, trace.Crashed, trace.Restored, trace.Released:
	default:
		return
	}
	m := moment{r.Now(), e}
	b.story = append(b.story, m)
	if b.seen != nil {
		b.seen(m)
	}
}

// play runs until something is seen, and says when.
func (b *bench) play(until func(moment) bool) (at time.Duration, err error) {
	found := false
	b.seen = func(m moment) {
		if !found && until(m) {
			found, at = true, m.At
			b.run.End()
		}
	}
	result, err := b.run.Run()
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, fmt.Errorf("figures: %s, %d ranks: nothing happens any more (%s) after %v",
			b.Options, b.Ranks, result.Bound, result.Elapsed)
	}
	return at, nil
}

// word reports whether a moment is an event of a snapshot or ruling.
func (m *moment) word(kind trace.Kind, text string) bool {
	if m.Kind != kind {
		return false
	}
	word, _ := trace.RuleOf(m.Text)
	return word == text
}

// last is the newest moment of an event.
func (b *bench) last(kind trace.Kind, text string) (at time.Duration, ok bool) {
	for _, m := range b.story {
		if m.word(kind, text) {
			at, ok = m.At, true
		}
	}
	return at, ok
}
