package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestDueNotices: of a rank that is down behind the end of all, a watcher is told again unless its
// evidence says that it has taken what it was told since; of one that was up it is told anyway.
func TestDueNotices(t *testing.T) {
	const watcher = core.Proc(2)
	to := watcher
	told := piece{Events: []trace.Event{{Kind: trace.Told, Proc: watcher}}}
	tell := Deed{Clock: 20, What: DidTell, Procs: []core.Proc{1}, To: &to}
	early := tell
	early.Clock = 5
	for _, tt := range []struct {
		name  string
		up    bool // the rank
		tells []Deed
		lives [][]piece // of the watcher, which began at 1 and at 31
		want  []notice
	}{
		{"not told", false, nil, [][]piece{nil}, []notice{{group: 1}}},
		{"told, and it did not come to that", false, []Deed{tell}, [][]piece{nil},
			[]notice{{group: 1}}},
		{"taken", false, []Deed{tell}, [][]piece{{told}}, nil},
		{"taken by the life before", false, []Deed{tell}, [][]piece{{told}, nil}, nil},
		{"of an earlier failure", false, []Deed{early}, [][]piece{{told}}, []notice{{group: 1}}},
		{"up again", true, nil, [][]piece{nil}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			setup := &core.Setup{Watchers: []core.Proc{watcher}}
			s := &supervisor{setup: setup, past: &Past{procs: make([]formerly, 3), tells: tt.tells,
				ended: []Deed{{Clock: 10, What: DidFail, Procs: []core.Proc{1}}}}}
			s.past.procs[1].up = tt.up
			for p := range core.Proc(3) {
				s.procs = append(s.procs, &proc{id: p})
			}
			w := s.procs[watcher]
			for life, pieces := range tt.lives {
				w.readers = append(w.readers, &reader{pieces: pieces})
				w.born = append(w.born, born{clock: uint64(1 + 30*life)})
			}
			s.dueNotices()
			if diff := cmp.Diff(tt.want, w.pending, cmp.AllowUnexported(notice{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
