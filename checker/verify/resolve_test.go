package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
)

// TestEmbedded resolves every embedded scenario; the baseline has the same programs without a
// protocol.
func TestEmbedded(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			r, err := verify.Resolve(all.Protocols(), s)
			if err != nil {
				t.Fatal(err)
			}
			if s.Roles != "" {
				if r.Setup.Protocol != s.Protocol || r.Baseline != nil ||
					r.Setup.Layout.Ranks != 0 {
					t.Errorf("setup %s with %d ranks, baseline %v", r.Setup.Protocol,
						r.Setup.Layout.Ranks, r.Baseline)
				}
				return
			}
			if r.Setup.Protocol != s.Protocol || r.Baseline.Protocol != "none" ||
				s.Victims != nil && len(r.Model.Victims) != len(s.Victims) {
				t.Errorf("setup %s, baseline %s, %d victims", r.Setup.Protocol, r.Baseline.Protocol,
					len(r.Model.Victims))
			}
			same := cmp.Comparer(func(a, b core.Kernel) bool { return a == b })
			if diff := cmp.Diff(r.Setup.Programs, r.Baseline.Programs, same); diff != "" {
				t.Errorf("programs (-setup +baseline):\n%s", diff)
			}
			if s.Erratum != "" {
				p, err := all.Protocols().Find(s.Protocol)
				if err != nil || !slices.ContainsFunc(p.Errata, func(e core.Erratum) bool {
					return e.ID == s.Erratum
				}) {
					t.Errorf("unknown erratum %s", s.Erratum)
				}
			}
		})
	}
}

// TestEveryErratumHasAScenario checks that each switch of each protocol has at least one smallest
// run, or says what else shows it.
func TestEveryErratumHasAScenario(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Protocols() {
		for _, e := range p.Listed() {
			found := e.Shown != ""
			for _, s := range list {
				found = found || s.Protocol == p.Name && s.Erratum == e.ID
			}
			if !found {
				t.Errorf("%s %s has no scenario", p.Name, e.ID)
			}
		}
	}
}

// file is a scenario with the header lines and two ranks.
func file(header, program string) string {
	return "title\n-- scenario --\n" + header + "\n-- program --\n" + program
}

const two = "a: send b x\nb: recv a\n"

// TestResolve checks what is made of clusters, victims and variants.
func TestResolve(t *testing.T) {
	tests := []struct {
		name, header string
		clusters     []int
		victims      []core.Proc
		spoiled      []core.Proc
	}{
		{"clusters given", "protocol: hydee\nclusters: b | a", []int{1, 0}, nil, nil},
		{"one cluster", "protocol: hydee\nclusters: b a", []int{0, 0}, nil, nil},
		{"no clusters: each rank alone", "protocol: hydee", []int{0, 1}, nil, nil},
		{"victims", "protocol: hydee\nvictims: RP a", []int{0, 1}, []core.Proc{2, 0}, nil},
		{"records", "protocol: hydee\nspoils: RP a", []int{0, 1}, nil, []core.Proc{2, 0}},
		{"several errata", "protocol: hydee\nvariant: repaired+H1+H20a", []int{0, 1}, nil, nil},
		{"no protocol", "protocol: none\nvictims: b", []int{0, 1}, []core.Proc{1}, nil},
		{"who is spared is no victim", "protocol: errmgr", nil, []core.Proc{0, 1, 2, 3, 4}, nil},
		{"unless it is named", "protocol: errmgr\nvictims: head", nil, []core.Proc{5}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.Parse("s.txtar", []byte(file(tt.header, two)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := verify.Resolve(all.Protocols(), s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.clusters, r.Setup.Layout.Clusters); diff != "" {
				t.Errorf("clusters (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.victims, r.Model.Victims); diff != "" {
				t.Errorf("victims (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.spoiled, r.Model.Spoiled); diff != "" {
				t.Errorf("spoils (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneRank checks that a single rank is accepted: nothing to log, nothing to wait for.
func TestOneRank(t *testing.T) {
	for _, protocol := range []string{"causal", "hydee", "none"} {
		s, err := scenarios.Parse("s.txtar", []byte(file("protocol: "+protocol, "a: checkpoint\n")))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Resolve(all.Protocols(), s); err != nil {
			t.Errorf("%s: %v", protocol, err)
		}
	}
}

// many are the programs of so many ranks that do nothing.
func many(n int) string {
	var text strings.Builder
	for r := range n {
		fmt.Fprintf(&text, "p%d: wait\n", r)
	}
	return text.String()
}

// TestBadInput gives scenarios that name something that does not exist or makes no sense, with the
// exact error: file, line, names.
func TestBadInput(t *testing.T) {
	var ids []string
	hydee, _ := all.Protocols().Find("hydee")
	for _, e := range hydee.Errata {
		ids = append(ids, e.ID)
	}
	known := "Known: " + strings.Join(ids, ", ")
	tests := []struct{ name, header, program, want string }{
		{"no ranks", "protocol: hydee", "# nobody\n", "5: the program has no ranks"},
		{"bad program", "protocol: hydee", "a: send b x\nb: recv c\n",
			"6: rank b: rank c does not exist, there are a b"},
		{"rank in no cluster", "protocol: hydee\nclusters: a", two, "4: rank b is in no cluster"},
		{"rank in two clusters", "protocol: hydee\nclusters: a | b a", two,
			"4: rank a is in two clusters, or twice in one"},
		{"rank twice in a cluster", "protocol: hydee\nclusters: a a | b", two,
			"4: rank a is in two clusters, or twice in one"},
		{"unknown rank", "protocol: hydee\nclusters: a | b c", two,
			"4: rank c does not exist, there are a b"},
		{"empty cluster", "protocol: hydee\nclusters: a | | b", two,
			`4: cluster 2 of "a | | b" is empty`},
		{"empty last cluster", "protocol: hydee\nclusters: a b |", two,
			`4: cluster 2 of "a b |" is empty`},
		{"unknown protocol", "protocol: hyde", two,
			`3: unknown protocol "hyde", did you mean "hydee"? Known: ` +
				strings.Join(all.Protocols().Names(), ", ")},
		{"unknown variant", "protocol: hydee\nvariant: fixed", two,
			`4: unknown variant "fixed", want repaired, published, published-started, published-fr, ` +
				`or repaired+ERRATUM`},
		{"errata of a text", "protocol: hydee\nvariant: published+H4", two,
			`4: variant "published+H4": published is the text of [HydEE] Alg. 1 to 4, III-E, to ` +
				`which no errata are added: they are switched on in the repaired protocol, ` +
				`repaired+H4`},
		{"unknown erratum", "protocol: hydee\nvariant: repaired+H99", two,
			`4: unknown erratum "H99", did you mean "H9a"? ` + known},
		{"empty erratum", "protocol: hydee\nvariant: repaired+", two,
			`4: unknown erratum "". ` + known},
		{"variant of nothing", "protocol: none\nvariant: published", two,
			`4: protocol none has no variant "published", want repaired`},
		{"unknown victim", "protocol: hydee\nvictims: a c", two,
			"4: victim c does not exist, there are a b RP"},
		{"records of nobody", "protocol: hydee\nspoils: a c", two,
			"4: proc c does not exist, there are a b RP"},
		{"tolerates too little", "protocol: causal\ntolerates: -1", two,
			"4: causal: tolerates -1 failures at a time, want [0, 1] with 2 ranks"},
		{"tolerates too much", "protocol: causal\ntolerates: 2", two,
			"4: causal: tolerates 2 failures at a time, want [0, 1] with 2 ranks"},
		{"tolerates more than collectives do", "protocol: camel\ntolerates: 2", two,
			"4: camel: tolerates 2 failures at a time, want [0, 1]"},
		{"too many ranks", "protocol: manetho", many(65),
			"5: manetho: 65 ranks, at most 64 are supported"},
		{"tolerates what it does not choose", "protocol: hydee\ntolerates: 1", two,
			"4: protocol hydee does not choose how many failures it tolerates; " +
				"the nearest that it can carry: without tolerates"},
		{"policies of nothing", "protocol: hydee\npolicies: autor", two,
			"4: protocol hydee has no policies to choose from"},
		{"rolls back alone", "protocol: causal\nclusters: a b", two,
			"4: causal: ranks a and b share a cluster, but each rank rolls back alone"},
		{"message that crosses a checkpoint backwards", "protocol: causal",
			"a: checkpoint; send b x\nb: recv a; checkpoint\n",
			"6: causal: b waits before its checkpoint 1 for a message of a, sent behind it, and " +
				"all wait there for all: receive it behind the checkpoint, or send it before"},
		{"checkpoint of some", "protocol: causal", "a: checkpoint\nb: wait\n",
			"6: causal: checkpoints are taken by all ranks together: a has 1, b has 0"},
		{"victim that only another protocol has", "protocol: none\nvictims: RP", two,
			"4: victim RP does not exist, there are a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.Parse("dir/s.txtar", []byte(file(tt.header, tt.program)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = verify.Resolve(all.Protocols(), s)
			if want := "dir/s.txtar:" + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// TestBadShape gives requests for generated programs that can not be met, with the exact error.
func TestBadShape(t *testing.T) {
	for shape, want := range map[string]string{
		"ring 1": `s.txtar:3: program ring for "1" ranks, want a number in [2, 4096]`,
		"ring 0": `s.txtar:3: program ring for "0" ranks, want a number in [2, 4096]`,
		"rings 3": `s.txtar:3: unknown program "rings", want one of ring, stencil, wavefront, ` +
			`all-to-all, reduction, master-worker, domino`,
		"ring 4096": `s.txtar:1: setup hydee: 4097 procs, at most 4096 are supported`,
	} {
		s, err := scenarios.Parse("s.txtar", []byte(
			"-- scenario --\nprotocol: hydee\nprogram: "+shape+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Resolve(all.Protocols(), s); err == nil || err.Error() != want {
			t.Errorf("%s: got  %v\nwant %s", shape, err, want)
		}
	}
}

// TestBudgetLine checks that an absurd budget is reported on its own line.
func TestBudgetLine(t *testing.T) {
	_, err := scenarios.Parse("s.txtar", []byte(
		file("protocol: hydee\nfailures: 1\ncheckpoints: 99", two)))
	if err == nil || err.Error() != "s.txtar:5: checkpoints: \"99\", want a number in [0, 15]" {
		t.Errorf("got %v", err)
	}
}

// TestNameOfService checks that a rank can not take the name of the recovery process: victims and
// schedules could not tell the two apart.
func TestNameOfService(t *testing.T) {
	s, err := scenarios.Parse("s.txtar", []byte(
		file("protocol: hydee\nvictims: RP", "RP: send b x\nb: recv RP\n")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Resolve(all.Protocols(), s); err == nil {
		t.Error("accepted")
	}
}

// TestFind checks that every registered protocol is found by its name, which is unique and has a
// description.
func TestFind(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range all.Protocols() {
		got, err := all.Protocols().Find(p.Name)
		if err != nil || got.Name != p.Name || got.Doc == "" || seen[p.Name] {
			t.Errorf("%s: %+v, %v", p.Name, got, err)
		}
		seen[p.Name] = true
	}
}

// TestRoles reads how many procs of each role there are, in any order.
func TestRoles(t *testing.T) {
	s, err := scenarios.Parse("s.txtar", []byte(
		"-- scenario --\nprotocol: two-phase\nvictims: rm2 TM\nroles: resources  4\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"TM", "rm1", "rm2", "rm3", "rm4"},
		r.Setup.Layout.Names); diff != "" {
		t.Errorf("procs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]core.Proc{2, 0}, r.Model.Victims); diff != "" {
		t.Errorf("victims (-want +got):\n%s", diff)
	}
}

// TestBadRoles gives roles that make no sense, with the exact error.
func TestBadRoles(t *testing.T) {
	tests := []struct{ name, header, want string }{
		{"none", "protocol: two-phase\nprogram: ring 3",
			`2: protocol two-phase has roles instead of programs, want "roles: resources N"`},
		{"of a protocol with programs", "protocol: hydee\nroles: servers 3",
			"3: protocol hydee has programs, no roles"},
		{"clusters", "protocol: two-phase\nroles: resources 3\nclusters: a",
			"4: procs with roles have no clusters"},
		{"unknown", "protocol: two-phase\nroles: resource 3",
			`3: unknown role "resource", did you mean "resources"?`},
		{"no number", "protocol: two-phase\nroles: resources",
			`3: role resources: "" is not a number of at least 1`},
		{"zero", "protocol: two-phase\nroles: resources 0",
			`3: role resources: "0" is not a number of at least 1`},
		{"twice", "protocol: two-phase\nroles: resources 3, resources 4",
			`3: role resources is given twice`},
		{"too many", "protocol: two-phase\nroles: resources 65",
			`3: two-phase commit: 65 resource managers, want [1, 64]`},
		{"variant", "protocol: two-phase\nvariant: published\nroles: resources 3",
			`3: protocol two-phase has no variant "published", want repaired, hasty`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.Parse("s.txtar", []byte("-- scenario --\n"+tt.header+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = verify.Resolve(all.Protocols(), s)
			if want := "s.txtar:" + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// TestKernels resolves a kernel for every protocol with programs: all take it. A bad one is an
// error with its place.
func TestKernels(t *testing.T) {
	for _, p := range all.Protocols() {
		if p.Roles != nil {
			continue
		}
		s, err := scenarios.Parse("k.txtar", []byte(
			"t\n-- scenario --\nprotocol: "+p.Name+"\nprogram: kernel heat ranks=4 n=8\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Resolve(all.Protocols(), s)
		if err != nil || r.Setup.Layout.Ranks != 4 || r.Setup.Layout.Names[3] != "r3" {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	for text, want := range map[string]string{
		"kernel":                 "k.txtar:4: kernel without a name, want one of bt, cg, ft,",
		"kernel bt ranks=5":      "k.txtar:4: kernel bt: 5 ranks, want a square: 4 or 9",
		"kernel heat ranks=4 n=": "k.txtar:4: kernel heat: n=, want a number in [1, 65536]",
	} {
		s, err := scenarios.Parse("k.txtar", []byte(
			"t\n-- scenario --\nprotocol: hydee\nprogram: "+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Resolve(all.Protocols(), s); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
