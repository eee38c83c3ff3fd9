package recovery

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/spec/trace"
)

// stage is how far a round is.
type stage uint8

const (
	idle      stage = iota // none is under way
	asking                 // reports are to come
	returning              // the line is found, and not everybody is there
)

// process is the recovery process. A new one begins with a round, whose number has its life. Only
// turns of groups are stable (turns.go).
type process struct {
	*Config
	core.Service
	s processState
}

// processState is the state of the recovery process.
type processState struct {
	_     struct{}           `cbor:",toarray"`
	Round Round              `json:"round"`
	Stage stage              `json:"stage"`
	Lives []core.Incarnation `json:"lives"` // by rank, the newest that is known of
	// by rank: asking, it has reported; returning, it is there
	Here    []bool         `json:"here"`
	Reports []Report       `json:"reports"` // by rank; behind a round, its images
	Counts  []link.Numbers `json:"counts"`  // returning: by rank, what its state has of others
	// by rank, the image before which nothing is needed, as it was told
	Collected []uint32   `json:"collected"`
	Turns     []grouping `json:"turns"` // of groups, in the order of their first members
}

func (p *process) State() []any { return []any{&p.s} }

// Step implements core.Machine.
func (p *process) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start, core.Restore:
		p.start()
		if in.Kind == core.Start {
			return out
		}
		out = p.readTurns(in.Records, out)
		// Who has failed meanwhile, and how far the round under way was, nobody knows: all report.
		if !p.has(ForgetsRound) { // Deviation: ForgetsRound counts from 1 again
			p.s.Round = in.Incarnation << roundBits
		}
		return p.begin(out)
	case core.Down:
		return p.down(in.Procs[0], in.Incarnation, out)
	case core.Persisted:
		return p.turnGroup(in.Key, out)
	case core.Received:
		m := in.Message.(*Message)
		if m.Control != nil && int(in.From) < p.Ranks {
			return p.received(core.Rank(in.From), m.Control, out)
		}
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// start is the state of a process that knows nothing: everybody has the beginning.
func (p *process) start() {
	p.s = processState{Lives: make([]core.Incarnation, p.Ranks), Here: make([]bool, p.Ranks),
		Collected: make([]uint32, p.Ranks)}
	for range p.Ranks {
		p.s.Reports = append(p.s.Reports, Report{Images: []Image{p.beginning()}})
	}
}

func (p *process) received(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	switch c.Kind {
	case Hello:
		return p.hello(from, c, out)
	case Told:
		return p.told(from, c, out)
	case Saved:
		return p.saved(from, c, out)
	case Written:
		return p.written(from, c, out)
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no handler"))
}

// begin opens a round: everybody is asked.
func (p *process) begin(out []core.Effect) []core.Effect {
	p.s.Round++
	p.s.Stage = asking
	clear(p.s.Here)
	for q := range core.Rank(p.Ranks) {
		out = append(out, say(q.Proc(), Control{Kind: Freeze, Round: p.s.Round}))
	}
	return out
}

// down hears that a life of a rank is over. What that has reported in a round whose line is not
// found counts no more, and its next life is asked; any other round is void. A notice about several
// ranks names the life of the first one alone; the others say themselves that they have restarted,
// as this one does, and whichever comes first is enough.
func (p *process) down(q core.Proc, life core.Incarnation, out []core.Effect) []core.Effect {
	if int(q) >= p.Ranks || p.s.Lives[q] > life {
		return append(out, core.DropInput(q, core.MsgID{}, "known already"))
	}
	return p.again(core.Rank(q), life+1, out)
}

// again has a rank report that has a new life, and its mates, who have it, too.
func (p *process) again(q core.Rank, life core.Incarnation, out []core.Effect) []core.Effect {
	p.raise(q, life)
	if p.s.Stage != asking {
		return p.begin(out)
	}
	for _, m := range p.group(q) {
		if !p.s.Here[m] {
			out = append(out, say(m.Proc(), Control{Kind: Freeze, Round: p.s.Round}))
		}
	}
	return out
}

// raise notes the life of a rank, which is that of its mates: members stop together, and go back
// together. What one of them has reported or said in an older life counts no more.
func (p *process) raise(q core.Rank, life core.Incarnation) {
	for _, m := range p.group(q) {
		if p.s.Lives[m] < life {
			p.s.Lives[m], p.s.Here[m] = life, false
		}
	}
}

// group is the members of the group of a rank.
func (p *process) group(q core.Rank) []core.Rank {
	if p.Mates == nil {
		return []core.Rank{q}
	}
	return p.Mates[q]
}

// hello hears of a rank that has started again, or is where it is to be. Whether a rank has gone
// back as it was told, or has failed on the way, makes no difference: it is at the line.
func (p *process) hello(q core.Rank, c *Control, out []core.Effect) []core.Effect {
	switch {
	case c.Life < p.s.Lives[q]:
		return append(out, core.DropInput(q.Proc(), core.MsgID{}, "of a life that is over"))
	case p.s.Stage == returning && c.Round == p.s.Round:
		p.raise(q, c.Life)
		p.s.Here[q] = true
		return p.resume(q, out)
	case c.Life == p.s.Lives[q] && (p.s.Stage != asking || p.s.Here[q]):
		return append(out, core.DropInput(q.Proc(), core.MsgID{}, "known already"))
	}
	return p.again(q, c.Life, out)
}

// told takes a report; the last one lets it find the line.
func (p *process) told(q core.Rank, c *Control, out []core.Effect) []core.Effect {
	if c.Round != p.s.Round || p.s.Stage != asking || c.Life < p.s.Lives[q] {
		return append(out, core.DropInput(q.Proc(), core.MsgID{}, "report of another round"))
	}
	p.raise(q, c.Life)
	p.s.Here[q], p.s.Reports[q] = true, c.Report.clone()
	missing := 0
	for _, here := range p.s.Here {
		if !here {
			missing++
		}
	}
	// Deviation: EarlyLine takes what it knew of the last one
	if missing == 0 || missing == 1 && p.has(EarlyLine) {
		return p.line(out)
	}
	return out
}

// line finds the line, declares it, and tells everybody where to go.
func (p *process) line(out []core.Effect) []core.Effect {
	reports := p.s.Reports
	if p.has(OnlyImages) || p.has(EarlyLine) {
		reports = slices.Clone(reports)
		for i := range reports {
			r := &reports[i]
			// Deviation: OnlyImages takes no present state for a last image
			r.Lost = r.Lost || p.has(OnlyImages)
			if !p.s.Here[i] {
				// Deviation: EarlyLine takes who has not reported to be where it was last
				r.Lost, r.Now = false, r.Images[len(r.Images)-1]
			}
		}
	}
	line, ok := p.Rule(reports)
	if !ok {
		return append(out, core.Halted("no line is consistent: images that were needed are gone"))
	}
	cause := p.cause()
	p.s.Stage = returning
	clear(p.s.Here)
	p.s.Counts = nil
	for i := range reports {
		r := &reports[i]
		c, what := r.at(line[i]), trace.LineBack
		if r.stays(line[i]) {
			what = trace.LineStays
		}
		out = append(out, core.Lined(core.Rank(i), what, uint64(p.s.Round), c.Sends, c.Receives))
		p.s.Counts = append(p.s.Counts, c.Taken)
	}
	for i := range p.s.Reports {
		r := &p.s.Reports[i]
		c := Control{Kind: Target, Round: p.s.Round, Life: p.s.Lives[i], Cause: cause,
			There: p.there(i, line)}
		if !r.stays(line[i]) {
			c.Image = r.Images[line[i]].Number
		}
		out = append(out, say(core.Proc(i), c))
	}
	for i := range p.s.Reports {
		r := &p.s.Reports[i]
		if !r.stays(line[i]) {
			r.Images = r.Images[:line[i]+1]
		}
		r.Now = Image{}
	}
	return out
}

// there reports whether all members of the group of a rank are where the line has them. One that
// is, and waits, goes back with a mate that goes on already, from a round that was given up.
func (p *process) there(i int, line []int) bool {
	for _, q := range p.group(core.Rank(i)) {
		r := &p.s.Reports[q]
		if !r.stays(line[q]) && (!r.Lost || line[q] < len(r.Images)-1) {
			return false
		}
	}
	return true
}

// cause is a rank whose failure the round is about, the recovery process if there is none.
func (p *process) cause() core.Proc {
	for i := range p.s.Reports {
		if p.s.Reports[i].Lost {
			return core.Proc(i)
		}
	}
	return core.Proc(p.Ranks)
}

// resume lets everybody go on when all are at the line: then nobody sends what another life of the
// line has sent, and what is on its way since before is of an older round.
func (p *process) resume(q core.Rank, out []core.Effect) []core.Effect {
	if p.has(EarlyResume) { // Deviation: EarlyResume waits for nobody
		out = append(out, p.resumed(q, p.have()[q]))
	}
	if slices.Contains(p.s.Here, false) {
		return out
	}
	if !p.has(EarlyResume) {
		for r, have := range p.have() {
			out = append(out, p.resumed(core.Rank(r), have))
		}
	}
	p.s.Stage, p.s.Counts = idle, nil
	clear(p.s.Here)
	return p.collect(p.has(PresentLine), out)
}

// have is, by rank, what others have of its messages.
func (p *process) have() []link.Numbers {
	list := make([]link.Numbers, p.Ranks)
	for q := range list {
		list[q] = link.NewNumbers(p.Ranks)
	}
	for r, taken := range p.s.Counts {
		for _, n := range taken {
			list[n.Rank].Set(core.Rank(r), n.Value)
		}
	}
	return list
}

// resumed tells a rank what others have of its messages.
func (p *process) resumed(q core.Rank, have link.Numbers) core.Effect {
	return say(q.Proc(), Control{Kind: Resume, Round: p.s.Round, Life: p.s.Lives[q], Counts: have})
}

// saved takes one more image, if no round has begun since.
func (p *process) saved(q core.Rank, c *Control, out []core.Effect) []core.Effect {
	if c.Round != p.s.Round || p.s.Stage != idle {
		return append(out, core.DropInput(q.Proc(), core.MsgID{}, "of another round"))
	}
	r := &p.s.Reports[q]
	if image := c.Report.clone().Images[0]; image.Number > r.Images[len(r.Images)-1].Number {
		r.Images = append(r.Images, image)
	}
	return p.collect(false, out)
}

// collect finds the line with everybody failed: no failure goes back farther. Images of before are
// needed no more, nor messages that it has.
func (p *process) collect(present bool, out []core.Effect) []core.Effect {
	reports := p.s.Reports
	lost := make([]bool, len(reports)) // as they say: a copy of all reports would be large
	for i := range reports {
		lost[i], reports[i].Lost = reports[i].Lost, true
	}
	line, ok := p.Rule(reports)
	for i := range reports {
		reports[i].Lost = lost[i]
	}
	if present {
		for i := range reports {
			// Deviation: PresentLine takes what this failure leaves for what any one does
			line[i] = len(reports[i].Images) - 1
		}
	}
	if !ok {
		return append(out, core.Halted("no line is consistent: images that were needed are gone"))
	}
	for i := range reports {
		reports[i].Images = reports[i].Images[line[i]:]
		if n := reports[i].Images[0].Number; n > p.s.Collected[i] {
			p.s.Collected[i] = n
			out = append(out, say(core.Proc(i), Control{Kind: Collect, Image: n}))
		}
	}
	return out
}

// beginning is the image that needs none: before anything has happened.
func (c *Config) beginning() Image {
	return Image{Vector: link.NewNumbers(c.Ranks), Sent: link.NewNumbers(c.Ranks),
		Taken: link.NewNumbers(c.Ranks)}
}
