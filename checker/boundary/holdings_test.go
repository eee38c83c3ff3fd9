package boundary_test

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// holdings are the mutants of what procs hold for the recovery of others, for protocols that
// declare it.
func holdings() []Mutant {
	return []Mutant{
		breaks("no-orphan", "sends-otherwise",
			"puts another payload into each message that a later life sends",
			habit{input: noteRestart, effects: each(sendOtherwise)}),
		nearly("no-orphan", "sends-twice-later", "sends each message of a later life two times",
			habit{input: noteRestart, effects: each(sendTwiceLater)}),
		breaks("recoverable", "keeps-no-copy", "declares no copy of what it sends",
			habit{effects: each(without(trace.Logged))}),
		nearly("recoverable", "drops-copy-of-stable",
			"removes each copy that it is told to remove, and says so three times",
			habit{effects: each(thrice)}),
		breaks("output-stable", "puts-out-early", "puts something out as soon as it has received",
			after(trace.Delivered, putOut)),
		nearly("output-stable", "puts-out-with-send",
			"puts something out with each send, which waits for stability",
			after(trace.Sent, putOut)),
		breaks("protected", "keeps-no-image", "declares no image of anybody",
			habit{effects: each(without(trace.Kept))}),
		nearly("protected", "keeps-images-twice", "declares each image that it keeps two times",
			twice(trace.Kept)),
		breaks("buffers-drain", "never-confirms", "tells no sender that its message is stable",
			sends(only("Confirm", 0))),
		nearly("buffers-drain", "confirms-twice",
			"tells each sender two times that its message is stable", sends(only("Confirm", 2))),
		breaks("log-trimmed", "trims-nothing", "removes nothing from a log",
			habit{effects: each(keepAll)}),
		nearly("log-trimmed", "trims-twice", "removes everything from its log two times",
			twice(trace.Pruned)),
		breaks("log-true", "misplaces", "logs each delivery as the one after it",
			habit{effects: each(misplace)}),
		nearly("log-true", "places-twice", "logs each delivery two times", twice(trace.Logged)),
		breaks("contained", "goes-back",
			"takes the initial state for its own at its first delivery",
			after(trace.Delivered, goBack)),
		breaks("nodes-watched", "watches-nobody", "starts no watchdog",
			habit{effects: each(without(trace.Watched))}),
		nearly("nodes-watched", "watches-twice", "starts each watchdog two times",
			twice(trace.Watched)),
		breaks("degradation-said", "degrades-silently", "declares nothing",
			habit{effects: each(without(trace.Declared))}),
		nearly("degradation-said", "declares-twice", "declares everything two times",
			twice(trace.Declared)),
		breaks("reach", "asks-for-ever", "asks again whenever it has asked",
			sends(only("WhereIs", 30))),
		nearly("reach", "asks-twice", "asks every question two times", sends(only("WhereIs", 2))),
		breaks("hosts-settle", "disowns-nobody",
			"never says that somebody does not run with it any more",
			habit{effects: each(without(trace.Disowned))}),
		nearly("hosts-settle", "disowns-twice",
			"says two times that somebody does not run with it any more", twice(trace.Disowned)),
		breaks("one-host", "adopts-everywhere",
			"adopts the first rank with everything that it adopts",
			after(trace.Adopted, adoptFirst)),
		nearly("one-host", "adopts-twice", "adopts everything two times", twice(trace.Adopted)),
	}
}

func adoptFirst(*machine, core.Effect) []core.Effect {
	return []core.Effect{{Kind: core.Declare, What: trace.Adopted}}
}

// noteRestart remembers that this is a later life.
func noteRestart(b *machine, in core.Input) core.Input {
	memoryOf(b).Spent = memoryOf(b).Spent || in.Kind == core.Restore
	return in
}

func sendOtherwise(b *machine, e core.Effect) []core.Effect {
	if memoryOf(b).Spent {
		return shiftPayload(b, e)
	}
	return []core.Effect{e}
}

func sendTwiceLater(b *machine, e core.Effect) []core.Effect {
	if m, ok := e.Message.(*envelope); ok && memoryOf(b).Spent && m.carriesPayload() {
		return []core.Effect{e, e}
	}
	return []core.Effect{e}
}

// without leaves out every effect of the kind.
func without(kind trace.Kind) func(*machine, core.Effect) []core.Effect {
	return func(_ *machine, e core.Effect) []core.Effect {
		if e.Event() == kind {
			return nil
		}
		return []core.Effect{e}
	}
}

// keepAll removes nothing from a log; the buffers of senders are no logs where somebody else logs.
func keepAll(b *machine, e core.Effect) []core.Effect {
	if l := &b.Setup.Layout; e.What == trace.Pruned &&
		(int(b.Proc) >= l.Ranks || len(l.Names) == l.Ranks) {
		return nil
	}
	return []core.Effect{e}
}

func misplace(_ *machine, e core.Effect) []core.Effect {
	if e.What == trace.Logged && e.Received > 0 {
		e.Received++
	}
	return []core.Effect{e}
}

func goBack(*machine, core.Effect) []core.Effect {
	return []core.Effect{{Kind: core.Declare, What: trace.Resumed}}
}

func thrice(_ *machine, e core.Effect) []core.Effect {
	if e.What == trace.Pruned {
		return []core.Effect{e, e, e}
	}
	return []core.Effect{e}
}

func putOut(*machine, core.Effect) []core.Effect { return []core.Effect{{Kind: core.Output}} }

// only sends messages of the kind so many times, others once.
func only(kind string, times int) func(*machine, core.Effect, *envelope) []core.Effect {
	return func(_ *machine, e core.Effect, m *envelope) []core.Effect {
		if m.Wire.Kind != kind {
			return []core.Effect{e}
		}
		var list []core.Effect
		for range times {
			list = append(list, e)
		}
		return list
	}
}
