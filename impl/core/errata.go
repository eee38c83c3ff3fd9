package core

import (
	"fmt"
	"strings"
)

// Erratum is one departure of a protocol from what its paper prints; each is a switch in the
// protocol's options.
type Erratum struct {
	ID       string `json:"id"`
	Place    string `json:"place"`    // source, e.g. "[HydEE] Alg. 3 l. 10"
	Printed  string `json:"printed"`  // what the paper prints or allows
	Repaired string `json:"repaired"` // what the repaired protocol does
	// part of the published form; others are readings that the text allows, or of another paper
	Published bool   `json:"-"`
	Shown     string `json:"shown,omitempty"` // by what and why, if no scenario shows it
	Of        string `json:"-"`               // protocols that have it, where several share a table
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

// Published is the protocol as its paper prints it: every erratum of the text at once.
func (l Errata) Published() Switches {
	var s Switches
	for i := range l {
		if l[i].ID != "" && l[i].Published {
			s = s.With(Switch(i))
		}
	}
	return s
}

// MustErrata reads a table that is kept as a text, from switch first on, one entry a switch:
//
//	H2: [HydEE] Alg. 2 l. 14
//		printed: date < OrphanDate, so the last message
//			received is sent again
//		repaired: date <= OrphanDate
//		published
//
// An entry begins with its ID and place, and its lines with a tab; what begins with two tabs is the
// rest of the text before, what begins with # a comment. It panics where the text, which is part of
// the program, is not of that form.
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
			texts := map[string]*string{"printed": &e.Printed, "repaired": &e.Repaired,
				"shown": &e.Shown, "of": &e.Of}
			switch last = texts[key]; {
			case line == "\tpublished":
				e.Published = true
			case last == nil || !colon:
				bad("want published, or a text that is printed, repaired, shown or of")
			case *last != "":
				bad("the entry has that already")
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
