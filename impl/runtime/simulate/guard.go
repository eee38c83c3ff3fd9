package simulate

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// A recovery of RADIC is not over when all are where they were: "Take checkpoint after complete
// restart" and "Find and set a new protector" are of its phase of recovery ([RADIC] Table 2.1), and
// "we consider the recovery as an atomic procedure" (section 2.3.4). So it lasts until
//
//   - each rank that was taken back, under a protocol with which it saves (core.Setup.Saves), has
//     recovered and knows that an image of then is stored, and
//   - of each rank whose logger or vault has stopped, the next life of that keeps an image. What
//     was received before is in the image, what comes later is logged there.
//
// A failure before that takes part in a running recovery, as one before all are where they were.

// guarding is whether a rank is protected.
type guarding struct {
	lost []int // failures that wait until it is, by number
	// it was taken back, and has not saved since; it has recovered since
	saves, recovered bool
	bare             bool      // who keeps its image has stopped, and keeps none since
	keeps            core.Proc // of a service: the rank whose image it keeps, plus one; 0: none
	made             Checkpoint
	stored           Checkpoint // the newest that is
}

// Checkpoint is when an image was begun, was out of the memory of its rank, and was stored; zero if
// there was none, or its size is not declared.
type Checkpoint struct{ Began, Made, Stored int64 }

// unguard lets the newest failure wait until a rank is protected.
func (m *meter) unguard(r *rankMeter) {
	newest := len(m.struck) - 1
	if !slices.Contains(r.lost, newest) {
		r.lost = append(r.lost, newest)
		m.struck[newest].bare++
	}
}

// exposed notes that a proc has stopped: a rank that will save, or who has kept the image of one.
func (m *meter) exposed(p core.Proc) {
	r := &m.ranks[p]
	if int(p) < m.job.Setup.Layout.Ranks {
		if m.job.Setup.Saves {
			r.saves, r.recovered = true, false
			m.unguard(r)
		}
		return
	}
	if r.keeps > 0 {
		owner := &m.ranks[r.keeps-1]
		owner.bare, owner.stored = true, Checkpoint{}
		m.unguard(owner)
	}
}

// guard notes what a proc does for the protection of a rank.
func (m *meter) guard(p core.Proc, e *core.Effect) {
	r := &m.ranks[p]
	switch {
	case e.Kind == core.Commit:
		r.saves = r.saves && !r.recovered
	case e.What == trace.Recovered:
		r.recovered = true
		return // it saves now
	case e.What == trace.Kept && e.Key == trace.Image && int(p) >= m.job.Setup.Layout.Ranks &&
		int(e.To) < m.job.Setup.Layout.Ranks:
		r.keeps = e.To + 1
		if r = &m.ranks[e.To]; m.apart { // no failure will ask
			return
		}
		r.bare = false
		if r.made.Made > 0 {
			r.stored, r.made = r.made, Checkpoint{}
			r.stored.Stored = m.run.Picoseconds()
		}
	default:
		return
	}
	if r.saves || r.bare {
		return
	}
	for _, k := range r.lost {
		s := &m.struck[k]
		if s.bare--; s.bare == 0 {
			s.safe = m.run.Picoseconds()
			m.over(s)
		}
	}
	r.lost = nil
}

// making notes that a rank copies its image, so many bytes, out of its memory.
func (m *meter) making(p core.Proc, bytes int64) {
	now := m.run.Picoseconds()
	c := Checkpoint{Began: now, Made: now}
	if rate := m.copies; rate > 0 {
		c.Made += int64(float64(bytes) / float64(rate) * 1e12)
	}
	m.ranks[p].made = c
}

// over plans the next failure when all whom this one has taken back are where they were, and all
// whom it concerns are protected.
func (m *meter) over(s *strike) {
	if s.waiting == 0 && s.bare == 0 {
		m.planOnce(s)
	}
}

// with is what one image after another was, taken together.
func (c *Checkpoint) with(d Checkpoint) {
	switch {
	case d.Stored == 0:
	case c.Stored == 0:
		*c = d
	default:
		*c = Checkpoint{min(c.Began, d.Began), max(c.Made, d.Made), max(c.Stored, d.Stored)}
	}
}
