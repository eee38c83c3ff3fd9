package explorer

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/explore"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
)

//go:embed assets
var assets embed.FS

// Config is what is served.
type Config struct {
	List     protocol.List
	Scenario *scenarios.Scenario
	Search   verify.Options // of the searches that the page asks for, with their bounds
	Save     string         // folder for what is saved; "" saves nothing
	Hosts    []string       // further names under which the server may be asked
}

// Server serves one scenario. Requests are answered one at a time, but for the progress of a search
// and the page itself.
type Server struct {
	Config
	token    string
	turn     chan struct{} // has room for who answers a request
	patience time.Duration // how long a search from a state may take: everybody else waits
	session  *explore.Session
	hybrids  map[string]*explore.Session
	searches searches
}

// New opens the scenario.
func New(ctx context.Context, c Config) (*Server, error) {
	session, err := explore.Open(ctx, c.List, c.Scenario)
	if err != nil {
		return nil, err
	}
	s := &Server{Config: c, token: rand.Text(), session: session, turn: make(chan struct{}, 1),
		patience: 20 * time.Second,
		hybrids:  map[string]*explore.Session{}}
	s.searches.begin(ctx, s)
	return s, nil
}

// Serve answers until the context is done; then it ends searches and connections within a second.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return fmt.Errorf("explore: the address %v has no port: %w", l.Addr(), err)
	}
	server := &http.Server{Handler: guard(s.token, port, s.names(l), s.handler()),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout: 5 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		soon, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		if server.Shutdown(soon) != nil {
			_ = server.Close() // who is still connected then is cut off
		}
	})
	err = server.Serve(l)
	if !stop() {
		<-done
	}
	s.searches.end()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Address is what to open in a browser. A server that listens on all addresses is asked on this
// machine under its own, and from others under the first name that was allowed.
func (s *Server) Address(l net.Listener) string {
	address := l.Addr().String()
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		host := "localhost"
		if len(s.Hosts) > 0 {
			host = s.Hosts[0]
		}
		address = net.JoinHostPort(host, strconv.Itoa(a.Port))
	}
	return "http://" + address + "/#token=" + s.token
}

// names are those under which the server may be asked beside those of every machine for itself:
// what was allowed, and the address that it listens on.
func (s *Server) names(l net.Listener) []string {
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsUnspecified() {
		return append(slices.Clone(s.Hosts), a.IP.String())
	}
	return s.Hosts
}

// handler has the page and the API.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	page, err := fs.Sub(assets, "assets")
	if err != nil {
		panic("invariant: the assets are embedded: " + err.Error())
	}
	mux.Handle("GET /", http.FileServerFS(page))
	mux.HandleFunc("GET /figure.css", style)
	mux.HandleFunc("GET /api/session", answer(s, s.about))
	mux.HandleFunc("POST /api/step", answer(s, s.step))
	mux.HandleFunc("POST /api/walk", answer(s, s.walk))
	mux.HandleFunc("POST /api/find", answer(s, s.find))
	mux.HandleFunc("POST /api/around", answer(s, s.around))
	mux.HandleFunc("POST /api/what-if", answer(s, s.whatIf))
	mux.HandleFunc("POST /api/save", answer(s, s.save))
	mux.HandleFunc("POST /api/search", answer(nil, s.searches.start))
	mux.HandleFunc("POST /api/stop", answer(nil, s.searches.stop))
	mux.HandleFunc("GET /api/progress", s.searches.progress)
	return mux
}

// request is what the page asks; each path uses some of it.
type request struct {
	Path   []string `json:"path"`
	Link   string   `json:"link"` // in the place of a path
	Hybrid *struct {
		Path    []string `json:"path"`
		Variant string   `json:"variant"`
	} `json:"hybrid"` // the path begins where this one ends, with other machines
	Condition string `json:"condition"`
	Variant   string `json:"variant"`
	Seed      uint64 `json:"seed"`
	Steps     int    `json:"steps"`
	Faults    bool   `json:"faults"`
	Name      string `json:"name"`
	Show      string `json:"show"` // protocol messages in the figure: none, relevant, all

	at *explore.Session
}

// answer makes a handler of a function from a request to what is sent back as JSON. A request that
// can not be answered is the fault of who asks, and says why. Of a server, one is answered at a
// time, and none whose asker has gone. Who is slow to read the answer keeps nobody waiting.
func answer[T any](s *Server, do func(context.Context, *request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := read(r)
		var v T
		if err == nil && s != nil {
			v, err = take(r.Context(), s, q, do)
		} else if err == nil {
			v, err = do(r.Context(), q)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mostSend))
		_ = json.NewEncoder(w).Encode(v) // who has asked may be gone
	}
}

// mostSend is how long sending an answer may take.
const mostSend = time.Minute

// read reads a request: one document, of which every field is known.
func read(r *http.Request) (*request, error) {
	q := &request{}
	if r.Method != http.MethodPost {
		return q, nil
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(q)
	if err == nil && d.Decode(&struct{}{}) != io.EOF {
		err = errors.New("there is more behind it")
	}
	if err != nil {
		return nil, fmt.Errorf("the request is no JSON that is known here: %w", err)
	}
	return q, nil
}

// take waits for its turn and does what is asked, unless who has asked goes away.
func take[T any](ctx context.Context, s *Server, q *request,
	do func(context.Context, *request) (T, error)) (v T, err error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return v, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return v, err
	}
	if err := s.resolve(q); err != nil {
		return v, err
	}
	return do(ctx, q)
}

// mostHybrids bounds how many exchanges of machines are remembered, and mostBytes what each takes.
const (
	mostHybrids = 16
	mostBytes   = 64 << 20
)

// resolve finds the session and the path that a request is about.
func (s *Server) resolve(q *request) (err error) {
	q.at = s.session
	if q.Link != "" {
		if q.Path, err = s.session.Path(q.Link); err != nil {
			return err
		}
	}
	if q.Hybrid == nil {
		return nil
	}
	maps.DeleteFunc(s.hybrids, func(_ string, h *explore.Session) bool {
		return h.Bytes() > mostBytes
	})
	key := q.Hybrid.Variant + "\n" + strings.Join(q.Hybrid.Path, "\n")
	if s.hybrids[key] == nil {
		h, err := s.session.Hybrid(q.Hybrid.Path, q.Hybrid.Variant)
		if err != nil {
			return err
		}
		if len(s.hybrids) >= mostHybrids {
			clear(s.hybrids)
		}
		s.hybrids[key] = h
	}
	q.at = s.hybrids[key]
	return nil
}

// session is what the page shows of the scenario.
type session struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Protocol string   `json:"protocol"`
	Variant  string   `json:"variant"`
	Variants []string `json:"variants"`
	Bounds   string   `json:"bounds"`
	Schedule []string `json:"schedule"` // of the file, to begin with, as far as it is possible
	Notes    []string `json:"notes"`
	Saves    bool     `json:"saves"`
	Grammar  string   `json:"grammar"` // of conditions
	Blind    string   `json:"blind"`   // what a comparison is worth that is blind
	Source   string   `json:"source"`
}

func (s *Server) about(context.Context, *request) (*session, error) {
	c := s.Scenario
	path, note, err := s.session.Schedule()
	if err != nil {
		return nil, err
	}
	notes := s.session.Notes()
	if note != "" {
		notes = append(notes, note)
	}
	return &session{Name: c.Name, Title: c.Title, Protocol: c.Protocol, Variant: c.Variant,
		Variants: s.session.Variants(), Bounds: c.Within(), Schedule: path, Notes: notes,
		Saves: s.Save != "", Grammar: explore.Grammar, Blind: explore.Blind,
		Source: string(scenarios.Format(c))}, nil
}

// place is the end of a path with its picture.
type place struct {
	*explore.State
	Figure string `json:"figure"`
}

func (s *Server) place(q *request, path []string) (*place, error) {
	st, err := q.at.At(path)
	if err != nil {
		return nil, err
	}
	story, err := q.at.Sketch(path)
	if err != nil {
		return nil, err
	}
	f, err := picture(story, q.Show)
	return &place{st, f}, err
}

func (s *Server) step(_ context.Context, q *request) (*place, error) { return s.place(q, q.Path) }

// mostSteps bounds a walk.
const mostSteps = 10_000

// walked is the end of a walk.
type walked struct {
	*place
	Met bool `json:"met"` // the condition holds there
}

func (s *Server) walk(ctx context.Context, q *request) (*walked, error) {
	var until explore.Condition
	var err error
	if q.Condition != "" {
		if until, err = s.session.Condition(q.Condition); err != nil {
			return nil, err
		}
	}
	if q.Steps < 1 || q.Steps > mostSteps {
		return nil, fmt.Errorf("want 1 to %d steps, got %d", mostSteps, q.Steps)
	}
	path, met, err := q.at.Walk(ctx, q.Path, q.Seed, q.Steps, q.Faults, until)
	if err != nil {
		return nil, err
	}
	p, err := s.place(q, path)
	return &walked{p, met}, err
}

// found is what a search from a state has found.
type found struct {
	*explore.Found
	Scope string `json:"scope"`
	Place *place `json:"place"` // null when there is none
}

func (s *Server) find(ctx context.Context, q *request) (*found, error) {
	c, err := s.session.Condition(q.Condition)
	if err != nil {
		return nil, err
	}
	f, err := q.at.Find(ctx, q.Path, c, checker.Options{MaxStates: s.Search.MaxStates,
		MaxBytes: s.Search.MaxBytes, MaxTime: s.patience})
	if err != nil {
		return nil, err
	}
	out := &found{Found: f, Scope: f.Scope()}
	if f.Path != nil {
		out.Scope = ""
		out.Place, err = s.place(q, f.Path)
	}
	return out, err
}

// mostAround bounds what is looked at around a state.
const mostAround = 5_000

func (s *Server) around(ctx context.Context, q *request) (*explore.Around, error) {
	return q.at.Around(ctx, q.Path, mostAround)
}

func (s *Server) whatIf(_ context.Context, q *request) (*explore.WhatIf, error) {
	return q.at.WhatIf(q.Path, q.Variant)
}

// fileName is what a saved file may be called: it can not lead out of its folder. The bound is not
// in it: each process of a run would pay for that with 80 kB when it begins.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// longestName of a saved file.
const longestName = 81

// saved says where something was saved.
type saved struct {
	File string `json:"file"`
}

func (s *Server) save(_ context.Context, q *request) (*saved, error) {
	file, err := Save(s.Save, q.Name, q.at, q.Path)
	return &saved{file}, err
}

// Save writes the run of a path as a replay file into a folder, never over a file.
func Save(folder, name string, at *explore.Session, path []string) (file string, err error) {
	switch {
	case folder == "":
		return "", errors.New("nothing is saved: domino explore was begun without --save DIR")
	case !fileName.MatchString(name) || len(name) > longestName:
		return "", fmt.Errorf("the name %q: want letters, digits, - and _", name)
	}
	c, err := at.Counterexample(path)
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, name+".txtar")
	return file, scenarios.SaveNew(file, c)
}
