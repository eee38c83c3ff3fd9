package program

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// posted is one receive that was posted and has not completed.
type posted struct {
	_       struct{}  `cbor:",toarray"`
	Peer    core.Rank `json:"peer"`
	Any     bool      `json:"any"`
	Ordered bool      `json:"ordered"`
	Part    int       `json:"part"`
	Free    bool      `json:"free,omitempty"`
}

// appState is the state of a program, which is also its image in checkpoints.
type appState struct {
	_       struct{}      `cbor:",toarray"`
	PC      int           `json:"pc"`
	Loops   []core.Loop   `json:"loops"`
	Posted  []posted      `json:"posted"`
	Last    core.Rank     `json:"last"`  // source of the last receive, for replies
	Value   uint64        `json:"value"` // numeric state: a digest of everything received
	History trace.History `json:"history"`
	// Received counts deliveries; History has the list of them, unless the rank is brief. Reports
	// show that list.
	Received uint32 `cbor:"received" json:"-"`
}
