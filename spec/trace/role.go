package trace

import "strings"

// Role says what messages of a kind are for, so that figures can tell them apart and leave out what
// a reader does not ask for. No property asks for it.
type Role string

// The roles.
const (
	RoleProgram Role = "program" // it carries a message of a program
	RoleReplay  Role = "replay"  // it carries one again, from a log
	// in which order a proc has received, told to who keeps it, or that it is kept
	RoleDeterminant Role = "determinant"
	// a message has arrived, or it, or what was kept for it, is not needed any more
	RoleAcknowledgement Role = "acknowledgement"
	// it parts what comes before it on a channel from what comes behind
	RoleMarker     Role = "marker"
	RoleCheckpoint Role = "checkpoint" // asks for images, carries them, says what is stable
	RoleRecovery   Role = "recovery"   // what a failure makes others do
	RoleMembership Role = "membership" // who lives, and who runs where
	RoleAgreement  Role = "agreement"  // among those who decide together
	RoleService    Role = "service"    // an operation of a client, and the answer
	RoleControl    Role = "control"    // everything else, and what nobody has said
)

// AllRoles are the roles in the order in which a reader wants them.
func AllRoles() []Role {
	return []Role{RoleProgram, RoleReplay, RoleDeterminant, RoleAcknowledgement, RoleMarker,
		RoleCheckpoint, RoleRecovery, RoleMembership, RoleAgreement, RoleService, RoleControl}
}

// Roles are the roles of message kinds, by their names.
type Roles map[string]Role

// With adds kinds, parted by spaces, with one role, and returns what it has added to. What is there
// already is replaced, as a protocol around another one knows better what its own messages are for.
func (r Roles) With(role Role, kinds string) Roles {
	for _, kind := range strings.Fields(kinds) {
		r[kind] = role
	}
	return r
}

// Former is the kind of a message that a proc sends as what it was before it got an image: the
// judge sees no more of it.
func Former(kind string) string { return former + kind }

const former = "former "

// Role is what a message on the network is for: one of a kind that carries a message of a program,
// or one that is sent again, is that, whatever else is said of the kind.
func (l *Layout) Role(kind string, id MsgID, again bool) Role {
	role, known := l.Roles[strings.TrimPrefix(kind, former)]
	switch {
	case again:
		return RoleReplay
	case !id.IsZero():
		return RoleProgram
	case !known:
		return RoleControl
	}
	return role
}
