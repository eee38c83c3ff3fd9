package program

import "github.com/domino-check/domino/impl/core"

// Images lists the images of programs in something that the codec has written, a record or a
// message: whatever has the form of one counts, whatever its owner calls it. Of each it says after
// how many sends and deliveries it was taken.
func Images(encoded []byte) (list []Position) {
	eachImage(encoded, func(_ []byte, app *appState) {
		list = append(list, Position{app.History.Sent, app.Received})
	})
	return list
}

// ImageBytes are how many images there are, and the bytes that they have.
func ImageBytes(encoded []byte) (images int, bytes int64) {
	eachImage(encoded, func(part []byte, _ *appState) {
		images++
		bytes += int64(len(part))
	})
	return images, bytes
}

// eachImage goes through the images.
func eachImage(encoded []byte, do func(part []byte, app *appState)) {
	for _, part := range core.Strings(encoded) {
		var app appState
		if len(part) == 0 || part[0]>>5 != array { // a null would be read as the zero value
			continue
		}
		if _, err := core.DecodeFirst(part, &app); err == nil {
			do(part, &app)
		}
	}
}

// array is the major type of the codec that an image begins with.
const array = 4

// Position is where a program stands.
type Position struct{ Sent, Received uint32 }
