package protocol_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/protocol"
)

// TestReadOptions sets what is there, and says of anything else what would have been accepted.
func TestReadOptions(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"mode=sender f=2":        "",
		" f=0\tmode=receiver ":   "",
		"mode":                   `option "mode": want mode=VALUE`,
		"mood=sender":            `option "mood=sender": unknown`,
		"mode=both":              `option "mode=both": want receiver or sender`,
		"f=4":                    `option "f=4": want a number in [0, 3]: there are no more`,
		"f=-1":                   "want a number in [0, 3]",
		"f=99999999999999999999": "want a number in [0, 3]",
		"f=1 f=1":                `option "f=1": f is given twice`,
		"=":                      `option "=": unknown`,
	} {
		mode, f := 1, 7
		err := protocol.ReadOptions(text, protocol.Setters{
			"mode": protocol.OneOf(&mode, "receiver", "sender"),
			"f":    protocol.Between(&f, 0, 3, "there are no more"),
		})
		switch {
		case want == "" && err != nil, want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		case strings.Contains(text, "sender f=2") && (mode != 1 || f != 2),
			strings.Contains(text, "receiver ") && (mode != 0 || f != 0):
			t.Errorf("%q: mode %d, f %d", text, mode, f)
		}
	}
}
