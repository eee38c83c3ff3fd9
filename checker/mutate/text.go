package mutate

import (
	"fmt"
	"slices"
	"strings"
)

// Text is what a protocol says about its mutants. Protocols of one family may have one text.
type Text struct {
	Protocol string
	File     string // for errors
	Text     string
}

// Collect parses the texts and returns the mutants of the protocols that they are texts of. A
// mutant of a protocol without a text is an error: it would be forgotten in silence.
func Collect(texts []Text) ([]Mutant, error) {
	var protocols []string
	for _, t := range texts {
		protocols = append(protocols, t.Protocol)
	}
	var all []Mutant
	for _, t := range texts {
		list, err := Parse(t.File, t.Text)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			switch {
			case m.Protocol == t.Protocol:
				all = append(all, m)
			case !slices.Contains(protocols, m.Protocol):
				return nil, fmt.Errorf("%s: %s: %w", m.Source, m.Name,
					unknown("protocol", m.Protocol, protocols))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Mutant) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(all); i++ {
		if all[i].Name == all[i-1].Name {
			return nil, fmt.Errorf("%s: mutant %s is there twice, see %s", all[i].Source,
				all[i].Name, all[i-1].Source)
		}
	}
	return all, nil
}

// Parse reads mutants from the text of a file, in its order. A block of lines is one mutant, under
// one protocol or several of a family:
//
//	twice-confirm: twice Confirm
//		confirms two times
//		at rbml m24-rbml
//		at hmpl m9
//		equivalent: what is erased once is not there to be erased again
//
// The first line has its name and its habit (see Language), the indented ones what it does in
// words, then the scenarios at which it is hunted, then what is known of it if no run breaks
// anything (Status) and why. A line that is indented further goes on with the words before it, one
// that begins with # is a comment.
func Parse(file, text string) ([]Mutant, error) {
	var all []Mutant
	var b *block
	end := func() error {
		if b == nil {
			return nil
		}
		list, err := b.mutants()
		all, b = append(all, list...), nil
		return err
	}
	for i, line := range strings.Split(text, "\n") {
		words := strings.TrimSpace(line)
		var err error
		switch at := fmt.Sprintf("%s:%d", file, i+1); {
		case words == "" || strings.HasPrefix(words, "#"):
		case strings.HasPrefix(line, words):
			if err = end(); err == nil {
				b, err = begin(at, words)
			}
		case b == nil:
			err = fmt.Errorf("%s: %q belongs to no mutant: its name and habit are missing, as in "+
				"\"drop-ack: drop Ack\"", at, words)
		default:
			err = b.line(at, words, len(line)-len(strings.TrimLeft(line, " \t")))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, m := range all {
		if at := seen[m.Name]; at != "" {
			return nil, fmt.Errorf("%s: mutant %s is there twice, see %s", m.Source, m.Name, at)
		}
		seen[m.Name] = m.Source
	}
	return all, nil
}

// block is a mutant whose lines are being read.
type block struct {
	Mutant
	places [][2]string // protocol and scenario
	indent int         // of its lines
	text   *string     // that a line further to the right goes on with, nil for none
}

// begin reads the first line of a block.
func begin(at, line string) (*block, error) {
	name, rest, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t/") {
		return nil, fmt.Errorf("%s: %q does not begin a mutant, want NAME: HABIT, as in "+
			"\"drop-ack: drop Ack\"; lines about it are indented", at, line)
	}
	b := &block{Mutant: Mutant{Name: name, Expect: Broken, Source: at,
		Habit: strings.Join(strings.Fields(rest), " ")}}
	var err error
	if b.habit, err = parseHabit(b.Habit); err != nil {
		return nil, fmt.Errorf("%s: mutant %s: %w", at, name, err)
	}
	return b, nil
}

// line reads a line with its indentation.
func (b *block) line(at, line string, indent int) error {
	words := strings.Fields(line)
	place := words[0] == "at" && len(words) == 3
	status, why, isStatus := strings.Cut(line, ":")
	isStatus = isStatus && !strings.ContainsAny(status, " \t")
	wrong := ""
	switch {
	case b.indent > 0 && indent > b.indent && b.text != nil:
		*b.text += " " + line
	case b.Doc == "" && place:
		wrong = "what it does in words is missing"
	case b.Doc == "":
		b.Doc, b.indent, b.text = line, indent, &b.Doc
	case place && b.Why == "":
		b.places, b.text = append(b.places, [2]string{words[1], words[2]}), nil
	case words[0] == "at" && b.Why == "":
		wrong = fmt.Sprintf("%q is not of the form \"at PROTOCOL SCENARIO\"", line)
	case isStatus && !slices.Contains(survivors, status):
		wrong = unknown("status", status, survivors).Error()
	case isStatus && b.Why != "":
		wrong = "it has a status already"
	case isStatus && strings.TrimSpace(why) == "":
		wrong = "the reason why it is " + status + " is missing"
	case isStatus:
		b.Expect, b.Why, b.text = Status(status), strings.TrimSpace(why), &b.Why
	default:
		wrong = fmt.Sprintf("%q is no scenario and no status; words that go on are indented "+
			"further", line)
	}
	if wrong != "" {
		return fmt.Errorf("%s: mutant %s: %s", at, b.Name, wrong)
	}
	return nil
}

// survivors are what may be known of a mutant, but that it is broken.
var survivors = []string{string(Equivalent), string(Within), string(Vacuous)}

// mutants are those of a block that is complete.
func (b *block) mutants() (list []Mutant, err error) {
	switch {
	case b.Doc == "":
		return nil, fmt.Errorf("%s: mutant %s: what it does in words is missing", b.Source, b.Name)
	case len(b.places) == 0:
		return nil, fmt.Errorf("%s: mutant %s: its scenario is missing, a line "+
			"\"at PROTOCOL SCENARIO\"", b.Source, b.Name)
	}
	for _, p := range b.places {
		m := b.Mutant
		m.Name, m.Protocol, m.Scenario = p[0]+"/"+b.Name, p[0], p[1]
		list = append(list, m)
	}
	return list, nil
}

// Format writes mutants as Parse reads them; a switch of a protocol has no text. Mutants in
// sequence that differ in nothing but protocol and scenario share a block.
func Format(list []Mutant) string {
	var b strings.Builder
	var before Mutant
	status := ""
	for _, m := range list {
		if m.Habit == "" {
			continue
		}
		place := fmt.Sprintf("\tat %s %s\n", m.Protocol, m.Scenario)
		_, m.Name, _ = strings.Cut(m.Name, "/")
		same := m.Name == before.Name && m.Habit == before.Habit && m.Doc == before.Doc &&
			m.Expect == before.Expect && m.Why == before.Why
		if !same {
			if before.Name != "" {
				b.WriteString(status + "\n")
			}
			if status = ""; m.Why != "" {
				status = folded(string(m.Expect) + ": " + m.Why)
			}
			fmt.Fprintf(&b, "%s: %s\n%s", m.Name, m.Habit, folded(m.Doc))
		}
		b.WriteString(place)
		before = m
	}
	return b.String() + status
}

// columns is how wide lines of words are at most, behind their tabs.
const columns = 92

// folded breaks words into indented lines.
func folded(text string) string {
	line, lines := "\t", ""
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+len(word) > columns:
			lines, line = lines+line+"\n", "\t\t"+word
		default:
			line += " " + word
		}
	}
	return lines + line + "\n"
}
