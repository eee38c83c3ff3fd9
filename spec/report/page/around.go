package page

import (
	"encoding/json"

	"github.com/domino-check/domino/spec/trace"
)

// Local is what one proc keeps, and what there is around it.
type Local struct {
	Proc   trace.Proc
	State  json.RawMessage // null for one that is down
	Around Around
}

// Around is what there is around a proc. All may be absent.
type Around struct {
	Inbox   []Channel `json:"inbox,omitempty"` // what is on its way to it
	Stable  []Record  `json:"stable,omitempty"`
	Writing []string  `json:"writing,omitempty"` // changes of stable storage on their way
	Notices []string  `json:"notices,omitempty"` // whose failure it will be told
	Timers  []string  `json:"timers,omitempty"`
	Waits   []string  `json:"waits,omitempty"` // what it says that it waits for
	Line    string    `json:"line,omitempty"`  // its point on the recovery line
}

// Channel is what one proc has on its way to another one, in order.
type Channel struct {
	From     string   `json:"from"`
	Messages []string `json:"messages"`
}

// Record is one of stable storage.
type Record struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Torn  bool            `json:"torn,omitempty"`
}

// Judged is a property and what became of it in the run.
type Judged struct {
	Name    string `json:"name"`
	Applies bool   `json:"applies"`
	// the steps that break it, ascending; 0 is the end of the run
	Broken []int `json:"broken,omitempty"`
}

// kept is a Local as the script reads it: the proc, its state, what is around it.
type kept [3]any

// kept is what is known of a proc, without numbers that JavaScript would round.
func (l *Local) kept() kept {
	around := l.Around
	around.Stable = nil
	for _, r := range l.Around.Stable {
		r.Value = readable(r.Value)
		around.Stable = append(around.Stable, r)
	}
	return kept{l.Proc, readable(l.State), around}
}
