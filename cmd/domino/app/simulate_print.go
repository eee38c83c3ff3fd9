package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/spec/report/chart"
)

// simulatedAnswer is what was simulated, as JSON; times are in seconds of modelled time.
type simulatedAnswer struct {
	versioned
	Kernel      string           `json:"kernel"`
	Protocol    string           `json:"protocol"`
	Options     string           `json:"options,omitempty"`
	Machine     simulate.Machine `json:"machine"`
	Work        float64          `json:"work"`  // of a rank in an iteration
	Image       int64            `json:"image"` // bytes that images count as; 0: as many as they have
	MTBF        float64          `json:"mtbf"`  // of one node; 0: nothing is drawn
	Seed        uint64           `json:"seed"`
	Points      []simulatedPoint `json:"points"`
	LeftOut     []leftOut        `json:"leftOut"` // of several protocols, what can not be simulated
	Notes       []string         `json:"notes"`
	Interrupted bool             `json:"interrupted"`
}

// simulatedPoint is one protocol with one number of ranks.
type simulatedPoint struct {
	Protocol string  `json:"protocol"`
	Ranks    int     `json:"ranks"`
	Clusters int     `json:"clusters"` // 0: the protocol has none
	Interval float64 `json:"interval"` // between checkpoints; 0: none were asked for
	Base     float64 `json:"base"`     // completion without a protocol
	Calm     float64 `json:"calm"`     // completion with it, without failures
	Overhead float64 `json:"overhead"` // of Calm over Base: a share of Base
	// parts of it, which add up: for order, control messages and checkpoints; for bytes that the
	// protocol adds; for its steps and copies
	Waiting  float64 `json:"waiting"`
	Bytes    float64 `json:"bytes"`
	CPU      float64 `json:"cpu"`
	Messages int     `json:"messages"` // with the protocol, without failures
	Control  int     `json:"control"`  // of them, that no program has sent
	Sent     int64   `json:"sent"`     // bytes between nodes
	SentBase int64   `json:"sentBase"` // the same without a protocol
	Logged   int64   `json:"logged"`   // bytes put into logs
	LogPeak  int64   `json:"logPeak"`  // most bytes in all logs at a time
	LogNow   int64   `json:"logNow"`   // at the end
	Growth   float64 `json:"growth"`   // of all logs together, without what is let go: bytes a second
	Writes   int     `json:"writes"`   // records
	Stored   int64   `json:"stored"`   // bytes of them, as they count
	// images of a declared size that have travelled in messages, and bytes of them; none without
	Images  int   `json:"images"`
	Carried int64 `json:"carried"`
	// runs without failures that were made twice, the second time on one processor, since the order
	// of all events mattered: that takes longer, and changes no value
	Again int `json:"again"`

	// for failures that are drawn: intervals by Young and Daly, and those that were tried
	Young float64        `json:"young,omitempty"`
	Daly  float64        `json:"daly,omitempty"`
	Swept []simulatedTry `json:"swept,omitempty"`

	Struck *simulatedFailures `json:"struck,omitempty"` // the run with failures
}

// simulatedTry is an interval that was tried, and when the run under failures ended with it; 0: it
// made no progress.
type simulatedTry struct {
	Interval   float64 `json:"interval"`
	Completion float64 `json:"completion"`
}

// simulatedFailures is a run with failures.
type simulatedFailures struct {
	Completion float64 `json:"completion"`
	Control    int     `json:"control"`
	LogPeak    int64   `json:"logPeak"`
	RolledBack float64 `json:"rolledBack"` // share of the ranks, mean
	// mean, until all were protected again, or if the run ended before, where they had been
	Recovery float64            `json:"recovery"`
	Promised int                `json:"promised"` // at a time; 0: any number
	Failures []simulatedFailure `json:"failures"`

	// groups or nodes that were stopped, and of how many in all it promises that; 0: any number
	Stopped int `json:"-"`
	InAll   int `json:"-"`
}

// atOnce is how many were down or not where they had been at a time, at most.
func (s *simulatedFailures) atOnce() (most int) {
	for _, f := range s.Failures {
		most = max(most, f.AtOnce)
	}
	return most
}

// simulatedFailure is one of them.
type simulatedFailure struct {
	At float64 `json:"at"`
	// ranks that it has stopped, and that others had and that were not where they had been; those
	// that stop together count once
	AtOnce int     `json:"atOnce"`
	Ranks  int     `json:"ranks"` // taken back
	Lost   int64   `json:"lost"`  // sends and receptions that they had to do again
	Takes  float64 `json:"takes"` // until all were where they had been
	// parts of it: until the last of them ran again, until its program went on, and the rest
	Down    float64 `json:"down"`
	Restore float64 `json:"restore"`
	Again   float64 `json:"again"`
	// of down, until a node was found for the last of them; of restore, until it had its image; 0
	// where nobody looks for a node, and where images do not come by message
	Placed  float64 `json:"placed"`
	Fetched float64 `json:"fetched"`
	// until all were where they had been, and all whom it concerned were protected again; 0: they
	// never were
	Protected float64         `json:"protected"`
	Image     *simulatedImage `json:"image,omitempty"`
}

// simulatedImage is when the newest images of those taken back, as they were when the failure
// struck, were begun, were out of the memory of their ranks, and were stored.
type simulatedImage struct {
	Began  float64 `json:"began"`
	Made   float64 `json:"made"`
	Stored float64 `json:"stored"`
}

// failureOf is a recovery as JSON.
func failureOf(r *simulate.Recovery) simulatedFailure {
	f := simulatedFailure{At: modelled(r.At), AtOnce: r.AtOnce, Ranks: r.Back, Lost: r.Lost,
		Takes: modelled(r.Takes), Down: modelled(r.Down), Restore: modelled(r.Restore),
		Again: modelled(r.Again), Placed: modelled(r.Placed), Fetched: modelled(r.Fetched),
		Protected: modelled(r.Protected)}
	if i := &r.Image; i.Stored > 0 {
		f.Image = &simulatedImage{modelled(i.Began), modelled(i.Made), modelled(i.Stored)}
	}
	return f
}

// whole is the time until all were protected again, or where they had been.
func (f *simulatedFailure) whole() float64 { return max(f.Takes, f.Protected) }

// modelled is a time in picoseconds in seconds.
func modelled(picoseconds int64) float64 { return float64(picoseconds) / 1e12 }

// pointOf is an answer as JSON.
func pointOf(setup *core.Setup, a *simulate.Answer) *simulatedPoint {
	p := &simulatedPoint{Ranks: setup.Layout.Ranks, Interval: a.Interval.Seconds(),
		Base: modelled(a.Base.Completion), Calm: modelled(a.Calm.Completion),
		Waiting: modelled(a.Waiting), Bytes: modelled(a.Bytes), CPU: modelled(a.CPU),
		Messages: a.Calm.Messages, Control: a.Calm.Control, Sent: a.Calm.Bytes,
		SentBase: a.Base.Bytes, Logged: a.Calm.Logged, LogPeak: a.Calm.LogPeak,
		LogNow: a.Calm.LogNow, Writes: a.Calm.Writes, Stored: a.Calm.Stored, Again: a.Again,
		Images: a.Calm.Images, Carried: a.Calm.Carried}
	for _, c := range setup.Layout.Clusters {
		p.Clusters = max(p.Clusters, c+1)
	}
	if p.Base > 0 {
		p.Overhead = p.Calm/p.Base - 1
	}
	if p.Calm > 0 {
		p.Growth = float64(p.Logged) / p.Calm
	}
	p.Young, p.Daly = a.Young, a.Daly
	for _, t := range a.Swept {
		p.Swept = append(p.Swept, simulatedTry{t.Interval.Seconds(), modelled(t.Completion)})
	}
	if a.Struck == nil {
		return p
	}
	s := &simulatedFailures{Completion: modelled(a.Struck.Completion), Control: a.Struck.Control,
		LogPeak: a.Struck.LogPeak, Promised: setup.MaxFailures, Failures: []simulatedFailure{},
		Stopped: a.Struck.Stopped, InAll: setup.InAll}
	for i := range a.Struck.Recoveries {
		f := failureOf(&a.Struck.Recoveries[i])
		s.Failures = append(s.Failures, f)
		s.RolledBack += float64(f.Ranks) / float64(p.Ranks)
		s.Recovery += f.whole()
	}
	if n := float64(len(s.Failures)); n > 0 {
		s.RolledBack, s.Recovery = s.RolledBack/n, s.Recovery/n
	}
	p.Struck = s
	return p
}

// failureNotes are what a reader must know about the runs with failures.
func (s *simulation) failureNotes() (notes []string) {
	for _, p := range s.answer.Points {
		say := func(format string, args ...any) {
			notes = append(notes, fmt.Sprintf("%s, %d ranks: ", p.Protocol, p.Ranks)+
				fmt.Sprintf(format, args...))
		}
		came, wanted := p.Struck, s.failures+s.moments()
		if came == nil {
			continue
		}
		n := len(came.Failures)
		if s.mtbf > 0 && n < enough {
			say("%d failures are too few for means", n)
		}
		if n < wanted {
			say("%d of %d failures came before the end", n, wanted)
		}
		if most := came.atOnce(); came.Promised > 0 && most > came.Promised {
			say("%d were down or recovering at a time, and it promises to survive %d: that "+
				"this run has ended promises nothing", most, came.Promised)
		}
		if came.InAll > 0 && came.Stopped > came.InAll {
			say("%d failures in all, and it promises to survive %d: that this run has ended "+
				"promises nothing", came.Stopped, came.InAll)
		}
	}
	return notes
}

// longRun is how many ranks have a run that takes so long that a second one is worth a word.
const longRun = 1024

// print writes the answer.
func (s *simulation) print(std streams) error {
	a := &s.answer
	a.Notes = []string{"modelled, not measured: no contention inside the network, no noise; " +
		"computing takes what --work says"}
	for _, p := range a.Points {
		a.Notes = noted(a.Notes, s.model.Lacks(p.Protocol))
		if p.Again > 0 && p.Ranks >= longRun {
			a.Notes = append(a.Notes, fmt.Sprintf("%s, %d ranks: %d of 4 runs were made twice, "+
				"then on one processor: the order of all events mattered", p.Protocol, p.Ranks,
				p.Again))
		}
	}
	a.Notes = append(a.Notes, s.failureNotes()...)
	if s.json {
		return printJSON(std.out, a)
	}
	out := std.out
	fmt.Fprintf(out, "%s under %s on %s: %s\n\n", a.Kernel, a.Protocol, s.model.Name,
		s.model.About)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "protocol\tranks\tnone\twith it\toverhead\twaiting\tbytes\tCPU\tcontrol\t"+
		"logged\tlog at most\tat the end\t")
	for _, p := range a.Points {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.2f %%\t%s\t%s\t%s\t%d\t%d B\t%d B\t%d B\t\n",
			p.Protocol, p.Ranks, lasting(p.Base), lasting(p.Calm), 100*p.Overhead,
			signed(p.Waiting), signed(p.Bytes), signed(p.CPU), p.Control, p.Logged, p.LogPeak,
			p.LogNow)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if s.failures > 0 || s.mtbf > 0 || len(s.named) > 0 || s.interval != "" {
		fmt.Fprintln(w, "\nprotocol\tranks\tinterval\trecords\tfailures\twith them\trolled back\t"+
			"recovery\tdown\trestore\tagain\tprotect\tcontrol\t")
		for _, p := range a.Points {
			fmt.Fprint(w, p.struck())
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, p := range a.Points {
		if text := p.swept(); text != "" {
			fmt.Fprint(out, text)
		}
	}
	for _, l := range a.LeftOut {
		fmt.Fprintln(out, l)
	}
	return printNotes(out, a.Notes)
}

// noted adds a note, unless it is empty or there already.
func noted(notes []string, note string) []string {
	if note == "" || slices.Contains(notes, note) {
		return notes
	}
	return append(notes, note)
}

// struck is the line about checkpoints and failures; stages are means.
func (p *simulatedPoint) struck() string {
	interval := "-"
	if p.Interval > 0 {
		interval = lasting(p.Interval)
	}
	line := fmt.Sprintf("%s\t%d\t%s\t%d\t", p.Protocol, p.Ranks, interval, p.Writes+p.Images)
	s := p.Struck
	if s == nil {
		return line + strings.Repeat("-\t", 9) + "\n"
	}
	var down, restore, again, protect float64
	n := float64(max(len(s.Failures), 1))
	for _, f := range s.Failures {
		down, restore, again = down+f.Down/n, restore+f.Restore/n, again+f.Again/n
		protect += (f.whole() - f.Takes) / n
	}
	return line + fmt.Sprintf("%d\t%s\t%.2f %%\t%s\t%s\t%s\t%s\t%s\t%d\t\n", len(s.Failures),
		lasting(s.Completion), 100*s.RolledBack, lasting(s.Recovery), lasting(down),
		lasting(restore), lasting(again), lasting(protect), s.Control)
}

// swept says what was tried.
func (p *simulatedPoint) swept() string {
	if len(p.Swept) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %d ranks: best interval %s (young %s, daly %s), of", p.Protocol, p.Ranks,
		lasting(p.Interval), lasting(p.Young), lasting(p.Daly))
	for _, t := range p.Swept {
		end := "no progress"
		if t.Completion > 0 {
			end = lasting(t.Completion)
		}
		fmt.Fprintf(&b, "\n  %s: %s", lasting(t.Interval), end)
	}
	b.WriteString("\n")
	return b.String()
}

// draw draws overheads over ranks.
func (s *simulation) draw() error {
	if s.plot == "" {
		return nil
	}
	lines := &chart.Lines{Title: fmt.Sprintf("%s on %s, simulated", s.kernel, s.model.Name),
		X: "ranks", Y: "time by that without a protocol", Linear: true, Doubled: true}
	for i, u := range s.under {
		line := chart.Line{Name: u.name, Style: i}
		for _, p := range s.answer.Points {
			if p.Protocol == u.name && p.Base > 0 {
				line.Points = append(line.Points, chart.Point{X: float64(p.Ranks),
					Y: p.Calm / p.Base})
			}
		}
		slices.SortFunc(line.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		if len(line.Points) > 0 {
			lines.Lines = append(lines.Lines, line)
		}
	}
	return ifAny(lines.Save(s.plot, "simulated-overhead"))
}

// signed is a time that may be less than none: a part of an overhead.
func signed(s float64) string {
	if s < 0 {
		return "-" + lasting(-s)
	}
	return "+" + lasting(s)
}
