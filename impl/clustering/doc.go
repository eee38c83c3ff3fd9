// Package clustering chooses which ranks of a program form a cluster: processes that roll back
// together, and between which messages are logged. It weighs the share L of bytes that is logged
// with the share R of ranks that one failure rolls back, each rank equally likely to fail, as
// [HydEE] and [HydEE-fr] do: cost = alpha L + beta R, where L = (bytes between clusters) / (all
// bytes) and R = sum over clusters of (ranks in it / ranks)^2. Without its constants that is the
// constant Potts model of graph clustering.
//
// Three methods: bisection as in the papers; a search that moves ranks, groups of ranks and whole
// clusters as long as the cost falls, from many beginnings, and makes regions of the best plans
// anew (what it keeps is the best of those and no more); and for a few units all partitions, whose
// best is the least there is. Nodes, or ranks that must stay together, are units: contracted before
// anything else.
//
// Costs are compared as whole numbers of 128 bits, chance comes from numbered seeds, and ties are
// broken by order: the same traffic, weights and rules give the same labels on every machine.
// Weights other than decimals, floats among them, are out.
package clustering
