package cluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// TestHosts spreads a run over three addresses: the first started directly, the others behind
// launchers, one of which becomes the process and one of which waits for it. Each proc is killed in
// turn, the last one during the recovery: digests are those of a run on one host, the judge finds
// nothing, and no process is left.
func TestHosts(t *testing.T) {
	text := example("hydee", ring)
	want := reach(t, text)
	for victim := effort.Of[core.Proc](3, 0); victim < 4; victim++ {
		c, r := config(t, text, plan.Plan{})
		c.Hosts = []cluster.Host{{Address: "127.0.0.2"},
			{Address: "127.0.0.3", Launcher: []string{"/usr/bin/env", "SOMETHING=1", c.Path}},
			{Address: "127.0.0.4", Launcher: []string{"/bin/sh", "-c", `"$0" "$@"; exit $?`,
				c.Path}}}
		by, what := victim, cluster.Date
		if victim == 3 { // the recovery process
			c.Reached = []cluster.Reached{{Victims: []core.Proc{0}, By: 0, What: cluster.Date,
				Number: 2}}
			by, what = 0, cluster.Renewed
		}
		c.Reached = append(c.Reached, cluster.Reached{Victims: []core.Proc{victim}, By: by,
			What: what, Number: 1})
		out := right(t, &c, r)
		if out.Outside > 0 || len(out.Crashes) != len(c.Reached) ||
			!slices.Equal(out.Digests, want.Digests) {
			t.Errorf("victim %d: %+v", victim, out)
		}
		if left := lives(c.Path); len(left) > 0 {
			t.Errorf("victim %d: processes %v are left", victim, left)
		}
	}
}

// lives are the processes that run the program without arguments: those of a run.
func lives(path string) (list []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range files {
		text, _ := os.ReadFile(name) // it may have ended
		if n, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil &&
			string(text) == path+"\x00" && alive(n) {
			list = append(list, n)
		}
	}
	return list
}

// TestHostErrors gives hosts where processes do not come up, or that can not be kept: the error
// names host, procs and what the launcher says, and nothing is left.
func TestHostErrors(t *testing.T) {
	sh := func(line string) []string { return []string{"/bin/sh", "-c", line, "sh"} }
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		host cluster.Host
		want []string
	}{
		{"refuses", cluster.Host{Address: "127.0.0.3",
			Launcher: sh("echo no route to host >&2; exit 255")},
			[]string{"on host 127.0.0.3 (with c, by /bin/sh -c",
				"exit status 255: no route to host"}},
		{"talks", cluster.Host{Address: "127.0.0.3", Launcher: sh("echo Welcome; exec " + self)},
			[]string{"on host 127.0.0.3", `says "Welcome"`}},
		{"no launcher", cluster.Host{Address: "127.0.0.3",
			Launcher: []string{"/nowhere/ssh", "node"}},
			[]string{"c on host 127.0.0.3", "/nowhere/ssh: no such file"}},
		{"silent", cluster.Host{Address: "127.0.0.3",
			Launcher: sh("echo connecting >&2; exec cat >/dev/null")},
			[]string{"time limit 3s: ", "host 127.0.0.3: c did not come to the meeting at",
				"(/bin/sh -c", "connecting"}},
		{"no such address", cluster.Host{Address: "192.0.2.1"},
			[]string{"host 1: 127.0.0.2 is no address at which other hosts reach it"}},
		{"no address", cluster.Host{Address: "a b"}, []string{`host 2: "a b" is no address`}},
		{"other folder", cluster.Host{Address: "127.0.0.3", Launcher: sh(`sed -u 's#"dir":"[^"]*"#"dir":"` + t.TempDir() + `"#' | ` + self)}, []string{"on host 127.0.0.3", "is not the folder of this run: all hosts must share it"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := config(t, example("hydee", ring), plan.Plan{})
			if tt.name == "silent" { // the others come to the meeting long before
				effort.Seconds(t)
				c.Timeout = 3 * time.Second
			}
			c.Hosts = []cluster.Host{{Address: "127.0.0.2"}, tt.host}
			out, err := cluster.Run(t.Context(), c)
			text := ""
			if err != nil {
				text = err.Error()
			} else {
				text = out.Bound
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q lacks %q", text, want)
				}
			}
			if left := lives(c.Path); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
		})
	}
}

// TestCopiedFolder: a host with a copy of the folder, and not the folder itself, is refused when
// its lock is not seen. Two processes make the copy at one time, so each moves its own in place.
func TestCopiedFolder(t *testing.T) {
	if err := exec.Command("unshare", "-m", "true").Run(); err != nil {
		t.Skip("no mounts of one's own here:", err)
	}
	c, _ := config(t, example("hydee", ring), plan.Plan{})
	copied := t.TempDir()
	c.Hosts = []cluster.Host{{Address: "127.0.0.2"},
		{Address: "127.0.0.3", Launcher: []string{"unshare", "-m", "/bin/sh", "-c",
			strings.NewReplacer("COPY", copied, "DIR", c.Dir).Replace(
				`mkdir -p COPY/p002 COPY/p003 && cp DIR/run COPY/run.$$ && ` +
					`mv -f COPY/run.$$ COPY/run && mount --bind COPY DIR && exec "$0" "$@"`), c.Path}}}
	if _, err := cluster.Run(t.Context(), c); err == nil ||
		!strings.Contains(err.Error(),
			"the lock of its disk is not seen here: hosts must share the folder "+c.Dir) {
		t.Errorf("error %v", err)
	}
}

// TestOutsideFar kills a process behind a launcher that waits, as somebody else would: it is a
// failure like another, from which the protocol recovers. So is the end of who has started all
// processes there, with which they end.
func TestOutsideFar(t *testing.T) {
	effort.Seconds(t)
	text := example("hydee", "a: loop 100; send b; recv b; end\nb: loop 100; recv a; send a; end\n")
	calm, r := config(t, text, plan.Plan{})
	want := right(t, &calm, r)
	for _, all := range []bool{false, true} {
		c, r := config(t, text, plan.Plan{})
		c.Hosts = []cluster.Host{{Address: "127.0.0.2",
			Launcher: []string{"/bin/sh", "-c", `"$0" "$@"; exit $?`, c.Path}}}
		struck, most := false, 1
		c.OnAnswer(func(kind string) {
			if kind != "status" || struck {
				return
			}
			struck = true
			list := lives(c.Path)
			i := slices.IndexFunc(list, func(process int) bool {
				return slices.Contains(list, parent(process)) != all
			})
			if all {
				most = len(c.Setup.Layout.Names)
			}
			if err := syscall.Kill(list[i], syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		})
		if out := right(t, &c, r); out.Outside != most || !slices.Equal(out.Digests, want.Digests) {
			t.Errorf("starter %t: %d killed by somebody else, want %d; digests %x, want %x", all,
				out.Outside, most, out.Digests, want.Digests)
		}
		if left := lives(c.Path); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
	}
}

// TestPlaces spreads procs over hosts by what belongs together.
func TestPlaces(t *testing.T) {
	tests := []struct {
		text  string
		hosts int
		want  []int
		slots []int // of the first hosts
	}{
		{example("hydee", ring), 1, []int{0, 0, 0, 0}, nil},
		{example("hydee", ring), 2, []int{0, 0, 1, 0}, nil},
		{example("hydee", ring), 9, []int{0, 3, 6, 0}, nil},
		{example("hydee", ring, "clusters: a b | c"), 2, []int{0, 0, 1, 0}, nil},
		{example("hydee", ring, "clusters: a b | c"), 3, []int{0, 0, 1, 0}, nil},
		// ranks, loggers, nodes
		{example("radic-hmpl", ring), 3, []int{0, 1, 2, 0, 1, 2, 0, 1, 2}, nil},
		{example("radic-hmpl", ring), 2, []int{0, 0, 1, 0, 0, 1, 0, 0, 1}, nil},
		{example("hydee", ring), 2, []int{0, 1, 1, 0}, []int{1, 2}},
		{example("hydee", ring), 3, []int{0, 0, 1, 0}, []int{4, 1, 1}},
		{example("hydee", ring), 2, []int{0, 0, 0, 0}, []int{3, 1}},
	}
	for _, tt := range tests {
		c, _ := config(t, tt.text, plan.Plan{})
		hosts := make([]cluster.Host, tt.hosts)
		for i, n := range tt.slots {
			hosts[i].Slots = n
		}
		if diff := cmp.Diff(tt.want, cluster.Places(c.Setup, hosts)); diff != "" {
			t.Errorf("%d hosts %v (-want +got):\n%s", tt.hosts, tt.slots, diff)
		}
	}
}
