package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What the thesis calls the two ways of logging, behind a benchmark.
const (
	receiver = " RBML"
	hybrid   = " HMPL"
)

// radicLogging is chapter 4.
func radicLogging() []Claim {
	overheads := radicNetpipe()
	return []Claim{
		figure("fig-4.1", "4.1.1", "a message under sender-based logging", "fig2.5-sbml"),
		figure("fig-4.2", "4.1.2", "a message under receiver-based logging", "fig4.3-rbml"),
		figure("fig-4.3", "4.2.2", "a message under hybrid logging", "fig4.3-hmpl"),
		figure("fig-4.4", "4.2.2", "hybrid logging without a failure and with one",
			"fig4.3-hmpl"),
		// the second one in the words of the text, which asks nobody for a wildcard
		figure("fig-4.5", "4.2.2, 4.2.3", "the receiver recovers under hybrid logging",
			"fig4.3-hmpl", "hmpl-published"),
		figure("fig-4.6", "4.2.3", "who waits at a wildcard leaves no orphan", "fig4.6-sbml"),
		radicUtilisation(overheads.Values),
		overheads,
	}
}

// radicUtilisation is Fig 4.7, which follows from the overheads of Fig 4.8.
func radicUtilisation(overheads sheet) Claim {
	share := func(row, printed string) Value {
		return Value{Row: row, Name: "bandwidth used", Unit: "%", Printed: printed}
	}
	c := Claim{ID: "fig-4.7", Where: "4.3", Method: Arithmetic,
		Says:    "of the bandwidth between two nodes, 64 KB to 64 MB",
		Command: "domino cluster netpipe --card 1G --protocols none,rbml,hmpl --sizes 64K..64M",
		Why:     "curves; the text has one number each",
		Values:  []Value{share("RBML", "50"), share("HMPL", "85")}}
	near := &c.Values[1]
	near.Tolerance, near.Why = 2.5, "near to 85, of an overhead near to 20: both in steps of five"
	c.Make = making(func() (got []Got, err error) {
		for _, row := range []string{"RBML", "HMPL"} {
			used := 100 / (1 + overheads.number(row, netpipeOverhead)/100)
			got = append(got, Got{Row: row, Name: "bandwidth used", Number: used,
				Why: fmt.Sprintf("%.1f %%: 100 / (1 + overhead), by Fig 4.8", used)})
		}
		return got, nil
	})
	return c
}

const netpipeOverhead = "overhead from 64 KB"

// radicNetpipe is Fig 4.8.
func radicNetpipe() Claim {
	over := func(row, printed string) Value {
		return Value{Row: row, Name: netpipeOverhead, Unit: "%", Printed: printed, Tolerance: 10,
			Why: "near to", Method: Emulated}
	}
	const below = "no difference below 64 KB"
	c := Claim{ID: "fig-4.8", Where: "4.3", Method: Arithmetic,
		Says: "what logging adds to a message between two nodes, 64 KB to 64 MB; below the eager " +
			"limit of 64 KB there is no difference between the techniques",
		Command: "domino cluster netpipe --card 1G --protocols none,rbml,hmpl",
		Values: []Value{over("RBML", "100"), over("HMPL", "20"), sentence(below, so, None),
			sentence(below+", by netpipe", so, Emulated)}}
	breakdown := radicBreakdown()
	c.Make = making(func() ([]Got, error) {
		return []Got{smallMessages(below, so, breakdown.Values)}, nil
	})
	c.Takes, c.Long = 20*time.Second, func(ctx context.Context, b *Bench) ([]Got, error) {
		return throughCard(ctx, b, below+", by netpipe")
	}
	return c
}

// throughCard measures what both ways of logging add to messages that pass through a card of
// 1 Gb/s, to large ones, which the thesis has numbers for, and to small ones.
func throughCard(ctx context.Context, b *Bench, below string) (got []Got, err error) {
	small, large := []int{1 << 10, 16 << 10}, []int{256 << 10, 1 << 20, 4 << 20}
	t, err := b.netpipe(ctx, NetpipePlan{Cases: []string{bare, "rbml", "hmpl"}, Rounds: 7,
		Sizes: slices.Concat(small, large), Card: 1e9})
	if err != nil {
		return nil, err
	}
	for row, name := range map[string]string{"RBML": "rbml", "HMPL": "hmpl"} {
		var all []float64
		for _, n := range large {
			ratios, err := t.ratios(SizeWord(n), name)
			if err != nil {
				return nil, err
			}
			all = append(all, ratios...)
		}
		got = append(got, t.percentOver(row, netpipeOverhead, all))
	}
	g, notes := Got{Row: below, Name: so, Text: yes}, []string{}
	for _, n := range small {
		one, err := t.ratios(SizeWord(n), "hmpl")
		if err != nil {
			return nil, err
		}
		other, err := t.ratios(SizeWord(n), "rbml")
		if err != nil {
			return nil, err
		}
		switch e := t.equivalent(&Value{Printed: yes}, quotients(one, other)); {
		case e.Status == Unclear && g.Text == yes:
			g.Text, g.Status = "", Unclear
		case e.Status == NoClaim && e.Text != yes: // one size is enough to contradict
			g.Text, g.Status = no, NoClaim
		}
		notes = append(notes, fmt.Sprintf("%s: HMPL %s beside RBML", SizeWord(n),
			percents(quotients(one, other))))
	}
	g.Why = strings.Join(notes, "; ")
	return append(got, t.mark(g)), nil
}
