// Package browser drives a real browser for tests of pages: it opens a page, presses keys, asks it
// questions in JavaScript, takes pictures of it, prints it, and says what it loaded and what went
// wrong in it. It speaks the DevTools protocol to Chromium over two pipes, so that no port is open
// and nothing else is needed. One browser serves a test binary, a tab each test:
//
//	func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }
//
//	func TestPage(t *testing.T) {
//		tab := browser.Find(t)
//		tab.Open("file:///tmp/page.html")
//		tab.Press("j")
//		tab.Eval("location.hash", &hash)
//	}
//
// Where there is no Chromium a test is skipped, unless the variable CI is true, which wants it.
package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// patience is how long an answer may take on a machine that does much else.
const patience = 2 * time.Minute

// process is the running browser.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	folder  string // its profile

	mu      sync.Mutex
	last    int
	waiting map[int]chan message // by the number of the call
	tabs    map[string]*Tab      // by session
	ended   error
}

// message is what goes through the pipes, in both directions.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// shared is the browser of this test binary, started by the first test that asks.
var shared struct {
	once sync.Once
	*process
	err error
}

// Main runs the tests of a binary and ends the browser that they used. It returns the exit code.
func Main(m *testing.M) int {
	code := m.Run()
	if shared.process != nil {
		shared.close()
	}
	return code
}

// Find opens a tab for the test, which closes it when it ends. The test is skipped where there is
// no browser, and fails if CI is true.
func Find(t testing.TB) *Tab {
	t.Helper()
	name := path()
	if name == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium: install it (apt-get install chromium), CI looks at every page")
		}
		t.Skip("no Chromium: this page is not looked at in a browser")
	}
	shared.once.Do(func() { shared.process, shared.err = start(name) })
	if shared.err != nil {
		t.Fatalf("start %s: %v", name, shared.err)
	}
	return shared.tab(t)
}

// path is where the browser is, "" for none.
func path() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if file, err := exec.LookPath(name); err == nil {
			return file
		}
	}
	return ""
}

// start runs the browser. It ends by itself when this process does: its pipe is closed then.
func start(name string) (*process, error) {
	folder, err := os.MkdirTemp("", "domino-browser-*")
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := exec.Command(name, "--headless", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--hide-scrollbars", "--force-color-profile=srgb",
		"--disable-background-networking", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(folder, "profile"), "about:blank")
	if os.Getuid() == 0 {
		c.Args = append(c.Args, "--no-sandbox") // root has none to give up
	}
	c.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	if err := c.Start(); err != nil {
		return nil, err
	}
	_, _ = theirIn.Close(), theirOut.Close() // the child has its own
	p := &process{command: c, in: in, folder: folder, waiting: map[int]chan message{},
		tabs: map[string]*Tab{}}
	go p.read(out)
	return p, nil
}

// read hands every message to who waits for it, until the browser ends.
func (p *process) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		b, err := r.ReadBytes(0)
		var m message
		if err == nil {
			err = json.Unmarshal(b[:len(b)-1], &m)
		}
		p.mu.Lock()
		if err != nil {
			p.ended = fmt.Errorf("the browser has ended: %w", err)
			for _, c := range p.waiting {
				close(c)
			}
			p.waiting = nil
			p.mu.Unlock()
			return
		}
		if c, ok := p.waiting[m.ID]; ok && m.Method == "" {
			delete(p.waiting, m.ID)
			c <- m
		} else if tab := p.tabs[m.Session]; tab != nil {
			tab.note(m)
		}
		p.mu.Unlock()
	}
}

// call sends a command and waits for its answer, which it decodes unless into is nil.
func (p *process) call(session, method string, params, into any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	p.mu.Lock()
	if p.ended != nil {
		p.mu.Unlock()
		return p.ended
	}
	p.last++
	b, err := json.Marshal(message{ID: p.last, Session: session, Method: method, Params: raw})
	p.waiting[p.last] = answer
	if err == nil {
		_, err = p.in.Write(append(b, 0))
	}
	p.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return p.ended
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case into != nil:
			return json.Unmarshal(m.Result, into)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer in %s", method, patience)
	}
}

// close ends the browser and removes its profile.
func (p *process) close() {
	_ = p.call("", "Browser.close", struct{}{}, nil) // it may have ended before
	_ = p.in.Close()
	_ = p.command.Wait() // how it ends is of no interest
	_ = os.RemoveAll(p.folder)
}
