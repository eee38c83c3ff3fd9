package pessimistic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: options that make no sense are refused with a reason. Method: texts of scenarios with what
// the error must say, "" for none.
func TestOptions(t *testing.T) {
	tests := []struct {
		name     string
		protocol pessimistic.Protocol
		text     string
		want     string
	}{
		{"nothing", pessimistic.HMPL, "", ""},
		{"everything", pessimistic.HMPL, "loggers=next mode=semi buffer=2 memory=3 full=checkpoint",
			""},
		{"defaults", pessimistic.RBML, "loggers=apart mode=uncoordinated memory=1 full=flush", ""},
		{"bytes", pessimistic.HMPL, "buffer=64B memory=1B", ""},
		{"a buffer of zero", pessimistic.HMPL, "buffer=0",
			"want messages (2) or bytes (64B), at least 1"},
		{"a buffer of zero bytes", pessimistic.HMPL, "buffer=0B",
			"want messages (2) or bytes (64B), at least 1"},
		{"a memory of zero", pessimistic.RBML, "memory=0",
			"want messages (2) or bytes (64B), at least 1"},
		{"a negative limit", pessimistic.HMPL, "memory=-1",
			"want messages (2) or bytes (64B), at least 1"},
		{"no number", pessimistic.HMPL, "buffer=many",
			"want messages (2) or bytes (64B), at least 1"},
		{"no number of bytes", pessimistic.HMPL, "buffer=B",
			"want messages (2) or bytes (64B), at least 1"},
		{"an unknown key", pessimistic.HMPL, "bufer=1",
			`unknown, did you mean "buffer"? Known: buffer, full, loggers, memory, mode`},
		{"an unknown place", pessimistic.HMPL, "loggers=here", "want apart or next"},
		{"an unknown mode", pessimistic.HMPL, "mode=all", "want uncoordinated or semi"},
		{"an unknown answer", pessimistic.HMPL, "memory=1 full=stop", "want flush or checkpoint"},
		{"a buffer that is not there", pessimistic.RBML, "buffer=1",
			"rbml: only hmpl has a temporary buffer"},
		{"loggers that are not there", pessimistic.SBML, "memory=1", "sbml has no loggers"},
		{"an answer that is never given", pessimistic.HMPL, "full=checkpoint",
			"full=checkpoint without memory=N"},
		{"a node that protects itself", pessimistic.HMPL, "loggers=next", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, err := pessimistic.ParseOptions(tt.text)
			if err == nil {
				err = o.Validate(tt.protocol)
			}
			if got := message(err); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Aim: a layout that can not be protected is refused. Method: programs and options with the exact
// error.
func TestSetupErrors(t *testing.T) {
	tests := []struct {
		name     string
		program  string
		clusters []int
		options  pessimistic.Options
		want     string
	}{
		{"two nodes", "a: send b\nb: recv a", nil, pessimistic.Options{Loggers: pessimistic.Next},
			"hmpl: 2 nodes, want at least 3: with two, the only survivor would protect itself"},
		{"three ranks on two nodes", "a: send b\nb: recv a\nc: output", []int{0, 0, 1},
			pessimistic.Options{Loggers: pessimistic.Next},
			"hmpl: 2 nodes, want at least 3: with two, the only survivor would protect itself"},
		{"three nodes", "a: send b\nb: recv a\nc: output", nil,
			pessimistic.Options{Loggers: pessimistic.Next}, ""},
		{"a rank with the name of a logger", "a: send La\nLa: recv a", nil, pessimistic.Options{},
			"hmpl: a rank is called La, which is the name of the logger of a"},
		{"a checkpoint in a node that rolls back together",
			"a: send b; checkpoint\nb: recv a\nc: output", []int{0, 0, 1},
			pessimistic.Options{Semi: true}, ""},
		{"a checkpoint in a node of its own", "a: send b; checkpoint\nb: recv a\nc: output", nil,
			pessimistic.Options{Semi: true}, ""},
		{"a node of two that says nothing", "a: send b\nb: recv a\nc: output", []int{0, 0, 1},
			pessimistic.Options{},
			"hmpl: ranks of one node make a difference with mode=semi or loggers=next only"},
		{"a message larger than a buffer that spills", "a: send b 64B\nb: recv a", nil,
			pessimistic.Options{Buffer: pessimistic.Limit{Bytes: 16}}, ""},
		{"a message larger than a buffer that blocks", "a: send b 17B\nb: recv a", nil,
			pessimistic.Options{Buffer: pessimistic.Limit{Bytes: 16},
				Errata: pessimistic.Set(0).With(pessimistic.M11b)},
			"hmpl: a sends a message of 17 bytes, which never fits into a circular buffer of 16 " +
				"bytes"},
		{"a message larger than a buffer that overwrites", "a: send b 17B\nb: recv a", nil,
			pessimistic.Options{Buffer: pessimistic.Limit{Bytes: 16},
				Errata: pessimistic.Set(0).With(pessimistic.M11a)},
			"hmpl: a sends a message of 17 bytes, which never fits into a circular buffer of 16 " +
				"bytes"},
		{"a message as large as a buffer that blocks", "a: send b 16B\nb: recv a", nil,
			pessimistic.Options{Buffer: pessimistic.Limit{Bytes: 16},
				Errata: pessimistic.Set(0).With(pessimistic.M11b)}, ""},
		{"a node for some", "a: send b\nb: recv a", []int{0}, pessimistic.Options{},
			"hmpl: 2 ranks, but 1 have a node"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names, programs, err := script.Parse(tt.program, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, err = pessimistic.NewSetup(pessimistic.HMPL,
				trace.Layout{Names: names, Ranks: len(names), Clusters: tt.clusters}, programs,
				tt.options)
			if got := message(err); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Aim: a crash takes what is on one node, and nothing else. Method: the groups of four ranks on
// three nodes, by mode.
func TestGroups(t *testing.T) {
	names, programs, err := script.Parse("a: send b\nb: recv a\nc: output\nd: output", 1)
	if err != nil {
		t.Fatal(err)
	}
	group := func(p core.Proc, o pessimistic.Options) []core.Proc {
		nodes := []int{0, 0, 1, 2}
		if !o.Semi && o.Loggers == pessimistic.Apart {
			nodes = nil
		}
		s, err := pessimistic.NewSetup(pessimistic.HMPL,
			trace.Layout{Names: names, Ranks: 4, Clusters: nodes}, programs, o)
		if err != nil {
			t.Fatal(err)
		}
		return s.Group(p)
	}
	const la, lb, lc, ld = 4, 5, 6, 7
	m24 := pessimistic.Set(0).With(pessimistic.M24)
	tests := []struct {
		name    string
		proc    core.Proc
		options pessimistic.Options
		want    []core.Proc
	}{
		{"apart, a rank", 0, pessimistic.Options{}, []core.Proc{0}},
		{"apart, a logger", la, pessimistic.Options{}, []core.Proc{la}},
		{"semi-coordinated, a node", 1, pessimistic.Options{Semi: true}, []core.Proc{0, 1}},
		{"semi-coordinated, a logger", lb, pessimistic.Options{Semi: true}, []core.Proc{lb}},
		{"next, the first node and who it protects", 0,
			pessimistic.Options{Loggers: pessimistic.Next}, []core.Proc{0, 1, ld}},
		{"next, the second node", lb, pessimistic.Options{Loggers: pessimistic.Next},
			[]core.Proc{2, la, lb}},
		{"next, the third node", lc, pessimistic.Options{Loggers: pessimistic.Next, Semi: true},
			[]core.Proc{3, lc}},
		{"M24", 0, pessimistic.Options{Semi: true, Errata: m24}, []core.Proc{0}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, group(tt.proc, tt.options)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Aim: the switches can be named. Method: each erratum of each protocol is found again, alone, and
// is described.
func TestErrata(t *testing.T) {
	counts := map[pessimistic.Protocol]int{pessimistic.SBML: 9, pessimistic.RBML: 15,
		pessimistic.HMPL: 22}
	for p, want := range counts {
		list := pessimistic.Errata(p).List()
		if len(list) != want {
			t.Errorf("%s has %d errata, want %d", p, len(list), want)
		}
		seen := pessimistic.Set(0)
		for _, e := range list {
			found, ok := pessimistic.Errata(p).Find(e.ID)
			if !ok || seen.Has(found) {
				t.Errorf("%s %s: found %t, a second time %t", p, e.ID, ok, seen.Has(found))
			}
			seen = seen.With(found)
			if e.Place == "" || e.Switched == "" || e.Repaired == "" {
				t.Errorf("%s %s says too little: %+v", p, e.ID, e)
			}
		}
		if published := pessimistic.Errata(p).Published(); published == 0 || published&^seen != 0 {
			t.Errorf("%s as published has switches %b, its errata are %b", p, published, seen)
		}
	}
	if _, ok := pessimistic.Errata(pessimistic.SBML).Find("M1"); ok {
		t.Error("sbml has M1, which is of hmpl")
	}
}
