package app

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/spec/report/site"
)

// matrixPages writes what kills which mutant as a site.
type matrixPages struct {
	folder *site.Folder
	dir    string
}

// openMatrix looks at the folder of --html, before the hunts; nil when none is wanted.
func openMatrix(dir string) (*matrixPages, error) {
	if dir == "" {
		return nil, nil
	}
	folder, err := site.Open(dir, site.Mutants)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	return &matrixPages{folder, dir}, nil
}

// write writes what was found.
func (p *matrixPages) write(sum *mutate.Summary, rows []*mutate.Row, asked int,
	out io.Writer) error {
	if p == nil {
		return nil
	}
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
		m.Mutants = append(m.Mutants, mutantOf(r))
	}
	if err := p.folder.WriteMutants(m); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	fmt.Fprintln(out, filepath.Join(p.dir, "index.html"))
	return nil
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
