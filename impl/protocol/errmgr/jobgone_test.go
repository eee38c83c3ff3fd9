package errmgr

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/trace"
)

// survivor is the machine of rank a of a b c, and of the group g of all, alone: the test is
// everybody else.
type survivor struct {
	*testing.T
	*config
	programs []core.Program
	rank     *rank
	numbers  [3]uint32 // of the last message of each rank
	done     []string
	epoch    uint32
	life     core.Incarnation
}

func newSurvivor(t *testing.T, options, text, group string) *survivor {
	t.Helper()
	suite, err := script.Read("a: "+text+"\nb:\nc:\ngroup g: "+group, 1)
	if err != nil {
		t.Fatal(err)
	}
	o, err := ParseOptions(options)
	if err != nil {
		t.Fatal(err)
	}
	var none Set
	c, err := newConfig(o, none, "sustain abort", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.trees = suite.Trees
	s := &survivor{T: t, config: c, programs: suite.Programs}
	s.rank = newRank(c, 0, suite.Programs[0]).(*rank)
	s.step(core.Input{Kind: core.Start})
	return s
}

// step takes one step and notes what it does, in words.
func (s *survivor) step(in core.Input) {
	name := func(p core.Proc) string { return string("abc"[p]) }
	for _, e := range s.rank.Step(in, nil) {
		word := ""
		switch e.Kind {
		case core.Deliver:
			word = fmt.Sprint("got ", e.Payload.ID.Number, " of ", name(e.From))
		case core.Exit:
			word = "exit"
		case core.ProgramDone:
			word = "end"
		case core.SendMessage:
			if m := e.Message.(*Message); m.Kind == App {
				word = fmt.Sprint("to ", name(e.To), " ", m.Payload.ID.Number)
			} else if m.Kind == SustainAck {
				word = "runs on"
			}
		case core.Declare:
			switch e.What {
			case trace.Ruled:
				word = e.Key
				if int(e.To) < 3 {
					word += " " + name(e.To)
				}
			case trace.Dropped:
				word = "drops"
			}
		}
		if word != "" {
			s.done = append(s.done, word)
		}
	}
}

// hear hands over a message.
func (s *survivor) hear(from core.Proc, m Message) {
	s.step(core.Input{Kind: core.Received, From: from, Message: &m})
}

// act follows a word: "b" is the next message of b, "b g" one to the group, "b part" a contribution
// of b, "without b" the notice of the head, "pause" and "resume" a snapshot, "image" another life
// from the image of a pause, and "go" a step of the program, of several the last one: a receive.
func (s *survivor) act(word string) {
	verb, rest, _ := strings.Cut(word, " ")
	switch i := strings.Index("abc", verb); {
	case verb == "without":
		s.epoch++
		m := Message{Kind: Sustain, Epoch: s.epoch}
		for _, name := range strings.Fields(rest) {
			m.Ranks = append(m.Ranks, core.Rank(strings.Index("abc", name)))
		}
		s.hear(s.head, m)
	case verb == "pause":
		s.hear(s.head, Message{Kind: Quiesce, Epoch: s.epoch, Snap: first})
	case verb == "resume":
		s.hear(s.head, Message{Kind: Resume, Epoch: s.epoch, Snap: first})
	case verb == "image":
		data, _, _ := s.rank.job.image()
		s.rank = newRank(s.config, 0, s.programs[0]).(*rank)
		s.epoch, s.life = s.epoch+1, s.life+1
		s.step(core.Input{Kind: core.Restore, From: s.first, Incarnation: s.life,
			Records: []core.Record{{Value: core.Encode(&launch{Epoch: s.epoch, Data: data})}}})
		s.hear(s.head, Message{Kind: Resume, Epoch: s.epoch})
	case verb == "go":
		list := s.rank.Choices(nil)
		if len(list) == 0 {
			s.done = append(s.done, "waits")
			return
		}
		s.step(core.Input{Kind: core.Advance, Choice: slices.Max(list)})
	default:
		s.numbers[i]++
		m := Message{Kind: App, Number: s.numbers[i], ToLife: s.life, Payload: core.Payload{
			ID:   core.MsgID{From: core.Rank(i), Number: s.numbers[i]},
			Data: make([]byte, core.MinBytes)}}
		if rest != "" {
			m.Group, m.Part = 1, rest == "part"
		}
		s.hear(core.Proc(i), m)
	}
}

// Aim: every row of the table of pending operations, from the up-call on: what ends in which error,
// and what goes on. Method: the machine of one rank alone, a row of what happens for each.
func TestPendingOperations(t *testing.T) {
	const top, leaf = "a > b c", "b > a c"
	tests := []struct{ name, program, group, script, want string }{
		{"send to the dead, not handed over", "try send b; try send c", top,
			"without b; go; go; go",
			"sustained b; runs on; error send peer-dead b; to c 2; end"},
		{"send that is over", "try send b; output", top, "go; without b; go; go",
			"to b 1; sustained b; runs on; end"},
		{"whole message here", "try recv b; try recv b", top, "b; without b; go; go",
			"sustained b; runs on; got 1 of b; error recv peer-dead b"},
		{"nothing here", "try recv b", top, "without b; go; go",
			"sustained b; runs on; error recv peer-dead b; end"},
		{"it comes too late", "try recv b; try recv *", top, "without b; go; b; go; c; go",
			"sustained b; runs on; error recv peer-dead b; drops; error recv pending b; end"},
		{"no error before the up-call", "try recv b; try send b", top, "go; b; go; go",
			"waits; got 1 of b; to b 1"},
		{"from anyone, once for each death", "post *; try wait; try wait; wait", top,
			"go; without b; go; go; without c; go; go",
			"sustained b; runs on; error wait pending b; waits; sustained c; runs on; " +
				"error wait pending c; waits"},
		{"from anyone, two deaths in one notice", "post *; try wait; try wait; wait", top,
			"go; without c b; go; go; go",
			"sustained c; sustained b; runs on; error wait pending c; error wait pending b; waits"},
		{"from anyone, acknowledged", "try recv *; ack; try recv *", top,
			"without b; go; go; go; c; go",
			"sustained b; runs on; error recv pending b; waits; got 1 of c"},
		{"posted", "post b; post c; try wait", top, "go; go; without b; go; c; go; go",
			"sustained b; runs on; waits; got 1 of c; error wait peer-dead b"},
		{"reduction, at the root", "try contribute g; try recv g; try multicast g", top,
			"go; b part; without c; go; go; go",
			"sustained c; runs on; error collective peer-dead c; " +
				"error collective group-broken c; end"},
		{"reduction, at a leaf", "try contribute g; try recv g; try recv g", leaf,
			"go; without c; go; b g; go", "to b 1; sustained c; runs on; " +
				"error collective peer-dead c; error collective group-broken c"},
		{"out of the reduction", "try contribute g; try recv g; try recv g", leaf,
			"go; b g; without c; go; go", "to b 1; sustained c; runs on; got 1 of b; " +
				"error collective peer-dead c"},
		{"all contributions here", "try contribute g; try recv g", top,
			"go; b part; c part; without c; go; go",
			"sustained c; runs on; got 1 of a; end"},
		{"a contribution too late", "try contribute g; try recv g", top,
			"go; b part; without c; c part; go",
			"sustained c; runs on; drops; error collective peer-dead c"},
		{"among survivors", "try send c; try recv c", top, "without b; go; go; c; go; go",
			"sustained b; runs on; to c 1; waits; got 1 of c; end"},
		{"nobody looks", "recv b; output", top, "without b; go",
			"sustained b; runs on; fatal recv peer-dead b; exit"},
		{"no error in a pause", "try recv b", top, "pause; without b; go; resume; go",
			"sustained b; runs on; waits; continued a; error recv peer-dead b"},
		{"told twice", "try recv *; try recv c", top, "without b; without b; go; c; go",
			"sustained b; runs on; runs on; error recv pending b; got 1 of c"},
		{"what it knows is in its image", "try recv *; ack; try recv *; try recv b", top,
			"without b; go; go; image; go; without c; go; go",
			"sustained b; runs on; error recv pending b; sustained b; continued a; waits; " +
				"sustained c; runs on; error recv pending c; error recv peer-dead b"},
		{"what waits in a group is in its image", "try contribute g; try recv g", top,
			"go; b part; image; c part; go", "continued a; got 1 of a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSurvivor(t, "", tt.program, tt.group)
			for word := range strings.SplitSeq(tt.script, "; ") {
				s.act(word)
			}
			if diff := cmp.Diff(strings.Split(tt.want, "; "), s.done); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Aim: the image for a snapshot that is under way when a rank dies is taken without it. Method: a
// has the marker of c and waits for that of b, which never comes.
func TestPauseWithoutTheDead(t *testing.T) {
	s := newSurvivor(t, "", "recv c", "a > b c")
	s.act("pause")
	s.hear(2, Message{Kind: Marker, Snap: first})
	if s.rank.job.s.Pause.Still {
		t.Fatal("a does not wait for b")
	}
	s.act("without b")
	want := []string{"sustained b", "runs on", "paused a"}
	if diff := cmp.Diff(want, s.done); diff != "" || !s.rank.job.s.Pause.Still {
		t.Errorf("still %t (-want +got):\n%s", s.rank.job.s.Pause.Still, diff)
	}
}

// Aim: an output that follows an error waits for a snapshot, as one that follows a reception: if
// the rank went back to before it, the error might not come again. Method: a sees an error, and
// what it may do next; then a snapshot of before the error is established, then one of after it.
func TestOutputWaitsForError(t *testing.T) {
	s := newSurvivor(t, "outputs=held", "try recv b; output", "a > b c")
	waits := func(when string, want bool) {
		t.Helper()
		if got := len(s.rank.Choices(nil)) == 0; got != want {
			t.Errorf("%s: the output waits: %t, want %t", when, got, want)
		}
	}
	covered := func(seq uint32) {
		s.hear(s.head, Message{Kind: Covered, Epoch: s.epoch, Snap: SnapID{Seq: seq}})
	}
	pause := func(seq uint32) {
		id := SnapID{Seq: seq}
		s.hear(s.head, Message{Kind: Quiesce, Epoch: s.epoch, Snap: id})
		for from := core.Proc(1); from < 3; from++ {
			s.hear(from, Message{Kind: Marker, Snap: id})
		}
		s.hear(s.head, Message{Kind: Resume, Epoch: s.epoch, Snap: id})
	}
	pause(1)
	s.act("without b")
	s.act("go")
	waits("after the error", true)
	covered(1)
	waits("covered is what was before", true)
	pause(2)
	waits("an image is made", true)
	covered(2)
	waits("covered", false)
}

// TestRepeats refuses programs that look at errors and output, where ranks may go back and outputs
// are said to be the same again, and stacks that run through failures and restart ranks alone; not
// where one of these is not so.
func TestRepeats(t *testing.T) {
	const looks, blind = "try recv b; output", "recv b; output"
	for _, tt := range []struct {
		policies, options, program string
		refused                    bool
	}{
		{"sustain(1) autor", "", looks, true}, {"sustain(1) light(1) autor", "", blind, true},
		{"light(1) sustain abort", "outputs=held", "recv b", true},
		{"light(1) autor", "", looks, false},
		{"sustain abort", "", looks, false}, {"autor", "", looks, false},
		{"sustain(1) autor", "outputs=held", looks, false},
		{"sustain(1) autor", "", blind, false}, {"sustain(1) autor", "", "try recv b", false},
	} {
		suite, err := script.Read("a: "+tt.program+"\nb: send a", 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Protocol.Setup(protocol.Request{Programs: suite.Programs, Policies: tt.policies,
			Options: tt.options, Layout: trace.Layout{Names: suite.Names, Ranks: 2}})
		if refused := err != nil; refused != tt.refused {
			t.Errorf("%s, %q, %s: %v, refused should be %t", tt.policies, tt.options, tt.program,
				err, tt.refused)
		}
	}
}
