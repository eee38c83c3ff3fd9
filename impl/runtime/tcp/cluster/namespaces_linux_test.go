package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// network is a bridge of this host and two hosts behind it, each a network namespace.
type network struct {
	t       *testing.T
	bridge  string
	host    [2]string // namespaces
	link    [2]string // at the bridge
	address string    // of this host
}

// networks counts them: the system takes a moment to remove one.
var networks atomic.Int32

// newNetwork makes one, or skips the test where that is not allowed.
func newNetwork(t *testing.T) *network {
	if !effort.Long() {
		t.Skip("network namespaces take seconds: DOMINO_TESTS=long")
	}
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Skip("network namespaces need root and the command ip")
	}
	id := os.Getpid()%10000*10 + int(networks.Add(1))
	n := &network{t: t, bridge: fmt.Sprintf("db%d", id), address: "10.213.7.1"}
	add := exec.Command("ip", "link", "add", n.bridge, "type", "bridge")
	if out, err := add.CombinedOutput(); err != nil {
		t.Skipf("no network of one's own here: %s", out)
	}
	t.Cleanup(func() { exec.Command("ip", "link", "del", n.bridge).Run() })
	n.ip("addr", "add", n.address+"/24", "dev", n.bridge)
	n.ip("link", "set", n.bridge, "up")
	for i := range n.host {
		n.host[i], n.link[i] = fmt.Sprintf("dn%d-%d", id, i), fmt.Sprintf("dl%d-%d", id, i)
		n.ip("netns", "add", n.host[i])
		t.Cleanup(func() { exec.Command("ip", "netns", "del", n.host[i]).Run() })
		n.ip("link", "add", n.link[i], "type", "veth", "peer", "name", "eth0", "netns", n.host[i])
		n.ip("link", "set", n.link[i], "master", n.bridge, "up")
		n.ip("-n", n.host[i], "addr", "add", n.at(i)+"/24", "dev", "eth0")
		n.ip("-n", n.host[i], "link", "set", "eth0", "up")
		n.ip("-n", n.host[i], "link", "set", "lo", "up")
	}
	return n
}

func (n *network) at(host int) string { return fmt.Sprintf("10.213.7.%d", host+2) }

func (n *network) ip(args ...string) {
	n.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		n.t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// over spreads a run over the two hosts.
func (n *network) over(c *cluster.Config) {
	c.Address = n.address + ":0"
	for i := range n.host {
		c.Hosts = append(c.Hosts, cluster.Host{Address: n.at(i),
			Launcher: []string{"ip", "netns", "exec", n.host[i], c.Path}})
	}
}

// TestNetwork runs a program over two hosts with a failure; then over hosts that reach the
// supervisor and not each other, which is said before anything begins; then with the link of one
// cut in the middle, or that between the two, which is said before the time limit and with it.
func TestNetwork(t *testing.T) {
	n := newNetwork(t)
	text := example("hydee", ring, "clusters: a b | c")
	want := reach(t, text)
	c, r := config(t, text, plan.Plan{})
	n.over(&c)
	c.Reached = []cluster.Reached{{Victims: []core.Proc{2}, By: 2, What: cluster.Date, Number: 1}}
	out := right(t, &c, r)
	if len(out.Crashes) != 1 || !slices.Equal(out.Digests, want.Digests) {
		t.Errorf("%+v", out)
	}
	if p := out.Placement; len(p) != 2 || !slices.Equal(p[0].Procs, []core.Proc{0, 1, 3}) ||
		!slices.Equal(p[1].Procs, []core.Proc{2}) {
		t.Errorf("placement %+v", p)
	}

	isolate := func() { // both reach the supervisor, and not each other
		for _, link := range n.link {
			n.ip("link", "set", link, "type", "bridge_slave", "isolated", "on")
		}
	}
	isolate()
	c, _ = config(t, text, plan.Plan{})
	n.over(&c)
	c.Timeout = 4 * time.Second
	missing := regexp.MustCompile(`connections that it needs are missing after 2s: .* at 10\.213\.7\.`)
	if _, err := cluster.Run(t.Context(), c); err == nil || !missing.MatchString(err.Error()) {
		t.Errorf("hosts that do not meet: %v", err)
	}
	for _, link := range n.link {
		n.ip("link", "set", link, "type", "bridge_slave", "isolated", "off")
	}

	for what, cut := range map[string]func(){
		"its link":      func() { n.ip("link", "set", n.link[1], "down") },
		"the other one": isolate,
	} {
		n.stays(what, cut)
		for _, link := range n.link {
			n.ip("link", "set", link, "up", "type", "bridge_slave", "isolated", "off")
		}
	}
}

// stays cuts a host off what is said when all have begun, and wants to be told whose messages are
// not taken by whom: before the time limit and with it.
func (n *network) stays(what string, cut func()) {
	t := n.t
	t.Helper()
	c, _ := config(t, endless, plan.Plan{})
	n.over(&c)
	c.Timeout = 6 * time.Second
	var notes []string
	c.Note = func(text string) { notes = append(notes, text) }
	done := false
	c.OnAnswer(func(kind string) {
		if kind == "status" && !done { // all have begun
			done = true
			cut()
		}
	})
	stays := regexp.MustCompile(`at 10\.213\.7\.\d:\d+ has not taken \d+ of \d+ messages of`)
	out, err := cluster.Run(t.Context(), c)
	if err != nil || !stays.MatchString(out.Bound) {
		t.Errorf("cut off %s: %v, %s", what, err, out.Bound)
	}
	if !slices.ContainsFunc(notes, stays.MatchString) {
		t.Errorf("cut off %s, nobody was told before the time limit: %q", what, notes)
	}
}
