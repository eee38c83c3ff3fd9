package level

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/spec"
)

// cramped has room for some blobs, and damages one.
type cramped struct {
	shard.Blobs
	room    *atomic.Int64
	damaged string // part of the name of those in which a bit is flipped
}

func (b cramped) Put(ctx context.Context, name string, data []byte) error {
	if b.room.Add(-1) < 0 {
		return errors.New("no space left")
	}
	return b.Blobs.Put(ctx, name, data)
}

func (b cramped) Range(ctx context.Context, name string, offset, length int64) ([]byte, error) {
	data, err := b.Blobs.Range(ctx, name, offset, length)
	if b.damaged != "" && strings.Contains(name, b.damaged) && len(data) > 0 {
		data[len(data)-1] ^= 1
	}
	return data, err
}

// led has two workers and a coordinator explore a toy in a memory, as often as asked for.
func led(t *testing.T, m *shard.Memory, toy *toy, blobs func(p *shard.Process) shard.Blobs,
	lead func(l Config)) {
	c := Config{ID: "x", Subject: "toy", Block: 5, Partitions: 8,
		Make: func() (checker.Portable, error) { return toy.fresh(), nil }}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for i := range 2 {
		w := c
		w.Life = fmt.Sprint("w", i)
		p := m.Process(w.Life, nil)
		w.Engine, w.Blobs = p, blobs(p)
		group.Go(func() { _ = Work(ctx, w) })
	}
	p := m.Process("l", nil)
	c.Life, c.Workers, c.Engine, c.Blobs = "l", 2, p, blobs(p)
	lead(c)
	stop()
	group.Wait()
}

// TestFull has no more room for levels at many moments: nothing is said to hold, why is said, and
// with room again the same search goes on to the numbers of one that was not disturbed.
func TestFull(t *testing.T) {
	t.Parallel()
	toy := toys(6)
	want := local(toy, checker.Options{})
	times := 0
	for room, whole := int64(2), false; !whole; room++ {
		synctest.Test(t, func(t *testing.T) {
			var left atomic.Int64
			left.Store(room)
			led(t, shard.NewMemory(), toy, func(p *shard.Process) shard.Blobs {
				return cramped{Blobs: p.Blobs(), room: &left}
			}, func(l Config) {
				out, err := Lead(t.Context(), l, toy.fresh())
				if whole = err == nil && out.Bound == ""; whole {
					if d := cmp.Diff(want, numbersOut(out, false)); d != "" {
						t.Errorf("room for %d (-local +here):\n%s", room, d)
					}
					return
				}
				times++
				if err != nil || out.Verdict != spec.Unknown ||
					!strings.Contains(out.Bound, "no space left") {
					t.Fatalf("room for %d: %v, %q, %v", room, out.Verdict, out.Bound, err)
				}
				left.Store(1 << 30)
				l.Life = "next"
				out, err = Lead(t.Context(), l, toy.fresh())
				if d := cmp.Diff(want, numbersOut(out, false)); err != nil || d != "" {
					t.Errorf("room for %d, then more: %v (-local +here):\n%s", room, err, d)
				}
			})
		})
	}
	if times < 6 {
		t.Errorf("there was no room at %d moments, want more", times)
	}
}

// TestDamaged reads levels in which a bit is flipped: that is an error, and no verdict. Who leads
// is told why a level is done again.
func TestDamaged(t *testing.T) {
	t.Parallel()
	toy := toys(6)
	synctest.Test(t, func(t *testing.T) {
		var left atomic.Int64
		left.Store(1 << 30)
		led(t, shard.NewMemory(), toy, func(p *shard.Process) shard.Blobs {
			return cramped{Blobs: p.Blobs(), room: &left, damaged: "objects/3-"}
		}, func(l Config) {
			var told []string
			l.Log = func(format string, args ...any) {
				told = append(told, fmt.Sprintf(format, args...))
			}
			out, err := Lead(t.Context(), l, toy.fresh())
			if err == nil {
				t.Fatalf("%v, %q: %q", out.Verdict, out.Bound, told)
			}
			if !strings.Contains(err.Error(), "objects/3-") {
				t.Errorf("%v: it does not name the object", err)
			}
		})
	})
}

// TestKeeper asks a keeper: the first block to name a fingerprint owns it, however often it is
// asked, until the attempt is closed; nobody is answered about another attempt.
func TestKeeper(t *testing.T) {
	t.Parallel()
	c := Config{ID: "x", Engine: shard.NewMemory().Process("k", nil)}
	c, err := c.filled()
	if err != nil {
		t.Fatal(err)
	}
	first := record{Level: -1, Tallies: make([]tally, c.Partitions)}
	if err := c.Blobs.Put(t.Context(), "x/records/a", encode(first)); err != nil {
		t.Fatal(err)
	}
	k := &keeper{Config: &c, ctx: t.Context()}
	prepare := func(attempt uint64) error {
		p := preparation{Attempt: attempt, Record: "x/records/a"}
		for n := range c.Partitions {
			p.Parts = append(p.Parts, n)
		}
		question := append([]byte{toPrepare}, encode(p)...)
		if _, err := k.answer(question); err != nil {
			return err
		}
		k.group.Wait()
		_, err := k.answer(question)
		return err
	}
	own := func(attempt uint64, block uint32, prints ...uint64) (string, error) {
		q := binary.BigEndian.AppendUint64([]byte{toOwn}, attempt)
		q = binary.BigEndian.AppendUint32(q, block)
		for _, n := range prints {
			q = checker.Digest{Lo: n}.Append(q)
		}
		bits, err := k.answer(q)
		return fmt.Sprint(bits), err
	}
	if err := prepare(3); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		attempt uint64
		block   uint32
		prints  []uint64
		want    string // "" = refused
	}{
		{3, 0, []uint64{1, 2}, "[3]"},
		{3, 1, []uint64{1, 2, 0, 5}, "[12]"}, // zero is a fingerprint, too
		{3, 0, []uint64{1, 2}, "[3]"},        // once more
		{3, 2, []uint64{0, 5}, "[0]"},
		{2, 0, []uint64{9}, ""},
		{4, 0, []uint64{9}, ""},
	} {
		got, err := own(tt.attempt, tt.block, tt.prints...)
		if err == nil && got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("attempt %d, block %d, %v: %s, %v; want %q", tt.attempt, tt.block, tt.prints,
				got, err, tt.want)
		}
	}
	if err := prepare(2); !errors.Is(err, errOtherAttempt) {
		t.Errorf("an older attempt is prepared: %v", err)
	}
	count := 0
	for _, n := range k.close().Named {
		count += n.Count
	}
	if _, err := own(3, 0, 7); count != 4 || !errors.Is(err, errOtherAttempt) {
		t.Errorf("%d fingerprints were named, want 4; behind that: %v", count, err)
	}
}

// flaky is an engine of which some calls fail, before or after they have done what they do.
type flaky struct {
	*shard.Process
	mu     sync.Mutex
	random *rand.Rand
	failed int
}

func (p *flaky) fails() (before, after error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.random.IntN(12) {
	case 0:
		before = errors.New("nothing is heard")
	case 1:
		after = errors.New("nothing was heard")
	default:
		return nil, nil
	}
	p.failed++
	return before, after
}

func (p *flaky) Publish(ctx context.Context, jobs ...shard.Job) error {
	before, after := p.fails()
	if before != nil {
		return before
	}
	return errors.Join(p.Process.Publish(ctx, jobs...), after)
}

func (p *flaky) List(ctx context.Context, prefix string) ([]shard.Entry, error) {
	if before, after := p.fails(); before != nil || after != nil {
		return nil, errors.Join(before, after)
	}
	return p.Process.List(ctx, prefix)
}

func (p *flaky) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	before, after := p.fails()
	if before != nil {
		return 0, before
	}
	revision, err := p.Process.Create(ctx, key, value)
	return revision, errors.Join(err, after)
}

func (p *flaky) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64,
	error) {
	before, after := p.fails()
	if before != nil {
		return 0, before
	}
	next, err := p.Process.Update(ctx, key, value, revision)
	return next, errors.Join(err, after)
}

// TestFlaky has an engine that does not answer one call of the coordinator in six, whether it has
// done it or not: the search goes on to the numbers of the one in one process.
func TestFlaky(t *testing.T) {
	t.Parallel()
	toy := toys(6)
	want := local(toy, checker.Options{})
	for seed := range uint64(effort.Cases(4, 40)) {
		synctest.Test(t, func(t *testing.T) {
			m := shard.NewMemory()
			led(t, m, toy, func(p *shard.Process) shard.Blobs { return p.Blobs() },
				func(l Config) {
					e := &flaky{Process: m.Process("lead", nil),
						random: rand.New(rand.NewPCG(seed, 3))}
					l.Engine = e
					out, err := Lead(t.Context(), l, toy.fresh())
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if d := cmp.Diff(want, numbersOut(out, false)); d != "" || e.failed == 0 {
						t.Errorf("seed %d, %d calls failed (-local +here):\n%s", seed, e.failed, d)
					}
				})
		})
	}
}

// bare is an engine that keeps no large values.
type bare struct{ shard.Engine }

func (bare) Blobs() shard.Blobs { return nil }

// TestRefused gives configurations that make no sense, or lack something: the error says what.
func TestRefused(t *testing.T) {
	t.Parallel()
	e := shard.NewMemory().Process("e", nil)
	for want, c := range map[string]Config{
		"needs a folder that all have: --blobs FOLDER, at the command and at each worker": {
			ID: "x", Engine: bare{e}},
		"6 partitions, want a power of two up to 4096": {ID: "x", Engine: e, Partitions: 6},
		"a search in several processes has none but": {ID: "x", Engine: e,
			Options: checker.Options{Reduce: checker.Singletons | 1<<7}},
		"": {ID: "x", Engine: e},
	} {
		_, err := c.filled()
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// answering is an engine in which every question has one answer.
type answering struct {
	shard.Engine
	answer []byte
}

func (e answering) Request(context.Context, string, []byte) ([]byte, error) { return e.answer, nil }

// TestShortAnswer has a keeper that answers for fewer fingerprints than it was asked about, or for
// more: that is an error, and nothing is owned.
func TestShortAnswer(t *testing.T) {
	t.Parallel()
	c, err := Config{ID: "x", Engine: shard.NewMemory().Process("e", nil)}.filled()
	if err != nil {
		t.Fatal(err)
	}
	h := &head{Keepers: []string{"k"}, Partitions: c.Partitions}
	for _, tt := range []struct{ bytes, want int }{{0, -1}, {1, -1}, {2, 9}, {3, -1}} {
		c.Engine = answering{c.Engine, slices.Repeat([]byte{0xff}, tt.bytes)}
		e := newExpander(&library{Config: &c}, "e")
		for n := range uint64(9) {
			e.prints = append(e.prints, checker.Digest{Lo: n})
		}
		owned, err := e.ask(t.Context(), h, &block{}, &report{})
		if (err != nil) != (tt.want < 0) || err == nil && len(owned) != tt.want {
			t.Errorf("%d bytes for 9 fingerprints: %d are owned, %v", tt.bytes, len(owned), err)
		}
	}
}

// TestFollow repeats runs that are none of the system: nothing is shown in their place.
func TestFollow(t *testing.T) {
	t.Parallel()
	sys := toys(6).fresh()
	state := make([]uint32, sys.Words())
	sys.Initial(state)
	begin := checker.Identity(sys, state)
	l := &lead{Config: new(Config), sys: sys}
	for _, tt := range []struct {
		way  []checker.Digest
		want string // of the error
	}{
		{[]checker.Digest{begin}, ""},
		{[]checker.Digest{{Lo: 1}}, "another state"},
		{[]checker.Digest{begin, {Lo: 1}}, "step 1 leads nowhere"},
	} {
		path, err := l.follow(tt.way, new(leveled))
		if tt.want == "" && (err != nil || len(path) > 0) ||
			tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %v, %v; want %q", tt.way, path, err, tt.want)
		}
	}
}
