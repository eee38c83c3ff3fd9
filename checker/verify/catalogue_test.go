package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// message is a scenario of the example with one failure.
const message = "A message\n-- scenario --\nprotocol: resend\nfailures: 1\n" +
	"-- program --\na: send b m1; send b m2\nb: recv a; recv a\n"

// TestCatalogueRefuses gives catalogues what makes no sense: each is named before anything runs.
func TestCatalogueRefuses(t *testing.T) {
	good := subject.Protocol(false)
	change := func(f func(p *protocol.Protocol)) []protocol.Protocol {
		p := good
		f(&p)
		return []protocol.Protocol{p}
	}
	files := func(names ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for _, n := range names {
			m[n] = &fstest.MapFile{Data: []byte(message)}
		}
		return m
	}
	erratum := core.Erratum{ID: "X1"}
	for _, tt := range []struct {
		name      string
		protocols []protocol.Protocol
		want      string
	}{
		{"one name twice", []protocol.Protocol{good, good}, `two protocols have the name "resend"`},
		{"no setup", change(func(p *protocol.Protocol) {
			p.Setup = nil
		}), "neither Setup nor Build"},
		{"bad name", change(func(p *protocol.Protocol) {
			p.Name = "Re send"
		}), "a name has lower case"},
		{"erratum twice", change(func(p *protocol.Protocol) {
			p.Errata = core.Errata{erratum, erratum}
		}), "erratum X1 is there twice"},
		{"property of the house", change(func(p *protocol.Protocol) {
			p.Properties = []spec.Property{{Name: "fifo", Kind: spec.Final,
				End: func(*spec.Facts, spec.View) string { return "" }}}
		}), `the name "fifo"`},
		{"property without function", change(func(p *protocol.Protocol) {
			p.Properties = []spec.Property{{Name: "mine", Kind: spec.Final}}
		}), "mine"},
		{"scenario of another", change(func(p *protocol.Protocol) {
			p.Name, p.Scenarios = "other", files("a.txtar")
		}), "it is about protocol resend"},
		{"scenario twice", change(func(p *protocol.Protocol) {
			p.Scenarios = files("x/a.txtar", "y/a.txtar")
		}), "two scenarios are called resend/a.txtar"},
		{"damaged scenario", change(func(p *protocol.Protocol) {
			p.Scenarios = fstest.MapFS{"a.txtar": {Data: []byte("nonsense")}}
		}), "resend/a.txtar:1: no section"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := verify.NewCatalogue(tt.protocols...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestCatalogueOfStrangers: the scenarios of the house are about its protocols and not about
// somebody else's of the same name; those that a protocol brings have its name before theirs.
func TestCatalogueOfStrangers(t *testing.T) {
	p := subject.Protocol(false)
	p.Scenarios = fstest.MapFS{"deep/a.txtar": {Data: []byte(message)}}
	house, err := verify.NewCatalogue(append(all.Protocols(), p)...)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(house.Scenarios()); n < 300 {
		t.Errorf("%d scenarios", n)
	}
	if s, err := house.Scenario("resend/a"); err != nil || s.Protocol != "resend" {
		t.Errorf("resend/a: %v, %v", s, err)
	}
	p.Name, p.Scenarios = all.Protocols().Names()[0], nil
	stranger, err := verify.NewCatalogue(p)
	if err != nil || len(stranger.Scenarios()) > 0 {
		t.Errorf("%d scenarios of the house, %v", len(stranger.Scenarios()), err)
	}
}

// TestFile explores a file as a program does, in which the protocol holds and in which it does not:
// the answer says so, whether that was expected, and has the run to show and to replay. A property
// of the author's own is judged, too.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.txtar")
	if err := os.WriteFile(name, []byte(message), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := verify.File(t.Context(), name, verify.Options{}, subject.Protocol(false))
	if err != nil || a.Verdict != spec.Holds || !a.AsExpected || a.Story() != nil ||
		a.States < 100 {
		t.Fatalf("%+v, %v", a, err)
	}
	a, err = verify.File(t.Context(), name, verify.Options{}, subject.Protocol(true))
	if err != nil || a.Verdict != spec.Violated || a.AsExpected || a.Story() == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	var text strings.Builder
	if err := report.Text(&text, a.Story(), report.Options{}); err != nil ||
		!strings.Contains(text.String(), "VIOLATED  "+a.Violation.Property) {
		t.Errorf("%v\n%s", err, text.String())
	}
	if r := a.ReplayFile(); r == nil || len(r.Schedule) != a.Length ||
		r.Breaks != a.Violation.Property {
		t.Errorf("replay %+v of %d steps", r, a.Length)
	}
	own := subject.Protocol(false)
	own.Properties = []spec.Property{{Name: "never-ends", Doc: "no run ends", Kind: spec.Final,
		End: func(*spec.Facts, spec.View) string { return "it ends" }}}
	a, err = verify.File(t.Context(), name, verify.Options{}, own)
	if err != nil || a.Verdict != spec.Violated || a.Violation.Property != "never-ends" ||
		!slices.Contains(strings.Fields(a.Why), "never-ends:") {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := verify.File(t.Context(), name+"x", verify.Options{}, own); err == nil {
		t.Error("a file that does not exist is explored")
	}
}

// TestGuardsAreKnown: a file that says which misuse its run shows, as fuzz keeps it, can be read.
func TestGuardsAreKnown(t *testing.T) {
	list := protocol.List{subject.Protocol(false)}
	for _, name := range []string{world.Contract, world.Returns, "codec", "aliasing"} {
		s, err := scenarios.Parse("m.txtar", []byte(strings.Replace(message, "failures: 1",
			"expect: violated\nbreaks: "+name, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Resolve(list, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
