package compare

import (
	"fmt"
	"time"
)

// scheduling is whether images can be put where one wants them: every unit is asked for images at
// instants of its own, one write apart. They can when no image is displaced, which is one that its
// rank was not asked for, and never more than one unit writes at a time.
func (l *lab) scheduling() (c Cell, err error) {
	var displaced, all, peak, most int
	for _, shape := range l.programs() {
		if shape == "domino" {
			continue // it asks for images itself
		}
		run := l.base(shape, l.scale.Ranks, 2*lengths[shape])
		if err = l.images(run, 3); err != nil {
			return c, err
		}
		run.Write = run.Images.Every / time.Duration(2*run.Ranks)
		if l.gathers && (shape == "master-worker" || shape == "domino") {
			continue // its ranks share no iterations
		}
		f, err := l.run(run)
		if err != nil {
			return c, err
		}
		d := Displaced(f)
		p := Peak(f, max(run.Write, operation))
		if l.gathers {
			d = len(f.Images)
		}
		displaced, all = displaced+d, all+len(f.Images)
		largest := 1
		for _, ask := range f.Asked {
			largest = max(largest, len(ask.Ranks))
		}
		if over := d > 0 || p > largest; c.Shows == "" || over && p > peak {
			c.Shows = run.String()
		}
		peak, most = max(peak, p), largest
	}
	switch {
	case all == 0:
		c.Why = "no image was taken"
		return c, nil
	case displaced == 0 && peak <= most:
		c.Value = "possible"
	default:
		c.Value = "no"
	}
	c.Figures = fmt.Sprintf("%d of %d images displaced, at most %d at a time", displaced, all, peak)
	if l.gathers {
		c.Why = "its images are asked for by all programs at the same place, and by nobody else"
	}
	return c, nil
}

// Displaced is how many images no request was for: each request is for one image of each rank of
// its unit, the first one behind it.
func Displaced(f *Facts) (count int) {
	used := make([]map[int]bool, len(f.Asked))
	for i := range used {
		used[i] = map[int]bool{}
	}
	for _, image := range f.Images {
		found := false
		for i, ask := range f.Asked {
			if ask.At > image.At || !on(ask.Ranks, image.Rank) || used[i][int(image.Rank)] {
				continue
			}
			used[i][int(image.Rank)], found = true, true
			break
		}
		if !found {
			count++
		}
	}
	return count
}

// Peak is how many images are written at one time at most, if each takes so long.
func Peak(f *Facts, write time.Duration) (peak int) {
	for i, first := range f.Images {
		n := 0
		for _, image := range f.Images[i:] {
			if image.At < first.At+write {
				n++
			}
		}
		peak = max(peak, n)
	}
	return peak
}
