package fault

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Key is one knob of the failure model, with everything that is said about it: scenario files are
// read and written by it, random scenarios drawn, counterexamples made smaller, verdicts bounded,
// help printed. A new knob is a field of Model, a row of Keys, and what the drivers do with it
// (checker/world, impl/runtime).
//
// A value is a number: the place in Words where there are some.
type Key struct {
	Name  string   // in scenario files
	Doc   string   // one line
	Words []string // the values, the default first; nil: a number in [0, Max], by default 0
	Word  string   // of a number: the word for All; "" = a number is all that it may be
	// what a number counts, in a verdict: "1 failure", "2 failures"; None is said of 0
	One, Many, None string
	Budget          bool     // used up by events of a run, so a run says how many it needs
	Draw            []int    // values other than the default for random scenarios
	With            []string // keys that make no sense where this one has its default

	access
}

// access is where a model keeps the value.
type access struct {
	get func(m *Model) int
	set func(m *Model, value int)
}

// All is the value of a number that stands for no limit.
const All = math.MaxInt

// Keys are all knobs, in the order in which they are written. What is a name of a proc belongs to a
// scenario: Model.Victims and Model.Spoiled have no row.
var Keys = []Key{
	{Name: "failures", Doc: "groups of procs that may crash, in all", Budget: true,
		None: "no failures", One: "failure", Many: "failures", Draw: []int{0},
		With:   []string{"at-once", "spacing", "overlap", "stop"},
		access: number(func(m *Model) *int { return &m.Failures })},
	{Name: "at-once", Doc: "groups that one crash may take, each of which counts as a failure",
		Word: "all", One: "at once", Many: "at once", Draw: []int{2, All},
		access: access{atOnce, setAtOnce}},
	{Name: "spacing", Doc: "when the next failure may strike: at any time, or from the end of " +
		"the recovery from the one before", Words: []string{"any", "settled"}, Draw: []int{1},
		access: flag(func(m *Model) *bool { return &m.Settled })},
	{Name: "overlap", Doc: "procs that may be down or recovering at a time; 0: any number",
		One: "down or recovering at a time", Many: "down or recovering at a time", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Overlap })},
	{Name: "stop", Doc: "how the members of a group stop: together, or one by one",
		Words: []string{"together", "staggered"}, Draw: []int{1},
		access: flag(func(m *Model) *bool { return &m.Staggered })},
	{Name: "checkpoints", Doc: "checkpoints that the environment may ask for, anywhere",
		Budget: true, One: "checkpoint", Many: "checkpoints", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Checkpoints })},
	{Name: "network", Doc: "channels keep order, or do not, or are sets: a message stays when it " +
		"arrives and may arrive again", Words: []string{"fifo", "unordered", "set"},
		Draw: []int{1}, With: []string{"ignored"}, access: access{network, setNetwork}},
	{Name: "ignored", Doc: "what becomes of a message that its receiver has no use for now",
		Words: []string{"lost", "kept"}, Draw: []int{1},
		access: flag(func(m *Model) *bool { return &m.Selective })},
	{Name: "loss", Doc: "messages that the network may lose", Budget: true, One: "loss",
		Many: "losses", Draw: []int{1}, access: number(func(m *Model) *int { return &m.Loss })},
	{Name: "duplicates", Doc: "messages that the network may deliver twice", Budget: true,
		One: "duplicate", Many: "duplicates", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Duplicates })},
	{Name: "from-dead", Doc: "what arrives of what a crashed proc had in flight on each channel",
		Words: []string{"prefix", "every", "nothing"}, Draw: []int{int(Every), int(Nothing)},
		access: access{func(m *Model) int { return int(m.FromDead) },
			func(m *Model, value int) { m.FromDead = Survival(value) }}},
	{Name: "to-dead", Doc: "messages in flight to a crashed proc are lost, or kept for its next " +
		"incarnation", Words: []string{"lost", "kept"}, Draw: []int{1},
		access: flag(func(m *Model) *bool { return &m.KeepToDead })},
	{Name: "detect", Doc: "a failure is reported after the last messages of who failed, or " +
		"at any time", Words: []string{"after", "any"}, Draw: []int{1},
		access: flag(func(m *Model) *bool { return &m.DetectAny })},
	{Name: "notice", Doc: "failures are reported group by group, or all that are known at once",
		Words: []string{"each", "joint"}, Draw: []int{1},
		access: flag(func(m *Model) *bool { return &m.Joint })},
	{Name: "suspicions", Doc: "false alarms of the failure detector, in all; one that is over " +
		"counts as well", Budget: true,
		One: "suspicion", Many: "suspicions", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Suspicions })},
	{Name: "torn", Doc: "first writes of a record that a crash may leave damaged; half " +
		"a rewrite leaves the older value", Budget: true,
		One: "torn write", Many: "torn writes", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Torn })},
	{Name: "disks", Doc: "the records on the disk of a node that crashes: lost with the node, or " +
		"there for who runs on it next", Words: []string{"node", "survive"}, Draw: []int{1},
		access: access{func(m *Model) int { return int(m.Disks) },
			func(m *Model, value int) { m.Disks = Disks(value) }}},
	{Name: "lose", Doc: "stable records that disappear, anywhere", Budget: true,
		One: "lost record", Many: "lost records", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Lose })},
	{Name: "corrupt", Doc: "stable records that change by themselves: the last bit, or the " +
		"second half is gone; nobody is told", Budget: true,
		One: "corrupted record", Many: "corrupted records", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Corrupt })},
	{Name: "full", Doc: "writes that are refused because the store is full", Budget: true,
		One: "refused write", Many: "refused writes", Draw: []int{1},
		access: number(func(m *Model) *int { return &m.Full })},
}

func number(at func(*Model) *int) access {
	return access{func(m *Model) int { return *at(m) },
		func(m *Model, value int) { *at(m) = value }}
}

func flag(at func(*Model) *bool) access {
	return access{func(m *Model) int {
		if *at(m) {
			return 1
		}
		return 0
	}, func(m *Model, value int) { *at(m) = value == 1 }}
}

func atOnce(m *Model) int {
	if m.OneInstant {
		return All
	}
	return m.AtOnce
}

func setAtOnce(m *Model, value int) {
	if m.AtOnce, m.OneInstant = value, value == All; m.OneInstant {
		m.AtOnce = 0
	}
}

func network(m *Model) int {
	switch {
	case m.Set:
		return 2
	case m.Unordered:
		return 1
	}
	return 0
}

func setNetwork(m *Model, value int) { m.Unordered, m.Set = value == 1, value == 2 }

// Find is the row of a key, nil when there is none.
func Find(name string) *Key {
	for i := range Keys {
		if Keys[i].Name == name {
			return &Keys[i]
		}
	}
	return nil
}

// Get is the value in a model, 0 the default.
func (k *Key) Get(m *Model) int { return k.get(m) }

// Set puts a value that the key may have into a model.
func (k *Key) Set(m *Model, value int) { k.set(m, value) }

// Clear puts a model back to the default, and with it the keys that make no sense then.
func (k *Key) Clear(m *Model) {
	k.set(m, 0)
	for _, name := range k.With {
		Find(name).Clear(m)
	}
}

// Text is the value in a model as a scenario file has it.
func (k *Key) Text(m *Model) string {
	switch value := k.get(m); {
	case value == All:
		return k.Word
	case k.Words != nil:
		return k.Words[value]
	default:
		return strconv.Itoa(value)
	}
}

// Read sets the value that a scenario file gives.
func (k *Key) Read(m *Model, text string) error {
	if k.Words != nil {
		i := slices.Index(k.Words, text)
		if i < 0 {
			return fmt.Errorf("%q, want %s", text, k.Values())
		}
		k.set(m, i)
		return nil
	}
	if k.Word != "" && text == k.Word {
		k.set(m, All)
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > Max {
		return fmt.Errorf("%q, want %s", text, k.Values())
	}
	k.set(m, n)
	return nil
}

// Values says which values a scenario file may give.
func (k *Key) Values() string {
	words := k.Words
	if words == nil {
		words = []string{fmt.Sprintf("a number in [0, %d]", Max)}
		if k.Word != "" {
			words = append(words, k.Word)
		}
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Within is what a verdict in a model says about the key, "" where that is the default.
func (k *Key) Within(m *Model) string {
	switch value := k.get(m); {
	case value == 0:
		return k.None
	case k.Words != nil:
		return k.Name + " " + k.Words[value]
	case value == 1:
		return "1 " + k.One
	default:
		return k.Text(m) + " " + k.Many
	}
}

// Spend lowers all budgets but that of failures, on which others depend, to what a run has used.
func (m *Model) Spend(used *Model) {
	for _, k := range Keys {
		if k.Budget && k.Name != "failures" {
			k.set(m, k.get(used))
		}
	}
}

// validate reports a value that the key can not have.
func (k *Key) validate(m *Model) error {
	value := k.get(m)
	switch {
	case k.Words != nil && value >= len(k.Words):
		return fmt.Errorf("%s is value %d of %d", k.Name, value, len(k.Words))
	case k.Words == nil && (value < 0 || value > Max && (value != All || k.Word == "")):
		return fmt.Errorf("budget %s is %d, want [0, %d]", k.Name, value, Max)
	}
	return nil
}
