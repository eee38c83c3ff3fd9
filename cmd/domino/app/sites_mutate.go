package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/report/site"
)

// matrixPages writes what kills which mutant as a site.
type matrixPages struct {
	folder *site.Folder
	dir    string
	std    streams
}

// openMatrix looks at the folder of --html, before the hunts; nil when none is wanted.
func openMatrix(dir string, std streams) (*matrixPages, error) {
	if dir == "" {
		return nil, nil
	}
	folder, err := site.Open(dir, site.Mutants)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	return &matrixPages{folder, dir, std}, nil
}

// write writes what was found: a page for each mutant that a run kills, then the matrix.
func (p *matrixPages) write(ctx context.Context, q *mutate.Question, sum *mutate.Summary,
	rows []*mutate.Row, mutants []mutate.Mutant) error {
	if p == nil {
		return nil
	}
	asked, failed := len(mutants), error(nil)
	m := &site.Matrix{Asked: asked, Head: site.Head{Command: site.Mutants,
		Version: thisBuild().String()}}
	if len(rows) < asked {
		m.Notices = append(m.Notices, fmt.Sprintf("The hunts were interrupted: %d of %d mutants "+
			"were hunted.", len(rows), asked))
	}
	for _, s := range sum.Scores {
		m.Scores = append(m.Scores, site.Score{Method: s.Method, Killed: s.Killed, Of: s.Of,
			Median: s.Median, Missed: s.Missed})
	}
	for _, r := range rows {
		one := mutantOf(r)
		for i := range mutants {
			if mutants[i].Name == one.Name {
				failed = errors.Join(failed, p.show(ctx, q, mutants[i], one))
			}
		}
		m.Mutants = append(m.Mutants, one)
	}
	if err := errors.Join(failed, p.folder.WriteMutants(m)); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	fmt.Fprintln(p.std.err, filepath.Join(p.dir, "index.html"))
	return nil
}

// show writes the page of the shortest run that kills a mutant, or notes why there is none. The
// error is that it could not be written.
func (p *matrixPages) show(ctx context.Context, q *mutate.Question, m mutate.Mutant,
	one *site.Mutant) error {
	if !one.Killed() {
		return nil
	}
	one.NoPage = "No run is shown: it takes several to see what is wrong, or the method that " +
		"kills it draws other programs."
	if len(one.Run) == 0 {
		return nil
	}
	e, err := repeated(ctx, q, m, one.Run)
	var b []byte
	if err == nil {
		_, b, err = p.std.pageBytes(ctx, e)
	}
	if err != nil {
		one.NoPage = sentence("the run has no page: " + err.Error())
		return nil
	}
	one.Page, one.NoPage = p.folder.Page(site.Runs, m.Name), ""
	return p.folder.Write(one.Page, b)
}

// repeated is the run of a mutant that a method has found.
func repeated(ctx context.Context, q *mutate.Question, m mutate.Mutant,
	schedule []string) (*exhibit, error) {
	t, err := q.Target(m)
	if err != nil {
		return nil, err
	}
	w, _, err := world.Open(context.WithoutCancel(ctx), cutting(t.Case), checker.Options{})
	if err != nil {
		return nil, err
	}
	run, err := w.Replay(schedule)
	if err != nil {
		return nil, err
	}
	if run.Violation == nil {
		return nil, errors.New("alone it breaks nothing")
	}
	e := &exhibit{scenario: t.Scenario, world: w, run: run, verdict: spec.Violated,
		scope: []string{t.Scenario.Within() + "."}, command: "domino mutate " + m.Name,
		up: []page.Link{{Name: site.Mutants, To: "../index.html"}}, doc: sentence(m.Doc)}
	if m.Variant == "" { // it is one at the boundary, of the repaired protocol
		e.mutant = m.Name
	}
	return e, nil
}

// mutantOf is a mutant for the page.
func mutantOf(r *mutate.Row) *site.Mutant {
	m := &site.Mutant{Name: r.Mutant, Protocol: r.Protocol, Scenario: r.Scenario,
		Doc: sentence(r.Doc), Expect: string(r.Expect), Why: r.Why, Unexpected: r.Unexpected}
	if r.Undecided {
		m.Undecided = bound(r)
	}
	if c := r.Comparison; c != nil && (r.Equivalent() || r.Within()) {
		m.Proof = fmt.Sprintf("Proved at its scope: %d ends of runs, %s states of both.", c.Ends,
			count(c.States))
	}
	if s := r.Shrunk; s != nil {
		m.Drawn, m.Shrunk, m.Least, m.Property = s.Drawn, s.Steps, s.Least, s.Property
	}
	for i := range r.Hunts {
		h := &r.Hunts[i]
		k := site.Kill{Method: h.Method, Killed: h.Killed, Property: h.Property, Steps: h.Steps,
			Count: h.Schedules, Drawn: h.Schedules > 0, Note: h.Bound}
		if !k.Drawn {
			k.Count = h.States
		}
		switch {
		case h.Unfit:
			k.Word = "unfit"
		case h.Killed:
		case h.CutOff():
			k.Word = "cut off"
		case h.Complete:
			k.Word = "proved"
		default:
			k.Word = "–"
		}
		if h.Killed && h.Vacuous {
			k.Property = "never " + h.Property
		}
		if h.Killed && h.Steps > 0 && (m.Run == nil || h.Steps < len(m.Run)) && len(h.Run) > 0 {
			m.Run = h.Run
		}
		if h.Killed && (m.Least == 0 || h.Steps > 0 && h.Steps < m.Least) {
			m.Least = h.Steps
		}
		m.Property = cmp.Or(m.Property, k.Property)
		m.Cells = append(m.Cells, k)
	}
	return m
}
