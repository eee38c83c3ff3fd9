package netpipe

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/spec/trace"
)

// Procs is how many processes a case needs: a protocol that keeps logs and images in the memory of
// others has a service for each rank, behind the ranks, that talks to that rank alone. Any other
// service has nothing to do while nobody fails, and is left out.
func Procs(s *core.Setup) int {
	if s.Promises.KeepsLines {
		return 2 * s.Layout.Ranks
	}
	return s.Layout.Ranks
}

// neighbours are those with whom a process is connected, if there are so many.
func neighbours(self core.Proc, procs int) (list []trace.Proc) {
	if self < 2 {
		list = append(list, 1-self)
		if int(self)+2 < procs {
			list = append(list, self+2)
		}
		return list
	}
	return []trace.Proc{self - 2}
}

// neighbours are those with whom this process is connected; in a ring that is the next rank and the
// last.
func (p *process) neighbours(procs int) []trace.Proc {
	self, ranks := p.Rank.Proc(), trace.Proc(p.Plan.Ranks())
	next, last := (self+1)%ranks, (self+ranks-1)%ranks
	switch {
	case p.Plan.Ring == 0:
		return neighbours(self, procs)
	case next == last:
		return []trace.Proc{next}
	}
	return []trace.Proc{last, next}
}

// rounds is how often neighbours tell each other that a sample is over before it is. What a
// delivery causes is over by then: it goes to the logger, back to the receiver, and to the sender,
// and each round is behind one of these ways.
const rounds = 4

// barrier is the mesh of a sample as its node sees it, and what ends the sample at the same time
// for all.
type barrier struct {
	node.Transport
	others []trace.Proc
	procs  int // that take part: others may be there for other samples
	heard  [rounds]int
}

// Send leaves out what is for services that do not take part: they would take it for a message of
// their own sample.
func (b *barrier) Send(to core.Proc, kind frame.Kind, note uint8, extra, payload []byte) bool {
	return int(to) < b.procs && b.Transport.Send(to, kind, note, extra, payload)
}

func (b *barrier) Next(a *mesh.Arrival, limit time.Duration) mesh.What {
	what := b.Transport.Next(a, limit)
	if what != mesh.Frame || a.Header.Kind != frame.Beat {
		return what
	}
	b.heard[a.Header.Note]++
	if a.Header.Note == rounds-1 {
		b.Pause(a.From, true) // what follows belongs to the next sample
	}
	return mesh.Woken
}

// end goes on with the node until the sample is over for everybody with whom it is connected.
func (b *barrier) end(n *node.Node, limit time.Duration) error {
	for round := range rounds {
		for n.Postpones() { // else the copy for a logger comes behind the round
			if _, err := n.Turn(0); err != nil {
				return err
			}
		}
		for _, q := range b.others {
			b.Send(q, frame.Beat, uint8(round), nil, nil)
		}
		b.Flush()
		if err := b.await(n, round, limit); err != nil {
			return err
		}
	}
	for _, q := range b.others {
		b.Pause(q, false)
	}
	return nil
}

func (b *barrier) await(n *node.Node, round int, limit time.Duration) error {
	for b.heard[round] < len(b.others) {
		if came, err := n.Turn(limit); err != nil {
			return err
		} else if !came && limit >= 0 {
			return fmt.Errorf("nothing came in %v", limit)
		}
	}
	return nil
}

// machineNode makes the node of a machine for a sample.
func (p *process) machineNode(m *mesh.Mesh, s *core.Setup, machine core.Machine) (*node.Node,
	*barrier, error) {
	b := &barrier{Transport: m, others: p.neighbours(Procs(s)), procs: Procs(s)}
	if p.Plan.Card > 0 {
		b.Transport = &card{Mesh: m, rate: float64(p.Plan.Card) / 8}
	}
	n, err := node.New(node.Config{Proc: p.Rank.Proc(), Procs: len(s.Layout.Names),
		Machine: machine, NewMessage: s.NewMessage, Mesh: b, Pool: p.pool,
		Notices: ended})
	return n, b, err
}

// serve runs the service of a rank for one sample. It waits for its rank, however long that has
// other things to measure.
func (p *process) serve(s sample) error {
	setup := p.setups[s.name]
	if setup == nil || int(p.Rank) >= Procs(setup) {
		return nil
	}
	n, b, err := p.machineNode(p.meshes[s.link], setup, setup.New(p.Rank.Proc()))
	if err != nil {
		return err
	}
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		return err
	}
	if err := b.await(n, 0, -1); err != nil {
		return err
	}
	if err := b.end(n, timeout); err != nil {
		return err
	}
	drain(b)
	n.Release()
	return nil
}

// attend waits until the rank of a service has ended; it closes the first link first.
func (p *process) attend() {
	var a mesh.Arrival
	for p.meshes[p.Plan.Links[0]].Next(&a, -1) != mesh.Notified {
	}
}
