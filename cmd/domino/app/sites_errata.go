package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/report/site"
)

// figureWidth is that of figures in the catalogue, in pixels.
const figureWidth = 1120

// errataPages writes the catalogue as a site.
type errataPages struct {
	folder *site.Folder
	dir    string
	std    streams
	errata site.Catalogue
	failed error // the first page that could not be written
}

// witnessed is what the pages say of one run, with the page of the whole of it.
type witnessed struct {
	*site.Witness
	page []byte
	err  error // why something of it could not be made
}

// openErrata looks at the folder of --html, before the search.
func (s *searchFlags) openErrata(findings []*verify.Erratum, std streams) (*errataPages, error) {
	if s.html == "" {
		return nil, nil
	}
	folder, err := site.Open(s.html, site.Errata)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	p := &errataPages{folder: folder, dir: s.html, std: std,
		errata: site.Catalogue{Asked: len(findings), Classes: map[string]string{},
			Pages: map[string]string{}, Papers: cited,
			Head: site.Head{Command: site.Errata, Version: thisBuild().String()}}}
	for _, e := range findings { // pages of runs lead to them
		if p.errata.Pages[e.Protocol] == "" {
			p.errata.Pages[e.Protocol] = folder.Page(site.Protocols, e.Protocol)
		}
	}
	return p, nil
}

// cited are the papers in texts, for the site.
func cited(texts ...string) (list []site.Paper) {
	for _, p := range help.Cited(texts...) {
		list = append(list, site.Paper(p))
	}
	return list
}

// witness draws the run that shows an erratum and makes its page. Several may be made at a time.
func (p *errataPages) witness(ctx context.Context, e *verify.Erratum) *witnessed {
	if p == nil || e.Broken == nil || e.Repaired == nil {
		return nil
	}
	a, calm := e.Broken, e.Repaired
	w := &site.Witness{Scenario: e.Scenario, Title: a.Scenario.Title, Confirmed: e.Confirmed,
		Verdict: a.Verdict, Steps: a.Length, States: a.States, Within: a.Bounds,
		Source: string(scenarios.Format(a.Scenario)), Command: called(searchCommand(a.Scenario)),
		Repaired: site.Calm{Verdict: calm.Verdict, Expected: calm.AsExpected, Within: calm.Bounds,
			States: calm.States}}
	if !e.Confirmed {
		w.Why = a.Why
	}
	if calm.Verdict != spec.Holds || !calm.AsExpected {
		w.Repaired.Why, _, _ = strings.Cut(calm.Why, "\n")
	}
	shown := &witnessed{Witness: w}
	if a.Violation == nil {
		return shown
	}
	w.Property, w.Message = a.Violation.Property, a.Violation.Message
	x := ofAnswer(a, searchCommand(a.Scenario))
	if x == nil {
		return shown
	}
	x.up = []page.Link{{Name: site.Errata, To: "../index.html"},
		{Name: e.ID, To: "../" + p.errata.Pages[e.Protocol] + "#" + e.ID}}
	made, b, err := p.std.pageBytes(ctx, x)
	if shown.page, shown.err = b, err; err != nil {
		return shown
	}
	if d := made.Model.Run.Property; d != nil {
		w.Doc = d.Doc
	}
	shown.err = draw(w, made.Model)
	return shown
}

// draw makes the figure of a run.
func draw(w *site.Witness, m *report.Model) error {
	f := figure.Layout(m, figure.Options{Width: figureWidth})
	var svg bytes.Buffer
	if err := f.SVG(&svg); err != nil {
		return err
	}
	w.Figure = template.HTML(svg.String()) // package figure escapes
	for _, sign := range f.Legend() {
		w.Legend = append(w.Legend, site.Sign{SVG: template.HTML(sign.SVG), Words: sign.Words})
	}
	return nil
}

// add takes an erratum at one scenario, in the order of the catalogue.
func (p *errataPages) add(e *verify.Erratum, w *witnessed) {
	if p == nil {
		return
	}
	list := &p.errata.Errata
	p.errata.Done++
	p.errata.Classes[string(e.Class)] = e.Class.Doc()
	last := len(*list) - 1
	if last < 0 || (*list)[last].Protocol != e.Protocol || (*list)[last].ID != e.ID {
		about := ""
		if protocol, err := p.std.Find(e.Protocol); err == nil {
			about = protocol.Doc
		}
		*list = append(*list, &site.Erratum{Protocol: e.Protocol, About: about, ID: e.ID,
			Place: e.Place, Class: string(e.Class), Quote: e.Quote, Switched: e.Switched,
			Other: e.Other, Repaired: e.Erratum.Repaired, Shown: e.Shown})
		last++
	}
	if w == nil {
		return
	}
	if w.page != nil {
		w.Page = p.folder.Page(site.Runs, e.Protocol, e.ID, e.Scenario)
		if err := p.folder.Write(w.Page, w.page); err != nil {
			w.Page, w.err = "", err
			p.failed = cmp.Or(p.failed, err)
		}
	}
	if w.err != nil {
		p.errata.Failed = append(p.errata.Failed, fmt.Sprintf("%s %s, %s: %v", e.Protocol, e.ID,
			e.Scenario, w.err))
	}
	(*list)[last].Runs = append((*list)[last].Runs, w.Witness)
}

// miss notes an erratum whose search has ended in an error.
func (p *errataPages) miss(g explored) {
	if p != nil {
		p.errata.Failed = append(p.errata.Failed, fmt.Sprintf("%s %s: %v", g.Protocol, g.ID, g.err))
	}
}

// finish writes the pages of the protocols and the index.
func (p *errataPages) finish(ended bool, out io.Writer) error {
	if p == nil {
		return nil
	}
	if ended {
		p.errata.Notices = append(p.errata.Notices, fmt.Sprintf("The search was interrupted: %d "+
			"of %d runs were looked for.", p.errata.Done, p.errata.Asked))
	}
	if err := errors.Join(p.failed, p.folder.WriteCatalogue(&p.errata)); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	fmt.Fprintln(out, filepath.Join(p.dir, "index.html"))
	return nil
}
