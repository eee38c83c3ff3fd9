package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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
	ctx, stop := context.WithCancel(t.Context())
	s := &served{t: t, save: t.TempDir(), stop: stop, done: make(chan error, 1)}
	server, err := New(ctx, Config{List: all.Protocols(), Scenario: sc,
		Save: s.save, Search: verify.Options{MaxStates: 50_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

// TestPage drives the page in a browser: by clicks, by keys, by its address.
func TestPage(t *testing.T) {
	tab := browser.Find(t)
	s := serve(t, "hydee/h10", "repaired+H10")
	tab.Open(s.url + "#token=" + s.token)
	text := func(id string) (text string) {
		tab.Eval(`document.getElementById("`+id+`").textContent`, &text)
		return text
	}
	until := func(what, condition string) {
		t.Helper()
		var ok bool
		tab.Eval(`new Promise(done => { const look = n => {
			if (`+condition+`) done(true); else if (n > 400) done(false);
			else setTimeout(() => look(n + 1), 25); }; look(0); })`, &ok)
		if !ok {
			t.Fatalf("%s: the page says %q, %q", what, text("said"), text("verdict"))
		}
	}
	until("the start", `document.querySelectorAll("#events button").length === 2`)
	var address string
	if tab.Eval("location.href", &address); strings.Contains(address, s.token) {
		t.Errorf("the token stays in the address: %s", address)
	}
	tab.Press("2")
	until("a key takes an event", `document.querySelectorAll("#path li").length === 1`)
	tab.Click("#back")
	until("back", `document.querySelectorAll("#path li").length === 0`)
	tab.Click("#find")
	until("the search", `document.querySelectorAll("#path li").length === 28`)
	if v := text("verdict"); !strings.Contains(v, "breaks causal-replay: m7") {
		t.Errorf("the verdict is %q", v)
	}
	tab.Eval("location.hash", &address)
	tab.Click("#what-if")
	until("what if", `document.getElementById("said").textContent.includes("step 26 of 28")`)
	tab.Eval(`document.querySelector("#path li:nth-child(20) button").click()`, nil)
	until("a step", `document.querySelectorAll("#path li").length === 20`)
	tab.Click("#hybrid-on")
	until("hybrid", `!document.getElementById("hybrid").hidden`)
	if h := text("hybrid"); !strings.Contains(h, "no run of any protocol") {
		t.Errorf("a hybrid is called %q", h)
	}
	tab.Eval(`location.hash = "`+address+`"`, nil)
	until("a link", `document.querySelectorAll("#path li").length === 28`)
	tab.Click("#search")
	until("the search of all runs", `!document.getElementById("load").hidden`)
	if seen := tab.Seen(); len(seen.Errors) > 0 {
		t.Errorf("the browser complains: %v", seen.Errors)
	}
}
