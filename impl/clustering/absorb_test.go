package clustering

import (
	"testing"

	"github.com/domino-check/domino/impl/traffic"
)

// Aim: a cluster that is too small goes where it costs least, of those that may take it. Method:
// two clusters of three ranks and a seventh rank that has more to do with the first, by hand: the
// first takes it, unless a rule parts it from a member of that; and where no cluster may have more
// than three ranks nobody takes it.
func TestAbsorb(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules Rules
		want  int32
	}{
		{"no rules", Rules{}, 0},
		{"parted", Rules{Part: [][2]int{{1, 6}}}, 1},
		{"full", Rules{Most: 3}, -1},
		{"too much rolls back", Rules{Rollback: 400_000}, -1}, // 19 of 49, then 25 of 49
	} {
		var b traffic.Builder
		for _, e := range [][3]int{{0, 1, 1000}, {1, 2, 1000}, {3, 4, 1000}, {4, 5, 1000},
			{6, 0, 10}, {6, 3, 1}} {
			if err := b.Add(e[0], e[1], int64(e[2]), 1); err != nil {
				t.Fatal(err)
			}
		}
		g, err := b.Graph(7, true)
		if err != nil {
			t.Fatal(err)
		}
		p := &Problem{Traffic: g, Weights: Published, Rules: c.rules}
		if err := p.Open(); err != nil {
			t.Fatal(err)
		}
		s := p.seeker(0, func() bool { return false })
		coarse := alone(3)
		took := s.absorb(p.net.contract([]int32{0, 0, 0, 1, 1, 1, 2}, 3), coarse, 2)
		if took != (c.want >= 0) || took && coarse[2] != c.want {
			t.Errorf("%s: %t, %v, want %d", c.name, took, coarse, c.want)
		}
	}
}
