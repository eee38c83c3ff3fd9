package errmgr

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// Waiting implements core.Waiter.
func (j *job) Waiting() (waits []core.Wait) {
	p := &j.s.Pause
	switch {
	case j.s.Halted:
		return nil
	case j.s.Waits:
		return core.WaitFor("leave to run, after its restart", j.head)
	case p.On && p.Still:
		return core.WaitFor("the end of the "+j.s.Pause.about(), j.head)
	case p.On:
		return core.WaitFor("the marker of the "+j.s.Pause.about(),
			core.RanksThat(j.ranks, func(q core.Rank) bool {
				return q != j.rank && !j.isDead(q) && !slices.Contains(p.Marks, q)
			})...)
	case j.s.Asked:
		return core.WaitFor("a snapshot that covers its output", j.head)
	}
	return nil
}

// about is the pause in words.
func (p *standstill) about() string {
	if p.Move > 0 {
		return fmt.Sprintf("pause for move %d", p.Move)
	}
	return "pause for snapshot " + called(p.Snap)
}

// called is a snapshot as readers see it.
func called(s sstore.SnapID) string {
	return fmt.Sprintf("%d.%s", s.Seq, trace.Episode(uint64(s.Epoch)))
}

// workWords is what those who are to answer do in each stage of an episode.
var workWords = [...]string{stabilising: "word that the lost are stopped",
	fencing: "word that nothing runs there any more", restoring: "word that it runs again",
	sustaining: "word that it goes on without the lost", aborting: "word that all is stopped"}

// moveWords likewise of a migration.
var moveWords = [...]string{carrying: "what it has to bring to a pause, or an image",
	rewiring: "word that it knows who moves where", stopping: "word that the old ranks are stopped",
	starting: "word that it runs again", draining: "word that it is empty"}

// Waiting implements core.Waiter.
func (h *head) Waiting() (waits []core.Wait) {
	s := &h.s
	durable := core.Wait{What: "stable storage to have what it has decided"}
	switch w := &s.Work; {
	case !s.Open:
	case w.Stage == recording:
		waits = append(waits, durable)
	case int(w.Stage) < len(workWords):
		waits = core.WaitFor(workWords[w.Stage], w.Waiting...)
	}
	switch m := &s.Move; {
	case m.Stage == committing, m.Stage == retiring:
		waits = append(waits, durable)
	case int(m.Stage) < len(moveWords) && m.Stage != 0:
		waits = append(waits, core.WaitFor(moveWords[m.Stage], m.Waiting...)...)
	}
	if s.Pause.Stage == standing {
		waits = append(waits, core.WaitFor("the part of snapshot "+called(s.Pause.Snap),
			h.unsaved()...)...)
	}
	return waits
}

// unsaved are the nodes that have not yet what their ranks give to the snapshot under way.
func (h *head) unsaved() (nodes []core.Proc) {
	snap := h.s.Keeper.Snap(h.s.Pause.Snap)
	if snap == nil {
		return nil
	}
	for i := range snap.Parts {
		if p := &snap.Parts[i]; !p.Local {
			nodes = append(nodes, p.Home)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
