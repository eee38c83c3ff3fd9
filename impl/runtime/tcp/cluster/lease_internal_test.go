package cluster

import (
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// TestLeaseOver: who runs on a host that is given up is not answered any more, so its lease is over
// by the time that counts from its last answer.
func TestLeaseOver(t *testing.T) {
	child, err := launch.Start(launch.Command{Path: "/bin/cat", Errors: nil})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		child.Kill()
		<-child.Done()
	}()
	s := &supervisor{c: &Config{Lease: 8 * time.Second}, hosts: []*ground{{}, {}}}
	long := time.Now().Add(-time.Hour)
	for host := range 2 {
		s.procs = append(s.procs, &proc{host: host, process: child, granted: long})
	}
	p := s.procs[1]
	answered := func() bool {
		before := p.granted
		s.leased(p, 1)
		return p.granted != before
	}
	if end := s.leaseOver(1); end != long.Add(9*time.Second) {
		t.Errorf("over at %v, want 9s after %v", end, long)
	}
	if !answered() {
		t.Error("nobody has answered")
	}
	if end := s.leaseOver(1); time.Until(end) < 8*time.Second {
		t.Errorf("over in %v, with a lease of 8s that has just begun", time.Until(end))
	}
	if end := s.leaseOver(0); end != long.Add(9*time.Second) {
		t.Errorf("of the other host: over at %v", end)
	}
	s.hosts[1].fencing = true
	if answered() {
		t.Error("a host that is being given up is answered")
	}
	s.hosts[1].fencing = false
	s.hosts[1].off.Store(true)
	if answered() {
		t.Error("a host that is off is answered")
	}
}

// TestAsk: a lease counts from the question that is answered, not from its answer nor from a later
// question, and an answer that comes late takes nothing back.
func TestAsk(t *testing.T) {
	var until []time.Duration
	at := time.Duration(0)
	e := &lease{length: 10, first: make(chan struct{}),
		asked: map[uint64]time.Duration{}}
	e.clock = func() time.Duration { return at }
	e.kill = func(end time.Duration) error {
		until = append(until, end)
		return nil
	}
	first := e.ask()
	at = 5
	second := e.ask()
	at = 9
	third := e.ask()
	e.granted(second)
	e.granted(first)
	e.granted(second)
	e.granted(99)
	e.granted(third)
	if len(until) != 2 || until[0] != 15 || until[1] != 19 {
		t.Errorf("ends at %v, want 15 and 19", until)
	}
	select {
	case <-e.first:
	default:
		t.Error("nobody knows that there is a lease")
	}
}

// TestLeaseConfig refuses leases that nobody has.
func TestLeaseConfig(t *testing.T) {
	far := []Host{{Address: "127.0.0.2", Launcher: []string{"x"}}}
	for _, tt := range []struct {
		c    Config
		want string
	}{
		{Config{Lease: time.Second, Hosts: far}, ""},
		{Config{Hosts: far}, ""},
		{Config{Lease: time.Second, Hosts: far, Fence: []string{"off"}}, "give one of them"},
		{Config{Lease: time.Millisecond, Hosts: far}, "at least"},
		{Config{Lease: time.Second, Hosts: far, Bare: true}, "bare"},
		{Config{Lease: time.Second, Hosts: []Host{{Address: "127.0.0.2"}}}, "launchers"},
		{Config{Lease: time.Second}, "launchers"},
	} {
		if err := tt.c.validateLease(); tt.want == "" && err != nil ||
			tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v, want %q", tt.c, err, tt.want)
		}
	}
}
