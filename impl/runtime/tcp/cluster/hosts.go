package cluster

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// Host is where processes run.
type Host struct {
	Name    string // for the reader; "" means the address
	Address string // where they listen, a name or an IP address
	// how many processes it takes where a host with 1 takes one; 0 means 1
	Slots int
	// command line that starts the program there, with arguments behind it; nil: they are started
	// by the supervisor itself
	Launcher []string
}

// String is its name.
func (h Host) String() string { return cmp.Or(h.Name, h.Address) }

// local reports whether an address means, wherever it is used, the host where it is used, and
// whether it means all its addresses at once.
func local(address string) (loopback, unspecified bool) {
	ip := net.ParseIP(address)
	return address == "localhost" || ip != nil && ip.IsLoopback(), ip != nil && ip.IsUnspecified()
}

// validateHosts reports addresses that can not meet.
func (c *Config) validateHosts() error {
	away := ""
	for i, h := range c.Hosts {
		if h.Slots < 0 || h.Slots > maxSlots {
			return fmt.Errorf("cluster: host %d: %d slots, want 0 to %d", i+1, h.Slots, maxSlots)
		}
		if h.Address == "" || strings.ContainsAny(h.Address, "/ \t") {
			return fmt.Errorf("cluster: host %d: %q is no address", i+1, h.Address)
		}
		if loopback, _ := local(h.Address); !loopback {
			away = h.Address
		}
	}
	for i, h := range c.Hosts {
		loopback, unspecified := local(h.Address)
		if len(c.Hosts) > 1 && (unspecified || loopback && away != "") {
			return fmt.Errorf("cluster: host %d: %s is no address at which other hosts reach it: "+
				"name the one of its network", i+1, h.Address)
		}
	}
	host, _, err := net.SplitHostPort(c.Address)
	if ip := net.ParseIP(host); away != "" &&
		(c.Address == "" || err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())) {
		return fmt.Errorf(
			"cluster: processes on host %s can not meet at %s: an address is needed that all "+
				"hosts reach", away, c.meeting())
	}
	return nil
}

// maxSlots bounds Host.Slots: no host has so many processors.
const maxSlots = 1 << 16

// meeting is where the processes meet.
func (c *Config) meeting() string {
	if c.Address == "" {
		return "127.0.0.1:0"
	}
	return c.Address
}

// spreadOver spreads the procs over hosts, by their slots: what stops together, such as a cluster,
// or runs on one node, stays together, in blocks. Services are spread in the same way beside them,
// and so are procs that run on a node of which the layout does not tell, such as loggers.
func spreadOver(s *core.Setup, hosts []Host) []int {
	type unit struct{ kind, number int }
	const (
		nodes = iota // and ranks, and what stops with one
		hosted
		services
		kinds
	)
	l := &s.Layout
	units := map[core.Proc]unit{} // by the first proc of each
	var counts [kinds]int
	var of []unit
	for p := range core.Proc(len(l.Names)) {
		first, kind := p, nodes
		switch {
		case int(p) < len(l.Nodes):
			first = l.Nodes[p]
		case l.Nodes != nil && l.Hosted[p]:
			kind = hosted
		case int(p) >= l.Ranks && !slices.Contains(l.Nodes, p):
			kind = services
		}
		if first = s.Group(first)[0]; int(first) < l.Ranks {
			kind = nodes
		}
		if _, ok := units[first]; !ok {
			units[first] = unit{kind, counts[kind]}
			counts[kind]++
		}
		of = append(of, units[first])
	}
	var slots, list []int // hosts, each as often as it has slots
	for i, h := range hosts {
		slots = append(slots, slices.Repeat([]int{i}, max(h.Slots, 1))...)
	}
	for _, u := range of {
		list = append(list, slots[u.number*len(slots)/counts[u.kind]])
	}
	return list
}

// placement is who begins where.
func (s *supervisor) placement() (list []Place) {
	for i, h := range s.c.Hosts {
		at := Place{Host: h.String()}
		for _, p := range s.procs {
			if p.host == i {
				at.Procs = append(at.Procs, p.id)
			}
		}
		list = append(list, at)
	}
	return list
}

// runFile says in the folder of a run which run it is.
const runFile = "run"

// checkFolder is for a life that may be on another host: is this the folder of the supervisor?
func checkFolder(dir string, run mesh.Run) error {
	text, err := os.ReadFile(filepath.Join(dir, runFile))
	host, _ := os.Hostname()
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && string(text) != hex.EncodeToString(run[:]):
		return fmt.Errorf("%s on host %q is not the folder of this run: all hosts must share it",
			dir, host)
	case err != nil:
		return fmt.Errorf("folder of the run, on host %q: %w", host, err)
	}
	return nil
}

// far reports whether a proc runs behind a launcher.
func (s *supervisor) far(p *proc) bool {
	return len(s.c.Hosts) > 0 && s.c.Hosts[p.host].Launcher != nil
}

// where names a proc with its host.
func (s *supervisor) where(p *proc) string {
	name := s.setup.Layout.Name(p.id)
	if len(s.c.Hosts) == 0 {
		return name
	}
	text := fmt.Sprintf("%s on host %s", name, s.c.Hosts[p.host])
	if !s.far(p) {
		return text
	}
	return fmt.Sprintf("%s (with %s, by %s)", text, s.named(s.placement()[p.host].Procs),
		strings.Join(s.c.Hosts[p.host].Launcher, " "))
}

// exec starts a process of this host, or has the starter of another one start it: the first
// process there, and the first since the last starter has ended, comes with one.
func (s *supervisor) exec(p *proc, c launch.Command) (launch.Process, error) {
	if !s.far(p) {
		return launch.Start(c)
	}
	g := s.hosts[p.host]
	if g.starter == nil || g.starter.Over() {
		starter, err := launch.NewStarter(s.c.Hosts[p.host].Launcher, c)
		if err != nil {
			return nil, err
		}
		g.starter = starter
	}
	return g.starter.Start(c)
}

// dismiss ends the starters of other hosts, when no process is left.
func (s *supervisor) dismiss() {
	var all sync.WaitGroup
	for _, g := range s.hosts {
		if g.starter != nil {
			all.Go(g.starter.Close)
		}
	}
	all.Wait()
}

// complaint is what a launcher, or what is behind it, has complained of.
func complaint(process launch.Process) string {
	if text := process.Complaint(); text != "" {
		return ": " + text
	}
	return ""
}

// lockedFor is how long a process may keep its disk after its launcher has ended: then it is dead,
// or cut off and ends by itself.
const lockedFor = 10 * time.Second

// holdsDisk reports whether the process of a proc has its disk open.
func (s *supervisor) holdsDisk(p core.Proc) (bool, error) {
	return diskHeld(storeDir(s.c.Dir, p, s.procs[p].on))
}

// diskHeld reports whether a process has the disk in a folder open: a lock that ends with it tells
// even where it can not be waited for.
func diskHeld(dir string) (bool, error) {
	lock, err := disk.System{}.Lock(filepath.Join(dir, "lock"), true, false)
	switch {
	case errors.Is(err, disk.ErrLocked):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil // it had not begun
	case err != nil:
		return false, fmt.Errorf("cluster: %w", err)
	}
	return false, lock.Close()
}

// awaitDeath waits, in a goroutine of its own, until a process whose launcher has ended is known to
// be gone.
func (s *supervisor) awaitDeath(p core.Proc, host int) error {
	for waited := new(awake.Clock); ; time.Sleep(time.Millisecond) {
		holds, err := s.holdsDisk(p)
		if !holds || err != nil || s.off(host) {
			return err
		}
		if waited.Passed() > lockedFor {
			return errors.New(
				"the launcher has ended, but the process has its disk open: it may live on")
		}
	}
}

// seen looks, when a process behind a launcher is up, whether the lock of its disk is seen here,
// too. If it is not, the process may have died behind its word, and is asked for another one.
func (s *supervisor) seen(p *proc) error {
	if p.unseen = false; !s.far(p) {
		return nil
	}
	holds, err := s.holdsDisk(p.id)
	if p.unseen = err == nil && !holds; p.unseen {
		s.tell(p, order{Kind: sayStatus})
	}
	return err
}

// unseen is the error of a process that lives, and had no lock that is seen here.
func (s *supervisor) unseen(p *proc) error {
	return fmt.Errorf("cluster: %s: the lock of its disk is not seen here: hosts must share the "+
		"folder %s with its locks", s.where(p), s.c.Dir)
}

// hostOf is where the next life of a proc runs: one that moves, with the proc that has adopted it.
func (s *supervisor) hostOf(p *proc) int {
	if s.launches(p.id) {
		return s.procs[p.on.proc()].host
	}
	for _, q := range s.procs {
		if q.process != nil && slices.Contains(q.hosts, p.id) {
			return q.host
		}
	}
	return p.host
}
