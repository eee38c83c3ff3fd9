package app

import "testing"

// TestVolume compares the tables of logs, determinants and messages with their golden file:
// everything in them is counted, so it never differs.
func TestVolume(t *testing.T) {
	code, out, err := domino(t.Context(), "volume")
	if code != 0 || err != "" {
		t.Errorf("exit %d, errors %q", code, err)
	}
	golden(t, "volume", out)
}
