package page

import (
	"fmt"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// Align compares what the program of each rank does in a run, as far as it survives, with what it
// does in another: what both have in the same order, and what one of them has beside that.
func Align(run, free *report.Model) (list []Alignment) {
	for p := range trace.Proc(min(run.Layout.Ranks, free.Layout.Ranks)) {
		a, end := deeds(run, p)
		b, freeEnd := deeds(free, p)
		list = append(list, Alignment{Rank: run.Layout.Name(p), Items: align(a, b), End: end,
			FreeEnd: freeEnd})
	}
	return list
}

// deed is one send or delivery that survives.
type deed struct {
	key    string // what makes two the same
	text   string
	digest uint64
}

// deeds are what the program of a rank has done, and the digest of its end, "" before.
func deeds(m *report.Model, p trace.Proc) (list []deed, end string) {
	for i := range m.Events {
		e := &m.Events[i]
		if e.Proc != p || e.Undone {
			continue
		}
		verb := ""
		switch e.Kind {
		case trace.Sent:
			verb = "sends "
		case trace.Delivered:
			verb = "receives "
		case trace.Finished:
			end = fmt.Sprintf("%016x", e.Digest)
		}
		if verb != "" {
			text := verb + m.Layout.Label(e.ID)
			if e.ID.IsZero() { // the sum of a group to which the rank has not contributed
				text = verb + "what nobody has sent"
			}
			list = append(list, deed{text + " " + m.Layout.Name(e.Peer), text, e.Digest})
		}
	}
	return list, end
}

// align puts two lists beside each other along a longest common subsequence.
func align(a, b []deed) []Aligned {
	length := make([][]int, len(a)+1) // of the longest one of a[i:] and b[j:]
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].key == b[j].key {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	list := []Aligned{}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i].key == b[j].key:
			sort := Equal
			if a[i].digest != b[j].digest {
				sort = Other
			}
			list = append(list, Aligned{a[i].text, sort})
			i, j = i+1, j+1
		case i == len(a):
			list = append(list, Aligned{b[j].text, Later})
			j++
		case j < len(b) && length[i][j+1] >= length[i+1][j]:
			list = append(list, Aligned{b[j].text, Missing})
			j++
		default:
			list = append(list, Aligned{a[i].text, Extra})
			i++
		}
	}
	return list
}
