//go:build unix

package judge_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// moment is a state of an application of the abstract HydEE, with failures that might come next.
type moment struct {
	*rand.Rand
	app      *hydee.Application
	state    hydee.State
	failures []hydee.Step
	derived  bool // phases are those of Algorithm 1
}

// drawMoment makes an application of up to seven messages of two to four ranks in up to three
// clusters, and takes it to some state: by steps that are possible, or anywhere. Some applications
// do not satisfy the hypotheses of the theorems, by their phases or by their depths.
func drawMoment(r *rand.Rand) *moment {
	d := &moment{Rand: r, derived: r.IntN(3) > 0}
	for d.app == nil {
		d.drawApplication()
	}
	n := len(d.app.Messages)
	if !d.derived {
		for range 1 + r.IntN(2) {
			m := &d.app.Messages[r.IntN(n)]
			m.Phase, m.Depth = uint64(1+r.IntN(4)), max(0, m.Depth+r.IntN(3)-1)
		}
	}
	d.state = hydee.State{Sent: make([]bool, n), Delivered: make([]bool, n), Held: make([]bool, n)}
	if r.IntN(4) == 0 {
		d.scatter()
	} else {
		for range r.IntN(4 * n) {
			d.walk()
		}
	}
	for range 1 + r.IntN(3) {
		d.failures = append(d.failures, d.failure())
	}
	return d
}

// drawApplication draws one; it may be none, as its messages wait for each other.
func (d *moment) drawApplication() {
	ranks := 2 + d.IntN(3)
	clusters := make([]int, ranks)
	for i := range clusters {
		clusters[i] = d.IntN(min(3, ranks))
	}
	var sends []hydee.Send
	counts := make([]uint32, ranks)
	for range 1 + d.IntN(7) {
		from, to := d.IntN(ranks), d.IntN(ranks)
		counts[from]++
		s := hydee.Send{ID: trace.MsgID{From: trace.Rank(from), Number: counts[from]},
			To: trace.Rank(to)}
		for _, k := range sends { // what a sender has received it has received before later sends
			if k.To == s.ID.From && d.IntN(2) == 0 || slices.ContainsFunc(sends,
				func(e hydee.Send) bool {
					return e.ID.From == s.ID.From && slices.Contains(e.Needs, k.ID)
				}) {
				s.Needs = append(s.Needs, k.ID)
			}
		}
		sends = append(sends, s)
	}
	app, err := hydee.New(clusters, sends)
	if err == nil {
		d.app = app
	}
}

// scatter draws a state that no run may lead to.
func (d *moment) scatter() {
	for i := range d.state.Sent {
		d.state.Sent[i], d.state.Delivered[i] = d.IntN(2) == 0, d.IntN(2) == 0
		d.state.Held[i] = d.IntN(4) == 0
	}
	for range d.IntN(3) {
		d.state.Count = append(d.state.Count, uint64(1+d.IntN(4)))
	}
}

// walk takes a step, if the one that is drawn is possible.
func (d *moment) walk() {
	step := hydee.Step{Kind: hydee.Kind(d.IntN(3)), Message: d.IntN(len(d.app.Messages))}
	if d.IntN(12) == 0 {
		step = d.failure()
	}
	if d.app.Refuses(&d.state, &step).Guard == hydee.None {
		d.state = d.app.After(&d.state, &step)
	}
}

// failure draws clusters that fail, and takes from their ranks the end of what they have done; what
// they have then is often, but not always, a line.
func (d *moment) failure() hydee.Step {
	step := hydee.Step{Kind: hydee.Fails, Failed: make([]bool, 3),
		Sent: slices.Clone(d.state.Sent), Delivered: slices.Clone(d.state.Delivered)}
	for i := range step.Failed {
		step.Failed[i] = d.IntN(2) == 0
	}
	back := d.IntN(3)
	for i := len(d.app.Messages) - 1; i >= 0; i-- {
		m := &d.app.Messages[i]
		if step.Failed[d.app.Clusters[m.ID.From]] && (back == 2 || d.IntN(3) == 0) {
			step.Sent[i] = false
		}
		if step.Failed[d.app.Clusters[m.To]] && (back == 2 || d.IntN(4) == 0) {
			step.Delivered[i] = false
		}
	}
	if d.IntN(8) == 0 {
		i := d.IntN(len(step.Sent))
		step.Sent[i], step.Delivered[i] = d.IntN(2) == 0, d.IntN(2) == 0
	}
	return step
}

// line is the moment as hydee.ml reads it.
func (d *moment) line(b []byte) []byte {
	put := func(numbers ...int) {
		for _, n := range numbers {
			b = append(strconv.AppendInt(b, int64(n), 10), ' ')
		}
	}
	put(len(d.app.Clusters))
	put(d.app.Clusters...)
	put(len(d.app.Messages))
	for i := range d.app.Messages {
		m := &d.app.Messages[i]
		put(int(m.ID.From), int(m.ID.Number), int(m.To), int(m.Phase), m.Depth, len(m.Needs))
		put(m.Needs...)
	}
	put(sets(d.state.Sent, d.state.Delivered, d.state.Held)...)
	put(len(d.state.Count))
	for _, phase := range d.state.Count {
		put(int(phase))
	}
	put(len(d.failures))
	for i := range d.failures {
		f := &d.failures[i]
		failed := 0
		for c, yes := range f.Failed {
			if yes {
				failed |= 1 << c
			}
		}
		put(failed)
		put(sets(f.Sent, f.Delivered)...)
	}
	b[len(b)-1] = '\n'
	return b
}

// sets are of each message a number with a bit for each set that has it, the first the lowest.
func sets(of ...[]bool) []int {
	list := make([]int, len(of[0]))
	for k, set := range of {
		for i, in := range set {
			if in {
				list[i] |= 1 << k
			}
		}
	}
	return list
}

// said is what package hydee says of the moment, as hydee.ml writes it.
func (d *moment) said(b []byte) []byte {
	say := func(yes bool) {
		if b = append(b, '0', ' '); yes {
			b[len(b)-2] = '1'
		}
	}
	hypothesis, _, _ := d.app.Check()
	say(hypothesis == "")
	say(d.derived || d.stamped())
	outcome := func(step *hydee.Step) {
		if d.app.Refuses(&d.state, step).Guard != hydee.None {
			b = append(b, "- "...)
			return
		}
		next := d.app.After(&d.state, step)
		slices.Sort(next.Count)
		for _, n := range sets(next.Sent, next.Delivered, next.Held) {
			b = append(strconv.AppendInt(b, int64(n), 10), ',')
		}
		for _, phase := range next.Count {
			b = append(strconv.AppendUint(b, phase, 10), ',')
		}
		b[len(b)-1] = ' '
	}
	for i := range d.app.Messages {
		for _, kind := range []hydee.Kind{hydee.Sends, hydee.Releases, hydee.Receives} {
			outcome(&hydee.Step{Kind: kind, Message: i})
		}
	}
	for i := range d.failures {
		outcome(&d.failures[i])
	}
	b[len(b)-1] = '\n'
	return b
}

// stamped reports whether changed phases happen to be those that New gives.
func (d *moment) stamped() bool {
	return !slices.ContainsFunc(d.app.Messages, func(m hydee.Message) bool {
		phase := uint64(1)
		for _, k := range m.Needs {
			if phase = max(phase, d.app.Messages[k].Phase); d.app.Between(k) {
				phase = max(phase, d.app.Messages[k].Phase+1)
			}
		}
		return m.Phase != phase
	})
}

// TestSteps compares the steps of package hydee with those that are extracted from HydEE.v: which
// of a random state are possible, and where they lead; and which applications satisfy the
// hypotheses of the theorems.
func TestSteps(t *testing.T) {
	t.Parallel()
	n := *traces
	if n == 0 {
		n = effort.Cases(3_000, 10_000)
	}
	kinds := make([]int, 4) // steps that are possible, by kind
	refused, wrong, orphaned := 0, 0, 0
	compare(t, build(t, "steps"), n, drawMoment, func(d *moment, said []byte) {
		words := bytes.Fields(said)
		if d.derived && (words[0][0] == '0' || words[1][0] == '0') {
			t.Fatalf("Go says that %+v is an application, and it is none", d.app)
		}
		if words[0][0] == '0' {
			wrong++
		}
		if len(d.state.Count) > 0 {
			orphaned++
		}
		for i, w := range words[2:] {
			switch k := min(i/len(d.app.Messages)/3, 1); {
			case w[0] == '-':
				refused++
			case k == 1:
				kinds[hydee.Fails]++
			default:
				kinds[i%3]++
			}
		}
	})
	t.Logf("possible, by kind: %d; %d refused; %d moments with orphans, %d with a wrong "+
		"application", kinds, refused, orphaned, wrong)
	if slices.Min(kinds) < n/20 || refused < n || orphaned < n/10 || wrong < n/20 {
		t.Errorf("too few of some kind to tell: %d, %d refused, %d with orphans, %d wrong", kinds,
			refused, orphaned, wrong)
	}
}

// wrongSteps are changes of package hydee that a reader might overlook, of guards, of what steps
// do and of hypotheses.
var wrongSteps = []change{
	{"who has sent may send again", "step.go", "\tif s.Sent[i] {\n", "\tif false {\n"},
	{"only the send before counts", "step.go", "k >= 0 && a.earlier(k, i); k--",
		"k >= 0 && k == i-1 && a.earlier(k, i); k--"},
	{"a send waits for nothing", "step.go", "range a.Messages[i].Needs {\n\t\tif !s.Delivered[k]",
		"range a.Messages[i].Needs {\n\t\tif !s.Delivered[k] && !s.Sent[k]"},
	{"no gate", "step.go", "if a.Messages[i].Phase > phase {",
		"if a.Messages[i].Phase > phase+9 {"},
	{"the gate is closed at the phase of the orphan", "step.go",
		"if a.Messages[i].Phase > phase {", "if a.Messages[i].Phase >= phase {"},
	{"releases pass no gate", "step.go", "\t\treturn a.gate(s, i)\n\tcase",
		"\t\treturn Refusal{}\n\tcase"},
	{"received twice", "step.go", "if s.Delivered[i] {", "if false {"},
	{"order among all messages of a sender", "step.go",
		"a.Messages[k].To == a.Messages[i].To && !s", "!s"},
	{"received before it is sent", "step.go", "if !s.Sent[i] || s.Held[i] {", "if s.Held[i] {"},
	{"held messages arrive", "step.go", "if !s.Sent[i] || s.Held[i] {", "if !s.Sent[i] {"},
	{"who lives forgets", "step.go",
		"!step.Failed[a.Clusters[m.To]] && step.Delivered[i] != s.Delivered[i]", "false"},
	{"orphans inside a cluster", "step.go", "if !a.Between(i) && step.Delivered[i]",
		"if false && step.Delivered[i]"},
	{"a past that was not fed", "step.go", "if !step.Delivered[k] {",
		"if !step.Delivered[k] && k < 0 {"},
	{"every send counts down", "step.go", "s.Delivered[i] && k >= 0", "k >= 0"},
	{"what is held stays so", "step.go",
		"step.Delivered[k] && (s.Held[k] ||", "step.Delivered[k] && (false ||"},
	{"what is on its way inside arrives", "step.go", "!step.Delivered[k] && (s",
		"!step.Delivered[k] && a.Between(k) && (s"},
	{"phases do not rise between clusters", "hydee.go", "a.Messages[k].Phase+1)",
		"a.Messages[k].Phase)"},
	{"phases need not rise", "hydee.go", "a.Between(i) && m.Phase >= n.Phase",
		"a.Between(i) && m.Phase > n.Phase"},
}

// TestWrongSteps changes package hydee and expects that the comparison notices.
func TestWrongSteps(t *testing.T) {
	notices(t, "steps", "../../spec/hydee", "TestSteps", wrongSteps)
}
