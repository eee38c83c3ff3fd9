package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Operations on groups are messages between the root and every other member: the trees of programs
// say who belongs together, and in which order contributions are combined. So an error is one of
// the whole group, at each member: nobody in between has to pass on what is not for it.

// multicast sends to every other member.
func (j *job) multicast(in *core.Input, out []core.Effect) []core.Effect {
	for _, r := range j.trees[in.Group-1].Members[1:] {
		out = j.dispatch(r, logged{Payload: in.Payload, Group: in.Group}, out)
	}
	return out
}

// contribute sends to the root.
func (j *job) contribute(in *core.Input, out []core.Effect) []core.Effect {
	l := logged{Payload: in.Payload, Group: in.Group, Part: true}
	root := j.trees[in.Group-1].Root()
	if root != j.rank {
		return j.dispatch(root, l, out)
	}
	j.combine(root, in.Group, in.Payload)
	return out
}

// box is where the program finds what a source has sent.
func (j *job) box(source core.Rank) *[]core.Payload {
	if g, group := core.SourceGroup(source); group {
		return &j.s.In[j.ranks+int(g)-1]
	}
	return &j.s.In[source]
}

// put takes in what has arrived. A part of a group that is not the root's is of no program.
func (j *job) put(from core.Rank, m *Message) (why string) {
	switch {
	case m.Group == 0:
		*j.box(from) = append(*j.box(from), m.Payload)
	case int(m.Group) > len(j.trees), !j.trees[m.Group-1].Has(from),
		m.Part != (j.trees[m.Group-1].Root() == j.rank):
		return "nothing of a group of this rank"
	case m.Part:
		j.combine(from, m.Group, m.Payload)
	default:
		*j.box(m.Group.Source()) = append(*j.box(m.Group.Source()), m.Payload)
	}
	return ""
}

// combine takes a contribution at the root; the last one of a round makes the result.
func (j *job) combine(from core.Rank, g core.Group, p core.Payload) {
	t, parts := &j.trees[g-1], j.s.Parts[int(g-1)*j.ranks:]
	parts[from] = append(parts[from], p)
	if slices.ContainsFunc(t.Members, func(r core.Rank) bool { return len(parts[r]) == 0 }) {
		return
	}
	result := core.Payload{ID: parts[j.rank][0].ID}
	var data [][]byte
	for _, r := range t.Members {
		data = append(data, core.Pop(&parts[r]).Data)
	}
	result.Data = core.Combine(t.Combine, data)
	*j.box(g.Source()) = append(*j.box(g.Source()), result)
}
