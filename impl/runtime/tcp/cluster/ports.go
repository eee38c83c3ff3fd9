package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"syscall"
)

// Ports are the ports First to Last, both with it; the zero value means any free port. Those that
// the system gives to connections of its own are free by luck only (on Linux 32768 to 60999).
type Ports struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// String is FIRST-LAST.
func (r Ports) String() string { return fmt.Sprintf("%d-%d", r.First, r.Last) }

// count is how many there are.
func (r Ports) count() int { return r.Last - r.First + 1 }

// listen listens at a host on the first port that is free, from the one with a number on, in a
// ring: processes of one host seldom try the same. What is in use is passed over.
func (r Ports) listen(host string, number int) (net.Listener, error) {
	if r == (Ports{}) {
		return net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	for i := range r.count() {
		port := strconv.Itoa(r.First + (number+i)%r.count())
		l, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return nil, fmt.Errorf("none of the %d ports %v is free at %s: all are in use, name more",
		r.count(), r, cmp.Or(host, "any address"))
}

// validatePorts reports ports that do not exist, and fewer than there are processes.
func (c *Config) validatePorts() error {
	r := c.Ports
	if r == (Ports{}) {
		return nil
	}
	if r.First < 1 || r.Last < r.First || r.Last > 1<<16-1 {
		return fmt.Errorf("cluster: ports %v: want FIRST-LAST within 1-%d", r, 1<<16-1)
	}
	var addresses []string
	for _, h := range c.Hosts {
		if !slices.Contains(addresses, h.Address) {
			addresses = append(addresses, h.Address)
		}
	}
	if n := len(c.Setup.Layout.Names); n > r.count()*max(len(addresses), 1) {
		return fmt.Errorf("cluster: %d ports (%v) at %d addresses are too few: each of the %d "+
			"processes needs one", r.count(), r, max(len(addresses), 1), n)
	}
	return nil
}

// meet is the listener where the processes meet.
func (c *Config) meet() (net.Listener, error) {
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil || port != "0" || c.Ports == (Ports{}) {
		return net.Listen("tcp", c.Address)
	}
	return c.Ports.listen(host, 0)
}
