package report

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// causes finds the direct causes of every event.
func (m *Model) causes() {
	m.Causes = make([][]int, len(m.Events))
	before := map[int]int{} // by life
	crash, adoption := map[trace.Proc]int{}, map[trace.Proc]int{}
	for i := range m.Events {
		e := &m.Events[i]
		add := func(cause int, ok bool) {
			if ok && cause != never && cause < i {
				m.Causes[i] = append(m.Causes[i], cause)
			}
		}
		if e.Kind == trace.Lost { // nobody does that
			if e.Message != never {
				add(m.Messages[e.Message].Sent, true)
			}
			continue
		}
		last, ok := before[e.Life]
		if e.Life != never {
			add(last, ok)
			before[e.Life] = i
		}
		switch e.Kind {
		case trace.Arrived:
			add(m.Messages[e.Message].Sent, true)
		case trace.Told:
			for _, p := range e.About {
				last, ok := crash[p]
				add(last, ok)
			}
		case trace.Adopted:
			adoption[e.Peer] = i
		case trace.Crashed:
			crash[e.Proc] = i
		case trace.Restored, trace.Resumed:
			add(e.Of, true)
			if e.Kind == trace.Restored {
				for _, seen := range []map[trace.Proc]int{crash, adoption} {
					last, ok := seen[e.Proc]
					add(last, ok)
				}
			}
		}
		slices.Sort(m.Causes[i])
		m.Causes[i] = slices.Compact(m.Causes[i])
	}
}

// Past is everything that an event follows from, itself included, ascending.
func (m *Model) Past(event int) []int {
	seen := map[int]bool{event: true}
	list := []int{event}
	for k := 0; k < len(list); k++ {
		for _, c := range m.Causes[list[k]] {
			if !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	slices.Sort(list)
	return list
}

// longestChain is how far back the relevant messages go: farther back nobody follows.
const longestChain = 8

// relevant finds the protocol messages that explain the accused step.
func (m *Model) relevant() {
	if m.showsAll() {
		for i := range m.Messages {
			if !m.Messages[i].App() {
				m.Relevant = append(m.Relevant, i)
			}
		}
		return
	}
	arrived := map[int][]int{} // protocol messages by the step in which they arrive
	for i := range m.Messages {
		c := &m.Messages[i]
		if !c.App() && c.Arrived != never {
			step := m.Events[c.Arrived].Step
			arrived[step] = append(arrived[step], i)
		}
	}
	v := m.Run.Violation
	if v == nil || v.Step <= 0 {
		return
	}
	seen, steps := map[int]bool{v.Step: true}, []int{v.Step}
	for range longestChain {
		var next []int
		for _, step := range steps {
			for _, i := range arrived[step] {
				m.Relevant = append(m.Relevant, i)
				if sent := m.Messages[i].Sent; sent != never && !seen[m.Events[sent].Step] {
					seen[m.Events[sent].Step] = true
					next = append(next, m.Events[sent].Step)
				}
			}
		}
		steps = next
	}
	slices.Sort(m.Relevant)
}

// showsAll reports whether all protocol messages are relevant: nothing else is there, or the run
// ends with a rank that is down or that has done nothing since it came back.
func (m *Model) showsAll() bool {
	v := m.Run.Violation
	if !slices.ContainsFunc(m.Messages, func(c Message) bool { return c.App() }) {
		return true
	}
	if v == nil || v.Step > 0 {
		return false
	}
	acts := map[int]bool{}
	last := map[trace.Proc]int{}
	for i := range m.Events {
		e := &m.Events[i]
		switch e.Kind {
		case trace.Sent, trace.Delivered, trace.Finished, trace.Released:
			acts[e.Life] = true
		}
	}
	for i := range m.Lives {
		last[m.Lives[i].Proc] = i
	}
	return slices.ContainsFunc(m.Lanes, func(l Lane) bool {
		i, ok := last[l.Proc]
		if !ok || l.Role != RoleRank {
			return false
		}
		life := &m.Lives[i]
		return life.To != never || life.From != never && !acts[i]
	})
}
