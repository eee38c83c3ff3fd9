package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The cluster of 6.1.
const (
	clusterNodes = 8
	nodeCores    = 8
)

// The mappings of loggers, as Fig 5.8 names them.
var mappings = []string{"OS", "affinity", "own"}

// With and without a barrier an iteration.
const (
	barriers   = " with barriers"
	noBarriers = " without"
)

// radicMapping are 5.1 and 5.2.
func radicMapping() []Claim {
	return []Claim{
		drawing("fig-5.1", "5.1", "SPMD programs bound by communication or by computation"),
		drawing("fig-5.2", "5.2", "what logging does to a program"),
		drawing("fig-5.3", "5.2.1", "logger threads left to the OS, spread, or on own cores"),
		drawing("fig-5.4", "5.2.2", "loggers distributed by the OS"),
		drawing("fig-5.5", "5.2.2", "loggers distributed equally"),
		drawing("fig-5.6", "5.2.2", "cores saved for loggers"),
		drawing("fig-5.7", "5.2.3", "a flowchart of the choice"),
		radicReserved(),
		{ID: "fig-5.8a", Where: "5.2.4", Method: None,
			Says: "heat 1000x1000: own cores have at best 25 points less overhead than affinity",
			Why:  "the tables of the figure are not in the text; its machine has 64 cores",
			Values: []Value{{Row: "own against affinity", Name: "less overhead", Unit: "points",
				Printed: "25"}}},
		radicOwn(),
	}
}

// radicReserved is what 5.2.3 says of the cores of loggers.
func radicReserved() Claim {
	const saved, used = "of the cores of a node, saved", "of a core, used by loggers"
	c := Claim{ID: "10%-core", Where: "5.2.3, 6.4", Method: Arithmetic,
		Says: "loggers use near 10 % of the CPU, so 10 % of the cores of a node are saved for " +
			"them; trying a mapping on a signature takes 5 % of a run",
		Command: "domino cluster perf --protocols none,rbml,hmpl",
		Values: []Value{
			{Name: saved, Unit: "%", Printed: "10", Shown: true, Why: "a proposal, of which " +
				"whole cores can be saved"},
			{Name: used, Unit: "%", Printed: "10", Method: Measured,
				Why: "depends on sizes and rates, as the text says, and neither is printed"},
			{Name: "of a run, takes its signature", Unit: "%", Printed: "5"},
		}}
	c.Make = making(func() ([]Got, error) {
		share, _ := c.Values[0].Number()
		whole := math.Ceil(share / 100 * nodeCores)
		return append(notHere("the tool that finds signatures is not here", c.Values[2]),
			Got{Name: saved, Number: 100 * whole / nodeCores,
				Why: fmt.Sprintf("%g %% of %d cores are %g, and 5.2.4 saves %g: %g %%", share,
					nodeCores, share/100*nodeCores, whole, 100*whole/nodeCores)}), nil
	})
	return c
}

// radicOwn is Fig 5.8b.
func radicOwn() Claim {
	const best, fewer = "own against affinity, at best", "less overhead"
	const least = "own costs least but for 16 processes without barriers"
	const grows = "own costs more with more processes"
	var values []Value
	for _, row := range []string{
		"16 39,91 38,79 38,25 24,24 24,41 26,25",
		"24 55,79 50,99 50,02 40,31 39,60 35,52",
		"32 56,33 37,68 25,74 50,28 47,66 42,94",
		"40 75,11 65,36 51,97 56,07 57,63 44,82",
		"48 89,70 79,68 65,60 80,68 69,55 58,41",
		"56 101,65 82,75 61,83 83,45 73,34 52,41",
		"64 87,01 74,10 - 179,03 138,30 -",
	} {
		words := strings.Fields(row)
		for i, printed := range words[1:] {
			if printed != "-" {
				values = append(values, Value{
					Row:  words[0] + []string{barriers, noBarriers}[i/len(mappings)],
					Name: mappings[i%len(mappings)], Unit: "%", Printed: printed,
					Method: Simulated})
			}
		}
	}
	c := Claim{ID: "fig-5.8b", Where: "5.2.4", Method: Arithmetic,
		Says: "Laplace 1400x1400: overhead of receiver-based logging by where the loggers run; " +
			"own cores cost least in almost all cases, at best 20 points less than affinity",
		Why: "two cores hold no nodes of eight; the order on full nodes, by a model: domino " +
			"performability mapping",
		Values: append(values, Value{Row: best, Name: fewer, Unit: "points", Printed: "20"},
			sentence(least, so, None), sentence(grows, so, None))}
	c.Values[len(c.Values)-1].Shown = true
	c.Values[len(c.Values)-1].Why = "said of Fig 5.8a"
	c.Make = making(func() ([]Got, error) {
		points, where := bestOwn(values)
		return []Got{
			{Row: best, Name: fewer, Number: points,
				Why: fmt.Sprintf("%.2f points, for %s barriers", points,
					strings.TrimSuffix(where, " barriers"))},
			{Row: least, Name: so,
				Text: word(slices.Equal(notLeast(values), []string{"16" + noBarriers}))},
			{Row: grows, Name: so, Text: word(growing(values))},
		}, nil
	})
	return c
}

// ownRows are the rows of a sheet in which own cores were tried.
func ownRows(s sheet) (rows []string) {
	for _, v := range s {
		if v.Name == mappings[2] {
			rows = append(rows, v.Row)
		}
	}
	return rows
}

// bestOwn is by how many points own cores beat affinity, at best, and where.
func bestOwn(s sheet) (points float64, where string) {
	for _, row := range ownRows(s) {
		if by := s.number(row, mappings[1]) - s.number(row, mappings[2]); by > points {
			points, where = by, row
		}
	}
	return points, where
}

// notLeast are the rows in which another mapping costs less than own cores.
func notLeast(s sheet) (rows []string) {
	for _, row := range ownRows(s) {
		own := s.number(row, mappings[2])
		if s.number(row, mappings[0]) < own || s.number(row, mappings[1]) < own {
			rows = append(rows, row)
		}
	}
	return rows
}

// growing reports whether own cores cost more with each step in processes.
func growing(s sheet) bool {
	for _, kind := range []string{barriers, noBarriers} {
		last := 0.0
		for _, row := range ownRows(s) {
			if strings.HasSuffix(row, kind) {
				if s.number(row, mappings[2]) < last {
					return false
				}
				last = s.number(row, mappings[2])
			}
		}
	}
	return true
}

// radicConfigurations are the configurations of 6.4.
func radicConfigurations() []Claim {
	const curves = "curves of 16 to 64 processes on eight nodes, without numbers in the text"
	best := sentence("semi-coordinated with hybrid logging costs least", so, Modelled)
	return []Claim{radicProcesses(),
		{ID: "fig-6.9", Where: "6.4", Method: None, Why: curves,
			Says: "overheads by where loggers run, uncoordinated checkpoints"},
		{ID: "fig-6.10", Where: "6.4", Method: Modelled, Values: []Value{best},
			Says: "overheads by where loggers run, semi-coordinated checkpoints: with hybrid " +
				"logging always the right choice",
			Why: curves + "; ours are loggers on nodes of their own, by which the order of " +
				"protocols is compared, not that of mappings (domino performability mapping)",
			Command: "domino simulate lu n=12 --protocol rbml,hmpl --options mode=semi " +
				"--clusters 2 --machine ethernet-1g --work 1ms",
			Make: func(ctx context.Context, b *Bench) ([]Got, error) {
				g, err := cheapestOf(ctx, b, best)
				return orAbsent([]Got{g}, err, best)
			}}}
}

// radicProcesses is Table 6.1: how processes are spread over nodes, which must add up, and leave a
// core to the loggers where they have their own.
func radicProcesses() Claim {
	spread := []struct{ total, shared, own string }{
		{"16", "6-6-4", "6-6-4"},
		{"25", "6-6-6-7", "6-6-6-7"},
		{"32", "8-8-8-8", "6-6-6-7-7"},
		{"36", "7-7-7-7-8", "6-6-6-6-6-6"},
		{"49", "7-7-7-7-7-7-7", "7-7-7-7-7-7-7"},
		{"64", "8-8-8-8-8-8-8-8", "na"},
	}
	const sum, fits = "processes", "fit the cores"
	c := Claim{ID: "table-6.1", Where: "6.4", Method: Arithmetic,
		Says: "processes a node, on eight nodes of eight cores"}
	for _, s := range spread {
		shared := s.total + " shared"
		c.Values = append(c.Values, Value{Row: shared, Name: sum, Printed: s.total},
			sentence(shared, fits, None))
		own := Value{Row: s.total + " own", Name: sum, Printed: s.total}
		if s.own == "na" {
			own.Printed = s.own
			c.Values = append(c.Values, own)
			continue
		}
		c.Values = append(c.Values, own, sentence(own.Row, fits, None))
	}
	fill := Value{Row: "16 of Fig 6.3", Name: "by node", Printed: "7-7-2", Shown: true,
		Why: "the same processes on as many nodes, otherwise"}
	c.Values = append(c.Values, fill)
	c.Make = making(func() (got []Got, err error) {
		for _, s := range spread {
			g, err := placed(s.total+" shared", s.shared, nodeCores)
			got = append(got, g...)
			if s.own == "na" {
				got = append(got, reserved(s.total))
			} else {
				g, wrong := placed(s.total+" own", s.own, nodeCores-1)
				got, err = append(got, g...), cmp.Or(err, wrong)
			}
			if err != nil {
				return nil, err
			}
		}
		return append(got, Got{Row: fill.Row, Name: fill.Name, Text: spread[0].shared}), nil
	})
	return c
}

// placed is what processes by node add up to, and whether each has a core.
func placed(row, nodes string, cores int) ([]Got, error) {
	sum, fits := 0, true
	list := strings.Split(nodes, "-")
	for _, node := range list {
		n, err := strconv.Atoi(node)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row, err)
		}
		sum, fits = sum+n, fits && n <= cores
	}
	return []Got{{Row: row, Name: "processes", Number: float64(sum), Why: nodes},
		{Row: row, Name: "fit the cores", Text: word(fits && len(list) <= clusterNodes)}}, nil
}

// reserved is the answer where no core is left for loggers.
func reserved(total string) Got {
	g := Got{Row: total + " own", Name: "processes", Text: total}
	if n, err := strconv.Atoi(total); err == nil && n > clusterNodes*(nodeCores-1) {
		g.Text = "na"
		g.Why = fmt.Sprintf("%d nodes have %d cores but those of loggers", clusterNodes,
			clusterNodes*(nodeCores-1))
	}
	return g
}
