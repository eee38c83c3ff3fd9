package local_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// noise is a machine that does anything: what it does is scrambled from its state and the input. It
// shares nothing with a real protocol and uses every effect on which an environment acts. Its fuel
// bounds what it does, so runs come to an end.
type noise struct {
	proc     core.Proc
	procs    int
	launches bool // it stops and starts p0
	s        noiseState
}

type noiseState struct {
	_     struct{} `cbor:",toarray"`
	Fuel  int
	Mix   uint64
	Life  core.Incarnation
	Ended bool
	Split bool // it was renewed, so there is a former incarnation
}

type noiseMessage struct {
	_    struct{} `cbor:",toarray"`
	Mix  uint64
	Long []byte
}

// Describe implements core.Message. Different messages have different names: goroutines do not
// order messages as the world does, where it tells those with one name apart.
func (m *noiseMessage) Describe() trace.Wire {
	return trace.Wire{Kind: fmt.Sprintf("k%d", m.Mix%3),
		Text: fmt.Sprintf("%x and %d", m.Mix, len(m.Long))}
}

func (m *noise) State() []any { return []any{&m.s} }

func (m *noise) Choices(buf []core.Choice) []core.Choice {
	for i := range m.s.Mix % 3 {
		if m.s.Fuel > 0 {
			buf = append(buf, core.Choice(i))
		}
	}
	return buf
}

func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (m *noise) Step(in core.Input, out []core.Effect) []core.Effect {
	h := scramble(uint64(in.Kind)<<32 ^ uint64(in.Choice)<<8 ^ uint64(len(in.Key)) ^ uint64(
		len(in.Timer))<<4)
	switch in.Kind {
	case core.Start:
		m.s.Fuel, m.s.Mix = 8, uint64(m.proc)+1
	case core.Restore:
		m.s.Fuel, m.s.Life = 3, in.Incarnation
		for _, r := range in.Records {
			h = scramble(h ^ uint64(len(r.Value))<<3 ^ uint64(r.Owner))
			for _, b := range r.Value {
				h = scramble(h ^ uint64(b))
			}
			if r.Torn {
				h++
			}
		}
	case core.Received:
		h ^= in.Message.(*noiseMessage).Mix
		if h%4 == 0 { // ignored: the state stays as it is
			return append(out, core.DropInput(in.From, core.MsgID{}, "no use"))
		}
	case core.Down:
		for _, p := range in.Procs {
			h = scramble(h ^ uint64(p))
		}
		h = scramble(h ^ uint64(in.Incarnation))
	case core.Killed:
		h = scramble(h ^ uint64(in.From)<<32 ^ uint64(in.Incarnation))
	case core.Loaded:
		for _, r := range in.Records {
			h = scramble(h ^ uint64(len(r.Value))<<3 ^ uint64(r.Owner))
			for _, b := range r.Value {
				h = scramble(h ^ uint64(b))
			}
			if r.Torn {
				h++
			}
		}
	}
	m.s.Mix = scramble(m.s.Mix ^ h)
	for h = m.s.Mix; m.s.Fuel > 0 && h%8 != 0; h = scramble(h) {
		m.s.Fuel--
		e := m.effect(h)
		if in.Kind == core.Start && e.Kind == core.Exit || e.Kind == core.Renew &&
			(in.Kind == core.Start || in.Kind == core.Restore || len(out) > 0) {
			// nobody exits before all have started; a renewal comes first in a step of a life
			e = core.Effect{Kind: core.Unwatch}
		}
		out = append(out, e)
		if m.s.Split = m.s.Split || e.Kind == core.Renew; e.Kind == core.Rollback ||
			e.Kind == core.Exit {
			break
		}
	}
	return out
}

func (m *noise) effect(h uint64) core.Effect {
	key := []string{"a", "b"}[h>>8%2]
	switch h % 24 {
	case 1:
		return core.Effect{Kind: core.Persist, Key: key, Value: make([]byte, h>>16%4)}
	case 2:
		return core.Effect{Kind: core.Persist, Key: key}
	case 3, 4:
		return core.Effect{Kind: core.SetTimer, Timer: "t" + key, Ticks: h >> 16 % 5}
	case 5:
		if m.s.Life == 0 { // otherwise it could go on for ever
			return core.Effect{Kind: core.Rollback}
		}
		return core.Effect{Kind: core.Output, Digest: h}
	case 6:
		return core.Effect{Kind: core.Decide, Key: key}
	case 7:
		return core.Effect{Kind: core.Declare, What: trace.Adopted,
			To: core.Proc(h >> 16 % uint64(m.procs))}
	case 8:
		return core.Effect{Kind: core.Commit}
	case 9:
		return core.Halted("noise")
	case 10, 11, 12:
		return core.Effect{Kind: core.Watch, To: core.Proc(h >> 16 % uint64(m.procs))}
	case 13:
		return core.Effect{Kind: core.Unwatch, To: core.Proc(h >> 16 % uint64(m.procs))}
	case 14:
		return core.Effect{Kind: core.Renew}
	case 15:
		if m.s.Life == 0 {
			return core.Effect{Kind: core.Exit}
		}
		return core.Effect{Kind: core.Declare, What: trace.Disowned,
			To: core.Proc(h >> 16 % uint64(m.procs))}
	}
	if h>>48%3 == 0 {
		switch h >> 50 % 4 {
		case 0:
			return core.Effect{Kind: core.Read, Key: key}
		case 1:
			if m.launches {
				return core.Effect{Kind: core.Kill, To: 0}
			}
		default:
			if m.launches {
				return core.Effect{Kind: core.Launch, To: 0, Key: key,
					Value: []byte{byte(h >> 60)}}
			}
		}
	}
	e := core.SendTo(core.Proc(h>>16%uint64(m.procs)),
		&noiseMessage{Mix: h >> 20 % 4, Long: make([]byte, h>>30%3)})
	e.Former = m.s.Split && h>>40%2 == 0
	return e
}

// noiseSetup is a random setup of noise.
func noiseSetup(rng *rand.Rand) *core.Setup {
	n := 2 + rng.IntN(3)
	s := &core.Setup{Protocol: "noise", Watchdogs: true, NewMessage: func() core.Message {
		return new(noiseMessage)
	}}
	salt := rng.Uint64()
	s.New = func(p core.Proc) core.Machine {
		return &noise{proc: p, procs: n, launches: s.Launched && p > 0,
			s: noiseState{Mix: salt}}
	}
	s.Layout.Groups, s.Layout.Hosted = map[core.Proc][]core.Proc{}, map[core.Proc]bool{}
	for p := range core.Proc(n) {
		s.Layout.Names = append(s.Layout.Names, fmt.Sprintf("p%d", p))
		if rng.IntN(2) == 0 {
			s.Watchers = append(s.Watchers, p)
		}
		if rng.IntN(2) == 0 {
			s.Initiators = append(s.Initiators, p)
		}
	}
	if rng.IntN(3) == 0 {
		launchedNoise(rng, s)
		return s
	}
	if rng.IntN(2) == 0 {
		group := []core.Proc{0, 1}
		s.Layout.Groups[0], s.Layout.Groups[1] = group, group
	}
	if s.Layout.Holdings = rng.IntN(2) == 0; s.Layout.Holdings && rng.IntN(2) == 0 {
		s.Layout.Hosted[core.Proc(n-1)] = rng.IntN(2) == 0
	}
	if rng.IntN(2) == 0 {
		s.Reads = func(p core.Proc) []core.Proc { return []core.Proc{0, p} }
	}
	return s
}

// launchedNoise makes the first proc one that the others start and stop; nodes may be gone for
// good, and their disks with them.
func launchedNoise(rng *rand.Rand, s *core.Setup) {
	n := len(s.Layout.Names)
	s.Launched, s.Layout.Ranks, s.Programs = true, 1, make([]core.Program, 1)
	s.Layout.Nodes = []core.Proc{core.Proc(n - 1)}
	s.Layout.Hosted[0] = rng.IntN(4) == 0
	s.Layout.Holdings = rng.IntN(2) == 0
	for p := 1; p < n; p++ {
		if rng.IntN(2) == 0 {
			s.Local = append(s.Local, core.Proc(p))
		}
		if rng.IntN(3) == 0 {
			s.Layout.Hosted[core.Proc(p)] = false
		}
	}
	if rng.IntN(2) == 0 {
		s.Reads = func(p core.Proc) []core.Proc { return []core.Proc{core.Proc(n - 1), p} }
	}
	if n > 2 && rng.IntN(3) == 0 { // nodes of which one fails with the other
		group := []core.Proc{1, 2}
		s.Layout.Groups[1], s.Layout.Groups[2] = group, group
	}
}

// noiseModel is a random failure model.
func noiseModel(rng *rand.Rand, procs int) fault.Model {
	coin := func() bool { return rng.IntN(3) == 0 }
	m := fault.Model{Failures: rng.IntN(4), AtOnce: 1 + rng.IntN(2), Settled: coin(),
		Checkpoints: rng.IntN(2), Staggered: coin(), Unordered: coin(),
		Selective: coin(), FromDead: fault.Survival(rng.IntN(3)), KeepToDead: coin(), Joint: coin(),
		DetectAny: coin(), Suspicions: rng.IntN(3), Torn: rng.IntN(2)}
	switch rng.IntN(4) {
	case 0:
		m.Loss, m.Duplicates = rng.IntN(3), rng.IntN(3)
	case 1:
		m.Set, m.Unordered, m.Loss = true, false, rng.IntN(3)
	case 2:
		m.OneInstant = true
	case 3:
		m.Overlap = rng.IntN(3)
	}
	if m.KeepsOrder() {
		m.Selective = false
	}
	if m.Disks = fault.Disks(rng.IntN(2)); coin() {
		m.Lose, m.Corrupt, m.Full = rng.IntN(2), rng.IntN(2), rng.IntN(2)
	}
	if coin() {
		m.Spoiled = []core.Proc{core.Proc(rng.IntN(procs))}
	}
	if coin() {
		m.Victims = []core.Proc{core.Proc(rng.IntN(procs))}
	}
	if m.OneInstant && m.Failures > procs {
		m.Failures = procs
	}
	if m.Validate(procs) != nil { // of the few combinations that make no sense
		m.FromDead = fault.Prefix
	}
	return m
}

// kinds counts the first words of the names of events.
func kinds(counts map[string]int, schedule []string) {
	for _, name := range schedule {
		word := name[:max(0, slices.Index([]byte(name+" "), ' '))]
		if cutInside.MatchString(name) {
			word = "inside"
		}
		counts[word]++
	}
}
