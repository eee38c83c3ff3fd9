package printedfr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 3: Algorithme des autres processus pendant le redémarrage.

// redemarrage is "Sur réception de (Redemarrage, phase_j, Groupe_j) du processus P_j", where
// Algorithm 2 sends the date.
func (l *layer) redemarrage(j core.Rank, m *ground.Message, out []core.Effect) []core.Effect {
	p := l.Process
	l.s.Date[j], l.s.Redemarre[j] = m.Date, true
	groupe := p.Members(p.Of[j])
	if slices.ContainsFunc(groupe, func(k core.Rank) bool { return !l.s.Redemarre[k] }) {
		return out // Alg. 3 l. 5
	}
	var phasesRejouees, phaseOrphelins []ground.Phase
	for _, k := range groupe {
		for _, e := range p.S.Logs {
			if e.To != k || e.Date <= l.s.Date[k] {
				continue
			}
			l.s.Rejouer = append(l.s.Rejouer, e) // Alg. 3 l. 6
			if !slices.Contains(phasesRejouees, e.Phase) {
				phasesRejouees = append(phasesRejouees, e.Phase) // Alg. 3 l. 7
			}
		}
		for _, e := range p.S.RPP[k].Entries {
			if e.Date > l.s.Date[k] {
				phaseOrphelins = append(phaseOrphelins, e.Phase) // Alg. 3 l. 8
			}
		}
		l.s.Date[k], l.s.Redemarre[k] = 0, false
	}
	rp := p.RecoveryProcess()
	l.s.Attend, l.s.Phase = true, p.S.Phase // Alg. 3 l. 11
	return append(out,
		core.SendTo(rp, &ground.Message{Kind: Phases, Phases: phasesRejouees,
			Orphans: phaseOrphelins}), // Alg. 3 l. 9
		core.SendTo(rp,
			&ground.Message{Kind: PhaseCourante, Phase: p.S.Phase})) // Alg. 3 l. 10
}

// notification is "Sur réception de (Notification, phase_notif) du processus de redémarrage", and
// the end of "Attendre (Notification, phase_i)" (Alg. 2 l. 10, Alg. 3 l. 11).
func (l *layer) notification(m *ground.Message, out []core.Effect) []core.Effect {
	var rest []ground.Logged
	for _, e := range l.s.Rejouer {
		if e.Phase > m.Phase { // Alg. 3 l. 14
			rest = append(rest, e)
			continue
		}
		out = append(out, core.SendTo(e.To.Proc(), &ground.Message{Kind: ground.App, Date: e.Date,
			Phase: e.Phase, Payload: e.Payload})) // Alg. 3 l. 15
	}
	l.s.Rejouer = rest // Alg. 3 l. 16
	if l.s.Attend && m.Phase == l.s.Phase {
		l.s.Attend = false
	}
	return out
}
