package radic

import "github.com/domino-check/domino/impl/core"

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata.
const (
	M26 Erratum = iota
	M27
	M28
	M29
	M31
	M33
	M34
)

// table: M28 and M31 are what the text of the thesis says, the others what it leaves open.
var table = core.Errata{
	M26: {ID: "M26", Place: "[RADIC] section 6.2.1",
		Printed: "a spare becomes busy when it has adopted, so two protectors may be told that " +
			"it is free",
		Repaired: "it is promised to the first who asks"},
	M27: {ID: "M27", Place: "[RADIC] section 6.2.1",
		Printed:  "a spare that is promised to a protector which then dies stays promised",
		Repaired: "the promise is a lease: it ends when nothing is heard of the protector"},
	M28: {ID: "M28", Place: "[RADIC] section 6.2.1",
		Printed: "an observer asks the old protector, and then whom that names: who is dead, or, " +
			"back with its initial table, names itself",
		Repaired: "who gives no progress is not asked again, every other node once; who comes " +
			"back has no table", Published: true},
	M29: {ID: "M29", Place: "[RADIC] section 2.3.2",
		Printed: "the watchdog of a new watcher begins with the first heartbeat, so a node that " +
			"died with its watcher is watched by nobody",
		Repaired: "it begins at once, so whoever takes over from the watcher looks at what it " +
			"watched"},
	M31: {ID: "M31", Place: "[RADIC] section 2.3.3, basic protection",
		Printed:  "failed ranks are restarted on the node that has their images and logs",
		Repaired: "on the next node of the ring", Published: true},
	M33: {ID: "M33", Place: "[RADIC] Table 2.1, failure diagnosis",
		Printed: "a node that lives is given up: two incarnations of its ranks run, and one log " +
			"takes the deliveries of both",
		Repaired: "the log is handed to the new incarnation together with the right to write it " +
			"(M49 of the protocol below)"},
	M34: {ID: "M34", Place: "[RADIC] sections 2.2.1 and 6.2.1",
		Printed: "excluded: a protector dies while it recovers others; its heir believes " +
			"its table",
		Repaired: "the heir asks everybody what it hosts, and late transfers are refused"},
}

// Errata are all of them.
func Errata() core.Errata { return table }
