package cluster

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// What a life does itself of what the effects of its machine ask for; the rest is up to its node.

// perform comes before each effect: the evidence, then what the supervisor has to know.
func (l *life) perform(e *core.Effect) error {
	if l.in.Steered {
		if err := l.steered.perform(l, e); err != nil {
			return err
		}
	}
	if !l.in.Bare {
		if !l.in.Steered { // it is not written yet
			l.marks.persisting(e)
		}
		if err := l.witness.perform(e); err != nil {
			return err
		}
	}
	switch e.Kind {
	case core.Watch:
		l.serial++
		if l.watches == nil {
			l.watches = map[core.Proc]uint64{}
		}
		l.watches[e.To] = l.serial
		l.say(answer{Kind: saidWatch, Proc: e.To, Serial: l.serial, Began: l.witness.began})
	case core.Unwatch:
		delete(l.watches, e.To)
		l.say(answer{Kind: saidWatch, Proc: e.To})
	case core.Renew:
		l.nextLife(true)
	case core.Kill, core.Launch:
		if words := l.setup.Wrong(e); words != "" {
			return fmt.Errorf("the machine %s", words)
		}
		if e.Kind == core.Launch {
			return l.launch(e)
		}
		l.say(answer{Kind: saidKill, Proc: e.To})
	case core.Exit:
		if l.in.Flush {
			l.carrier.Flush()
		}
		l.say(answer{Kind: saidExit})
		if l.in.Steered {
			return l.standStill()
		}
		l.await() // for the end: nobody says go
	}
	return nil
}

// nextLife is the end of an incarnation whose process goes on.
func (l *life) nextLife(renewed bool) {
	l.in.Incarnation++
	l.watches = nil
	l.say(answer{Kind: saidLife, Renewed: renewed})
}

// rollback starts the machine again from what is stable, as the next incarnation in the same
// process. What was not committed is given up; what is on its way to the proc, and from it, stays.
func (l *life) rollback() error {
	old := l.store
	if err := old.close(); err != nil {
		return err
	}
	s, err := l.openDisk()
	if err != nil {
		return err
	}
	old.disk = s // the node has the store, and closes it
	l.nextLife(false)
	records, err := l.records()
	if err != nil {
		return err
	}
	l.machine = l.setup.New(l.in.Proc)
	l.node.Restart(l.machine, l.in.Incarnation)
	l.tune()
	return l.node.Input(core.Input{Kind: core.Restore, Incarnation: l.in.Incarnation,
		Records: records})
}

// places reports whether an event changes who runs on the node of its proc.
func places(e trace.Event) bool { return e.Kind == trace.Adopted || e.Kind == trace.Disowned }
