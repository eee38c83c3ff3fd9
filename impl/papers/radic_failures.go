package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// radicBenches are the benchmarks of Fig 6.4 and 6.5.
var radicBenches = []string{"LU.B", "LU.C", "CG.B", "CG.C"}

// The rows of Fig 6.5 that others are made of.
const (
	checkpointEvent = "checkpoint event"
	failureEvent    = "failure event"
	logSize         = "message log"
	checkpointSize  = "checkpoint size"
	preCheckpoint   = "pre-checkpoint"
	storing         = "checkpoint transfer"
	toSpare         = "checkpoint and log to spare"
	restarting      = "checkpoint restart"
	consuming       = "log consumption"
	totalTime       = "total"
	withoutFT       = "without FT"
	totalOverhead   = "total overhead"
)

// stages are the times of Fig 6.5 that make up the total.
var stages = []string{preCheckpoint, "checkpoint", storing, "time to failure",
	toSpare, restarting, consuming, "restart to end"}

// negligible is what the text says of the log, which hybrid logging consumes later.
const negligible = "consuming the log longer is almost negligible"

// recovering is the time from a failure until its process is where it was.
func recovering(s sheet, column string) float64 {
	return s.number(toSpare, column) + s.number(restarting, column) + s.number(consuming, column)
}

// radicFailures are 6.2 to 6.4.
func radicFailures() []Claim {
	breakdown := radicBreakdown()
	claims := []Claim{
		figure("fig-6.1", "6.2.1", "a node fails: its processes go to its protector, or to a spare",
			"radic-rbml-basic", "radic-hmpl-spare", "radic-hmpl-chase"),
	}
	claims = append(claims, radicThroughput()...)
	claims = append(claims, radicFree()...)
	return append(claims, radicFaulty(breakdown.Values), breakdown, radicCommunication(),
		drawing("fig-6.7", "6.3.3", "a message that computation covers, under both techniques"),
		radicCover())
}

// radicThroughput is Fig 6.2.
func radicThroughput() []Claim {
	const mode, basic = "resilient protection", "basic protection"
	const byCores = "lost if cores are shared"
	const before = mode + ": as fast as before"
	lost := func(row, printed string) Value {
		return Value{Row: row, Name: "throughput lost", Unit: "%", Printed: printed,
			Method: Arithmetic}
	}
	all := []Claim{
		{ID: "fig-6.2a", Says: "matrices of 3000, 32 processes on 4 nodes with 2 spares: without " +
			"spares a failure costs around 40 % for good, with them one iteration",
			Values: []Value{lost(basic, "40"), lost(basic, "40"),
				sentence(mode+": slower for one iteration only", so, Modelled)}},
		{ID: "fig-6.2b", Says: "LU class C, 8 processes on 4 nodes with a spare: without it a " +
			"failure costs around 35 %; with it 25 %, and then it is as before",
			Values: []Value{lost(basic, "35"), lost(basic, "35"), sentence(before, so, Modelled),
				lost(mode, "25")}},
		{ID: "fig-6.2c", Says: "SMG2000, size 300, 8 processes on 4 nodes with a spare: without " +
			"it a failure costs around 15 %, with it nothing in the end; images of 2 GB",
			Values: []Value{lost(basic, "15"), lost(basic, "15"),
				sentence(before, so, Modelled)}},
	}
	for i := range all {
		c := &all[i]
		c.Where, c.Method, c.Command = "6.2.2", Arithmetic, "domino simulate \"heat n=64 "+
			"iterations=20 checkpoint=5\" --protocol rbml --work 100ms --failures 1"
		shared := &c.Values[1]
		shared.Name, shared.Shown, shared.Why = byCores, true, "around"
		c.Make = func(ctx context.Context, b *Bench) ([]Got, error) {
			// as many processes join as there are, on as many cores, or on the cores of others
			got := append(notHere("nodes of eight cores on which processes are restarted",
				append(slices.Clone(c.Values[:1]), c.Values[3:]...)...),
				Got{Row: basic, Name: byCores, Number: 50, Why: "each core of a node has two " +
					"processes then, and all others wait for them"})
			good, err := afterwards(ctx, b, c.Values[2])
			model, err := orAbsent([]Got{good}, err, c.Values[2])
			return append(got, model...), err
		}
	}
	return all
}

// radicFree is Fig 6.3: bars, of which the text has the extremes.
func radicFree() (claims []Claim) {
	for _, f := range []struct {
		id, kernel  string
		from, to    string // points saved, uncoordinated
		least, most string // semi-coordinated
		where       string
	}{
		{"fig-6.3a", "lu", "6", "21", "1", "10", "from B on 64 to B on 16 processes, " +
			"semi-coordinated from C on 16 to B on 64"},
		{"fig-6.3b", "cg", "8", "27", "1", "34", "from C on 16 to B on 64 processes, " +
			"semi-coordinated from C on 64 to B on 32"},
		{"fig-6.3c", "bt", "4", "20", "1", "16", "from C on 25 to B on 36 processes, " +
			"semi-coordinated from C on 36 to B on 36"},
	} {
		saved := func(row, name, printed string) Value {
			return Value{Row: row, Name: name, Unit: "points", Printed: printed}
		}
		claims = append(claims, Claim{ID: f.id, Where: "6.3.1", Method: Arithmetic,
			Says: "points of overhead that hybrid logging saves without a failure, " + f.where,
			Command: "domino simulate " + modelKernels[f.kernel] +
				" --protocol rbml,hmpl --machine ethernet-1g --work 1ms",
			Why: "bars, of which the text has the least and the most",
			Values: []Value{saved("uncoordinated", "least", f.from),
				saved("uncoordinated", "most", f.to),
				saved("semi-coordinated", "least", f.least),
				saved("semi-coordinated", "most", f.most),
				sentence("hybrid costs less in all cases", so, Modelled)}})
		c := &claims[len(claims)-1]
		points, sign := c.Values[:4], c.Values[4]
		c.Make = func(ctx context.Context, b *Bench) ([]Got, error) {
			g, err := cheaper(ctx, b, f.kernel, sign)
			model, err := orAbsent([]Got{g}, err, sign)
			return append(model, notHere("differences of absolute times of 8 nodes of 8 cores, of "+
				"which the text does not have the others", points...)...), err
		}
	}
	return claims
}

// radicFaulty is Fig 6.4: the overheads of Fig 6.5, subtracted.
func radicFaulty(breakdown sheet) Claim {
	c := Claim{ID: "fig-6.4", Where: "6.3.2", Method: Arithmetic,
		Says: "with one failure, how much less overhead hybrid logging has",
		Why:  "bars; the text has the differences"}
	for i, printed := range []string{"20", "9", "14", "7"} {
		c.Values = append(c.Values, Value{Row: radicBenches[i], Name: "less overhead",
			Unit: "points", Printed: printed})
	}
	c.Make = making(func() (got []Got, err error) {
		for _, bench := range radicBenches {
			got = append(got, Got{Row: bench, Name: "less overhead", Why: "by Fig 6.5",
				Number: breakdown.number(totalOverhead, bench+receiver) -
					breakdown.number(totalOverhead, bench+hybrid)})
		}
		return got, nil
	})
	return c
}

// radicBreakdown is Fig 6.5. Its stages make up the totals, and both techniques checkpoint and fail
// at the same events, so no digit can be changed without a contradiction.
func radicBreakdown() Claim {
	var columns []string
	for _, bench := range radicBenches {
		columns = append(columns, bench+receiver, bench+hybrid)
	}
	var values []Value
	row := func(name, unit string, tolerance float64, why string, printed ...string) {
		values = append(values, line(columns, Value{Row: name, Unit: unit, Tolerance: tolerance,
			Why: why}, printed...)...)
	}
	row("processes", "", 0, "", "16", "16", "16", "16", "16", "16", "16", "16")
	row(checkpointEvent, "", 0, "", "32148", "32148", "60405", "60405", "5340", "5340", "6993",
		"6993")
	row(failureEvent, "", 0, "", "32447", "32447", "60884", "60884", "5522", "5522", "7176",
		"7176")
	row(logSize, "KB", 0, "", "348", "348", "836", "836", "12288", "12288", "23552", "23552")
	row(checkpointSize, "MB", 0, "", "101", "101", "153", "153", "93", "93", "133", "133")
	row(preCheckpoint, "s", 0, "", "52,05", "46,89", "165,29", "156,05", "171,81", "166,00",
		"324,60", "316,54")
	row("checkpoint", "s", 0, "", "9,48", "9,50", "17,63", "17,64", "10,40", "10,43", "14,68",
		"14,67")
	row(storing, "s", 0, "", "2,66", "2,60", "3,60", "3,60", "2,53", "2,64",
		"3,23", "3,35")
	row("time to failure", "s", 0, "", "0,27", "0,23", "0,93", "0,88", "1,64", "1,34", "3,70",
		"3,27")
	row(toSpare, "s", 0, "", "3,54", "3,49", "4,48", "4,50", "3,62", "3,71", "4,52", "4,64")
	row(restarting, "s", 0, "", "1,28", "1,14", "3,12", "3,83", "1,12", "1,20", "1,87", "2,10")
	row(consuming, "s", 0, "", "0,20", "1,08", "0,78", "1,69", "0,42", "0,44", "1,11", "1,19")
	row("restart to end", "s", 0, "", "71,77", "65,01", "165,09", "156,82", "278,54", "262,23",
		"327,33", "315,33")
	row(totalTime, "s", .01, "a sum of rounded times", "141,26", "129,94", "360,92", "345,01",
		"470,09", "447,99", "681,05", "661,08")
	row(withoutFT, "s", 0, "", "55,55", "55,55", "171,50", "171,50", "157,59", "157,59",
		"288,10", "288,10")
	row(totalOverhead, "%", 0, "", "154,3", "133,9", "110,4", "101,2", "198,3",
		"184,27", "136,4", "129,5")
	c := Claim{ID: "fig-6.5", Where: "6.3.2", Method: Arithmetic,
		Says: "where the time goes in runs with one failure, 16 processes on 3 nodes with a " +
			"spare; the difference of the techniques is in consuming the log, and almost " +
			"negligible",
		Command: "domino cluster perf --kill r1@60% --protocols rbml,hmpl --kernels lu,cg",
		Values:  values}
	modelledBreakdown(&c)
	return c
}

// modelledBreakdown adds what models of Fig 6.5 show, and makes all of it.
func modelledBreakdown(c *Claim) {
	longer := sentence("hybrid consumes the log no faster, in a model", so, Modelled)
	same := sentence("the other stages take the same, in a model", so, Modelled)
	adds := sentence("the stages of a modelled recovery add up to its total", so, Modelled)
	grows := sentence("a larger image takes longer by what a card of 1 Gb/s needs, in a model", so,
		Modelled)
	c.Values = append(c.Values, longer, same, adds, grows)
	for _, bench := range radicBenches {
		v := sentence(negligible, bench, None)
		v.Shown, v.Why = true, "how little that is the text leaves open"
		c.Values = append(c.Values, v)
	}
	c.Make = func(ctx context.Context, b *Bench) ([]Got, error) {
		got, err := consumed(ctx, b, longer, same)
		if got, err = orAbsent(got, err, longer, same); err != nil {
			return nil, err
		}
		model, err := byStages(ctx, b, c.Values, adds, grows)
		if errors.Is(err, ErrAbsent) {
			model, err = notHere(err.Error(), adds, grows), nil
			for _, v := range c.Values {
				if slices.Contains(stages, v.Row) {
					model = append(model, notHere(absolute, v)...)
				}
			}
		}
		return append(append(addUp(c.Values), got...), model...), err
	}
}

// addUp makes the cells of Fig 6.5 that follow from others.
func addUp(values sheet) (got []Got) {
	for _, bench := range radicBenches {
		for _, technique := range []string{receiver, hybrid} {
			column := bench + technique
			var sum float64
			for _, stage := range stages {
				sum += values.number(stage, column)
			}
			slower := values.number(totalTime, column) / values.number(withoutFT, column)
			got = append(got,
				Got{Row: totalTime, Name: column, Number: sum, Why: "the eight stages"},
				Got{Row: totalOverhead, Name: column, Why: "total against " + withoutFT,
					Number: 100 * (slower - 1), Rounding: 100 * slower *
						(values.share(totalTime, column) + values.share(withoutFT, column))})
		}
		for _, same := range []string{"processes", checkpointEvent, failureEvent, logSize,
			checkpointSize, withoutFT} {
			a, b := values.number(same, bench+receiver), values.number(same, bench+hybrid)
			got = append(got,
				Got{Row: same, Name: bench + receiver, Number: b, Why: "as of hybrid logging"},
				Got{Row: same, Name: bench + hybrid, Number: a,
					Why: "as of receiver-based logging"})
		}
		got = append(got, Got{Row: negligible, Name: bench, Text: fmt.Sprintf("%.2f times",
			values.number(consuming, bench+hybrid)/values.number(consuming, bench+receiver))})
	}
	return got
}

// smallMessages asks Fig 6.5 whether the techniques are the same below the eager limit: some
// benchmarks log messages that small. Where larger ones are sent, too, they may be what differs.
func smallMessages(row, name string, breakdown sheet) Got {
	const limit = 64.0 // KB
	// faces are the largest messages of LU on 16 processes, in KB: two planes of five numbers a
	// point, of the face between neighbours (NPB 3, exchange_3), with 102 and 162 points a side
	faces := map[string]float64{"LU.B": 2 * 5 * 8 * 26 * 102 / 1024., "LU.C": 2 * 5 * 8 * 41 *
		162 / 1024.}
	g := Got{Row: row, Name: name, Text: yes, Why: "by Fig 6.5"}
	largest := 0.0
	for _, bench := range radicBenches {
		a, b := bench+receiver, bench+hybrid
		size := breakdown.number(logSize, a) /
			(breakdown.number(failureEvent, a) - breakdown.number(checkpointEvent, a))
		before, after := breakdown.number(preCheckpoint, a), breakdown.number(preCheckpoint, b)
		by := 100 * math.Abs(before/after-1)
		if size >= limit || by <= 1 {
			continue
		}
		why := fmt.Sprintf("Fig 6.5: %s logs %.2f KB a message, and takes %.0f %% longer to its "+
			"checkpoint under receiver-based logging", bench, size, by)
		face := faces[bench]
		if face <= limit {
			return Got{Row: row, Name: name, Text: no, Why: why}
		}
		if by > largest {
			largest = by
			g = Got{Row: row, Name: name, Status: Unclear, Why: fmt.Sprintf("%s; but it also "+
				"sends faces of %.0f KB, which may be why: netpipe decides", why, face)}
		}
	}
	return g
}

// radicCommunication is Fig 6.6.
func radicCommunication() Claim {
	share := func(row, name, unit, printed string) Value {
		return Value{Row: row, Name: name, Unit: unit, Printed: printed}
	}
	return Claim{ID: "fig-6.6", Where: "6.3.3", Method: Simulated,
		Says: "CG on 16 processes of 8 nodes: class B communicates for 82 % of the time, class D " +
			"for 36 %, where hybrid logging saves around 13 points of overhead",
		Why: "what a rank computes between its messages on that machine is not printed, and " +
			"every share of the time hangs on it",
		Values: []Value{share("class B", "communication", "%", "82"),
			share("class D", "communication", "%", "36"),
			share("class D", "less overhead", "points", "13")}}
}

// radicCover is Fig 6.8.
func radicCover() Claim {
	times := Value{Name: "less overhead", Unit: "times", Printed: "14", Sense: AtLeast,
		Tolerance: 4, Why: "at a computation of 1.2 times the way to the logger"}
	return Claim{ID: "fig-6.8", Where: "6.3.3", Method: Modelled,
		Says: "hybrid logging has up to fourteen times less overhead, if computation covers the " +
			"way of a message to its logger",
		Why:    "the text has one number",
		Values: []Value{times},
		Command: "domino simulate ring variant=token size=1048576 iterations=20 --ranks 2 " +
			"--protocol rbml,hmpl --machine ethernet-1g --work 10ms",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			g, err := covered(ctx, b, times)
			return []Got{g}, err
		}}
}
