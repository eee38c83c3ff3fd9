package farm

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
)

// serving starts a server in this process, and returns its credentials by role.
func servingAt(t *testing.T, listen string) (*serving, map[string]credentials) {
	t.Helper()
	folder := t.TempDir()
	s, err := startServing(listen, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	known := map[string]credentials{}
	for _, role := range []string{asOperator, asWorker} {
		name := filepath.Join(folder, role+".json")
		if known[role], err = readCredentials(name); err != nil {
			t.Fatal(err)
		}
	}
	return s, known
}

// dialed is a connection that must come about.
func dialed(t *testing.T, c credentials) *nats.Conn {
	t.Helper()
	conn, err := dial(t.Context(), c, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// refusedFor tries credentials that must not do.
func refusedFor(t *testing.T, what string, c credentials) {
	t.Helper()
	login, err := c.login()
	if err != nil {
		return // not even that
	}
	conn, err := nats.Connect(c.URL, append(login, nats.Timeout(3*time.Second))...)
	if err == nil {
		conn.Close()
		t.Errorf("%s: it is let in", what)
	}
}

// TestStrangersLoopback lets nobody in without the token.
func TestStrangersLoopback(t *testing.T) {
	_, known := servingAt(t, "127.0.0.1:0")
	dialed(t, known[asWorker])
	c := known[asWorker]
	c.Token = known[asOperator].Token
	refusedFor(t, "the token of another role", c)
	c.Token = rand.Text()
	refusedFor(t, "a wrong token", c)
	c.Token = ""
	refusedFor(t, "no token", c)
}

// TestStrangersTLS lets nobody in without TLS, the key, and the right server.
func TestStrangersTLS(t *testing.T) {
	_, known := servingAt(t, net.JoinHostPort(otherAddress(t), "0"))
	_, others := servingAt(t, net.JoinHostPort(otherAddress(t), "0"))
	if !strings.HasPrefix(known[asWorker].URL, "tls://") {
		t.Fatalf("%s is not by TLS", known[asWorker].URL)
	}
	dialed(t, known[asWorker])
	c := known[asWorker]
	c.CA = others[asWorker].CA
	refusedFor(t, "another CA", c)
	c = known[asWorker]
	c.Seed = others[asWorker].Seed
	refusedFor(t, "another key", c)
	c = known[asWorker]
	c.Seed = ""
	refusedFor(t, "no key", c)
	c = known[asWorker]
	c.URL = strings.Replace(c.URL, "tls://", "nats://", 1)
	c.CA = ""
	refusedFor(t, "plain TCP", c)
	raw, err := net.Dial("tcp", strings.TrimPrefix(known[asWorker].URL, "tls://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	_ = raw.SetDeadline(time.Now().Add(10 * time.Second))
	lines := bufio.NewReader(raw)
	if info, err := lines.ReadString('\n'); err != nil || !strings.Contains(info, "tls_required") {
		t.Errorf("%q, %v", info, err)
	}
	fmt.Fprint(raw, "CONNECT {}\r\nPING\r\n")
	if answer, err := lines.ReadString('\n'); err == nil && strings.HasPrefix(answer, "PONG") {
		t.Errorf("a stranger gets %q", answer)
	}
}

// otherAddress is one of this machine that is none of its loopback.
func otherAddress(t *testing.T) string {
	t.Helper()
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but its loopback")
	return ""
}

// TestWorkerMayNot tries what a worker has no right to: all is refused, and nothing has happened.
func TestWorkerMayNot(t *testing.T) {
	_, known := servingAt(t, "127.0.0.1:0")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	operator, err := newEngine(ctx, dialed(t, known[asOperator]), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Create(ctx, "result.c.1", []byte("r")); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Create(ctx, "campaign.c", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var complaints []string
	conn, err := dial(ctx, known[asWorker], func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		complaints = append(complaints, fmt.Sprintf(format, args...))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	worker, err := newEngine(ctx, conn, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	short := func() context.Context {
		c, stop := context.WithTimeout(ctx, 300*time.Millisecond)
		t.Cleanup(stop)
		return c
	}
	for what, err := range map[string]error{
		"a stream is made": second(worker.js.CreateStream(short(), jetstream.StreamConfig{
			Name: "X", Subjects: []string{"x"}})),
		"a stream is deleted":   worker.js.DeleteStream(short(), resultsStream),
		"results are purged":    worker.Forget(short(), "result", "c"),
		"jobs are purged":       worker.Purge(short(), "c"),
		"a campaign is begun":   second(worker.Create(short(), "campaign.d", nil)),
		"a campaign is changed": second(worker.Update(short(), "campaign.c", nil, 1)),
		"a lease is taken":      second(worker.Create(short(), "lease.campaign.c", nil)),
		"a job is published": worker.Publish(short(), shard.Job{Topic: "t", Campaign: "c",
			ID: "1"}),
		"a result is overwritten": second(worker.Create(short(), "result.c.1", []byte("s"))),
		"states are sent somewhere": second(conn.RequestWithContext(short(),
			"$JS.API.CONSUMER.CREATE."+statesStream+".spy.domino.state.>", []byte(
				`{"stream_name":"`+statesStream+`","config":{"name":"spy","ack_policy":"none",`+
					`"deliver_subject":"domino.job.t.c.9","filter_subject":"domino.state.>"}}`))),
	} {
		if err == nil {
			t.Errorf("%s by a worker", what)
		}
	}
	if _, err := worker.Create(ctx, "result.c.2", []byte("mine")); err != nil {
		t.Errorf("an answer is not taken: %v", err)
	}
	for _, subject := range []string{inboxOf(asOperator) + ".>", "domino.>", ">",
		"domino.bus.progress.c"} {
		s, err := conn.SubscribeSync(subject)
		if err != nil {
			continue
		}
		if err := operator.conn.Publish(inboxOf(asOperator)+".x", []byte("secret")); err != nil {
			t.Fatal(err)
		}
		if m, err := s.NextMsg(200 * time.Millisecond); err == nil {
			t.Errorf("a worker hears %s by %s", m.Subject, subject)
		}
	}
	got, err := operator.Get(ctx, "result.c.1")
	if err != nil || string(got.Value) != "r" {
		t.Errorf("%q, %v", got.Value, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(complaints) == 0 {
		t.Error("nobody is told that something was refused")
	}
}

func second[R any](_ R, err error) error { return err }

// TestNoise sends random messages to every subject, as an operator who has lost his mind: workers
// and coordinator go on, and the campaign comes to its end.
func TestNoise(t *testing.T) {
	_, known := servingAt(t, "127.0.0.1:0")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	e, err := newEngine(ctx, dialed(t, known[asOperator]), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	far, err := newEngine(ctx, dialed(t, known[asWorker]), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	build := "97f097f0"
	working, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	w := &campaign.Worker{Engine: far, Build: build, Classes: []string{campaign.Plain}, Slots: 1,
		Work: func(_ context.Context, kind string, data []byte, told func(any)) (any, any, error) {
			told(kind)
			if kind != "echo" {
				return nil, nil, errors.New("unknown kind")
			}
			return string(data), nil, nil
		}}
	group.Go(func() { _ = w.Run(working) })
	c, err := campaign.Open(ctx, e, build, []string{"noise"}, campaign.Options{
		Progress: func(campaign.Progress) {}})
	if err != nil {
		t.Fatal(err)
	}
	group.Go(func() { noise(t, e, c.ID(), build, effort.Cases(500, 10_000)) })
	jobs, taken := effort.Cases(50, 300), 0
	err = c.Each(ctx, campaign.Batch{Kind: "echo", Class: campaign.Plain,
		Job: func(i int) ([]byte, bool, error) { return fmt.Append(nil, i), i < jobs, nil },
		Take: func(i int, a *campaign.Answer) (bool, error) {
			if string(a.Data) != fmt.Sprintf("%q", fmt.Sprint(i)) {
				t.Errorf("job %d: %s%s", i, a.Data, a.Failed)
			}
			taken++
			return true, nil
		}})
	if err != nil || taken != jobs {
		t.Errorf("%d of %d: %v", taken, jobs, err)
	}
	if err := c.Close(ctx, campaign.Done); err != nil {
		t.Error(err)
	}
	stop()
	group.Wait()
}

// noise publishes random bytes, and random pieces of what is true, where somebody listens.
func noise(t *testing.T, e *engine, id, build string, n int) {
	r := mathrand.New(mathrand.NewPCG(1, 2))
	subjects := []string{"domino.bus.progress." + id,
		"domino.job." + build + "-plain." + id + ".x%d",
		"domino.job." + build + "-plain.other.y%d", "domino.lease.worker.z%d",
		"domino.state.returned." + id + ".1-%d", "domino.result." + id + ".9-%d",
		"domino.state.campaign.n%d", inboxOf(asWorker) + ".%d"}
	pieces := []string{`{"kind":"echo","deliveries":4,"data":`, `{}`, `null`, `[`, `"x"`, `1e999`,
		`{"worker":"w","job":"1-1","data":3}`, "\x00\xff"}
	for i := range n {
		subject := subjects[r.IntN(len(subjects))]
		if strings.Contains(subject, "%d") {
			subject = fmt.Sprintf(subject, i)
		}
		data := []byte(pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))])
		if r.IntN(2) == 0 && len(data) > 0 {
			data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
		}
		if err := e.conn.PublishRequest(subject, inboxOf(asOperator)+".noise", data); err != nil {
			t.Error(err)
			return
		}
	}
}

// TestListen refuses addresses that make no sense, and credentials that others may read.
func TestListen(t *testing.T) {
	for _, listen := range []string{"", "4222", "127.0.0.1", ":4222", "127.0.0.1:x", "0.0.0.0:0",
		"127.0.0.1:70000", "[::]:0"} {
		if s, err := startServing(listen, t.TempDir()); err == nil {
			s.stop()
			t.Errorf("%q is taken", listen)
		}
	}
	folder := t.TempDir()
	s, err := startServing("127.0.0.1:0", folder)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	if other, err := startServing("127.0.0.1:0", folder); err == nil {
		other.stop()
		t.Error("one folder has two servers")
	}
	_, taken, _ := strings.Cut(s.url, "://")
	if other, err := startServing(taken, t.TempDir()); err == nil {
		other.stop()
		t.Error("one port has two servers")
	} else if !strings.Contains(err.Error(), taken) {
		t.Errorf("%v: it does not say that %s is taken", err, taken)
	}
	name := filepath.Join(folder, "worker.json")
	info, err := os.Stat(name)
	if err != nil || privateFiles && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readCredentials(name); err == nil && privateFiles {
		t.Error("credentials that others may read are taken")
	}
}

// FuzzCredentials reads files that somebody else has written.
func FuzzCredentials(f *testing.F) {
	f.Add([]byte(`{"url":"nats://h:1","role":"worker","token":"t"}`))
	f.Add([]byte(`{"url":"tls://h:1","role":"operator","seed":"S","ca":"C"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := parseCredentials(data); err == nil {
			if _, err := c.login(); err == nil && c.Token == "" && c.CA == "" {
				t.Errorf("%q has neither a token nor a CA", data)
			}
		}
	})
}
