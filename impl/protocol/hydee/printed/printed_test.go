package printed

import (
	"maps"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// The tests follow one run each by hand, in which nothing is in flight at the failure, so that what
// breaks is the line in question and none before it.

// TestOrphanIsNotified: Alg. 2 l. 14-15 and Alg. 4 as read: an orphan is notified, with the last
// date that was received, and what depends on it waits.
func TestOrphanIsNotified(t *testing.T) {
	r := newRig(t, "x: send c m1\nc: recv x; send d m2\nd: recv c", "x | c | d")
	r.run("x", 1)
	r.arrive("x", "c")
	r.run("c", 1)
	r.fail("x")
	r.settle()
	if r.can("c") {
		t.Error("m2 depends on the orphan and does not wait")
	}
	r.want("m1 again", r.run("x", 1), "OrphanNotification 1 to RP")
	r.settle()
	r.want("m2", r.run("c", 1), "m2 to d")
}

// TestDatesOfTwoClocks: erratum H3, Alg. 3 l. 10 compares a date of i with one of k. k has received
// x at its date 1, and saved that; x has date 3 and is sent again.
func TestDatesOfTwoClocks(t *testing.T) {
	r := newRig(t, "k: recv i; recv i\ni: send h n1; send h n2; send k x; send k y\n"+
		"h: recv i; recv i", "k | i h")
	r.run("i", 3)
	r.arrive("i", "h")
	r.run("h", 2)
	r.arrive("i", "k")
	r.run("k", 1)
	r.step(r.proc("k"), core.Input{Kind: core.Checkpoint})
	r.fail("k")
	words := strings.Join(r.settle(), ", ")
	if !strings.Contains(words, "x to k") {
		t.Fatalf("x is not sent again: %s", words)
	}
	r.arrive("i", "k")
	r.want("x a second time", r.run("k", 1), "receive x", "Acknowledgment 2 to i")
}

// TestLostByTwoClocks: erratum H3 the other way: k is at date 2 when x, of date 1, is lost, and x
// is not sent again.
func TestLostByTwoClocks(t *testing.T) {
	r := newRig(t, "h: send k n1; send k n2\nk: recv h; recv h; recv i\ni: send k x", "h k | i")
	r.run("h", 2)
	r.arrive("h", "k")
	r.run("k", 2)
	r.step(r.proc("h"), core.Input{Kind: core.Checkpoint})
	r.settle()
	r.run("i", 1)
	r.fail("k")
	if words := strings.Join(r.settle(), ", "); strings.Contains(words, "x to k") {
		t.Fatalf("x is sent again: %s", words)
	}
	if r.can("k") {
		t.Error("k has something to receive")
	}
}

// TestSentAgainTwice: erratum H9a, Alg. 3 l. 23-24 removes nothing from ResentLogs: the
// notification of phase 3 sends x, of phase 1, a second time.
func TestSentAgainTwice(t *testing.T) {
	r := newRig(t, "a: recv b; send b o; recv b\nb: send a x; recv a; send a y", "a | b")
	r.run("b", 1)
	r.arrive("b", "a")
	r.run("a", 2)
	r.arrive("a", "b")
	r.run("b", 2)
	r.arrive("b", "a")
	r.run("a", 1)
	r.fail("a")
	r.settle()
	r.arrive("b", "a")
	r.want("x, then the orphan", r.run("a", 2), "receive x", "OrphanNotification 2 to RP")
	words := strings.Join(r.settle(), ", ")
	if !strings.Contains(words, "x to a, y to a") {
		t.Fatalf("not x again: %s", words)
	}
	r.arrive("b", "a")
	r.want("x in the place of y", r.run("a", 1), "receive x")
}

// TestFirstMessageAlone: erratum H10, III-D. d is let go at its phase 1 while the orphan m3 is
// outstanding, receives m5, which depends on m3, and sends m7.
func TestFirstMessageAlone(t *testing.T) {
	r := newRig(t, "x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send d m5\n"+
		"d: recv c; send y m7", "x y | c d")
	r.run("x", 1)
	r.arrive("x", "y")
	r.run("y", 2)
	r.arrive("y", "c")
	r.run("c", 2)
	r.fail("x")
	r.settle()
	r.arrive("c", "d")
	r.want("m7 leaves", r.run("d", 2), "receive m5", "m7 to y")
	r.arrive("d", "y")
	r.want("m7 before m2", r.run("y", 1), "receive m7")
}

// TestTwoClustersAtOnce: errata H11a and H11b. A rolled-back process neither answers a Rollback nor
// reports its orphans: nobody gets a LastDate, and nobody can send.
func TestTwoClustersAtOnce(t *testing.T) {
	r := newRig(t, "a: send b x\nb: recv a", "a | b")
	r.run("a", 1)
	r.arrive("a", "b")
	r.run("b", 1)
	r.step(r.proc("b"), core.Input{Kind: core.Checkpoint})
	r.fail("a")
	r.fail("b")
	words := strings.Join(r.settle(), ", ")
	if strings.Contains(words, LastDate) || strings.Contains(words, Orphan) || r.can("a") {
		t.Errorf("somebody answers: %s", words)
	}
}

// TestCurrentDate: errata H13a and H13b. b, at date 1 in its checkpoint, answers the first message
// behind it with its current date 2; a forgets what is of date 1 by its own clock, and b needs it.
func TestCurrentDate(t *testing.T) {
	r := newRig(t, "a: send b x; send b y\nb: send c n; recv a; recv a\nc: recv b", "a | b c")
	r.run("b", 1)
	r.step(r.proc("b"), core.Input{Kind: core.Checkpoint})
	r.arrive("b", "c")
	r.settle()
	r.run("a", 1)
	r.arrive("a", "b")
	r.want("acknowledged", r.run("b", 1), "receive x", "Acknowledgment 2 to a")
	r.arrive("b", "a")
	r.fail("b")
	if words := strings.Join(r.settle(), ", "); strings.Contains(words, "x to b") {
		t.Errorf("x is not forgotten: %s", words)
	}
}

// TestCost counts the messages of a recovery with nothing to send again, for a cluster of f = 3
// among n = 9: f(n-f) Rollback and LastDate, n OwnPhase and NotifySendMsg, n-f Log and Orphan.
func TestCost(t *testing.T) {
	r := newRig(t, "a1:\na2:\nb1:\nb2:\nb3:\nc1:\nc2:\nc3:\nc4:", "a1 a2 | b1 b2 b3 | c1 c2 c3 c4")
	r.fail("b1")
	got := map[string]int{}
	for _, list := range r.network {
		for _, m := range list {
			got[m.Kind]++
		}
	}
	for _, w := range r.settle() {
		kind, _, _ := strings.Cut(strings.ReplaceAll(w, "[", " "), " ")
		got[kind]++
	}
	want := map[string]int{Rollback: 18, LastDate: 18, OwnPhase: 9, Log: 6, Orphan: 6,
		NotifySendMsg: 9}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
