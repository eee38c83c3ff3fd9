package kernels_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/scenarios"
)

// packet is a message on its way: in its fixed layout with a payload, or by the codec.
type packet struct {
	fixed         bool
	header, bytes []byte
}

// pack puts a message on the network, in its fixed layout if that is wanted and there is one.
func pack(m core.Message, fixed bool) packet {
	if f, ok := m.(core.Framed); ok && fixed {
		if header, ok := f.AppendHeader(nil); ok {
			return packet{fixed: true, header: header, bytes: bytes.Clone(f.Content().Data)}
		}
	}
	return packet{bytes: core.Encode(m)}
}

// unpack takes it off again. Like a driver, it has one message for each proc that all in the fixed
// layout come in.
func (c *crashes) unpack(p packet, key [2]core.Proc) core.Message {
	if p.fixed {
		r := c.reuse[key[1]]
		if r.scratch == nil {
			r.scratch = c.setup.NewMessage().(core.Framed)
		}
		if err := r.scratch.ParseHeader(p.header, key[0]); err != nil {
			panic(err)
		}
		r.scratch.Content().Data = p.bytes
		r.framed++
		return r.scratch
	}
	m := c.setup.NewMessage()
	if err := core.Decode(p.bytes, m); err != nil {
		panic(err)
	}
	return m
}

// reuse is a driver's end of the data path of one proc at its strictest: whatever may be used again
// is overwritten at the first moment at which that is allowed, so that whoever still refers to it
// is found: in its state, or by what it sends.
type reuse struct {
	// the programs have one, which says when it is done with a payload; of another program the
	// effects tell
	kernel   bool
	machine  core.Machine
	recycler core.Recycler
	scratch  core.Framed
	done     [][]byte            // by the program in this step
	kept     map[*byte]keptBytes // logs read it, no more; see Keep

	framed, sent, received, freed int
}

// keptBytes is bytes of a log, and what they were when it got them: another log, or the program,
// may have the same ones.
type keptBytes struct{ now, then []byte }

// check reports a log that writes to what it only reads.
func (k keptBytes) check() {
	if !bytes.Equal(k.now, k.then) {
		panic("bytes that are kept to be read have changed")
	}
}

// lend begins a life.
func (r *reuse) lend(m core.Machine) {
	r.machine, r.recycler, r.kept, r.done = m, core.RecyclerOf(m), map[*byte]keptBytes{}, nil
	if h, ok := m.(interface{ Tune(core.Buffers, bool) }); ok {
		h.Tune(r, false)
	}
	if r.recycler != nil {
		r.recycler.UseMemory(r)
	}
}

// spoiled is what is written over bytes that may be used again.
var spoiled = bytes.Repeat([]byte{0xdd}, 1<<16)

// spoil overwrites.
func spoil(data []byte) {
	if len(data) >= 8 && bytes.Equal(data, spoiled[:len(data)]) {
		panic("bytes are given back twice")
	}
	copy(data, spoiled)
}

// Keep implements core.Memory.
func (r *reuse) Keep(data []byte) []byte {
	now := bytes.Clone(data)
	if len(now) > 0 {
		r.kept[&now[0]] = keptBytes{now, bytes.Clone(data)}
	}
	return now
}

// Copy implements core.Memory.
func (r *reuse) Copy(data []byte) []byte { return bytes.Clone(data) }

// Free implements core.Memory.
func (r *reuse) Free(data []byte) {
	if len(data) > 0 {
		r.freed++
		r.kept[&data[0]].check()
		delete(r.kept, &data[0])
		spoil(data)
	}
}

// Get implements core.Buffers.
func (r *reuse) Get(size int) []byte { return make([]byte, size) }

// Done implements core.Buffers.
func (r *reuse) Done(data []byte) {
	if r.recycler != nil && !r.recycler.Holding() {
		r.done = append(r.done, data)
	}
}

// after is the end of a step.
func (r *reuse) after(effects []core.Effect) {
	if r.recycler == nil {
		return
	}
	r.recycler.Settle()
	for _, e := range effects {
		switch e.Kind {
		case core.ProgramSent:
			r.sent++
			spoil(e.Payload.Data)
		case core.Deliver:
			if !r.kernel && !r.recycler.Holding() {
				r.received++
				spoil(e.Payload.Data)
			}
		}
	}
	for _, data := range r.done {
		r.received++
		spoil(data)
	}
	r.done = r.done[:0]
	if bytes.Contains(core.EncodeState(r.machine), spoiled[:8]) {
		panic("the state refers to bytes that may be used again")
	}
}

// tried runs a setup and says how it ended; a run that stops, because the failure is too much for
// the protocol, says where.
func tried(t testing.TB, setup *core.Setup, seed uint64, victim core.Proc, after int,
	tight bool) (c *crashes, end string) {
	c = newCrashes(setup, seed)
	if tight {
		for range setup.Layout.Names {
			c.reuse = append(c.reuse, &reuse{kernel: len(setup.Programs[0]) > 0 &&
				setup.Programs[0][0].Kind == core.OpBegin})
		}
	}
	defer func() {
		if failure := recover(); failure != nil {
			end = fmt.Sprintf("step %d: %v", c.steps, failure)
		}
	}()
	c.run(t, victim, after)
	for _, r := range c.reuse {
		for _, k := range r.kept {
			k.check()
		}
	}
	return c, fmt.Sprintf("%d steps, digests %x", c.steps, c.digests)
}

// reused are kernels and other programs in the words of scenarios.
func reused(t testing.TB, protocol string) (list []*scenarios.Scenario) {
	const semi = "options: mode=semi\nclusters: r0 r1 | r2"
	options := map[string][]string{"hmpl": {"", "options: buffer=1 memory=2\n",
		"options: memory=40B full=checkpoint\n", semi},
		"rbml": {"", "options: memory=1\n", semi}}[protocol]
	if options == nil {
		options = []string{""}
	}
	for _, text := range []string{"ring ranks=3 size=20 iterations=4",
		"heat ranks=4 n=4 iterations=6 checkpoint=2", "heat ranks=6 n=7 receives=any checkpoint=2",
		"matmul-dynamic ranks=4 n=3 blocks=2",
		"bt ranks=4 n=6 iterations=2 checkpoint=1", "lu ranks=4 n=5 iterations=3 checkpoint=1",
		"smg ranks=4 edge=5 iterations=3 checkpoint=1",
		"openatom ranks=4 row=2 iterations=3 arity=1 direct=0",
		"openatom ranks=8 row=4 iterations=3 size=72", "leanmd ranks=4 cx=2 cy=2 iterations=3"} {
		for _, o := range options {
			if refused(protocol, text) {
				continue
			}
			if o == semi {
				suite, err := kernels.Build(text)
				if err != nil {
					t.Fatal(err)
				}
				o += " " + strings.Join(suite.Names[3:], " ") + "\n"
			}
			s, err := scenarios.Parse("k.txtar",
				[]byte("t\n-- scenario --\nprotocol: "+protocol+"\n"+o+
					"program: kernel "+text+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
	}
	all, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Protocol == protocol {
			list = append(list, s)
		}
	}
	return list
}

// TestReuse runs kernels and the programs of all scenarios over every protocol, with a crash, twice
// with the same choices: once leaving all bytes where they are, with all messages by the codec, and
// once with fixed layouts, overwriting all that the layers allow as soon as they do. No state may
// refer to what was overwritten, and both runs must end in the same way.
func TestReuse(t *testing.T) {
	for _, protocol := range effort.Of([]string{"none", "rbml"},
		[]string{"none", "hydee", "causal", "camel", "sbml", "rbml", "hmpl",
			"radic-sbml", "radic-rbml", "radic-hmpl"}) {
		var framed, sent, received, freed, ended int
		for i, s := range reused(t, protocol) {
			r, err := verify.Resolve(all.Protocols(), s)
			if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			seeds := effort.Of[uint64](2, 3)
			if r.Setup.Watchdogs {
				seeds = 1
			}
			for seed := range seeds {
				want, _ := tried(t, r.Setup, seed, 0, -1, false)
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				victim, after := core.Proc(rng.IntN(len(r.Setup.Layout.Names))),
					rng.IntN(want.steps+1)
				// this driver does not know who adopts whom
				if protocol == "none" || r.Setup.Watchdogs || seed == 0 {
					after = -1
				}
				_, end := tried(t, r.Setup, seed, victim, after, false)
				got, tight := tried(t, r.Setup, seed, victim, after, true)
				if tight != end {
					t.Errorf("%s: %s: seed %d, %s crashes after step %d: reused %s, want %s",
						protocol, s.Name, seed, r.Setup.Layout.Names[victim], after, tight, end)
				}
				if len(got.digests) == r.Setup.Layout.Ranks {
					ended++
				}
				for _, u := range got.reuse {
					framed, sent, received, freed = framed+u.framed, sent+u.sent,
						received+u.received, freed+u.freed
				}
			}
		}
		t.Logf("%s: %d runs ended, %d messages in fixed layouts, overwritten %d sent, %d "+
			"received, %d freed", protocol, ended, framed, sent, received, freed)
		if logs := protocol != "none"; ended < 10 || framed < 1000 || sent < 500 ||
			received < 500 || logs && freed < 100 {
			t.Errorf("%s: that shows little", protocol)
		}
	}
}
