package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// TestBadProtocol gives descriptors that make no sense, each in one way: each is refused before
// anything runs, with words that name what is wrong.
func TestBadProtocol(t *testing.T) {
	final := spec.Property{Name: "mine", Kind: spec.Final,
		End: func(*spec.Facts, spec.View) string { return "" }}
	named := func(name string) []spec.Property {
		p := final
		p.Name = name
		return []spec.Property{p}
	}
	tests := []struct {
		name string
		bad  func(*protocol.Protocol)
		want string
	}{
		{"capital letters", func(p *protocol.Protocol) { p.Name = "Mine" }, "lower case letters"},
		{"blank in a name", func(p *protocol.Protocol) { p.Name = "my own" }, "lower case letters"},
		{"no setup", func(p *protocol.Protocol) { p.Setup = nil }, "neither Setup nor Build"},
		{"lines of text", func(p *protocol.Protocol) { p.Doc = "a\nb" }, "Doc is one line"},
		{"erratum twice", func(p *protocol.Protocol) {
			p.Errata = core.Errata{{ID: "A"}, {ID: "A"}}
		}, "erratum A is there twice"},
		{"erratum without ID", func(p *protocol.Protocol) { p.Errata = core.Errata{{Place: "x"}} },
			"the erratum of switch 0 has no ID"},
		{"more errata than bits", func(p *protocol.Protocol) { p.Errata = make(core.Errata, 65) },
			"65 errata, at most 64"},
		{"role twice", func(p *protocol.Protocol) {
			p.Setup, p.Shapes, p.Roles = nil, nil, []string{"a", "a"}
			p.Build = func([]int, string) (*core.Setup, error) { return nil, nil }
		}, `role "a"`},
		{"variant of the house", func(p *protocol.Protocol) {
			p.Setup, p.Shapes = nil, nil
			p.Roles, p.Variants = []string{"a"}, []string{"repaired"}
			p.Build = func([]int, string) (*core.Setup, error) { return nil, nil }
		}, `variant "repaired"`},
		{"property of the house", func(p *protocol.Protocol) { p.Properties = named("terminates") },
			`two properties of the name "terminates"`},
		{"property of the drivers", func(p *protocol.Protocol) { p.Properties = named("codec") },
			`"codec" has the name of what every driver watches`},
		{"events that do not exist", func(p *protocol.Protocol) {
			p.Properties = []spec.Property{{Name: "mine", Kind: spec.Monitor,
				Watched: []trace.Kind{200}, Memory: &spec.Remembers[bool]{Observe: func(
					_ *spec.Facts, _ *bool, _ trace.Event) string {
					return ""
				}}}}
		}, "which is no kind of event"},
		{"unjudged by what is not known", func(p *protocol.Protocol) {
			p.Shapes = &protocol.Shapes{Unjudged: []string{"termintes"}}
		}, `did you mean "terminates"`},
		{"options that it does not have", func(p *protocol.Protocol) {
			p.Shapes = &protocol.Shapes{Variations: []protocol.Variation{{Options: "a=b"}}}
		}, "has no options"},
		{"policies that it does not have", func(p *protocol.Protocol) {
			p.Shapes = &protocol.Shapes{Variations: []protocol.Variation{{Policies: "autor"}}}
		}, "has no policies"},
		{"words about no policies", func(p *protocol.Protocol) {
			p.PolicyDocs = []protocol.Option{{Name: "autor"}}
		}, "PolicyDocs without Policies"},
		{"more ranks than are drawn", func(p *protocol.Protocol) {
			p.Shapes = &protocol.Shapes{Variations: []protocol.Variation{{MinRanks: 99}}}
		}, "variation 1 wants 99 ranks"},
		{"tolerates without choice", func(p *protocol.Protocol) {
			p.Shapes = &protocol.Shapes{Tolerates: 1}
		}, "(Chooses)"},
		{"no answer", func(p *protocol.Protocol) { p.Shapes = &protocol.Shapes{Clusters: 9} },
			"Clusters 9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := subject.Protocol(false)
			tt.bad(&p)
			if err := (protocol.List{p}).Validate(); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ...%s...", err, tt.want)
			}
		})
	}
}

// TestMake gives Setups that answer wrongly: the error names the protocol and what it does.
func TestMake(t *testing.T) {
	good := subject.Protocol(false).Setup
	r := protocol.Request{Layout: core.Layout{Names: []string{"a", "b"}, Ranks: 2},
		Programs: make([]core.Program, 2)}
	changed := func(change func(*core.Setup)) func(protocol.Request) (*core.Setup, error) {
		return func(r protocol.Request) (*core.Setup, error) {
			s, err := good(r)
			change(s)
			return s, err
		}
	}
	for want, setup := range map[string]func(protocol.Request) (*core.Setup, error){
		"": good,
		"returns nothing and no error": func(protocol.Request) (*core.Setup, error) {
			return nil, nil
		},
		"Setup of protocol resend panics: boom (": func(protocol.Request) (*core.Setup, error) {
			panic("boom")
		},
		"no luck": func(protocol.Request) (*core.Setup, error) {
			return nil, errors.New("no luck")
		},
		"0 ranks":          changed(func(s *core.Setup) { *s = core.Setup{} }),
		"RollsBack is 77":  changed(func(s *core.Setup) { s.Promises.RollsBack = 77 }),
		"Needs is 99":      changed(func(s *core.Setup) { s.Promises.Needs = 99 }),
		"ranks other name": changed(func(s *core.Setup) { s.Layout.Names = []string{"b", "a"} }),
	} {
		p := subject.Protocol(false)
		p.Setup = setup
		s, err := p.Make(r)
		if want == "" && (err != nil || s == nil) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want ...%s...", err, want)
		}
	}
}

// TestPrinted makes a protocol in the form that a paper prints, which must get the setup of that
// form and no errata, and refuses forms that no variant could name.
func TestPrinted(t *testing.T) {
	text := errors.New("this is the text")
	p := subject.Protocol(false).PrintedAs(protocol.Printed{Variant: "published",
		Paper: "[P] Alg. 1",
		Setup: func(protocol.Request) (*core.Setup, error) { return nil, text }})
	if err := (protocol.List{p}).Validate(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"repaired", "published"}, p.Forms()); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
	r := protocol.Request{Layout: core.Layout{Names: []string{"a", "b"}, Ranks: 2},
		Programs: make([]core.Program, 2), Variant: "published"}
	if _, err := p.Make(r); !errors.Is(err, text) {
		t.Errorf("published: got %v, want the setup of the form", err)
	}
	r.Variant = "repaired"
	if _, err := p.Make(r); err != nil {
		t.Errorf("repaired: got %v, want the setup of the protocol", err)
	}
	if set, err := p.Switches("published"); set != 0 || err != nil {
		t.Errorf("published: got errata %b, %v, want none", set, err)
	}
	for _, bad := range []string{"published+R1", "published-fr", "printed"} {
		if _, err := p.Switches(bad); err == nil {
			t.Errorf("variant %q accepted", bad)
		}
	}
	form := p.Printed[0]
	for _, change := range []func(*protocol.Printed){
		func(f *protocol.Printed) { f.Variant = "repaired" },
		func(f *protocol.Printed) { f.Variant = "published-" },
		func(f *protocol.Printed) { f.Variant = "published2" },
		func(f *protocol.Printed) { f.Setup = nil },
		func(f *protocol.Printed) { f.Paper = "" },
	} {
		bad := form
		change(&bad)
		q := subject.Protocol(false).PrintedAs(bad)
		if err := q.Validate(); err == nil {
			t.Errorf("form accepted: %+v", bad)
		}
	}
	q := p.PrintedAs(form)
	if err := q.Validate(); err == nil {
		t.Error("one form accepted twice")
	}
}
