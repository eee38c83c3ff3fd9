package order_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// histories are those of the ranks at a cut.
func (r *run) histories(things [][]uint64) []*trace.History {
	var list []*trace.History
	for _, path := range things {
		h := new(trace.History)
		for _, thing := range path {
			h.Apply(r.trace.Events[slices.Index(r.things, thing)])
		}
		list = append(list, h)
	}
	return list
}

// TestOrphan compares what histories say about a cut with what the trace says, where nobody goes
// back: histories do not tell two pasts apart.
func TestOrphan(t *testing.T) {
	each(t, false, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		things, cuts := r.cutsOf(o)
		for i, cut := range cuts {
			list := r.histories(things[i])
			found := false
			for p := range list {
				for q := range list {
					id := order.Orphan(&r.trace.Layout, list[p], trace.Rank(q), list[q])
					found = found || !id.IsZero()
					if !id.IsZero() && (int(id.From) != q || id.Number <= list[q].Sent) {
						t.Fatalf("orphan %v of %d, which has sent %d", id, q, list[q].Sent)
					}
				}
			}
			if found == o.Consistent(cut) {
				t.Fatalf("cut %v: consistent %t, orphan in its histories %t, in %+v", cut,
					o.Consistent(cut), found, r.trace.Events)
			}
		}
	})
}

// TestDependence compares the depend set that histories give with the one of the trace: of all that
// are up, and of those who depend on a past that was cut off and that others remember.
func TestDependence(t *testing.T) {
	each(t, false, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		list := r.histories(r.paths)
		for down := range trace.Proc(len(list)) {
			past := order.Pasts{Layout: &r.trace.Layout,
				History: func(p trace.Proc) *trace.History {
					if p == down {
						return nil
					}
					return list[p]
				},
				Known: func(p trace.Proc, number uint32) []trace.Item {
					if p != down || int(number) > len(list[p].Delivered) {
						return nil
					}
					d := list[p].Delivered[number-1]
					return []trace.Item{{ID: d.ID, Past: uint32(d.Stamp.Date)}}
				}}
			for p, path := range r.paths {
				if len(path) == 0 || trace.Proc(p) == down {
					continue
				}
				last := o.At(slices.Index(r.things, path[len(path)-1]))
				if got, want := past.Dependence(trace.Proc(p)), o.Receptions(last); !slices.Equal(
					got, want) {
					t.Fatalf("%d depends on receptions %v, want %v, with %d down, in %+v", p, got,
						want, down, r.trace.Events)
				}
			}
		}
	})
}
