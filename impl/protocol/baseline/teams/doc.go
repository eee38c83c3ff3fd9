// Package teams is pessimistic logging over groups of ranks that restart together: coordinated
// checkpoints inside, payload logs between, determinants of all receptions.
package teams
