package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// erratum is a shortest run in which a scenario shows its erratum.
func erratum(t *testing.T, scenario, id string) *report.Run {
	t.Helper()
	c, err := verify.NewCatalogue(all.Protocols()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Scenario(scenario)
	if err != nil {
		t.Fatal(err)
	}
	s.Variant, s.Expect, s.States, s.MustSee, s.Force = "repaired+"+id, "violated", 0, nil, true
	a, err := verify.Check(t.Context(), c.Protocols(), s,
		verify.Options{Order: checker.BreadthFirst})
	if err != nil {
		t.Fatal(err)
	}
	if a.Story() == nil {
		t.Fatalf("%s shows no %s: %s %s", scenario, id, a.Verdict, a.Why)
	}
	return a.Story()
}

// said writes what a test wants to see of a model, one thing a line.
func said(m *report.Model) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	step := func(i int) string {
		if i == report.Never {
			return "-"
		}
		return fmt.Sprint(m.Events[i].Step)
	}
	for _, l := range m.Lives {
		if l.Incarnation == 0 && l.To == report.Never {
			continue
		}
		say("life %d of %s: %s to %s, from step %s saved %s, undone from %s",
			l.Incarnation, m.Lanes[l.Proc].Name, step(l.From), step(l.To), step(l.Point.Event),
			step(l.Point.Saved), step(l.UndoneFrom))
	}
	for _, l := range m.Lines {
		var words []string
		for i, p := range l.Procs {
			words = append(words, fmt.Sprintf("%s at %d/%d in %s", m.Lanes[p].Name,
				l.Points[i].Sent, l.Points[i].Received, step(l.At[i])))
		}
		say("line: %s", strings.Join(words, ", "))
	}
	for _, c := range m.Messages {
		if !c.App() {
			continue
		}
		words := fmt.Sprintf("%s %s->%s: sent %s arrived %s taken %s, %s", c.Label,
			m.Lanes[c.From].Name, m.Lanes[c.To].Name, step(c.Sent), step(c.Arrived),
			step(c.Taken()), c.Fate)
		if c.Why != "" {
			words += ": " + c.Why
		}
		for _, o := range c.Orphan {
			words += ", orphan since " + step(o.Since)
		}
		say("%s", words)
	}
	for _, i := range m.Relevant {
		c := &m.Messages[i]
		say("relevant: %s (%s) in %s", c.Kind, c.Role, step(c.Arrived))
	}
	for _, r := range m.About {
		name := m.Lanes[r.Proc].Name
		if !r.Message.IsZero() {
			name = m.Layout.Label(r.Message)
		}
		say("about: %s %s in %s", r.Role, name, step(r.Event))
	}
	for _, s := range m.Why {
		say("why %s: %s", step(s.Event), s.Text)
	}
	return lines
}

// h10Has is what a reader finds in the run of H10.
var h10Has = []string{
	"life 0 of x: - to 9, from step - saved -, undone from 1",
	"life 1 of x: 10 to -, from step - saved -, undone from -",
	"life 0 of y: - to 9, from step - saved -, undone from 3",
	"life 1 of y: 11 to -, from step - saved -, undone from -",
	"line: x at 0/0 in 10, y at 0/0 in 11",
	"m2 x->y: sent 1 arrived 2 taken 3, delivered",
	"m3 y->c: sent 4 arrived 5 taken 6, delivered, orphan since 11",
	"m5 c->d: sent 7 arrived 8 taken 27, delivered",
	"m7 d->y: sent 28 arrived - taken -, on its way",
	"about: culprit m7 in 28",
	"about: missing m2 in -",
}

// h10Why explains it, beside what it depends on without failures.
var h10Why = []string{
	"why 1: x sent m2 in step 1, in its life 0; its restart in step 10 has undone that.",
	"why -: x has not sent m2 since.",
	"why 28: d sends m7 in step 28.",
}

// TestModel compares what is understood of runs of the checker with what a reader finds in them by
// hand.
func TestModel(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  *report.Run
		want []string
	}{
		{"H10 as it was kept", load(t, "h10.json"), slices.Concat(h10Has, h10Why)},
		{"H10", erratum(t, "h10", "H10"),
			slices.Concat(h10Has, []string{"about: holder d in 28", "about: holder x in -",
				"why -: m7 depends on m2, m3 and m5 in every run without failures."}, h10Why)},
		{"S1", erratum(t, "causal-s1", "S1"), []string{
			"life 0 of y: - to 1, from step - saved -, undone from -",
			"life 1 of y: 2 to 5, from step - saved -, undone from -",
			"life 2 of y: 6 to -, from step - saved -, undone from -",
			"line: y at 0/0 in 2",
			"line: y at 0/0 in 6",
			"relevant: Recover (recovery) in 3", "relevant: Recover (recovery) in 4",
			"relevant: Answer (recovery) in -", "relevant: Answer (recovery) in -",
			"relevant: Recover (recovery) in 7", "relevant: Recover (recovery) in 8",
			"about: culprit y in 6", "about: culprit a in 7", "about: culprit b in 8",
			"why -: Each waits for the next, in a circle: y, a, y.",
			"why -: y waits for the answer to its request for determinants of a, b, " +
				"since step 6.",
			"why -: y waits for a message, since step 6.",
			"why 4: y does not get Answer of a (in step 3, lost in the crash of y), " +
				"Answer of b (in step 4, lost in the crash of y).",
			"why 6: y is back as life 2 in step 6, and its program has sent and received nothing " +
				"since.",
			"why -: a waits for the replay request of life 1 of y, since step 3.",
		}},
		{"H13a", erratum(t, "h13-clock", "H13a"), []string{
			"n1 h->k: sent 1 arrived 3 taken 5, delivered",
			"n2 h->k: sent 2 arrived 4 taken 6, delivered",
			"x i->k: sent 7 arrived 8 taken 17, delivered",
			"relevant: Acknowledge (acknowledgement) in 18",
			"about: culprit x in 18", "about: holder i in 18", "about: holder k in -",
			"why 17: k has received x in step 17.",
			"why 16: After a failure k would go back to its checkpoint of step 16, " +
				"with 2 received.",
			"why 18: i removes x from its log in step 18.",
		}},
		{"M10", erratum(t, "m10", "M10"), []string{
			"life 0 of p0: - to 3, from step - saved -, undone from 1",
			"life 1 of p0: 4 to -, from step - saved 0, undone from -",
			"line: p0 at 0/0 in 4",
			"m1 p0->p1: sent 1 arrived 2 taken -, arrived",
			"m1 p0->p1: sent 7 arrived - taken -, on its way",
			"relevant: LogFetch (recovery) in 5", "relevant: LogData (recovery) in 6",
			"relevant: Pull (recovery) in 8",
			"relevant: Suppress (acknowledgement) in 9",
			"about: culprit m1 in 9", "about: holder p0 in 9", "about: holder p1 in -",
			"why 2: m1 has come to p1 in step 2, and its program has not received it.",
			"why -: After a failure p1 would begin at the start.",
			"why 9: p0 removes m1 from its log in step 9.",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, said(report.Understand(tt.run))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCauses: the whole past of the send of m7 is all that happens before it, and the application
// messages in it are those that m7 depends on.
func TestCauses(t *testing.T) {
	m := report.Understand(load(t, "h10.json"))
	send := slices.IndexFunc(m.Events, func(e report.Event) bool {
		return e.Step == 28 && e.Kind == trace.Sent
	})
	var labels []string
	past := m.Past(send)
	for _, i := range past {
		if e := m.Events[i]; e.Kind == trace.Sent {
			labels = append(labels, m.Layout.Label(e.ID))
		}
	}
	if want := []string{"m2", "m3", "m5", "m7"}; !slices.Equal(labels, want) || len(past) != 53 {
		t.Errorf("%v among %d causes, want %v among 53", labels, len(past), want)
	}
	for i, list := range m.Causes {
		for _, c := range list {
			if c >= i {
				t.Errorf("event %d has the later cause %d", i, c)
			}
		}
	}
}

// TestSendIsSaidOnce: the message that a violation is about is also the one that is missing
// elsewhere, and its send is one sentence.
func TestSendIsSaidOnce(t *testing.T) {
	m := report.Understand(erratum(t, "m16", "M16"))
	if len(m.Why) != 1 || m.Why[0].Text != "p0 sends m1 in step 1." {
		t.Errorf("why: %+v", m.Why)
	}
}

// TestPoints: a restart goes back to the checkpoint and not to the start; what came before it is
// not undone, and a second restart to an earlier point undoes more.
func TestPoints(t *testing.T) {
	s := newStory("points", nil, "a", "b")
	s.pass(0, 1, 1, "m1")
	s.one("checkpoint b", trace.Event{Kind: trace.Committed, Proc: 1, Received: 1})
	s.pass(0, 1, 2, "m2")
	s.crash(1)
	s.restart(1, 1, 0, 1)
	s.crash(1)
	s.restart(1, 2, 0, 0)
	want := []string{
		"life 0 of b: - to 8, from step - saved -, undone from 3",
		"life 1 of b: 9 to 10, from step 3 saved 4, undone from -",
		"life 2 of b: 11 to -, from step - saved -, undone from -",
		"line: b at 0/1 in 9",
		"line: b at 0/0 in 11",
		"m1 a->b: sent 1 arrived 2 taken 3, delivered",
		"m2 a->b: sent 5 arrived 6 taken 7, delivered",
	}
	if diff := cmp.Diff(want, said(report.Understand(&s.run))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCycle: of several circles of procs that wait for each other the shortest is told.
func TestCycle(t *testing.T) {
	to := func(p trace.Proc, from ...trace.Proc) report.Wait {
		return report.Wait{Proc: p, What: "x", From: from}
	}
	for _, tt := range []struct {
		waits []report.Wait
		want  []trace.Proc
	}{
		{nil, nil},
		{[]report.Wait{to(0, 1), to(1, 2), to(2)}, nil},
		{[]report.Wait{to(0, 1), to(1, 2), to(2, 0)}, []trace.Proc{0, 1, 2}},
		{[]report.Wait{to(0, 1), to(1, 2), to(2, 0, 1)}, []trace.Proc{1, 2}},
		{[]report.Wait{to(3, 1, 2), to(2, 1, 3), to(1)}, []trace.Proc{2, 3}},
		{[]report.Wait{to(0, 1), to(1, 0), to(2, 2)}, []trace.Proc{2}},
	} {
		got := report.Understand(&report.Run{Waits: tt.waits}).Cycle
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: circle %v, want %v", tt.waits, got, tt.want)
		}
	}
}

// TestStuck: who waits is told what was lost on its way to it, by whom, and what it did last, which
// the loss is not.
func TestStuck(t *testing.T) {
	s := newStory("stuck", nil, "a", "b")
	s.pass(0, 1, 1, "m1")
	m2 := s.send(0, 1, 2, "m2")
	s.one("lose a->b App m2", trace.Event{Kind: trace.Lost, Proc: 1, Peer: 0, ID: m2, Text: "App"})
	r := s.breaks(0, "ends", "the run is stuck: b can not go on")
	r.Waits = []report.Wait{{Proc: 1, What: "a message", From: []trace.Proc{0}}}
	m := report.Understand(r)
	var got []string
	for _, w := range m.Why {
		got = append(got, w.Text)
	}
	want := []string{"b waits for a message of a.",
		"b does not get m2 of a (in step 4, lost by the network).",
		"The last that happens at b is: delivered m1 from a, in step 3."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := m.Messages[1]; c.Fate != report.Lost || m.Events[c.LostAt].Step != 5 {
		t.Errorf("m2 is %s at %d", c.Fate, c.LostAt)
	}
}
