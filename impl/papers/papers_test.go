package papers_test

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/papers"
)

// TestBand compares what a value may be with bands by hand.
func TestBand(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		v         papers.Value
		low, high float64
	}{
		{papers.Value{Printed: "44"}, 43.5, 44.5},
		{papers.Value{Printed: "13.26"}, 13.255, 13.265},
		{papers.Value{Printed: "12,4"}, 12.35, 12.45},
		{papers.Value{Printed: "2.72E-08"}, 2.715e-8, 2.725e-8},
		{papers.Value{Printed: "-24"}, -24.5, -23.5},
		{papers.Value{Printed: "44", Cut: true}, 44, 45},
		{papers.Value{Printed: "440", Share: .001}, 439.5, 440.5},
		{papers.Value{Printed: "2318", Share: .001}, 2315.682, 2320.318},
		{papers.Value{Printed: "20", Tolerance: 5}, 15, 25},
		{papers.Value{Printed: "1.25", Sense: papers.AtMost}, -inf, 1.255},
		{papers.Value{Printed: "95", Sense: papers.AtLeast}, 94.5, inf},
	} {
		low, high := c.v.Band()
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }
		if !near(low, c.low) || !near(high, c.high) {
			t.Errorf("%+v: %v to %v, want %v to %v", c.v, low, high, c.low, c.high)
		}
	}
}

// stubs are values that meet all printed ones, or are just outside.
func stubs(c *papers.Claim, outside bool) (got []papers.Got) {
	for i := range c.Values {
		v := &c.Values[i]
		g := papers.Got{Row: v.Row, Name: v.Name, Text: v.Printed}
		if number, ok := v.Number(); ok {
			g.Number, g.Text = number, ""
			low, high := v.Band()
			if outside && !math.IsInf(high, 0) {
				g.Number = high + 1e-6*math.Abs(high) + 1e-12
			} else if outside {
				g.Number = low - 1e-6*math.Abs(low) - 1e-12
			}
		} else if outside {
			g.Text += "!"
		}
		got = append(got, g)
	}
	return got
}

// TestStubs: of every claim, what is printed is reproduced, what is just outside is contradicted,
// and what is no number, nothing, or not printed is an error of ours.
func TestStubs(t *testing.T) {
	for _, p := range papers.All() {
		for i := range p.Claims {
			c := p.Claims[i]
			if len(c.Values) == 0 {
				continue
			}
			c.Make = func(context.Context, *papers.Bench) ([]papers.Got, error) { return nil, nil }
			quick := false
			for _, cell := range papers.Judge(&c, stubs(&c, false), nil).Cells {
				quick = quick || cell.Method.Quick() && cell.Method != papers.Data
				if want := judged(cell, papers.Reproduced); cell.Status != want {
					t.Errorf("%s %s %s %s: %v, want %v", p.Name, c.ID, cell.Row, cell.Name,
						cell.Status, want)
				}
			}
			for _, cell := range papers.Judge(&c, stubs(&c, true), nil).Cells {
				if want := judged(cell, papers.Contradicted); cell.Status != want ||
					(cell.Kind != "") != (want == papers.Contradicted) {
					t.Errorf("%s %s %s %s: %v %v, want %v", p.Name, c.ID, cell.Row, cell.Name,
						cell.Status, cell.Kind, want)
				}
			}
			failing(t, &p, &c, quick)
		}
	}
}

// judged is the status that a cell has if it is judged at all.
func judged(c papers.Cell, status papers.Status) papers.Status {
	switch {
	case c.Shown:
		return papers.NoClaim
	case status == papers.Contradicted && c.Method == papers.Modelled:
		return papers.Unclear
	}
	return status
}

// failing makes a claim badly.
func failing(t *testing.T, p *papers.Paper, c *papers.Claim, quick bool) {
	t.Helper()
	bad := map[string][]papers.Got{"no number": stubs(c, false),
		"not printed": append(stubs(c, false), papers.Got{Name: "nowhere", Number: 1}),
		"twice":       append(stubs(c, false), stubs(c, false)[0])}
	g := &bad["no number"][0]
	g.Number, g.Text = math.NaN(), ""
	if _, ok := c.Values[0].Number(); ok {
		for what, wrong := range map[string]papers.Got{"beyond all": {Number: math.Inf(1)},
			"below all": {Number: math.Inf(-1)}, "a word": {Text: "many"},
			"no spread": {Spread: math.NaN()}, "a negative spread": {Spread: -1},
			"a negative rounding": {Rounding: -1}, "no rounding": {Rounding: math.NaN()}} {
			wrong.Row, wrong.Name = g.Row, g.Name
			bad[what] = append([]papers.Got{wrong}, stubs(c, false)[1:]...)
		}
	}
	if quick {
		bad["nothing"] = nil
	}
	for what, got := range bad {
		if r := papers.Judge(c, got, nil); r.Status != papers.Failed || r.Err == nil {
			t.Errorf("%s %s: %s made: %v, %v", p.Name, c.ID, what, r.Status, r.Err)
		}
	}
}

// TestUnclear: a spread that covers both answers decides nothing, rounding in favour of the paper.
func TestUnclear(t *testing.T) {
	c := papers.Claim{Method: papers.Measured, Values: []papers.Value{{Name: "x", Printed: "10"}}}
	for _, try := range []struct {
		got  papers.Got
		want papers.Status
	}{
		{papers.Got{Name: "x", Number: 10.2, Spread: .2}, papers.Reproduced},
		{papers.Got{Name: "x", Number: 10.2, Spread: .4}, papers.Unclear},
		{papers.Got{Name: "x", Number: 10.7, Spread: .3}, papers.Unclear}, // from 10.4
		{papers.Got{Name: "x", Number: 9.4, Spread: .3}, papers.Unclear},  // to 9.7
		{papers.Got{Name: "x", Number: 10, Spread: .6}, papers.Unclear},
		{papers.Got{Name: "x", Number: 9.4, Spread: .05}, papers.Contradicted},
		{papers.Got{Name: "x", Number: 11, Spread: .4}, papers.Contradicted},
		{papers.Got{Name: "x", Number: 11, Rounding: .4}, papers.Contradicted},
		{papers.Got{Name: "x", Number: 11, Rounding: .6}, papers.Reproduced},
		{papers.Got{Name: "x", Status: papers.NotHere, Why: "no"}, papers.NotHere},
	} {
		if r := papers.Judge(&c, []papers.Got{try.got}, nil); r.Status != try.want {
			t.Errorf("%+v: %v, want %v", try.got, r.Status, try.want)
		}
	}
	if r := papers.Judge(&c, nil, nil); r.Status != papers.NotHere {
		t.Errorf("a measurement that nothing makes is %v", r.Status)
	}
	c.Long = func(context.Context, *papers.Bench) ([]papers.Got, error) { return nil, nil }
	if r := papers.Judge(&c, nil, nil); r.Status != papers.NotMade {
		t.Errorf("a measurement that nobody made is %v", r.Status)
	}
}

// TestDoubt: what may have another reason does not contradict, and what was disturbed does not
// agree either; it says nothing of what is not judged, or not reproducible.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		got  papers.Got
		v    papers.Value
		want papers.Status
	}{
		{papers.Got{Number: 11, Doubt: "many"}, papers.Value{}, papers.Unclear},
		{papers.Got{Number: 10, Doubt: "many"}, papers.Value{}, papers.Reproduced},
		{papers.Got{Number: 11, Doubt: "others", Disturbed: true}, papers.Value{}, papers.Unclear},
		{papers.Got{Number: 10, Doubt: "others", Disturbed: true}, papers.Value{}, papers.Unclear},
		{papers.Got{Number: 11, Doubt: "others", Disturbed: true}, papers.Value{Shown: true},
			papers.NoClaim},
		{papers.Got{Status: papers.NotHere, Doubt: "others", Disturbed: true}, papers.Value{},
			papers.NotHere},
		{papers.Got{Number: math.NaN(), Doubt: "others", Disturbed: true}, papers.Value{},
			papers.Failed},
	} {
		c.v.Name, c.v.Printed, c.got.Name = "x", "10", "x"
		r := papers.Judge(&papers.Claim{Method: papers.Measured, Values: []papers.Value{c.v}},
			[]papers.Got{c.got}, nil)
		if r.Cells[0].Status != c.want {
			t.Errorf("%+v: %v, want %v", c.got, r.Cells[0].Status, c.want)
		}
	}
}

// TestOurs: ours is shown with the digits of the paper; with more where it would look like what it
// contradicts, or lies in the middle of two such numbers, so that no reader wonders how it was
// rounded; and one behind what was cut off.
func TestOurs(t *testing.T) {
	for _, c := range []struct {
		v    papers.Value
		ours float64
		want string
	}{
		{papers.Value{Printed: "10"}, 12.5, "12.5"}, // one of eight cores, [RADIC] 5.2.4
		{papers.Value{Printed: "12"}, 12.5, "12.5"},
		{papers.Value{Printed: "-12"}, -12.5, "-12.5"},
		{papers.Value{Printed: "0.2"}, .25, "0.25"},
		{papers.Value{Printed: "13"}, 12.6, "13"},
		{papers.Value{Printed: "13.26"}, 13.2649, "13.26"},
		{papers.Value{Printed: "13.26"}, 13.2651, "13.27"},
		{papers.Value{Printed: "9.4", Cut: true}, 9.459, "9.46"},
		{papers.Value{Printed: "9", Tolerance: .1}, 9.2, "9"}, // its own half unit is more
		{papers.Value{Printed: "20", Sense: papers.AtMost}, 20.6, "21"},
		{papers.Value{Printed: "20.0", Sense: papers.AtMost}, 20.051, "20.1"},
		{papers.Value{Printed: "5", Cut: true}, 4.99, "4.99"},
		{papers.Value{Printed: "2.72E-08"}, 2.71e-8, "2.71E-08"},
		{papers.Value{Printed: "2,7"}, 2.7, "2.7"},
		{papers.Value{Printed: "7"}, 0, "0"},
	} {
		c.v.Name = "x"
		r := papers.Judge(&papers.Claim{Method: papers.Arithmetic, Values: []papers.Value{c.v}},
			[]papers.Got{{Name: "x", Number: c.ours}}, nil)
		if got := r.Cells[0].Ours(); got != c.want {
			t.Errorf("%s printed, ours %v (%v): %q, want %q", c.v.Printed, c.ours, r.Status, got,
				c.want)
		}
	}
}

// TestData: what a reader and a judge need is there, and nothing twice.
func TestData(t *testing.T) {
	for _, p := range papers.All() {
		ids := map[string]bool{}
		for _, c := range p.Claims {
			at := p.Name + " " + c.ID
			if ids[c.ID] || c.ID == "" || c.Where == "" || c.Says == "" {
				t.Errorf("%s: twice, or without place or words", at)
			}
			ids[c.ID] = true
			if c.Make == nil && c.Method != papers.Data && c.Why == "" && c.Command == "" {
				t.Errorf("%s: nothing makes it, and nothing says why", at)
			}
			values := map[string]bool{}
			for _, v := range c.Values {
				name := v.Row + "/" + v.Name
				if values[name] || v.Name == "" || v.Printed == "" {
					t.Errorf("%s: value %q twice, or without name or print", at, name)
				}
				values[name] = true
				if v.Why == "" && (v.Tolerance != 0 || v.Share != 0 || v.Shown || v.Cut) {
					t.Errorf("%s: value %q has a tolerance without a reason", at, name)
				}
			}
		}
	}
}

// TestIDs: the claims of each paper, by hand; those of the thesis are in TestThesis.
func TestIDs(t *testing.T) {
	want := map[string]string{
		"hydee": "15-15 abstract-2 alg-messages fig-1 fig-2 fig-3 fig-4 fig-5 fig-6 lemma-1 " +
			"lemma-2 lemma-3 lemma-4 lemma-5 table-1 thm-1 thm-2 v-b-1024 vi-25",
		"hydee-fr": "abstract-15 alpha beta eq-1 fig-1 fig-2 io-50 table-1 table-2 table-3 table-4",
		"camel": "alg-1 alg-2 fig-1a fig-1b fig-2 fig-3 fig-4 fig-5a fig-5b fig-6a fig-6b " +
			"intro-20 perf-same table-1 table-2 table-3-determinants table-3-log " +
			"table-3-messages table-3-piggybacked thm-1 thm-2",
		"errmgr": "fig-1 fig-2 fig-3a fig-3b fig-3c fig-4a fig-4b fig-5a fig-5b fig-6a fig-6b " +
			"flow-10 table-1a table-1b table-1c table-1d text-limits",
	}
	for _, p := range papers.All() {
		var ids []string
		for _, c := range p.Claims {
			ids = append(ids, c.ID)
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); p.Name != "radic" && got != want[p.Name] {
			t.Errorf("%s has %s, want %s", p.Name, got, want[p.Name])
		}
	}
}

// texts are the files of the papers in the folder that DOMINO_PAPERS names.
var texts = map[string]string{"hydee": "hydee-ipdps2012.txt", "hydee-fr": "hydee-tsi2012-fr.txt",
	"camel": "camel-2015.txt", "radic": "meyer-thesis-2014-radic-hmpl.txt",
	"errmgr": "errmgr-open-mpi.txt"}

// pages is how far from a mention of a table or figure its numbers stand: about two, in bytes.
const pages = 6000

// inWords are numbers that a text has as words.
var inWords = map[string]string{"14": "fourteen"}

// whole are the places at which a text has a number that is no part of another one.
func whole(text, number string) (places []int) {
	is := func(at int, what string) bool {
		return at >= 0 && at < len(text) && strings.IndexByte(what, text[at]) >= 0
	}
	digit := func(at int) bool { return is(at, "0123456789") }
	point := func(at int) bool { return is(at, ".,") }
	for from := 0; ; {
		at := strings.Index(text[from:], number)
		if at < 0 {
			return places
		}
		at += from
		end := at + len(number)
		from = at + 1
		if !digit(at-1) && !(point(at-1) && digit(at-2)) && !digit(end) &&
			!(point(end) && digit(end+1)) {
			places = append(places, at)
		}
	}
}

// mentions are the places at which a text names the table or figure of a claim; ok is false for a
// claim of another kind.
func mentions(text, id string) (places []int, ok bool) {
	name := regexp.MustCompile(`^(table|fig)-([0-9]+(?:\.[0-9]+)?)`).FindStringSubmatch(id)
	if name == nil {
		return nil, false
	}
	kind := map[string]string{"table": `tab(?:leau|le)`, "fig": `fig(?:ures?|\.)`}[name[1]]
	number := regexp.QuoteMeta(name[2])
	if roman := map[string]string{"1": "I", "2": "II", "3": "III"}[name[2]]; roman != "" {
		number = "(?:" + number + "|" + roman + ")"
	}
	for _, at := range regexp.MustCompile(`(?i)`+kind+`\s*`+number+`\b`).FindAllStringIndex(text,
		-1) {
		places = append(places, at[0])
	}
	return places, true
}

// printed reports whether a number stands in a text, as a whole: for a table or figure within two
// pages of where that is named.
func printed(text, number string, mentioned []int, narrow bool) bool {
	places := whole(text, number)
	if word := inWords[number]; word != "" {
		places = append(places, whole(text, word)...)
	}
	return slices.ContainsFunc(places, func(at int) bool {
		return !narrow || slices.ContainsFunc(mentioned, func(p int) bool {
			return p-pages < at && at < p+pages
		})
	})
}

// TestWholly: a number is found as a whole alone, and near its table where it has one.
func TestWholly(t *testing.T) {
	const text = "Table I shows 12.5 %, 4,096 and 7. See [3]; 8.25\n"
	far := text + strings.Repeat(" ", pages) + "99, fourteen. Tab"
	for _, c := range []struct {
		text, number, id string
		want             bool
	}{
		{text, "12.5", "table-1", true}, {text, "12", "alpha", false}, {text, "5", "alpha", false},
		{text, "2.5", "alpha", false}, {text, "4,096", "alpha", true},
		{text, "096", "alpha", false},
		{text, "7", "alpha", true}, {text, "3", "alpha", true}, {text, "8.25", "alpha", true},
		{text, "8.2", "alpha", false}, {far, "99", "alpha", true}, {far, "99", "table-1", false},
		{far, "12.5", "table-1b", true}, {far, "12.5", "fig-1", false}, {far, "14", "eq-1", true},
		{far, "14", "table-1", false}, {far, "12.5", "table-2", false},
		{far, "12.5", "table-11", false},
	} {
		places, narrow := mentions(c.text, c.id)
		if got := printed(c.text, c.number, places, narrow); got != c.want {
			t.Errorf("%s of %s: %t", c.number, c.id, got)
		}
	}
}

// TestPrinted: whoever has the texts of the papers holds the printed numbers against them, digit
// for digit, near the table or figure that has them; words are those of the house.
func TestPrinted(t *testing.T) {
	folder := os.Getenv("DOMINO_PAPERS")
	if folder == "" {
		t.Skip("DOMINO_PAPERS names no folder with the texts of the papers")
	}
	for _, p := range papers.All() {
		text, err := os.ReadFile(filepath.Join(folder, texts[p.Name]))
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer("$", "", "^{", "", "}", "").Replace(string(text)) // 2.2E^{-8}
		for _, c := range p.Claims {
			places, narrow := mentions(plain, c.ID)
			for _, v := range c.Values {
				if _, ok := v.Number(); ok && !printed(plain, v.Printed, places, narrow) {
					t.Errorf("%s %s: %q is not in the text", p.Name, c.ID, v.Printed)
				}
			}
		}
	}
}

// captioned finds tables and figures at the beginning of lines: captions, and sentences about them.
var captioned = regexp.MustCompile(
	`(?im)^\**(fig(?:ure|\.)|tab(?:leau|le)) +([IVX]+|[0-9]+(?:\.[0-9]+)?)`)

// TestCaptions: whoever has the texts sees that each of their tables and figures has a claim, whole
// or in parts such as fig-5a or table-3-log.
func TestCaptions(t *testing.T) {
	folder := os.Getenv("DOMINO_PAPERS")
	if folder == "" {
		t.Skip("DOMINO_PAPERS names no folder with the texts of the papers")
	}
	roman := map[string]string{"I": "1", "II": "2", "III": "3", "IV": "4"}
	for _, p := range papers.All() {
		text, err := os.ReadFile(filepath.Join(folder, texts[p.Name]))
		if err != nil {
			t.Fatal(err)
		}
		for _, caption := range captioned.FindAllStringSubmatch(string(text), -1) {
			id := strings.ToLower(caption[1][:3]) + "-" + cmp.Or(roman[caption[2]], caption[2])
			id = strings.Replace(id, "tab-", "table-", 1)
			if !slices.ContainsFunc(p.Claims, func(c papers.Claim) bool {
				part, ok := strings.CutPrefix(c.ID, id)
				return ok && (strings.TrimLeft(part, "abcd") == "" || part[0] == '-')
			}) {
				t.Errorf("%s: %q has no %s", p.Name, caption[0], id)
			}
		}
	}
}
