package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// paperCell is a printed value beside ours as JSON, or a claim in which none is printed.
type paperCell struct {
	versioned
	Paper   string   `json:"paper"`
	ID      string   `json:"id"`    // of the claim
	Where   string   `json:"where"` // in the paper
	Says    string   `json:"says"`
	Row     string   `json:"row"`
	Name    string   `json:"name"` // of the value; "" for a claim in which none is printed
	Unit    string   `json:"unit"`
	Printed string   `json:"printed"`
	Got     *float64 `json:"got"`  // ours; null where none was made, and for a word
	Text    string   `json:"text"` // ours, if a word
	// how far ours may be off: made of printed numbers, which are rounded; and by its measurement
	Rounding float64       `json:"rounding"`
	Spread   float64       `json:"spread"`
	Low      *float64      `json:"low"`           // ours may be from here; null: without bound
	High     *float64      `json:"high"`          // to here
	Shown    bool          `json:"shown"`         // ours is not judged
	Status   papers.Status `json:"status"`        // of the value
	Kind     papers.Kind   `json:"kind"`          // of a contradiction
	Method   string        `json:"method"`        // by which ours is made
	Why      string        `json:"why,omitempty"` // of the status, or of the tolerance
	Command  string        `json:"command,omitempty"`
	Error    string        `json:"error,omitempty"` // of ours, in making the claim
	// why ours does not contradict though it differs, and, disturbed, does not agree either
	Doubt     string       `json:"doubt,omitempty"`
	Disturbed bool         `json:"disturbed,omitempty"`
	Made      *papers.Made `json:"made,omitempty"` // of what is measured, emulated or simulated
}

// paperEvent is which claim is made.
type paperEvent struct {
	happening
	Paper string `json:"paper"`
	Claim string `json:"claim"`
}

// paperOptions are what domino paper was asked for.
type paperOptions struct {
	json, markdown, strict bool
	measure, simulate      bool
	html, plot             string
	from                   []string
}

// runPaper makes again what the papers claim.
func runPaper(ctx context.Context, args []string, std streams) (int, error) {
	var o paperOptions
	f := flags("paper", "[NAME [ID ...]]", std, "paper", "paper hydee", "paper hydee table-1",
		"paper hydee-fr 'table-*' --markdown", "paper radic --json --strict",
		"paper camel --html camel.html --plot plots", "paper hydee fig-5 fig-6 --measure",
		"paper hydee-fr table-1 table-2 --simulate",
		"paper hydee --from measured.json --from simulated.json")
	f.BoolVar(&o.json, "json", false, "print JSON: an object for each printed value, on a line")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	f.StringVar(&o.html, "html", "", "also write a paper as a page, to this file")
	f.StringVar(&o.plot, "plot", "", "also draw printed values beside ours into this folder, as "+
		"PNG and SVG")
	f.BoolVar(&o.strict, "strict", false, "exit with 1 if a value is contradicted")
	f.Bool("quick", true, "make what needs no process and no clock: arithmetic, the traffic of "+
		"programs, schedules explored, runs in modelled time")
	f.BoolVar(&o.measure, "measure", false, "also measure real processes of this machine, "+
		"minutes; without it a claim names the command that does")
	f.BoolVar(&o.simulate, "simulate", false, "also make what takes minutes of runs in modelled "+
		"time")
	f.StringArrayVar(&o.from, "from", nil, "take what is not made now, and was measured, emulated "+
		"or simulated in an earlier run, from this file, which --json has printed; may be repeated")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if o.json && o.markdown {
		return 0, errors.New("--json contradicts --markdown")
	}
	if err := o.quickly(f); err != nil {
		return 0, err
	}
	wanted, err := choosePapers(f.Args())
	if err == nil {
		err = o.room(len(wanted))
	}
	if err != nil {
		return 0, err
	}
	return std.makePapers(ctx, wanted, &o, f.NArg() == 0)
}

// quickly refuses what --quick contradicts.
func (o *paperOptions) quickly(f *pflag.FlagSet) error {
	quick, err := f.GetBool("quick")
	switch {
	case err != nil:
		return err
	case !quick:
		return errors.New("--quick=false: what is quick is always made; name the claims that are " +
			"wanted")
	case f.Changed("quick") && o.measure:
		return errors.New("--quick contradicts --measure, which starts processes")
	case f.Changed("quick") && o.simulate:
		return errors.New("--quick contradicts --simulate, which takes minutes")
	}
	return nil
}

// room says, before anything is made, what could not be written after it.
func (o *paperOptions) room(papers int) error {
	if o.html != "" {
		if papers != 1 {
			return errors.New("--html writes one paper: name it")
		}
		if err := (&reportFlags{output: o.html}).room(); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	return plotFolder(o.plot)
}

// wantedPaper is a paper and those of its claims that are asked for.
type wantedPaper struct {
	papers.Paper
	claims []*papers.Claim
}

// title is the reference of a paper.
func (p *wantedPaper) title() string {
	for _, cited := range help.Cited("[" + p.Key + "]") {
		return cited.Title
	}
	return p.Key
}

// choosePapers are all papers, or the claims of one; the error names what is near.
func choosePapers(args []string) (wanted []wantedPaper, err error) {
	var names []string
	for _, p := range papers.All() {
		names = append(names, p.Name)
		if len(args) > 0 && args[0] != p.Name {
			continue
		}
		w := wantedPaper{Paper: p}
		var missing []string
		if w.claims, missing = p.Match(args[min(1, len(args)):]); len(missing) > 0 {
			var ids []string
			for _, c := range p.Claims {
				ids = append(ids, c.ID)
			}
			return nil, fmt.Errorf("%s has no claim %q%s Claims: %s", p.Name, missing[0],
				spelling.Guess(missing[0], ids), strings.Join(ids, ", "))
		}
		wanted = append(wanted, w)
	}
	if len(wanted) == 0 {
		if having := papersWith(args[0]); having != nil {
			return nil, fmt.Errorf("unknown paper %q: that is a claim of %s: %s", args[0],
				strings.Join(having, ", "), called("domino paper "+having[0]+" "+args[0]))
		}
		return nil, fmt.Errorf("unknown paper %q%s Papers: %s", args[0],
			spelling.Guess(args[0], names), strings.Join(names, ", "))
	}
	return wanted, nil
}

// papersWith are the names of the papers with a claim.
func papersWith(id string) (names []string) {
	for _, p := range papers.All() {
		if slices.ContainsFunc(p.Claims, func(c papers.Claim) bool { return c.ID == id }) {
			names = append(names, p.Name)
		}
	}
	return names
}

// paperNames are all papers and their claims.
func paperNames() (list []string) {
	for _, p := range papers.All() {
		list = append(list, p.Name)
		for _, c := range p.Claims {
			list = append(list, c.ID)
		}
	}
	return list
}

// makePapers makes the claims one by one and prints each as soon as it is made; of all papers only
// how many have which status.
func (std streams) makePapers(ctx context.Context, wanted []wantedPaper, o *paperOptions,
	counts bool) (code int, err error) {
	all, made := 0, 0
	for _, p := range wanted {
		all += len(p.claims)
	}
	out := paperPrinter{std: std, paperOptions: *o, counts: counts}
	bench := std.bench()
	bench.Measures, bench.Simulates = o.measure, o.simulate
	if bench.Earlier, err = earlier(o.from, wanted); err != nil {
		return 0, err
	}
	if takes := longOf(bench, wanted); takes > 0 {
		fmt.Fprintf(std.err, "this takes about %s on a machine with nothing else to do\n", takes)
	}
	line, now := term.NewLine(std.err, o.json), madeNow()
	for _, p := range wanted {
		var results []*papers.Result
		err = errors.Join(err, out.open(&p))
		for _, c := range p.claims {
			line.Show("", func() string { return p.Name + " " + c.ID },
				func() any { return paperEvent{underWay, p.Name, c.ID} })
			r, stopped := makePaper(ctx, bench, c)
			line.Clear()
			if stopped != nil {
				break
			}
			made++
			stamp(r, now)
			if code = worse(code, out.code(r)); r.Status == papers.Failed {
				err = errors.Join(err, fmt.Errorf("%s %s: %w", p.Name, c.ID, r.Err))
			}
			err = errors.Join(err, out.claim(&p, r))
			results = append(results, r)
		}
		err = errors.Join(err, out.close(&p), o.draw(&p, results))
	}
	err = errors.Join(err, out.end())
	if made < all {
		fmt.Fprintf(std.err, "interrupted: %d of %d claims were not made\n", all-made, all)
		code = worse(code, exitCode(spec.Unknown))
	}
	return code, err
}

// makePaper makes one claim. For one that starts processes it waits until they are gone, whatever
// happens.
func makePaper(ctx context.Context, b *papers.Bench, c *papers.Claim) (*papers.Result, error) {
	if b.Wants(c) {
		return b.Make(ctx, c)
	}
	return heard(ctx, func() (*papers.Result, error) { return b.Make(ctx, c) })
}

// longOf is about how long claims take that are not quick.
func longOf(b *papers.Bench, wanted []wantedPaper) (sum time.Duration) {
	for _, p := range wanted {
		for _, c := range p.claims {
			if b.Wants(c) {
				sum += c.Takes
			}
		}
	}
	return sum
}

// draw writes the page and the figures of a paper that was made, as far as it was.
func (o *paperOptions) draw(p *wantedPaper, results []*papers.Result) (err error) {
	if o.html != "" {
		if err = paperPage(o.html, p, results, len(p.claims)-len(results)); err != nil {
			err = fmt.Errorf("--html: %w", err)
		}
	}
	if o.plot != "" {
		if wrong := plotPaper(o.plot, p, results); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--plot: %w", wrong))
		}
	}
	return err
}

// code is the exit code of one claim, errors aside.
func (o *paperOptions) code(r *papers.Result) int {
	switch {
	case r.Status == papers.Contradicted && o.strict:
		return 1
	case r.Status == papers.Unclear:
		return exitCode(spec.Unknown)
	}
	return 0
}

// paperCells are the values of a claim as JSON.
func paperCells(p *wantedPaper, r *papers.Result) (cells []paperCell) {
	base := paperCell{versioned: as("paper"), Paper: p.Name, ID: r.ID, Where: r.Where,
		Says: r.Says, Status: r.Status, Method: r.Method.String(), Why: r.Why,
		Command: calledIfAny(r.Command)}
	if r.Err != nil {
		base.Error = r.Err.Error()
	}
	if len(r.Cells) == 0 {
		return []paperCell{base}
	}
	for _, c := range r.Cells {
		cell := base
		cell.Row, cell.Name, cell.Unit, cell.Printed = c.Row, c.Name, c.Unit, c.Printed
		cell.Shown, cell.Status, cell.Kind = c.Shown, c.Status, c.Kind
		cell.Method, cell.Why = c.Method.String(), c.Why
		if c.Why == "" && c.Status == papers.NotHere {
			cell.Why = r.Why
		}
		low, high := c.Band()
		cell.Low, cell.High = finite(low), finite(high)
		if g := c.Got; g != nil && g.Status == papers.NoClaim {
			if cell.Text = g.Text; g.Text == "" {
				cell.Got, cell.Rounding, cell.Spread = finite(g.Number), g.Rounding, g.Spread
			}
		}
		if g := c.Got; g != nil {
			cell.Doubt, cell.Disturbed, cell.Made = g.Doubt, g.Disturbed, g.Made
		}
		cells = append(cells, cell)
	}
	return slices.Clip(cells)
}
