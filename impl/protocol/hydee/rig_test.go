package hydee_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// rig drives the machines of one setup by hand: the test says which proc takes which step, and the
// rig keeps what is on the network and on stable storage. Every effect is written as one line of
// words, so that a test shows hand-worked values.
type rig struct {
	t        *testing.T
	setup    *core.Setup
	machines []core.Machine
	network  map[[2]core.Proc][]*hydee.Message
	writing  map[core.Proc][]core.Record // asked for, not stable yet
	stable   map[core.Proc]map[string][]byte
	lives    []core.Incarnation
	recycle  bool // use all bytes again as soon as the layers allow it
}

// newSetup reads programs and clusters ("x y | c").
func newSetup(t testing.TB, program, clusters string, errata ...hydee.Erratum) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: names, Ranks: len(names), Clusters: make([]int, len(names))}
	for k, part := range strings.Split(clusters, "|") {
		for _, name := range strings.Fields(part) {
			layout.Clusters[slices.Index(names, name)] = k
		}
	}
	var set hydee.Set
	for _, e := range errata {
		set = set.With(e)
	}
	setup, err := hydee.NewSetup(layout, programs, hydee.Options{Errata: set})
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// newRig starts every proc of the setup.
func newRig(t *testing.T, program, clusters string, errata ...hydee.Erratum) *rig {
	t.Helper()
	r := &rig{t: t, setup: newSetup(t, program, clusters, errata...),
		network: map[[2]core.Proc][]*hydee.Message{},
		writing: map[core.Proc][]core.Record{}, stable: map[core.Proc]map[string][]byte{}}
	for p := range core.Proc(len(r.setup.Layout.Names)) {
		r.machines = append(r.machines, r.setup.New(p))
		r.lives = append(r.lives, 0)
		r.stable[p] = map[string][]byte{}
	}
	for p := range r.machines {
		if out := r.machines[p].Step(core.Input{Kind: core.Start}, nil); len(out) > 0 {
			t.Fatalf("start of %s: %v", r.name(core.Proc(p)), r.lines(out))
		}
	}
	return r
}

func (r *rig) name(p core.Proc) string { return r.setup.Layout.Name(p) }

func (r *rig) proc(name string) core.Proc {
	r.t.Helper()
	i := slices.Index(r.setup.Layout.Names, name)
	if i < 0 {
		r.t.Fatalf("no proc %s", name)
	}
	return core.Proc(i)
}

// step gives one input to a proc, performs the effects and returns them as lines.
func (r *rig) step(name string, in core.Input) []string {
	r.t.Helper()
	p := r.proc(name)
	out := r.machines[p].Step(in, nil)
	for _, e := range out {
		switch e.Kind {
		case core.SendMessage:
			m := *e.Message.(*hydee.Message)
			if r.recycle {
				m.Payload.Data = slices.Clone(m.Payload.Data) // the network has its own
			}
			key := [2]core.Proc{p, e.To}
			r.network[key] = append(r.network[key], &m)
		case core.Persist:
			if e.Value == nil {
				delete(r.stable[p], e.Key)
			} else {
				r.writing[p] = append(r.writing[p],
					core.Record{Owner: p, Key: e.Key, Value: e.Value})
			}
		}
	}
	if r.recycle {
		r.reuse(p, out)
	}
	return r.lines(out)
}

// can lists the program steps of a rank that are enabled: "next", or the names of ranks to receive
// from.
func (r *rig) can(name string) []string {
	list := []string{}
	for _, c := range r.machines[r.proc(name)].Choices(nil) {
		if source, ok := c.Source(); ok {
			list = append(list, r.name(source.Proc()))
		} else {
			list = append(list, "next")
		}
	}
	return list
}

// run takes the next operation of a rank's program; from names the source when it is a receive.
func (r *rig) run(name string, from ...string) []string {
	r.t.Helper()
	for _, c := range r.machines[r.proc(name)].Choices(nil) {
		source, receive := c.Source()
		if receive == (len(from) > 0) && (!receive || r.name(source.Proc()) == from[0]) {
			return r.step(name, core.Input{Kind: core.Advance, Choice: c})
		}
	}
	r.t.Fatalf("%s can not go on with %v, only with %v", name, from, r.can(name))
	return nil
}

// flight lists the kinds of the messages on a channel.
func (r *rig) flight(from, to string) []string {
	list := []string{}
	for _, m := range r.network[[2]core.Proc{r.proc(from), r.proc(to)}] {
		list = append(list, m.Describe().Kind)
	}
	return list
}

// arrive delivers the oldest message of a channel to the proc at its end.
func (r *rig) arrive(from, to string) []string {
	r.t.Helper()
	key := [2]core.Proc{r.proc(from), r.proc(to)}
	if len(r.network[key]) == 0 {
		r.t.Fatalf("nothing in flight from %s to %s", from, to)
	}
	m := r.network[key][0]
	r.network[key] = r.network[key][1:]
	return r.step(to, core.Input{Kind: core.Received, From: key[0], Message: m})
}

// give hands a proc a message that the test made up; a round is about all clusters, and a frontier
// for the present life, unless it says otherwise.
func (r *rig) give(from, to string, m hydee.Message) []string {
	r.t.Helper()
	if (m.Kind == hydee.Begin || m.Kind == hydee.Status) && m.Clusters == nil {
		m.Clusters = r.clusters()
	}
	if m.Kind == hydee.Frontier && m.Incarnation == 0 {
		m.Incarnation = r.lives[r.proc(to)]
	}
	return r.step(to, core.Input{Kind: core.Received, From: r.proc(from), Message: &m})
}

// clusters are the numbers of all of them.
func (r *rig) clusters() []int {
	list := slices.Sorted(slices.Values(r.setup.Layout.Clusters))
	return slices.Compact(list)
}

// store completes the oldest write of a proc.
func (r *rig) store(name string) []string {
	r.t.Helper()
	p := r.proc(name)
	if len(r.writing[p]) == 0 {
		r.t.Fatalf("%s writes nothing", name)
	}
	record := r.writing[p][0]
	r.writing[p] = r.writing[p][1:]
	r.stable[p][record.Key] = record.Value
	return r.step(name, core.Input{Kind: core.Persisted, Key: record.Key})
}

// crash stops the group of a proc and loses everything in flight to and from it, and its writes in
// progress.
func (r *rig) crash(name string) {
	for _, p := range r.setup.Group(r.proc(name)) {
		r.lives[p]++
		r.machines[p] = r.setup.New(p)
		r.writing[p] = nil
		for q := range r.machines {
			delete(r.network, [2]core.Proc{p, core.Proc(q)})
			delete(r.network, [2]core.Proc{core.Proc(q), p})
		}
	}
}

// records are what a new life of the proc is handed.
func (r *rig) records(name string) []core.Record {
	var list []core.Record
	owners := []core.Proc{r.proc(name)}
	if r.setup.Reads != nil {
		owners = r.setup.Reads(r.proc(name))
	}
	for _, owner := range owners {
		for _, key := range slices.Sorted(maps.Keys(r.stable[owner])) {
			list = append(list, core.Record{Owner: owner, Key: key, Value: r.stable[owner][key]})
		}
	}
	return list
}

// restart begins the next life of a proc that crashed.
func (r *rig) restart(name string) []string {
	r.t.Helper()
	return r.step(name, core.Input{Kind: core.Restore, Incarnation: r.lives[r.proc(name)],
		Records: r.records(name)})
}

// down tells the recovery process that the group of a proc failed.
func (r *rig) down(name string) []string {
	r.t.Helper()
	return r.step("RP", core.Input{Kind: core.Down, Procs: r.setup.Group(r.proc(name))})
}

// settle delivers messages, lowest channel first, until only application messages are left in
// flight.
func (r *rig) settle() {
	r.t.Helper()
	for busy := true; busy; {
		busy = false
		for p := range r.machines {
			for q := range r.machines {
				from, to := r.name(core.Proc(p)), r.name(core.Proc(q))
				if kinds := r.flight(from, to); len(kinds) > 0 && kinds[0] != "App" {
					r.arrive(from, to)
					busy = true
				}
			}
		}
	}
}

// want compares what happened with the lines of the test.
func (r *rig) want(what string, got []string, want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, got...)); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// lines writes effects as words.
func (r *rig) lines(effects []core.Effect) []string {
	list := []string{}
	for _, e := range effects {
		list = append(list, r.line(e))
	}
	return list
}

func (r *rig) line(e core.Effect) string {
	switch e.Kind {
	case core.SendMessage:
		return "to " + r.name(e.To) + ": " + r.message(e.Message.(*hydee.Message))
	case core.Persist:
		if e.Value == nil {
			return "delete " + e.Key
		}
		return "write " + e.Key
	case core.Deliver:
		return fmt.Sprintf("deliver %s from %s, date %d phase %d", r.label(e.Payload.ID),
			r.name(e.From), e.Stamp.Date, e.Stamp.Phase)
	case core.Commit:
		return fmt.Sprintf("recovery line: sent %d received %d", e.Sent, e.Received)
	case core.ProgramSent:
		return fmt.Sprintf("program sent %s to %s", r.label(e.Payload.ID), r.name(e.To))
	case core.ProgramDone:
		return "program ended"
	}
	switch e.What {
	case trace.Dropped:
		if e.ID.IsZero() {
			return fmt.Sprintf("drop from %s: %s", r.name(e.To), e.Key)
		}
		return fmt.Sprintf("drop %s from %s: %s", r.label(e.ID), r.name(e.To), e.Key)
	case trace.Halted:
		return "halt: " + e.Key
	case trace.Logged:
		return fmt.Sprintf("log %s for %s", r.label(e.ID), r.name(e.To))
	case trace.Pruned:
		return fmt.Sprintf("prune %s for %s", r.label(e.ID), r.name(e.To))
	}
	return fmt.Sprintf("effect %d", e.Kind)
}

func (r *rig) label(id core.MsgID) string { return r.setup.Layout.Label(id) }

// message writes every field that its kind carries.
func (r *rig) message(m *hydee.Message) string {
	w := []string{m.Describe().Kind}
	add := func(word string, value any) { w = append(w, word, fmt.Sprint(value)) }
	if m.Kind == hydee.App {
		w = append(w, r.label(m.Payload.ID))
	}
	if m.Round != 0 {
		add("round", m.Round)
	}
	if m.Clusters != nil && !slices.Equal(m.Clusters, r.clusters()) {
		add("of", m.Clusters)
	}
	if m.Incarnation != 0 {
		add("life", m.Incarnation)
	}
	if m.Number != 0 {
		add("number", m.Number)
	}
	switch m.Kind {
	case hydee.OrphanDone:
		add("to", r.name(m.To.Proc()))
		add("date", m.Date)
		add("phase", m.Phase)
	case hydee.App:
		add("date", m.Date)
		add("phase", m.Phase)
	case hydee.Status, hydee.Acknowledge:
		add("date", m.Date)
		add("last", m.Last)
	case hydee.Frontier: // the phase in a Report matters to erratum H18 only
		add("phase", m.Phase)
	}
	if m.Kind == hydee.Frontier && m.Part != 3 {
		add("part", m.Part)
	}
	for _, o := range m.Orphans {
		add("orphan", r.name(o.Source.Proc())+"->"+r.name(o.To.Proc())+"/"+strconv.Itoa(
			int(o.Date))+"/"+o.Phase.String())
	}
	if len(m.Lives) > 0 {
		add("lives", m.Lives)
	}
	return strings.Join(w, " ")
}
