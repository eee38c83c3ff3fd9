package world

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// env is what surrounds one proc and survives its crash, besides its inbox.
type env struct {
	_       struct{} `cbor:",toarray"`
	Up      bool
	Inc     uint32      // the live incarnation, or the one that the next restart will be
	Store   []write     // stable records by key
	Writing []write     // in progress, oldest first: they complete in this order
	Pending []core.Proc // failures it has not been told of: first proc of each group, ascending
	Timers  []string    // set and not fired, sorted
	Former  uint64      // newest round that a former life has put on a message
	Line    uint32      // history of the recovery line, plus 1; 0 = the initial state
}

// write is one stable record, or one on its way.
type write struct {
	_     struct{} `cbor:",toarray"`
	Key   string
	Value []byte
	Torn  bool
}

// opKind is what happens to an env.
type opKind uint8

const (
	opNothing  opKind = iota
	opWrite           // Key, Value; a nil value deletes
	opComplete        // the oldest write becomes stable
	opStop            // A: next incarnation; B: writes in progress that became stable; Torn: the next one is damaged
	opRenumber        // A: next incarnation of a proc that is down
	opStart           // the proc is up; Procs: failures that are still to be told
	opNotice          // A: first proc of a group that failed
	opTold            // A: index of the notice; All: every notice
	opSetTimer        // Key
	opTick            // A: index of the timer
	opLine            // A: history
)

// operation is one change of an env.
type operation struct {
	_     struct{} `cbor:",toarray"`
	Kind  opKind
	A, B  uint32
	Torn  bool
	All   bool
	Round uint64 // opStop: newest round that the life has put on a message
	Key   string
	Value []byte
	Procs []core.Proc
}

func (w *World) internEnv(e env) uint32 {
	number, fresh := w.envs.number(core.Encode(&e))
	if fresh {
		w.envInfo = append(w.envInfo, e)
	}
	return number
}

// envStep is the env after an operation; each pair is computed once.
func (w *World) envStep(number uint32, op operation) uint32 {
	if op.Kind == opNothing {
		return number
	}
	key := pair(number, w.operation(&op))
	if next, ok := w.envSteps.get(key); ok {
		return next
	}
	e := w.envInfo[number]
	e.Store, e.Writing = slices.Clone(e.Store), slices.Clone(e.Writing)
	e.Pending, e.Timers = slices.Clone(e.Pending), slices.Clone(e.Timers)
	e.apply(op)
	next := w.internEnv(e)
	w.envSteps.put(key, next)
	return next
}

// operation numbers an operation; those without text are found without encoding them.
func (w *World) operation(op *operation) uint32 {
	if op.Round != 0 || op.Key != "" || op.Value != nil || op.Procs != nil || op.B > 0xffff {
		number, _ := w.operations.number(core.Encode(op))
		return number
	}
	key := uint64(op.Kind)<<56 | uint64(op.B)<<32 | uint64(op.A)
	if op.Torn {
		key |= 1 << 55
	}
	if op.All {
		key |= 1 << 54
	}
	if number, ok := w.plain.get(key); ok {
		return number
	}
	number, _ := w.operations.number(core.Encode(op))
	w.plain.put(key, number)
	return number
}

func (e *env) apply(op operation) {
	switch op.Kind {
	case opWrite:
		if op.Value == nil {
			e.Store = slices.DeleteFunc(e.Store, func(r write) bool { return r.Key == op.Key })
			return
		}
		e.Writing = append(e.Writing, write{Key: op.Key, Value: op.Value})
	case opComplete:
		e.store(e.Writing[0])
		e.Writing = e.Writing[1:]
	case opStop:
		for _, r := range e.Writing[:op.B] {
			e.store(r)
		}
		if op.Torn {
			e.store(write{Key: e.Writing[op.B].Key, Torn: true})
		}
		e.Up, e.Inc, e.Writing, e.Timers = false, op.A, nil, nil
		e.Former = max(e.Former, op.Round)
	case opRenumber:
		e.Inc = op.A
	case opStart:
		e.Up, e.Pending = true, op.Procs
	case opNotice:
		if i, found := slices.BinarySearch(e.Pending, core.Proc(op.A)); !found {
			e.Pending = slices.Insert(e.Pending, i, core.Proc(op.A))
		}
	case opTold:
		if op.All {
			e.Pending = nil
			return
		}
		e.Pending = slices.Delete(e.Pending, int(op.A), int(op.A)+1)
	case opSetTimer:
		if i, found := slices.BinarySearch(e.Timers, op.Key); !found {
			e.Timers = slices.Insert(e.Timers, i, op.Key)
		}
	case opTick:
		e.Timers = slices.Delete(e.Timers, int(op.A), int(op.A)+1)
	case opLine:
		e.Line = op.A + 1
	}
}

// store makes a record stable, in the place of an older one with its key.
func (e *env) store(r write) {
	i, found := slices.BinarySearchFunc(e.Store, r.Key, func(s write, key string) int { return compareStrings(s.Key, key) })
	if found {
		e.Store[i] = r
		return
	}
	e.Store = slices.Insert(e.Store, i, r)
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// owners are the procs whose stable records p is handed when it starts again, in order; p itself when there are none.
func (w *World) owners(p core.Proc) []core.Proc {
	if w.Setup.Reads != nil {
		if owners := w.Setup.Reads(p); len(owners) > 0 {
			return owners
		}
	}
	return []core.Proc{p}
}

// records are the stable records that a new incarnation of p is handed.
func (w *World) records(state []uint32, p core.Proc) []core.Record {
	var list []core.Record
	for _, owner := range w.owners(p) {
		for _, r := range w.envInfo[state[envWord(owner)]].Store {
			list = append(list, core.Record{Owner: owner, Key: r.Key, Value: r.Value, Torn: r.Torn})
		}
	}
	return list
}

// line is the history of the recovery line of an env, nil for the initial state.
func (w *World) line(e *env) *trace.History {
	if e.Line == 0 {
		return nil
	}
	return w.historyInfo[e.Line-1]
}
