package simulate

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/none"
)

// Prepare makes the setups of a kernel: under a protocol, and without one. The request says
// clusters, variant and options. Operations on groups become sends and receives where the protocol
// would have them so.
func Prepare(p *protocol.Protocol, k *kernels.Suite, request protocol.Request) (under,
	base *core.Setup, err error) {
	if err := many(p, len(k.Names)); err != nil {
		return nil, nil, err
	}
	suite := &script.Suite{Names: k.Names, Programs: k.Programs, Trees: k.Trees}
	layout := &request.Layout
	layout.Names, layout.Ranks, layout.Trees = k.Names, len(k.Names), k.Trees
	request.Programs = k.Programs
	if len(k.Trees) > 0 && (!p.Collectives || p.Straight) {
		if request.Programs, err = script.Expand(suite); err != nil {
			return nil, nil, fmt.Errorf("protocol %s has no collectives of its own: %w", p.Name,
				err)
		}
		layout.Trees, layout.Unjoined = nil, script.Unjoined(suite)
	}
	if under, err = p.Make(request); err != nil {
		return nil, nil, err
	}
	base, err = none.Bare(under.Promises, *layout, request.Programs)
	return under, base, err
}
