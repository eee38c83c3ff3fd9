package app

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/fault"
)

// lawFlags say how failures come by the clock.
type lawFlags struct {
	mtbf  time.Duration
	shape float64
	trace string
}

// register adds the flags.
func (l *lawFlags) register(f *pflag.FlagSet) {
	f.DurationVar(&l.mtbf, "mtbf", 0, "kill ranks, drawn by --seed, with so long between two "+
		"failures in the mean, of whichever rank; 0: none")
	f.Float64Var(&l.shape, "shape", 0, "of the Weibull distribution of --mtbf: below 1 failures "+
		"come in bunches, as on real machines; 0: 1, which is exponential")
	f.StringVar(&l.trace, "trace", "", "failures that were recorded, from anywhere on: a file "+
		"with lines SECONDS or SECONDS,NODE; --mtbf scales its times")
}

// given reports whether failures are to come by a law.
func (l *lawFlags) given() bool { return l.mtbf != 0 || l.shape != 0 || l.trace != "" }

// law reads the trace, if there is one.
func (l *lawFlags) law() (*plan.Law, error) {
	law := &plan.Law{MTBF: l.mtbf, Shape: l.shape}
	if l.trace != "" {
		f, err := os.Open(l.trace)
		if err != nil {
			return nil, fmt.Errorf("--trace: %w", err)
		}
		law.Trace, err = plan.ReadTrace(&bounded{in: f, left: mostSmall}, l.trace)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	if err := law.Check(); err != nil {
		return nil, fmt.Errorf("--mtbf, --shape, --trace: %w", err)
	}
	return law, nil
}

// add draws the failures of a run, if any are to come by a law.
func (l *lawFlags) add(k *strikes, seed uint64, setup *core.Setup, until time.Duration) error {
	if !l.given() {
		return nil
	}
	law, err := l.law()
	switch {
	case err != nil:
		return err
	case setup.Promises.MaxFailures < 0:
		return errors.New("--mtbf: the protocol survives no failure; name one with --protocol")
	case setup.Layout.Ranks == 0:
		return errors.New("--mtbf kills ranks, and here are none")
	}
	k.Lawful = true
	k.Timed = append(k.Timed, drawTimed(law, seed, setup, until)...)
	return nil
}

// carry has failures that come by the clock wait for what the protocol can carry, such as the end
// of the recovery from the one before.
func (c *clusterCase) carry() {
	if near, ok := world.Nearest(c.resolved.Setup, &c.resolved.Model); ok {
		c.resolved.Model = near
	}
}

// drawTimed draws the failures of a run by a law.
func drawTimed(law *plan.Law, seed uint64, setup *core.Setup, until time.Duration) (
	list []cluster.Timed) {
	rng := rand.New(rand.NewPCG(seed, lawStream))
	for _, e := range law.Draw(rng, setup.Layout.Ranks, until, fault.Max) {
		list = append(list, cluster.Timed{At: e.At, Victims: []core.Proc{core.Proc(e.Rank)}})
	}
	return list
}

// lawStream keeps the failures of a seed apart from all else that is drawn by it.
const lawStream = 0x6d746266
