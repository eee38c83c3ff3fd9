package app

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// victimsOf are the victims of torture with the flags.
func victimsOf(t *testing.T, args ...string) *torture {
	t.Helper()
	std := streams{Catalogue: catalogue(), out: io.Discard, err: io.Discard,
		outputs: &outputs{}}
	o, names, err := readTorture(args, std)
	if err != nil {
		t.Fatal(err)
	}
	list, err := std.chosen(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	a := &torture{flags: &o, std: std, rng: rand.New(rand.NewPCG(1, 2)), named: len(names) > 0}
	if err := a.choose(list); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestTortureDraws draws who is next a thousand times: no protocol comes less often than half of
// its share, however few scenarios it has, and one that is behind comes more often.
func TestTortureDraws(t *testing.T) {
	a := victimsOf(t, "--kernel", "all")
	counts, names := map[string]int{}, a.protocols()
	for range 1000 {
		counts[a.draw().scenario.Protocol]++
	}
	for _, name := range names {
		if least := 500 / len(names); counts[name] < least {
			t.Errorf("%s is drawn %d times of 1000, want at least %d", name, counts[name], least)
		}
	}
	for _, name := range names[1:] {
		a.tallies.note(name, &clusterRan{result: &cluster.Result{Failures: 9}})
	}
	before := counts[names[0]]
	for range 1000 {
		counts[a.draw().scenario.Protocol]++
	}
	if got := counts[names[0]] - before; got < 1500/len(names) {
		t.Errorf("%s has had no failures and is drawn %d times of 1000, want %d or more", names[0],
			got, 1500/len(names))
	}
}

// TestTortureKernels: kernels are among what is drawn, under each protocol that can run them, alone
// when they are asked for, and none when none is wanted or scenarios are named.
func TestTortureKernels(t *testing.T) {
	kernel := func(v *victim) bool { return strings.HasPrefix(v.scenario.Shape, kernelPrefix) }
	tests := []struct {
		args               string
		kernels, scenarios bool
	}{
		{"", true, true}, {"--kernel stream,heat", true, false}, {"--kernel all", true, false},
		{"--kernel none", false, true}, {"ring3", false, true}, {"ring3 --kernel heat", true, true},
	}
	for _, tt := range tests {
		a := victimsOf(t, strings.Fields(tt.args)...)
		by := map[bool]int{}
		protocols := map[string]bool{}
		for _, v := range a.victims {
			by[kernel(v)]++
			if strings.HasPrefix(v.scenario.Name, "torture-") {
				protocols[v.scenario.Protocol] = true
			}
		}
		if by[true] > 0 != tt.kernels && tt.kernels || by[false] > 0 != tt.scenarios {
			t.Errorf("%q: %d kernels and %d scenarios", tt.args, by[true], by[false])
		}
		if tt.kernels && len(protocols) < 10 || !tt.kernels && len(protocols) > 0 {
			t.Errorf("%q: kernels under %d protocols", tt.args, len(protocols))
		}
	}
	o := &torture{flags: &tortureFlags{kernels: "lukewarm"}, std: streams{Catalogue: catalogue()}}
	if err := o.addKernels(); err == nil || !strings.Contains(err.Error(), "lukewarm") {
		t.Errorf("error %v, want that there is no such kernel", err)
	}
}

// TestTortureFails: of a run that ends with an error plan, scenario and files are kept, as of one
// that is wrong, and the plan can be read again.
func TestTortureFails(t *testing.T) {
	a := victimsOf(t, "ring3")
	dir, files := t.TempDir(), t.TempDir()
	a.flags.dir, a.made = filepath.Join(dir, "kept"), 7
	a.tried = attempt{strikes{Plan: plan.Plan{Failures: []plan.Failure{
		{Victims: []core.Proc{1}, By: 1, After: 3}}}}, 42}
	if err := os.WriteFile(filepath.Join(files, "evidence"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := a.failed(a.victims[0], errors.New("the disk is full"), files)
	for _, want := range []string{"run 7, of ring3: the disk is full", "repeats it"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	saved, s, err := readPlan(filepath.Join(a.flags.dir, planFile), nil)
	if err != nil || s.Name != "ring3" || saved.Seed != 42 || len(saved.Plan.Failures) != 1 {
		t.Errorf("saved %+v of %+v, error %v, want the attempt", saved, s, err)
	}
	for _, name := range []string{"error.txt", "scenario.txtar", "files/evidence"} {
		if _, err := os.Stat(filepath.Join(a.flags.dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestOrders: what check refuses, a run as processes refuses, also where the program is too large
// to explore; and it refuses no more.
func TestOrders(t *testing.T) {
	std := streams{Catalogue: catalogue(), out: io.Discard, err: io.Discard,
		outputs: &outputs{}}
	for _, tt := range []struct {
		kernel, protocol string
		refused          bool
	}{
		{"matmul-dynamic ranks=3 n=2 blocks=3", "hydee", true},
		{"matmul-dynamic ranks=4 n=200 blocks=90 iterations=9", "hydee", true},
		{"matmul-dynamic ranks=2 n=2 blocks=2", "hydee", false},
		{"matmul-dynamic ranks=3 n=2 blocks=3", "rbml", false},
		{"leanmd ranks=4 iterations=9 cx=4 form=messages", "hydee", true},
		{"heat ranks=4 n=8 receives=any", "hydee", false},
	} {
		o := clusterRunFlags{kernel: tt.kernel, protocol: tt.protocol, timeout: time.Minute}
		c, _, err := o.prepare(t.Context(), nil, std)
		if err != nil {
			t.Fatal(err)
		}
		reason, err := c.open(t.Context())
		if err != nil || (reason != "") != tt.refused {
			t.Errorf("%s under %s: %q, %v, want refused %t", tt.kernel, tt.protocol, reason, err,
				tt.refused)
		}
	}
}

// TestPardons: a scenario whose runs now and then come to what real processes do not keep stays,
// one of which most do does not, nor one that can not even begin.
func TestPardons(t *testing.T) {
	tests := []struct {
		opened       bool
		made, unkept int
		pardoned     bool
	}{
		{true, 1, 0, true},
		{true, 3, 2, true},
		{true, 4, 9, false},
		{true, 100, 40, true},
		{true, 100, 53, false},
		{false, 1, 0, false},
	}
	for _, tt := range tests {
		o := &torture{}
		v := &victim{opened: tt.opened, made: tt.made, unkept: tt.unkept}
		if got := o.pardons(v, cluster.ErrModel); got != tt.pardoned {
			t.Errorf("%+v: pardoned %t", tt, got)
		}
		if tt.opened && (o.unkept != 1 || o.why != cluster.ErrModel.Error()) ||
			!tt.opened && o.unkept != 0 {
			t.Errorf("%+v: %d runs not kept, the last: %q", tt, o.unkept, o.why)
		}
	}
}
