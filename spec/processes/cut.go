package processes

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// who is one life.
type who struct {
	proc trace.Proc
	life trace.Incarnation
}

// channel is what goes from one life to another.
type channel struct{ from, to who }

// parcel is a frame at one of its ends.
type parcel struct {
	clock, epoch uint64
	says         uint64 // failures that its sender knew, as it travels; of what was taken
}

// cutJudge follows the lives of one run.
type cutJudge struct {
	*Run
	put  map[channel][]parcel
	took map[channel][]parcel
	// by life: the clock of the newest frame that it has evidence of
	newest map[who]uint64
	lives  map[who]*Life
	agreed []uint64 // by failure: the newest clock at which somebody agreed
}

// cut returns how the cut is not consistent.
func (r *Run) cut() string {
	j := &cutJudge{Run: r, put: map[channel][]parcel{}, took: map[channel][]parcel{},
		newest: map[who]uint64{}, lives: map[who]*Life{}, agreed: make([]uint64, len(r.Failures))}
	for i := range r.Lives {
		l := &r.Lives[i]
		j.lives[who{l.Proc, l.Number}] = l
	}
	for _, rule := range []func(*Life) string{j.told, j.follow, j.begun} {
		for i := range r.Lives {
			if m := rule(&r.Lives[i]); m != "" {
				return m
			}
		}
	}
	return j.channels()
}

// goneBy are the lives of a proc that the first failures have ended.
func (r *Run) goneBy(epoch uint64, p trace.Proc) (n int) {
	for i := range min(int(epoch), len(r.Failures)) {
		if slices.Contains(r.Failures[i].Procs, p) {
			n++
		}
	}
	return n
}

// follow takes the marks of one life in order.
func (j *cutJudge) follow(l *Life) string {
	me, epoch, gone := who{l.Proc, l.Number}, l.Epoch, slices.Clone(l.Gone)
	var news []trace.Proc // of a failure that it has not agreed on
	var at uint64         // when it agreed on the last one
	for i := range l.Marks {
		d := &l.Marks[i]
		switch d.What {
		case Put:
			if int(d.Peer) >= len(gone) {
				return fmt.Sprintf("%s puts a frame for proc %d: there are %d",
					j.life(l.Proc, l.Number), d.Peer, len(gone))
			}
			to := channel{me, who{d.Peer, trace.Incarnation(gone[d.Peer])}}
			j.put[to] = append(j.put[to], parcel{clock: d.Clock, epoch: epoch})
			j.newest[me] = max(j.newest[me], d.Clock)
		case Took:
			if m := j.take(l, d, epoch, gone, news); m != "" {
				return m
			}
		case Learnt:
			news = d.Procs
		case Agreed:
			if m := j.agree(l, d, epoch); m != "" {
				return m
			}
			for _, q := range d.Procs {
				gone[q]++
			}
			j.waited(at, epoch)
			at, epoch, news = d.Step, epoch+1, nil
		}
	}
	if l.InOrder { // nobody waits for who is about to be killed
		j.waited(at, epoch)
	}
	if l.InOrder && j.Complete && epoch != uint64(len(j.Failures)) {
		return fmt.Sprintf("%s ends in order and has agreed on %d failures, want all %d",
			j.life(l.Proc, l.Number), epoch, len(j.Failures))
	}
	return ""
}

// waited notes when a life agreed for which all waited: on the failure before the given number of
// them, 0: on none.
func (j *cutJudge) waited(at, epoch uint64) {
	if at > 0 {
		j.agreed[epoch-1] = max(j.agreed[epoch-1], at)
	}
}

// agree checks that a life agrees on what it has to.
func (j *cutJudge) agree(l *Life, d *Mark, epoch uint64) string {
	name := j.life(l.Proc, l.Number)
	switch {
	case d.Epoch != epoch+1 || d.Epoch > uint64(len(j.Failures)):
		return fmt.Sprintf("%s agrees on failure %d, want %d, the next of %d", name, d.Epoch,
			epoch+1, len(j.Failures))
	case !slices.Equal(d.Procs, j.Failures[epoch].Procs):
		return fmt.Sprintf("%s agrees that failure %d is of %s, want %s", name, d.Epoch,
			j.Layout.NamesOf(d.Procs), j.Layout.NamesOf(j.Failures[epoch].Procs))
	case len(d.Open) > 0:
		return fmt.Sprintf("%s agrees on failure %d before it has taken all that comes from the "+
			"dead: the connection with %s is open, want its end", name, d.Epoch,
			j.Layout.NamesOf(d.Open))
	}
	return ""
}

// take checks that a life may take a frame at the moment at which it does.
func (j *cutJudge) take(l *Life, d *Mark, epoch uint64, gone []int, news []trace.Proc) string {
	name := j.life(l.Proc, l.Number)
	if int(d.Peer) >= len(gone) {
		return fmt.Sprintf("%s takes a frame from proc %d: there are %d", name, d.Peer, len(gone))
	}
	from := j.life(d.Peer, d.Life)
	switch {
	case int(d.Life) < gone[d.Peer]:
		return fmt.Sprintf("%s takes a frame from %s, which it has agreed is over: "+
			"it knows of %d failures, and %d lives of %s are over by then, want none of those",
			name, from, epoch, gone[d.Peer], j.Layout.Name(d.Peer))
	case int(d.Life) > gone[d.Peer]:
		return fmt.Sprintf("%s takes a frame from %s before it has agreed that the life before "+
			"is over: got life %d, want %d", name, from, d.Life, gone[d.Peer])
	case j.Nothing && slices.Contains(news, d.Peer):
		return fmt.Sprintf("%s takes a frame from %s when the news of its end has come, want "+
			"nothing more", name, from)
	case d.Epoch > epoch:
		return fmt.Sprintf("%s takes a frame from %s that knows of %d failures, and knows of %d "+
			"itself, want no more", name, from, d.Epoch, epoch)
	case d.Clock >= d.Step:
		return fmt.Sprintf("%s takes a frame from %s that left at clock %d in a step that began "+
			"at %d, want later", name, from, d.Clock, d.Step)
	}
	c := channel{who{d.Peer, d.Life}, who{l.Proc, l.Number}}
	j.took[c] = append(j.took[c], parcel{d.Clock, epoch, d.Epoch})
	return ""
}

// told checks that a life is told what is over.
func (j *cutJudge) told(l *Life) string {
	name := j.life(l.Proc, l.Number)
	if l.Epoch > uint64(len(j.Failures)) {
		return fmt.Sprintf("%s is told of %d failures, there are %d", name, l.Epoch,
			len(j.Failures))
	}
	for q := range trace.Proc(len(l.Gone)) {
		if want := j.goneBy(l.Epoch, q); l.Gone[q] != want {
			return fmt.Sprintf("%s is told at %d failures that %d lives of %s are over, want %d",
				name, l.Epoch, l.Gone[q], j.Layout.Name(q), want)
		}
	}
	if got := j.goneBy(l.Epoch, l.Proc); got < int(l.Number) {
		return fmt.Sprintf("%s begins when %d lives of %s are over, want %d", name, got,
			j.Layout.Name(l.Proc), l.Number)
	}
	return ""
}

// begun checks that a life begins when all have agreed that those before it are over.
func (j *cutJudge) begun(l *Life) string {
	for e, f := range j.Failures {
		k := slices.Index(f.Procs, l.Proc)
		if k < 0 || f.Lives[k] >= l.Number {
			continue
		}
		if j.agreed[e] >= l.Clock {
			return fmt.Sprintf("%s begins at clock %d, and somebody agrees on the end of %s at "+
				"%d, want all before", j.life(l.Proc, l.Number), l.Clock,
				j.life(l.Proc, f.Lives[k]), j.agreed[e])
		}
	}
	return ""
}

// channels compares what was taken with what was put.
func (j *cutJudge) channels() string {
	var list []channel
	for c := range j.took {
		list = append(list, c)
	}
	for c := range j.put {
		if _, known := j.took[c]; !known {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, channel.compare)
	for _, c := range list {
		if m := j.channel(c); m != "" {
			return m
		}
	}
	return ""
}

func (c channel) compare(o channel) int {
	for _, d := range [...]int{int(c.to.proc) - int(o.to.proc), int(c.to.life) - int(o.to.life),
		int(c.from.proc) - int(o.from.proc)} {
		if d != 0 {
			return d
		}
	}
	return int(c.from.life) - int(o.from.life)
}

func (j *cutJudge) channel(c channel) string {
	put, took := j.put[c], j.took[c]
	from, to := j.life(c.from.proc, c.from.life), j.life(c.to.proc, c.to.life)
	sender, receiver := j.lives[c.from], j.lives[c.to]
	if sender == nil {
		return fmt.Sprintf("%s takes frames from %s, which has never been", to, from)
	}
	for i, t := range took {
		switch {
		case i < len(put) && put[i].clock == t.clock && put[i].epoch == t.says:
		case i < len(put) && put[i].clock == t.clock && put[i].epoch <= t.epoch:
			return fmt.Sprintf("%s takes frame %d of %s, which says that its sender knew of %d "+
				"failures, and it was put there at %d", to, i+1, from, t.says, put[i].epoch)
		case i < len(put) && put[i].clock == t.clock:
			return fmt.Sprintf("%s takes frame %d of %s at %d failures, and it was put there at "+
				"%d, want no more than the receiver knows of", to, i+1, from, t.epoch,
				put[i].epoch)
		case i >= len(put) && !sender.InOrder && t.clock > j.newest[c.from] &&
			(i == 0 || took[i-1].clock < t.clock): // the kill has cut the evidence
		case i >= len(put):
			return fmt.Sprintf("%s takes %d frames from %s, which has put %d there", to,
				len(took), from, len(put))
		default:
			return fmt.Sprintf("%s takes as frame %d of %s one of clock %d, want that of clock %d",
				to, i+1, from, t.clock, put[i].clock)
		}
	}
	if j.Complete && sender.InOrder && receiver != nil && receiver.InOrder &&
		len(took) < len(put) {
		return fmt.Sprintf("%s has taken %d frames of %s at the end, want all %d", to, len(took),
			from, len(put))
	}
	return ""
}
