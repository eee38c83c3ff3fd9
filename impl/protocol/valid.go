package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// validNames reports words that no list or scenario could hold.
func (p *Protocol) validNames() error {
	var all []error
	not := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if strings.ContainsFunc(p.Doc, unicode.IsControl) {
		not("Doc is one line of text, without control characters: %q", p.Doc)
	}
	for i, name := range p.Roles {
		if !validName(name) || slices.Contains(p.Roles[:i], name) {
			not("role %q: every role has a name of its own, of lower case letters, digits and "+
				"hyphens", name)
		}
	}
	for i, name := range p.Variants {
		if !validName(name) || name == "repaired" || slices.Contains(p.Variants[:i], name) {
			not("variant %q: every variant has a name of its own, of lower case letters, digits "+
				"and hyphens, and none is called repaired", name)
		}
	}
	for i, f := range p.Printed {
		switch rest, ok := strings.CutPrefix(f.Variant, "published"); {
		case !ok || rest != "" && (rest[0] != '-' || !validName(rest[1:])) ||
			p.form(f.Variant) != &p.Printed[i]:
			not("printed form %q: each is called published, or published- and a name of its own",
				f.Variant)
		case f.Setup == nil || f.Paper == "" || p.Build != nil:
			not("printed form %q: it needs a paper and a Setup, and a protocol with programs",
				f.Variant)
		}
	}
	return errors.Join(all...)
}

// validErrata reports errata that no variant could name.
func (p *Protocol) validErrata() error {
	var all []error
	not := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if len(p.Errata) > 64 {
		not("%d errata, at most 64 are supported: Switches has a bit for each", len(p.Errata))
	}
	ids := map[string]bool{}
	for i, e := range p.Errata {
		switch {
		case e == core.Erratum{}: // none of this protocol
		case e.ID == "":
			not("the erratum of switch %d has no ID", i)
		case ids[e.ID]:
			not("erratum %s is there twice: give one another ID", e.ID)
		case strings.ContainsAny(e.ID, "+ \t\n"):
			not("erratum %q: an ID has no blanks and no plus", e.ID)
		}
		ids[e.ID] = true
	}
	for _, e := range p.Own.List() {
		if !ids[e.ID] {
			not("Own has erratum %s, which is not among Errata", e.ID)
		}
	}
	return errors.Join(all...)
}

// validShapes reports random scenarios that can not be drawn, or that the protocol would refuse.
func (p *Protocol) validShapes() error {
	s := p.Shapes
	switch {
	case s == nil:
		return nil
	case p.Build != nil:
		return errors.New("Shapes are of programs, and the protocol has roles")
	case s.Tolerates > 0 && !p.Chooses:
		return fmt.Errorf("random scenarios: tolerates %d, and the protocol does not let "+
			"scenarios choose (Chooses)", s.Tolerates)
	}
	for _, v := range s.Variations {
		if err := p.Accept(v.Options); err != nil {
			return fmt.Errorf("random scenarios: options %q: %w", v.Options, err)
		}
		if err := p.AcceptPolicies(v.Policies); err != nil {
			return fmt.Errorf("random scenarios: policies %q: %w", v.Policies, err)
		}
	}
	var names []string
	for _, q := range slices.Concat(spec.Properties(), p.Properties) {
		names = append(names, q.Name)
	}
	for _, name := range s.Unjudged {
		if !slices.Contains(names, name) {
			return fmt.Errorf("random scenarios: Unjudged has an unknown property %q%s", name,
				spelling.Guess(name, names))
		}
	}
	return s.Validate()
}

// validProperties reports properties that can not be asked.
func (p *Protocol) validProperties() error {
	_, err := (&spec.Facts{Own: p.Properties}).Properties()
	return err
}
