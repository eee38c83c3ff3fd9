package replicated

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Fault is a way to break the replication on purpose.
type Fault uint8

// The faults.
const (
	Hasty Fault = iota + 1 // a replica does not wait for its disk before it sends
	Early                  // the leader applies an entry before it is committed
	Local                  // the leader takes requests without the log
	Twice                  // requests that come again are taken again
	Echo                   // orders that come again are taken again
)

// faultNames are the variants of the demonstration.
var faultNames = []string{"", "hasty", "early", "local", "twice", "echo"}

// Options say how a service is replicated.
type Options struct {
	Service  core.Proc // of the setup: it becomes the first replica
	Replicas int       // odd, at least 3
	Fault    Fault     // 0: none
}

// config is what all machines of a setup know.
type config struct {
	layout     *core.Layout // with all replicas
	service    core.Proc
	replicas   []core.Proc
	newMessage func() core.Message // without replication
	fault      Fault
}

func (c *config) broken(f Fault) bool { return c.fault == f }

// Setup is the setup with one of its services replicated. The other procs keep their places, and
// the other replicas come behind all. It keeps what the setup promises, but for how many messages
// of its own the protocol needs, and when what the service rules is declared.
func Setup(s *core.Setup, o Options) (*core.Setup, error) {
	if o.Replicas < 3 || o.Replicas > 7 || o.Replicas%2 == 0 {
		return nil, fmt.Errorf("replicated: %d replicas, want 3, 5 or 7", o.Replicas)
	}
	if int(o.Service) < s.Layout.Ranks || int(o.Service) >= len(s.Layout.Names) {
		return nil, fmt.Errorf("replicated: proc %d is no service", o.Service)
	}
	n := *s
	c := &config{layout: &n.Layout, service: o.Service, newMessage: s.NewMessage, fault: o.Fault,
		replicas: []core.Proc{o.Service}}
	n.Layout.Names, n.Layout.Roles = slices.Clone(s.Layout.Names), roles(s.Layout.Roles)
	name := n.Layout.Names[o.Service]
	n.Layout.Names[o.Service] = name + "1"
	for i := 1; i < o.Replicas; i++ {
		c.replicas = append(c.replicas, core.Proc(len(n.Layout.Names)))
		n.Layout.Names = append(n.Layout.Names, fmt.Sprintf("%s%d", name, i+1))
	}
	for i, name := range n.Layout.Names {
		if slices.Contains(n.Layout.Names[:i], name) {
			return nil, &core.ChoiceError{Key: "-- program --", Err: fmt.Errorf(
				"a rank is called %s, which is the name of another proc", name)}
		}
	}
	n.NewMessage = func() core.Message { return &Message{fresh: s.NewMessage} }
	n.New = func(p core.Proc) core.Machine {
		if i := slices.Index(c.replicas, p); i >= 0 {
			return &replica{config: c, group: group{self: uint64(i + 1), size: o.Replicas},
				inner: s.New(o.Service)}
		}
		return &client{config: c, self: p, inner: s.New(p)}
	}
	n.Watchers = slices.Clone(s.Watchers)
	for _, p := range c.replicas {
		if !slices.Contains(n.Watchers, p) {
			n.Watchers = append(n.Watchers, p)
		}
	}
	if slices.Contains(s.Initiators, o.Service) {
		n.Initiators = append(slices.Clone(s.Initiators), c.replicas[1:]...)
	}
	n.Spared = slices.DeleteFunc(slices.Clone(s.Spared), func(p core.Proc) bool {
		return p == o.Service // that it may fail is what replicas are for
	})
	if s.StableKeys != nil {
		n.StableKeys = append(slices.Clone(s.StableKeys), record)
	}
	n.Traffic.Promised = false
	n.Replicated = true
	return &n, n.Validate()
}
