package mesh_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// TestSupported: a system without a cluster gets an error that says what is needed, and where one
// is.
func TestSupported(t *testing.T) {
	if err := mesh.Supported("linux"); err != nil {
		t.Error(err)
	}
	for _, system := range []string{"darwin", "windows", "freebsd"} {
		if err := mesh.Supported(system); !errors.Is(err, mesh.ErrUnsupported) ||
			!strings.HasPrefix(err.Error(), "the cluster needs linux: ") ||
			!strings.Contains(err.Error(), system) {
			t.Errorf("%s: %v", system, err)
		}
	}
}
