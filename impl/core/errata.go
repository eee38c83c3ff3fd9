package core

import (
	"fmt"
	"strings"
)

// Class says what an erratum is of its paper: only what is printed is an error of the authors.
type Class string

// The classes of errata.
const (
	// ClassPrinted is an error in what the paper prints, which Quote is.
	ClassPrinted Class = "printed"
	// ClassReading is what the text can be read as, and need not be: Other is the reading
	// that works.
	ClassReading Class = "reading"
	// ClassSilence is a question that the text leaves open, and one answer that breaks.
	ClassSilence Class = "silence"
	// ClassOutside is what goes wrong outside the model that the paper states.
	ClassOutside Class = "outside"
	// ClassExtension is about something of ours, that the paper does not have.
	ClassExtension Class = "extension"
	// ClassSeeded is an error of nobody: put in to show what a rule is for.
	ClassSeeded Class = "seeded"
)

// Doc is the class in words, for people who have read none of this.
func (c Class) Doc() string {
	return map[Class]string{
		ClassPrinted:   "an error in what the paper prints",
		ClassReading:   "a reading of the text, which has another one",
		ClassSilence:   "the text leaves it open, and this answer breaks",
		ClassOutside:   "outside the model that the paper states",
		ClassExtension: "of an extension that the paper does not have",
		ClassSeeded:    "an error of nobody, put in to show what the rule is for",
	}[c]
}

// Erratum is one wrong way to build a protocol, of which its paper is the reason or could be; each
// is a switch in the protocol's options.
type Erratum struct {
	ID    string `json:"id"`
	Place string `json:"place"`           // source, e.g. "[HydEE] Alg. 3 l. 10"
	Class Class  `json:"class,omitempty"` // "" where there is no paper
	// Quote is the sentence or line of the paper that it is about, in its words.
	Quote    string `json:"quote,omitempty"`
	Switched string `json:"switched"`               // what the protocol does with the switch on
	Other    string `json:"otherReading,omitempty"` // of a reading: the one that works
	Repaired string `json:"repaired"`               // what the repaired protocol does
	Shown    string `json:"shown,omitempty"`        // by what and why, if no scenario shows it
	Of       string `json:"-"`                      // protocols that have it, where several share a table
}

// Text is the quote, or that there is none because the text is silent. It is "" where there is no
// text, or none that is quoted.
func (e *Erratum) Text() string {
	if e.Quote == "" && e.Class == ClassSilence {
		return "silent"
	}
	return e.Quote
}

// Switch is the number of one erratum among the options of a protocol.
type Switch uint8

// Switches is a set of errata that are switched on; the zero value is the repaired protocol.
type Switches uint64

// Has reports whether the erratum is in the set.
func (s Switches) Has(e Switch) bool { return s>>e&1 != 0 }

// With is the set and the erratum.
func (s Switches) With(e Switch) Switches { return s | 1<<e }

// Errata describes the switches of a protocol: entry e is switch e. An entry without ID is none of
// this protocol.
type Errata []Erratum

// List is every erratum in order.
func (l Errata) List() []Erratum {
	var list []Erratum
	for _, e := range l {
		if e.ID != "" {
			list = append(list, e)
		}
	}
	return list
}

// Find is the switch with the name, e.g. "H9a".
func (l Errata) Find(id string) (e Switch, ok bool) {
	for i := range l {
		if l[i].ID == id && id != "" {
			return Switch(i), true
		}
	}
	return 0, false
}

// Published is the repaired protocol with every error that the paper prints switched on; the text
// itself, line by line, is a form of its own (protocol.Printed).
func (l Errata) Published() Switches {
	var s Switches
	for i := range l {
		if l[i].ID != "" && l[i].Class == ClassPrinted {
			s = s.With(Switch(i))
		}
	}
	return s
}

// MustErrata reads a table that is kept as a text, from switch first on, one entry a switch:
//
//	H10: [HydEE] Alg. 4 l. 16
//		class: printed
//		quote: if NbOrphanPhase[phase] = 0 then
//		switched: date < OrphanDate, so the last message
//			received is sent again
//		repaired: date <= OrphanDate
//
// An entry begins with its ID and place, and its lines with a tab; what begins with two tabs is the
// rest of the text before, what begins with # a comment. A reading has another one (other), and
// what is printed a quote. It panics where the text, which is part of the program, is not of that
// form.
func MustErrata(first Switch, text string) Errata {
	list := make(Errata, first)
	var last *string
	for n, line := range strings.Split(text, "\n") {
		bad := func(why string) {
			panic(fmt.Sprintf("core: line %d of errata, %q: %s", n+1, line, why))
		}
		key, value, colon := strings.Cut(strings.TrimLeft(line, "\t"), ": ")
		indent := len(line) - len(strings.TrimLeft(line, "\t"))
		switch {
		case line == "" || line[0] == '#':
		case indent == 0 && colon:
			list, last = append(list, Erratum{ID: key, Place: value}), nil
		case indent == 1 && len(list) > int(first):
			e := &list[len(list)-1]
			texts := map[string]*string{"class": (*string)(&e.Class), "quote": &e.Quote,
				"switched": &e.Switched, "other": &e.Other, "repaired": &e.Repaired,
				"shown": &e.Shown, "of": &e.Of}
			switch last = texts[key]; {
			case last == nil || !colon:
				bad("want class, quote, switched, other, repaired, shown or of")
			case *last != "":
				bad("the entry has that already")
			case key == "class" && Class(value).Doc() == "":
				bad("want class printed, reading, silence, outside or extension")
			default:
				*last = value
			}
		case indent == 2 && last != nil:
			*last += " " + line[2:]
		default:
			bad("want an entry, a line of one, or the rest of a line")
		}
	}
	return list
}
