package app

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// allocation is one of Slurm that is not there: three nodes, in an order that is not that of their
// names.
func allocation(variables map[string]string, plugin string) *slurm {
	return &slurm{path: "/shared/domino", variable: func(name string) string {
		return variables[name]
	}, ask: func(arguments ...string) (string, error) {
		switch line := strings.Join(arguments, " "); line {
		case "show hostnames node[9-10],login":
			return "node9\nnode10\nlogin\n", nil
		case "--oneliner show node node[9-10],login":
			return "NodeName=login Arch=x86_64 NodeAddr=10.0.0.1 NodeHostName=login Port=6818\n" +
				"NodeName=node10 CoresPerSocket=1 NodeAddr=fd00::10 NodeHostName=node10\n" +
				"NodeName=node9 NodeAddr=node9 Version=22.05.8\n", nil
		case "show config":
			return "SelectType = select/cons_tres\nTaskPlugin              = " + plugin + "\n", nil
		default:
			return "", fmt.Errorf("nobody knows %s", line)
		}
	}}
}

// TestSlurmHosts reads an allocation: the order of its nodes, their addresses, tasks, and the
// launcher; what is missing is named.
func TestSlurmHosts(t *testing.T) {
	variables := map[string]string{"SLURM_JOB_ID": "7", "SLURM_TASKS_PER_NODE": "2(x2),1",
		"SLURM_JOB_NODELIST": "node[9-10],login"}
	got, err := allocation(variables, "cgroup,affinity").hosts()
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range got {
		for _, word := range []string{"--overlap", "--nodes=1", "--ntasks=1",
			"--nodelist=" + h.Name, "--kill-on-bad-exit=0", "--no-kill", "--unbuffered",
			"--cpu-bind=none"} {
			if !slices.Contains(h.Launcher, word) {
				t.Errorf("%s is started by %v, want %s there", h, h.Launcher, word)
			}
		}
		if h.Launcher[0] != "srun" || h.Launcher[len(h.Launcher)-1] != "/shared/domino" {
			t.Errorf("%s is started by %v", h, h.Launcher)
		}
		got[i].Launcher = nil
	}
	if diff := cmp.Diff([]cluster.Host{{Name: "node9", Address: "node9", Slots: 2},
		{Name: "node10", Address: "fd00::10", Slots: 2},
		{Name: "login", Address: "10.0.0.1", Slots: 1}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = allocation(variables, "task/none").hosts()
	if err != nil || slices.Contains(got[0].Launcher, "--cpu-bind=none") {
		t.Errorf("without binding: %v %v", got, err)
	}

	for name, tt := range map[string]struct{ value, want string }{
		"SLURM_JOB_ID":         {"", "not within an allocation"},
		"SLURM_JOB_NODELIST":   {"node8", "nobody knows show hostnames node8"},
		"SLURM_TASKS_PER_NODE": {"1(x2)", "of 2 nodes, and the allocation has 3"},
	} {
		was := variables[name]
		variables[name] = tt.value
		if _, err := allocation(variables, "").hosts(); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s: %v, want %q", name, tt.value, err, tt.want)
		}
		variables[name] = was
	}
	a := allocation(variables, "")
	a.ask = func(arguments ...string) (string, error) {
		if slices.Contains(arguments, "node") {
			return "NodeName=node9 NodeAddr=node9\n", nil
		}
		return "node9\nnode10\nlogin\n", nil
	}
	if _, err := a.hosts(); err == nil || !strings.Contains(err.Error(),
		"no address of node node10") {
		t.Errorf("a node without address: %v", err)
	}
}

// TestSlurmTasks reads how many tasks nodes have.
func TestSlurmTasks(t *testing.T) {
	tests := []struct {
		text  string
		nodes int
		want  []int
	}{
		{"1(x4)", 4, []int{1, 1, 1, 1}}, {"3", 1, []int{3}}, {"", 2, []int{1, 1}},
		{"2(x2),1,4(x2)", 5, []int{2, 2, 1, 4, 4}}, {"16,2", 2, []int{16, 2}},
		{"2(x2)", 1, nil}, {"2", 2, nil}, {"2(x-1)", 2, nil}, {"0(x2)", 2, nil}, {"x", 1, nil},
		{"2(x9999999999)", 4, nil}, {"1,", 2, nil}, {"", 0, nil},
	}
	for _, tt := range tests {
		got, err := slurmTasks(tt.text, tt.nodes)
		if diff := cmp.Diff(tt.want, got); tt.want != nil && (diff != "" || err != nil) ||
			tt.want == nil && err == nil {
			t.Errorf("%q of %d nodes: %v, %v, want %v", tt.text, tt.nodes, got, err, tt.want)
		}
	}
}

// TestFacing: who talks with itself has the address of the loopback, and who can not is told.
func TestFacing(t *testing.T) {
	if got, err := facing([]cluster.Host{{Address: "127.0.0.1"}, {Address: "127.0.0.9"}}); got !=
		"127.0.0.1" || err != nil {
		t.Errorf("nodes of this host: %s %v", got, err)
	}
	if _, err := facing([]cluster.Host{{Name: "n7", Address: "no such host"}}); err == nil ||
		!strings.Contains(err.Error(), "node n7") {
		t.Errorf("a node that is not there: %v", err)
	}
}

// TestParsePorts reads ranges of ports.
func TestParsePorts(t *testing.T) {
	for text, want := range map[string]cluster.Ports{"": {}, "20000-20999": {First: 20000,
		Last: 20999}, "7000": {First: 7000, Last: 7000}} {
		if got, err := parsePorts(text); got != want || err != nil {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"-", "a-b", "1-", "-1", "1-2-3", "0", "0-0", "1,2"} {
		if got, err := parsePorts(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
	code, _, text := domino(t.Context(), "cluster", "run", "ring3", "--ports", "1-70000")
	if code != exitUsage || !strings.Contains(text, "within 1-65535") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestNoAllocation asks for the nodes of an allocation where there is none.
func TestNoAllocation(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "")
	code, _, text := domino(t.Context(), "cluster", "run", "ring3", "--hosts", "slurm")
	if code != exitUsage || !strings.Contains(text, "not within an allocation") &&
		!strings.Contains(text, "Slurm is not here") {
		t.Errorf("exit code %d: %s", code, text)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := hereSlurm(t.Context()); err == nil || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without Slurm: %v", err)
	}
}
