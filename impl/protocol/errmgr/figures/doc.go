// Package figures makes the figures and the table of [ErrMgr] again, on an emulated machine
// (package impl/runtime/emulate), and some that its authors did not draw: direct images against the
// trip through the store, codecs, lost work, the phases of a recovery, a light policy before a
// heavy one.
//
// The machines are those of the composite, and what they cost is data (lab.go): a cluster like that
// of the source, two ranks a node, one store. Sizes of images are declared, so that a job of 128
// ranks with 200 MB each takes no memory. Times are those of the emulated cluster; what is to be
// compared are ratios. The source's own numbers are in printed.go, the formula that
// fits them in formula.go.
package figures
