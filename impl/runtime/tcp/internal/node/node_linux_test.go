package node_test

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	house "github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"

	"go.uber.org/goleak"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/spec/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const forever = time.Minute

// setup prepares a protocol of the catalog for programs; for HydEE the first two ranks share a
// cluster.
func setup(t testing.TB, protocol, program string) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: names, Ranks: len(names)}
	for r := range names {
		if protocol == "hydee" {
			r = max(0, r-1)
		}
		layout.Clusters = append(layout.Clusters, r)
	}
	p, err := all.Protocols().Find(protocol)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Setup(house.Request{Layout: layout, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cluster runs every proc of a setup as a thread with a mesh of its own, until all programs have
// ended, and returns their digests and what the nodes counted. The configuration may be changed
// first.
func cluster(t testing.TB, s *core.Setup, private bool, set func(*node.Config)) ([]uint64,
	[]node.Counts) {
	t.Helper()
	procs := len(s.Layout.Names)
	id := mesh.NewIdentity()
	meshes, table := make([]*mesh.Mesh, procs), make([]mesh.Address, procs)
	pools := make([]*buffer.Pool, procs)
	for p := range meshes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		id.Self, pools[p] = trace.Proc(p), new(buffer.Pool)
		if meshes[p], err = mesh.New(mesh.Config{Identity: id, Procs: procs, Listener: l,
			Pool: pools[p], Private: private,
			Patience: mesh.Patience{Yield: 200 * time.Microsecond}, Ring: 64 << 10}); err != nil {
			t.Fatal(err)
		}
		table[p] = mesh.Address{Proc: id.Self, Host: l.Addr().String()}
	}
	digests, counts := make([]uint64, s.Layout.Ranks), make([]node.Counts, procs)
	var running atomic.Int32
	running.Store(int32(s.Layout.Ranks))
	var threads sync.WaitGroup
	for p, m := range meshes {
		c := node.Config{Proc: core.Proc(p), Procs: procs, Machine: s.New(core.Proc(p)),
			NewMessage: s.NewMessage, Mesh: m, Pool: pools[p]}
		if set != nil {
			set(&c)
		}
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer m.Close(forever)
			m.Dial(mesh.Below(table, c.Proc), forever)
			wake := func() {
				for _, m := range meshes {
					m.Wake()
				}
			}
			err := drive(c, m, procs, func() {
				if running.Add(-1) == 0 {
					wake()
				}
			}, &running, &counts[p])
			if err != nil {
				t.Error(err)
				running.Store(0)
				wake()
			}
			if p < len(digests) {
				digests[p] = c.Machine.(*program.Host).History().Digest
			}
		})
	}
	threads.Wait()
	return digests, counts
}

// drive waits until all are connected and runs one proc until all programs have ended.
func drive(c node.Config, m *mesh.Mesh, procs int, ended func(), running *atomic.Int32,
	counts *node.Counts) error {
	var all []trace.Proc
	for p := range trace.Proc(procs) {
		all = append(all, p)
	}
	if err := m.Gather(all, forever); err != nil {
		return err
	}
	n, err := node.New(c)
	if err != nil {
		return err
	}
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		return err
	}
	for told := false; running.Load() > 0; {
		if n.Done() && !told {
			told = true
			ended()
			continue
		}
		if _, err := n.Turn(time.Second); err != nil {
			return err
		}
	}
	*counts = n.Counts()
	return nil
}

const ring = "a: loop 40; send b; recv d; send c; recv c; end; output\nb: loop 40; recv a; send " +
	"c; end\n" +
	"c: loop 40; recv b; send d; recv a; send a; end; output\nd: loop 40; recv c; send a; end"

// TestProtocols runs a program under every protocol that has programs, unchanged, over connections
// and over shared memory; the digests of all ranks must be those of a run by hand, one step at a
// time, without a protocol and without a network.
func TestProtocols(t *testing.T) {
	want := byHand(t, setup(t, "none", ring))
	for i, protocol := range []string{"none", "hydee", "causal", "camel", "sbml", "rbml", "hmpl"} {
		t.Run(protocol, func(t *testing.T) {
			got, counts := cluster(t, setup(t, protocol, ring), i%2 == 0, nil)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("digests %x, want %x", got, want)
			}
			if counts[0].Frames == 0 || counts[0].Encoded > 0 || counts[0].Lost > 0 {
				t.Errorf("counts %+v, want all messages in the fixed layout", counts[0])
			}
		})
	}
}

// byHand runs programs step by step, each message arriving when it is sent.
func byHand(t testing.TB, s *core.Setup) []uint64 {
	machines := make([]core.Machine, s.Layout.Ranks)
	var step func(p core.Proc, in core.Input)
	step = func(p core.Proc, in core.Input) {
		for _, e := range machines[p].Step(in, nil) {
			if e.Kind == core.SendMessage {
				m := s.NewMessage()
				if err := core.Decode(core.Encode(e.Message), m); err != nil {
					t.Fatal(err)
				}
				step(e.To, core.Input{Kind: core.Received, From: p, Message: m})
			}
		}
	}
	for p := range machines {
		machines[p] = s.New(core.Proc(p))
		step(core.Proc(p), core.Input{Kind: core.Start})
	}
	for busy := true; busy; {
		busy = false
		for p, m := range machines {
			if choices := m.Choices(nil); len(choices) > 0 {
				step(core.Proc(p), core.Input{Kind: core.Advance, Choice: choices[0]})
				busy = true
			}
		}
	}
	var digests []uint64
	for _, m := range machines {
		digests = append(digests, m.(*program.Host).History().Digest)
	}
	return digests
}

// flood is a transport on which rank 1 has always sent one more message, and on which as much is
// queued as the test says.
type flood struct {
	node.Transport
	pool          *buffer.Pool
	queued, given int
	paused        bool
	message       func(k int) core.Framed // nil: without a protocol
}

func (f *flood) Send(core.Proc, frame.Kind, uint8, []byte, []byte) bool { return true }
func (f *flood) Flush()                                                 {}
func (f *flood) Borrowed() bool                                         { return false }
func (f *flood) MostQueued() int                                        { return f.queued }
func (f *flood) Pause(_ core.Proc, paused bool)                         { f.paused = paused }

func (f *flood) Next(a *mesh.Arrival, _ time.Duration) mesh.What {
	if f.paused {
		return mesh.Nothing
	}
	f.given++
	var m core.Framed = &none.Message{Payload: core.Payload{
		ID: core.MsgID{From: 1, Number: uint32(f.given)}}}
	if f.message != nil {
		m = f.message(f.given)
	}
	extra, _ := m.AppendHeader(nil)
	a.Arrival = link.Arrival{Header: frame.Header{Kind: frame.Data}, Extra: extra,
		Payload: f.pool.Get(8)}
	a.From = 1
	return mesh.Frame
}

// TestBackPressure stops a program by a full queue to one peer while another floods it: the flood
// is paused at its limit; when nothing moves for long, one more message is heard at a time; when
// the queue is empty, the program goes on and the flood, too.
func TestBackPressure(t *testing.T) {
	s := setup(t, "none", "a: send c; loop 500; recv b; end\nb: loop 500; send a; end\nc: recv a")
	f := &flood{pool: new(buffer.Pool), queued: 1001}
	n, err := node.New(node.Config{Procs: 3, Machine: s.New(0), NewMessage: s.NewMessage, Mesh: f,
		Pool:     f.pool,
		OutLimit: 1000, InLimit: 40 * 8, StuckAfter: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		t.Fatal(err)
	}
	turn := func(limit time.Duration) {
		t.Helper()
		if _, err := n.Turn(limit); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		turn(0)
	}
	if f.given != 41 {
		t.Fatalf("heard %d messages before the pause, want 41", f.given)
	}
	for range 20 {
		turn(-1)
	}
	if f.given <= 41 || f.given > 61 {
		t.Fatalf("heard %d messages while stuck, want a few more than 41", f.given)
	}
	f.queued = 0
	for range 5000 {
		if !n.Done() {
			turn(0)
		}
	}
	if !n.Done() || f.given > 500+61 {
		t.Errorf("ended: %v, after %d messages", n.Done(), f.given)
	}
}

// TestEverybodySends runs a program that needs channels without a bound, all sending everything
// before they receive anything, with bounds that are far too small: it must end all the same,
// because a machine was checked with such channels.
func TestEverybodySends(t *testing.T) {
	const n = 1100
	program := fmt.Sprintf("a: loop %d; send b; send c; end; loop %d; recv b; recv c; end\n", n,
		n) +
		fmt.Sprintf("b: loop %d; send c; send a; end; loop %d; recv c; recv a; end\n", n, n) +
		fmt.Sprintf("c: loop %d; send a; send b; end; loop %d; recv a; recv b; end", n, n)
	s := setup(t, "hydee", program)
	want := byHand(t, setup(t, "none", program))
	got, _ := cluster(t, s, false, func(c *node.Config) { // rings hold a thousand such messages
		c.OutLimit, c.InLimit, c.StuckAfter = 1, 8, time.Microsecond
	})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("digests %x, want %x", got, want)
	}
}

// TestErrors breaks a node in every way that it must report.
func TestErrors(t *testing.T) {
	if _, err := node.New(node.Config{}); err == nil {
		t.Error("a node without anything was made")
	}
	full := errors.New("disk full")
	for _, tt := range []struct {
		name    string
		machine core.Machine
		store   node.Store
		check   func(error) bool
	}{
		{"halt", says{core.Halted("no image")}, nil, func(err error) bool {
			var halt *node.HaltError
			return errors.As(err, &halt) && halt.Reason == "no image"
		}},
		{"rollback", says{core.Effect{Kind: core.Rollback}}, nil, func(err error) bool {
			return errors.Is(err, node.ErrRollback)
		}},
		{"disk full", says{core.Effect{Kind: core.Persist, Key: "image/1", Value: []byte{1}}},
			broken{full},
			func(err error) bool {
				return errors.Is(err, full) && strings.Contains(err.Error(), "proc 0 inc 3")
			}},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		pool := new(buffer.Pool)
		m, err := mesh.New(mesh.Config{Identity: mesh.NewIdentity(), Procs: 1, Listener: l,
			Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		n, err := node.New(node.Config{Life: 3, Procs: 1, Machine: tt.machine,
			NewMessage: setup(t, "none", ring).NewMessage, Mesh: m, Pool: pool, Store: tt.store})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Input(core.Input{Kind: core.Start}); !tt.check(err) {
			t.Errorf("%s: %v", tt.name, err)
		}
		m.Close(0)
	}
}

// says is a machine that answers everything with one effect.
type says struct{ effect core.Effect }

func (m says) Step(_ core.Input, out []core.Effect) []core.Effect { return append(out, m.effect) }
func (m says) State() []any                                       { return nil }
func (m says) Choices(buf []core.Choice) []core.Choice            { return buf }

// broken is a store that does not work.
type broken struct{ err error }

func (b broken) Put(string, []byte) error { return nil }
func (b broken) Delete(string) error      { return nil }
func (b broken) Commit() error            { return b.err }

func (b broken) Get(string) ([]core.Record, error) { return nil, b.err }

// alone is the mesh of a process that has no others.
func alone(t *testing.T) (*mesh.Mesh, *buffer.Pool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pool := new(buffer.Pool)
	m, err := mesh.New(mesh.Config{Identity: mesh.NewIdentity(), Procs: 1, Listener: l, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close(0) })
	return m, pool
}

// TestTimer sets a timer from a machine and waits for its tick.
func TestTimer(t *testing.T) {
	m, pool := alone(t)
	machine := &alarm{}
	n, err := node.New(node.Config{Procs: 1, Machine: machine,
		NewMessage: setup(t, "none", ring).NewMessage, Mesh: m, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		t.Fatal(err)
	}
	for len(machine.rang) < 3 {
		if _, err := n.Turn(forever); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(machine.rang, " "); got != "soon later later" {
		t.Errorf("rang %q, want soon, later, later", got)
	}
}

// alarm sets three timers and notes which fire.
type alarm struct{ rang []string }

func (m *alarm) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		for _, e := range []core.Effect{{Timer: "later", Ticks: 2}, {Timer: "soon", Ticks: 1},
			{Timer: "later", Ticks: 2}} {
			e.Kind = core.SetTimer
			out = append(out, e)
		}
	case core.Tick:
		m.rang = append(m.rang, in.Timer)
	}
	return out
}

func (m *alarm) State() []any                            { return nil }
func (m *alarm) Choices(buf []core.Choice) []core.Choice { return buf }
