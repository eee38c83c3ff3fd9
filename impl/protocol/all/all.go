// Package all is the house's own list of protocols.
package all

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/coordinated"
	"github.com/domino-check/domino/impl/protocol/baseline/epochs"
	"github.com/domino-check/domino/impl/protocol/baseline/ho"
	"github.com/domino-check/domino/impl/protocol/baseline/induced"
	"github.com/domino-check/domino/impl/protocol/baseline/kootoueg"
	"github.com/domino-check/domino/impl/protocol/baseline/manetho"
	"github.com/domino-check/domino/impl/protocol/baseline/monnet"
	"github.com/domino-check/domino/impl/protocol/baseline/optimistic"
	flatpessimistic "github.com/domino-check/domino/impl/protocol/baseline/pessimistic"
	"github.com/domino-check/domino/impl/protocol/baseline/teams"
	"github.com/domino-check/domino/impl/protocol/baseline/uncoordinated"
	"github.com/domino-check/domino/impl/protocol/baseline/yang"
	"github.com/domino-check/domino/impl/protocol/camel"
	camelprinted "github.com/domino-check/domino/impl/protocol/camel/printed"
	"github.com/domino-check/domino/impl/protocol/camel/volume"
	"github.com/domino-check/domino/impl/protocol/causal"
	causalprinted "github.com/domino-check/domino/impl/protocol/causal/printed"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/impl/protocol/errmgr/figures"
	"github.com/domino-check/domino/impl/protocol/errmgr/replicated"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/impl/protocol/hydee"
	hydeeprinted "github.com/domino-check/domino/impl/protocol/hydee/printed"
	hydeefrench "github.com/domino-check/domino/impl/protocol/hydee/printedfr"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	pessimisticprinted "github.com/domino-check/domino/impl/protocol/pessimistic/printed"
	"github.com/domino-check/domino/impl/protocol/radic"
	radicprinted "github.com/domino-check/domino/impl/protocol/radic/printed"
)

// Protocols lists the protocols of the house, by name.
func Protocols() protocol.List {
	list := slices.Concat(
		protocol.List{
			none.Protocol,
			coordinated.Protocol,
			epochs.Protocol,
			kootoueg.Protocol,
			induced.Protocol,
			monnet.Protocol,
			hydee.Protocol.PrintedAs(hydeeprinted.Form, hydeeprinted.Started, hydeefrench.Form),
			causal.Protocol.PrintedAs(causalprinted.Form),
			camel.Protocol.With(volume.Table).PrintedAs(camelprinted.Form),
			optimistic.Protocol,
			optimistic.Vaidya,
			flatpessimistic.Protocol,
			teams.Protocol,
			yang.Protocol,
			ho.Protocol,
			manetho.Protocol,
			manetho.Teams,
			errmgr.Protocol.WithExperiments(figures.Experiments...),
			paxos.Protocol,
			replicated.Protocol,
			twophase.Protocol,
			uncoordinated.Protocol,
		},
		pessimisticprinted.Beside(pessimistic.Protocols()),
		radicprinted.Beside(radic.Protocols()),
	)
	for i := range list {
		list[i].House = true
	}
	slices.SortFunc(list, func(a, b protocol.Protocol) int {
		return strings.Compare(a.Name, b.Name)
	})
	return list
}
