package program

import "github.com/domino-check/domino/impl/core"

// What a protocol may ask about where the program is.

// Ended implements core.Application.
func (h *Host) Ended() bool { return h.app.History.Done }

// At implements core.Application.
func (h *Host) At() core.OpKind {
	if h.app.PC >= len(h.program) {
		return core.OpNone
	}
	return h.program[h.app.PC].Kind
}

// Position implements core.Application.
func (h *Host) Position(image []byte) (sent, received uint32) {
	var app appState
	h.decode(image, &app)
	return app.History.Sent, app.Received
}
