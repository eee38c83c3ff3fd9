package cluster

import "testing"

// TestStillFencing: a run is not at rest while a host is being given up, as who is down because of
// that starts again.
func TestStillFencing(t *testing.T) {
	s := &supervisor{live: true, hosts: []*ground{{}, {}}}
	if !s.still() {
		t.Error("there is something to do")
	}
	s.hosts[1].fencing = true
	if s.still() {
		t.Error("nobody waits for the end of a host")
	}
}
