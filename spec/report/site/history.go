package site

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// record is one run of a suite in the history, a line of its file.
type record struct {
	Schema string    `json:"schema"`
	Domino string    `json:"domino"`
	Label  string    `json:"label"`
	Rows   []measure `json:"rows"`
}

// historySchema is the form of a record.
const historySchema = "domino/site/runs/1"

// measure is what the history keeps of an answer.
type measure struct {
	Scenario    string  `json:"scenario"`
	Variant     string  `json:"variant"`
	Verdict     string  `json:"verdict"`
	Expected    bool    `json:"asExpected"`
	States      int     `json:"states"`
	Transitions int     `json:"transitions"`
	Seconds     float64 `json:"seconds"`
	Bytes       int64   `json:"bytes"`
}

// of finds the measure of a row, nil for none.
func (r *record) of(row *Row) *measure {
	for i := range r.Rows {
		if m := &r.Rows[i]; m.Scenario == row.Scenario && m.Variant == row.Variant {
			return m
		}
	}
	return nil
}

// record is what the history keeps of the suite.
func (s *Suite) record() *record {
	r := &record{Schema: historySchema, Domino: s.Version, Label: s.Label, Rows: []measure{}}
	for i := range s.Rows {
		row := &s.Rows[i]
		r.Rows = append(r.Rows, measure{row.Scenario, row.Variant, row.Verdict.String(),
			row.Expected, row.States, row.Transitions, row.Seconds, row.Bytes})
	}
	return r
}

// CheckHistory reads the history, so that what is wrong with it is known before the work is done.
func (f *Folder) CheckHistory() error {
	_, _, err := f.history()
	return err
}

// history reads the records, the oldest first, and the bytes of their file.
func (f *Folder) history() (list []record, raw []byte, err error) {
	name := filepath.Join(f.dir, historyName)
	raw, err = os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, nil, fmt.Errorf("%s: line %d is no run of a suite: %w; remove the line to "+
				"go on without it", name, n, err)
		}
		if r.Schema != historySchema {
			return nil, nil, fmt.Errorf("%s: line %d has the form %q, want %q", name, n, r.Schema,
				historySchema)
		}
		list = append(list, r)
	}
	return list, raw, nil
}

// remember appends a record. What is there stays as it is, byte by byte.
func (f *Folder) remember(raw []byte, r *record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	raw = slices.Clone(raw)
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		raw = append(raw, '\n')
	}
	return f.put(historyName, append(append(raw, line...), '\n'))
}

// Changes are what differs from the last run with a label.
type Changes struct {
	Since    string // its label
	Moved    []Change
	Known    int      // scenarios that both have
	New      []string // scenarios that it has not
	NotAsked int      // scenarios that it has, and this run has not
	// by how much all of it took longer, which is taken away before times are compared; 0 when too
	// little is known
	Pace float64
}

// Change is a row that differs.
type Change struct {
	*Row
	What        string
	Before, Now string
	Flip        bool // the verdict, or whether it is the expected one
}

// changes compares the suite with the past; nil when there is none.
func (s *Suite) changes(past []record) *Changes {
	if len(past) == 0 {
		return nil
	}
	last := &past[len(past)-1]
	c := &Changes{Since: last.Label, Pace: s.pace(past)}
	for i := range s.Rows {
		r := &s.Rows[i]
		m := last.of(r)
		if m == nil {
			c.New = append(c.New, r.Scenario)
			continue
		}
		c.Known++
		switch {
		case m.Verdict != r.Verdict.String():
			c.add(r, "verdict", m.Verdict, r.Verdict.String(), true)
		case m.Expected != r.Expected:
			c.add(r, "as expected", yes(m.Expected), yes(r.Expected), true)
		}
		if m.States != r.States {
			c.add(r, "states", count(m.States), count(r.States), false)
		}
		if m.Transitions != r.Transitions {
			c.add(r, "transitions", count(m.Transitions), count(r.Transitions), false)
		}
		if usual, beyond := beyondNoise(times(past, r), r.Seconds, c.Pace); beyond {
			c.add(r, "time", seconds(usual), seconds(r.Seconds), false)
		}
	}
	c.NotAsked = len(last.Rows) - c.Known
	slices.SortStableFunc(c.Moved, func(a, b Change) int { return order(a.Flip) - order(b.Flip) })
	return c
}

func (c *Changes) add(r *Row, what, before, now string, flip bool) {
	c.Moved = append(c.Moved, Change{r, what, before, now, flip})
}

// order puts flips first.
func order(flip bool) int {
	if flip {
		return 0
	}
	return 1
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// pastShown is how many runs a comparison and a trend look back.
const pastShown = 30

// recent are the last records.
func recent(past []record) []record { return past[max(0, len(past)-pastShown):] }

// times are those that a row took in the past.
func times(past []record, row *Row) (list []float64) {
	for i := range recent(past) {
		if m := recent(past)[i].of(row); m != nil && m.States == row.States && m.Seconds > 0 {
			list = append(list, m.Seconds)
		}
	}
	return list
}

// What is beyond noise: a time that is away from the median by more than the spread of the past
// explains, by a good part of it, and by so much that somebody notices.
const (
	leastTime  = 1.0 // seconds
	leastRatio = 0.5 // of the median
	knownWell  = 4   // times, from which on their spread says something
	spreads    = 4.0 // times the median distance from the median
)

// beyondNoise compares a time with those of the past for the same number of states.
func beyondNoise(past []float64, now, pace float64) (usual float64, beyond bool) {
	if len(past) == 0 || now == 0 {
		return 0, false
	}
	usual = median(past)
	var away []float64
	for _, t := range past {
		away = append(away, math.Abs(t-usual))
	}
	room := max(leastTime, leastRatio*usual, spreads*median(away))
	if len(past) < knownWell {
		room = max(room, usual)
	}
	if pace > 0 {
		now /= pace
	}
	return usual, math.Abs(now-usual) > room
}

// pace is by how much the whole run took longer than the past, the median over its rows, so that a
// machine that does much else does not change all of them.
func (s *Suite) pace(past []record) float64 {
	var ratios []float64
	for i := range s.Rows {
		r := &s.Rows[i]
		if list := times(past, r); len(list) > 0 && r.Seconds > 0 {
			if usual := median(list); usual > 0.02 {
				ratios = append(ratios, r.Seconds/usual)
			}
		}
	}
	if len(ratios) < 5 {
		return 0
	}
	return median(ratios)
}

// median is the middle of the values, of an even number the mean of the two in the middle.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile interpolates between the sorted values, of which there is one at least.
func quantile(values []float64, q float64) float64 {
	list := slices.Sorted(slices.Values(values))
	place := q * float64(len(list)-1)
	below := int(place)
	above := min(below+1, len(list)-1)
	part := place - float64(below)
	return list[below]*(1-part) + list[above]*part
}
