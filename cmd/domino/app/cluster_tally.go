package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/domino-check/domino/checker/lift"
)

// tally is what runs with failures have shown, of one protocol or of all.
type tally struct {
	Protocol  string `json:"protocol"`
	Runs      int    `json:"runs"`
	Kills     int    `json:"kills"`     // groups that were killed
	Processes int    `json:"processes"` // with all that stopped with them
	Alarms    int    `json:"alarms"`    // false suspicions
	Stops     int    `json:"stops"`     // processes that were stopped, and went on
	Unstruck  int    `json:"unstruck"`  // failures whose moment did not come
	Lifted    int    `json:"lifted"`    // runs that were found again in the world
	Unlifted  int    `json:"unlifted"`  // runs of which it is unknown whether they are there
	Detected  spread `json:"detected"`  // from the kill until the supervisor knew
	Agreed    spread `json:"agreed"`    // until all had taken what was left of the dead
	Restarted spread `json:"restarted"` // until a new life had read its records
	Recovered spread `json:"recovered"` // until a rank was where it had been

	detected, agreed, restarted, recovered []time.Duration
}

// spread is how times are spread. All are 0 if there are none.
type spread struct {
	Median  time.Duration `json:"median"`
	Percent time.Duration `json:"p99"`
	Most    time.Duration `json:"most"`
}

// note adds a run.
func (t *tally) note(ran *clusterRan) {
	r := ran.result
	t.Runs++
	if l := ran.lifted; l != nil && l.Verdict == lift.Found {
		t.Lifted++
	} else if l != nil && l.Verdict == lift.Unknown {
		t.Unlifted++
	}
	t.Kills += r.Failures
	t.Unstruck += r.Unstruck
	t.Alarms += r.Suspicions
	for _, s := range r.Stops {
		t.Stops += len(s.Procs)
	}
	for _, c := range r.Crashes {
		if c.Ordered {
			continue // no failure
		}
		t.Processes += len(c.Procs)
		t.detected = append(t.detected, c.Reaped-c.At)
		t.agreed = append(t.agreed, c.Agreed-c.At)
		for _, at := range c.Restarts {
			t.restarted = append(t.restarted, at-c.At)
		}
	}
	for _, c := range r.Recoveries() {
		if c.CaughtUp > 0 {
			t.recovered = append(t.recovered, c.CaughtUp-c.Stopped)
		}
	}
}

// settle computes the spreads.
func (t *tally) settle() {
	t.Detected, t.Agreed, t.Restarted, t.Recovered = spreadOf(t.detected), spreadOf(t.agreed),
		spreadOf(t.restarted), spreadOf(t.recovered)
}

func spreadOf(list []time.Duration) spread {
	if len(list) == 0 {
		return spread{}
	}
	slices.Sort(list)
	return spread{list[len(list)/2], list[len(list)*99/100], list[len(list)-1]}
}

// String gives the three numbers.
func (s spread) String() string {
	if s == (spread{}) {
		return "-"
	}
	return fmt.Sprintf("%s %s %s", short3(s.Median), short3(s.Percent), short3(s.Most))
}

// tallies are those of all protocols, by name, and their sum.
type tallies struct {
	list     []*tally
	all      tally
	episodes episodeTallies
	unlifted string // why, of the last one
}

func (t *tallies) note(protocol string, r *clusterRan) {
	if l := r.lifted; l != nil && l.Verdict == lift.Unknown {
		t.unlifted = ", such as " + r.scenario.Name + ": " + l.Reason
	}
	i, ok := slices.BinarySearchFunc(t.list, protocol, func(t *tally, name string) int {
		return cmp.Compare(t.Protocol, name)
	})
	if !ok {
		t.list = slices.Insert(t.list, i, &tally{Protocol: protocol})
	}
	t.list[i].note(r)
	t.all.note(r)
	t.episodes.note(r.result.Episodes())
}

// settled is the list with the sum at its end.
func (t *tallies) settled() []*tally {
	t.all.Protocol = "all"
	list := append(slices.Clone(t.list), &t.all)
	for _, one := range list {
		one.settle()
	}
	return list
}

// print writes the table.
func (t *tallies) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "protocol\truns\tkills\tunstruck\tprocesses\tdetected\tagreed\trestarted\trecovered")
	for _, one := range t.settled() {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", one.Protocol, one.Runs, one.Kills,
			one.Unstruck, one.Processes, one.Detected, one.Agreed, one.Restarted, one.Recovered)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out,
		"times since the kill, median, 99 %, most: the supervisor knew; all had taken what was "+
			"left of the dead; a new life had its records; a rank was where it had been")
	return errors.Join(err, t.episodes.print(out))
}
