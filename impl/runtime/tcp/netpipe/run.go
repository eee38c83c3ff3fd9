package netpipe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// Instructions are what a process is told.
type Instructions struct {
	Rank       core.Rank          `json:"rank"`  // behind the ranks, their services
	Procs      int                `json:"procs"` // processes
	Plan       Plan               `json:"plan"`
	Congestion string             `json:"congestion"` // of TCP; "" leaves the choice to the mesh
	Bind       bool               `json:"bind"`       // to a core for each process
	Secret     []byte             `json:"secret"`
	Meetings   map[string]Meeting `json:"meetings"` // by link
}

// Meeting is where the processes find each other for one link.
type Meeting struct {
	Run     mesh.Run `json:"run"`
	Address string   `json:"address"`
}

// timeout bounds everything that is not a measurement.
const timeout = 30 * time.Second

// process is one of them.
type process struct {
	Instructions
	setup  Setup
	pool   *buffer.Pool
	meshes map[string]*mesh.Mesh
	setups map[string]*core.Setup
	buffer []byte // what is sent, by raw and by programs with bytes of their own
	before runtime.MemStats
	after  runtime.MemStats
}

// Setup makes the protocol of a case for so many ranks.
type Setup func(name string, ranks int) (*core.Setup, error)

// Run is the whole life of one process. Rank 0 writes its results, a line of JSON
// each. The calling goroutine is locked to its thread.
func Run(ctx context.Context, in Instructions, setup Setup, out io.Writer) (err error) {
	if err := mesh.Supported(runtime.GOOS); err != nil {
		return err
	}
	if err := in.Plan.Validate(); err != nil {
		return err
	}
	runtime.LockOSThread()
	if in.Bind && in.Rank < 2 && in.Plan.Ranks() <= runtime.NumCPU() {
		bind(int(in.Rank))
	}
	p := &process{Instructions: in, setup: setup, pool: new(buffer.Pool),
		meshes: map[string]*mesh.Mesh{}, setups: map[string]*core.Setup{}}
	defer func() { p.disconnect(err) }()
	for _, l := range in.Plan.Links {
		if err := p.connect(ctx, l); err != nil {
			return err
		}
	}
	if err := p.prepare(); err != nil {
		return err
	}
	p.buffer = p.pool.Get(slices.Max(in.Plan.Sizes)) // there is one, the plan says
	encoder := json.NewEncoder(out)
	for _, s := range in.Plan.samples() {
		if int(in.Rank) >= in.Plan.Ranks() {
			if err := p.serve(s); err != nil {
				return fmt.Errorf("netpipe: service of rank %d: %s, %s, %d bytes: %w", in.Rank-2,
					s.link, s.name, s.size, err)
			}
			continue
		}
		result, err := p.measure(s)
		if err != nil {
			return fmt.Errorf("netpipe: rank %d: %s, %s, %d bytes: %w", in.Rank, s.link, s.name,
				s.size, err)
		}
		if in.Rank == 0 {
			if err := encoder.Encode(result); err != nil {
				return err
			}
		}
	}
	if int(in.Rank) >= in.Plan.Ranks() {
		p.attend()
	}
	return nil
}

// disconnect closes the meshes in one order, as each waits for the goodbye of the others; after an
// error nobody waits.
func (p *process) disconnect(err error) {
	for _, l := range p.Plan.Links {
		m := p.meshes[l]
		if m == nil {
			continue
		}
		limit := timeout
		if err != nil {
			limit = 0
		}
		m.Close(limit)
	}
}

// prepare makes the setups of all cases, and memory for their logs.
func (p *process) prepare() (err error) {
	if p.Plan.Ring == 0 { // the processes of a ring are many
		p.pool.Reserve(2 * logLimit)
	}
	for _, name := range p.Plan.Cases {
		if name == Raw {
			continue
		}
		protocol, _ := Protocol(name)
		if p.setups[name], err = p.setup(protocol, p.Plan.Ranks()); err != nil {
			return err
		}
		if _, ok := p.setups[name].NewMessage().(core.Framed); !ok {
			return fmt.Errorf("netpipe: %s has no fixed layout for its data messages yet", name)
		}
	}
	return nil
}

// connect joins the process with its neighbours over one kind of link.
func (p *process) connect(ctx context.Context, name string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	meeting := p.Meetings[name]
	id := mesh.Identity{Run: meeting.Run, Secret: p.Secret, Self: p.Rank.Proc()}
	m, err := mesh.New(mesh.Config{Identity: id, Procs: p.Procs, Listener: l, Pool: p.pool,
		Limit: MaxSize, Private: name == TCP, Lend: true,
		Patience: mesh.PatienceFor(p.Procs, runtime.NumCPU()), Congestion: p.Congestion})
	if err != nil {
		l.Close()
		return err
	}
	p.meshes[name] = m
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	table, err := mesh.Register(ctx, meeting.Address, id, l.Addr().String())
	if err != nil {
		return err
	}
	others := p.neighbours(p.Procs)
	m.Dial(slices.DeleteFunc(mesh.Below(table, id.Self), func(a mesh.Address) bool {
		return !slices.Contains(others, a.Proc)
	}), timeout)
	if err := m.Gather(others, timeout); err != nil {
		return err
	}
	for n, ok := m.Notice(); ok; n, ok = m.Notice() {
		if n.Event == mesh.Up && n.Shared != (name == Shared) {
			return fmt.Errorf("netpipe: rank %d: the processes can not share memory", p.Rank)
		}
	}
	return nil
}

// measure takes one sample.
func (p *process) measure(s sample) (Result, error) {
	trips := p.Plan.trips(s.link, s.size)
	warm := warmUp(trips)
	r := Result{Link: s.link, Case: s.name, Bytes: s.size, Round: s.round, Trips: trips}
	var elapsed time.Duration
	var err error
	if s.name == Raw {
		elapsed, err = p.raw(p.meshes[s.link], p.buffer[:s.size], warm, trips)
	} else {
		elapsed, err = p.machine(s, warm, trips)
	}
	messages := 2 * trips // of this process, sent and received
	r.Allocated = float64(p.after.TotalAlloc-p.before.TotalAlloc) / float64(messages)
	if r.Nanos = float64(elapsed.Nanoseconds()) / float64(messages); p.Plan.Ring > 0 {
		r.Nanos *= 2
	}
	return r, err
}

// raw sends over the mesh alone.
func (p *process) raw(m *mesh.Mesh, payload []byte, warm, trips int) (time.Duration, error) {
	var a mesh.Arrival
	var began time.Time
	next := (p.Rank + 1) % core.Rank(p.Plan.Ranks())
	for n := range warm + trips {
		if n == warm {
			began = p.begin()
		}
		for turn := range max(1, p.Plan.Stream) + 1 {
			if (turn < max(1, p.Plan.Stream)) == (p.Rank == 0) {
				m.Send(next.Proc(), frame.Data, 0, nil, payload)
				m.Flush()
				continue
			}
			what := m.Next(&a, timeout)
			for what == mesh.Notified {
				n, _ := m.Notice()
				if err := ended(n); err != nil {
					return 0, err
				}
				what = m.Next(&a, timeout)
			}
			if what != mesh.Frame {
				return 0, fmt.Errorf("nothing came in %v", timeout)
			}
			if len(a.Payload) != len(payload) {
				return 0, fmt.Errorf("a message of %d bytes came, want %d", len(a.Payload),
					len(payload))
			}
			p.pool.Put(a.Payload)
		}
	}
	elapsed := p.end(began)
	drain(m)
	return elapsed, nil
}

// machine sends as a rank of a protocol does.
func (p *process) machine(s sample, warm, trips int) (time.Duration, error) {
	setup := p.setups[s.name]
	rank, err := newPinger(setup, p.Rank, p.buffer[:s.size], warm+trips)
	if err != nil {
		return 0, err
	}
	_, rank.habit = Protocol(s.name)
	n, b, err := p.machineNode(p.meshes[s.link], setup, rank)
	if err != nil {
		return 0, err
	}
	rank.use(n.Buffers())
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		return 0, err
	}
	var began time.Time
	for rank.left > 0 {
		if began.IsZero() && rank.left <= 2*trips {
			began = p.begin()
		}
		if came, err := n.Turn(timeout); err != nil {
			return 0, err
		} else if !came && len(rank.Choices(nil)) == 0 {
			return 0, fmt.Errorf("nothing came in %v", timeout)
		}
	}
	elapsed := p.end(began)
	if err := b.end(n, timeout); err != nil {
		return 0, err
	}
	drain(b)
	n.Release()
	return elapsed, nil
}

// drain waits until what was sent is written. It receives nothing: the other side may have begun
// the next sample.
func drain(m node.Transport) {
	for m.MostQueued() > 0 {
		m.Flush()
	}
}

// ended is the error of a notice. A process that has done its part of a ring may leave before the
// last message has come round.
func ended(n mesh.Notice) error {
	if n.Event == mesh.Left {
		return nil
	}
	return fmt.Errorf("proc %d is %s: %v", n.Proc, n.Event, n.Err)
}

// begin starts the clock.
func (p *process) begin() time.Time {
	if p.Rank == 0 {
		runtime.ReadMemStats(&p.before)
	}
	return time.Now()
}

// end stops it.
func (p *process) end(began time.Time) time.Duration {
	elapsed := time.Since(began)
	if p.Rank == 0 {
		runtime.ReadMemStats(&p.after)
	}
	return elapsed
}
