package app

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/cmd/domino/app/help"
)

// TestPapers: titles are put together of their lines, a key that nobody knows is left out, and what
// the errata of the house cite has a title.
func TestPapers(t *testing.T) {
	got := help.Cited("[Commit] section 2, [none]", "[HydEE] Alg. 2, [HydEE]")
	if len(got) != 2 || got[0].Key != "HydEE" || got[1].Title !=
		"J. Gray, L. Lamport: Consensus on Transaction Commit. ACM TODS 31 (1), 2006." ||
		!strings.HasSuffix(got[0].Title, "Logging for Large Scale Send-Deterministic MPI "+
			"Applications. IPDPS 2012.") {
		t.Errorf("got %q", got)
	}
	for _, p := range catalogue().Protocols() {
		for _, e := range p.Listed() {
			if key, _, ok := strings.Cut(strings.TrimPrefix(e.Place, "["), "]"); ok &&
				strings.HasPrefix(e.Place, "[") && len(help.Cited(e.Place)) == 0 {
				t.Errorf("%s %s: no paper has the key %q", p.Name, e.ID, key)
			}
		}
	}
}
