package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// slurmHosts is the value of --hosts that means the nodes of the allocation.
const slurmHosts = "slurm"

// slurmTime bounds how long Slurm may take to say what it knows.
const slurmTime = 20 * time.Second

// slurm is an allocation of Slurm, as it is seen from a command that runs in it.
type slurm struct {
	variable func(name string) string                  // of the environment
	ask      func(arguments ...string) (string, error) // scontrol
	path     string                                    // of domino, on all nodes
}

// hereSlurm is the allocation that this process runs in.
func hereSlurm(ctx context.Context) (*slurm, error) {
	for _, command := range []string{"scontrol", "srun"} {
		if _, err := exec.LookPath(command); err != nil {
			return nil, fmt.Errorf("--hosts slurm: Slurm is not here: %w", err)
		}
	}
	path, err := os.Executable()
	return &slurm{variable: os.Getenv, path: path, ask: func(arguments ...string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, slurmTime)
		defer cancel()
		out, err := exec.CommandContext(ctx, "scontrol", arguments...).Output()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		if err != nil {
			return "", fmt.Errorf("--hosts slurm: scontrol %s: %w", strings.Join(arguments, " "),
				err)
		}
		return string(out), nil
	}}, err
}

// addresses of nodes, in what scontrol show node --oneliner prints.
var (
	nodeName    = regexp.MustCompile(`(?m)^NodeName=(\S+)`)
	nodeAddress = regexp.MustCompile(` NodeAddr=(\S+)`)
	affinity    = regexp.MustCompile(`(?m)^TaskPlugin\s*=.*affinity`)
)

// hosts are the nodes of the allocation in its order, with as many slots as it has tasks there.
func (a *slurm) hosts() ([]cluster.Host, error) {
	nodes := a.variable("SLURM_JOB_NODELIST")
	if a.variable("SLURM_JOB_ID") == "" || nodes == "" {
		return nil, errors.New("--hosts slurm: not within an allocation (SLURM_JOB_ID or " +
			"SLURM_JOB_NODELIST is not set): salloc -N4 domino cluster run ... --hosts slurm")
	}
	text, err := a.ask("show", "hostnames", nodes)
	if err != nil {
		return nil, err
	}
	names := strings.Fields(text)
	if text, err = a.ask("--oneliner", "show", "node", nodes); err != nil {
		return nil, err
	}
	addresses := map[string]string{}
	for line := range strings.Lines(text) {
		name, address := nodeName.FindStringSubmatch(line), nodeAddress.FindStringSubmatch(line)
		if name != nil && address != nil {
			addresses[name[1]] = address[1]
		}
	}
	tasks, err := slurmTasks(a.variable("SLURM_TASKS_PER_NODE"), len(names))
	if err != nil {
		return nil, err
	}
	if text, err = a.ask("show", "config"); err != nil {
		return nil, err
	}
	var list []cluster.Host
	for i, name := range names {
		if addresses[name] == "" {
			return nil, fmt.Errorf("--hosts slurm: Slurm knows no address of node %s", name)
		}
		list = append(list, cluster.Host{Name: name, Address: addresses[name], Slots: tasks[i],
			Launcher: a.launcher(name, affinity.MatchString(text))})
	}
	return list, nil
}

// launcher starts who starts all processes of a node, as a step of its own beside those that run
// there: with all that the allocation has there (--overlap, --mem=0, no processor of its own where
// steps would be bound to one), with its input and output as they come, and so that neither its end
// nor that of the node ends anything else.
func (a *slurm) launcher(node string, binds bool) []string {
	line := []string{"srun", "--overlap", "--nodes=1", "--ntasks=1", "--ntasks-per-node=1",
		"--nodelist=" + node, "--mem=0", "--no-kill", "--kill-on-bad-exit=0", "--wait=0",
		"--unbuffered", "--quiet", "--mpi=none"}
	if binds {
		line = append(line, "--cpu-bind=none")
	}
	return append(line, a.path)
}

// slurmTasks reads the tasks of each node from a list such as 2(x3),1. An allocation that does not
// say has one a node.
func slurmTasks(text string, nodes int) (list []int, err error) {
	for entry := range strings.SplitSeq(text, ",") {
		count, times, many := strings.Cut(strings.TrimSuffix(entry, ")"), "(x")
		if !many {
			times = "1"
		}
		n, err := strconv.Atoi(count)
		k, e := strconv.Atoi(times)
		if text == "" {
			n, k, err, e = 1, nodes, nil, nil
		}
		if err != nil || e != nil || n < 1 || k < 1 || k > nodes-len(list) {
			return nil, fmt.Errorf("--hosts slurm: SLURM_TASKS_PER_NODE is %q, want such as "+
				"2(x3),1 of %d nodes", text, nodes)
		}
		for range k {
			list = append(list, n)
		}
	}
	if len(list) != nodes {
		return nil, fmt.Errorf("--hosts slurm: SLURM_TASKS_PER_NODE is %q, of %d nodes, and the "+
			"allocation has %d", text, len(list), nodes)
	}
	return list, nil
}

// facing is the address of this host from which it sends to others, and so reaches them: that of
// the first host that is not this one itself. Nothing is sent.
func facing(list []cluster.Host) (string, error) {
	address := "127.0.0.1"
	for _, h := range list {
		c, err := net.Dial("udp", net.JoinHostPort(h.Address, "9"))
		if err != nil {
			return "", fmt.Errorf("--hosts slurm: node %s: %w (name the address where processes "+
				"meet by --address)", h, err)
		}
		local, ok := c.LocalAddr().(*net.UDPAddr)
		if err := c.Close(); err != nil {
			return "", err
		}
		if ok && !local.IP.IsLoopback() {
			return local.IP.String(), nil
		}
	}
	return address, nil
}
