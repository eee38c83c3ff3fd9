package cluster

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/spec/fault"
)

// Procs that are started and stopped by others, the daemons of their nodes (core.Setup.Launched).
// A daemon only gives the order: the processes belong to the supervisor.

// site is on whose node a proc runs.
type site uint32

// nowhere is where a proc runs that has no node.
const nowhere site = 0

func siteOf(node core.Proc) site { return site(node) + 1 }

func (s site) proc() core.Proc { return core.Proc(s - 1) }

// nodeDir is the folder of a node, with the disks of its daemon and of all that runs on it, and
// what it starts others with. It lives and dies with the node; the evidence is elsewhere.
func nodeDir(dir string, node core.Proc) string {
	return filepath.Join(dir, fmt.Sprintf("n%03d", node))
}

// ticket is an order to start a proc. The record that it is restored with is in a file on the node,
// as it may be large.
type ticket struct {
	By   core.Proc `json:"by"`
	Key  string    `json:"key"`
	File string    `json:"file"`
	Size int       `json:"size"`
	Sum  uint32    `json:"sum"`
}

// launch hands the supervisor the order to start a proc.
func (l *life) launch(e *core.Effect) error {
	l.serial++
	dir := nodeDir(l.in.Dir, l.in.Proc)
	t := ticket{By: l.in.Proc, Key: e.Key, Size: len(e.Value),
		File: filepath.Join(dir, fmt.Sprintf("launch-%d-%d-%d", e.To, l.in.Life, l.serial)),
		Sum:  crc32.Checksum(e.Value, castagnoli)}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = os.WriteFile(t.File, e.Value, 0o666)
	}
	if err != nil {
		return fmt.Errorf("cluster: proc %d is not launched: %w", e.To, err)
	}
	l.say(answer{Kind: saidLaunch, Proc: e.To, Ticket: &t})
	return nil
}

// launched is the record that a life is started with.
func (l *life) launched() ([]core.Record, error) {
	t := l.in.Launch
	value, err := os.ReadFile(t.File)
	if err != nil {
		return nil, fmt.Errorf("launched by proc %d: %w", t.By, err)
	}
	if len(value) != t.Size || crc32.Checksum(value, castagnoli) != t.Sum {
		return nil, fmt.Errorf("launched by proc %d: %s is not what it has written", t.By, t.File)
	}
	return []core.Record{{Owner: t.By, Key: t.Key, Value: value}}, nil
}

// launches reports whether a proc starts again only when somebody launches it.
func (s *supervisor) launches(p core.Proc) bool {
	_, placed := s.setup.Layout.Hosted[p]
	return placed && s.setup.Launched
}

// firstSite is where the disk of a proc is in its first life: that of a daemon, or of who runs on
// its node, is in the folder of the node.
func (s *supervisor) firstSite(p core.Proc) site {
	l := &s.setup.Layout
	switch {
	case !s.setup.Launched:
		return nowhere
	case int(p) < len(l.Nodes):
		return siteOf(l.Nodes[p])
	case slices.Contains(s.setup.Local, p) || slices.Contains(l.Nodes, p):
		return siteOf(p)
	}
	return nowhere
}

// place decides where a life runs and where its disk is.
func (s *supervisor) place(p *proc, in *instructions) {
	if p.life > 0 {
		if in.Launch = s.ordered(p); in.Launch != nil {
			p.on, in.Node = siteOf(in.Launch.By), in.Launch.By
		} else if node, ok := s.node(p.id); ok {
			in.Node = node
		}
		p.host = s.hostOf(p)
		p.host, _ = s.standing(p.host) // there is one, or the run is over
	}
	in.On, in.Spoiled = p.on, s.spoils(p.id)
}

// inOrder are all procs, those that lead a node before those that run on it.
func (s *supervisor) inOrder() []*proc {
	list := slices.Clone(s.procs)
	slices.SortStableFunc(list, func(p, q *proc) int {
		return s.onOther(p) - s.onOther(q)
	})
	return list
}

// onOther is 1 for who runs on the node of somebody else.
func (s *supervisor) onOther(p *proc) int {
	if p.on != nowhere && p.on != siteOf(p.id) {
		return 1
	}
	return 0
}

// leader is the process of the node that a proc runs on, whose group it joins: a node is a process
// group, which stops as one. nil: it leads one itself.
func (s *supervisor) leader(p *proc) launch.Process {
	if s.onOther(p) == 0 {
		return nil
	}
	return s.procs[p.on.proc()].process
}

// running are the procs whose processes run on the node of p: where procs are launched, that is
// what was done; otherwise what p has said.
func (s *supervisor) running(p *proc) (list []*proc) {
	if !s.setup.Launched {
		for _, h := range p.hosts {
			list = append(list, s.procs[h])
		}
		return list
	}
	for _, q := range s.procs {
		if q != p && q.process != nil && q.on == siteOf(p.id) {
			list = append(list, q)
		}
	}
	return list
}

// launch takes an order to start a proc. One that runs is not started again.
func (s *supervisor) launch(p *proc, target core.Proc, t *ticket) {
	q := s.procs[target]
	if !s.launches(target) || s.hasBegun(q) {
		dropFile(t)
		return
	}
	s.dropTickets(q, p.id)
	q.tickets = append(q.tickets, t)
	s.restart()
}

// hasBegun reports whether a proc runs and has taken its first step.
func (s *supervisor) hasBegun(p *proc) bool {
	if p.process == nil {
		return false
	}
	s.look(p, false)
	return s.c.Bare || p.life == 0 || len(p.reader.pieces) > 0
}

// dropTickets takes away the starts of a proc that somebody has ordered.
func (s *supervisor) dropTickets(q *proc, by core.Proc) {
	q.tickets = slices.DeleteFunc(q.tickets, func(t *ticket) bool {
		if t.By == by {
			dropFile(t)
		}
		return t.By == by
	})
}

// used takes away all starts of a proc, when one of them has begun.
func (s *supervisor) used(q *proc) {
	for _, t := range q.tickets {
		dropFile(t)
	}
	q.tickets = nil
}

// dropFile removes what nobody needs any more. If it stays it takes room, until the run is over.
func dropFile(t *ticket) { _ = os.Remove(t.File) }

// ordered is the ticket with which a proc can start: the oldest of somebody who is up.
func (s *supervisor) ordered(q *proc) *ticket {
	for _, t := range q.tickets {
		if by := s.procs[t.By]; by.process != nil && by.up && !by.dying {
			return t
		}
	}
	return nil
}

// killing is a Kill that is under way: the answer comes when all agree that the victim is dead.
type killing struct {
	by     core.Proc
	life   core.Incarnation // of the process that has asked
	victim core.Proc
}

// kill stops a proc on the order of who runs its node, with all that runs there.
func (s *supervisor) kill(p *proc, target core.Proc) {
	q := s.procs[target]
	k := killing{p.id, p.life, target}
	s.dropTickets(q, p.id)
	for _, b := range slices.Concat(s.dying, s.burying) {
		if slices.Contains(b.procs, target) && q.on == siteOf(p.id) {
			b.killings = append(b.killings, k) // it is dying already
			return
		}
	}
	if q.process == nil || q.on != siteOf(p.id) {
		s.killed(k)
		return
	}
	b := s.crash([]*proc{q}, true)
	b.killings = append(b.killings, k)
}

// killed answers an order to stop a proc: the newest life that is over (core.NoLife: none is).
func (s *supervisor) killed(k killing) {
	p, life := s.procs[k.by], s.procs[k.victim].inc // of a proc that is down, the next one
	if p.process != nil && !p.dying && p.life == k.life {
		s.tell(p, order{Kind: sayKilled, Procs: []core.Proc{k.victim}, Life: life - 1})
	}
}

// endNode takes away what ends with the life of a proc: what it has ordered, and the folder of its
// node, or its disk.
func (s *supervisor) endNode(p *proc) {
	for _, q := range s.procs {
		s.dropTickets(q, p.id)
	}
	if !slices.Contains(s.setup.Local, p.id) || s.c.Model.Disks == fault.SurviveNode ||
		s.onOther(p) == 1 { // that of a rank is gone when its node is
		return
	}
	dir := storeDir(s.c.Dir, p.id, p.on)
	if p.on == siteOf(p.id) {
		dir = nodeDir(s.c.Dir, p.id)
	}
	if err := os.RemoveAll(dir); err != nil {
		s.stop("", fmt.Errorf("cluster: the disk of %s: %w", s.setup.Layout.Name(p.id), err))
	}
}

// spoils reports whether the disk of a proc is not to be trusted.
func (s *supervisor) spoils(p core.Proc) bool {
	m := &s.c.Model
	return m.Lose+m.Corrupt > 0 && m.Spoils(p)
}

// notice is a failure that a watcher is to be told of: of a group, by its first proc, and where
// procs are launched of one life.
type notice struct {
	group core.Proc
	life  core.Incarnation
}

// compare orders notices by group, then life.
func (n notice) compare(o notice) int {
	if n.group != o.group {
		return int(n.group) - int(o.group)
	}
	return int(n.life) - int(o.life)
}
