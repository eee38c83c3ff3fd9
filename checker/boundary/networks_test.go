package boundary_test

import "github.com/domino-check/domino/impl/core"

// networks are the mutants of what crosses between a protocol and the network.
func networks() []Mutant {
	return []Mutant{
		breaks("fifo", "overtakes", "lets its second message with a payload leave before its first",
			overtakes(true)),
		nearly("fifo", "overtakes-elsewhere",
			"lets a message with a payload leave before an older one to another rank",
			overtakes(false)),
		breaks("legal-order", "loses-first", "loses its first message with a payload",
			sends(loseFirst)),
		nearly("legal-order", "slow",
			"puts each message with a payload on the network some time later",
			habit{effects: slow}),
		breaks("terminates", "mute", "sends no message with a payload", sends(mute)),
		nearly("terminates", "never-acknowledges", "sends no Acknowledge, so no log is ever pruned",
			sends(neverAcknowledge)),
		breaks("genuine", "misroutes",
			"sends each message with a payload to a rank that it is not for", sends(misroute)),
		nearly("genuine", "copies-to-service",
			"also sends each message with a payload to the last proc, a service that drops it",
			sends(copyToService)),
		breaks("causal-replay", "repeats-early",
			"sends its last message to another cluster again as soon as it joins a round",
			repeatLast(true)),
		nearly("causal-replay", "repeats-stale",
			"sends its last message to another cluster again when it joins a round, as of the "+
				"round before, so its receiver drops it", repeatLast(false)),
		breaks("line-consistent", "late-marker",
			"lets a message overtake its first control message to a mate, the marker of a "+
				"checkpoint",
			sends(lateMarker)),
	}
}

// overtakes holds a message with a payload until the next one has left. On the same channel that
// happens once; otherwise whenever the two go to different ranks, and nothing else to the rank of
// the first one overtakes it.
func overtakes(sameChannel bool) habit {
	return habit{effects: func(b *machine, list []core.Effect) []core.Effect {
		var out []core.Effect
		for _, e := range list {
			m, ok := e.Message.(*envelope)
			held := b.Held()
			switch {
			case !ok || memoryOf(b).Spent:
				out = append(out, e)
			case len(held) == 0 && m.carriesPayload():
				out = append(out, b.Hold(e))
			case len(held) > 0 && (held[0].To == e.To) == sameChannel:
				memoryOf(b).Spent = sameChannel
				out = append(append(out, e), b.Release()...)
			default:
				out = append(append(out, b.Release()...), e)
			}
		}
		return out
	}}
}

// slow holds each message with a payload until the next step, which the timer makes sure of.
func slow(b *machine, list []core.Effect) []core.Effect {
	out := b.Release()
	for _, e := range list {
		if m, ok := e.Message.(*envelope); ok && m.carriesPayload() {
			out = append(out, b.Hold(e))
			continue
		}
		out = append(out, e)
	}
	return out
}

func loseFirst(b *machine, e core.Effect, m *envelope) []core.Effect {
	if m.carriesPayload() && !memoryOf(b).Spent {
		memoryOf(b).Spent = true
		return nil
	}
	return []core.Effect{e}
}

func mute(_ *machine, e core.Effect, m *envelope) []core.Effect {
	if m.carriesPayload() {
		return nil
	}
	return []core.Effect{e}
}

func neverAcknowledge(_ *machine, e core.Effect, m *envelope) []core.Effect {
	if m.Wire.Kind == "Acknowledge" {
		return nil
	}
	return []core.Effect{e}
}

func misroute(b *machine, e core.Effect, m *envelope) []core.Effect {
	if !m.carriesPayload() {
		return []core.Effect{e}
	}
	ranks := core.Proc(b.Setup.Layout.Ranks)
	wrong := (e.To + 1) % ranks
	if wrong == b.Proc {
		wrong = (wrong + 1) % ranks
	}
	e.To = wrong
	return []core.Effect{e}
}

func copyToService(b *machine, e core.Effect, m *envelope) []core.Effect {
	if !m.carriesPayload() {
		return []core.Effect{e}
	}
	service := core.Proc(len(b.Setup.Layout.Names) - 1)
	return []core.Effect{e, core.SendTo(service, m)}
}

// repeatLast keeps a copy of the last message with a payload to another cluster. The first message
// of a newer round is followed by the copy, which declares that round or the one that it belongs
// to; its bytes are of the old round anyway.
func repeatLast(early bool) habit {
	return sends(func(b *machine, e core.Effect, m *envelope) []core.Effect {
		out := []core.Effect{e}
		if held := b.Held(); len(held) > 0 {
			last := held[0].Message.(*envelope)
			if m.Wire.Stamp.Round > last.Wire.Stamp.Round {
				if early {
					last.Wire.Stamp.Round = m.Wire.Stamp.Round
				}
				b.Release()
				out = append(held, e)
			}
		}
		if m.carriesPayload() && !sameCluster(b, b.Proc, e.To) {
			b.Release()
			b.Hold(e) // for good: nothing is to be sent again without a newer round
		}
		return out
	})
}

// lateMarker does it only at the first rank of a cluster, which begins the checkpoints; the others
// would hold back what nothing ever follows.
func lateMarker(b *machine, e core.Effect, m *envelope) []core.Effect {
	switch {
	case !sameCluster(b, b.Proc, e.To) || e.To < b.Proc || memoryOf(b).Spent:
	case !m.carriesPayload() && len(b.Held()) == 0:
		b.Hold(e)
		return nil
	default:
		memoryOf(b).Spent = true
		return append([]core.Effect{e}, b.Release()...)
	}
	return []core.Effect{e}
}
