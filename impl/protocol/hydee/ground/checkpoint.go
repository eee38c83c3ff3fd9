package ground

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// image is one process in a checkpoint, with what was on its way to it inside the cluster.
type image struct {
	_ struct{} `cbor:",toarray"`
	Variables
	App     []byte      `json:"app"`
	Waiting [][]Message `json:"waiting"` // by member
}

// Group implements snapshot.Member.
func (p *Process) Group() (members []core.Rank, self int) {
	members = p.Members(p.Of[p.Rank])
	return members, slices.Index(members, p.Rank)
}

// Life implements snapshot.Member.
func (p *Process) Life() core.Incarnation { return p.S.Life }

// Notice implements snapshot.Member.
func (p *Process) Notice(n snapshot.Notice) core.Message { return notice(n) }

// Image implements snapshot.Member.
func (p *Process) Image() *image {
	img := &image{App: p.App.Image(), Variables: p.S.Variables.clone()}
	members, _ := p.Group()
	for _, j := range members {
		img.Waiting = append(img.Waiting, slices.Clone(p.S.Arrived[j]))
	}
	return img
}

// Close implements snapshot.Member.
func (p *Process) Close(img *image, cut snapshot.Cut[Message]) {
	for k := range cut {
		img.Waiting[k] = append(img.Waiting[k], cut[k].Messages...)
	}
}

// Commit implements snapshot.Member.
func (p *Process) Commit(img *image, out []core.Effect) []core.Effect {
	if p.Committed != nil {
		p.Committed()
	}
	sent, received := p.App.Position(img.App)
	return append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
}

// Restart takes the process back to its last checkpoint, its beginning where there is none; ok is
// false when that can not be read.
func (p *Process) Restart(in core.Input, out []core.Effect) (effects []core.Effect, ok bool) {
	p.S.Life = in.Incarnation
	img, err := p.S.Saving.Restore(p, in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error())), false
	}
	if img == nil {
		return out, true
	}
	p.App.Load(img.App)
	p.S.Variables = img.Variables.clone()
	members, _ := p.Group()
	for k, j := range members {
		for _, m := range img.Waiting[k] {
			m.Life = p.S.Life
			p.S.Arrived[j] = append(p.S.Arrived[j], m)
		}
	}
	return p.Commit(img, out), true
}
