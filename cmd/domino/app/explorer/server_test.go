package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// served is a server under test.
type served struct {
	t           *testing.T
	server      *Server
	url, token  string
	save        string
	stop        context.CancelFunc
	done        chan error
	interrupted bool
}

// serve serves a scenario of the suite until the test ends.
func serve(t *testing.T, name, variant string) *served {
	t.Helper()
	sc, err := scenarios.Load(filepath.Join("../../../../scenarios", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	sc.Variant = variant
	return serveScenario(t, sc)
}

func serveScenario(t *testing.T, sc *scenarios.Scenario) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &served{t: t, save: t.TempDir(), stop: stop, done: make(chan error, 1)}
	server, err := New(ctx, Config{List: all.Protocols(), Scenario: sc,
		Save: s.save, Search: verify.Options{MaxStates: 50_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	server.patience = 24 * time.Hour // nothing may depend on it
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.server = server
	s.url, s.token, _ = strings.Cut(server.Address(l), "#token=")
	go func() { s.done <- server.Serve(ctx, l) }()
	t.Cleanup(s.end)
	return s
}

// end interrupts the server and waits for it.
func (s *served) end() {
	if s.interrupted {
		return
	}
	s.interrupted = true
	s.stop()
	if err := <-s.done; err != nil {
		s.t.Error(err)
	}
}

// ask sends a request and returns the code and the body; change may be nil.
func (s *served) ask(method, path, body string, change func(*http.Request)) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path,
		strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if change != nil {
		change(r)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.StatusCode, string(b)
}

// TestGuard: only the page of this server is answered, by whatever name others call it.
func TestGuard(t *testing.T) {
	t.Parallel()
	s := serve(t, "hydee/s1", "repaired")
	port := s.url[strings.LastIndex(s.url, ":"):]
	port = strings.TrimSuffix(port, "/")
	host := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Host = name }
	}
	header := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	for _, c := range []struct {
		name, method, path, body string
		change                   func(*http.Request)
		want                     int
	}{
		{"the page", "GET", "", "", nil, 200},
		{"the page without a token", "GET", "", "", header("Authorization", ""), 200},
		{"a question", "POST", "api/step", `{"path":[]}`, nil, 200},
		{"by name", "POST", "api/step", `{"path":[]}`, host("localhost" + port), 200},
		{"by another address of this machine", "GET", "api/session", "",
			host("127.7.7.7" + port), 200},
		{"IPv6", "GET", "api/session", "", host("[::1]" + port), 200},
		{"a name that looks like an address", "GET", "", "",
			host("127.0.0.1.evil.example" + port), 421},
		{"another name", "GET", "", "", host("evil.example" + port), 421},
		{"another port", "GET", "", "", host("127.0.0.1:1"), 421},
		{"no port", "GET", "", "", host("127.0.0.1"), 421},
		{"another machine", "GET", "", "", host("10.0.0.1" + port), 421},
		{"another site", "POST", "api/step", `{"path":[]}`,
			header("Origin", "http://evil.example"), 403},
		{"another site, says the browser", "POST", "api/step", `{"path":[]}`,
			header("Sec-Fetch-Site", "cross-site"), 403},
		{"no token", "POST", "api/step", `{"path":[]}`, header("Authorization", ""), 401},
		{"another token", "GET", "api/session", "",
			header("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAA"), 401},
		{"the token without its scheme", "GET", "api/session", "",
			header("Authorization", s.token), 401},
		{"nothing there, without a token", "GET", "api/none", "", header("Authorization", ""), 401},
		{"no JSON", "POST", "api/step", "path", nil, 400},
		{"a field that nobody knows", "POST", "api/step", `{"paths":[]}`, nil, 400},
		{"too much", "POST", "api/step", `{"path":["` + strings.Repeat("x", 2<<20) + `"]}`, nil,
			400},
		{"two requests", "POST", "api/step", `{"path":[]} {"path":[]}`, nil, 400},
		{"no event", "POST", "api/step", `{"path":["jump"]}`, nil, 400},
		{"too many steps", "POST", "api/walk", `{"steps":1000000}`, nil, 400},
		{"a link of nothing", "POST", "api/step", `{"link":"____"}`, nil, 400},
		{"to write without asking", "GET", "api/save", "", nil, 404},
	} {
		if code, body := s.ask(c.method, c.path, c.body, c.change); code != c.want {
			t.Errorf("%s: %d, want %d: %.200s", c.name, code, c.want, body)
		}
	}
	_, page := s.ask("GET", "", "", nil)
	if strings.Contains(page, s.token) {
		t.Error("the page has the token in it")
	}
}

// TestAddress: the address that is printed is one that the server answers to, wherever it listens.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ip    string
		hosts []string
		want  string
	}{
		{"127.0.0.1", nil, "http://127.0.0.1:80/#"},
		{"::1", []string{"box"}, "http://[::1]:80/#"},
		{"0.0.0.0", nil, "http://localhost:80/#"},
		{"::", []string{"box.example"}, "http://box.example:80/#"},
		{"192.0.2.7", nil, "http://192.0.2.7:80/#"},
	} {
		at := listener{&net.TCPAddr{IP: net.ParseIP(c.ip), Port: 80}}
		s := &Server{Config: Config{Hosts: c.hosts}}
		if got := s.Address(at); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.ip, got, c.want)
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(c.want, "http://"), "/")
		if !ours(host, "80", s.names(at)) {
			t.Errorf("%s: the server does not answer to %s", c.ip, host)
		}
		for _, other := range []string{"evil.example:80", "192.0.2.8:80", "0.0.0.0:80"} {
			if ours(other, "80", s.names(at)) {
				t.Errorf("%s: the server answers to %s", c.ip, other)
			}
		}
	}
}

// listener is one that has an address, and nothing else.
type listener struct{ address net.Addr }

func (l listener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (l listener) Close() error              { return nil }
func (l listener) Addr() net.Addr            { return l.address }

// TestGone: who goes away while a search from a state goes on for hours keeps nobody waiting.
func TestGone(t *testing.T) {
	t.Parallel()
	s := serve(t, "hydee/s1-two", "repaired")
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", s.url+"api/find",
		strings.NewReader(`{"path":[],"condition":"event nothing like that"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	gone := make(chan error)
	go func() {
		a, err := http.DefaultClient.Do(r)
		if err == nil {
			err = a.Body.Close()
		}
		gone <- err
	}()
	for len(s.server.turn) == 0 { // until it has begun
		runtime.Gosched()
	}
	leave()
	if err := <-gone; err == nil {
		t.Error("the search has ended by itself")
	}
	if code, body := s.ask("POST", "api/step", `{"path":[]}`, nil); code != 200 {
		t.Errorf("%d: %s", code, body)
	}
}

// TestSlowReader: who reads nothing of an answer keeps nobody waiting.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	s := serve(t, "hydee/h10", "repaired+H10")
	reader := unread{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer(s.server, s.server.step)(reader, httptest.NewRequestWithContext(t.Context(), "POST",
			"/api/step", strings.NewReader(`{"path":[]}`)))
	}()
	<-reader.begun
	if code, body := s.ask("POST", "api/step", `{"path":[]}`, nil); code != 200 {
		t.Errorf("%d: %s", code, body)
	}
	close(reader.read)
	<-done
}

// unread is where an answer stands until it is read.
type unread struct {
	http.ResponseWriter
	begun, read chan struct{}
}

func (u unread) Write(b []byte) (int, error) {
	close(u.begun)
	<-u.read
	return u.ResponseWriter.Write(b)
}

// TestParallel asks everything at one time, by many: each gets what it would get alone.
func TestParallel(t *testing.T) {
	t.Parallel()
	s := serve(t, "hydee/h10", "repaired+H10")
	questions := [][2]string{
		{"step", `{"path":[]}`}, {"walk", `{"path":[],"seed":1,"steps":8}`},
		{"walk", `{"path":[],"seed":2,"steps":30,"faults":true}`},
		{"find", `{"path":[],"condition":"down x"}`}, {"around", `{"path":[]}`},
		{"what-if", `{"path":["step x send m2 to y"],"variant":"repaired"}`},
		{"what-if", `{"path":["step x send m2 to y"],"variant":"nonsense"}`},
		{"step", `{"path":[],"hybrid":{"path":["step x send m2 to y"],"variant":"repaired"}}`},
		{"step", `{"link":"AUgBEgI"}`}, {"step", `{"link":"AUgBEg"}`},
	}
	var alone []string
	for _, q := range questions {
		_, body := s.ask("POST", "api/"+q[0], q[1], nil)
		alone = append(alone, body)
	}
	var wait sync.WaitGroup
	for n := range 4 * len(questions) {
		wait.Go(func() {
			k := n % len(questions)
			if _, body := s.ask("POST", "api/"+questions[k][0], questions[k][1], nil); body !=
				alone[k] {
				t.Errorf("%v: %.300s, alone %.300s", questions[k], body, alone[k])
			}
		})
	}
	wait.Wait()
}

// TestSave writes below its folder, never over a file, and no hybrid.
func TestSave(t *testing.T) {
	t.Parallel()
	s := serve(t, "hydee/h10", "repaired+H10")
	_, body := s.ask("POST", "api/find", `{"path":[],"condition":"breaks *"}`, nil)
	var found struct{ Path []string }
	if err := json.Unmarshal([]byte(body), &found); err != nil || len(found.Path) == 0 {
		t.Fatalf("%.300s, %v", body, err)
	}
	path, err := json.Marshal(found.Path)
	if err != nil {
		t.Fatal(err)
	}
	save := func(name, more string) (int, string) {
		return s.ask("POST", "api/save",
			`{"name":"`+name+`","path":`+string(path)+more+`}`, nil)
	}
	if code, body := save("run", ""); code != 200 {
		t.Fatalf("%d: %s", code, body)
	}
	saved, err := scenarios.Load(filepath.Join(s.save, "run.txtar"))
	if err != nil || saved.Breaks != "causal-replay" || len(saved.Schedule) != len(found.Path) {
		t.Errorf("saved %+v, %v", saved, err)
	}
	for _, name := range []string{"run", "../run", "a/b", "", ".", "x.txtar", "%2e%2e", "a\\\\b"} {
		if code, body := save(name, ""); code != 400 {
			t.Errorf("saved as %q: %d %s", name, code, body)
		}
	}
	code, body := s.ask("POST", "api/save", `{"name":"mixed","path":[],"hybrid":{"path":`+
		string(path[:bytes.LastIndexByte(path, ',')])+`],"variant":"repaired"}}`, nil)
	if code != 400 || !strings.Contains(body, "hybrid") {
		t.Errorf("a hybrid is saved: %d %s", code, body)
	}
	if list, err := os.ReadDir(s.save); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
}

// TestInterrupted ends the server in the middle of a search, with somebody who follows it: within a
// second, and nothing is left.
func TestInterrupted(t *testing.T) {
	leak := goleak.IgnoreCurrent()
	s := serve(t, "hydee/s1-two", "repaired")
	if code, body := s.ask("POST", "api/search", `{"name":"dfs"}`, nil); code != 200 {
		t.Fatalf("%d: %s", code, body)
	}
	if code, body := s.ask("POST", "api/search", `{}`, nil); code != 400 {
		t.Errorf("a second search at one time: %d %s", code, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"api/progress", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	transport := &http.Transport{}
	a, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(a.Body)
	for {
		var now struct {
			Running bool
			Stats   *struct{ States int }
		}
		if err := d.Decode(&now); err != nil || !now.Running {
			t.Fatalf("%+v, %v", now, err)
		}
		if now.Stats != nil && now.Stats.States > 0 {
			break
		}
	}
	began := time.Now()
	s.end()
	if took := time.Since(began); took > 10*time.Second { // a second when nothing else runs
		t.Errorf("it took %v to end", took)
	}
	if err := a.Body.Close(); err != nil {
		t.Error(err)
	}
	transport.CloseIdleConnections()
	goleak.VerifyNone(t, leak)
}
