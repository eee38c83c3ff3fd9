// Package roundtrip measures what a message costs the layers of two ranks, for the tests of
// protocols: a round trip between them by way of headers, as in a real run. The hosts around the
// layers are left out, since they make the payloads of programs without numbers; so is the
// environment: effects other than the message are dropped.
package roundtrip

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// Allocations is how many allocations one round trip of ranks 0 and 1 takes, once the queues of
// their layers are warm. Messages of the setup are Framed, and its machines have layers.
func Allocations(s *core.Setup, rounds int) (each float64, err error) {
	var layers [2]core.Layer
	for r := range layers {
		host, ok := s.New(core.Proc(r)).(interface{ Layer() core.Layer })
		if !ok {
			return 0, fmt.Errorf("setup %s: rank %d is no host of a layer", s.Protocol, r)
		}
		layers[r] = host.Layer()
		layers[r].Step(core.Input{Kind: core.Start}, nil)
	}
	scratch, ok := s.NewMessage().(core.Framed)
	if !ok {
		return 0, fmt.Errorf("setup %s: %T has no header", s.Protocol, s.NewMessage())
	}
	var out []core.Effect
	var header []byte
	payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
	each = testing.AllocsPerRun(rounds, func() {
		for from := range core.Rank(2) {
			to := 1 - from
			payload.ID.From = from
			out = layers[from].Step(core.Input{Kind: core.Send, To: to, Payload: payload}, out[:0])
			m := sent(out)
			if m == nil {
				err = fmt.Errorf("setup %s: a send of rank %d leaves no message with a header",
					s.Protocol, from)
				return
			}
			header, _ = m.AppendHeader(header[:0])
			if wrong := scratch.ParseHeader(header, from.Proc()); wrong != nil {
				err = wrong
				return
			}
			scratch.Content().Data = payload.Data
			out = layers[to].Step(core.Input{Kind: core.Received, From: from.Proc(),
				Message: scratch}, out[:0])
			out = layers[to].Step(core.Input{Kind: core.Receive, From: from.Proc()}, out[:0])
		}
	})
	return each, err
}

// sent is the message that a send leaves, the last one of its effects.
func sent(out []core.Effect) core.Framed {
	for i := len(out) - 1; i >= 0; i-- {
		if m, ok := out[i].Message.(core.Framed); ok {
			return m
		}
	}
	return nil
}
