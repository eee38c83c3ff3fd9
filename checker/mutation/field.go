package mutation

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// A path names fields of plain data, e.g. "Entries.last.RSN": names of fields, places in slices. A
// place is a number, "first", "last", "*" for all, or "from", "to" and "self" for the procs of the
// message or input at hand. Names are those of the protocol's Go code. What is not there is not
// changed: ranks and services have different states; that a mutant makes a difference at all is for
// its test to say.
type fieldPath []string

func parsePath(text string) fieldPath { return strings.Split(text, ".") }

// place is whom a change is about.
type place struct{ from, to, self core.Proc }

// change is what a mutant does to a field.
type change func(reflect.Value)

// alter applies the change to every field at the path. Slices on the way are copied first, so that
// nothing that shares them changes. It reports whether anything is different now.
func alter(v reflect.Value, p fieldPath, at place, c change) bool {
	before := core.Encode(v.Interface())
	walk(v, p, at, c)
	return !bytes.Equal(before, core.Encode(v.Interface()))
}

func walk(v reflect.Value, p fieldPath, at place, c change) {
	switch {
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), p, at, c)
		}
	case len(p) == 0:
		c(v)
	case v.Kind() == reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range v.Len() {
			if at.names(p[0], i, v.Len()) {
				walk(own.Index(i), p[1:], at, c)
			}
		}
		v.Set(own)
	default:
		if f := v.FieldByName(p[0]); f.IsValid() {
			walk(f, p[1:], at, c)
		}
	}
}

// names reports whether the word of a path is about the i-th of n places.
func (at place) names(word string, i, n int) bool {
	switch word {
	case "*":
		return true
	case "first":
		return i == 0
	case "last":
		return i == n-1
	case "from":
		return i == int(at.from)
	case "to":
		return i == int(at.to)
	case "self":
		return i == int(at.self)
	}
	k, err := strconv.Atoi(word)
	if err != nil {
		panic(fmt.Sprintf(
			"invariant: a place in a slice is a number or one of the words of a path: %q", word))
	}
	return i == k
}

// read is the first field at the path, and whether there is one.
func read(v reflect.Value, p fieldPath, at place) (field reflect.Value, ok bool) {
	walk(v, p, at, func(f reflect.Value) {
		if !ok {
			field, ok = reflect.New(f.Type()).Elem(), true
			field.Set(f)
		}
	})
	return field, ok
}

// shift adds to a number; below zero it stays at zero.
func shift(by int64) change {
	return func(v reflect.Value) {
		switch {
		case v.CanInt():
			v.SetInt(v.Int() + by)
		case by < 0 && v.Uint() < uint64(-by):
			v.SetUint(0)
		default:
			v.SetUint(v.Uint() + uint64(by))
		}
	}
}

// to sets a number or a truth value.
func to(n uint64) change {
	return func(v reflect.Value) {
		if v.Kind() == reflect.Bool {
			v.SetBool(n != 0)
			return
		}
		v.SetUint(n)
	}
}

// nothing is the zero value.
func nothing(v reflect.Value) { v.SetZero() }

// withoutLast and withoutFirst take an element out of a slice.
func withoutLast(v reflect.Value) {
	if n := v.Len(); n > 0 {
		v.Set(clip(v.Slice(0, n-1)))
	}
}

func withoutFirst(v reflect.Value) {
	if n := v.Len(); n > 0 {
		v.Set(clip(v.Slice(1, n)))
	}
}

// backwards reverses a slice.
func backwards(v reflect.Value) {
	own := clip(v)
	swap := reflect.Swapper(own.Interface())
	for i, j := 0, own.Len()-1; i < j; i, j = i+1, j-1 {
		swap(i, j)
	}
	v.Set(own)
}

// clip is a copy of a slice.
func clip(v reflect.Value) reflect.Value {
	own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(own, v)
	return own
}

// copyOf is the message, to be changed.
func copyOf(s *core.Setup, m core.Message) core.Message {
	c := s.NewMessage()
	if err := core.Decode(core.Encode(m), c); err != nil {
		panic(fmt.Sprintf("invariant: a message can be encoded and decoded: %v", err))
	}
	return c
}

// blank is a message of the kind with nothing in it. The number of a kind is found by its name,
// which is what a message says about itself; some want to look into their lists for that, so those
// have one element meanwhile.
func blank(s *core.Setup, kind string) core.Message {
	for n := range uint64(64) {
		m := s.NewMessage()
		v := reflect.ValueOf(m).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Slice && f.CanSet() &&
				f.Type().Elem().Kind() != reflect.Uint8 {
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			}
		}
		v.FieldByName("Kind").SetUint(n)
		if m.Describe().Kind == kind {
			clear := s.NewMessage()
			reflect.ValueOf(clear).Elem().FieldByName("Kind").SetUint(n)
			return clear
		}
	}
	panic(fmt.Sprintf("invariant: %s has a message %s", s.Protocol, kind))
}

// oneOf reports whether the message is of one of the kinds, e.g. "Confirm|LogAck".
func oneOf(m core.Message, kinds string) bool {
	return m != nil && slices.Contains(strings.Split(kinds, "|"), m.Describe().Kind)
}
