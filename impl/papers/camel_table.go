package papers

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// camelCores are the columns of Table 3 of [CAMEL].
var camelCores = [...]string{"1,024", "2,048", "4,096", "8,192", "16,384"}

// byCores is a row of that table, a value a column.
func byCores(v Value, printed string) (values []Value) {
	for i, word := range strings.Fields(printed) {
		v.Row, v.Printed = camelCores[i], word
		values = append(values, v)
	}
	return values
}

// camelCounts are the messages of Table 3.
func camelCounts() []Value {
	return byCores(Value{Name: "messages", Unit: "M", Share: .34,
		Why: "a factor of 1.5; counted on 10x10x10 cells of reach 2, whose groups are ours"},
		"24.32 23.7 32.33 32.05 33.09")
}

// column is the numbers of a name, in the order of their rows.
func column(values []Value, name string) (list []float64) {
	for i := range values {
		if values[i].Name == name {
			list = append(list, number(&values[i]))
		}
	}
	return list
}

// falls is a word for a row that never falls, or where it does.
func falls(list []float64, otherwise string) string {
	var where []string
	for i := 1; i < len(list); i++ {
		if list[i] < list[i-1] {
			where = append(where, camelCores[i])
		}
	}
	if where == nil {
		return otherwise
	}
	return "falls at " + strings.Join(where, " and ")
}

// camelMessages is the first row of Table 3, and what the text says of it.
func camelMessages() Claim {
	values := append(camelCounts(), Value{Row: "all", Name: "with the system size",
		Printed: "increases", Method: Arithmetic})
	return Claim{ID: "table-3-messages", Where: "Table 3, section 5.2", Method: Graph,
		Values: values, Says: "messages of LeanMD, 100 iterations of a million particles",
		Why: "ours, of one shape, rise: the more ranks, the fewer of them are in a group for two " +
			"of its computes",
		Command: "domino tables volume",
		Make: func(ctx context.Context, b *Bench) (got []Got, err error) {
			const iterations = 100
			for i, row := range camelCores {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				plain, _, err := b.leanVolume(10, 1024<<i)
				if err != nil {
					return nil, err
				}
				got = append(got, Got{Row: row, Name: "messages",
					Number: iterations * float64(plain.Messages) / 1e6})
			}
			return append(got, Got{Row: "all", Name: "with the system size",
				Text: falls(column(values, "messages"), "increases")}), nil
		}}
}

// camelLog is the size of the log in Table 3: that of SCMEL follows the messages, that of CAMEL
// follows nothing.
func camelLog() Claim {
	v := Value{Name: "SCMEL", Unit: "GB", Share: .02,
		Why: "as many bytes a message at every scale, within 2 %"}
	values := byCores(v, "269.49 261.19 363.44 359.59 370.82")
	v.Name, v.Share, v.Why = "CAMEL", .015, "the same at every scale, within 1.5 %"
	values = append(values, byCores(v, "12.77 12.77 12.79 12.83 12.94")...)
	for _, row := range camelCores {
		values = append(values, camelSaved(row, "saved"))
	}
	for _, row := range []string{"SCMEL", "CAMEL"} {
		values = append(values, Value{Row: row, Name: "with the system size",
			Printed: "The same holds true"})
	}
	return Claim{ID: "table-3-log", Where: "Table 3, section 5.2", Method: Arithmetic,
		Values: values, Says: "the log of LeanMD, which increases with the system size as well",
		Why: "Figure 5(a) is said to have the same proportions, and to be at least 95%",
		Make: func(context.Context, *Bench) (got []Got, err error) {
			messages := column(camelCounts(), "messages")
			plain, aware := column(values, "SCMEL"), column(values, "CAMEL")
			var each []float64
			for i, m := range messages {
				each = append(each, plain[i]/m)
			}
			for i, row := range camelCores {
				s, c := find(values, row, "SCMEL"), find(values, row, "CAMEL")
				got = append(got, Got{Row: row, Name: "SCMEL", Number: messages[i] * median(each),
					Why: fmt.Sprintf("%.1f kB a message", median(each))},
					Got{Row: row, Name: "CAMEL", Number: median(aware)},
					saving(s, c, row, "saved"))
			}
			for row, list := range map[string][]float64{"SCMEL": plain, "CAMEL": aware} {
				got = append(got, Got{Row: row, Name: "with the system size",
					Text: falls(list, "The same holds true")})
			}
			return got, nil
		}}
}

// halfIs is how far from 50 %, in points, "approximately half" may be.
const halfIs = 10

// halved is what the text says of a row of Table 3: approximately half. Near enough in some columns
// and not in others is neither right nor wrong.
func halved(values []Value, of string) Got {
	g := Got{Row: "all", Name: of, Text: "half"}
	list, far := column(values, "CAMEL/SCMEL"), []string(nil)
	for i, x := range list {
		if math.Abs(x-50) > halfIs {
			far = append(far, fmt.Sprintf("%g %% on %s cores", x, camelCores[i]))
		}
	}
	switch {
	case len(far) == len(list):
		g.Text = strings.Join(far, ", ")
	case far != nil:
		g.Status, g.Why = Unclear, fmt.Sprintf("within %d points in %d of %d columns; %s", halfIs,
			len(list)-len(far), len(list), strings.Join(far, ", "))
	}
	return g
}

// camelDeterminants is how many determinants Table 3 counts.
func camelDeterminants() Claim {
	const alone, share = "SCMEL by Algorithm 1", .03
	v := Value{Name: "SCMEL", Unit: "M", Tolerance: .06,
		Why: "messages, and as many more at every scale"}
	values := byCores(v, "54.72 54.04 62.68 62.4 63.44")
	for _, w := range values[:len(camelCores)] {
		w.Name, w.Tolerance, w.Why = alone, 0, "one a message received"
		values = append(values, w)
	}
	values = append(values, byCores(Value{Name: "CAMEL", Unit: "M", Share: share,
		Why: "half of SCMEL's are of multicasts, of the other half the root's children remain, " +
			"by the shares of Figure 5; within 1.5 points"}, "28.94 28.61 32.99 32.87 33.44")...)
	values = append(values, byCores(Value{Name: "CAMEL/SCMEL", Unit: "%"},
		"52.88 52.94 52.63 52.68 52.71")...)
	values = append(values, Value{Row: "all", Name: "created", Printed: "half"})
	runs := inRunsAs(find(values, camelCores[0], "CAMEL/SCMEL"), 1.5)
	values = append(values, runs...)
	return Claim{ID: "table-3-determinants", Where: "Table 3, section 5.2", Method: Arithmetic,
		Values: values, Says: "determinants created by LeanMD over SCMEL and over CAMEL",
		Make: func(ctx context.Context, b *Bench) (got []Got, err error) {
			messages, dets := column(camelCounts(), "messages"), column(values, "SCMEL")
			var beyond []float64
			for i := range dets {
				beyond = append(beyond, dets[i]-messages[i])
			}
			parts := camelLeanParts()
			kept := number(find(parts, "reduction", "CAMEL")) /
				number(find(parts, "reduction", "SCMEL"))
			for i, row := range camelCores {
				s, c := find(values, row, "SCMEL"), find(values, row, "CAMEL")
				got = append(got, Got{Row: row, Name: "SCMEL", Number: messages[i] + median(beyond),
					Why: fmt.Sprintf("messages and %.2f M", median(beyond))},
					byReception(row, alone, messages[i], dets[i]),
					Got{Row: row, Name: "CAMEL", Number: dets[i] * (1 + kept) / 2},
					quotient(c, s, 100, row, "CAMEL/SCMEL"))
			}
			ran, err := inRuns(ctx, b, runs, true, createdInRuns)
			return append(append(got, halved(values, "created")), ran...), err
		}}
}

// byReception compares determinants with messages, of which each has one by Algorithm 1. That there
// are more is a silence of the paper: an object may also send to one of its own process.
func byReception(row, name string, messages, determinants float64) Got {
	g := Got{Row: row, Name: name, Number: messages}
	if more := determinants - messages; math.Abs(more) > .01 {
		g.Status, g.Why = Unclear, fmt.Sprintf("%.2f M by Algorithm 1; the paper does not say of "+
			"what %.2f M more are, as many at every scale: deliveries inside a process?", messages,
			more)
	}
	return g
}

// camelPiggybacked is how many determinants Table 3 counts on messages.
func camelPiggybacked() Claim {
	const why = "hangs on how soon acknowledgements come, which is not printed"
	v := Value{Name: "SCMEL", Unit: "M", Method: Simulated}
	values := byCores(v, "348.23 265.33 275.84 221.68 185.39")
	v.Name = "CAMEL"
	values = append(values, byCores(v, "185.48 143.52 136.62 129.19 111.51")...)
	values = append(values, byCores(Value{Name: "CAMEL/SCMEL", Unit: "%"},
		"53.26 54.09 49.53 58.28 60.15")...)
	values = append(values, Value{Row: "all", Name: "piggybacked", Printed: "half"})
	runs := inRunsAs(find(values, camelCores[0], "CAMEL/SCMEL"), 0)
	values = append(values, runs...)
	return Claim{ID: "table-3-piggybacked", Where: "Table 3, section 5.2", Method: Arithmetic,
		Values: values, Says: "determinants that messages of LeanMD carry", Why: why,
		Command: "domino tables volume",
		Make: func(ctx context.Context, b *Bench) (got []Got, err error) {
			for _, row := range camelCores {
				got = append(got, quotient(find(values, row, "CAMEL"), find(values, row, "SCMEL"),
					100, row, "CAMEL/SCMEL"))
			}
			ran, err := carriedInRuns(ctx, b, runs)
			return append(append(got, halved(values, "piggybacked")), ran...), err
		}}
}
