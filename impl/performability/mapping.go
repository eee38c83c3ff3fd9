package performability

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Logging is a program whose messages are logged in other nodes, and what that costs, [RADIC] 5.2.
// Each rank has a logger thread, elsewhere: a node has the loggers of as many ranks as it has. All
// ranks are alike. In a step each computes, then waits; a message is to be logged at any moment of
// a step, in which its logger takes a core.
type Logging struct {
	Cores       int     // of a node
	Ranks       int     // of the program
	Nodes       int     // it runs on; 0: as few as hold it
	Utilisation float64 // share of a step in which a rank computes, (0, 1]
	Messages    float64 // logged of a rank, a second
	Bytes       float64 // in them
	PerMessage  float64 // CPU that a logger needs for one, s
	PerByte     float64 // and for a byte of it
	Moved       float64 // and more for one, if the OS chooses the core, s
	// Step is how long ranks run before they wait for the slowest, s; 0: they never do, so that
	// only means count.
	Step     float64
	Reserved int // cores of a node for loggers alone; 0: as few as keep up
}

// CPU is what a message takes of a core, s.
func (l *Logging) CPU() float64 {
	if l.Messages == 0 {
		return l.PerMessage
	}
	return l.PerMessage + l.PerByte*l.Bytes/l.Messages
}

// Load is the share of a core that the logger of one rank needs.
func (l *Logging) Load() float64 { return l.Messages * l.CPU() }

// most messages of a step, of which the chances are summed one by one.
const most = 1e9

// Check refuses what no program does.
func (l *Logging) Check() error {
	finite := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }
	switch {
	case l.Cores < 1 || l.Cores > largest:
		return fmt.Errorf("%d cores a node: want 1 to %d", l.Cores, largest)
	case l.Ranks < 1 || l.Ranks > largest:
		return fmt.Errorf("%d ranks: want 1 to %d", l.Ranks, largest)
	case l.Nodes < 0 || l.Nodes > l.Ranks:
		return fmt.Errorf("%d nodes for %d ranks: want at most one each", l.Nodes, l.Ranks)
	case l.Nodes > 0 && (l.Ranks-1)/l.Nodes+1 > l.Cores:
		return fmt.Errorf("%d ranks on %d nodes of %d cores: want a core for each", l.Ranks,
			l.Nodes, l.Cores)
	case !(l.Utilisation > 0 && l.Utilisation <= 1):
		return fmt.Errorf("a utilisation of %g: want more than 0 and at most 1", l.Utilisation)
	case l.Reserved < 0 || l.Reserved >= l.Cores && l.Reserved > 0:
		return fmt.Errorf("%d of %d cores reserved: want fewer", l.Reserved, l.Cores)
	}
	for _, x := range []struct {
		what  string
		value float64
	}{{"messages a second", l.Messages}, {"bytes a second", l.Bytes},
		{"s a message", l.PerMessage}, {"s a byte", l.PerByte},
		{"s more for one that is moved", l.Moved}, {"s a step", l.Step}} {
		if !finite(x.value) {
			return fmt.Errorf("%g %s: want at least 0", x.value, x.what)
		}
	}
	switch {
	case l.Bytes > 0 && l.Messages == 0:
		return fmt.Errorf("%g bytes a second in no message", l.Bytes)
	case !(l.Load() <= largest):
		return fmt.Errorf("a logger needs %g cores: are the units right?", l.Load())
	case l.Messages*l.Step*float64(l.Cores) > most:
		return fmt.Errorf("%g messages a step in a node: want at most %g",
			l.Messages*l.Step*float64(l.Cores), float64(most))
	}
	return nil
}

// Placement is where loggers run.
type Placement string

// The placements, from the one that asks for least.
const (
	ByOS     Placement = "os"       // on a core that is idle, or else on any
	Affinity Placement = "affinity" // each shares the core of one rank
	OwnCores Placement = "cores"    // on cores of each node that have no rank
	OwnNodes Placement = "nodes"    // on nodes that have no rank
)

// Placements are all.
func Placements() []Placement { return []Placement{ByOS, Affinity, OwnCores, OwnNodes} }

// Mapped is the program with its loggers in one placement.
type Mapped struct {
	Placement
	Nodes    int     // that it takes, with those of loggers
	Ranks    int     // on the fullest
	Reserved int     // cores of a node, or nodes, that only loggers have
	Busy     float64 // share of the time in which a core of theirs logs
	Slowdown float64 // of a step, at least 1; 0: impossible
	Why      string  // of the slow-down, or why it is impossible
}

// Cost is node-seconds for a second of the program without logging.
func (m *Mapped) Cost() float64 { return m.Slowdown * float64(m.Nodes) }

// Map is the program in a placement.
func (l Logging) Map(p Placement) (Mapped, error) {
	if err := l.Check(); err != nil {
		return Mapped{}, err
	}
	switch p {
	case OwnCores:
		return l.ownCores(), nil
	case OwnNodes:
		return l.ownNodes(), nil
	}
	m := Mapped{Placement: p, Nodes: l.Nodes}
	if m.Nodes == 0 {
		m.Nodes = (l.Ranks-1)/l.Cores + 1
	}
	m.Ranks = (l.Ranks-1)/m.Nodes + 1
	if p == Affinity {
		l.shared(&m)
	} else {
		l.scheduled(&m)
	}
	return m, nil
}

// noticed is a slow-down that is worth a word.
const noticed = .001

// slowed is a step of which the slowest rank loses some messages' time, while it computes; what
// comes while it waits only lasts longer than that if the cores then have more than they can do.
func (l *Logging) slowed(lost, cpu, waiting float64) float64 {
	idle := 1 - l.Utilisation
	return l.Utilisation + lost*cpu + max(idle, idle*waiting)
}

// shared is affinity: what comes while a rank computes delays it.
func (l *Logging) shared(m *Mapped) {
	m.Busy = l.Load()
	lost := l.slowest(m.Ranks, 1, l.Utilisation)
	m.Slowdown = l.slowed(lost, l.CPU(), l.Load())
	m.Why = fmt.Sprintf("each rank computes %.3g of the time, and a logger then takes its core "+
		"for %.3g of it", l.Utilisation, l.Load())
	if mean := l.Messages * l.Utilisation; (lost-mean)*l.CPU() > noticed {
		m.Why += fmt.Sprintf("; the slowest rank of a node has %.2f times the mean", lost/mean)
	}
}

// scheduled is the OS: loggers take cores that have no rank; which of them finds none, by Erlang's
// formula, takes that of any rank, so that some ranks are delayed more than others.
func (l *Logging) scheduled(m *Mapped) {
	cpu := l.CPU() + l.Moved
	load := float64(m.Ranks) * l.Messages * cpu
	spare := l.Cores - m.Ranks
	blocked := erlang(spare, load)
	m.Busy = load / float64(l.Cores)
	chance := l.Utilisation * blocked / float64(m.Ranks)
	lost := l.slowest(m.Ranks, float64(m.Ranks), chance)
	m.Slowdown = l.slowed(lost, cpu, m.Busy)
	m.Why = fmt.Sprintf("the %d cores without a rank are busy for %.3g of the messages", spare,
		blocked)
	if spare == 0 {
		m.Why = "all cores have ranks"
	}
	if mean := l.Messages * l.Utilisation * blocked; (lost-mean)*cpu > noticed {
		m.Why += fmt.Sprintf("; which rank gives way is chance: the slowest loses %.2f times the "+
			"mean", lost/mean)
	}
}

// ownCores is nodes with cores that have no rank: as few as keep up with what their ranks leave to
// log, or as many as ranks leave.
func (l *Logging) ownCores() Mapped {
	m := Mapped{Placement: OwnCores, Nodes: cmp.Or(l.Nodes, (l.Ranks-1)/l.Cores+1)}
	for kept := max(l.Reserved, 1); kept < l.Cores; kept++ {
		nodes := cmp.Or(l.Nodes, (l.Ranks-1)/(l.Cores-kept)+1)
		ranks := (l.Ranks-1)/nodes + 1
		if kept+ranks > l.Cores {
			break
		}
		m.Nodes, m.Ranks, m.Reserved = nodes, ranks, kept
		m.Busy = float64(ranks) * l.Load() / float64(kept)
		if l.Reserved > 0 || m.Busy <= 1 {
			break
		}
	}
	if m.Ranks == 0 {
		m.Why = fmt.Sprintf("%d ranks a node leave none of %d cores, or not the %d asked for",
			(l.Ranks-1)/m.Nodes+1, l.Cores, max(l.Reserved, 1))
		return m
	}
	m.alone()
	return m
}

// ownNodes is nodes that only log, as few as keep up, or as many as there are.
func (l *Logging) ownNodes() Mapped {
	load := float64(l.Ranks) * l.Load() / float64(l.Cores)
	running := (l.Ranks-1)/l.Cores + 1
	kept := int(min(max(math.Ceil(load), 1), largest))
	m := Mapped{Placement: OwnNodes, Nodes: cmp.Or(l.Nodes, running+kept)}
	if m.Reserved = min(kept, m.Nodes-running); m.Reserved < 1 {
		m.Reserved = 0
		m.Why = fmt.Sprintf("all %d nodes are needed for ranks", m.Nodes)
		return m
	}
	m.Ranks = (l.Ranks-1)/(m.Nodes-m.Reserved) + 1
	m.Busy = load / float64(m.Reserved)
	m.alone()
	return m
}

// alone is the slow-down by loggers that share nothing with a rank.
func (m *Mapped) alone() {
	m.Slowdown, m.Why = max(1, m.Busy), "no rank loses its core"
	if m.Busy > 1 {
		m.Why = "the cores of the loggers do not keep up, and all wait for them"
	}
}

// erlang is the share of calls that find all servers of a system without a queue busy.
func erlang(servers int, load float64) float64 {
	blocked := 1.0
	for n := 1; n <= servers; n++ {
		blocked = load * blocked / (float64(n) + load*blocked)
	}
	return blocked
}

// slowest is how many messages a second delay the rank of a node that is delayed most: each of the
// messages of so many ranks delays a rank by chance.
func (l *Logging) slowest(ranks int, of, chance float64) float64 {
	if l.Step == 0 || chance == 0 || l.Messages == 0 {
		return l.Messages * of * chance
	}
	return mostOf(ranks, l.Messages*l.Step*of, chance) / l.Step
}

// mostOf is the expected largest of some counts, each of so many messages with a chance each; of a
// part of a message with that part of the chance.
func mostOf(counts int, messages, chance float64) (largest float64) {
	whole := math.Floor(messages)
	part := (messages - whole) * chance
	mean, deviation := messages*chance, math.Sqrt(messages*chance*(1-chance))
	first := max(0, math.Floor(mean-12*deviation-12))
	last := min(math.Ceil(messages), math.Ceil(mean+12*deviation+40))
	largest = first // each count is at least that, or nearly always
	before, until := 0.0, 0.0
	for k := first; k < last; k++ {
		until += binomial(whole, k, chance)
		atMost := (1-part)*until + part*before // the part may add one
		largest += 1 - math.Pow(min(atMost, 1), float64(counts))
		before = until
	}
	return largest
}

// binomial is the chance of k of n.
func binomial(n, k, chance float64) float64 {
	switch {
	case k > n:
		return 0
	case chance == 1 && k < n:
		return 0
	case chance == 1:
		return 1
	}
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return math.Exp(a - b - c + k*math.Log(chance) + (n-k)*math.Log1p(-chance))
}

// Mapping is the program in all placements, and the one that is recommended.
type Mapping struct {
	All    []Mapped
	Chosen Placement
	Reason string
}

// margin is by how much less a placement must cost to be chosen before one that asks for less.
const margin = 1.01

// Recommend compares all placements by the time of the program, or by its node-seconds: loggers
// with cores or nodes of their own cost the least time, if there are nodes for all that they drive
// out.
func (l Logging) Recommend(byNodes bool) (r Mapping, err error) {
	cost := func(m *Mapped) float64 {
		if byNodes {
			return m.Cost()
		}
		return m.Slowdown
	}
	var best *Mapped
	for _, p := range Placements() {
		m, err := l.Map(p)
		if err != nil {
			return Mapping{}, err
		}
		r.All = append(r.All, m)
	}
	worst := 0.0
	for i := range r.All {
		m := &r.All[i]
		if m.Slowdown == 0 {
			continue
		}
		if best == nil || cost(m)*margin < cost(best) {
			best = m
		}
		worst = max(worst, cost(m))
	}
	r.Chosen = best.Placement
	if worst <= cost(best)*margin {
		r.Reason = fmt.Sprintf("%s: within a hundredth all cost the same, and it asks for least",
			best.Placement)
		return r, nil
	}
	r.Reason = fmt.Sprintf("%s: %s; %s", best.Placement, best.Why, best.took())
	if others := r.others(best); others != "" {
		r.Reason += ", where others take " + others
	}
	return r, nil
}

// took is the time and the nodes of a placement.
func (m *Mapped) took() string {
	return fmt.Sprintf("%.4g times as long on %d nodes", m.Slowdown, m.Nodes)
}

// others are what the possible placements take but the best one.
func (r *Mapping) others(best *Mapped) string {
	var list []string
	for i := range r.All {
		if m := &r.All[i]; m != best && m.Slowdown > 0 {
			list = append(list, string(m.Placement)+" "+m.took())
		}
	}
	return strings.Join(list, ", ")
}
