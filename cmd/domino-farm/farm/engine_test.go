package farm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
)

// embeddedEngine is one in this process.
func embeddedEngine(t *testing.T) shard.Engine {
	t.Helper()
	c := connector{where: embedded, folder: t.TempDir()}
	connection, err := c.Connect(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connection.Close)
	return connection.Engine
}

func take(t *testing.T, e shard.Queue) shard.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d, err := e.Next(ctx, "plain")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestQueue publishes a job twice, which is one, returns it, and lets go of it.
func TestQueue(t *testing.T) {
	e, ctx := embeddedEngine(t), t.Context()
	job := shard.Job{Topic: "plain", Campaign: "c", ID: "1", Data: []byte("data")}
	other := shard.Job{Topic: "plain", Campaign: "d", ID: "1", Data: []byte("data")}
	for range 2 {
		if err := e.Publish(ctx, job); err != nil {
			t.Fatal(err)
		}
	}
	d := take(t, e)
	if err := errors.Join(d.Working(ctx), e.Publish(ctx, job), d.Return(ctx)); err != nil {
		t.Fatal(err)
	}
	d = take(t, e)
	if got := d.Job(); d.Attempt() != 2 || got.String() != "c/1" || string(got.Data) != "data" {
		t.Errorf("attempt %d of %v", d.Attempt(), got)
	}
	if err := d.Ack(ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.Publish(ctx, job, other); err != nil {
		t.Fatal(err)
	}
	if err := e.Purge(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	if d := take(t, e); d.Job().Campaign != "d" {
		t.Errorf("%v was purged, and comes", d.Job())
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if d, err := e.Next(short, "plain"); err == nil {
		t.Errorf("%v comes again", d.Job())
	}
}

// TestStore holds creation, comparison, graves, and results to their words.
func TestStore(t *testing.T) {
	e, ctx := embeddedEngine(t), t.Context()
	is := func(err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	one, err := e.Create(ctx, "campaign.c", []byte("open"))
	is(err, nil)
	_, err = e.Create(ctx, "campaign.c", nil)
	is(err, shard.ErrExists)
	two, err := e.Update(ctx, "campaign.c", []byte("done"), one)
	is(err, nil)
	_, err = e.Update(ctx, "campaign.c", nil, one)
	is(err, shard.ErrConflict)
	is(e.Delete(ctx, "campaign.c", two), nil)
	_, err = e.Get(ctx, "campaign.c")
	is(err, shard.ErrMissing)
	three, err := e.Create(ctx, "campaign.c", []byte("again"))
	is(err, nil)
	if three <= two {
		t.Errorf("revision %d after %d", three, two)
	}
	got, err := e.Get(ctx, "campaign.c")
	if err != nil || string(got.Value) != "again" || got.Revision != three {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = e.Create(ctx, "result.c.1", []byte("r"))
	is(err, nil)
	_, err = e.Create(ctx, "result.c.1", []byte("s"))
	is(err, shard.ErrExists)
	if _, err := e.Update(ctx, "result.c.1", nil, 1); err == nil {
		t.Error("a result is changed")
	}
	_, err = e.Create(ctx, "result.c.2", []byte("s"))
	is(err, nil)
	_, err = e.Create(ctx, "result.d.2", []byte("s"))
	is(err, nil)
	list, err := e.List(ctx, "result.c.")
	if err != nil || len(list) != 2 || list[0].Key != "result.c.1" || string(list[1].Value) != "s" {
		t.Errorf("%v, %v", list, err)
	}
	is(e.Forget(ctx, "result", "c"), nil)
	if list, err = e.List(ctx, "result.c."); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestWatch tells of what is there and of what comes, until it is enough.
func TestWatch(t *testing.T) {
	e, ctx := embeddedEngine(t), t.Context()
	_, err := e.Create(ctx, "result.c.0", []byte("0"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for entry, err := range e.Watch(ctx, "result.c.") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry.Key+"="+string(entry.Value))
		if len(got) == 20 {
			break
		}
		n := len(got)
		if _, err := e.Create(ctx, fmt.Sprint("result.c.", n), fmt.Append(nil, n)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Contains(got, "result.c.19=19") || got[0] != "result.c.0=0" {
		t.Errorf("%v", got)
	}
	own, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	for _, err := range e.Watch(own, "result.d.") {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// TestBus asks nobody, somebody, and somebody who refuses.
func TestBus(t *testing.T) {
	e, ctx := embeddedEngine(t), t.Context()
	if _, err := e.Request(ctx, "a.b", nil); !errors.Is(err, shard.ErrNobody) {
		t.Errorf("%v", err)
	}
	stop, err := e.Serve("a.b", func(data []byte) ([]byte, error) {
		if len(data) == 0 {
			return nil, errors.New("no,\nthanks")
		}
		return append(data, '!'), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Request(ctx, "a.b", []byte("x")); err != nil || string(got) != "x!" {
		t.Errorf("%q, %v", got, err)
	}
	_, err = e.Request(ctx, "a.b", nil)
	if err == nil || !strings.Contains(err.Error(), "thanks") {
		t.Errorf("%v", err)
	}
	stop()
	if _, err := e.Request(ctx, "a.b", nil); !errors.Is(err, shard.ErrNobody) {
		t.Errorf("%v", err)
	}
}

// TestLease waits until a lease ends by itself, and takes it.
func TestLease(t *testing.T) {
	if !effort.Long() {
		t.Skip("ten seconds: " + effort.More)
	}
	t.Parallel()
	e, ctx := embeddedEngine(t), t.Context()
	if _, err := e.Create(ctx, "lease.x", nil); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for {
		if _, err := e.Create(ctx, "lease.x", nil); err == nil {
			break
		} else if !errors.Is(err, shard.ErrExists) {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < shard.LeaseTime-2*time.Second {
		t.Errorf("it ended after %v", took)
	}
}
