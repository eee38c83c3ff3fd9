package recovery_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/recovery"
)

// run is a random run of ranks that take images and send, as the reports of its end have it.
type run struct {
	reports []recovery.Report
	flight  [][]message // by receiver
}

// message is one on its way, with the interval in which it was sent.
type message struct {
	from     int
	interval uint32
}

// draw makes a run of a few ranks: images, sends and receptions in any order, reliable channels.
func draw(t *rapid.T) *run {
	n := rapid.IntRange(2, 4).Draw(t, "ranks")
	r := &run{flight: make([][]message, n)}
	for range n {
		blank := recovery.Image{Vector: link.NewNumbers(n), Sent: link.NewNumbers(n),
			Taken: link.NewNumbers(n)}
		r.reports = append(r.reports, recovery.Report{Images: []recovery.Image{blank},
			Now: clone(blank)})
	}
	for range rapid.IntRange(0, 24).Draw(t, "events") {
		i := rapid.IntRange(0, n-1).Draw(t, "rank")
		me := &r.reports[i]
		switch kind := rapid.IntRange(0, 3).Draw(t, "event"); {
		case kind == 0:
			me.Now.Number++
			me.Images = append(me.Images, clone(me.Now))
		case kind == 1 && len(r.flight[i]) > 0:
			m := r.flight[i][0]
			r.flight[i] = r.flight[i][1:]
			me.Now.Taken[m.from].Value++
			v := &me.Now.Vector[m.from].Value
			*v = max(*v, m.interval)
		case kind >= 2:
			to := (i + rapid.IntRange(1, n-1).Draw(t, "to")) % n
			me.Now.Sent[to].Value++
			r.flight[to] = append(r.flight[to], message{i, me.Now.Number + 1})
		}
	}
	for i := range r.reports {
		r.reports[i].Lost = rapid.Bool().Draw(t, "lost")
	}
	return r
}

// numbers are those of the first ranks.
func numbers(values ...uint32) link.Numbers {
	list := link.NewNumbers(len(values))
	for r, value := range values {
		list.Set(core.Rank(r), value)
	}
	return list
}

func clone(i recovery.Image) recovery.Image {
	i.Vector, i.Sent, i.Taken = slices.Clone(i.Vector), slices.Clone(i.Sent), slices.Clone(i.Taken)
	return i
}

// at is the state of a rank at a place of a line.
func at(r *recovery.Report, place int) *recovery.Image {
	if place == len(r.Images) {
		return &r.Now
	}
	return &r.Images[place]
}

// consistent looks at numbers of messages alone: nobody has more of another than that has sent;
// with empty channels, nobody has less.
func (r *run) consistent(line []int, empty bool) bool {
	for j := range r.reports {
		for i := range r.reports {
			if i == j {
				continue
			}
			taken := at(&r.reports[j], line[j]).Taken[i].Value
			sent := at(&r.reports[i], line[i]).Sent[j].Value
			if taken > sent || empty && taken < sent {
				return false
			}
		}
	}
	return true
}

// best is the componentwise maximum of all consistent lines, by trying all of them.
func (r *run) best(empty bool) []int {
	line, best := make([]int, len(r.reports)), make([]int, len(r.reports))
	for {
		if r.consistent(line, empty) {
			for i := range line {
				best[i] = max(best[i], line[i])
			}
		}
		i := 0
		for ; i < len(line); i++ {
			most := len(r.reports[i].Images)
			if r.reports[i].Lost {
				most--
			}
			if line[i]++; line[i] <= most {
				break
			}
			line[i] = 0
		}
		if i == len(line) {
			return best
		}
	}
}

// sparse are the reports as many ranks make them: numbers that are 0 are left out.
func (r *run) sparse() []recovery.Report {
	own := func(i recovery.Image) recovery.Image {
		i = clone(i)
		for _, list := range []*link.Numbers{&i.Vector, &i.Sent, &i.Taken} {
			*list = slices.DeleteFunc(*list, func(n link.Number) bool { return n.Value == 0 })
		}
		return i
	}
	list := slices.Clone(r.reports)
	for k := range list {
		list[k].Now, list[k].Images = own(list[k].Now), slices.Clone(list[k].Images)
		for i := range list[k].Images {
			list[k].Images[i] = own(list[k].Images[i])
		}
	}
	return list
}

// TestMaximal compares the line that the rules find with the best of all lines, which are told
// consistent by the numbers of messages and not by intervals; with zeros or without.
func TestMaximal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draw(t)
		for _, tt := range []struct {
			name  string
			rule  recovery.Rule
			empty bool
		}{{"maximal", recovery.Maximal, false}, {"strict", recovery.Strict, true}} {
			got, ok := tt.rule(r.reports)
			want := r.best(tt.empty)
			if !ok || !slices.Equal(got, want) {
				t.Fatalf("%s: %v %v, want %v of %+v", tt.name, got, ok, want, r.reports)
			}
			if got, ok := tt.rule(r.sparse()); !ok || !slices.Equal(got, want) {
				t.Fatalf("%s without zeros: %v %v, want %v", tt.name, got, ok, want)
			}
		}
	})
}

// TestPresentStates: who lives stays where nothing lost has reached it; with images alone, it goes
// back all the same.
func TestPresentStates(t *testing.T) {
	blank := recovery.Image{Vector: numbers(0, 0), Sent: numbers(0, 0), Taken: numbers(0, 0)}
	reports := []recovery.Report{{Lost: true, Images: []recovery.Image{blank}},
		{Images: []recovery.Image{blank}, Now: clone(blank)}}
	if got, _ := recovery.Maximal(reports); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("the line is %v, want the beginning and the present state", got)
	}
	reports[1].Lost = true
	if got, _ := recovery.Maximal(reports); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("of images alone the line is %v, want the beginning", got)
	}
}

// TestNone: a line is never made up: where even the oldest images have orphans there is none.
func TestNone(t *testing.T) {
	image := func(number, vector uint32) recovery.Image {
		return recovery.Image{Number: number, Vector: numbers(vector, vector),
			Sent: numbers(0, 0), Taken: numbers(0, 0)}
	}
	reports := []recovery.Report{{Lost: true, Images: []recovery.Image{image(1, 2)}},
		{Lost: true, Images: []recovery.Image{image(1, 2)}}}
	if line, ok := recovery.Maximal(reports); ok {
		t.Errorf("found %v", line)
	}
}

// TestFirstOfIndex: the least index of the last images of those who have failed, and for everybody
// the first image that has it or a higher one.
func TestFirstOfIndex(t *testing.T) {
	images := func(indices ...uint32) (list []recovery.Image) {
		for _, x := range indices {
			list = append(list, recovery.Image{Index: x})
		}
		return list
	}
	reports := []recovery.Report{{Images: images(0, 2, 3)}, {Lost: true, Images: images(0, 1, 4)},
		{Images: images(0, 3, 5)}, {Lost: true, Images: images(0, 3)}}
	if got, _ := recovery.FirstOfIndex(reports); !slices.Equal(got, []int{2, 2, 1, 1}) {
		t.Errorf("the line is %v, want 2 2 1 1", got)
	}
	reports[1].Lost, reports[3].Lost = false, false
	if got, _ := recovery.FirstOfIndex(reports); !slices.Equal(got, []int{3, 3, 3, 2}) {
		t.Errorf("with nobody failed the line is %v, want 3 3 3 2", got)
	}
}

// TestGrouped: images of a group are those that all members have, and members go back together, as
// far as orphans between groups make them.
func TestGrouped(t *testing.T) {
	image := func(number uint32, vector ...uint32) recovery.Image {
		return recovery.Image{Number: number, Vector: numbers(vector...)}
	}
	mates := [][]core.Rank{{0, 1}, {0, 1}, {2}}
	line := recovery.Grouped(mates)
	first := image(0, 0, 0, 0)
	reports := []recovery.Report{
		{Images: []recovery.Image{first, image(1, 0, 0, 0), image(2, 0, 0, 0)},
			Now: image(2, 0, 0, 0)},
		{Images: []recovery.Image{first, image(1, 0, 0, 0)}, Now: image(2, 0, 0, 1)},
		{Lost: true, Images: []recovery.Image{first}},
	}
	// rank 1 has received from what rank 2 has lost; image 2 is not with all members
	if got, ok := line(reports); !ok || !slices.Equal(got, []int{1, 1, 0}) {
		t.Errorf("the line is %v %v, want image 1 of both members", got, ok)
	}
	reports[1].Now.Vector[2].Value = 0
	if got, ok := line(reports); !ok || !slices.Equal(got, []int{3, 2, 0}) {
		t.Errorf("the line is %v %v, want both members to stay", got, ok)
	}
	reports[0].Lost = true // a member that has failed takes the present state of the other away
	if got, ok := line(reports); !ok || !slices.Equal(got, []int{1, 1, 0}) {
		t.Errorf("the line is %v %v, want image 1 of both members", got, ok)
	}
}
