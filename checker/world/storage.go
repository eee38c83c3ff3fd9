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
	Writing []write     // in progress, oldest first: they become stable in this order
	Pending []core.Proc // failures it has not been told of: first proc of each group, ascending
	Timers  []string    // set and not fired, sorted
	Watches []watch     // watchdogs, by proc
	Former  uint64      // newest round that a former life has put on a message
	Line    uint32      // history of the recovery line, plus 1; 0 = the initial state
	// Where procs are launched (launch.go), and only there:
	Ended   []uint32    // the life that has failed, one for each of Pending
	Host    uint32      // whoever runs the node that it is up on, plus 1; 0 = nobody
	Tickets []ticket    // of a proc that is down: who starts it, ascending
	Kills   []core.Proc // that it has asked to be stopped, ascending
	// It stands still (still.go), so it is not up, in this life, plus 1; 0 = it does not. And whom
	// it had adopted, who stop with it
	Still uint32
	Takes []core.Proc
	// It has rolled back and not started again, by itself: its process is there, and can be killed
	Back bool
}

// write is one stable record, or a change of the store on its way.
type write struct {
	_     struct{} `cbor:",toarray"`
	Key   string
	Value []byte
	Torn  bool
	Gone  bool // on its way: the record is deleted
	Read  bool // on its way: nothing changes, the record is read when its turn has come
}

// watch is a watchdog about one life of a proc.
type watch struct {
	_     struct{} `cbor:",toarray"`
	About core.Proc
	Inc   uint32
}

// opKind is what happens to an env.
type opKind uint8

const (
	opWrite    opKind = iota // Key, Value; A = 1 deletes
	opComplete               // the oldest put or read is done, and the deletes before it
	// A: next incarnation; B: writes in progress that became stable; Torn: the next one is damaged;
	// All: the disk is gone
	opStop
	opStill    // A: next incarnation; Procs: whom it had adopted
	opRenumber // A: next incarnation of a proc that is down
	// the proc is up; Procs: failures that are still to be told, Lives: their lives; A: its host,
	// plus 1
	opStart
	opNotice   // A: first proc of a group that failed; B: its life, plus 1 (where lives are known)
	opTold     // A: index of the notice; All: every notice
	opSetTimer // Key
	opTick     // A: index of the timer
	opLine     // A: history
	opWatch    // A: proc; B: its life
	opUnwatch  // A: proc
	opRenew    // A: next incarnation of a proc that is up
	opErase    // the oldest change of the store becomes stable by itself
	opRead     // Key
	opKill     // A: the proc that is to be stopped
	opKilled   // A: the proc that is
	opTicket   // A: who starts this proc; Key, Value: with what
	opTaken    // A: who does not any more
	opRefuse   // the oldest put is not done, the deletes before it are
	opVanish   // A: the record, by its place, that is lost
	opSpoil    // A: the record that is corrupted; B: how
	opBack     // A: next incarnation of a proc that rolls back, and starts again by itself
)

// operation is one change of an env.
type operation struct {
	_     struct{} `cbor:",toarray"`
	Kind  opKind
	A, B  uint32
	Torn  bool
	All   bool
	Round uint64 // opStop, opBack, opStill: newest round that the life has put on a message
	Key   string
	Value []byte
	Procs []core.Proc
	Lives []uint32
}

// internEnv numbers an env.
func (w *World) internEnv(e env) uint32 {
	content := core.Encode(&e)
	if number, ok := w.envs.find(content); ok {
		return number
	}
	return w.envs.intern(content, e)
}

// envStep is the env after an operation; each pair is computed once.
func (w *World) envStep(number, op uint32) uint32 {
	key := pair(number, op)
	if next, ok := w.envSteps.get(key); ok {
		return next
	}
	e := *w.envs.at(number)
	e.Store, e.Writing = slices.Clone(e.Store), slices.Clone(e.Writing)
	e.Pending, e.Timers, e.Watches = slices.Clone(e.Pending), slices.Clone(e.Timers),
		slices.Clone(e.Watches)
	e.Ended, e.Tickets, e.Kills = slices.Clone(e.Ended), slices.Clone(e.Tickets),
		slices.Clone(e.Kills)
	e.apply(*w.operations.at(op))
	return w.envSteps.put(key, w.internEnv(e))
}

// internOperation numbers an operation.
func (w *World) internOperation(op operation) uint32 {
	content := core.Encode(&op)
	if number, ok := w.operations.find(content); ok {
		return number
	}
	return w.operations.intern(content, op)
}

// plain numbers an operation that has only numbers, without encoding it where it is known.
func (w *World) plain(op operation) uint32 {
	if op.B > 15 || op.A > 0xffffff {
		return w.internOperation(op)
	}
	key := uint64(op.Kind)<<58 | uint64(op.B&15)<<54 | uint64(op.A&0xffffff)<<30 | uint64(
		w.round(op.Round))
	if op.Torn {
		key |= 1 << 29
	}
	if op.All {
		key |= 1 << 28
	}
	if number, ok := w.plains.get(key); ok {
		return number
	}
	return w.plains.put(key, w.internOperation(op))
}

// round numbers a recovery round; there are few.
func (w *World) round(round uint64) uint32 {
	if round == 0 {
		return 0
	}
	return w.rounds.add(round, func() uint32 { return w.roundCount.Add(1) })
}

func (e *env) apply(op operation) {
	switch op.Kind {
	case opWrite:
		if op.A == 1 && !e.known(op.Key) {
			return // no outcome shows that it was asked for
		}
		e.Writing = append(e.Writing, write{Key: op.Key, Value: op.Value, Gone: op.A == 1})
	case opComplete:
		e.stable(e.puts() + 1)
	case opErase:
		e.stable(1)
	case opStop, opBack:
		e.stop(op)
	case opStill:
		e.stand(op)
	case opRenumber:
		e.Inc = op.A
	case opStart:
		e.Up, e.Back, e.Pending, e.Ended = true, false, op.Procs, op.Lives
		e.Host, e.Tickets = op.A, nil
	case opNotice:
		e.notice(core.Proc(op.A), op.B)
	case opTold:
		if op.All {
			e.Pending, e.Ended = nil, nil
			return
		}
		e.Pending = slices.Delete(e.Pending, int(op.A), int(op.A)+1)
		if len(e.Ended) > 0 {
			e.Ended = slices.Delete(e.Ended, int(op.A), int(op.A)+1)
		}
	case opSetTimer:
		if i, found := slices.BinarySearch(e.Timers, op.Key); !found {
			e.Timers = slices.Insert(e.Timers, i, op.Key)
		}
	case opTick:
		e.Timers = slices.Delete(e.Timers, int(op.A), int(op.A)+1)
	case opLine:
		e.Line = op.A + 1
	case opWatch:
		e.unwatch(core.Proc(op.A))
		e.Watches = append(e.Watches, watch{About: core.Proc(op.A), Inc: op.B})
		slices.SortFunc(e.Watches, func(a, b watch) int { return int(a.About) - int(b.About) })
	case opRenew:
		e.Inc, e.Timers, e.Watches, e.Former = op.A, nil, nil, max(e.Former, op.Round)
	case opUnwatch:
		e.unwatch(core.Proc(op.A))
	case opRead:
		e.Writing = append(e.Writing, write{Key: op.Key, Read: true})
	case opRefuse:
		i := e.puts()
		e.stable(i)
		e.Writing = e.Writing[1:]
	case opVanish, opSpoil:
		e.spoil(op)
	default:
		e.launch(op)
	}
}

// there reports whether a proc has a process: it is up, stands still, or has rolled back.
func (e *env) there() bool { return e.Up || e.Still > 0 || e.Back }

// stand makes a proc stand still.
func (e *env) stand(op operation) {
	e.Still, e.Takes = e.Inc+1, op.Procs
	if !e.Up { // it has rolled back
		e.Still--
	}
	e.Up, e.Inc, e.Timers, e.Watches, e.Kills, e.Back = false, op.A, nil, nil, nil, false
	e.Former = max(e.Former, op.Round)
}

// stop is the end of a life.
func (e *env) stop(op operation) {
	e.stable(int(op.B))
	if op.Torn {
		e.store(write{Key: e.Writing[0].Key, Torn: true})
	}
	if op.All {
		e.Store = nil
	}
	e.Up, e.Inc, e.Writing, e.Timers, e.Watches = false, op.A, nil, nil, nil
	e.Former, e.Host, e.Kills = max(e.Former, op.Round), 0, nil
	e.Still, e.Takes, e.Back = 0, nil, op.Kind == opBack
}

// unwatch stops the watchdog about a proc.
func (e *env) unwatch(q core.Proc) {
	e.Watches = slices.DeleteFunc(e.Watches, func(v watch) bool { return v.About == q })
}

// A delete is an entry in the order of the writes, as on disk (package impl/runtime/disk): a crash
// may lose it together with all that comes after it. Nobody is told when it is stable, so it stays
// in Writing until the next put is, and two things ask how far it has come: a crash, which takes
// every outcome, and the restart of another proc that reads this store, before which it may become
// stable by itself (World.erases). A moment between shows to nobody, so it has no event. So may
// every change of a proc that stands still, of which nobody hears either.

// A read is an entry in that order, too: it comes up when all that was written before is stable. A
// crash forgets it.

// puts is the place of the oldest put or read in progress, -1 when there is none.
func (e *env) puts() int {
	return slices.IndexFunc(e.Writing, func(r write) bool { return !r.Gone })
}

// known reports whether a record is there when all that is in progress is stable.
func (e *env) known(key string) bool { return e.knownAfter(key, len(e.Writing), true) }

// knownAfter reports whether a record is there, a damaged one if that counts, when so many of the
// writes in progress are stable.
func (e *env) knownAfter(key string, kept int, torn bool) bool {
	for _, r := range slices.Backward(e.Writing[:kept]) {
		if r.Key == key && !r.Read {
			return !r.Gone
		}
	}
	return slices.ContainsFunc(e.Store, func(r write) bool {
		return r.Key == key && (torn || !r.Torn)
	})
}

// kept are the keys of the records that a proc means to keep: those that are there when all that is
// in progress is stable.
func (e *env) kept() (keys []string) {
	after := env{Store: slices.Clone(e.Store), Writing: e.Writing}
	after.stable(len(e.Writing))
	for _, r := range after.Store {
		keys = append(keys, r.Key)
	}
	return keys
}

// tears reports whether a crash may leave the write that comes after so many of those in progress
// as a damaged record: when its key has no value by then. A value is never lost to a rewrite, for
// the store writes the new one beside the old one, which it gives up when the new one is stable
// (package impl/runtime/disk): half a rewrite leaves the older value, as if it had not begun, and
// so does half a delete.
func (e *env) tears(kept int) bool {
	if kept == len(e.Writing) || e.Writing[kept].Gone || e.Writing[kept].Read {
		return false
	}
	return !e.knownAfter(e.Writing[kept].Key, kept, false)
}

// stable makes so many of the oldest writes stable.
func (e *env) stable(n int) {
	for _, r := range e.Writing[:n] {
		e.store(r)
	}
	e.Writing = e.Writing[n:]
}

// loaded is what a read of p that comes after so many of the writes in progress finds.
func (e *env) loaded(after int, p core.Proc) (found []core.Record) {
	then := env{Store: slices.Clone(e.Store), Writing: e.Writing}
	then.stable(after)
	for _, r := range then.Store {
		if r.Key == e.Writing[after].Key {
			found = append(found, core.Record{Owner: p, Key: r.Key, Value: r.Value, Torn: r.Torn})
		}
	}
	return found
}

// store makes a change stable: a record, in the place of an older one with its key, or its delete.
func (e *env) store(r write) {
	i, found := slices.BinarySearchFunc(e.Store, r.Key, func(s write, key string) int {
		return compareStrings(s.Key, key)
	})
	switch {
	case r.Read:
	case found && r.Gone:
		e.Store = slices.Delete(e.Store, i, i+1)
	case found:
		e.Store[i] = r
	case !r.Gone:
		e.Store = slices.Insert(e.Store, i, r)
	}
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

// owners are the procs whose stable records p is handed when it starts again, in order; p itself
// when there are none.
func (w *World) owners(p core.Proc) []core.Proc {
	if w.Setup.Reads != nil {
		if owners := w.Setup.Reads(p); len(owners) > 0 {
			return owners
		}
	}
	return []core.Proc{p}
}

// erases reports whether the oldest change of the store of a proc is a delete, or any if the proc
// stands still, that may become stable by itself where it shows: somebody who reads the store is
// down.
func (w *World) erases(state []uint32, p core.Proc) bool {
	e := w.env(state, p)
	if len(e.Writing) == 0 || !e.Writing[0].Gone && e.Still == 0 || w.Setup.Reads == nil {
		return false
	}
	for q := range core.Proc(w.procs) {
		if q != p && !w.of(state, q).up && slices.Contains(w.owners(q), p) {
			return true
		}
	}
	return false
}

// records are the stable records that a new incarnation of p is handed.
func (w *World) records(state []uint32, p core.Proc) []core.Record {
	var list []core.Record
	for _, owner := range w.owners(p) {
		for _, r := range w.env(state, owner).Store {
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
	return *w.histories.at(e.Line - 1)
}
