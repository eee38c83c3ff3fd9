package trace_test

import (
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// TestRole: what carries a message of a program is told by the message, everything else by its
// kind, and what nobody has spoken of is control.
func TestRole(t *testing.T) {
	below := trace.Roles{}.With(trace.RoleCheckpoint, "Saved Store").
		With(trace.RoleProgram, "Part")
	l := trace.Layout{Roles: below.With(trace.RoleMembership, "Saved Beat")}
	id := trace.MsgID{Number: 1}
	for _, tt := range []struct {
		kind  string
		id    trace.MsgID
		again bool
		want  trace.Role
	}{
		{"App", id, false, trace.RoleProgram},
		{"App", id, true, trace.RoleReplay},
		{"Store", id, false, trace.RoleProgram},
		{"Store", trace.MsgID{}, false, trace.RoleCheckpoint},
		{"Saved", trace.MsgID{}, false, trace.RoleMembership},
		{"Beat", trace.MsgID{}, false, trace.RoleMembership},
		{"Part", trace.MsgID{}, false, trace.RoleProgram},
		{trace.Former("Beat"), trace.MsgID{}, false, trace.RoleMembership},
		{"Else", trace.MsgID{}, false, trace.RoleControl},
		{"", trace.MsgID{}, false, trace.RoleControl},
	} {
		if got := l.Role(tt.kind, tt.id, tt.again); got != tt.want {
			t.Errorf("%q of %v, again %t: %q, want %q", tt.kind, tt.id, tt.again, got, tt.want)
		}
	}
	if got := new(trace.Layout).Role("Beat", trace.MsgID{}, false); got != trace.RoleControl {
		t.Errorf("without roles: %q", got)
	}
}
