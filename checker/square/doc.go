// Package square holds a claim that a step of a machine commutes (core.Commuter) against one other
// input: whether both orders lead to the same state, and show and send the same. What a search can
// meet in a scenario is looked at by brute force in checker/world; here a local state is made by
// hand, so that each clause of a claim can be shown to be needed.
package square
