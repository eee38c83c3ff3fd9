package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// asker is an observer that waits for the new location of a rank.
type asker struct {
	_    struct{}  `cbor:",toarray"`
	Rank core.Rank `json:"rank"` // that it looks for
	From core.Rank `json:"from"`
}

// where answers an observer that has lost a rank ([RADIC] section 6.2.1). Who is to recover the
// rank lets it wait and looks at the host.
func (t *node) where(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	switch {
	case int(m.About) >= t.ranks:
		return append(out, core.SendTo(from.Proc(),
			&Message{Kind: Where, About: m.About, Place: Unknown}))
	case s.Empty && len(s.Rows) == 0:
		return append(out, core.SendTo(from.Proc(), &Message{Kind: Nobody}))
	}
	r := core.Rank(m.About)
	row := &s.Rows[r]
	if slices.Contains(s.Hosts, m.About) {
		row.Host = t.self
	}
	waits := t.mine(r) && (row.Host == 0 || t.dead(row.Host) || row.Host == m.At)
	if !waits {
		return append(out, t.located(asker{Rank: r, From: from}))
	}
	s.Askers = append(slices.Clone(s.Askers), asker{Rank: r, From: from})
	out = append(out, core.SendTo(from.Proc(), &Message{Kind: Where, About: m.About, Place: Wait}))
	if row.Host != 0 && row.Host != t.self && !t.dead(row.Host) &&
		!slices.Contains(s.Probed, row.Host) {
		s.Probed = plus(s.Probed, row.Host)
		s.Watched = minus(s.Watched, row.Host) // the watchdog runs again
		out = append(out, core.SendTo(row.Host, &Message{Kind: Probe}))
	}
	return out
}

// located tells an observer what the table says.
func (t *node) located(a asker) core.Effect {
	return core.SendTo(a.From.Proc(), &Message{Kind: Where, About: a.Rank.Proc(), Place: Located,
		Rows: []Row{t.s.Rows[a.Rank]}})
}

// recall answers observers that were told to wait.
func (t *node) recall(which func(asker) bool, out []core.Effect) []core.Effect {
	var rest []asker
	for _, a := range t.s.Askers {
		if which(a) {
			out = append(out, t.located(a))
		} else {
			rest = append(rest, a)
		}
	}
	t.s.Askers = rest
	return out
}
