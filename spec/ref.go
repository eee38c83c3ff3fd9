package spec

import "github.com/domino-check/domino/spec/trace"

// Role is what something has to do with a violation.
type Role string

// The roles.
const (
	Culprit   Role = "culprit"   // what breaks the property
	Missing   Role = "missing"   // what would have had to be there, and is not
	Late      Role = "late"      // what comes after its time
	Duplicate Role = "duplicate" // what is there a second time
	Holder    Role = "holder"    // who has, or should have, what it is about
	Expected  Role = "expected"  // what would have been right
)

// Ref is something in a run that a violation is about: a message where it names one, else a proc,
// and the event that shows it.
type Ref struct {
	Role    Role        `json:"role"`
	Proc    trace.Proc  `json:"proc"`
	Message trace.MsgID `json:"message"`
	Event   int         `json:"event"` // index into the trace, -1 = nothing shows it
}
