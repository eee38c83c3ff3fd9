package level

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec"
)

// end is how a run goes on behind the first step of a fork: to nothing, or to a violation.
type end struct {
	how    byte   // 0: it ends; 'e': that is a violation; 's': a step is; 'l': where that leads
	broken string // property
}

// length is that of the run; level that of the state in which the violation is seen.
func (e end) length() int { return map[byte]int{'e': 1, 's': 2, 'l': 2}[e.how] }
func (e end) level() int  { return map[byte]int{'e': 1, 's': 1, 'l': 2}[e.how] }

// beyond is the content of the state behind the one of an end, more than there are of those.
const beyond = 500

// fork expands a state of a toy with ends: 0 leads to 1, 2, ..., of which each is one of the ends.
func (t *toy) fork(content int, x *checker.Expansion) {
	switch {
	case content == 0:
		for i := range t.ends {
			x.Add(checker.Step{Code: uint64(i)})
			x.Set(0, t.number(0, uint32(1+i)))
		}
	case content < beyond && (t.ends[content-1].how == 's' || t.ends[content-1].how == 'l'):
		s := checker.Step{}
		if e := t.ends[content-1]; e.how == 's' {
			s.Violation = t.violation(spec.Violation{Property: e.broken})
		}
		x.Add(s)
		x.Set(0, t.number(0, uint32(beyond+content)))
	}
}

// endsIn is what a state without steps breaks.
func (t *toy) endsIn(content int) (v spec.Violation) {
	if content == 0 {
		return v
	}
	if e := t.ends[(content-1)%beyond]; e.how == 'e' || e.how == 'l' && content > beyond {
		v.Property = e.broken
	}
	return v
}

// shows are the ends of which the runs are to be shown: of each property the shortest, of those the
// one that is seen first, of those the one with the least fingerprint; or the first of all.
func (t *toy) shows(all bool) (list []int) {
	before := func(i, j int) int {
		a, b := t.ends[i], t.ends[j]
		print := func(i int) checker.Digest {
			return checker.DigestOf(toyContent(0, uint32(1+i+beyond*(t.ends[i].level()-1))))
		}
		switch {
		case a.length() != b.length():
			return a.length() - b.length()
		case a.level() != b.level():
			return a.level() - b.level()
		}
		return print(i).Compare(print(j))
	}
	for i := range t.ends {
		if t.ends[i].how != 0 {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, before)
	var first []int
	for _, i := range list {
		if !slices.ContainsFunc(first, func(j int) bool {
			return t.ends[i].broken == t.ends[j].broken
		}) {
			first = append(first, i)
		}
	}
	if !all && len(first) > 1 {
		first = first[:1]
	}
	return first
}

// TestShows explores all forks of three ends, one block each, so that findings of one level come
// from different blocks in every order: the runs that are shown are as long as those of the search
// in one process, and of those that are equally long they are the ones that the package doc says.
func TestShows(t *testing.T) {
	t.Parallel()
	kinds := []end{{}, {'e', "p"}, {'s', "p"}, {'s', "q"}, {'e', "q"}, {'l', "p"}, {'l', "q"}}
	kinds = effort.Of(kinds[:4], kinds)
	cases := 0
	for i := range len(kinds) * len(kinds) * len(kinds) {
		toy := &toy{words: 1, ends: []end{kinds[i%len(kinds)], kinds[i/len(kinds)%len(kinds)],
			kinds[i/len(kinds)/len(kinds)]}}
		o := checker.Options{All: i%2 == 0}
		want := local(toy, o)
		synctest.Test(t, func(t *testing.T) {
			out, err := sharded(t.Context(), toy, Config{Options: o, Partitions: 8, Block: 1}, 2)
			if err != nil {
				t.Fatalf("%+v: %v", toy.ends, err)
			}
			if d := cmp.Diff(want, numbersOut(out, o.All)); d != "" {
				t.Errorf("%+v (-local +here):\n%s", toy.ends, d)
			}
			var got, shows []string
			for _, f := range out.Found {
				got = append(got, fmt.Sprintf("%s by end %d in %d", f.Property, f.Path[0],
					len(f.Path)))
			}
			for _, e := range toy.shows(o.All) {
				shows = append(shows, fmt.Sprintf("%s by end %d in %d", toy.ends[e].broken, e,
					toy.ends[e].length()))
			}
			if d := cmp.Diff(shows, got); d != "" {
				t.Errorf("%+v (-want +got):\n%s", toy.ends, d)
			}
		})
		cases++
	}
	if want := effort.Of(64, 343); cases != want {
		t.Errorf("%d forks, want %d", cases, want)
	}
}
