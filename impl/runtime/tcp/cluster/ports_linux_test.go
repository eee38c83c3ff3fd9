package cluster_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// some are free ports, below those that the system gives to connections of its own, and listeners
// on the first and the last but one of them.
func some(t *testing.T, n int) (r cluster.Ports) {
	t.Helper()
	for first := 21000; first < 32000; first += n {
		r = cluster.Ports{First: first, Last: first + n - 1}
		var list []net.Listener
		for port := r.First; port <= r.Last; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				break
			}
			list = append(list, l)
		}
		taken := len(list) == n
		for i, l := range list {
			if taken && (i == 0 || i == n-2) {
				t.Cleanup(func() { l.Close() })
			} else {
				l.Close()
			}
		}
		if taken {
			return r
		}
	}
	t.Skip("no free ports")
	return r
}

// TestPorts runs a program with a failure on seven ports of which two are in use by others, so that
// the meeting and the four processes take just those that are free, and so does the next life; on
// six ports somebody finds none, which is said.
func TestPorts(t *testing.T) {
	text := example("hydee", ring)
	want := reach(t, text)
	c, r := config(t, text, plan.Plan{})
	c.Ports = some(t, 7)
	c.Reached = []cluster.Reached{{Victims: []core.Proc{2}, By: 2, What: cluster.Date, Number: 1}}
	out := right(t, &c, r)
	if len(out.Crashes) != 1 || !slices.Equal(out.Digests, want.Digests) {
		t.Errorf("%+v", out)
	}

	c, _ = config(t, text, plan.Plan{})
	c.Ports = some(t, 6)
	if _, err := cluster.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(),
		fmt.Sprintf("none of the 6 ports %v is free at 127.0.0.1", c.Ports)) {
		t.Errorf("too few ports: %v", err)
	}
}

// TestNoPorts refuses ports that do not exist, and fewer than there are processes at an address.
func TestNoPorts(t *testing.T) {
	tests := []struct {
		ports cluster.Ports
		hosts []cluster.Host
		want  string
	}{
		{cluster.Ports{First: 0, Last: 9}, nil, "want FIRST-LAST within 1-65535"},
		{cluster.Ports{First: 9, Last: 8}, nil, "want FIRST-LAST within 1-65535"},
		{cluster.Ports{First: 65000, Last: 65536}, nil, "want FIRST-LAST within 1-65535"},
		{cluster.Ports{First: -5, Last: -1}, nil, "want FIRST-LAST within 1-65535"},
		{cluster.Ports{First: 20000, Last: 20002}, nil, "too few"},
		{cluster.Ports{First: 20000, Last: 20001},
			[]cluster.Host{{Address: "127.0.0.2"}, {Address: "127.0.0.2"}}, "too few"},
		{cluster.Ports{First: 20000, Last: 20001},
			[]cluster.Host{{Address: "127.0.0.2"}, {Address: "127.0.0.3"}}, ""},
		{cluster.Ports{First: 20000, Last: 20003}, nil, ""},
	}
	for _, tt := range tests {
		c, _ := config(t, example("hydee", ring), plan.Plan{})
		c.Ports, c.Hosts = tt.ports, tt.hosts
		if err := c.Validate(); tt.want == "" && err != nil ||
			tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v over %d hosts: %v, want %q", tt.ports, len(tt.hosts), err, tt.want)
		}
	}
	c, _ := config(t, example("hydee", ring), plan.Plan{})
	c.Hosts = []cluster.Host{{Address: "127.0.0.2", Slots: -1}}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "slots") {
		t.Errorf("a host with less than nothing: %v", err)
	}
}
