package errmgr

import (
	"math"

	"github.com/domino-check/domino/impl/core"
)

// oracle is who predicts failures: an external service, or an operator who wants ranks to move. It
// may predict of every node that it fails, as often as its budget allows; with forecasts=any it
// also says what makes no sense.
type oracle struct {
	c *config
	s oracleState
}

// oracleState is the state of an oracle.
type oracleState struct {
	_    struct{} `cbor:",toarray"`
	Made uint32   // predictions so far
}

func newOracle(c *config) core.Machine { return &oracle{c: c} }

// State implements core.Machine.
func (o *oracle) State() []any { return []any{&o.s} }

// Choices implements core.Machine: choice k is the prediction about node k-1, and those behind the
// nodes are the bad ones.
func (o *oracle) Choices(buf []core.Choice) []core.Choice {
	if int(o.s.Made) >= o.c.Predictions {
		return buf
	}
	most := o.c.all()
	if o.c.Bad {
		most += len(o.bad())
	}
	for k := range most {
		buf = append(buf, core.Choice(k+1))
	}
	return buf
}

// Step implements core.Machine.
func (o *oracle) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Advance {
		return out
	}
	k := int(in.Choice) - 1
	o.s.Made++
	var p Prediction
	if k < o.c.all() {
		p = o.good(o.c.node(k))
	} else {
		p = o.bad()[k-o.c.all()]
	}
	p.ID = o.s.Made
	return append(out, core.SendTo(o.c.head, &Message{Kind: Predict, Prediction: p}))
}

// good is the prediction that a node fails, in so long as the options say.
func (o *oracle) good(node core.Proc) Prediction {
	return Prediction{Nodes: []core.Proc{node}, Assurance: 90, NotBefore: int64(o.c.Notice),
		NotAfter: int64(o.c.Notice) + 1000}
}

// bad are predictions that are to be refused.
func (o *oracle) bad() []Prediction {
	node := o.c.node(0)
	sure, backwards, past, all := o.good(node), o.good(node), o.good(node), o.good(node)
	sure.Assurance = math.NaN()
	backwards.NotAfter = backwards.NotBefore - 1
	past.NotBefore, past.NotAfter = -2, -1
	for k := range o.c.all() - 1 {
		all.Nodes = append(all.Nodes, o.c.node(k+1))
	}
	empty, unknown, head := o.good(node), o.good(node), o.good(o.c.head)
	empty.Nodes, unknown.Nodes, unknown.Ranks = nil, nil, []core.Rank{core.Rank(o.c.ranks)}
	return []Prediction{sure, backwards, past, all, empty, unknown, head}
}
