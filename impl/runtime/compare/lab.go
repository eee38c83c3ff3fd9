package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// Scale is what is run. The zero value is not usable, see Usual.
type Scale struct {
	Ranks    int
	Groups   [][]core.Rank // of rows with groups; nil = pairs
	Programs []string      // shapes of package script
	Failures []Failure     // in the place of those that are tried otherwise
}

// Usual is what is run where nobody says more.
func Usual() Scale {
	return Scale{Ranks: 6, Programs: []string{"ring", "stencil", "all-to-all", "reduction",
		"master-worker"}}
}

// Validate reports what can not be run, naming it.
func (s *Scale) Validate() error {
	if s.Ranks < 2 || s.Ranks > 32 {
		return fmt.Errorf("compare: %d ranks, want [2, 32]: one alone has nobody to talk to",
			s.Ranks)
	}
	if len(s.Programs) == 0 {
		return errors.New("compare: no program")
	}
	for _, name := range s.Programs {
		if _, err := script.Generate(fmt.Sprintf("%s %d", name, s.Ranks)); err != nil {
			return fmt.Errorf("compare: %w", err)
		}
	}
	for _, f := range s.Failures {
		for _, r := range f.Ranks {
			if int(r) >= s.Ranks {
				return fmt.Errorf("compare: failure of rank r%d, which does not exist: there are "+
					"r0 to r%d", r, s.Ranks-1)
			}
		}
	}
	return nil
}

// needs is how deterministic the shapes are; one that is not here is as deterministic as can be.
var needs = map[string]promise.Determinism{"reduction": promise.SendDeterministic,
	"master-worker": promise.Piecewise}

// lengths are the iterations of the shapes, so that they take about as long.
var lengths = map[string]int{"ring": 8, "stencil": 20, "all-to-all": 8, "reduction": 12,
	"master-worker": 6, "wavefront": 20, "domino": 12}

// lab measures one row.
type lab struct {
	ctx      context.Context
	scale    Scale
	row      Row
	protocol *protocol.Protocol
	options  string
	promises promise.Promises
	gathers  bool // images are for all programs to ask for, at the same place
	study    *Study
	runs     int // of the column that is being measured
	known    protocol.List
	takes    map[string]time.Duration // runs without images and failures
	finals   map[string][]uint64      // results of programs where nothing fails
}

// pairs are groups of two, the last one of three where there are an odd number of ranks.
func pairs(ranks int) (groups [][]core.Rank) {
	for r := range ranks {
		if r%2 == 1 || r == ranks-1 && r > 0 {
			last := len(groups) - 1
			groups[last] = append(groups[last], core.Rank(r))
			continue
		}
		groups = append(groups, []core.Rank{core.Rank(r)})
	}
	return groups
}

// groups are those of a run with so many ranks, nil where the row has none.
func (l *lab) groups(ranks int) [][]core.Rank {
	given := l.scale.Groups
	switch {
	case !l.row.Grouped:
		return nil
	case given != nil && ranks == l.scale.Ranks:
		return given
	case len(given) == 1:
		return [][]core.Rank{everybody(ranks)}
	case given != nil && len(given) == l.scale.Ranks:
		return alone(ranks)
	}
	return pairs(ranks)
}

// everybody is all ranks.
func everybody(ranks int) (list []core.Rank) {
	for r := range ranks {
		list = append(list, core.Rank(r))
	}
	return list
}

// alone is a group for each rank.
func alone(ranks int) (groups [][]core.Rank) {
	for r := range ranks {
		groups = append(groups, []core.Rank{core.Rank(r)})
	}
	return groups
}

// apart are groups in which the partners of domino are apart, as far as the groups that were asked
// for allow.
func (l *lab) apart(ranks int) [][]core.Rank {
	groups := l.groups(ranks)
	if len(groups) < 2 || len(groups) == ranks {
		return groups
	}
	groups = make([][]core.Rank, 2)
	for r := range ranks {
		groups[r%2] = append(groups[r%2], core.Rank(r))
	}
	return groups
}

// base is a case without images and failures.
func (l *lab) base(shape string, ranks, iterations int) *Case {
	return &Case{Protocol: l.protocol, Options: l.options, Tolerates: l.row.Tolerates, Shape: shape,
		Ranks: ranks, Iterations: iterations, Groups: l.groups(ranks)}
}

// programs are the shapes that the protocol can run.
func (l *lab) programs() (list []string) {
	for _, name := range l.scale.Programs {
		if name == "domino" || l.needs(name) {
			list = append(list, name)
		}
	}
	return list
}

// needs reports whether a program is as deterministic as the protocol needs it.
func (l *lab) needs(shape string) bool {
	least, limited := needs[shape]
	return !limited || l.promises.Needs <= least
}

// run is a run that counts for the present column. One that does not end is noted.
func (l *lab) run(c *Case) (*Facts, error) { return l.runAnd(c, false) }

// runAnd is the same, perhaps with looks into the states of machines.
func (l *lab) runAnd(c *Case, looks bool) (*Facts, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	f, err := run(c, looks)
	if err != nil {
		return nil, err
	}
	l.runs++
	l.study.Runs++
	if !f.Ended {
		l.study.Stuck = append(l.study.Stuck, c.String())
	}
	return f, nil
}

// images puts a plan of images into a case: so many of each unit while it runs.
func (l *lab) images(c *Case, times int) error {
	if l.gathers {
		c.Images = Plan{Iterations: max(1, c.Iterations/(times+1))}
		return nil
	}
	took, err := l.length(c)
	if err != nil {
		return err
	}
	// a whole number of microseconds, so that it reads well
	c.Images = Plan{Every: max(took/time.Duration(times), 10*time.Microsecond).
		Round(time.Microsecond)}
	return nil
}

// length is how long a case takes without images and failures and with writes that take no time.
func (l *lab) length(c *Case) (time.Duration, error) {
	plain := *c
	plain.Images, plain.Failures, plain.Write = Plan{}, nil, 0
	key := plain.String()
	if took, ok := l.takes[key]; ok {
		return took, nil
	}
	f, err := l.run(&plain)
	if err != nil {
		return 0, err
	}
	l.takes[key] = f.Elapsed
	return f.Elapsed, nil
}

// open prepares the row; an error says why nothing of it can be measured.
func (l *lab) open(known protocol.List) error {
	var err error
	if l.row.Protocol == "-" {
		return errors.New("it is a system, of which nothing is here")
	}
	if l.protocol, l.options, err = l.row.find(known); err != nil {
		return err
	}
	setup, err := l.base("ring", l.scale.Ranks, 1).setup()
	if err != nil {
		return err
	}
	l.promises, l.gathers = setup.Promises, len(setup.Initiators) == 0
	if len(l.programs()) == 0 {
		return fmt.Errorf("it needs programs that are %v, and none of %s is", l.promises.Needs,
			strings.Join(l.scale.Programs, ", "))
	}
	if setup.Watchdogs {
		return errNodes
	}
	return nil
}

// survives reports whether so many failures at a time are within what the protocol promises: others
// are not tried, because it may lose the job.
func (l *lab) survives(units int) bool {
	most := l.promises.MaxFailures
	return most == 0 || most >= units
}

// unit is who fails or goes back together with a rank.
func (l *lab) unit(r core.Rank, ranks int) []core.Rank {
	for _, g := range l.groups(ranks) {
		if slices.Contains(g, r) {
			return g
		}
	}
	return []core.Rank{r}
}
