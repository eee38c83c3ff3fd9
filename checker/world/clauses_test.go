package world_test

import (
	"reflect"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
)

// moment is what a claim is asked about: a state of a layer or of a service, and an input.
type moment struct {
	state reflect.Value
	in    core.Input
}

// has is a field of the state, of the kind bool.
func (m moment) has(name string) bool {
	v := m.state.FieldByName(name)
	return v.IsValid() && v.Bool()
}

// number is a field of the state, message one of the message.
func (m moment) number(name string) uint64  { return numberIn(m.state, name) }
func (m moment) message(name string) uint64 { return numberIn(m.body(), name) }

func (m moment) body() reflect.Value { return reflect.ValueOf(m.in.Message).Elem() }

func numberIn(v reflect.Value, name string) uint64 {
	switch v = v.FieldByName(name); {
	case v.CanUint():
		return v.Uint()
	case v.CanInt():
		return uint64(v.Int())
	}
	return 0
}

// clauses are conditions of claims, each with moments at which it is what forbids the claim, and a
// scenario that shows what comes of claiming there.
//
// Others are implied by when a step is taken first at all (eager.go), so that nothing comes of
// leaving them out: that no checkpoint is being taken (checkpointRule); that a rank of HydEE has
// joined a round (its own is older then: newestRule); that Begin, Status, Frontier, Back, Resume
// and Report are of no older round (olderRule), nor of a newer one than Begin, which comes first on
// their channel.
//
// Of these nothing wrong was found in any scenario of their protocols, of each the first 2,500
// states (HydEE) or 1,200: that a rank of HydEE receives when evaluated, and that a message in a
// cluster is of the present life; that a message of causal logging brings no determinant and is no
// older one than those that wait, that a multicast comes to a rank that has not restarted, and that
// the end of a replay is for another life; that a rank of epochs is not frozen when it is told of
// the frontier. They are kept for the reasons that are given beside them.
var clauses = []struct {
	name, kind, scenario string
	when                 func(m moment) bool
}{
	{"Begin of a newer round", "Begin", "hydee/h9-late",
		func(m moment) bool { return m.message("Round") > m.number("Round") }},
	{"a rank receives while it recovers", "", "camel/camel-c6",
		func(m moment) bool { return m.has("Recovering") }},
	{"Begin when in a round", "Begin", "epochs/epochs-kept-orphan",
		func(m moment) bool { return !m.has("Unjoined") }},
	{"a message while determinants are collected", "App", "manetho/manetho-mn10",
		func(m moment) bool { return m.has("Collecting") }},
	{"Status of a newer round", "Status", "hydee/h9-late",
		func(m moment) bool { return m.message("Round") > m.number("Round") }},
	{"a restarted rank receives", "", "camel/camel-c6",
		func(m moment) bool { return !m.has("Recovering") && m.number("Inc") != 0 }},
	{"a rank receives that has contributed", "", "causal/causal-mpi",
		func(m moment) bool { return !m.has("Recovering") && m.number("Inc") == 0 }},
	{"a message while none are", "App", "manetho/manetho-mn10", func(m moment) bool {
		return !m.has("Collecting") && m.message("To") == m.number("Life")
	}},
	{"a message in an epoch", "App", "epochs/epochs-on-its-way",
		func(m moment) bool { return true }},
	{"an acknowledgement", "Ack", "epochs/b12", func(m moment) bool { return true }},
}

// TestEachClauseIsNeeded leaves out what a claim of a rank asks, one condition after the other: the
// audit finds that a claim is wrong then.
func TestEachClauseIsNeeded(t *testing.T) {
	t.Parallel()
	for i, tt := range clauses {
		if !effort.Long() && i >= 4 {
			continue
		}
		r := claiming(t, tt.scenario)
		of := func(m moment) bool {
			rank := m.state.FieldByName("Channels").IsValid()
			return rank && tt.when(m)
		}
		w, err := world.New(world.Config{Setup: weakened(r.Setup, tt.kind, of), Model: r.Model})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Audit(t.Context(), 20_000)
		if err != nil || a.Broken == nil {
			t.Errorf("%s: %s is claimed, and nothing is wrong: %v, %v", tt.scenario, tt.name, a,
				err)
		}
	}
}
