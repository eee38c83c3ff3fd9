// Package explore steps through the real protocol by hand: what can happen now, what comes of it,
// back, until something is so, and what another variant of the protocol would have done.
//
// A place in a run is its path: the names of the events from the start. A Session keeps nothing
// that a path does not say, so back is a shorter path, a branch is another one, and a path can be
// written down (Link), given to somebody else and followed there.
//
// There is no HTTP here, and no file is written: the command domino explore does both, and drives
// the same Session from a script for tests (Script).
package explore
