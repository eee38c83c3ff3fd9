package app

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// printEpisodes tells a reader how the runtime has answered failures.
func printEpisodes(w io.Writer, l *core.Layout, list []cluster.Episode) {
	for _, e := range list {
		owner := e.Owner
		if owner == "" {
			owner = "nobody"
		}
		fmt.Fprintf(w, "episode %d: %s, by %s:", e.Number, l.NamesOf(e.Failed), owner)
		for s, d := range e.Steps {
			if d > 0 {
				fmt.Fprintf(w, " %s %s,", cluster.StepNames[s], short3(d))
			}
		}
		end := "it was overtaken, or gave up"
		if e.Resumed {
			end = "resumed"
		}
		fmt.Fprintf(w, " %s after %s\n", end, short3(e.Took()))
	}
}

// episodeTally is how long the steps of the answers of one policy took, of those that have come to
// their end.
type episodeTally struct {
	Owner    string                `json:"owner"`
	Episodes int                   `json:"episodes"`
	Resumed  int                   `json:"resumed"`
	Steps    [cluster.Steps]spread `json:"steps"`
	All      spread                `json:"all"`

	steps [cluster.Steps][]time.Duration
	all   []time.Duration
}

// episodeTallies are those of all policies, by name.
type episodeTallies []*episodeTally

// note adds the episodes of a run.
func (t *episodeTallies) note(list []cluster.Episode) {
	for _, e := range list {
		i, found := slices.BinarySearchFunc(*t, e.Owner, func(t *episodeTally, name string) int {
			return strings.Compare(t.Owner, name)
		})
		if !found {
			*t = slices.Insert(*t, i, &episodeTally{Owner: e.Owner})
		}
		o := (*t)[i]
		if o.Episodes++; !e.Resumed {
			continue
		}
		o.Resumed++
		for s, d := range e.Steps {
			o.steps[s] = append(o.steps[s], d)
		}
		o.all = append(o.all, e.Took())
	}
}

// settle computes the spreads.
func (t episodeTallies) settle() {
	for _, o := range t {
		for s := range o.steps {
			o.Steps[s] = spreadOf(o.steps[s])
		}
		o.All = spreadOf(o.all)
	}
}

// print writes the table, if there is anything in it.
func (t episodeTallies) print(out io.Writer) error {
	if len(t) == 0 {
		return nil
	}
	t.settle()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\npolicy\tepisodes\tresumed\t%s\tall\n",
		strings.Join(cluster.StepNames[:], "\t"))
	for _, o := range t {
		owner := o.Owner
		if owner == "" {
			owner = "(nobody)"
		}
		fmt.Fprintf(w, "%s\t%d\t%d", owner, o.Episodes, o.Resumed)
		for _, s := range o.Steps {
			fmt.Fprintf(w, "\t%s", s)
		}
		fmt.Fprintf(w, "\t%s\n", o.All)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "steps of the episodes that were resumed, since the step before: "+
		"median, 99 %, most")
	return err
}
