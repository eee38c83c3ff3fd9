package compare

import "fmt"

// Summary is what is seen of one run, in words.
type Summary struct {
	Run   string `json:"run"`
	Lines []Line `json:"lines"`
	Ended bool   `json:"ended"`
}

// Line is one thing that is seen.
type Line struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Sum puts what a run shows into words.
func Sum(f *Facts) *Summary {
	s := &Summary{Run: f.Case.String(), Ended: f.Ended}
	add := func(name, format string, args ...any) {
		s.Lines = append(s.Lines, Line{name, fmt.Sprintf(format, args...)})
	}
	if f.Ended {
		add("ends", "after %v", f.Elapsed)
	} else {
		add("ends", "DOES NOT: %s, after %v", f.Bound, f.Elapsed)
	}
	add("messages", "%d of programs, %d received, %d others and copies", f.Sends, f.Receptions,
		f.Control)
	l := Carried(f)
	add("piggyback", "%.2f integers a message, at most %.0f; %.1f bytes, at most %.0f", l.Mean,
		l.Max, l.MeanBytes, l.MaxBytes)
	add("images", "%d, %d of them displaced, at most %d at a time; %d at the beginning",
		len(f.Images), Displaced(f), Peak(f, max(f.Case.Write, operation)), f.First)
	for _, i := range f.Images {
		add("", "r%d at %v, behind %d sends and %d receptions", i.Rank, i.At, i.Sent, i.Received)
	}
	add("stable", "%d writes that are no images", len(f.Writes))
	add("blocked", "%v at sends, %v at receptions, %v elsewhere", f.AtSends, f.AtReceptions,
		f.Elsewhere)
	k := &f.Log
	add("logs", "%s of the bytes between groups, %s inside; at most %d bytes at a time",
		share(k.Inter, k.SentInter), share(k.Intra, k.SentIntra), k.Peak)
	if k.Undeclared > 0 {
		add("", "%d messages in states that are not declared to be kept", k.Undeclared)
	}
	for i := range f.Losses {
		x := &f.Losses[i]
		add("failure", "of %s at %v: %d restarted (%s), %d rounds, %d events lost, %d done again",
			names(x.Failed), x.At, len(x.Back), names(x.Back), x.Rounds, x.All(), x.Redone)
		for r, n := range x.Lost {
			if n > 0 {
				add("", "r%d loses %d", r, n)
			}
		}
	}
	return s
}
