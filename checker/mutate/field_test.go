package mutate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

type inner struct {
	N    uint32
	List []int
}

type outer struct {
	Life  uint64
	Yes   bool
	Items []inner
}

func specimen() outer {
	return outer{Life: 3, Items: []inner{{N: 1, List: []int{1, 2}}, {N: 2, List: []int{3}},
		{N: 0, List: []int{}}}}
}

// TestAlter changes fields by path: every word of a path and every change, with what is not there,
// too. What shares a slice with the original must not change.
func TestAlter(t *testing.T) {
	tests := map[string]struct {
		path    string
		change  change
		want    func(*outer)
		changes bool
	}{
		"number": {"Life", shift(2), func(o *outer) { o.Life = 5 }, true},
		"above all": {"Items.*.N", shift(1 << 40), func(o *outer) {
			o.Items[0].N, o.Items[1].N, o.Items[2].N = 1<<32-1, 1<<32-1, 1<<32-1
		}, true},
		"below zero": {"Life", shift(-9), func(o *outer) { o.Life = 0 }, true},
		"set":        {"Life", set(3), func(*outer) {}, false},
		"truth":      {"Yes", set(1), func(o *outer) { o.Yes = true }, true},
		"all": {"Items.*.N", shift(1), func(o *outer) {
			o.Items[0].N, o.Items[1].N, o.Items[2].N = 2, 3, 1
		}, true},
		"first": {"Items.first.N", nothing, func(o *outer) { o.Items[0].N = 0 }, true},
		"last":  {"Items.last.List", withoutLast, func(*outer) {}, false},
		"by number": {"Items.1.List", withoutFirst, func(o *outer) {
			o.Items[1].List = []int{}
		}, true},
		"from": {"Items.from.List", backwards, func(o *outer) {
			o.Items[0].List = []int{2, 1}
		}, true},
		"to":               {"Items.to.N", shift(-1), func(o *outer) { o.Items[1].N = 1 }, true},
		"self":             {"Items.self.N", shift(1), func(o *outer) { o.Items[2].N = 1 }, true},
		"behind the end":   {"Items.7.N", shift(1), func(*outer) {}, false},
		"no such field":    {"Items.*.M", shift(1), func(*outer) {}, false},
		"shorter":          {"Items", withoutLast, func(o *outer) { o.Items = o.Items[:2] }, true},
		"shorter in front": {"Items", withoutFirst, func(o *outer) { o.Items = o.Items[1:] }, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := specimen()
			shared := o
			path, err := parsePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			changed, err := alter(reflect.ValueOf(&o).Elem(), path,
				place{from: 0, to: 1, self: 2}, tt.change)
			if err != nil {
				t.Fatal(err)
			}
			want := specimen()
			tt.want(&want)
			if diff := cmp.Diff(want, o); diff != "" || changed != tt.changes {
				t.Errorf("changed %t (-want +got):\n%s", changed, diff)
			}
			if diff := cmp.Diff(specimen(), shared); diff != "" {
				t.Errorf("something else has changed, too:\n%s", diff)
			}
		})
	}
}

// TestAlterImpossible gives paths and changes that make no sense: an error says why, and nothing
// panics, as a panic would count as a bug of the protocol that is found.
func TestAlterImpossible(t *testing.T) {
	for _, tt := range []struct {
		path   string
		change change
		want   string
	}{
		{"Items.lst.N", nothing, `field Items.lst.N: "lst" is no place in a list`},
		{"Life.N", nothing, `nothing named "N" in a uint64`},
		{"Life", withoutLast, "field Life: a uint64 is no list"},
		{"Yes", backwards, "is no list"},
		{"Items", shift(1), "is no number to shift"},
		{"Items", set(1), "is no number to set"},
	} {
		o := specimen()
		path, err := parsePath(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = alter(reflect.ValueOf(&o).Elem(), path, place{}, tt.change)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.path, err, tt.want)
		}
	}
	o := specimen()
	pairs := []pair{{into: fieldPath{"Items"}, source: fieldPath{"Life"}}}
	err := take(reflect.ValueOf(&o), reflect.ValueOf(&o), pairs, place{})
	if err == nil || !strings.Contains(err.Error(), "Items=Life: a uint64 can not become") {
		t.Error(err)
	}
}

// unnumbered is a message whose kinds have no numbers.
type unnumbered struct{ Text string }

// Describe implements core.Message.
func (m *unnumbered) Describe() trace.Wire { return trace.Wire{Kind: m.Text} }

// TestBlank wants a message whose kind nobody can set.
func TestBlank(t *testing.T) {
	s := &core.Setup{NewMessage: func() core.Message { return new(unnumbered) }}
	_, err := blank(s, "Data")
	if err == nil || !strings.Contains(err.Error(), "unnumbered has no number named Kind") {
		t.Error(err)
	}
}
