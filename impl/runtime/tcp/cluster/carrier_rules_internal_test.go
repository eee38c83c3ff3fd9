package cluster

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/processes"
)

// Aim: each rule of the carrier has a test that fails without it. Method: a mesh by hand, of which
// the test says what comes, and which notes what it is told. A script of a few words drives both;
// what comes out is compared. The rules, with the mutant of carrier.go that each line is to catch:
//
//	rule                                              mutant
//	every frame has a later clock than all before     no tick
//	a frame is marked with the failures known at Send held frames marked when they leave
//	what is for who is not there waits, in order      it is given to the mesh at once
//	what waits for who dies is lost                   it stays for the next life
//	a life that is over does not come up              any life does
//	who dies is not up                                it stays up
//	an agreement waits for the ends of the dead       drained is always true
//	the dead are heard to their end, also if paused   no Pause(q, false)
//	nobody hears who is over                          a.Life is not compared
//	nobody hears what knows more                      no hold-back
//	what came early comes when it is known, first     it is lost; it comes at once
//	what is behind it comes after it                  no Pause(a.From, true)
//	what is behind it of the dead is lost             p.early != nil is not looked at
//	where nothing of the dead arrives none is heard   deaf is not looked at
//	what came early from who dies is lost             no forget
//	a pause that the node wants outlasts it           Pause(q, false) on release
//	clocks of others are heard                        no hear
//	a connection that ends is not up                  Lost changes nothing

// wire is the mesh by hand.
type wire struct {
	arrivals  []mesh.Arrival
	notices   []mesh.Notice
	connected map[core.Proc]core.Incarnation
	paused    map[core.Proc]bool
	out       []string
}

func (w *wire) Send(to core.Proc, _ frame.Kind, note uint8, extra, payload []byte) bool {
	w.out = append(w.out, fmt.Sprintf("sent %s to %d knowing %d at %d", payload, to, note,
		binary.LittleEndian.Uint64(extra[len(extra)-clockBytes:])-base))
	return true
}

func (w *wire) Flush()          {}
func (w *wire) MostQueued() int { return 0 }
func (w *wire) Borrowed() bool  { return false }
func (w *wire) Call(core.Proc)  {}

func (w *wire) Fence(core.Proc, core.Incarnation) {}

func (w *wire) Cut(q core.Proc, below core.Incarnation) {
	if w.connected[q] < below {
		delete(w.connected, q)
	}
}

func (w *wire) Pause(p core.Proc, paused bool) { w.paused[p] = paused }

func (w *wire) Connected(p core.Proc) (core.Incarnation, bool) {
	life, ok := w.connected[p]
	return life, ok
}

func (w *wire) Next(a *mesh.Arrival, _ time.Duration) mesh.What {
	for i := range w.arrivals {
		if !w.paused[w.arrivals[i].From] {
			*a = w.arrivals[i]
			w.arrivals = slices.Delete(w.arrivals, i, i+1)
			return mesh.Frame
		}
	}
	return mesh.Nothing
}

func (w *wire) Notice() (mesh.Notice, bool) {
	if len(w.notices) == 0 {
		return mesh.Notice{}, false
	}
	n := w.notices[0]
	w.notices = w.notices[1:]
	return n, true
}

// base is a clock that the time of day does not reach.
const base = 1 << 62

// obey does one line of a script: up P LIFE, lost P LIFE, send P TEXT, comes P LIFE KNOWING TEXT,
// hear, dying P, over P EPOCH, drained P, pause P, unpause P, status P.
func obey(t *testing.T, c *carrier, w *wire, line string) {
	t.Helper()
	var p, life, known int
	var text string
	word := strings.Fields(line)[0]
	scan := func(args ...any) {
		if _, err := fmt.Sscan(strings.TrimPrefix(line, word), args...); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	proc := func() core.Proc { return core.Proc(p) }
	switch word {
	case "up", "lost":
		scan(&p, &life)
		n := mesh.Notice{Event: mesh.Up, Proc: proc(), Life: core.Incarnation(life)}
		if w.connected[proc()] = n.Life; word == "lost" {
			n.Event = mesh.Lost
			delete(w.connected, proc())
		}
		w.notices = append(w.notices, n)
		c.Notice()
	case "send":
		scan(&p, &text)
		c.Send(proc(), frame.Data, 0, nil, []byte(text))
	case "comes":
		scan(&p, &life, &known, &text)
		a := mesh.Arrival{From: proc(), Life: core.Incarnation(life)}
		a.Header.Note, a.Payload = uint8(known), append(c.pool.Get(len(text))[:0], text...)
		a.Extra = binary.LittleEndian.AppendUint64([]byte("x"), base+1000)
		w.arrivals = append(w.arrivals, a)
	case "hear":
		var a mesh.Arrival
		for c.Next(&a, 0) == mesh.Frame {
			w.out = append(w.out, fmt.Sprintf("%s from %d/%d, %s", a.Payload, a.From, a.Life,
				a.Extra))
		}
	case "dying", "pause", "unpause":
		scan(&p)
		if word == "dying" {
			c.dying([]core.Proc{proc()})
		} else {
			c.Pause(proc(), word == "pause")
		}
	case "over":
		scan(&p, &known)
		c.over([]core.Proc{proc()}, uint64(known))
	case "status":
		scan(&p)
		for _, k := range c.status() {
			if k.Proc == proc() {
				w.out = append(w.out, fmt.Sprintf("life %d, %d wait", k.Life, k.Held))
			}
		}
	case "drained":
		scan(&p)
		w.out = append(w.out, fmt.Sprintf("drained %t, open %v, paused %t",
			c.drained([]core.Proc{proc()}), c.open([]core.Proc{proc()}), w.paused[proc()]))
	default:
		t.Fatal(line)
	}
}

func TestCarrierRules(t *testing.T) {
	tests := []struct {
		name, script string
		nothing      bool
		want         []string
	}{
		{"clocks rise, and are heard", "up 1 0; send 1 a; send 1 b; comes 1 0 0 m; hear; send 1 c",
			false, []string{"sent a to 1 knowing 0 at 1", "sent b to 1 knowing 0 at 2",
				"m from 1/0, x", "sent c to 1 knowing 0 at 1001"}},
		{"what is for who is not there waits", "send 1 a; send 1 b; over 2 1; up 1 0; send 1 c",
			false, []string{"sent a to 1 knowing 0 at 1", "sent b to 1 knowing 0 at 2",
				"sent c to 1 knowing 1 at 3"}},
		{"what waits for who dies is lost", "send 1 a; over 1 1; send 1 b; up 1 1", false,
			[]string{"sent b to 1 knowing 1 at 2"}},
		{"a life that is over does not come up", "over 1 1; up 1 0; send 1 a; status 1; " +
			"up 1 1; status 1", false, []string{"life -1, 1 wait", "sent a to 1 knowing 1 at 1",
			"life 1, 0 wait"}},
		{"who dies is not up", "up 1 0; send 1 a; over 1 1; send 1 b; status 1; up 1 1", false,
			[]string{"sent a to 1 knowing 0 at 1", "life -1, 1 wait",
				"sent b to 1 knowing 1 at 2"}},
		{"who is lost is not up", "up 1 0; lost 1 0; send 1 a; over 1 1; up 1 1", false, nil},
		{"who is lost and was up again is", "up 1 0; over 1 1; up 1 1; lost 1 0; send 1 a", false,
			[]string{"sent a to 1 knowing 1 at 1"}},
		{"an agreement waits", "up 1 0; pause 1; drained 1; lost 1 0; drained 1; up 1 1; " +
			"over 1 1; drained 1", false, []string{"drained false, open [1], paused false",
			"drained true, open [], paused false", "drained false, open [1], paused false"}},
		{"of a new life it does not", "over 1 1; up 1 2; drained 1", false,
			[]string{"drained true, open [], paused false"}},
		{"nobody hears who is over", "up 1 0; over 1 1; comes 1 0 0 m; comes 1 1 0 n; hear", false,
			[]string{"n from 1/1, x"}},
		{"nobody hears what knows more", "up 1 0; up 2 0; comes 1 0 1 m; comes 1 0 1 n; " +
			"comes 2 0 0 o; hear; send 2 a; over 3 1; hear", false,
			[]string{"o from 2/0, x", "sent a to 2 knowing 0 at 1001", "m from 1/0, x",
				"n from 1/0, x"}},
		{"far more", "comes 1 0 2 m; hear; over 3 1; hear; over 2 2; hear", false,
			[]string{"m from 1/0, x"}},
		{"what is behind it of the dead is lost", "up 1 0; comes 1 0 1 m; comes 1 0 0 n; hear; " +
			"drained 1; hear; over 3 1; hear", false,
			[]string{"drained false, open [1], paused false", "m from 1/0, x"}},
		{"what came early from who dies is lost", "up 1 0; comes 1 0 1 m; hear; lost 1 0; " +
			"over 1 1; hear", false, nil},
		{"nothing of the dead", "up 1 0; comes 1 0 0 m; dying 1; hear; lost 1 0; over 1 1; " +
			"up 1 1; comes 1 1 1 n; hear", true, []string{"n from 1/1, x"}},
		{"nothing early of the dead", "up 1 0; comes 1 0 1 m; hear; dying 1; over 3 1; hear", true,
			nil},
		{"a prefix of the dead", "up 1 0; comes 1 0 0 m; dying 1; hear", false,
			[]string{"m from 1/0, x"}},
		{"a pause outlasts an early frame", "up 1 0; comes 1 0 1 m; comes 1 0 1 n; hear; " +
			"pause 1; over 3 1; hear; status 1; unpause 1; hear", false, []string{"m from 1/0, x",
			"life 0, 0 wait", "n from 1/0, x"}},
		{"an early frame outlasts a pause", "up 1 0; comes 1 0 1 m; comes 1 0 1 n; hear; " +
			"pause 1; unpause 1; hear; over 3 1; hear", false,
			[]string{"m from 1/0, x", "n from 1/0, x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock, m := clock(base), &marks{}
			w := &wire{connected: map[core.Proc]core.Incarnation{},
				paused: map[core.Proc]bool{}}
			c := &carrier{mesh: w, pool: new(buffer.Pool), clock: &clock, gone: make([]int, 4),
				nothing: tt.nothing, peers: make([]*connection, 4), marks: m,
				refused: func(mesh.Notice) {}}
			for line := range strings.SplitSeq(tt.script, "; ") {
				obey(t, c, w, line)
			}
			if diff := cmp.Diff(tt.want, w.out); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.script, diff)
			}
			took := 0
			for _, k := range m.take() {
				if k.What == processes.Took {
					took++
				}
			}
			heard := strings.Count(strings.Join(tt.want, "\n"), " from ")
			if took != heard {
				t.Errorf("%d frames are in evidence, and %d were heard", took, heard)
			}
		})
	}
}
