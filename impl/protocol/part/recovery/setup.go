package recovery

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// processName is the name of the recovery process among the procs.
const processName = "RP"

// Setup prepares a protocol whose layers, by host, stand on this recovery: the recovery process is
// the proc behind the ranks. Its promises are those of every such protocol; others are for it to
// add.
func Setup(name string, c *Config, layout core.Layout, programs []core.Program,
	host func(core.Rank) core.Machine) (*core.Setup, error) {
	if slices.Contains(layout.Names, processName) {
		return nil, fmt.Errorf("%s: a rank is called %s, which is the name of the recovery process",
			name, processName)
	}
	layout.Names = append(layout.Names[:c.Ranks:c.Ranks], processName)
	layout.Labels, layout.Roles = core.Labels(programs), roles()
	s := &core.Setup{
		Protocol: name, Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Watchers:   []core.Proc{c.process()},
		Promises: promise.Promises{RollsBack: promise.Dependents, Symmetric: true,
			Needs: promise.NoDeterminism, FIFO: true, Reliable: true,
			StableKeys: []string{ImageKey, LineKey}},
		New: func(p core.Proc) core.Machine {
			if p == c.process() {
				return NewProcess(c)
			}
			return host(core.Rank(p))
		},
	}
	c.units(s)
	return s, s.Validate()
}

// units makes each group procs that stop together, of which the first begins checkpoints and has
// the records that all restart by.
func (c *Config) units(s *core.Setup) {
	s.Layout.Groups = map[core.Proc][]core.Proc{}
	var group []core.Proc // that of the first member is that of all
	first := func(p core.Proc) core.Proc {
		if int(p) < c.Ranks && c.Mates != nil {
			return c.Mates[p][0].Proc()
		}
		return p
	}
	for r := range core.Rank(c.Ranks) {
		if first(r.Proc()) == r.Proc() {
			s.Initiators = append(s.Initiators, r.Proc())
		}
		if c.Mates != nil {
			if group = s.Layout.Groups[first(r.Proc())]; group == nil {
				for _, q := range c.Mates[r] {
					group = append(group, q.Proc())
				}
			}
			s.Layout.Groups[r.Proc()] = group
		}
	}
	s.Reads = func(p core.Proc) []core.Proc { return snapshot.Reads(first(p), p) }
	if c.Mates != nil {
		s.StableKeys = append(s.StableKeys, snapshot.CommitKey, TurnKey)
		s.RestartTogether = true
	}
}
