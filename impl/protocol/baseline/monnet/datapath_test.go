package monnet_test

import (
	"testing"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/induced"
	"github.com/domino-check/domino/impl/protocol/baseline/monnet"
	"github.com/domino-check/domino/impl/protocol/baseline/uncoordinated"
	"github.com/domino-check/domino/impl/protocol/part/roundtrip"
)

// TestNoAllocation: a round trip allocates nothing in the layers of the protocols on one recovery,
// once their queues are warm, their logs have room, and the images that the first messages force
// are stable: those of a next interval force new ones, which cost more than a message.
func TestNoAllocation(t *testing.T) {
	for _, tt := range []struct {
		name     string
		protocol protocol.Protocol
		options  string
		clusters []int
	}{
		{"uncoordinated", uncoordinated.Protocol, "", nil},
		{"lossy", uncoordinated.Protocol, "channels=lossy", nil},
		{"index", induced.Protocol, "", nil},
		{"one group", monnet.Protocol, "", []int{0, 0}},
	} {
		s, err := tt.protocol.Make(ask(t, "a: send b; recv b\nb: recv a; send a", tt.options,
			tt.clusters))
		if err != nil {
			t.Fatal(err)
		}
		n, err := roundtrip.Allocations(s, 2000)
		if err != nil || n != 0 {
			t.Errorf("%s: %v allocations, want 0; %v", tt.name, n, err)
		}
	}
}
