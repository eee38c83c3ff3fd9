package world

import (
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// object is a JSON object whose fields keep their order.
type object []field

type field struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// document is a value for encoding/json, which would write it the same way but for bytes: those of
// a payload are digits, as digests in the evidence are, others are what they hold, as far as their
// form tells.
func document(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case core.Payload:
			return object{{"id", x.ID}, {"data", hex.EncodeToString(x.Data)}}
		case []byte:
			return jsonable(slices.Clone(x))
		case json.Marshaler, encoding.TextMarshaler:
			return x
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return document(v.Elem())
	case reflect.Struct:
		return fields(v)
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		fallthrough
	case reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = document(v.Index(i))
		}
		return list
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		m := reflect.MakeMap(reflect.MapOf(v.Type().Key(), reflect.TypeFor[any]()))
		for key, x := range v.Seq2() {
			if d := document(x); d != nil {
				m.SetMapIndex(key, reflect.ValueOf(d))
			} else {
				m.SetMapIndex(key, reflect.Zero(reflect.TypeFor[any]()))
			}
		}
		return m.Interface()
	}
	return v.Interface()
}

// fields are those that encoding/json would write.
func fields(v reflect.Value) (o object) {
	o = object{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			o = append(o, fields(v.Field(i))...)
		case !f.IsExported() || name == "-",
			strings.Contains(options, "omitempty") && empty(v.Field(i)):
		case name == "":
			o = append(o, field{f.Name, document(v.Field(i))})
		default:
			o = append(o, field{name, document(v.Field(i))})
		}
	}
	return o
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		return false
	case reflect.Slice, reflect.Map, reflect.Array:
		return v.Len() == 0
	}
	return v.IsZero()
}

// named is how encoding/json writes the name of a message.
var named = regexp.MustCompile(`\{"from":(\d+),"number":(\d+)\}`)

// labelled replaces the names of messages in a document by what the program calls them. In a text
// its quotes are escaped, so it is not found there.
func labelled(document []byte, l *trace.Layout) []byte {
	return named.ReplaceAllFunc(document, func(name []byte) []byte {
		parts := named.FindSubmatch(name)
		from, wide := strconv.ParseUint(string(parts[1]), 10, 32)
		number, large := strconv.ParseUint(string(parts[2]), 10, 32)
		if wide != nil || large != nil {
			return name
		}
		label, err := json.Marshal(l.Label(core.MsgID{From: core.Rank(from),
			Number: uint32(number)}))
		if err != nil {
			return name // not reached: a text can be written
		}
		return label
	})
}

// jsonable is a decoded value of what JSON has: keys are texts, bytes are a text or what they hold,
// else their digits.
func jsonable(value any) any {
	switch v := value.(type) {
	case map[any]any:
		m := map[string]any{}
		for k, x := range v {
			m[fmt.Sprint(jsonable(k))] = jsonable(x)
		}
		return m
	case []any:
		for i := range v {
			v[i] = jsonable(v[i])
		}
		return v
	case []byte:
		switch parts := packed(v); {
		case len(v) == 0:
			return ""
		case legible(v):
			return string(v)
		case len(parts) == 1:
			return parts[0]
		case parts != nil:
			return parts
		}
		return hex.EncodeToString(v)
	case nil, bool, string, float64, int64, uint64:
		return v
	}
	return fmt.Sprint(value)
}

// packed is what the codec has put into bytes, one value or several records behind each other; nil
// where the form is another one. A payload, which is any eight bytes, may by chance look like
// numbers, but not like records.
func packed(b []byte) (parts []any) {
	for rest := b; len(rest) > 0; {
		var part any
		var err error
		if rest, err = core.DecodeFirst(rest, &part); err != nil {
			return nil
		}
		_, isMap := part.(map[any]any)
		_, isList := part.([]any)
		if !isMap && !isList && (len(b) < 2 || len(b) == core.MinBytes || len(rest) > 0 ||
			len(parts) > 0) {
			return nil
		}
		parts = append(parts, jsonable(part))
	}
	return parts
}

// legible reports whether bytes are a text.
func legible(b []byte) bool {
	for _, c := range string(b) {
		if c == utf8.RuneError || !unicode.IsPrint(c) {
			return false
		}
	}
	return true
}
