package spec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

// plain says how values of a type are written, read and copied. The type is made of booleans,
// integers, strings, structs, arrays and slices: of such a value nothing is hidden, nothing is
// shared but the elements of slices, and equal values have equal bytes. Maps are left out because
// who ranges over one would not judge alike twice.
type plain struct {
	kind   reflect.Kind
	flat   bool     // a copy of the value shares nothing that can change
	elem   *plain   // of a slice or an array
	fields []*plain // of a struct
}

// plainOf is the plain of a type, or what is not plain in it.
func plainOf(t reflect.Type) (*plain, error) {
	return plainWithin(t, map[reflect.Type]*plain{})
}

func plainWithin(t reflect.Type, known map[reflect.Type]*plain) (p *plain, err error) {
	if p = known[t]; p != nil {
		return p, nil
	}
	p = &plain{kind: t.Kind()}
	known[t] = p
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.String:
		p.flat = true
	case reflect.Slice, reflect.Array:
		if t.Elem().Size() == 0 {
			return nil, fmt.Errorf("remembers a %v, whose elements hold nothing", t)
		}
		p.elem, err = plainWithin(t.Elem(), known)
		p.flat = err == nil && t.Kind() == reflect.Array && p.elem.flat
	case reflect.Struct:
		p.flat = true
		for i := range t.NumField() {
			field, err := plainWithin(t.Field(i).Type, known)
			if err != nil {
				return nil, fmt.Errorf("%w (%s of %v)", err, t.Field(i).Name, t)
			}
			p.flat = p.flat && field.flat
			p.fields = append(p.fields, field)
		}
	default:
		return nil, fmt.Errorf("remembers a %v: only booleans, integers, strings, and structs, "+
			"arrays and slices of those can be remembered", t)
	}
	return p, err
}

// field is a field of a struct that can be set, whether it is exported or not.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

// write appends the canonical bytes of a value.
func (p *plain) write(b []byte, v reflect.Value) []byte {
	switch p.kind {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.String:
		s := v.String()
		return append(binary.AppendUvarint(b, uint64(len(s))), s...)
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			b = p.elem.write(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i, f := range p.fields {
			b = f.write(b, v.Field(i))
		}
		return b
	}
	if v.CanInt() {
		return binary.AppendVarint(b, v.Int())
	}
	return binary.AppendUvarint(b, v.Uint())
}

var errTruncated = errors.New("the bytes end too early, or are no memory")

// read sets a value, which is the zero one, to what was written, and returns what is left.
func (p *plain) read(b []byte, v reflect.Value) (rest []byte, err error) {
	switch p.kind {
	case reflect.Struct:
		for i, f := range p.fields {
			if b, err = f.read(b, field(v, i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	case reflect.Array:
		return p.readAll(b, v)
	}
	if p.kind >= reflect.Int && p.kind <= reflect.Int64 {
		n, size := binary.Varint(b)
		if size <= 0 || v.OverflowInt(n) {
			return nil, errTruncated
		}
		v.SetInt(n)
		return b[size:], nil
	}
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return nil, errTruncated
	}
	b = b[size:]
	switch {
	case p.kind == reflect.Bool && n <= 1:
		v.SetBool(n == 1)
	case p.kind == reflect.String && n <= uint64(len(b)):
		v.SetString(string(b[:n]))
		b = b[n:]
	case p.kind == reflect.Slice && n <= uint64(len(b)):
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
		}
		return p.readAll(b, v)
	case v.CanUint() && !v.OverflowUint(n):
		v.SetUint(n)
	default:
		return nil, errTruncated
	}
	return b, nil
}

// readAll reads the elements of a slice or an array.
func (p *plain) readAll(b []byte, v reflect.Value) (rest []byte, err error) {
	for i := range v.Len() {
		if b, err = p.elem.read(b, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// unshare gives a value elements of its own in all its slices. One without elements becomes nil, so
// that nobody can tell the two apart.
func (p *plain) unshare(v reflect.Value) {
	if p.flat {
		return
	}
	switch p.kind {
	case reflect.Struct:
		for i, f := range p.fields {
			if !f.flat {
				f.unshare(field(v, i))
			}
		}
		return
	case reflect.Slice:
		n := v.Len()
		if n == 0 {
			v.SetZero()
			return
		}
		own := reflect.MakeSlice(v.Type(), n, n)
		reflect.Copy(own, v)
		v.Set(own)
	}
	if p.elem.flat {
		return
	}
	for i := range v.Len() {
		p.elem.unshare(v.Index(i))
	}
}
