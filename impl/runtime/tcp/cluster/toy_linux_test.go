package cluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// A toy of a runtime that recovers: head H has daemon N1 keep an image and read it back, stop the
// rank W that runs there, and daemon N2 start it. Whenever it hears that W has failed, it has it
// stopped for good and started where it ran; whenever N2 has failed, on N1.

const toyW, toyN1, toyN2, toyH = 0, 1, 2, 3

// toyCase is the case of a run of the toy, with an image of so many bytes.
type toyCase struct {
	Toy int `json:"toy"`
}

// toySetup makes the toy, if the case is one.
func toySetup(text json.RawMessage) (*core.Setup, bool) {
	var c toyCase
	if json.Unmarshal(text, &c) != nil || c.Toy == 0 {
		return nil, false
	}
	image := make([]byte, c.Toy)
	for i := range image {
		image[i] = byte(i % 251)
	}
	return &core.Setup{Protocol: "toy", Layout: core.Layout{Names: []string{"W", "N1", "N2", "H"},
		Ranks: 1, Nodes: []core.Proc{toyN1},
		Hosted: map[core.Proc]bool{toyW: false, toyN1: false, toyN2: false}},
		Programs: make([]core.Program, 1), Watchers: []core.Proc{toyH}, Launched: true,
		Local: []core.Proc{toyN1, toyN2}, NewMessage: func() core.Message { return &toyNote{} },
		New: func(p core.Proc) core.Machine {
			switch p {
			case toyW:
				return &toyRank{}
			case toyH:
				return &toyHead{image: image}
			}
			return &toyDaemon{}
		}}, true
}

// toyNote is every message of the toy.
type toyNote struct {
	Kind, Text string
	Data       []byte
}

func (n *toyNote) Describe() trace.Wire { return trace.Wire{Kind: n.Kind} }

func toySend(to core.Proc, kind, text string, data []byte) core.Effect {
	return core.SendTo(to, &toyNote{kind, text, data})
}

func says(text string) core.Effect {
	return core.Effect{Kind: core.Declare, What: trace.Declared, Key: text}
}

// toyRank says where it runs and with what.
type toyRank struct{ core.Service }

func (*toyRank) State() []any { return nil }

func (*toyRank) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Restore {
		return out
	}
	text := fmt.Sprintf("up %d on %d with", in.Incarnation, in.From)
	for _, r := range in.Records {
		text += fmt.Sprintf(" %s of %d: %x", r.Key, r.Owner, core.Digest(r.Value))
	}
	return append(out, toySend(toyH, "up", text, nil))
}

// toyDaemon does what the head says.
type toyDaemon struct {
	core.Service
	value []byte
}

func (d *toyDaemon) State() []any { return []any{&d.value} }

func (d *toyDaemon) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Received:
		switch n := in.Message.(*toyNote); n.Kind {
		case "keep":
			d.value = n.Data
			return append(out, core.Effect{Kind: core.Persist, Key: "img", Value: n.Data})
		case "stop":
			return append(out, core.Effect{Kind: core.Kill, To: toyW})
		case "start":
			return append(out, core.Effect{Kind: core.Launch, To: toyW, Key: "img", Value: n.Data})
		}
	case core.Persisted:
		return append(out, core.Effect{Kind: core.Read, Key: in.Key})
	case core.Refused:
		return append(out, toySend(toyH, "kept", "refused", nil))
	case core.Loaded:
		text := "lost"
		for _, r := range in.Records {
			switch {
			case r.Torn:
				text = "torn"
			case !slices.Equal(r.Value, d.value):
				text = "wrong"
			default:
				text = "whole"
			}
		}
		return append(out, toySend(toyH, "kept", text, nil))
	case core.Killed:
		return append(out, toySend(toyH, "stopped", fmt.Sprintf("stopped %d", in.Incarnation), nil))
	}
	return out
}

// toyHead gives the orders, and declares what it hears.
type toyHead struct {
	core.Service
	image []byte
	at    core.Proc
}

func (h *toyHead) State() []any { return []any{&h.at} }

func (h *toyHead) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		h.at = toyN1
		return append(out, toySend(toyN1, "keep", "", h.image))
	case core.Down:
		out = append(out, says(fmt.Sprint("down ", in.Procs, " ", in.Incarnation)))
		if in.Procs[0] == toyW {
			return append(out, toySend(h.at, "stop", "", nil))
		}
		h.at = toyN1
		return append(out, toySend(toyN1, "start", "", h.image))
	case core.Received:
		switch n := in.Message.(*toyNote); n.Kind {
		case "kept":
			return append(out, says("kept "+n.Text), toySend(toyN1, "stop", "", nil))
		case "stopped":
			h.at = toyN2
			return append(out, says(n.Text), toySend(toyN2, "start", "", h.image))
		case "up":
			return append(out, says(n.Text))
		}
	}
	return out
}

// toyRun runs the toy, and gives what its head has declared.
func toyRun(t *testing.T, size int, change func(*cluster.Config)) (out *cluster.Result, said,
	dir string) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(toyCase{size})
	if err != nil {
		t.Fatal(err)
	}
	setup, _ := toySetup(text)
	c := cluster.Config{Setup: setup, Case: toyCase{size}, Model: fault.Model{Failures: 2},
		Dir: t.TempDir(), Path: path, Spread: time.Millisecond, Timeout: 20 * time.Second}
	if change != nil {
		change(&c)
	}
	if out, err = cluster.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !out.Complete {
		t.Fatalf("the run is not complete: %s %s", out.Bound, out.Panic)
	}
	var words []string
	for _, e := range out.Trace.Events {
		if e.Kind == trace.Declared && e.Proc == toyH {
			words = append(words, e.Text)
		}
	}
	return out, strings.Join(words, "; "), c.Dir
}

// TestLaunch lets daemons stop, start and read: a rank that fails starts again only where it is
// started, once for each order, with the record that it is started with, whatever its size; it is
// reported with the life that ended, and not when its node is. The expected words are the story of
// the toy; what a life says just before it is killed may be lost.
func TestLaunch(t *testing.T) {
	const size = 20 << 20 // more than a line of orders may have
	small := digestOf(1000)
	up := func(life, node int, digest string) string {
		return fmt.Sprintf("up %d on %d with img of %d: %s", life, node, node, digest)
	}
	begins := "kept whole; stopped 0; " + up(1, toyN2, small)
	failure := func(victim core.Proc, after int) func(*cluster.Config) {
		return func(c *cluster.Config) {
			c.Plan.Failures = []plan.Failure{{Victims: []core.Proc{victim}, By: toyW, After: after}}
		}
	}
	tests := []struct {
		name   string
		size   int
		change func(*cluster.Config)
		want   string
	}{
		{"no failure", 1000, nil, begins},
		{"large image", size, nil, "kept whole; stopped 0; " + up(1, toyN2, digestOf(size))},
		{"rank", 1000, failure(toyW, 1), begins + "; down [0] 1; stopped 1; " +
			up(2, toyN2, small)},
		{"node with the rank", 1000, failure(toyN2, 1), begins + "; down [2] 0; " +
			up(2, toyN1, small)},
		{"node, when the head has said a word", 1000, func(c *cluster.Config) {
			c.Reached = []cluster.Reached{{Victims: []core.Proc{toyN2}, By: toyH,
				What: cluster.Said, Word: "up"}}
		}, begins + "; down [2] 0; " + up(2, toyN1, small)},
		{"rank, then its node", 1000, func(c *cluster.Config) {
			c.Plan.Failures = []plan.Failure{{Victims: []core.Proc{toyW}, By: toyW, After: 1},
				{Victims: []core.Proc{toyN2}, By: toyW, After: 2}}
		}, begins + "; down [0] 1; stopped 1; " + up(2, toyN2, small) + "; down [2] 0; " +
			up(3, toyN1, small)},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i != 0 && i != 2 {
				effort.Seconds(t)
			}
			out, got, _ := toyRun(t, tt.size, tt.change)
			heard := strings.Split(got, "; ")
			want := slices.DeleteFunc(strings.Split(tt.want, "; "), func(word string) bool {
				return strings.HasPrefix(word, "up ") && !strings.HasSuffix(tt.want, word) &&
					!slices.Contains(heard, word) // said by a life that was killed with it
			})
			if !slices.Equal(heard, want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			lives := 0
			for _, e := range out.Trace.Events {
				if e.Kind == trace.Adopted && e.Peer == toyW {
					lives++
				}
			}
			if want := strings.Count(tt.want, "up "); lives != want {
				t.Errorf("adopted %d times, want %d", lives, want)
			}
			ordered := 0
			for _, c := range out.Crashes {
				if c.Ordered {
					ordered++
				}
			}
			if ordered != 1 || out.Failures != len(out.Crashes)-1 {
				t.Errorf("%d stops by order and %d failures among %+v", ordered, out.Failures,
					out.Crashes)
			}
		})
	}
}

// TestReminded kills the head right behind the news that a node is down: its next life is told of
// the node again, and of nothing else.
func TestReminded(t *testing.T) {
	out, got, _ := toyRun(t, 1000, func(c *cluster.Config) {
		c.Model.Failures = 3
		c.Plan.Failures = []plan.Failure{{Victims: []core.Proc{toyW}, By: toyW, After: 1},
			{Victims: []core.Proc{toyN2}, By: toyW, After: 2}}
		c.Reached = []cluster.Reached{{Victims: []core.Proc{toyH}, By: toyH, What: cluster.Said,
			Word: "down [2] 0"}}
	})
	if strings.Count(got, "down [2] 0") != 2 || strings.Count(got, "down [0]") != 1 {
		t.Errorf("%d failures, the heads say: %s", out.Failures, got)
	}
}

// digestOf is that of an image.
func digestOf(size int) string {
	text, _ := json.Marshal(toyCase{size}) // of a number
	setup, _ := toySetup(text)
	return fmt.Sprintf("%x", core.Digest(setup.New(toyH).(*toyHead).image))
}

// TestNodeFolder kills a node: its folder, with the disk of its daemon and of what ran there, is
// gone with it, or stays where disks survive; the others' stay, and so does the evidence.
func TestNodeFolder(t *testing.T) {
	for _, disks := range []fault.Disks{fault.GoWithNode, fault.SurviveNode} {
		_, _, dir := toyRun(t, 1000, func(c *cluster.Config) {
			c.Model.Disks = disks
			c.Plan.Failures = []plan.Failure{{Victims: []core.Proc{toyN2}, By: toyW, After: 1}}
		})
		for _, name := range []string{"n001/p001", "n002/p002", "n002/p000"} {
			_, err := os.Stat(filepath.Join(dir, name))
			want := disks == fault.GoWithNode && strings.HasPrefix(name, "n002")
			if gone := os.IsNotExist(err); gone != want {
				t.Errorf("disks %d: %s: %v", disks, name, err)
			}
		}
		if list, err := filepath.Glob(filepath.Join(dir, "p*", "evidence-*")); err != nil ||
			len(list) != 6 {
			t.Errorf("evidence %v %v, want of 4 first lives and 2 of the rank", list, err)
		}
	}
}

// TestSpoils damages the disk of the daemon between its write and its read: the machine is told,
// and nobody dies of it.
func TestSpoils(t *testing.T) {
	tests := []struct {
		what  plan.Damage
		after int // effects of the daemon: the write is one, the read the next
		want  []string
	}{
		{plan.Lose, 1, []string{"kept lost"}},
		{plan.Corrupt, 1, []string{"kept torn", "kept wrong"}},
		{plan.Full, 0, []string{"kept refused"}},
	}
	for _, tt := range tests {
		seen := map[string]bool{}
		for seed := range uint64(4) {
			_, got, _ := toyRun(t, 1000, func(c *cluster.Config) {
				c.Seed = seed
				c.Model.Spoiled = []core.Proc{toyN1}
				c.Model.Lose, c.Model.Corrupt, c.Model.Full = 1, 1, 1
				c.Plan.Spoils = []plan.Spoil{{Proc: toyN1, After: tt.after, What: tt.what}}
			})
			word, rest, _ := strings.Cut(got, "; ")
			if !slices.Contains(tt.want, word) || !strings.HasPrefix(rest, "stopped 0; up 1") {
				t.Errorf("%s: %s, want one of %v", tt.what, got, tt.want)
			}
			seen[word] = true
			if len(seen) == len(tt.want) || !effort.Long() {
				break
			}
		}
	}
}
