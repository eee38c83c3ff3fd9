package level

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard"
)

// lookEvery is how often the coordinator asks keepers whether they are there.
const lookEvery = 500 * time.Millisecond

// answerTime is how long a keeper may take to answer.
const answerTime = 5 * time.Second

// mostAttempts is how often one level is tried: more, and something is wrong for good.
const mostAttempts = 100

// lead is a coordinator.
type lead struct {
	*Config
	sys      checker.Portable
	head     head
	revision uint64
	name     string // of the record
	record   *record
	met      map[checker.Digest]struct{} // local steps and states
	bounds   checker.Bounds
	shunned  map[string]time.Time // lives that did not answer, and until when they are not asked
	attempts int                  // at the level at hand, that came to nothing
	told     string               // why the last one did
	began    time.Time
	before   int64 // milliseconds of those who led before
	again    int
	bound    string
	bytes    int64
	decided  []pairing // what all know before the level at hand

	troubles, troubledAt int // of the engine, since a level was reached
}

// errAgain says that the level is done again.
var errAgain = errors.New("the level is done again")

// Lead leads a search from where it stands, with a system in which its runs are repeated. A search
// that is bound to end is Unknown, and may be led again.
func Lead(ctx context.Context, c Config, sys checker.Portable) (Outcome, error) {
	c, err := c.filled()
	if err != nil {
		return Outcome{}, err
	}
	c.Engine = marked{c.Engine}
	l := &lead{Config: &c, sys: sys, bounds: c.Options.Bounds(ctx),
		shunned: map[string]time.Time{}, began: time.Now()}
	for {
		err := l.reign(ctx)
		if err == nil || l.bound != "" {
			return l.outcome(context.WithoutCancel(ctx))
		}
		if ctx.Err() != nil {
			l.bound = "interrupted"
			if l.record == nil {
				return Outcome{}, err
			}
			return l.outcome(context.WithoutCancel(ctx))
		}
		if l.patient(ctx, err) {
			continue
		}
		if !errors.Is(err, shard.ErrConflict) && !errors.Is(err, shard.ErrExists) {
			return Outcome{}, err
		}
		if err := pause(ctx, again); err != nil { // somebody else leads
			return Outcome{}, err
		}
	}
}

// reign leads until the search is over, or a bound is hit, or somebody else leads.
func (l *lead) reign(ctx context.Context) error {
	leave, err := hold(ctx, l.Config, l.leadKey())
	if err != nil {
		return err
	}
	defer leave()
	if err := l.take(ctx); err != nil {
		return err
	}
	for !l.head.Over {
		if l.bound = l.bounded(ctx); l.bound != "" {
			return nil
		}
		err := l.level(ctx)
		if err == nil {
			l.attempts, l.told = 0, ""
			continue
		}
		l.again, l.attempts = l.again+1, l.attempts+1
		if !errors.Is(err, errAgain) || l.attempts >= mostAttempts {
			return err
		}
		if why := err.Error(); l.bound == "" && why != l.told {
			l.told = why
			l.Log("search %s, level %d: %s", l.ID, l.head.Level, why)
		}
	}
	return nil
}

// take reads how far the search is, or begins it.
func (l *lead) take(ctx context.Context) (err error) {
	l.head, l.revision, err = l.readHead(ctx)
	if errors.Is(err, shard.ErrMissing) {
		err = l.begin(ctx)
	}
	if err == nil {
		err = l.fits(&l.head, l.sys.Words())
	}
	if err != nil {
		return err
	}
	list, err := l.chain(ctx, l.head.Record, "")
	if err != nil {
		return err
	}
	l.met = map[checker.Digest]struct{}{}
	for _, r := range list {
		for _, d := range slices.Concat(digests(r.Steps), digests(r.Locals)) {
			l.met[d] = struct{}{}
		}
	}
	l.name, l.record = l.head.Record, list[len(list)-1]
	l.before, l.decided = l.record.Stats.Milliseconds, l.head.Witnesses
	return nil
}

// begin makes the initial state the first frontier.
func (l *lead) begin(ctx context.Context) error {
	e := newExpander(&library{Config: l.Config, sys: l.sys, number: 1}, l.Life)
	state := make([]uint32, l.sys.Words())
	violation := l.sys.Initial(state)
	if err := e.begin(ctx, &head{}); err != nil {
		return err
	}
	print := checker.Identity(l.sys, state)
	e.reached, e.prints, e.parents = state, []checker.Digest{print}, []uint32{0}
	r := report{Tallies: make([]tally, l.Partitions)}
	o, data := e.object(&block{Level: -1}, &r, []int{0})
	if err := l.Blobs.Put(ctx, o.Name, data); err != nil {
		return err
	}
	first := record{Level: -1, Frontier: []object{o}, Tallies: r.Tallies, Steps: r.Steps,
		Locals: r.Locals, Seen: r.Seen, Answer: r.Answer, Witnesses: r.Witnesses}
	first.Stats.Written = int64(len(data))
	first.Stats.Steps = len(r.Steps) / checker.DigestBytes
	first.Stats.Locals = len(r.Locals) / checker.DigestBytes
	if violation != 0 {
		var seen report
		seen.find(l.sys, violation, finding{At: place{Object: o}, Print: print})
		l.keep(&first, &seen, 0)
	}
	name := l.ID + "/records/first-" + l.Life
	if err := l.Blobs.Put(ctx, name, encode(first)); err != nil {
		return err
	}
	l.head = l.begun(l.sys.Words(), name)
	var err error
	l.revision, err = l.Engine.Create(ctx, l.headKey(), encode(l.head))
	return err
}

// bounded names the bound that keeps the search from the next level, or is "".
func (l *lead) bounded(ctx context.Context) string {
	if b := l.bounds.Over(l.bytes); b != "" {
		return b
	}
	return l.bounds.States(l.record.Stats.States + l.record.waiting())
}

// level explores the next level, in an attempt of its own.
func (l *lead) level(ctx context.Context) error {
	keepers, err := l.gather(ctx)
	if err != nil {
		return err
	}
	h := l.head
	h.Attempt++
	h.Keepers, h.Witnesses = keepers, l.decided
	if err := l.set(ctx, h); err != nil {
		return err
	}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	blocks := l.blocks(len(keepers))
	var jobs []shard.Job
	for _, b := range blocks {
		jobs = append(jobs, shard.Job{Topic: l.topic(), Campaign: l.ID,
			ID: fmt.Sprintf("%d-%d", b.Attempt, b.Block), Data: encode(b)})
	}
	if err := l.Engine.Purge(ctx, l.ID); err != nil { // those of former attempts
		return err
	}
	if err := l.Engine.Publish(ctx, jobs...); err != nil {
		return err
	}
	objects, err := l.collect(ctx, len(blocks))
	if err != nil {
		return err
	}
	return l.commit(ctx, objects)
}

// set changes the head.
func (l *lead) set(ctx context.Context, h head) error {
	revision, err := l.Engine.Update(ctx, l.headKey(), encode(h), l.revision)
	if err == nil {
		l.head, l.revision = h, revision
	}
	return err
}

// gather waits for workers; they come in the order in which they have come to the search, so that
// most keep what they have.
func (l *lead) gather(ctx context.Context) (lives []string, err error) {
	for {
		list, err := l.Engine.List(ctx, l.workersPrefix())
		if err != nil {
			return nil, err
		}
		lives = lives[:0]
		rank := func(e shard.Entry) int {
			if i := slices.Index(l.head.Keepers, string(e.Value)); i >= 0 {
				return i
			}
			return len(l.head.Keepers)
		}
		slices.SortStableFunc(list, func(a, b shard.Entry) int { return rank(a) - rank(b) })
		for _, e := range list {
			if life := string(e.Value); time.Now().After(l.shunned[life]) {
				lives = append(lives, life)
			}
		}
		if len(lives) >= l.Workers {
			return lives[:min(len(lives), l.Partitions)], nil
		}
		if l.bound = l.bounded(ctx); l.bound != "" {
			return nil, errAgain
		}
		if err := pause(ctx, again); err != nil {
			return nil, err
		}
	}
}

// each asks every keeper at one time. Who does not answer is not asked for a while, and the level
// is done again.
func (l *lead) each(ctx context.Context, wait time.Duration, question func(life string) []byte,
	answer func(life string, data []byte) error) error {
	lives := slices.Compact(slices.Sorted(slices.Values(l.head.Keepers)))
	answers, errs := make([][]byte, len(lives)), make([]error, len(lives))
	asked, stop := context.WithTimeout(ctx, wait)
	defer stop()
	var group sync.WaitGroup
	for i, life := range lives {
		group.Go(func() {
			answers[i], errs[i] = l.Engine.Request(asked, l.keeper(life), question(life))
		})
	}
	group.Wait()
	for i, life := range lives {
		switch {
		case errors.Is(errs[i], shard.ErrCrashed):
			return errs[i]
		case errs[i] != nil:
			l.shunned[life] = time.Now().Add(shard.LeaseTime)
			if errors.Is(errs[i], shard.ErrNobody) {
				l.bury(ctx, life)
			}
		case answer != nil:
			errs[i] = answer(life, answers[i])
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", errAgain, err)
	}
	return nil
}

// bury ends the lease of a worker that is gone, so that another one may come at once.
func (l *lead) bury(ctx context.Context, life string) {
	key := l.workersPrefix() + life
	if e, err := l.Engine.Get(ctx, key); err == nil {
		_ = l.Engine.Delete(ctx, key, e.Revision) // else it ends by itself
	}
}

// prepare makes the keepers those of the attempt, however long they read what they keep.
func (l *lead) prepare(ctx context.Context) error {
	for {
		reading := false
		err := l.each(ctx, answerTime, func(life string) []byte {
			p := preparation{Attempt: l.head.Attempt, Record: l.head.Record}
			for n := range l.Partitions {
				if l.head.keeperOf(n) == life {
					p.Parts = append(p.Parts, n)
				}
			}
			return append([]byte{toPrepare}, encode(p)...)
		}, func(_ string, data []byte) error {
			reading = reading || string(data) == notYet
			return nil
		})
		if err != nil || !reading {
			return err
		}
		if l.bound = l.bounds.Over(l.bytes); l.bound != "" {
			return errAgain
		}
		if err := pause(ctx, again); err != nil {
			return err
		}
	}
}

// mostSpans is how many objects a block is of at most: a job has room for them.
const mostSpans = 500

// blocks cuts the frontier into blocks, at least some for each worker where there is enough.
func (l *lead) blocks(workers int) (list []block) {
	most := max(l.record.waiting()/(4*workers), min(leastBlock, l.Block))
	most = min(most, l.Block)
	b := block{Attempt: l.head.Attempt, Level: l.head.Level}
	room := most
	for _, o := range l.record.Frontier {
		for from := 0; from < o.States; {
			to := min(o.States, from+room)
			b.Inputs = append(b.Inputs, span{o, from, to})
			if room -= to - from; room == 0 || len(b.Inputs) == mostSpans {
				list = append(list, b)
				b, room = block{Attempt: b.Attempt, Level: b.Level, Block: len(list)}, most
			}
			from = to
		}
	}
	if len(b.Inputs) > 0 {
		list = append(list, b)
	}
	return list
}

// collect waits for the results of an attempt.
func (l *lead) collect(ctx context.Context, blocks int) ([]object, error) {
	ctx, stop := context.WithCancel(ctx)
	results, failed := make(chan shard.Entry), make(chan error, 1)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	group.Go(func() {
		for e, err := range l.Engine.Watch(ctx, l.results(l.head.Attempt)) {
			if err != nil {
				failed <- err
				return
			}
			select {
			case results <- e:
			case <-ctx.Done():
				return
			}
		}
	})
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	list := make([]object, blocks)
	for missing := blocks; missing > 0; {
		select {
		case e := <-results:
			var n int
			if _, err := fmt.Sscanf(e.Key, l.results(l.head.Attempt)+"%d", &n); err != nil ||
				n < 0 || n >= blocks || list[n].Name != "" {
				return nil, fmt.Errorf("result %s: it is of no block, or there twice", e.Key)
			}
			if err := decode("result "+e.Key, e.Value, &list[n]); err != nil {
				return nil, err
			}
			if why := list[n].Failed; why != "" {
				err := fmt.Errorf("level %d, block %d: %s", l.head.Level, n, why)
				if list[n].Full {
					l.bound = err.Error()
				}
				return nil, err
			}
			missing--
		case err := <-failed:
			return nil, err
		case <-look.C:
			if l.bound = l.bounds.Over(l.bytes); l.bound != "" {
				return nil, errAgain
			}
			if err := l.alive(ctx); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// alive asks the keepers whether they are there.
func (l *lead) alive(ctx context.Context) error {
	name := encode(closing{l.head.Attempt})
	err := l.each(ctx, answerTime, func(string) []byte { return append([]byte{toSay}, name...) },
		nil)
	if errors.Is(err, errAgain) && !l.asks(keeperRule) {
		return l.replace(ctx)
	}
	return err
}

// replace puts others in the place of keepers that do not answer.
func (l *lead) replace(ctx context.Context) error {
	h := l.head
	h.Keepers = slices.Clone(h.Keepers)
	living, err := l.gather(ctx)
	if err != nil {
		return err
	}
	for i, life := range h.Keepers {
		if !slices.Contains(living, life) {
			h.Keepers[i] = living[i%len(living)]
		}
	}
	if err := l.set(ctx, h); err != nil {
		return err
	}
	return l.prepare(ctx)
}
