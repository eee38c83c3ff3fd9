package printed

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 1: Failure Free Algorithm. Its variables, l. 1-4, are ground.Variables.

// send is "Sending message msg to P_j".
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	p := l.Process
	p.S.Date++                  // Alg. 1 l. 6
	if !p.Same(p.Rank, in.To) { // Alg. 1 l. 7
		out = p.Log(in.To, in.Payload, out) // Alg. 1 l. 8
	}
	return p.Send(in.To, in.Payload, out) // Alg. 1 l. 9
}

// receive is "Upon receiving (msg, Date_send, Phase_send) from P_j".
func (l *layer) receive(j core.Rank, out []core.Effect) []core.Effect {
	p := l.Process
	m := p.Next(j)          // Alg. 1 l. 10
	if !p.Same(j, p.Rank) { // Alg. 1 l. 11
		p.S.Phase = max(p.S.Phase, m.Phase+1) // Alg. 1 l. 12
		rpp := &p.S.RPP[j]
		rpp.MaxDate = m.Date // Alg. 1 l. 13
		rpp.Entries = append(rpp.Entries,
			ground.Reception{Date: m.Date, Phase: m.Phase}) // Alg. 1 l. 14
	} else { // Alg. 1 l. 15
		p.S.Phase = max(p.S.Phase, m.Phase) // Alg. 1 l. 16
	}
	p.S.Date++                       // Alg. 1 l. 17
	out = ground.Deliver(j, &m, out) // Alg. 1 l. 18
	return l.acknowledge(j, out)     // III-E
}

// Alg. 1 l. 19-21, "Upon checkpoint in Cluster_i", is ground: l. 20 coordinates with the processes
// of the cluster, l. 21 saves image, RPP, Logs, Phase and Date.
