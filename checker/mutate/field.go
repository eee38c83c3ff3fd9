package mutate

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

func parsePath(text string) (fieldPath, error) {
	p := fieldPath(strings.Split(text, "."))
	if slices.Contains(p, "") {
		return nil, fmt.Errorf("field %q: a word between dots is missing", text)
	}
	return p, nil
}

// place is whom a change is about.
type place struct{ from, to, self core.Proc }

// change is what a mutant does to a field; it fails if the field is none that can be changed so.
type change func(reflect.Value) error

// alter applies the change to every field at the path. Slices on the way are copied first, so that
// nothing that shares them changes. It reports whether anything is different now.
func alter(v reflect.Value, p fieldPath, at place, c change) (bool, error) {
	before := core.Encode(v.Interface())
	if err := walk(v, p, at, c); err != nil && len(p) > 0 {
		return false, fmt.Errorf("field %s: %w", strings.Join(p, "."), err)
	} else if err != nil {
		return false, err
	}
	return !bytes.Equal(before, core.Encode(v.Interface())), nil
}

func walk(v reflect.Value, p fieldPath, at place, c change) error {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return walk(v.Elem(), p, at, c)
	case len(p) == 0:
		return c(v)
	case v.Kind() == reflect.Slice:
		own := clip(v)
		for i := range v.Len() {
			if here, err := at.names(p[0], i, v.Len()); err != nil {
				return err
			} else if !here {
				continue
			}
			if err := walk(own.Index(i), p[1:], at, c); err != nil {
				return err
			}
		}
		v.Set(own)
	case v.Kind() == reflect.Struct:
		if f := v.FieldByName(p[0]); f.CanSet() {
			return walk(f, p[1:], at, c)
		}
	default:
		return fmt.Errorf("there is nothing named %q in a %v", p[0], v.Type())
	}
	return nil
}

// names reports whether the word of a path is about the i-th of n places.
func (at place) names(word string, i, n int) (bool, error) {
	switch word {
	case "*":
		return true, nil
	case "first":
		return i == 0, nil
	case "last":
		return i == n-1, nil
	case "from":
		return i == int(at.from), nil
	case "to":
		return i == int(at.to), nil
	case "self":
		return i == int(at.self), nil
	}
	k, err := strconv.Atoi(word)
	if err != nil {
		return false, fmt.Errorf("%q is no place in a list, want a number, first, last, from, to, "+
			"self or *", word)
	}
	return i == k, nil
}

// read is the first field at the path, and whether there is one.
func read(v reflect.Value, p fieldPath, at place) (field reflect.Value, ok bool, err error) {
	err = walk(v, p, at, func(f reflect.Value) error {
		if !ok {
			field, ok = reflect.New(f.Type()).Elem(), true
			field.Set(f)
		}
		return nil
	})
	return field, ok, err
}

// pair are two fields: what the second is, the first becomes.
type pair struct{ into, source fieldPath }

// take sets fields of a value to what fields of the source are, as far as both have them.
func take(v, source reflect.Value, pairs []pair, at place) error {
	for _, p := range pairs {
		value, ok, err := read(source, p.source, at)
		if err == nil && ok {
			err = walk(v, p.into, at, func(f reflect.Value) error {
				if !value.CanConvert(f.Type()) {
					return fmt.Errorf("a %s can not become a %s", typeName(value.Type()),
						typeName(f.Type()))
				}
				f.Set(value.Convert(f.Type()))
				return nil
			})
		}
		if err != nil {
			return fmt.Errorf("%s=%s: %w", strings.Join(p.into, "."), strings.Join(p.source, "."),
				err)
		}
	}
	return nil
}

// typeName is the name of a type without what a generic one is of, which has paths.
func typeName(t reflect.Type) string {
	name := t.String()
	if at := strings.IndexByte(name, '['); at > 0 {
		name = name[:at]
	}
	return name
}

// shift adds to a number; below zero and above the highest it stays there.
func shift(by int64) change {
	return func(v reflect.Value) error {
		switch {
		case v.CanInt():
			v.SetInt(v.Int() + by)
		case !v.CanUint():
			return fmt.Errorf("a %v is no number to shift", v.Type())
		case by < 0:
			v.SetUint(v.Uint() - min(v.Uint(), uint64(-by)))
		default:
			highest := ^uint64(0) >> (64 - v.Type().Bits())
			v.SetUint(v.Uint() + min(highest-v.Uint(), uint64(by)))
		}
		return nil
	}
}

// set sets a number or a truth value.
func set(n uint64) change {
	return func(v reflect.Value) error {
		switch {
		case v.Kind() == reflect.Bool:
			v.SetBool(n != 0)
		case v.CanUint():
			v.SetUint(n)
		case v.CanInt():
			v.SetInt(int64(n))
		default:
			return fmt.Errorf("a %v is no number to set", v.Type())
		}
		return nil
	}
}

// nothing is the zero value.
func nothing(v reflect.Value) error {
	v.SetZero()
	return nil
}

// withoutLast and withoutFirst take an element out of a list.
func withoutLast(v reflect.Value) error { return cut(v, 0, 1) }

func withoutFirst(v reflect.Value) error { return cut(v, 1, 0) }

// cut takes elements out of a list, in front and behind; an empty one stays so.
func cut(v reflect.Value, front, behind int) error {
	if v.Kind() != reflect.Slice {
		return fmt.Errorf("a %v is no list", v.Type())
	}
	if n := v.Len(); n > 0 {
		v.Set(clip(v.Slice(front, n-behind)))
	}
	return nil
}

// backwards reverses a list.
func backwards(v reflect.Value) error {
	if v.Kind() != reflect.Slice {
		return fmt.Errorf("a %v is no list", v.Type())
	}
	own := clip(v)
	swap := reflect.Swapper(own.Interface())
	for i, j := 0, own.Len()-1; i < j; i, j = i+1, j-1 {
		swap(i, j)
	}
	v.Set(own)
	return nil
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
func blank(s *core.Setup, kind string) (core.Message, error) {
	for n := range uint64(64) {
		m := s.NewMessage()
		v := reflect.Indirect(reflect.ValueOf(m))
		if v.Kind() != reflect.Struct || !v.FieldByName("Kind").CanUint() {
			return nil, fmt.Errorf("a %T has no number named Kind, by which it is known", m)
		}
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
			return clear, nil
		}
	}
	return nil, fmt.Errorf("%s has no message %s", s.Protocol, kind)
}

// oneOf reports whether the message is of one of the kinds.
func oneOf(m core.Message, kinds []string) bool {
	return m != nil && slices.Contains(kinds, m.Describe().Kind)
}
