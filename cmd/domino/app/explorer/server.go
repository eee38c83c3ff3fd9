package explorer

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	mu       sync.Mutex // held while a request is answered
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
	s := &Server{Config: c, token: rand.Text(), session: session,
		hybrids: map[string]*explore.Session{}}
	s.searches.begin(ctx, s)
	return s, nil
}

// Serve answers until the context is done; then it ends searches and connections within a second.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return fmt.Errorf("explore: the address %v has no port: %w", l.Addr(), err)
	}
	server := &http.Server{Handler: guard(s.token, port, s.Hosts, s.handler()),
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

// Address is what to open in a browser.
func (s *Server) Address(l net.Listener) string {
	return "http://" + l.Addr().String() + "/#token=" + s.token
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
// time.
func answer[T any](s *Server, do func(context.Context, *request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := &request{}
		if r.Method == http.MethodPost {
			d := json.NewDecoder(r.Body)
			d.DisallowUnknownFields()
			if err := d.Decode(q); err != nil {
				http.Error(w, "the request is no JSON that is known here: "+err.Error(),
					http.StatusBadRequest)
				return
			}
		}
		if s != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if err := s.resolve(q); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		v, err := do(r.Context(), q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(v) // who has asked may be gone
	}
}

// mostHybrids bounds how many exchanges of machines are remembered.
const mostHybrids = 16

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
	Schedule []string `json:"schedule"` // of the file, to begin with
	Saves    bool     `json:"saves"`
	Grammar  string   `json:"grammar"` // of conditions
	Source   string   `json:"source"`
}

func (s *Server) about(context.Context, *request) (*session, error) {
	c := s.Scenario
	return &session{Name: c.Name, Title: c.Title, Protocol: c.Protocol, Variant: c.Variant,
		Variants: s.session.Variants(), Bounds: c.Within(), Schedule: c.Schedule,
		Saves: s.Save != "", Grammar: explore.Grammar, Source: string(scenarios.Format(c))}, nil
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
	story, err := q.at.Story(path)
	if err != nil {
		return nil, err
	}
	f, err := picture(story, q.Show)
	return &place{st, f}, err
}

func (s *Server) step(_ context.Context, q *request) (*place, error) { return s.place(q, q.Path) }

// mostSteps bounds a walk.
const mostSteps = 10_000

func (s *Server) walk(ctx context.Context, q *request) (*place, error) {
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
	path, _, err := q.at.Walk(ctx, q.Path, q.Seed, q.Steps, q.Faults, until)
	if err != nil {
		return nil, err
	}
	return s.place(q, path)
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
		MaxBytes: s.Search.MaxBytes, MaxTime: mostFind})
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

// mostFind is how long a search from a state may take: everybody else waits.
const mostFind = 20 * time.Second

// mostAround bounds what is looked at around a state.
const mostAround = 5_000

func (s *Server) around(ctx context.Context, q *request) (*explore.Around, error) {
	return q.at.Around(ctx, q.Path, mostAround)
}

func (s *Server) whatIf(_ context.Context, q *request) (*explore.WhatIf, error) {
	if !slices.Contains(s.session.Variants(), q.Variant) && !strings.Contains(q.Variant, "+") {
		return nil, fmt.Errorf("unknown variant %q, want one of %s", q.Variant,
			strings.Join(s.session.Variants(), ", "))
	}
	return q.at.WhatIf(q.Path, q.Variant)
}

// fileName is what a saved file may be called: it can not lead out of its folder.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,80}$`)

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
	case !fileName.MatchString(name):
		return "", fmt.Errorf("the name %q: want letters, digits, - and _", name)
	}
	c, err := at.Counterexample(path)
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, name+".txtar")
	return file, scenarios.SaveNew(file, c)
}
