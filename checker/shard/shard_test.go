package shard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/shard"
)

func job(id string) shard.Job {
	return shard.Job{Topic: "plain", Campaign: "c", ID: id, Data: []byte("data of " + id)}
}

func must[R any](t *testing.T) func(r R, err error) R {
	return func(r R, err error) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// TestQueue follows one job: published twice it is one, and it goes to another worker after the
// first one has crashed, but not before it was silent for long enough.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := t.Context(), shard.NewMemory()
		a, b := m.Process("a", nil), m.Process("b", nil)
		for range 2 {
			if err := a.Publish(ctx, job("1")); err != nil {
				t.Fatal(err)
			}
		}
		d := must[shard.Delivery](t)(a.Next(ctx, "plain"))
		began := time.Now()
		time.AfterFunc(10*time.Second, func() {
			if err := d.Working(ctx); err != nil {
				t.Error(err)
			}
			a.Crash()
			if err := d.Ack(ctx); !errors.Is(err, shard.ErrCrashed) {
				t.Errorf("an ack of the dead: %v", err)
			}
		})
		again := must[shard.Delivery](t)(b.Next(ctx, "plain"))
		if got := time.Since(began); got != 10*time.Second+shard.RedeliverAfter ||
			again.Attempt() != 2 {
			t.Errorf("attempt %d after %v", again.Attempt(), got)
		}
		if diff := cmp.Diff(job("1"), again.Job()); diff != "" {
			t.Error(diff)
		}
		if err := errors.Join(again.Return(ctx)); err != nil {
			t.Fatal(err)
		}
		third := must[shard.Delivery](t)(b.Next(ctx, "plain"))
		if err := third.Ack(ctx); err != nil || third.Attempt() != 3 {
			t.Errorf("attempt %d: %v", third.Attempt(), err)
		}
		short, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		if _, err := b.Next(short, "plain"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a job that is done is delivered: %v", err)
		}
	})
}

// TestStore holds creation, comparison, graves, results and leases to their words.
func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := t.Context(), shard.NewMemory()
		p := m.Process("p", nil)
		one := must[uint64](t)(p.Create(ctx, "state.c", []byte("open")))
		if _, err := p.Create(ctx, "state.c", nil); !errors.Is(err, shard.ErrExists) {
			t.Errorf("created twice: %v", err)
		}
		two := must[uint64](t)(p.Update(ctx, "state.c", []byte("done"), one))
		if _, err := p.Update(ctx, "state.c", nil, one); !errors.Is(err, shard.ErrConflict) {
			t.Errorf("an old revision is taken: %v", err)
		}
		if err := p.Delete(ctx, "state.c", two); err != nil {
			t.Error(err)
		}
		if _, err := p.Get(ctx, "state.c"); !errors.Is(err, shard.ErrMissing) {
			t.Errorf("it is still there: %v", err)
		}
		if three := must[uint64](t)(p.Create(ctx, "state.c", nil)); three <= two {
			t.Errorf("revision %d after %d", three, two)
		}
		fixed := must[uint64](t)(p.Create(ctx, "result.c.1", []byte("r")))
		if _, err := p.Update(ctx, "result.c.1", nil, fixed); err == nil {
			t.Error("a result is changed")
		}
		if p.Delete(ctx, "result.c.1", fixed) == nil {
			t.Error("a result is deleted")
		}
		lease := must[uint64](t)(p.Create(ctx, "lease.c", []byte("p")))
		time.AfterFunc(9*time.Second, func() {
			lease = must[uint64](t)(p.Update(ctx, "lease.c", []byte("p"), lease))
		})
		time.AfterFunc(18*time.Second, func() { must[shard.Entry](t)(p.Get(ctx, "lease.c")) })
		began := time.Now()
		for e, err := range p.Watch(ctx, "lease.") {
			if must[shard.Entry](t)(e, err); e.Gone {
				break
			}
		}
		if got := time.Since(began); got != 9*time.Second+shard.LeaseTime {
			t.Errorf("the lease lived for %v", got)
		}
	})
}

// TestWatch tells of what is there and of what comes, in order.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := t.Context(), shard.NewMemory()
		p := m.Process("p", nil)
		must[uint64](t)(p.Create(ctx, "result.c.2", nil))
		must[uint64](t)(p.Create(ctx, "result.d.1", nil))
		time.AfterFunc(time.Second, func() {
			must[uint64](t)(p.Create(ctx, "result.c.1", nil))
			if err := p.Forget(ctx, "result", "c"); err != nil {
				t.Error(err)
			}
		})
		var first string
		gone := map[string]bool{}
		for e, err := range p.Watch(ctx, "result.c.") {
			if must[shard.Entry](t)(e, err); first == "" {
				first = e.Key
			}
			if gone[e.Key] = e.Gone; gone["result.c.1"] && gone["result.c.2"] {
				break
			}
		}
		if first != "result.c.2" || len(gone) != 2 {
			t.Errorf("first %s, in all %v", first, gone)
		}
	})
}

// TestBus asks somebody, nobody, and somebody who crashes over the question.
func TestBus(t *testing.T) {
	ctx, m := t.Context(), shard.NewMemory()
	p, q := m.Process("p", nil), m.Process("q", nil)
	if _, err := p.Request(ctx, "a.b", nil); !errors.Is(err, shard.ErrNobody) {
		t.Errorf("nobody answers: %v", err)
	}
	_, err := q.Serve("a.b", func(data []byte) ([]byte, error) {
		switch string(data) {
		case "crash":
			q.Crash()
		case "refuse":
			return nil, errors.New("no, thanks")
		}
		return append(data, '!'), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := must[[]byte](t)(p.Request(ctx, "a.b", []byte("x"))); string(got) != "x!" {
		t.Errorf("%q", got)
	}
	if _, err := p.Request(ctx, "a.b", []byte("refuse")); err == nil ||
		!strings.Contains(err.Error(), "no, thanks") {
		t.Errorf("%v", err)
	}
	if _, err := p.Request(ctx, "a.b", []byte("crash")); err == nil ||
		errors.Is(err, shard.ErrNobody) {
		t.Errorf("of a question that was heard: %v", err)
	}
	if _, err := p.Request(ctx, "a.b", nil); !errors.Is(err, shard.ErrNobody) {
		t.Errorf("the dead answers: %v", err)
	}
}

// TestCrashAt crashes a process at each moment of three calls: what it has done before is there,
// what comes after is not, and the call between them is done or not.
func TestCrashAt(t *testing.T) {
	for moment := range 6 {
		ctx, m := t.Context(), shard.NewMemory()
		p := m.Process("p", nil)
		p.CrashAt(moment)
		for i := range 3 {
			_, err := p.Create(ctx, fmt.Sprint("k.", i), nil)
			if crashed := errors.Is(err, shard.ErrCrashed); crashed != (2*i+1 >= moment) {
				t.Errorf("moment %d, call %d: %v", moment, i, err)
			}
		}
		list := must[[]shard.Entry](t)(m.Process("q", nil).List(ctx, "k."))
		if want := (moment + 1) / 2; len(list) != want {
			t.Errorf("moment %d: %d are done, want %d", moment, len(list), want)
		}
	}
}

// TestBlobs holds both implementations to one list of what happens.
func TestBlobs(t *testing.T) {
	for name, b := range map[string]shard.Blobs{
		"memory": shard.NewMemory().Process("p", nil).Blobs(),
		"folder": shard.NewFolder(t.TempDir()),
	} {
		ctx := t.Context()
		for range 2 {
			if err := b.Put(ctx, "s/1/x", []byte("abcdef")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := b.Put(ctx, "s/1/x", []byte("abcdeg")); !errors.Is(err, shard.ErrExists) {
			t.Errorf("%s: put once more, otherwise: %v", name, err)
		}
		if err := b.Put(ctx, "s/../x", nil); err == nil {
			t.Errorf("%s: a name that leads out is taken", name)
		}
		if err := b.Put(ctx, "s/1/empty", nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := must[[]byte](t)(b.Range(ctx, "s/1/x", 2, 3)); string(got) != "cde" {
			t.Errorf("%s: %q", name, got)
		}
		if got := must[[]byte](t)(b.Range(ctx, "s/1/x", 6, 0)); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
		for _, span := range [][2]int64{{0, 7}, {7, 0}, {-1, 2}, {1, -1}, {6, 1 << 62}} {
			if _, err := b.Range(ctx, "s/1/x", span[0], span[1]); err == nil {
				t.Errorf("%s: %v is read", name, span)
			}
		}
		if _, err := b.Get(ctx, "s/1/y"); !errors.Is(err, shard.ErrMissing) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := b.Range(ctx, "s/1/y", 0, 0); !errors.Is(err, shard.ErrMissing) {
			t.Errorf("%s: %v", name, err)
		}
		list := must[[]string](t)(b.List(ctx, "s"))
		if diff := cmp.Diff([]string{"s/1/empty", "s/1/x"}, list); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := b.Forget(ctx, "s"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if list := must[[]string](t)(b.List(ctx, "s")); len(list) != 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
}

// TestNames refuses what an engine could take for something else.
func TestNames(t *testing.T) {
	for _, key := range []string{"", "a..b", ".a", "a.", "a.*", "a.>", "a b", "ä",
		strings.Repeat("a.", 8) + "a"} {
		if shard.CheckKey(key) == nil {
			t.Errorf("%q is taken", key)
		}
	}
	big := job("1")
	big.Data = make([]byte, shard.MaxJob+1)
	if err := big.Check(); !errors.Is(err, shard.ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if job("a.b").Check() == nil || job("").Check() == nil {
		t.Error("a job without a name is taken")
	}
}

// TestNamesAreWords compares what is taken with regular expressions, for random texts of letters
// that matter and for names of all lengths about the limits.
func TestNamesAreWords(t *testing.T) {
	const word = `[A-Za-z0-9_-]{1,80}`
	keys := regexp.MustCompile(`^` + word + `(\.` + word + `){0,7}$`)
	names := regexp.MustCompile(`^` + word + `(/` + word + `){0,7}$`)
	words := regexp.MustCompile(`^` + word + `$`)
	check := func(text string) {
		if got, want := shard.CheckKey(text) == nil, keys.MatchString(text); got != want {
			t.Errorf("key %q is taken: %v, want %v", text, got, want)
		}
		if got, want := shard.CheckName(text) == nil, names.MatchString(text); got != want {
			t.Errorf("blob %q is taken: %v, want %v", text, got, want)
		}
		if got, want := job(text).Check() == nil, words.MatchString(text); got != want {
			t.Errorf("job %q is taken: %v, want %v", text, got, want)
		}
	}
	for length := range 90 {
		check(strings.Repeat("a", length))
		check(strings.Repeat("a.", length) + "a")
		check(strings.Repeat("a/", length) + "a")
		check("b." + strings.Repeat("a", length))
		check("b/" + strings.Repeat("a", length))
	}
	for c := range 256 {
		check(string([]byte{'a', byte(c), 'z'}))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		text := make([]byte, random.IntN(24))
		for i := range text {
			text[i] = "azAZ09_-../ \n"[random.IntN(13)]
		}
		check(string(text))
	}
}
