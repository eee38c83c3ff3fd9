package hydee_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// countingRig is ranks that do nothing, in clusters of the given sizes.
func countingRig(t *testing.T, sizes []int) *rig {
	t.Helper()
	var program, clusters []string
	for k, size := range sizes {
		var names []string
		for i := range size {
			names = append(names, fmt.Sprintf("r%d_%d", k, i))
			program = append(program, names[i]+":")
		}
		clusters = append(clusters, strings.Join(names, " "))
	}
	return newRig(t, strings.Join(program, "\n"), strings.Join(clusters, " | "))
}

// drain delivers everything and counts what was sent, by kind.
func (r *rig) drain() map[string]int {
	r.t.Helper()
	count := map[string]int{}
	for busy := true; busy; {
		busy = false
		for p := range r.machines {
			for q := range r.machines {
				key := [2]core.Proc{core.Proc(p), core.Proc(q)}
				list := r.network[key]
				delete(r.network, key)
				for _, m := range list {
					count[m.Describe().Kind]++
					r.step(r.name(core.Proc(q)), core.Input{Kind: core.Received, From: core.Proc(p),
						Message: m})
					busy = true
				}
			}
		}
	}
	return count
}

// pairs counts the ordered pairs of ranks of different clusters of which one at least has failed.
func pairs(sizes, failed []int) int {
	n := 0
	for i, a := range sizes {
		for k, b := range sizes {
			if i != k && (slices.Contains(failed, i) || slices.Contains(failed, k)) {
				n += a * b
			}
		}
	}
	return n
}

// TestCostOfRecovery counts the messages of a recovery with nothing in flight and no orphan, for
// several layouts: one cluster of f ranks among n costs 2f(n-f) Status, which is what the paper
// sends as Rollback ([HydEE] Alg. 2 l. 6) and LastDate (Alg. 3 l. 9), and n each of Begin, Report
// and Frontier. Nothing is sent between ranks that have not failed.
func TestCostOfRecovery(t *testing.T) {
	sixteen := slices.Repeat([]int{16}, 16)
	tests := []struct {
		sizes  []int
		failed []int
		status int // worked out by hand
	}{
		{[]int{3}, []int{0}, 0},
		{[]int{1, 1}, []int{1}, 2},
		{[]int{2, 1}, []int{0}, 4},
		{[]int{1, 1, 1}, []int{0}, 4},
		{[]int{1, 1, 1}, []int{0, 2}, 6},
		{[]int{2, 3, 4}, []int{1}, 36},
		{[]int{2, 3, 4}, []int{0, 2}, 52},
		{[]int{1, 3, 4}, []int{0, 1, 2}, 38},
		{sixteen, []int{7}, 7680},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.sizes, tt.failed), func(t *testing.T) {
			r := countingRig(t, tt.sizes)
			var down []core.Proc
			for _, k := range tt.failed {
				r.crash(fmt.Sprintf("r%d_0", k))
				for i := range tt.sizes[k] {
					r.restart(fmt.Sprintf("r%d_%d", k, i))
					down = append(down, r.proc(fmt.Sprintf("r%d_%d", k, i)))
				}
			}
			r.step("RP", core.Input{Kind: core.Down, Procs: down})
			got := r.drain()
			n := len(r.machines) - 1
			want := map[string]int{"Begin": n, "Report": n, "Frontier": n, "Status": tt.status}
			if tt.status == 0 {
				delete(want, "Status")
			}
			r.want("messages", []string{fmt.Sprint(got)}, fmt.Sprint(want))
			if p := pairs(tt.sizes, tt.failed); p != tt.status {
				t.Errorf("by the formula %d Status, by hand %d", p, tt.status)
			}
			if f := tt.sizes[tt.failed[0]]; len(tt.failed) == 1 && tt.status != 2*f*(n-f) {
				t.Errorf("one cluster: %d Status, want 2f(n-f) = %d", tt.status, 2*f*(n-f))
			}
			for _, q := range down {
				r.want("over for "+r.name(q), r.can(r.name(q)), "next")
			}
		})
	}
}

// TestCostOfReplacement: a new recovery process has every channel evaluated, n²-Σf² Status.
func TestCostOfReplacement(t *testing.T) {
	r := countingRig(t, []int{2, 3, 4})
	r.crash("RP")
	r.restart("RP")
	got := r.drain()
	if want := 9*9 - 4 - 9 - 16; got["Status"] != want || got["Begin"] != 9 {
		t.Errorf("%v, want %d Status, 9 Begin", got, want)
	}
}

// TestCostOfOverlap: a failure during a recovery begins it anew for both clusters; after it, for
// its own alone.
func TestCostOfOverlap(t *testing.T) {
	r := countingRig(t, []int{1, 2, 4})
	fail := func(k, ranks int) {
		r.crash(fmt.Sprintf("r%d_0", k))
		for i := range ranks {
			r.restart(fmt.Sprintf("r%d_%d", k, i))
		}
	}
	fail(0, 1)
	r.down("r0_0")
	fail(1, 2)
	r.down("r1_0")
	got := r.drain()
	// of the first round, r0_0 hears by Begin, and by FIFO everybody before of the second
	if first, second := 2*1*6, pairs([]int{1, 2, 4}, []int{0, 1}); got["Status"] < second ||
		got["Status"] > first+second {
		t.Errorf("%d Status, want at least the %d of the second round and at most %d more",
			got["Status"], second, first)
	}
	fail(2, 4)
	r.down("r2_0")
	if got := r.drain(); got["Status"] != 2*4*3 {
		t.Errorf("after the recovery is over: %d Status, want those of one cluster, 24",
			got["Status"])
	}
}

// TestSurvivorsKeepTheirChannel checks R2 and R6 between two clusters of which none has failed:
// what is on its way arrives and is delivered in the recovery, once, and nothing is told; what its
// receiver then wants to send waits for its phase.
func TestSurvivorsKeepTheirChannel(t *testing.T) {
	r := newRig(t, "x: send c m2\nc: recv x; send d m5; send d m6\nd: recv c; send x m7; recv c",
		"x | c | d")
	r.run("x")
	r.arrive("x", "c")
	r.run("c", "x")
	r.run("c")
	r.run("c")
	r.arrive("c", "d")
	r.crash("x")
	r.restart("x")
	r.down("x")
	r.want("c tells x alone", r.arrive("RP", "c"),
		"to x: Status round 0.1 of [0] date 3 last 1")
	r.want("d drops nothing", r.arrive("RP", "d"), "to x: Status round 0.1 of [0] date 0 last 0")
	r.want("d takes m5", r.can("d"), "c")
	r.want("m6 was sent before the round", r.arrive("c", "d"))
	r.want("m5", r.run("d", "c"), "deliver m5 from c, date 2 phase 2")
	r.settle()
	r.want("m7 depends on the orphan", r.can("d"))
	r.want("x sends again", r.run("x"), "program sent m2 to c", "log m2 for c",
		"to RP: OrphanDone round 0.1 to c date 1 phase 1")
	r.settle()
	r.want("m7 may leave", r.can("d"), "next")
	r.run("d")
	r.want("m6", r.run("d", "c"), "deliver m6 from c, date 3 phase 2")
	r.want("nothing comes twice", r.can("d"), "next")
	r.want("nothing is in flight", r.flight("c", "d"))
}

// TestRoundOfFormerLife checks R4: a restarted rank does not join a round that is not about its
// cluster, and one of which it has not evaluated the last does not join the next; a frontier that
// goes by the report of another life is not for it.
func TestRoundOfFormerLife(t *testing.T) {
	r := newRig(t, "x: send c m\nc: recv x\nd:", "x | c | d")
	others := func(kind hydee.Kind, round hydee.Round) hydee.Message {
		return hydee.Message{Kind: kind, Round: round, Clusters: []int{1}}
	}
	r.crash("x")
	r.restart("x")
	r.want("a round about c", r.give("RP", "x", others(hydee.Begin, 1)),
		"drop from RP: round of a former life")
	r.want("the same by a Status", r.give("c", "x", others(hydee.Status, 1)),
		"drop from c: round of a former life")
	r.want("its own", r.give("RP", "x", hydee.Message{Kind: hydee.Begin, Round: 2}),
		"to c: Status round 0.2 life 1 date 0 last 0",
		"to d: Status round 0.2 life 1 date 0 last 0")
	r.want("not evaluated", r.give("RP", "x", others(hydee.Begin, 3)),
		"drop from RP: round of a former life")
	r.give("c", "x", hydee.Message{Kind: hydee.Status, Round: 2})
	r.want("evaluated", r.give("d", "x", hydee.Message{Kind: hydee.Status, Round: 2}),
		"to RP: Report round 0.2 lives [1 0 0]")
	r.want("by the report of another life",
		r.give("RP", "x", hydee.Message{Kind: hydee.Frontier, Round: 2, Phase: infinite, Part: 3,
			Incarnation: 7}), "drop from RP: round of a former life")
	r.want("still closed", r.can("x"))
	r.want("another one's next round", r.give("RP", "x", others(hydee.Begin, 3)),
		"to c: Status round 0.3 of [1] life 1 date 0 last 0")
}

// TestKnownLives checks R8: the report of a rank that the round is not about must come from the
// life that was evaluated last, else the round never ends, and the notice of its failure opens the
// next.
func TestKnownLives(t *testing.T) {
	for _, tt := range []struct {
		name string
		life core.Incarnation
		want string // what the last report leads to
	}{
		{"the known one", 0, "[to x: Frontier round 0.1 life 1 phase all " +
			"to c: Frontier round 0.1 phase all to d: Frontier round 0.1 phase all]"},
		{"another one", 1, "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "x:\nc:\nd:", "x | c | d")
			r.down("x")
			for _, q := range []string{"x", "c"} {
				r.want("report", r.give(q, "RP", hydee.Message{Kind: hydee.Report, Round: 1,
					Lives: []core.Incarnation{1, 0, 0}}))
			}
			r.want("d, which has not failed", []string{fmt.Sprint(r.give("d", "RP", hydee.Message{
				Kind: hydee.Report, Round: 1, Lives: []core.Incarnation{1, 0, tt.life}}))},
				tt.want)
		})
	}
}
