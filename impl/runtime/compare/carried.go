package compare

import (
	"fmt"
	"reflect"

	"github.com/domino-check/domino/impl/core"
)

// carried is what a message of a program carries: what comes out of its header at the other end
// or, where it has none, out of the codec.
func (p *probe) carried(from core.Proc, e *core.Effect) Message {
	c := Message{From: from, To: e.To}
	there := p.setup.NewMessage()
	if f, ok := e.Message.(core.Framed); ok {
		if header, ok := f.AppendHeader(nil); ok {
			if err := there.(core.Framed).ParseHeader(header, from); err != nil {
				panic(fmt.Sprintf("a header that its own protocol does not read: %v", err))
			}
			c.Bytes = len(header)
			c.Numbers = numbers(reflect.ValueOf(there), "", false, nil)
			return c
		}
	}
	core.CloneMessage(e.Message, there)
	c.Bytes = len(core.Encode(there)) - payloadBytes(there)
	c.Numbers = numbers(reflect.ValueOf(there), "", false, nil)
	return c
}

// payloadBytes are those of the payload of a message, as far as it says which it is.
func payloadBytes(m core.Message) int {
	if f, ok := m.(core.Framed); ok {
		return len(f.Content().Data)
	}
	return 0
}

// The payload of a message and its name are no piggyback.
var (
	payloadType = reflect.TypeFor[core.Payload]()
	nameType    = reflect.TypeFor[core.MsgID]()
)

// numbers lists the numbers in a value, by their places.
func numbers(v reflect.Value, place string, listed bool, list []Number) []Number {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			list = numbers(v.Elem(), place, listed, list)
		}
	case reflect.Struct:
		if t := v.Type(); t == payloadType || t == nameType {
			return list
		}
		for i := range v.NumField() {
			list = numbers(v.Field(i), place+"."+v.Type().Field(i).Name, listed, list)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			list = numbers(v.Index(i), fmt.Sprintf("%s[%d]", place, i), true, list)
		}
	case reflect.Bool:
		n := Number{Place: place, Listed: listed}
		if v.Bool() {
			n.Value = 1
		}
		list = append(list, n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		list = append(list, Number{place, listed, uint64(v.Int())})
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		list = append(list, Number{place, listed, v.Uint()})
	}
	return list
}
