package verify_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// refused is a question to a protocol, and what of the answer tells what, why, and the nearest.
type refused struct {
	protocol, lines string
	words           string // what is refused
	near            string // knobs of the nearest model, "" = none
}

// beyondPromises has a row for each sort of promise that a knob can be beyond of, and a protocol of
// each family.
var beyondPromises = []refused{
	{"hydee", "network: unordered", "FIFO channels, the network is unordered", "network: fifo"},
	{"hydee", "network: set", "FIFO channels, the network is a set", "network: fifo"},
	{"hydee", "loss: 1", "may lose", "loss: 0"},
	{"hydee", "duplicates: 1", "may duplicate", "duplicates: 0"},
	{"hydee", "loss: 1\nnetwork: unordered", "FIFO", "network: fifo, loss: 0"},
	{"hydee", "failures: 2\noverlap: 1", "does not declare when", "overlap: 0"},
	{"causal", "failures: 2", "survives 1 failure at a time, the model has 2", "overlap: 1"},
	{"causal", "failures: 3\nat-once: 2", "the model has 3", "at-once: 0, overlap: 1"},
	{"causal", "failures: 2\nat-once: all", "the model has 2", "at-once: 0, overlap: 1"},
	{"causal", "failures: 1\ntolerates: 0", "nobody but a rank itself holds", "failures: 0"},
	{"causal", "network: set", "the network is a set", "network: fifo"},
	{"camel", "failures: 2\nspacing: settled\nat-once: 2", "the model has 2", "at-once: 0"},
	{"camel", "failures: 15", "the model has 15", "overlap: 1"},
	{"sbml", "failures: 2", "survives 1 failure at a time, the model has 2", "spacing: settled"},
	{"sbml", "failures: 2\noverlap: 1", "does not declare", "spacing: settled, overlap: 0"},
	{"sbml", "network: set", "a network that is a set", "network: unordered"},
	{"rbml", "failures: 1\noverlap: 1", "does not declare when", "overlap: 0"},
	{"rbml", "loss: 1", "may lose", "loss: 0"},
	{"hmpl", "duplicates: 15", "may duplicate", "duplicates: 0"},
	{"radic-rbml", "failures: 3", "survives 2 failures in one run", "failures: 2"},
	{"radic-rbml", "suspicions: 2", "survives 1 false suspicion, the model has 2", "suspicions: 1"},
	{"radic-rbml", "failures: 3\nsuspicions: 2\nloss: 1", "may lose",
		"failures: 2, loss: 0, suspicions: 1"},
	{"radic-hmpl", "options: zombies=yes\nfailures: 1\nsuspicions: 2", "beside failures",
		"suspicions: 1"},
	{"radic-hmpl", "options: heartbeat=2 watchdog=9", "leave out heartbeat and watchdog", ""},
	{"radic-sbml", "options: leaves=1\nfailures: 1", "one node leaves", "failures: 0"},
	{"radic-sbml", "options: nodes=4\nfailures: 2\nspacing: settled", "may share a node",
		"failures: 1"},
	{"hydee", "lose: 1", "survives 0 records that are lost or corrupted, the model has 1",
		"lose: 0"},
	{"rbml", "lose: 1\ncorrupt: 2\nfull: 1", "the model has 3",
		"lose: 0, corrupt: 0, full: 0"},
	{"causal", "full: 1", "survives 0 refused writes, the model has 1", "full: 0"},
	{"none", "failures: 1", "survives no failure", "failures: 0"},
	{"none", "failures: 2\nat-once: all\nloss: 2", "may lose", "failures: 0, at-once: 0, loss: 0"},
	{"paxos", "failures: 1", "survives no failure", "failures: 0"},
	{"two-phase", "failures: 1", "survives no failure", "failures: 0"},
}

func (q *refused) resolve(t *testing.T) *verify.Resolved {
	t.Helper()
	text := "beyond\n-- scenario --\nsource: test\nprotocol: " + q.protocol + "\n" + q.lines + "\n"
	switch q.protocol {
	case "paxos":
		text += "roles: servers 2, clients 1\n"
	case "two-phase":
		text += "roles: resources 2\n"
	default:
		text += "-- program --\na: send b m\nb: recv a\nc:\n"
	}
	s, err := scenarios.Parse("beyond.txtar", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRefusals asks what protocols do not promise: each answer is out of model before a single
// state is explored, with the reason and the nearest model, and the protocol takes that one.
func TestRefusals(t *testing.T) {
	for _, q := range beyondPromises {
		t.Run(q.protocol+" "+strings.ReplaceAll(q.lines, "\n", " "), func(t *testing.T) {
			r := q.resolve(t)
			out, err := world.Check(t.Context(), r.Case, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if out.Verdict != spec.OutOfModel || out.States != 0 ||
				!strings.Contains(out.Reason, q.words) {
				t.Errorf("%v, %d states, %q, want %q", out.Verdict, out.States, out.Reason, q.words)
			}
			_, words, named := strings.Cut(out.Reason, "; the nearest that it can carry: ")
			near, ok := world.Nearest(r.Setup, &r.Model)
			if words != q.near || named != (q.near != "") || ok != named {
				t.Errorf("nearest %q, %v, want %q", words, ok, q.near)
			}
			if ok && world.Beyond(r.Setup, &near) != "" {
				t.Errorf("the nearest is refused as well: %s", world.Beyond(r.Setup, &near))
			}
		})
	}
}

// TestIdle asks with knobs that change nothing: the answer says so, and only then.
func TestIdle(t *testing.T) {
	for _, tt := range []struct{ protocol, lines, want string }{
		{"hydee", "failures: 1\ntorn: 1", ""},
		{"hydee", "torn: 1", "torn 1 (nobody fails)"},
		{"causal", "overlap: 1\nat-once: 2", "at-once 2 (nobody fails), overlap 1 (nobody fails)"},
		{"causal", "suspicions: 1\nfailures: 1", "suspicions 1 (nobody suspects anybody)"},
		{"hydee", "suspicions: 1", ""},
		{"radic-sbml", "failures: 1\ntorn: 1", "torn 1 (the protocol writes nothing)"},
		{"radic-rbml", "failures: 1\nsuspicions: 1", ""},
		{"radic-sbml", "lose: 1", "lose 1 (the protocol writes nothing)"},
		{"hydee", "corrupt: 1\ndisks: survive",
			"disks survive (no records lie on the disks of nodes)"},
	} {
		q := refused{protocol: tt.protocol, lines: tt.lines}
		r := q.resolve(t)
		if got := strings.Join(world.Idle(r.Setup, &r.Model), ", "); got != tt.want {
			t.Errorf("%s, %q: %q, want %q", tt.protocol, tt.lines, got, tt.want)
		}
	}
}
