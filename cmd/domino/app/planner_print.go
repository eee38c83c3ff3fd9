package app

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/scenarios"
)

// plannedAnswer is a plan as JSON.
type plannedAnswer struct {
	versioned
	Program  string   `json:"program"`
	Ranks    int      `json:"ranks"`
	Channels int      `json:"channels"` // pairs of a sender and a receiver
	Bytes    int64    `json:"bytes"`    // sent in the whole run
	Messages int64    `json:"messages"` // the same; 0 where they are not counted
	Notes    []string `json:"notes,omitempty"`
	Alpha    string   `json:"alpha"` // what it costs to log everything
	Beta     string   `json:"beta"`  // what it costs when every failure rolls back all ranks
	Method   string   `json:"method"`
	Seeds    int      `json:"seeds"` // of the search, those that were tried
	// every partition was tried: no plan is better
	Optimal     bool `json:"optimal"`
	Interrupted bool `json:"interrupted"`

	Plan      plannedClusters  `json:"plan"`
	Bisection *plannedClusters `json:"bisection,omitempty"`
	// plans that no other one found beats in both shares, the smallest clusters first
	Front []plannedClusters `json:"front,omitempty"`
}

// plannedClusters is one clustering.
type plannedClusters struct {
	Clusters int     `json:"clusters"` // how many
	Sizes    []int   `json:"sizes"`    // of each, in ranks
	Logged   int64   `json:"logged"`   // bytes between clusters
	Share    float64 `json:"share"`    // L: logged by all bytes
	Rollback float64 `json:"rollback"` // R: ranks that a failure rolls back, by all, on average
	Cost     float64 `json:"cost"`     // alpha L + beta R
	Labels   []int   `json:"labels"`   // the cluster of each rank, from 0
	Line     string  `json:"line"`     // as scenarios and cluster run --clusters take it
}

// answer is the plan for a program.
func (p *planning) answer(interrupted bool) *plannedAnswer {
	g := p.Traffic
	a := &plannedAnswer{versioned: as("clustering"), Program: p.subject.title, Ranks: g.Ranks,
		Channels: g.Channels(), Bytes: g.Bytes, Messages: g.Messages, Notes: g.Notes,
		Alpha: p.alpha, Beta: p.beta, Method: p.method, Seeds: p.tried, Optimal: p.all,
		Interrupted: interrupted, Plan: p.clustersOf(p.best)}
	if p.bisection != nil {
		b := p.clustersOf(p.bisection)
		a.Bisection = &b
	}
	for _, plan := range p.points {
		a.Front = append(a.Front, p.clustersOf(plan))
	}
	return a
}

func (p *planning) clustersOf(plan *clustering.Plan) plannedClusters {
	return plannedClusters{Clusters: len(plan.Sizes), Sizes: plan.Sizes, Logged: plan.Logged,
		Share: p.Share(plan), Rollback: p.Back(plan), Cost: p.Cost(plan), Labels: plan.Labels,
		Line: p.line(plan)}
}

// line is the clusters as a scenario has them.
func (p *planning) line(plan *clustering.Plan) string {
	return scenarios.FormatClusters(plan.Labels, p.subject.name)
}

// mostLined is up to how many ranks the line is printed: that many a run has at most.
const mostLined = 4096

// print tells a reader.
func (p *planning) print(w io.Writer, interrupted bool) {
	g := p.Traffic
	messages := ""
	if g.Counted() {
		messages = fmt.Sprintf(", %s messages", count(int(g.Messages)))
	}
	fmt.Fprintf(w, "%s: %s ranks, %s channels, %s bytes%s\n", p.subject.title, count(g.Ranks),
		count(g.Channels()), count(int(g.Bytes)), messages)
	if units := p.Units(); units < g.Ranks {
		fmt.Fprintf(w, "%s groups of ranks that stay together\n", count(units))
	}
	for _, note := range g.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	fmt.Fprintf(w, "cost = %s L + %s R: L of the bytes are logged, R of the ranks roll back after "+
		"a failure\n\n", p.alpha, p.beta)
	p.printRows(w)
	fmt.Fprintf(w, "\n%s\n", p.limits(interrupted))
	if len(p.best.Sizes) == 1 {
		fmt.Fprintln(w, "do not cluster: that costs least; whoever needs clusters says --clusters")
	}
	if p.front {
		fmt.Fprintln(w)
		p.printFront(w)
	}
	fmt.Fprintln(w)
	p.printClusters(w)
	if g.Ranks <= mostLined {
		fmt.Fprintf(w, "\nclusters: %s\n", p.line(p.best))
	}
}

// limits says how much the plan is worth.
func (p *planning) limits(interrupted bool) string {
	cut := ""
	if interrupted {
		cut = "interrupted: "
	}
	switch {
	case p.all:
		return "optimal: all partitions were tried"
	case p.method == "bisection":
		return cut + "what bisection finds, not the least there is"
	case p.Units() <= clustering.MostEnumerated || interrupted && p.tried == 0:
		return cut + "the best so far"
	}
	return fmt.Sprintf("%sbest of %d seeds, not proved to be the least", cut, p.tried)
}

// columns are those of a table of clusterings.
func (p *planning) columns(title string) []term.Column {
	return []term.Column{{Title: title, Width: len(title), Left: true},
		{Title: "clusters", Width: 8}, {Title: "L %", Width: 7}, {Title: "R %", Width: 7},
		{Title: "logged " + p.unit().name, Width: 12}, {Title: "cost", Width: 8},
		{Title: " sizes", Left: true}}
}

// byteUnit is what bytes are counted in.
type byteUnit struct {
	name  string
	shift int
}

// unit is the largest of which the program sends ten.
func (p *planning) unit() byteUnit {
	for _, u := range []byteUnit{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}} {
		if p.Traffic.Bytes >= 10<<u.shift {
			return u
		}
	}
	return byteUnit{"bytes", 0}
}

// amount is a number of bytes in the unit.
func (p *planning) amount(bytes int64) string {
	u := p.unit()
	if u.shift == 0 {
		return count(int(bytes))
	}
	return fmt.Sprintf("%.2f", float64(bytes)/float64(int64(1)<<u.shift))
}

// cells are the row of a clustering.
func (p *planning) cells(plan *clustering.Plan) []string {
	return []string{count(len(plan.Sizes)), fmt.Sprintf("%.2f", 100*p.Share(plan)),
		fmt.Sprintf("%.2f", 100*p.Back(plan)), p.amount(plan.Logged),
		fmt.Sprintf("%.5f", p.Cost(plan)), " " + sizesText(plan.Sizes)}
}

// printRows compares the plan with what else there is.
func (p *planning) printRows(w io.Writer) {
	t := term.NewTable(w, 0, p.columns("             ")...)
	t.Row(append([]string{"plan"}, p.cells(p.best)...)...)
	if p.bisection != nil {
		t.Row(append([]string{"bisection"}, p.cells(p.bisection)...)...)
	}
	t.Row(append([]string{"one cluster"}, p.cells(p.Whole())...)...)
	t.Row(append([]string{"all apart"}, p.cells(p.Alone())...)...)
}

// printFront lists the points of the front; the plan is marked.
func (p *planning) printFront(w io.Writer) {
	fmt.Fprintln(w, "front: no plan found beats one of these in both shares; > is the plan")
	t := term.NewTable(w, 0, p.columns(" ")...)
	for _, plan := range p.points {
		mark := ""
		if plan.Logged == p.best.Logged && plan.Squares == p.best.Squares {
			mark = ">"
		}
		t.Row(append([]string{mark}, p.cells(plan)...)...)
	}
}

// sizesText is "8 x 128" for equal clusters, else the sizes from the largest on.
func sizesText(sizes []int) string {
	list := slices.Clone(sizes)
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(b, a) })
	var words []string
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] {
			n++
		}
		if len(words) == 8 && i+n < len(list) {
			return strings.Join(words, ", ") + fmt.Sprintf(", ... %d", list[len(list)-1])
		}
		words = append(words, fmt.Sprintf("%d x %d", n, list[i]))
		i += n
	}
	return strings.Join(words, ", ")
}

// mostClusters is how many clusters are listed, one a line.
const mostClusters = 32

// printClusters lists the clusters with their ranks and what they log.
func (p *planning) printClusters(w io.Writer) {
	logged := make([]int64, len(p.best.Sizes))
	for r := range p.Traffic.Ranks {
		to, bytes := p.Traffic.Row(r)
		for i, q := range to {
			if p.best.Labels[r] != p.best.Labels[q] {
				logged[p.best.Labels[r]] += bytes[i]
			}
		}
	}
	t := term.NewTable(w, 0, term.Column{Title: "cluster", Width: 7},
		term.Column{Title: "ranks", Width: 7},
		term.Column{Title: "logs " + p.unit().name, Width: 10},
		term.Column{Title: " which", Left: true})
	ranges := p.ranges(min(len(p.best.Sizes), mostClusters))
	for c, text := range ranges {
		t.Row(fmt.Sprint(c+1), count(p.best.Sizes[c]), p.amount(logged[c]), " "+text)
	}
	if more := len(p.best.Sizes) - len(ranges); more > 0 {
		t.Note("%d clusters more: --json has all", more)
	}
}

// mostRanges is how many stretches of ranks of a cluster are listed.
const mostRanges = 6

// ranges are the ranks of the first clusters, as stretches.
func (p *planning) ranges(clusters int) []string {
	words := make([][]string, clusters)
	labels := p.best.Labels
	for r := 0; r < len(labels); {
		end := r + 1
		for p.subject.names == nil && end < len(labels) && labels[end] == labels[r] {
			end++
		}
		if c := labels[r]; c < clusters {
			word := p.subject.name(r)
			if end > r+1 {
				word += "-" + p.subject.name(end-1)
			}
			if len(words[c]) < mostRanges {
				words[c] = append(words[c], word)
			} else if len(words[c]) == mostRanges {
				words[c] = append(words[c], "...")
			}
		}
		r = end
	}
	texts := make([]string, clusters)
	for c, list := range words {
		texts[c] = strings.Join(list, " ")
	}
	return texts
}
