package app

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// strikes are the failures of a run as processes, by effects, by the clock, and by progress, and
// the false suspicions.
type strikes struct {
	Plan    plan.Plan         `json:"plan"`
	Timed   []cluster.Timed   `json:"timed,omitempty"`
	Reached []cluster.Reached `json:"reached,omitempty"`
	Stops   []cluster.Stop    `json:"stops,omitempty"` // false suspicions
	// who is silent for so long is suspected, too
	Silence time.Duration `json:"silence,omitempty"`
	Every   time.Duration `json:"every,omitempty"` // between two requests for checkpoints
	// the timed ones are drawn by a law: those that the run ends before are not missed
	Lawful bool `json:"lawful,omitempty"`
	// with a process that is killed what it has not synced is lost
	Forget bool `json:"forget,omitempty"`
}

// victims are those of each failure.
func (k *strikes) victims() (list [][]core.Proc) {
	for _, f := range k.Plan.Failures {
		list = append(list, f.Victims)
	}
	for _, t := range k.Timed {
		list = append(list, t.Victims)
	}
	for _, r := range k.Reached {
		list = append(list, r.Victims)
	}
	return list
}

// hurried is how many effects into the recovery from a failure the next one falls at most, when it
// is to fall there.
const hurried = 8

// hurry has some of the failures strike while a victim of the one before recovers, which those at
// places of a history seldom do.
func (k *strikes) hurry(rng *rand.Rand) {
	var kept []plan.Failure
	for i, f := range k.Plan.Failures {
		if i == 0 || rng.IntN(3) > 0 {
			kept = append(kept, f)
			continue
		}
		before := k.Plan.Failures[i-1].Victims
		k.Reached = append(k.Reached, cluster.Reached{Victims: f.Victims,
			By: before[rng.IntN(len(before))], What: cluster.Renewed,
			Number: uint64(rng.IntN(hurried))})
	}
	k.Plan.Failures = kept
}

// parseKills reads the failures that the user asks for. Moments in percent are of a run that takes
// so long, if that is known.
func parseKills(list []string, setup *core.Setup, whole time.Duration) (k strikes, err error) {
	for _, text := range list {
		if err := k.parse(text, setup, whole); err != nil {
			return k, fmt.Errorf("--kill %s: %w", text, err)
		}
	}
	return k, nil
}

// errMoment says which moments there are.
var errMoment = errors.New("want a number of effects, iteration=N, date=N, phase=N, recovery, " +
	"says=WORD or a time after the @")

// parse reads PROC[+PROC ...]@[PROC:]MOMENT.
func (k *strikes) parse(text string, setup *core.Setup, whole time.Duration) (err error) {
	proc := func(name string) (core.Proc, error) {
		i := slices.Index(setup.Layout.Names, name)
		if i < 0 {
			return 0, fmt.Errorf("there is no proc %q, there are %s", name,
				strings.Join(setup.Layout.Names, " "))
		}
		return core.Proc(i), nil
	}
	who, when, ok := strings.Cut(text, "@")
	if !ok {
		return errors.New("want PROC@MOMENT")
	}
	var victims []core.Proc
	for _, name := range strings.Split(who, "+") {
		p, err := proc(name)
		if err != nil {
			return err
		}
		victims = append(victims, p)
	}
	by := victims[0]
	slices.Sort(victims)
	if at, timed, err := clockTime(when, whole); err != nil {
		return err
	} else if timed {
		k.Timed = append(k.Timed, cluster.Timed{At: at, Victims: victims})
		return nil
	}
	if name, rest, ok := strings.Cut(when, ":"); ok {
		if by, err = proc(name); err != nil {
			return err
		}
		when = rest
	}
	what, number, measured := strings.Cut(when, "=")
	if when == string(cluster.Renewed) {
		what, number, measured = when, "1", true
	}
	if !measured {
		number = when
	} else if what == string(cluster.Said) {
		r, err := parseSaid(number)
		r.Victims, r.By = victims, by
		k.Reached = append(k.Reached, r)
		return err
	}
	n, err := strconv.ParseUint(number, 10, 31)
	switch {
	case err != nil:
		return errMoment
	case measured:
		k.Reached = append(k.Reached, cluster.Reached{Victims: victims, By: by,
			What: cluster.Measure(what), Number: n})
	default:
		k.Plan.Failures = append(k.Plan.Failures,
			plan.Failure{Victims: victims, By: by, After: int(n)})
	}
	return nil
}

// parseSaid reads WORD or WORD#N.
func parseSaid(text string) (r cluster.Reached, err error) {
	word, count, many := strings.Cut(text, "#")
	n, err := strconv.ParseUint(cmp.Or(count, "1"), 10, 31)
	if err != nil || n == 0 || many && count == "" || word == "" {
		return r, errors.New("want says=WORD or says=WORD#N, N from 1, after the @")
	}
	return cluster.Reached{What: cluster.Said, Word: word, Number: n}, nil
}

// clockTime reads a moment by the clock: a time, or a share of a run that takes so long.
func clockTime(when string, whole time.Duration) (at time.Duration, timed bool, err error) {
	if number, ok := strings.CutSuffix(when, "%"); ok {
		share, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil || !(share >= 0 && share <= 100):
			return 0, false, errors.New("want a share of the run in [0, 100] %")
		case whole == 0:
			return 0, false,
				errors.New("a share of the run is for cluster perf, which knows its length")
		}
		return time.Duration(share / 100 * float64(whole)), true, nil
	}
	at, err = time.ParseDuration(when)
	if err != nil || strings.Trim(when, "0123456789") == "" {
		return 0, false, nil
	}
	if at < 0 {
		return 0, false, errors.New("the time is negative")
	}
	return at, true, nil
}
