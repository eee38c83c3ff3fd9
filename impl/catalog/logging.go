package catalog

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
)

// logging is one of the three protocols of the pessimistic family.
func logging(p pessimistic.Protocol, doc string) Protocol {
	return Protocol{Name: p.String(), Doc: doc, Errata: pessimistic.Errata(p).List(),
		Options: func(text string) error {
			_, err := pessimistic.ParseOptions(text)
			return err
		},
		Setup: func(layout core.Layout, programs []core.Program, o Options) (*core.Setup, error) {
			if err := o.noChoice(p.String()); err != nil {
				return nil, err
			}
			own, err := pessimistic.ParseOptions(o.Own)
			if err != nil {
				return nil, err
			}
			if own.Errata, err = variant(o.Variant, pessimistic.Errata(p)); err != nil {
				return nil, err
			}
			return pessimistic.NewSetup(p, layout, programs, own)
		}}
}

// resilient is a logging protocol on nodes that RADIC controls. Its errata are those of the control
// plane.
func resilient(p pessimistic.Protocol) Protocol {
	name := "radic-" + p.String()
	parse := func(text string) (radic.Options, pessimistic.Options, error) {
		own, rest, err := radic.ParseOptions(text)
		if err != nil {
			return own, pessimistic.Options{}, err
		}
		inner, err := pessimistic.ParseOptions(rest)
		return own, inner, err
	}
	errata := radic.Errata().List()
	if p == pessimistic.SBML {
		// the control plane is the same, and its errata take two failures, of which this protocol
		// survives one at a time
		errata = nil
	}
	return Protocol{Name: name, Doc: "protectors, observers and spares of RADIC over " +
		p.String() + " [RADIC]", Errata: errata,
		Options: func(text string) error {
			_, _, err := parse(text)
			return err
		},
		Setup: func(layout core.Layout, programs []core.Program, o Options) (*core.Setup, error) {
			if err := o.noChoice(name); err != nil {
				return nil, err
			}
			own, inner, err := parse(o.Own)
			if err != nil {
				return nil, err
			}
			if own.Errata, err = variant(o.Variant, radic.Errata()); err != nil {
				return nil, err
			}
			if own.Errata.Has(radic.M33) { // the fence is a matter of the log
				inner.Errata = inner.Errata.With(pessimistic.M49)
			}
			nodes := layout.Clusters
			layout.Clusters = nil // for the logging protocol every rank is alone
			setup, err := pessimistic.NewSetup(p, layout, programs, inner)
			if err != nil {
				return nil, err
			}
			setup.Promises.Lines = "uncoordinated" // each rank has a node for itself here
			return radic.NewSetup(setup, nodes, own)
		}}
}
