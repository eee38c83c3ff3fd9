package app

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/runtime/gauge"
)

// mostCell bounds a line of a file with values.
const mostCell = 1 << 20

// madeNow is when and where a run of this command makes values.
func madeNow() *papers.Made {
	c := gauge.This()
	return &papers.Made{At: time.Now().UTC().Format(time.RFC3339), Build: thisBuild().String(),
		Computer: fmt.Sprintf("%s, %d x %s", c.Host, c.Cores, c.CPU)}
}

// stamp says of what is not quick that it was made now, unless it is of an earlier run.
func stamp(r *papers.Result, now *papers.Made) {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Got != nil && c.Got.Made == nil && !c.Method.Quick() {
			c.Got.Made = now
		}
	}
}

// earlier are the values that files of earlier runs have for claims, of what is not quick. A file
// behind another one has the last word.
func earlier(files []string, wanted []wantedPaper) (map[*papers.Claim][]papers.Got, error) {
	all := map[*papers.Claim][]papers.Got{}
	for _, file := range files {
		found, err := earlierOf(file, wanted)
		if err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("--from: %s has no value of these claims that was measured, "+
				"emulated or simulated", file)
		}
		for c, list := range found {
			for _, g := range list {
				all[c] = replaced(all[c], g)
			}
		}
	}
	return all, nil
}

// replaced puts a value in the place of one of the same row and name.
func replaced(list []papers.Got, g papers.Got) []papers.Got {
	for i := range list {
		if list[i].Row == g.Row && list[i].Name == g.Name {
			list[i] = g
			return list
		}
	}
	return append(list, g)
}

// earlierOf reads one file: what domino paper --json has printed.
func earlierOf(file string, wanted []wantedPaper) (map[*papers.Claim][]papers.Got, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was read only
	found := map[*papers.Claim][]papers.Got{}
	lines := bufio.NewScanner(&bounded{in: f, left: mostSmall})
	lines.Buffer(nil, mostCell)
	for number := 1; lines.Scan(); number++ {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		var cell paperCell
		err := json.Unmarshal(lines.Bytes(), &cell)
		switch {
		case err != nil:
			err = fmt.Errorf("no line of %s: %w", called("domino paper --json"), err)
		case cell.Schema != formatName("paper"):
			err = fmt.Errorf("schema %q, want %q: what %s of this edition prints", cell.Schema,
				formatName("paper"), called("domino paper --json"))
		default:
			err = cell.keep(wanted, found)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s: a line of more than %d MB: no cell is so long", file,
			mostCell>>20)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return found, nil
}

// keep puts a value to those of its claim, if that is wanted and it is one that lasts.
func (cell *paperCell) keep(wanted []wantedPaper, found map[*papers.Claim][]papers.Got) error {
	claim, value := cell.claimed(wanted)
	if claim == nil || cell.Made == nil {
		return nil
	}
	switch {
	case value == nil:
		return fmt.Errorf("%s %s has no value %q any more: make it again", cell.Paper, cell.ID,
			strings.TrimSpace(cell.Row+" "+cell.Name))
	case value.Printed != cell.Printed || !claim.Lasting(value):
		return fmt.Errorf("%s %s %s: the file has %q as printed, this build %q: make it again",
			cell.Paper, cell.ID, value.Label(), cell.Printed, value.Printed)
	case cell.Spread < 0 || cell.Rounding < 0:
		return fmt.Errorf("%s %s %s: spread %v and rounding %v: negative", cell.Paper, cell.ID,
			value.Label(), cell.Spread, cell.Rounding)
	}
	g := papers.Got{Row: cell.Row, Name: cell.Name, Text: cell.Text, Rounding: cell.Rounding,
		Spread: cell.Spread, Doubt: cell.Doubt, Disturbed: cell.Disturbed, Made: cell.Made}
	switch {
	case cell.Got != nil:
		g.Number = *cell.Got
	case cell.Text == "" && cell.Status == papers.Unclear:
		g.Status = papers.Unclear
	case cell.Text == "":
		return nil // it was not reproducible there, which says nothing here
	}
	made := fmt.Sprintf("made %s by %s on %s", cell.Made.At,
		cmp.Or(cell.Made.Build, "an unknown build"),
		cmp.Or(cell.Made.Computer, "an unknown computer"))
	why := cell.Why
	for _, added := range []string{cell.Doubt, made} { // by judging it, and by reading it before
		why = strings.TrimSuffix(strings.TrimSuffix(why, added), "; ")
	}
	g.Why = strings.TrimPrefix(why+"; "+made, "; ")
	found[claim] = replaced(found[claim], g)
	return nil
}

// claimed is the claim of a value and the value itself; nil where it is not wanted, or not there.
func (cell *paperCell) claimed(wanted []wantedPaper) (*papers.Claim, *papers.Value) {
	for _, p := range wanted {
		for _, c := range p.claims {
			if p.Name != cell.Paper || c.ID != cell.ID {
				continue
			}
			for i := range c.Values {
				if v := &c.Values[i]; v.Row == cell.Row && v.Name == cell.Name {
					return c, v
				}
			}
			return c, nil
		}
	}
	return nil, nil
}
