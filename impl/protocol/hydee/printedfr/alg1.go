package printedfr

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 1: Algorithme des processus de l'application en fonctionnement normal. The variables,
// l. 1-5, are ground.Variables.

// envoyer is "Envoyer le message msg au processus P_j".
func (l *layer) envoyer(in core.Input, out []core.Effect) []core.Effect {
	p := l.Process
	p.S.Date++                  // Alg. 1 l. 8
	if !p.Same(p.Rank, in.To) { // Alg. 1 l. 9
		out = p.Log(in.To, in.Payload, out) // Alg. 1 l. 10
	}
	return p.Send(in.To, in.Payload, out) // Alg. 1 l. 11
}

// delivrer is "Délivrer le message (msg, date_msg, phase_msg, Groupe_msg) du processus P_j", also
// that of Algorithm 2 (l. 20-26).
func (l *layer) delivrer(j core.Rank, out []core.Effect) []core.Effect {
	p := l.Process
	m := p.Next(j)
	p.S.Date++              // Alg. 1 l. 14
	if !p.Same(p.Rank, j) { // Alg. 1 l. 15
		p.S.Phase = max(p.S.Phase, m.Phase+1)           // Alg. 1 l. 16
		p.S.RPP[j].Entries = append(p.S.RPP[j].Entries, // for Alg. 3 l. 8
			ground.Reception{Date: m.Date, Phase: m.Phase})
	} else {
		p.S.Phase = max(p.S.Phase, m.Phase) // Alg. 1 l. 18
	}
	return ground.Deliver(j, &m, out) // Alg. 1 l. 19
}
