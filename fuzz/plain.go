package fuzz

import (
	"fmt"
	"reflect"
)

// Walks over plain data: what the codec must keep, what is shared, what can be spoilt.

// differs names the first place where two values of one type are not the same, nil and empty
// containers aside; "" is none. Unexported fields count.
func differs(a, b any) string { return difference(reflect.ValueOf(a), reflect.ValueOf(b), "") }

func difference(a, b reflect.Value, path string) string {
	here := path
	if here == "" {
		here = "something"
	}
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return here
	}
	switch a.Kind() {
	case reflect.Invalid:
		return ""
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return when(a.IsNil() != b.IsNil(), here)
		}
		return difference(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.Name != "_" {
				if d := difference(a.Field(i), b.Field(i), path+"."+f.Name); d != "" {
					return d
				}
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		return sequence(a, b, path, here)
	case reflect.Map:
		if a.Len() != b.Len() {
			return here
		}
		for _, k := range a.MapKeys() {
			if d := difference(a.MapIndex(k), b.MapIndex(k), path+"[key]"); d != "" {
				return d
			}
		}
		return ""
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return when(!a.IsNil() || !b.IsNil(), here)
	}
	return when(!a.Equal(b), here)
}

func sequence(a, b reflect.Value, path, here string) string {
	if a.Len() != b.Len() {
		return here
	}
	for i := range a.Len() {
		if d := difference(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); d != "" {
			return d
		}
	}
	return ""
}

func when(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// parts visits what a pointer, a struct or a list has in it.
func parts(v reflect.Value, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			visit(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			visit(v.Index(i))
		}
	}
}

func isBytes(v reflect.Value) bool {
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) &&
		v.Type().Elem().Kind() == reflect.Uint8
}

// collectBytes lists the byte slices in a value.
func collectBytes(v any) (list [][]byte) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch {
		case isBytes(v) && v.Kind() == reflect.Slice:
			list = append(list, v.Bytes())
		case v.Kind() == reflect.Map:
			for _, k := range v.MapKeys() {
				visit(v.MapIndex(k))
			}
		default:
			parts(v, visit)
		}
	}
	visit(reflect.ValueOf(v))
	return list
}

// spoil changes everything in a message but bytes, which belong to whoever holds them.
func spoil(message any) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch {
		case isBytes(v):
		case v.Kind() == reflect.Map:
			for _, k := range v.MapKeys() {
				v.SetMapIndex(k, reflect.Value{})
			}
		case !v.CanSet():
			parts(v, visit)
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		case v.Kind() == reflect.String:
			v.SetString(v.String() + "?")
		case v.CanInt():
			v.SetInt(v.Int() ^ 1)
		case v.CanUint():
			v.SetUint(v.Uint() ^ 1)
		default:
			parts(v, visit)
		}
	}
	visit(reflect.ValueOf(message))
}
