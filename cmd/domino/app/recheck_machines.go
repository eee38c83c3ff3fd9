package app

import (
	"github.com/domino-check/domino/checker/apart"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/spec"
)

// subjectOf is what a certificate of a case is about, for who knows neither machines nor worlds.
func subjectOf(c *world.Case, facts *spec.Facts) *recheck.Subject {
	s := apart.Subject(c.Setup, &c.Model, facts)
	s.MustSee, s.Forced = c.MustSee, c.Force
	return s
}
