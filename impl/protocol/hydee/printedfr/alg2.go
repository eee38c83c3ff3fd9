package printedfr

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 2: Algorithme des processus en redémarrage.

// auRedemarrage is "Au redémarrage du processus P_i".
func (l *layer) auRedemarrage(in core.Input, out []core.Effect) []core.Effect {
	p := l.Process
	l.reset()
	out, ok := p.Restart(in, out) // Alg. 2 l. 3-4
	if !ok {
		return out
	}
	p.S.Logs = nil // Alg. 2 l. 5
	l.s.EnRedemarrage = true
	for k := range core.Rank(p.Ranks) {
		if !p.Same(p.Rank, k) {
			out = append(out, core.SendTo(k.Proc(),
				&ground.Message{Kind: Redemarrage, Date: p.S.Date})) // Alg. 2 l. 8
		}
	}
	l.s.Attend, l.s.Phase = true, p.S.Phase // Alg. 2 l. 10
	return append(out, core.SendTo(p.RecoveryProcess(),
		&ground.Message{Kind: PhaseCourante, Phase: p.S.Phase})) // Alg. 2 l. 9
}

// envoyerEnRedemarrage is "Envoyer le message msg au processus P_j".
func (l *layer) envoyerEnRedemarrage(in core.Input, out []core.Effect) []core.Effect {
	p := l.Process
	p.S.Date++                  // Alg. 2 l. 13
	if !p.Same(p.Rank, in.To) { // Alg. 2 l. 14
		out = p.Log(in.To, in.Payload, out) // Alg. 2 l. 15
		return append(out, core.SendTo(p.RecoveryProcess(),
			&ground.Message{Kind: Notification, Phase: p.S.Phase})) // Alg. 2 l. 16
	}
	return p.Send(in.To, in.Payload, out) // Alg. 2 l. 18
}
