package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
)

// draft is a scenario as it is drawn: a sequence of things that happen among ranks, from which each
// rank gets its program. The sequence is one run of the programs, so they can not get stuck as long
// as every receive names its source, or a rank receives everything from anyone.
type draft struct {
	template  *scenarios.Scenario
	ranks     int
	gone      []bool // ranks that shrinking has taken out
	styles    []style
	sees      []bool // ranks that try everything; nil: nobody does
	clusters  []int  // nil: the scenario names none
	trees     []tree
	items     []item
	loops     int // repetitions of the whole, at least 1
	model     fault.Model
	options   []string // words
	policies  string
	tolerates int  // 0 = the protocol's own choice
	closed    bool // what a rank has received before it sends must not depend on the run
	overlaps  bool // a rank may send while a posted receive is open
	crosses   bool // a rank may take checkpoints and contribute before it receives
	victim    int  // the one rank that fails again and again, plus 1; 0 = anybody fails
}

// style is how a rank receives.
type style uint8

const (
	byName  style = iota // each receive names its source
	posting              // posts receives that name their source, and waits for them later
	anyone               // from anyone
	ordered              // from anyone, and what it computes depends on the order
	server               // from anyone, and it answers each message
)

// tree is a group of ranks, in preorder, with the place of each one's parent.
type tree struct {
	members, parents []int
	combine          string
}

// item is one thing that happens.
type item struct {
	kind     itemKind
	number   int // names its messages, also after others are gone
	from, to int // ranks; of a checkpoint, an output or a chance: from
	group    int
	late     bool // the receiver receives it when it has to, not at once
	settle   bool // the sender first receives what it has not received yet
}

type itemKind uint8

const (
	message itemKind = iota
	multicast
	reduction
	checkpoint
	output
	chance // a rank picks a value
)

// rankNames leave room for the names that protocols give to their procs.
var rankNames = strings.Fields("a b c d e f h i j k m n o p q r")

// scenario is the draft as a scenario file has it.
func (d *draft) scenario() *scenarios.Scenario {
	s := *d.template
	s.Program, s.Model, s.Schedule, s.Shape = d.program(), d.model, nil, ""
	s.Clusters, s.Options = d.clusterText(), strings.Join(
		append(strings.Fields(s.Options), d.options...), " ")
	if d.policies != "" {
		s.Policies = d.policies
	}
	if d.tolerates > 0 {
		s.Tolerates = &d.tolerates
	}
	if d.victim > 0 && !d.gone[d.victim-1] {
		s.Victims = []string{rankNames[d.victim-1]}
	}
	return &s
}

func (d *draft) clusterText() string {
	if d.clusters == nil {
		return ""
	}
	var parts []string
	var order []int
	names := map[int][]string{}
	for r := range d.ranks {
		if k := d.clusters[r]; !d.gone[r] {
			if len(names[k]) == 0 {
				order = append(order, k)
			}
			names[k] = append(names[k], rankNames[r])
		}
	}
	for _, k := range order {
		parts = append(parts, strings.Join(names[k], " "))
	}
	return strings.Join(parts, " | ")
}

// program is the text of the programs and groups.
func (d *draft) program() string {
	w := writer{draft: d, ops: make([][]string, d.ranks), owed: make([][]string, d.ranks),
		named: make([]bool, d.ranks)}
	for {
		w.write()
		open := -1
		for r := range w.ops {
			if d.closed && !w.named[r] && d.opens(r, w.ops[r]) {
				open = r
			}
		}
		if open < 0 {
			break
		}
		w.named[open] = true
	}
	var b strings.Builder
	for r, ops := range w.ops {
		if d.gone[r] {
			continue
		}
		if d.sees != nil && d.sees[r] {
			ops = tried(ops)
		}
		if d.loops > 1 && len(ops) > 0 {
			ops = append(append([]string{fmt.Sprintf("loop %d", d.loops)}, ops...), "end")
		}
		b.WriteString(strings.TrimRight(rankNames[r]+": "+strings.Join(ops, "; "), " ") + "\n")
	}
	b.WriteString(d.groupText())
	return b.String()
}

// tried is the same with an eye on errors. Nothing is acknowledged, so that every receive from
// anyone ends, however many of the messages for them are never sent.
func tried(ops []string) (list []string) {
	for _, op := range ops {
		verb, _, _ := strings.Cut(op, " ")
		if sending(op) || verb == "recv" || verb == "wait" {
			op = "try " + op
		}
		list = append(list, op)
	}
	return list
}

// opens reports whether the set of messages that a rank has received before some send may depend on
// the run: it receives from anyone, and sends between two of its receives.
func (d *draft) opens(r int, ops []string) bool {
	if d.styles[r] == byName || d.styles[r] == posting {
		return false // posts are waited for before a send, see flush
	}
	first, last, sends := -1, -1, []int(nil)
	for i, op := range ops {
		switch {
		case strings.HasPrefix(op, "recv"):
			if last = i; first < 0 {
				first = i
			}
		case sending(op):
			sends = append(sends, i)
		}
	}
	if d.loops > 1 {
		return first >= 0 && len(sends) > 0
	}
	return slices.ContainsFunc(sends, func(i int) bool { return first < i && i < last })
}

// sending reports whether an operation sends.
func sending(op string) bool {
	verb, _, _ := strings.Cut(op, " ")
	return slices.Contains([]string{"send", "reply", "multicast", "contribute"}, verb)
}

func (d *draft) groupText() string {
	var b strings.Builder
	for g, t := range d.trees {
		if !d.used(g) {
			continue
		}
		var parts []string
		for i, m := range t.members {
			var children []string
			for j := i + 1; j < len(t.members); j++ {
				if t.parents[j] == i {
					children = append(children, rankNames[t.members[j]])
				}
			}
			if len(children) > 0 {
				parts = append(parts, rankNames[m]+" > "+strings.Join(children, " "))
			}
		}
		fmt.Fprintf(&b, "group g%d %s: %s\n", g+1, t.combine, strings.Join(parts, "; "))
	}
	return b.String()
}

// used reports whether something happens in a group.
func (d *draft) used(g int) bool {
	return slices.ContainsFunc(d.items, func(i item) bool {
		return (i.kind == multicast || i.kind == reduction) && i.group == g
	})
}

// writer turns the sequence of a draft into the operations of each rank.
type writer struct {
	*draft
	ops   [][]string
	owed  [][]string // receives that a rank has put off
	named []bool     // receives by name, whatever its style
}

func (w *writer) style(r int) style {
	if w.named[r] {
		return byName
	}
	return w.styles[r]
}

// write starts again.
func (w *writer) write() {
	for r := range w.ops {
		w.ops[r], w.owed[r] = nil, nil
	}
	for i := range w.items {
		w.item(&w.items[i])
	}
	for r := range w.ops {
		w.flush(r)
	}
}

// flush lets a rank receive what it has put off.
func (w *writer) flush(r int) {
	w.ops[r] = append(w.ops[r], w.owed[r]...)
	w.owed[r] = nil
}

// add adds an operation that sends; what a rank waits for it must have before where programs are
// closed.
func (w *writer) add(r int, settle bool, op string) {
	if settle || w.closed && w.style(r) != byName || slices.Contains(w.owed[r], "wait") &&
		!w.overlaps {
		w.flush(r)
	}
	w.ops[r] = append(w.ops[r], op)
}

func (w *writer) item(i *item) {
	switch i.kind {
	case message:
		w.message(i)
	case multicast:
		t := &w.trees[i.group]
		w.add(t.members[0], i.settle, fmt.Sprintf("multicast g%d m%d", i.group+1, i.number))
		for _, m := range t.members[1:] {
			w.receive(m, fmt.Sprintf("g%d", i.group+1), i.late)
		}
	case reduction:
		t := &w.trees[i.group]
		for _, m := range t.members {
			w.before(m, i)
			w.add(m, false, fmt.Sprintf("contribute g%d m%d", i.group+1, i.number))
		}
		w.receive(t.members[0], fmt.Sprintf("g%d", i.group+1), i.late)
	case checkpoint:
		for r := range w.ranks {
			if i.to < 0 {
				w.before(r, i)
			}
		}
		for r := range w.ranks {
			if i.to < 0 || r == i.from {
				w.ops[r] = append(w.ops[r], "checkpoint")
			}
		}
	case output:
		w.add(i.from, i.settle, "output")
	case chance:
		w.add(i.from, i.settle, "pick 2")
	}
}

// before lets a rank receive what it has put off before all do something together.
func (w *writer) before(r int, i *item) {
	if !w.crosses || i.settle {
		w.flush(r)
	}
}

// message is a send and its receive, or a request and its answer.
func (w *writer) message(i *item) {
	w.add(i.from, i.settle, fmt.Sprintf("send %s m%d", rankNames[i.to], i.number))
	if w.style(i.to) != server {
		w.receive(i.to, rankNames[i.from], i.late)
		return
	}
	w.ops[i.to] = append(w.ops[i.to], "recv *", fmt.Sprintf("reply n%d", i.number))
	w.receive(i.from, rankNames[i.to], i.late)
}

// receive is one receive, now or later.
func (w *writer) receive(r int, source string, late bool) {
	op := "recv " + source
	switch w.style(r) {
	case posting:
		if !strings.HasPrefix(source, "g") {
			w.ops[r] = append(w.ops[r], "post "+source)
			op = "wait"
		}
	case anyone, server:
		op = "recv *"
	case ordered:
		op = "recv * ordered"
	}
	if op != "wait" || !slices.Contains(w.owed[r], "wait") {
		w.owed[r] = append(w.owed[r], op)
	}
	if !late {
		w.flush(r)
	}
}
