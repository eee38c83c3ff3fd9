package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/report/site"
)

// suitePages writes the answers of check as a site.
type suitePages struct {
	folder *site.Folder
	dir    string
	std    streams
	suite  site.Suite
	failed error // the first page that could not be written
}

func (s *searchFlags) registerPages(f *pflag.FlagSet) {
	f.StringVar(&s.html, "html", "",
		"write the answers as pages into this folder: an index, and a page for each run that "+
			"breaks a property")
	f.StringVar(&s.label, "label", "",
		"with --html: what this run is called in the history of the folder, which tells what has "+
			"changed since the last one")
}

// openPages looks at the folder of --html, before the search.
func (s *searchFlags) openPages(asked int, std streams) error {
	switch {
	case s.html == "" && s.label != "":
		return errors.New("--label names a run in the history of a folder: want --html, too")
	case s.html == "":
		return nil
	case s.estimate:
		return errors.New("--estimate answers no question that --html could show: want one of them")
	}
	folder, err := site.Open(s.html, site.Check)
	if err == nil {
		err = folder.CheckHistory()
	}
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	s.pages = &suitePages{folder: folder, dir: s.html, std: std, suite: site.Suite{Asked: asked,
		Drawn: s.sampling(), Head: site.Head{Command: "check", Label: s.label,
			Version: thisBuild().String()}}}
	return nil
}

// add takes an answer, and writes the page of its run if it has one.
func (p *suitePages) add(ctx context.Context, r *row) {
	if p == nil {
		return
	}
	one := site.Row{Scenario: r.Name, Protocol: r.Scenario.Protocol, Variant: r.Variant,
		Verdict: r.Verdict, Expect: r.Expect, Expected: r.AsExpected, Sampled: r.Sampled,
		Why: r.Why, Within: r.Bounds, States: r.States, Transitions: r.Transitions,
		Steps: r.Length, Seconds: r.Seconds, Bytes: r.Bytes}
	if r.Samples != nil {
		one.States = r.Samples.Runs
	}
	if r.Violation != nil {
		one.Breaks = r.Violation.Property
	}
	if e := ofAnswer(r.Answer, r.command()); e != nil {
		e.up = []page.Link{{Name: site.Check, To: "../index.html"}}
		one.Page = p.folder.Page(site.Runs, r.Name, r.Variant)
		_, b, err := p.std.pageBytes(ctx, e)
		if err == nil {
			err = p.folder.Write(one.Page, b)
			p.failed = errors.Join(p.failed, err)
		}
		if err != nil {
			one.Page = ""
			p.miss(r.Name, err)
		}
	}
	p.suite.Rows = append(p.suite.Rows, one)
}

// miss notes what has no page, or no answer.
func (p *suitePages) miss(name string, err error) {
	if p != nil {
		p.suite.Failed = append(p.suite.Failed, name+": "+err.Error())
	}
}

// finish writes the index. A run that was ended early is not added to the history, in which it
// would look as if scenarios had gone.
func (p *suitePages) finish(ended bool, out io.Writer) error {
	if p == nil {
		return nil
	}
	if ended {
		p.suite.Label = ""
		p.suite.Notices = append(p.suite.Notices, fmt.Sprintf("The run was interrupted when %d "+
			"of %d scenarios had an answer, the last ones perhaps none that counts. It is not "+
			"part of the history.", len(p.suite.Rows), p.suite.Asked))
	}
	if err := errors.Join(p.failed, p.folder.WriteSuite(&p.suite)); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	fmt.Fprintln(out, filepath.Join(p.dir, "index.html"))
	return nil
}

// pageBytes is the page of a run. What goes wrong in one, even an error of ours, is its error, so
// that other pages and the answers are not lost. The interruption of a search does not interrupt
// the pages of what it has found.
func (std streams) pageBytes(ctx context.Context, e *exhibit) (p *page.Page, b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if p, err = std.page(context.WithoutCancel(ctx), e); err != nil {
		return nil, nil, err
	}
	var w bytes.Buffer
	err = page.Write(&w, p)
	return p, w.Bytes(), err
}

// searchCommand is the command that finds the shortest run of a scenario again.
func searchCommand(s *scenarios.Scenario) string {
	return "domino check " + scenarioWord(s) + " --variant " + s.Variant + " --search bfs"
}
