package hydee_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/hydee"
	"github.com/domino-check/domino/spec/trace"
)

func id(from trace.Rank, number uint32) trace.MsgID {
	return trace.MsgID{From: from, Number: number}
}

// path is the application of HydEEErrata.v where a path closes outside of a cluster, p and q, of
// ranks 0 and 1: d, rank 2, sends k to p; p, then, j to d; d, then, jj to q; and q, then, m to p.
var path = []hydee.Send{{ID: id(2, 1), To: 0},
	{ID: id(0, 1), To: 2, Needs: []trace.MsgID{id(2, 1)}},
	{ID: id(2, 2), To: 1, Needs: []trace.MsgID{id(0, 1)}},
	{ID: id(1, 1), To: 0, Needs: []trace.MsgID{id(2, 2)}}}

// The places of its messages.
const (
	j = iota
	m
	k
	jj
)

// set is a set of messages, by place.
func set(places ...int) []bool {
	list := make([]bool, 4)
	for _, i := range places {
		list[i] = true
	}
	return list
}

// TestPath takes the run of erratum H24: after the failure j is an orphan, and nothing of a larger
// phase may come before it. Package judge compares all steps with those that are proved right.
func TestPath(t *testing.T) {
	a, err := hydee.New([]int{0, 0, 1}, path)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint64{j: 2, m: 4, k: 1, jj: 3} {
		if got := a.Messages[i].Phase; got != want {
			t.Errorf("phase of %v is %d, want %d", a.Messages[i].ID, got, want)
		}
	}
	if past := a.Messages[m].Past; past[0] != 1 || past[1] != 0 || past[2] != 2 {
		t.Errorf("behind q's message are %d sends, want [1 0 2]", past)
	}
	s := hydee.State{Sent: set(), Delivered: set(), Held: set()}
	take := func(step hydee.Step, want hydee.Guard) {
		t.Helper()
		if got := a.Refuses(&s, &step); got.Guard != want {
			t.Fatalf("%+v in %+v: guard %d does not hold, want %d", step, s, got.Guard, want)
		} else if want == hydee.None {
			s = a.After(&s, &step)
		}
	}
	do := func(kind hydee.Kind, i int, want hydee.Guard) {
		t.Helper()
		take(hydee.Step{Kind: kind, Message: i}, want)
	}
	do(hydee.Sends, j, hydee.Fed)
	do(hydee.Sends, jj, hydee.InOrder)
	for _, i := range []int{k, j, jj} {
		do(hydee.Receives, i, hydee.OnItsWay)
		do(hydee.Sends, i, hydee.None)
		do(hydee.Sends, i, hydee.Unsent)
		do(hydee.Receives, i, hydee.None)
		do(hydee.Receives, i, hydee.Unread)
	}
	do(hydee.Sends, m, hydee.None)
	back := hydee.Step{Kind: hydee.Fails, Failed: []bool{true, false}, Sent: set(k, jj, m),
		Delivered: set(j, jj, m)}
	take(back, hydee.Less) // m was not received
	back.Delivered = set(j, jj)
	back.Sent = set(k, m)
	take(back, hydee.Contained) // d lives
	back.Sent = set(k, jj, m, j)
	take(back, hydee.Genuine) // p has not received k
	back.Sent = set(k, jj, m)
	take(back, hydee.None)
	do(hydee.Receives, m, hydee.OnItsWay)
	do(hydee.Releases, m, hydee.Gate)
	do(hydee.Releases, j, hydee.IsHeld)
	do(hydee.Releases, k, hydee.None)
	do(hydee.Receives, k, hydee.None)
	do(hydee.Sends, j, hydee.None)
	do(hydee.Releases, m, hydee.None)
	do(hydee.Receives, m, hydee.None)
}

// TestLine refuses a line on which a message inside a cluster is received and not sent.
func TestLine(t *testing.T) {
	a, err := hydee.New([]int{0, 0}, []hydee.Send{{ID: id(0, 1), To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s := hydee.State{Sent: []bool{true}, Delivered: []bool{true}, Held: []bool{false}}
	back := hydee.Step{Kind: hydee.Fails, Failed: []bool{true}, Sent: []bool{false},
		Delivered: []bool{true}}
	if got := a.Refuses(&s, &back).Guard; got != hydee.Line {
		t.Errorf("guard %d does not hold, want %d", got, hydee.Line)
	}
}

// TestNew refuses what is no application.
func TestNew(t *testing.T) {
	wait := []hydee.Send{{ID: id(0, 1), To: 1, Needs: []trace.MsgID{id(1, 1)}},
		{ID: id(1, 1), To: 0, Needs: []trace.MsgID{id(0, 1)}}}
	for _, tt := range []struct {
		sends []hydee.Send
		want  string
	}{
		{[]hydee.Send{path[0], path[0]}, "twice"},
		{[]hydee.Send{{ID: id(3, 1)}}, "no such rank"},
		{[]hydee.Send{{ID: id(0, 1), To: 3}}, "no such rank"},
		{[]hydee.Send{{To: 1}}, "twice"},
		{path[1:2], "nobody sends to it"},
		{[]hydee.Send{path[0], {ID: id(1, 1), Needs: []trace.MsgID{id(2, 1)}}},
			"nobody sends to it"},
		{wait, "2 messages can not be sent: they wait for each other"},
	} {
		if _, err := hydee.New([]int{0, 0, 1}, tt.sends); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %q", tt.sends, err, tt.want)
		}
	}
}
