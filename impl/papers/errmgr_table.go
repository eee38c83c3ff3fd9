package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// errmgrRanks are the rows of Table I of [ErrMgr].
var errmgrRanks = [...]string{"64", "128", "192"}

// runTimes is a part of Table I: run times, latencies of a checkpoint and its sizes, as printed.
func runTimes(program string) []Value {
	const elsewhere = "a time of that machine, and no value to meet"
	const fitted = "a price a file and a rate, fitted to the twelve rows: no word of the paper"
	column := func(name, unit, why string, m Method) Value {
		return Value{Name: name, Unit: unit, Why: why, Method: m}
	}
	columns := []Value{
		column("run central", "s", elsewhere, Data),
		column("run stage", "s", elsewhere, Data), column("run stage less", "%", "", Arithmetic),
		column("run zip", "s", elsewhere, Data), column("run zip less", "%", "", Arithmetic),
		{Name: "central", Unit: "s", Share: .2, Why: fitted, Method: Arithmetic},
		{Name: "stage", Unit: "s", Share: .2, Why: fitted, Method: Arithmetic},
		column("stage less", "%", "", Arithmetic),
		column("zip", "s", elsewhere, Data), column("zip less", "%", "", Arithmetic),
		column("raw", "MB", "", Data), column("packed", "MB", "", Data),
		column("packed less", "%", "", Arithmetic)}
	switch program {
	case "noop":
		return table(columns,
			"64 - - - - - 10.3 7.6 25.8 4.4 57.5 258.5 21.0 91.9",
			"128 - - - - - 21.8 17.7 18.8 6.9 68.4 593.8 48.3 91.9",
			"192 - - - - - 40.9 28.9 29.5 11.7 71.4 1167.4 93.3 92.0")
	case "LAMMPS":
		return table(columns,
			"64 567.5 513.5 9.5 515.0 9.3 69.1 77.3 -11.9 38.0 45.1 4029.4 1474.6 63.4",
			"128 342.3 293.1 14.4 277.1 19.0 87.1 90.7 -4.1 37.4 57.1 4638.7 1694.7 63.5",
			"192 277.3 194.3 30.0 183.7 33.8 107.1 104.1 2.7 35.8 66.6 5427.2 1786.9 67.1")
	case "POP":
		return table(columns,
			"64 310.7 294.6 5.2 293.1 5.7 19.7 13.8 29.9 6.1 69.0 609.3 106.2 82.6",
			"128 327.7 297.9 9.1 297.0 9.4 35.3 27.9 20.8 8.5 75.8 1105.9 144.5 86.9",
			"192 270.0 222.3 17.7 221.1 18.1 53.6 39.8 25.9 14.8 72.3 1802.2 205.9 88.6")
	}
	return table(columns,
		"64 452.2 300.8 33.5 302.7 33.1 182.4 218.3 -19.7 237.2 -30.1 13557.8 13020.2 4.0",
		"128 692.3 457.6 33.9 458.1 33.8 301.8 371.6 -23.1 347.4 -15.1 24581.1 23234.6 5.5",
		"192 1020.8 628.7 38.4 617.1 39.5 493.8 561.8 -13.8 551.0 -11.6 40105.0 37411.8 6.7")
}

// errmgrPrograms are the parts of Table I, in its order.
var errmgrPrograms = [...]string{"noop", "LAMMPS", "POP", "HPL"}

// shares are the columns of percentages: of what, and less than what.
var shares = [...][3]string{{"run stage less", "run central", "run stage"},
	{"run zip less", "run central", "run zip"}, {"stage less", "central", "stage"},
	{"zip less", "central", "zip"}, {"packed less", "raw", "packed"}}

// errmgrTable is a part of Table I: percentages are computed again, latencies compared with two
// prices that are fitted to the whole table, and their percentages with the emulated cluster.
func errmgrTable(program string) Claim {
	part := 0
	for errmgrPrograms[part] != program {
		part++
	}
	values := runTimes(program)
	for i := range values {
		v := values[i]
		if v.Name == "stage less" || v.Name == "zip less" {
			v.Name += ", emulated"
			v.Method, v.Tolerance = Modelled, 10
			v.Why = "within 10 points; the prices of the emulated cluster are chosen by 64 ranks"
			values = append(values, v)
		}
	}
	return Claim{ID: "table-1" + string(rune('a'+part)), Method: Arithmetic, Values: values,
		Where: fmt.Sprintf("Table I(%c)", 'a'+part), Command: "domino experiments latency",
		Says: "run time of " + program + ", and time and size of a checkpoint, with each component",
		Make: func(ctx context.Context, b *Bench) (got []Got, err error) {
			central, stage := fitLatency("central"), fitLatency("stage")
			for _, row := range errmgrRanks {
				for _, s := range shares {
					if printed(values, row, s[0]) {
						got = append(got, saving(find(values, row, s[1]), find(values, row, s[2]),
							row, s[0]))
					}
				}
				files, size := ranksOf(row), number(find(values, row, "raw"))
				got = append(got, Got{Row: row, Name: "central", Number: central.at(files, size),
					Why: central.String()},
					Got{Row: row, Name: "stage", Number: stage.at(files, size),
						Why: stage.String()})
			}
			more, err := errmgrEmulated(ctx, b, values, program)
			return append(got, more...), err
		}}
}

// ranksOf is the number of ranks of a row, each of which writes a file.
func ranksOf(row string) float64 {
	return number(&Value{Printed: row})
}

// printed reports whether there is a value of a row and name.
func printed(values []Value, row, name string) bool {
	for i := range values {
		if values[i].Row == row && values[i].Name == name {
			return true
		}
	}
	return false
}

// errmgrEmulated are the percentages of latencies on the emulated cluster.
func errmgrEmulated(ctx context.Context, b *Bench, values []Value, program string) ([]Got, error) {
	f, err := b.findings(ctx, "latency")
	if errors.Is(err, ErrAbsent) {
		return without(values, Modelled, err), nil
	} else if err != nil {
		return nil, err
	}
	var got []Got
	for _, t := range f.Tables {
		for _, cells := range t.Rows {
			if !strings.HasPrefix(t.Title, "ratios to central") || cells[0] != program {
				continue
			}
			for _, name := range []string{"stage", "zip"} {
				column := slices.Index(t.Columns, name+": paper") + 1 // ours is beside it
				x, err := strconv.ParseFloat(cells[column], 64)
				if err != nil {
					return nil, err
				}
				got = append(got, Got{Row: cells[1], Name: name + " less, emulated",
					Number: 100 * (1 - x)})
			}
		}
	}
	return got, nil
}

// prices are seconds a file and megabytes a second, by which a checkpoint takes T = n c + V/B.
type prices struct{ file, rate float64 }

// at is how long so many files of so many megabytes together take.
func (p prices) at(files, size float64) float64 { return files*p.file + size/p.rate }

// String is for a reader.
func (p prices) String() string {
	return fmt.Sprintf("by %.3f s a file and %.0f MB/s, fitted to the twelve rows", p.file, p.rate)
}

// fitLatency fits prices to the latencies of a component in all of Table I: the least squares of
// relative errors.
func fitLatency(component string) prices {
	var ff, fs, ss, f1, s1 float64 // sums over rows of (n/T)^2, n/T V/T, (V/T)^2, n/T, V/T
	for _, program := range errmgrPrograms {
		values := runTimes(program)
		for _, row := range errmgrRanks {
			t := number(find(values, row, component))
			f, s := ranksOf(row)/t, number(find(values, row, "raw"))/t
			ff, fs, ss, f1, s1 = ff+f*f, fs+f*s, ss+s*s, f1+f, s1+s
		}
	}
	det := ff*ss - fs*fs
	return prices{file: (f1*ss - s1*fs) / det, rate: det / (s1*ff - f1*fs)}
}

// errmgrLimits is what the text says of the table: "up to".
func errmgrLimits() Claim {
	values := []Value{
		{Row: "LAMMPS", Name: "size, up to", Unit: "%", Printed: "67"},
		{Row: "LAMMPS", Name: "latency, up to", Unit: "%", Printed: "67"},
		{Row: "LAMMPS", Name: "size, from", Unit: "GB", Printed: "5.3"},
		{Row: "LAMMPS", Name: "size, to", Unit: "GB", Printed: "1.7"},
		{Row: "POP", Name: "size, up to", Unit: "%", Printed: "89"},
		{Row: "POP", Name: "latency, up to", Unit: "%", Printed: "76"},
		{Row: "HPL", Name: "size, up to", Unit: "%", Printed: "7"},
		{Row: "HPL", Name: "run time, up to", Unit: "%", Printed: "40"},
		{Row: "noop", Name: "size, up to", Unit: "%", Printed: "92"},
		{Row: "noop", Name: "latency, up to", Unit: "%", Printed: "71.4"},
	}
	columns := map[string][2]string{"size, up to": {"raw", "packed"},
		"latency, up to": {"central", "zip"}, "run time, up to": {"run central", "run zip"}}
	return Claim{ID: "text-limits", Where: "section V-D", Method: Arithmetic, Values: values,
		Says: "the most that packing saves of size, latency and run time",
		Why: "the text calls what is saved of the run time checkpoint overhead; its GB are of " +
			"1024 MB",
		Make: func(context.Context, *Bench) (got []Got, err error) {
			for _, v := range values {
				rows := runTimes(v.Row)
				if c, ok := columns[v.Name]; ok {
					most := Got{Number: math.Inf(-1)}
					for _, row := range errmgrRanks {
						s := saving(find(rows, row, c[0]), find(rows, row, c[1]), v.Row, v.Name)
						if s.Number > most.Number {
							most = s
						}
					}
					got = append(got, most)
					continue
				}
				name := map[string]string{"size, from": "raw", "size, to": "packed"}[v.Name]
				got = append(got, Got{Row: v.Row, Name: v.Name,
					Number: number(find(rows, errmgrRanks[2], name)) / 1024})
			}
			return got, nil
		}}
}
