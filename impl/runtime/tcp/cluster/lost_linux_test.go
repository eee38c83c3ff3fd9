package cluster_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// beHost starts a process for each connection, which is its input and output, as sshd does. The
// last line says how it has ended.
func beHost(address string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("listens")
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		go func() { // ends with the process
			defer c.Close()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asChild+"=live")
			in, err := cmd.StdinPipe()
			if err != nil {
				return
			}
			cmd.Stdout = c
			if cmd.Start() == nil {
				go func() { // ends with the connection
					io.Copy(in, c)
					in.Close()
				}()
				cmd.Wait()
				fmt.Fprintf(c, "exit %d\n", cmd.ProcessState.ExitCode())
			}
		}()
	}
}

// beLauncher is what ssh is: a process of this host for one on the host at an address. It ends with
// 255 when it does not reach it.
func beLauncher(address string) int {
	c, err := net.DialTimeout("tcp", address, 2*time.Second)
	if err != nil {
		return 255
	}
	go func() { // ends with the process
		io.Copy(c, os.Stdin)
		c.(*net.TCPConn).CloseWrite()
	}()
	lines := bufio.NewReaderSize(c, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		code := 0
		switch n, _ := fmt.Sscanf(line, "exit %d\n", &code); {
		case err != nil:
			return 255
		case n == 1 && code == -1:
			return 137
		case n == 1:
			return code
		}
		if _, err := os.Stdout.WriteString(line); err != nil {
			return 255
		}
	}
}

// reached are the two hosts of a network, each by a launcher that goes over the network, and a
// fence command.
func (n *network) reached(c *cluster.Config) {
	c.Address = n.address + ":0"
	for i := range n.host {
		address := n.at(i) + ":7777"
		cmd := exec.Command("ip", "netns", "exec", n.host[i], c.Path, address)
		cmd.Env = append(os.Environ(), asChild+"=host")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		out, err := cmd.StdoutPipe()
		if err != nil {
			n.t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			n.t.Fatal(err)
		}
		n.t.Cleanup(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "listens\n" {
			n.t.Fatalf("host %d: %q %v", i, line, err)
		}
		c.Hosts = append(c.Hosts, cluster.Host{Name: n.host[i], Address: n.at(i),
			Launcher: []string{"/usr/bin/env", asChild + "=launcher", c.Path, address}})
	}
	c.Fence = []string{"/bin/sh", "-c", "sleep 0.3; " + powerOff} // nobody may be in a hurry
	c.LostAfter = 2 * time.Second
	c.Timeout = time.Minute
}

// powerOff ends all that runs in a namespace.
const powerOff = `for p in $(ip netns pids "$0"); do kill -KILL $p; done`

// pids are the processes of a host.
func (n *network) pids(host int) []string {
	out, err := exec.Command("ip", "netns", "pids", n.host[host]).Output()
	if err != nil {
		n.t.Error(err)
	}
	return strings.Fields(string(out))
}

// TestLostHost runs a program over two hosts, of which one is lost when all have begun: its power,
// its link, or one direction of that. The run goes on on the other host, every time with the same
// end and nothing on the one that is lost. A link that comes back in time, and one that is slow,
// lose nothing; a host that can not be switched off ends the run, and its name is said.
func TestLostHost(t *testing.T) {
	n := newNetwork(t)
	text := example("hydee", ring, "clusters: a b | c")
	want := reach(t, text)
	down := func(n *network) { n.ip("link", "set", n.link[1], "down") }
	power := func(n *network) { exec.Command("/bin/sh", "-c", powerOff, n.host[1]).Run() }
	oneWay := func(n *network) { // nobody has this card, so what it sends goes nowhere
		for _, to := range []string{n.address, n.at(0)} {
			n.ip("-n", n.host[1], "neigh", "replace", to, "lladdr", "02:00:00:00:00:99", "dev",
				"eth0")
		}
	}
	up := func() { exec.Command("ip", "link", "set", n.link[1], "up").Run() }
	blink := func(n *network) {
		down(n)
		time.AfterFunc(300*time.Millisecond, up)
	}
	tests := []struct {
		name   string
		happen func(n *network)
		fails  string // the fence command
		lost   bool
		lease  time.Duration // in the place of a fence command
	}{
		{"power", power, "", true, 0},
		{"link", down, "", true, 0},
		{"one way", oneWay, "", true, 0},
		{"link for a while", blink, "", false, 0},
		{"slow", func(*network) {}, "", false, 0},
		{"no fence", down, "ip link set " + n.link[1] + " up; echo no such outlet; false", false,
			0},
		{"power, lease", power, "", true, 2 * time.Second},
		{"link, lease", down, "", true, 2 * time.Second},
		{"one way, lease", oneWay, "", true, 2 * time.Second},
		{"link for a while, lease", blink, "", false, 4 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := *n
			n.t = t
			c, r := config(t, text, plan.Plan{})
			n.reached(&c)
			defer func() {
				exec.Command("tc", "qdisc", "del", "dev", n.link[1], "root").Run()
				exec.Command("ip", "-n", n.host[1], "neigh", "flush", "all").Run()
				exec.Command("ip", "-n", n.host[1], "neigh", "flush", "nud", "permanent", "dev",
					"eth0").Run()
				up()
			}()
			if tt.name == "slow" {
				n.slow(1)
			}
			if tt.fails != "" {
				c.Fence = []string{"/bin/sh", "-c", tt.fails}
			} else if c.Lease = tt.lease; tt.lease > 0 {
				c.Fence, c.LostAfter = nil, 0
			}
			var notes []string
			c.Note = func(text string) { notes = append(notes, text) }
			begun := 0
			c.OnAnswer(func(kind string) {
				if kind != "up" {
					return
				}
				if begun++; begun == len(c.Setup.Layout.Names) { // before any program goes on
					tt.happen(&n)
				}
			})
			if tt.fails != "" {
				_, err := cluster.Run(t.Context(), c)
				if err == nil || !strings.Contains(err.Error(), n.host[1]+" may not be off") ||
					!strings.Contains(err.Error(), "no such outlet") {
					t.Errorf("a host that is not off: %v", err)
				}
				return
			}
			out := right(t, &c, r)
			isLost := slices.Contains(notes, "host "+n.host[1]+" is lost") ||
				slices.ContainsFunc(notes, func(text string) bool {
					return strings.HasPrefix(text, "host "+n.host[1]+":")
				})
			if !slices.Equal(out.Digests, want.Digests) || isLost != tt.lost ||
				tt.lost != (out.Outside > 0) {
				t.Errorf("lost %t, %d outside, digests %x, want %x: %q", isLost, out.Outside,
					out.Digests, want.Digests, notes)
			}
			most := 0
			if tt.lease > 0 && tt.name != "power, lease" {
				most = 2 // who starts lives, and has started that, is no life
			}
			if left := n.pids(1); tt.lost && len(left) > most {
				t.Errorf("on the host that is lost there are %v", left)
			}
		})
	}
}

// slow delays what goes to a host, or where the system can not do that lets little through at a
// time, which then waits in a queue.
func (n *network) slow(host int) {
	var said []byte
	for _, how := range []string{"netem delay 1ms", "tbf rate 4mbit burst 3000 latency 400ms"} {
		args := append([]string{"qdisc", "add", "dev", n.link[host], "root"},
			strings.Fields(how)...)
		out, err := exec.Command("tc", args...).CombinedOutput()
		if err == nil {
			return
		}
		said = append(said, out...)
	}
	n.t.Skipf("no link is slow here: %s", said)
}

// TestNoFence refuses hosts that would be given up without being known to be off.
func TestNoFence(t *testing.T) {
	far := []cluster.Host{{Address: "127.0.0.2", Launcher: []string{"x"}}}
	tests := []struct {
		fence []string
		after time.Duration
		hosts []cluster.Host
		bare  bool
		want  string
	}{
		{nil, time.Second, far, false, "must switch it off"},
		{[]string{"x"}, 0, []cluster.Host{{Address: "127.0.0.2"}}, false, "with launchers"},
		{[]string{"x"}, 0, nil, false, "with launchers"},
		{[]string{"x"}, time.Millisecond, far, false, "at least"},
		{[]string{"x"}, -time.Second, far, false, "want 0 to"},
		{[]string{"x"}, 0, far, true, "bare"},
		{[]string{"x"}, time.Second, far, false, ""},
	}
	for _, tt := range tests {
		c, _ := config(t, example("hydee", ring), plan.Plan{})
		c.Fence, c.LostAfter, c.Hosts, c.Bare = tt.fence, tt.after, tt.hosts, tt.bare
		if err := c.Validate(); tt.want == "" && err != nil ||
			tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v, want %q", tt, err, tt.want)
		}
	}
}
