package boundary_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// jobScopes are those of errmgr: a job of one rank on N1 with the spare S1, of which the procs are
// numbered as they are named here, and jobs of two ranks.
var jobScopes = map[string]*scope{
	"job": {protocol: "errmgr", program: "a: output; output", policies: "autor",
		model: fault.Model{Checkpoints: 1, Victims: []trace.Proc{}}},
	"job, failure": {protocol: "errmgr", program: "a: output; output", policies: "autor",
		model: fault.Model{Failures: 1, Checkpoints: 1, Victims: []trace.Proc{0}}},
	"job, early": {protocol: "errmgr", program: "a: output", policies: "autor",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0}}},
	"job, head": {protocol: "errmgr", program: "a: output", policies: "autor",
		model: fault.Model{Failures: 1, Checkpoints: 1, Victims: []trace.Proc{3}}},
	"job, move": {protocol: "errmgr", program: "a: output", policies: "crmig autor",
		options: "spares=1 predictions=1", model: fault.Model{Victims: []trace.Proc{}}},
	"job, abort": {protocol: "errmgr", program: "a: output", policies: "abort",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0}}},
	"job, sustain": {protocol: "errmgr", program: "a: try send b x\nb: recv a",
		policies: "sustain", model: fault.Model{Failures: 1, Victims: []trace.Proc{1}}},
	"job, pair": {protocol: "errmgr", program: "a: send b x\nb: recv a", policies: "autor",
		unknown: true, model: fault.Model{Checkpoints: 1, Victims: []trace.Proc{}}},
}

func init() {
	for name, s := range jobScopes {
		scopes[name] = s
	}
}

// jobSetUp is the setup of errmgr for the scope.
func (s *scope) jobSetUp(layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	options := s.options
	if options == "" {
		options = "spares=1"
	}
	return errmgr.Protocol.Setup(protocol.Request{Layout: layout, Programs: programs,
		Options: options, Policies: s.policies})
}

// jobs are the mutants of what a head rules, and of what is said of snapshots.
func jobs() []Mutant {
	again := func(e core.Effect) []core.Effect { return []core.Effect{e, e} }
	return []Mutant{
		breaks("established-only", "copies-silently", "reads copies of files back and says nothing",
			speaks(trace.SnapCopied, drop)),
		breaks("newest-snapshot", "selects-the-start",
			"goes back to a snapshot and says to the start",
			speaks(trace.SnapSelected, to(func(e *core.Effect) { e.Stamp.Date = 0 }))),
		breaks("established-stays", "forgets-snapshots",
			"finds no records of snapshots when it restarts",
			habit{input: forgetSnapshots}),
		breaks("snapshot-numbers", "reserves-nothing", "reserves number 0 again and again",
			speaks(trace.SnapReserved, to(func(e *core.Effect) { e.Stamp.Date = 0 }))),
		breaks("never-lose-the-last", "retires-at-once",
			"retires each snapshot that it has established",
			speaks(trace.SnapEstablished, and(trace.SnapRetired))),
		breaks("cache-kept", "evicts-what-it-has",
			"deletes its file when it has started a rank from it",
			speaks(trace.RuleReleased, evictOwn)),
		breaks("flow-limit", "grants-twice", "gives away a second token with each",
			speaks(trace.SnapGranted, func(e core.Effect) []core.Effect {
				more := e
				more.Stamp.Date++
				return []core.Effect{e, more}
			})),
		breaks("snapshots-settle", "establishes-silently", "establishes snapshots and says nothing",
			speaks(trace.SnapEstablished, drop)),
		breaks("no-mixed-restore", "restores-other-bytes", "runs from other bytes than it should",
			speaks(trace.SnapRestored, to(func(e *core.Effect) { e.Digest++ }))),
		breaks("cut-consistent", "restores-silently", "restarts, and does not say from what",
			speaks(trace.SnapRestored, drop)),
		breaks("lost-work", "saves-the-past", "takes an image of a moment before",
			speaks(trace.SnapTaken, to(func(e *core.Effect) { e.Sent++ }))),
		breaks("outputs-agree", "puts-out-otherwise", "puts something else out in a later life",
			habit{input: noteRestart, effects: each(putOutOtherwise)}),
		breaks("policy-claims-once", "claims-twice", "claims each failure two times",
			speaks(trace.RuleClaimed, again)),
		breaks("policy-order", "asks-nobody", "says of no policy that it was asked",
			speaks(trace.RuleOffered, drop)),
		breaks("abort-last", "gives-up-early", "gives the job up in the place of a recovery",
			habit{effects: each(giveUpEarly)}),
		breaks("abort-final", "goes-on", "lets ranks run when it has given up",
			speaks(trace.RuleAborted, and(trace.RuleResumed))),
		breaks("bystanders-untouched", "pauses-silently", "stands still from its first send on",
			after(trace.Sent, func(b *machine, _ core.Effect) []core.Effect {
				return []core.Effect{ruled(trace.RulePaused, b.Proc),
					{Kind: core.ProgramSent, To: 1,
						Payload: core.Payload{ID: trace.MsgID{Number: 2}}}}
			})),
		breaks("episodes-end", "never-completes", "completes nothing, by its own account",
			speaks(trace.RuleCompleted, drop)),
		breaks("report-idempotence", "opens-again", "opens another episode when one is over",
			speaks(trace.RuleCompleted, openAgain)),
		breaks("one-body", "releases-everywhere", "releases the first rank when it copies nothing",
			habit{effects: releaseElsewhere}),
		breaks("fenced-out", "receives-the-next", "receives a message before it is sent",
			after(trace.Delivered, receiveNext)),
		breaks("no-residue", "drains-early", "says that a node is drained when it asks it to drain",
			sends(drainEarly)),
		breaks("operations-end-once", "errs-early", "ends an operation in an error at its start",
			habit{effects: errEarly}),
		nearly("established-only", "repeats-itself",
			"says two times what may be said so: of files, of established snapshots, of pauses",
			habit{effects: each(repeatItself)}),
	}
}

// speaks applies a change to every Snapped or Ruled event of the word.
func speaks(word string, change func(core.Effect) []core.Effect) habit {
	return habit{effects: each(func(_ *machine, e core.Effect) []core.Effect {
		if said, _ := trace.RuleOf(e.Key); e.Kind == core.Declare && said == word &&
			(e.What == trace.Snapped || e.What == trace.Ruled) {
			return change(e)
		}
		return []core.Effect{e}
	})}
}

func drop(core.Effect) []core.Effect { return nil }

// to changes an event.
func to(change func(*core.Effect)) func(core.Effect) []core.Effect {
	return func(e core.Effect) []core.Effect {
		change(&e)
		return []core.Effect{e}
	}
}

// and says another word behind an event.
func and(word string) func(core.Effect) []core.Effect {
	return func(e core.Effect) []core.Effect {
		more := e
		more.Key = word
		return []core.Effect{e, more}
	}
}

func ruled(text string, about core.Proc) core.Effect {
	return core.Effect{Kind: core.Declare, What: trace.Ruled, Key: text, To: about}
}

// forgetSnapshots hands the records of a head over without those of snapshots.
func forgetSnapshots(b *machine, in core.Input) core.Input {
	if in.Kind == core.Restore {
		in.Records = slices.DeleteFunc(slices.Clone(in.Records), func(r core.Record) bool {
			return len(r.Key) > 5 && r.Key[:5] == "snap/"
		})
	}
	return in
}

// tells reports whether a message of the kind leaves in a step.
func tells(list []core.Effect, kind string) bool {
	return slices.ContainsFunc(list, func(e core.Effect) bool {
		m, ok := e.Message.(*envelope)
		return ok && m.Wire.Kind == kind
	})
}

// evictOwn deletes the file of the first rank of the first snapshot.
func evictOwn(e core.Effect) []core.Effect {
	return []core.Effect{e, {Kind: core.Declare, What: trace.Snapped, Key: trace.SnapEvicted,
		Stamp: trace.Stamp{Date: 1}}}
}

func putOutOtherwise(b *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Output && memoryOf(b).Spent {
		e.Digest++
	}
	return []core.Effect{e}
}

// giveUpEarly has a policy fail, and the last one claim.
func giveUpEarly(_ *machine, e core.Effect) []core.Effect {
	switch {
	case e.What == trace.Ruled && e.Key == "completed autor":
		e.Key = "completed abort"
		return []core.Effect{e}
	case e.What != trace.Ruled || e.Key != "claimed autor":
		return []core.Effect{e}
	}
	var list []core.Effect
	for _, text := range []string{"failed autor", "offered abort", "claimed abort"} {
		e.Key = text
		list = append(list, e)
	}
	return list
}

func openAgain(e core.Effect) []core.Effect {
	more := e
	more.Key, more.To = trace.RuleOpened, 0
	more.Stamp.Round++
	return []core.Effect{e, more}
}

// releaseElsewhere has the spare release the first rank when it is told that a snapshot counts.
func releaseElsewhere(b *machine, list []core.Effect) []core.Effect {
	if tells(list, "LocalDone") {
		list = append(list, ruled(trace.RuleReleased, 0))
	}
	return list
}

func receiveNext(_ *machine, e core.Effect) []core.Effect {
	e.Payload.ID.Number++
	return []core.Effect{e}
}

func drainEarly(_ *machine, e core.Effect, m *envelope) []core.Effect {
	if m.Wire.Kind != "Drain" {
		return []core.Effect{e}
	}
	return []core.Effect{ruled(trace.RuleDrained, e.To), e}
}

// errEarly ends an operation of the first rank in an error as soon as it has sent.
func errEarly(b *machine, list []core.Effect) []core.Effect {
	if slices.ContainsFunc(list, func(e core.Effect) bool { return e.Kind == core.ProgramSent }) {
		list = append(list, ruled(trace.OpError+" send peer-dead", 1))
	}
	return list
}

// repeatItself repeats what is no news the second time.
func repeatItself(_ *machine, e core.Effect) []core.Effect {
	said, _ := trace.RuleOf(e.Key)
	if e.Kind == core.Declare && (e.What == trace.Snapped || e.What == trace.Ruled) &&
		slices.Contains([]string{trace.SnapTaken, trace.SnapLocal, trace.SnapEstablished,
			trace.SnapSelected, trace.SnapRestored, trace.SnapPinned, trace.SnapUnpinned,
			trace.SnapReturned, trace.SnapEvicted, trace.SnapMoved, trace.RuleOpened,
			trace.RuleStabilised, trace.RulePaused, trace.RuleContinued,
			trace.RuleResumed, trace.RuleAborted, trace.RuleDrained, trace.RuleSustained},
			said) {
		return []core.Effect{e, e}
	}
	return []core.Effect{e}
}

// jobsCaught says in which scope each mutant of jobs must be found out.
var jobsCaught = []struct{ mutant, scope string }{
	{"copies-silently", "job"}, {"selects-the-start",
		"job, failure"},
	{"forgets-snapshots",
		"job, head"}, {"reserves-nothing", "job"}, {"retires-at-once",
		"job"},
	{"evicts-what-it-has",
		"job, failure"}, {"grants-twice", "job"},
	{"establishes-silently", "job"}, {"restores-other-bytes", "job, failure"},
	{"restores-silently", "job, early"}, {"saves-the-past", "job"},
	{"puts-out-otherwise", "job, early"}, {"claims-twice", "job, early"},
	{"asks-nobody", "job, early"}, {"gives-up-early", "job, failure"}, {"goes-on", "job, abort"},
	{"pauses-silently", "job, pair"}, {"never-completes", "job, early"},
	{"opens-again", "job, early"}, {"releases-everywhere", "job, pair"},
	{"receives-the-next", "job, pair"}, {"drains-early", "job, move"},
	{"errs-early", "job, sustain"},
}

// jobsAccepted are the near misses, each in a scope in which what it says is judged.
var jobsAccepted = map[string][]string{
	"job, failure": {"established-only", "newest-snapshot", "snapshot-numbers", "cache-kept",
		"never-lose-the-last", "flow-limit", "snapshots-settle", "no-mixed-restore",
		"cut-consistent", "lost-work", "outputs-agree", "policy-claims-once", "policy-order",
		"abort-last", "episodes-end", "report-idempotence"},
	"job, head":    {"established-stays"},
	"job, abort":   {"abort-final"},
	"job, pair":    {"bystanders-untouched", "fenced-out"},
	"job, move":    {"one-body", "no-residue"},
	"job, sustain": {"operations-end-once"},
}

// Aim: what jobsAccepted says is so. Method: as in TestNearMissesAreAccepted; one exploration of a
// scope is for all properties that are judged in it.
func TestJobsRepeatThemselves(t *testing.T) {
	m := find(t, "repeats-itself")
	for name, properties := range jobsAccepted {
		t.Run(name, func(t *testing.T) {
			w, r := scopeOf(t, name).explore(t, m.Wrap)
			if r.Verdict != spec.Holds {
				t.Errorf("%s, which %s, is legal, got %v: %v", m.Name, m.Doc, r.Verdict, r.Found)
			}
			list, err := spec.Select(w.Facts)
			if err != nil {
				t.Fatal(err)
			}
			for _, property := range properties {
				if !slices.ContainsFunc(list, func(p spec.Property) bool {
					return p.Name == property
				}) {
					t.Errorf("%s is not judged here", property)
				}
			}
		})
	}
}
