package mutate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/trace"
)

// form is one habit of the language of mutants.
type form struct {
	usage string // its word, then what it wants: see arguments.read
	doc   string
	make  func(arguments) habit
}

// arguments are those of a habit that it wants.
type arguments struct {
	kinds   []string // of messages
	answer  string   // a kind of messages
	highest bool     // the rank with the highest number, not the lowest
	field   fieldPath
	change  change
	event   trace.Kind
	prefix  string
	pairs   []pair
}

// forms are the habits that a mutant can have, in the order of the help.
var forms = []form{
	{"drop KINDS", "sends no message of the kinds",
		func(a arguments) habit { return drop(a.kinds) }},
	{"drop-to KINDS RANK", "sends none to one rank",
		func(a arguments) habit { return dropTo(a.kinds, a.highest) }},
	{"twice KINDS", "sends each two times",
		func(a arguments) habit { return twice(a.kinds) }},
	{"late KINDS", "puts each on the network some time later; what is sent meanwhile overtakes it",
		func(a arguments) habit { return late(a.kinds) }},
	{"astray KINDS", "sends each to the proc behind the right one",
		func(a arguments) habit { return astray(a.kinds) }},
	{"forgets KINDS", "answers each that it receives and keeps nothing of it",
		func(a arguments) habit { return forgets(a.kinds) }},
	{"writes KINDS FIELD CHANGE", "changes a field of each as it is sent",
		func(a arguments) habit { return writes(a.kinds, a.field, a.change) }},
	{"reads KINDS FIELD=FIELD...", "takes fields of each that it receives for what fields of its " +
		"own state are",
		func(a arguments) habit { return reads(a.kinds, a.pairs) }},
	{"believes KINDS ANSWER FIELD=FIELD...", "takes each for answered when it sends it; " +
		"fields of the answer are fields of the message",
		func(a arguments) habit { return believes(a.kinds, a.answer, a.pairs) }},
	{"hears KINDS FIELD CHANGE", "changes a field of its state before it handles each",
		func(a arguments) habit { return hears(a.kinds, a.field, a.change) }},
	{"after EVENT FIELD CHANGE", "changes a field of its state after each step with that",
		func(a arguments) habit { return after(a.event, a.field, a.change) }},
	{"ranks FIELD CHANGE", "changes a field of the state of ranks after every step",
		func(a arguments) habit { return always(true, a.field, a.change) }},
	{"services FIELD CHANGE", "changes a field of the state of services after every step",
		func(a arguments) habit { return always(false, a.field, a.change) }},
	{"unwritten PREFIX", "goes on as if it had written records whose key begins so",
		func(a arguments) habit { return unwritten(a.prefix) }},
	{"hasty PREFIX", "goes on before they are stable",
		func(a arguments) habit { return hasty(a.prefix) }},
	{"put-off PREFIX", "goes on before it even begins to write them",
		func(a arguments) habit { return putOff(a.prefix) }},
	{"slow PREFIX", "writes them some time later, and waits for that",
		func(a arguments) habit { return slow(a.prefix) }},
	{"overlooks PREFIX", "finds none of them when it starts again",
		func(a arguments) habit { return overlooks(a.prefix) }},
	{"same-life", "takes the number of its former life when it starts again",
		func(arguments) habit { return sameLife() }},
}

// changes of fields that want no number.
var changes = map[string]change{"nothing": nothing, "without-last": withoutLast,
	"without-first": withoutFirst, "backwards": backwards}

// events are what a machine may do in a step, by the words for it.
var events = map[string]trace.Kind{"sends": trace.Sent, "delivers": trace.Delivered,
	"logs": trace.Logged, "prunes": trace.Pruned, "commits": trace.Committed, "keeps": trace.Kept,
	"forgets": trace.Forgotten}

// Language explains the habits of mutants to who writes some.
func Language() string {
	var b strings.Builder
	for _, f := range forms {
		fmt.Fprintf(&b, "  %-38s %s\n", f.usage, f.doc)
	}
	b.WriteString(`
KINDS    kinds of messages, as they describe themselves: Confirm or LogPut|LogAck
FIELD    names of Go fields of a message or state, places in lists: Entries.last.RSN
         a place is a number, first, last, * for all, from, to or self for a proc
CHANGE   shift(1), shift(-1), set(7), set(max), nothing, without-last, without-first, backwards
RANK     first or last
PREFIX   how keys of stable records begin: image/
EVENT    ` + strings.Join(sorted(events), ", ") + "\n")
	return b.String()
}

// parseHabit reads a habit, such as "writes Status Last shift(1)".
func parseHabit(text string) (habit, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return habit{}, fmt.Errorf("there is no habit; known: %s", strings.Join(formWords(), ", "))
	}
	i := slices.Index(formWords(), words[0])
	if i < 0 {
		return habit{}, unknown("habit", words[0], formWords())
	}
	usage := strings.Fields(forms[i].usage)
	more := len(usage) > 1 && usage[len(usage)-1] == "FIELD=FIELD..."
	if len(words) != len(usage) && !(more && len(words) > len(usage)) {
		return habit{}, fmt.Errorf("%q is not of the form %q", text, forms[i].usage)
	}
	var a arguments
	for j, word := range words[1:] {
		if err := a.read(usage[min(j+1, len(usage)-1)], word); err != nil {
			return habit{}, err
		}
	}
	return forms[i].make(a), nil
}

// read takes an argument of the kind that a form wants.
func (a *arguments) read(kind, word string) (err error) {
	switch kind {
	case "KINDS":
		a.kinds = strings.Split(word, "|")
	case "ANSWER":
		a.answer = word
	case "PREFIX":
		a.prefix = word
	case "RANK":
		if a.highest = word == "last"; !a.highest && word != "first" {
			return fmt.Errorf("rank %q: want first or last", word)
		}
	case "EVENT":
		ok := false
		if a.event, ok = events[word]; !ok {
			return unknown("event", word, sorted(events))
		}
	case "FIELD":
		a.field, err = parsePath(word)
	case "CHANGE":
		a.change, err = parseChange(word)
	case "FIELD=FIELD...":
		var p pair
		into, source, ok := strings.Cut(word, "=")
		if !ok {
			return fmt.Errorf("%q is no pair of fields, as in Round=Round", word)
		}
		if p.into, err = parsePath(into); err == nil {
			p.source, err = parsePath(source)
		}
		a.pairs = append(a.pairs, p)
	default:
		panic("invariant: a form wants arguments of known kinds: " + kind)
	}
	return err
}

// parseChange reads what is done to a field.
func parseChange(word string) (change, error) {
	if c, ok := changes[word]; ok {
		return c, nil
	}
	name, rest, ok := strings.Cut(word, "(")
	number, end := strings.CutSuffix(rest, ")")
	switch {
	case ok && end && name == "set" && number == "max":
		return set(math.MaxUint64), nil
	case ok && end && name == "set":
		if n, err := strconv.ParseUint(number, 0, 64); err == nil {
			return set(n), nil
		}
	case ok && end && name == "shift":
		if n, err := strconv.ParseInt(number, 0, 64); err == nil {
			return shift(n), nil
		}
	}
	return nil, unknown("change", word, append(sorted(changes), "set(0)", "shift(1)"))
}

// formWords are the words of habits, in the order of the forms.
func formWords() []string {
	var words []string
	for _, f := range forms {
		word, _, _ := strings.Cut(f.usage, " ")
		words = append(words, word)
	}
	return words
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func unknown(what, word string, known []string) error {
	return fmt.Errorf("unknown %s %q%s Known: %s", what, word, spelling.Guess(word, known),
		strings.Join(known, ", "))
}
