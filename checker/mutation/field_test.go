package mutation

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"number":     {"Life", shift(2), func(o *outer) { o.Life = 5 }, true},
		"below zero": {"Life", shift(-9), func(o *outer) { o.Life = 0 }, true},
		"set":        {"Life", to(3), func(*outer) {}, false},
		"truth":      {"Yes", to(1), func(o *outer) { o.Yes = true }, true},
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
			changed := alter(reflect.ValueOf(&o).Elem(), parsePath(tt.path),
				place{from: 0, to: 1, self: 2}, tt.change)
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
