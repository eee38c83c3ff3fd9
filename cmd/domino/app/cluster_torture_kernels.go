package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
)

// tortureKernels are what is run beside scenarios, whose messages are few and small: programs of
// real size, and a stream of messages so large that always some are on their way.
var tortureKernels = []struct{ name, program string }{
	{"stream", "ring ranks=3 size=393216 iterations=16 checkpoint=5"},
	{"heat", "heat ranks=4 n=24 iterations=8 checkpoint=3"},
	{"any", "heat ranks=4 n=16 iterations=6 checkpoint=2 receives=any"},
	{"cg", "cg ranks=4 n=64 iterations=1 inner=6 checkpoint=1"},
	{"smg", "smg ranks=4 edge=64 iterations=4 checkpoint=2"},
	{"nbody", "nbody ranks=4 n=16 iterations=3 checkpoint=1"},
	{"matmul", "matmul-dynamic ranks=4 n=16 iterations=2"},
}

// noKernels is the word for none of them, allKernels for all and no scenarios.
const noKernels, allKernels = "none", "all"

func tortureKernelNames() string {
	var names []string
	for _, k := range tortureKernels {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// kernelClusters are the clusters of their ranks, for protocols that have any.
const kernelClusters = "r0 r1 | r2"

// addKernels takes the kernels, with each protocol that can run them.
func (t *torture) addKernels() error {
	named := fields(t.flags.kernels)
	for _, name := range named {
		if !strings.Contains(", "+tortureKernelNames()+", "+noKernels+", "+allKernels+", ",
			", "+name+", ") {
			return fmt.Errorf("--kernel %s: want some of %s, or %s, or %s", name,
				tortureKernelNames(), allKernels, noKernels)
		}
	}
	if t.named && len(named) == 0 {
		return nil
	}
	for _, p := range t.std.Protocols() {
		for _, k := range tortureKernels {
			if !t.wants(p.Name) || len(named) > 0 && !slices.Contains(named, allKernels) &&
				!slices.Contains(named, k.name) {
				continue
			}
			if err := t.addKernel(p.Name, k.name, k.program); err != nil {
				return err
			}
		}
	}
	return nil
}

// addKernel takes a kernel, if the protocol can run it, in clusters if it has any.
func (t *torture) addKernel(protocol, name, program string) error {
	clusters := kernelClusters
	if strings.Contains(program, "ranks=4") {
		clusters += " r3"
	}
	for _, more := range []string{"clusters: " + clusters + "\n", ""} {
		s, err := scenarios.Parse("torture-"+name+"-"+protocol+".txtar", []byte(
			"Torture: "+name+" under "+protocol+"\n-- scenario --\nprotocol: "+protocol+
				"\nprogram: kernel "+program+"\nfailures: 1\n"+more))
		if err != nil {
			return err
		}
		r, err := t.std.Resolve(s)
		if err != nil || r.Setup.Promises.MaxFailures < 0 {
			continue // it is not for this protocol
		}
		if err := t.add(s, r); err != nil && !errors.Is(err, cluster.ErrModel) {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		return nil
	}
	return nil
}

// draw is who is next: of two protocols the one that has had fewer failures, so that each gets its
// share however many scenarios it has, and of that a scenario or kernel.
func (t *torture) draw() *victim {
	names := t.protocols()
	name := names[t.rng.IntN(len(names))]
	if other := names[t.rng.IntN(len(names))]; t.killsOf(other) < t.killsOf(name) {
		name = other
	}
	var list []*victim
	for _, v := range t.victims {
		if v.scenario.Protocol == name {
			list = append(list, v)
		}
	}
	return list[t.rng.IntN(len(list))]
}

// protocols are those of the victims.
func (t *torture) protocols() (names []string) {
	for _, v := range t.victims {
		names = append(names, v.scenario.Protocol)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// killsOf is how many failures have struck under a protocol.
func (t *tallies) killsOf(protocol string) int {
	for _, one := range t.list {
		if one.Protocol == protocol {
			return one.Kills
		}
	}
	return 0
}
