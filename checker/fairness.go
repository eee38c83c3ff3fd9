package checker

// Fair is a System that tells which endless runs are to be expected.
//
// An event is owed when the environment may not put it off for ever once it stays possible: this is
// weak fairness. A run is fair when each event that is owed and possible from some moment on in
// every state is taken again and again. Strong fairness, where an event that is possible again and
// again is taken, would be owed by nobody here: a message stays deliverable until it is delivered,
// so for it the two are the same, and a proc that keeps stopping may miss a message each time.
//
// No cycle of states contains a fault, since each spends some of a finite budget. So every endless
// run ends up in one strongly connected component of the graph of the other steps; and when that
// component has a fair run, the run that takes all of its steps again and again is one, because an
// event that is possible everywhere in a component is so in each part of it.
type Fair interface {
	System
	// Event names what a step of the state is one way to take, for instance all ways in which a
	// program can go on, and says whether it is owed. It is not called for faults.
	Event(state []uint32, code uint64) (name uint64, owed bool)
	// Endless judges a fair run that comes through the state again and again: it returns the number
	// of a violation, or 0.
	Endless(state []uint32) int
}
