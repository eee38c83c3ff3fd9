package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 3: Non-Rolled Back Processes Algorithm.

// uponFailureElsewhere is "Upon failure of process P_j ∉ Cluster_i". A process that has rolled back
// itself has no such procedure: Algorithm 2 has it do nothing.
func (l *layer) uponFailureElsewhere(procs []core.Proc, out []core.Effect) []core.Effect {
	for _, p := range procs {
		if p == l.RecoveryProcess() || l.s.RolledBack {
			continue
		}
		if k := l.Of[p]; k != l.Of[l.Rank] && !slices.Contains(l.s.Failed, k) {
			l.s.Failed = append(l.s.Failed, k) // Alg. 3 l. 6
			slices.Sort(l.s.Failed)
		}
	}
	return l.afterRollbacks(out)
}

// rollback is "Upon receiving (Rollback, Date_rb) from P_j".
func (l *layer) rollback(j core.Rank, m *ground.Message, out []core.Effect) []core.Effect {
	if l.s.RolledBack {
		return append(out, core.DropInput(j.Proc(), core.MsgID{}, "no handler in Algorithm 2"))
	}
	l.s.RollbackDate[j], l.s.HasRollback[j] = m.Date, true // Alg. 3 l. 20-21
	return l.afterRollbacks(out)
}

// afterRollbacks goes on behind "wait until receiving (Rollback, Date_rb) from all P_k ∈ Cluster_j"
// (Alg. 3 l. 7) for every cluster of which all are here.
func (l *layer) afterRollbacks(out []core.Effect) []core.Effect {
	for _, cluster := range slices.Clone(l.s.Failed) {
		members := l.Members(cluster)
		missing := func(k core.Rank) bool { return !l.s.HasRollback[k] }
		if slices.ContainsFunc(members, missing) { // Alg. 3 l. 7
			continue
		}
		l.s.Failed = slices.DeleteFunc(l.s.Failed, func(k int) bool { return k == cluster })
		out = l.evaluate(members, out)
		for _, k := range members {
			l.s.RollbackDate[k], l.s.HasRollback[k] = none, false
		}
	}
	return out
}

// evaluate is l. 8 to 18, for the processes of one cluster.
func (l *layer) evaluate(members []core.Rank, out []core.Effect) []core.Effect {
	p := l.Process
	var logPhase, orphPhases []ground.Phase // Alg. 3 l. 4-5
	l.s.ResentLogs = slices.DeleteFunc(slices.Clone(l.s.ResentLogs), func(e ground.Logged) bool {
		return slices.Contains(members, e.To)
	})
	for _, k := range members { // Alg. 3 l. 8
		out = append(out, core.SendTo(k.Proc(),
			&ground.Message{Kind: LastDate, Date: p.S.RPP[k].MaxDate})) // Alg. 3 l. 9
		for _, e := range p.S.Logs {
			if e.To == k && e.Date > l.s.RollbackDate[k] { // Alg. 3 l. 10
				l.s.ResentLogs = append(l.s.ResentLogs, e) // Alg. 3 l. 11
				if !slices.Contains(logPhase, e.Phase) {
					logPhase = append(logPhase, e.Phase) // Alg. 3 l. 12
				}
			}
		}
		for _, e := range p.S.RPP[k].Entries {
			if e.Date > l.s.RollbackDate[k] { // Alg. 3 l. 13
				orphPhases = append(orphPhases, e.Phase) // Alg. 3 l. 14
			}
		}
	}
	rp := p.RecoveryProcess()
	l.s.Waiting, l.s.OwnPhase = true, p.S.Phase // Alg. 3 l. 18
	return append(out,
		core.SendTo(rp, &ground.Message{Kind: Log, Phases: logPhase}),      // Alg. 3 l. 15
		core.SendTo(rp, &ground.Message{Kind: Orphan, Phases: orphPhases}), // Alg. 3 l. 16
		core.SendTo(rp, &ground.Message{Kind: OwnPhase, Phase: p.S.Phase})) // Alg. 3 l. 17
}

// notifySendMsg ends "wait until receiving (NotifySendMsg, Phase_i) from the recovery process"
// (Alg. 3 l. 18, Alg. 2 l. 8). Alg. 3 l. 19: the failure free functions are used from here on.
func (l *layer) notifySendMsg(m *ground.Message, out []core.Effect) []core.Effect {
	if l.s.Waiting && m.Phase == l.s.OwnPhase {
		l.s.Waiting = false
	}
	return out
}

// notifySendLog is "Upon receiving (NotifySendLog, Phase_notif) from the recovery process".
func (l *layer) notifySendLog(m *ground.Message, out []core.Effect) []core.Effect {
	for _, e := range l.s.ResentLogs {
		if e.Phase <= m.Phase { // Alg. 3 l. 23
			out = append(out, core.SendTo(e.To.Proc(), &ground.Message{Kind: ground.App,
				Date: e.Date, Phase: e.Phase, Payload: e.Payload})) // Alg. 3 l. 24
		}
	}
	return out
}
