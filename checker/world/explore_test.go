package world

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// canonical is the content of a global state without numbers of this world, so that two worlds can
// be compared.
func canonical(w *World, state []uint32) string {
	var b strings.Builder
	// which crashes are left says nothing of a state
	fmt.Fprintf(&b, "%x", w.budgets(state).faults&(1<<digitShift-1))
	if harms := w.budgets(state).harms; harms != 0 {
		fmt.Fprintf(&b, "~%x", harms)
	}
	for p := range core.Proc(w.procs) {
		e := *w.env(state, p)
		l := w.locals.at(w.localOf(state, p))
		line := ""
		if h := w.line(&e); h != nil {
			line = string(core.Encode(h))
		}
		e.Line = 0
		fmt.Fprintf(&b, "|%x/%x/%d.%d.%x/", core.Encode(&e), line, l.inc, l.round, l.content)
		for _, c := range w.inbox(state, p).channels {
			fmt.Fprintf(&b, "<%d.%d", c.from, c.inc)
			var words []string
			for _, k := range c.messages {
				words = append(words, fmt.Sprintf(" %x",
					core.Encode(w.messages.at(w.packets.at(k).message).value)))
			}
			if !w.Model.KeepsOrder() {
				slices.Sort(words) // the numbers of packets depend on the order of exploration
			}
			b.WriteString(strings.Join(words, ""))
		}
	}
	return b.String()
}

// seen is what one search met: canonical ends of runs, violated properties, and what a probe noted.
type seen struct {
	terminals, violated, noted map[string]bool
	result                     checker.Result
	options                    checker.Options
	mu                         sync.Mutex // of the maps
}

// recorded is a world that notes the ends of runs.
type recorded struct {
	*World
	s *seen
}

func (r recorded) Terminal(state []uint32) int {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.s.terminals[canonical(r.World, state)] = true
	return r.World.Terminal(state)
}

// probe as the only property of explore notes what a global property sees of each visible message.
const probe = "probe"

// judges as the only property of explore, with a number behind it, stands for some properties that
// ask about all procs at each visible message and find fault with few of the answers; which ones is
// drawn by the number.
const judges = "judges "

// judging are the properties that judges stands for.
func judging(procs int, salt string) (list []spec.Property) {
	for k := range uint32(4) {
		list = append(list, spec.Property{Name: fmt.Sprint(judges, k), Kind: spec.Always,
			Global: true, Event: func(_ *spec.Facts, v spec.View, e trace.Event) string {
				if e.Kind != trace.Emitted {
					return ""
				}
				h := fnv.New32a()
				fmt.Fprint(h, salt, e.Proc, e.Text, e.Peer)
				for p := range procs {
					fmt.Fprint(h, " ", v.Observed(core.Proc(p)).Round)
				}
				if h.Sum32()>>8%16 != k {
					return ""
				}
				return "this is not to be seen"
			}})
	}
	return list
}

// explore searches a world and judges it by the one property with the name, or by all when it is
// empty.
func explore(c Config, o checker.Options, only string) (*seen, error) {
	return exploreWith(c, o, only, nil)
}

// worldOf is a world that is judged by the one property with the name, or by all when it is empty.
func worldOf(c Config, only string) (*World, error) {
	salt, judged := strings.CutPrefix(only, judges)
	if only == probe || judged {
		c.Facts = &spec.Facts{Layout: &c.Setup.Layout}
	}
	w, err := New(c)
	if err != nil || only == "" {
		return w, err
	}
	w.always, w.local, w.final, w.pairs = nil, nil, nil, nil
	w.sights.unseen.Store(nil)
	if c.Facts != nil {
		list, err := spec.Select(c.Facts)
		if err != nil {
			return nil, err
		}
		w.properties(slices.DeleteFunc(list, func(p spec.Property) bool { return p.Name != only }))
	}
	if judged {
		w.always = judging(w.procs, salt)
	}
	return w, nil
}

// exploreWith is explore of a world that is prepared.
func exploreWith(c Config, o checker.Options, only string, prepare func(*World)) (*seen, error) {
	w, err := worldOf(c, only)
	if err != nil {
		return nil, err
	}
	s := &seen{terminals: map[string]bool{}, violated: map[string]bool{}, noted: map[string]bool{}}
	if only == probe {
		w.always = []spec.Property{{Name: probe, Kind: spec.Always, Global: true,
			Event: func(_ *spec.Facts, v spec.View, e trace.Event) string {
				if e.Kind == trace.Emitted {
					note := fmt.Sprintf("p%d sends %s to p%d, rounds", e.Proc, e.Text, e.Peer)
					for p := range w.layout.Names {
						note += fmt.Sprintf(" %d", v.Observed(core.Proc(p)).Round)
					}
					s.mu.Lock()
					s.noted[note] = true
					s.mu.Unlock()
				}
				return ""
			}}}
	}
	o.All = true
	if prepare != nil {
		prepare(w)
	}
	s.options = o
	if s.result, err = w.onTrust(o, func(o checker.Options) (checker.Result, error) {
		clear(s.terminals) // only what the last search finds counts
		clear(s.noted)
		w.verdicts.Store(new(verdicts)) // the probe is asked again
		return search.Explore(context.Background(), recorded{World: w, s: s}, o), nil
	}); err != nil {
		return nil, err
	}
	for _, f := range s.result.Found {
		s.violated[f.Property] = true
	}
	return s, nil
}

// difference says in what a reduced search falls short of a full one, or "".
func difference(full, reduced *seen) string {
	var b strings.Builder
	for _, c := range []struct {
		what      string
		want, got map[string]bool
	}{{"terminal state", full.terminals, reduced.terminals},
		{"violated property", full.violated, reduced.violated},
		{"observation", full.noted, reduced.noted}} {
		for _, k := range slices.Sorted(maps.Keys(c.want)) {
			if !c.got[k] {
				fmt.Fprintf(&b, "the reduced search misses %s %s\n", c.what, k)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(c.got)) {
			if !c.want[k] {
				fmt.Fprintf(&b, "only the reduced search has %s %s\n", c.what, k)
			}
		}
	}
	got, want := reduced.result.States, full.result.States
	if got == 0 || reduced.options.Order == checker.StatelessOptimal {
		return b.String() // counts are not to be compared
	}
	if got > want || got != want && reduced.options.Reduce&(checker.Singletons|checker.Alone) == 0 {
		fmt.Fprintf(&b, "reduced has %d states, full has %d\n", got, want)
	}
	if all := full.result.Transitions; reduced.options.Reduce == 0 &&
		reduced.result.Transitions != all || reduced.result.Transitions > all {
		fmt.Fprintf(&b, "reduced has %d transitions, full has %d\n", reduced.result.Transitions,
			all)
	}
	return b.String()
}

// pairOf is a protocol and its baseline on one program.
type pairOf struct{ setup, baseline *core.Setup }

// hydeePair prepares a program text.
func hydeePair(text string, clusters []int, errata hydee.Set) (pairOf, error) {
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		return pairOf{}, err
	}
	layout := core.Layout{Names: names, Ranks: len(names), Clusters: clusters}
	setup, err := hydee.NewSetup(layout, programs, hydee.Options{Errata: errata})
	if err != nil {
		return pairOf{}, err
	}
	baseline, err := none.NewSetup(layout, programs)
	return pairOf{setup: setup, baseline: baseline}, err
}

// mustPair is hydeePair for programs that are right.
func mustPair(t *testing.T, text string, clusters []int, errata hydee.Set) pairOf {
	t.Helper()
	p, err := hydeePair(text, clusters, errata)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
