package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Tab is one page in the browser. Its methods end the test when the browser refuses.
type Tab struct {
	t       testing.TB
	p       *process
	session string
	events  chan string // names of events of pages

	seen Seen // guarded by the lock of the process
}

// Seen is what a tab has done since it was opened.
type Seen struct {
	Requests []string // addresses
	Errors   []string // of the console, exceptions, what the policy of the page refuses
}

// A is the arguments of a command of the DevTools protocol.
type A = map[string]any

// tab opens an empty page of 1280 by 900 points.
func (p *process) tab(t testing.TB) *Tab {
	t.Helper()
	tab := &Tab{t: t, p: p, events: make(chan string, 1024)}
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	err := p.call("", "Target.createTarget", A{"url": "about:blank"}, &target)
	if err == nil {
		err = p.call("", "Target.attachToTarget", A{"targetId": target.TargetID, "flatten": true},
			&session)
	}
	if err != nil {
		t.Fatal(err)
	}
	tab.session = session.SessionID
	p.mu.Lock()
	p.tabs[tab.session] = tab
	p.mu.Unlock()
	t.Cleanup(func() {
		_ = p.call("", "Target.closeTarget", A{"targetId": target.TargetID}, nil)
		p.mu.Lock()
		delete(p.tabs, tab.session)
		p.mu.Unlock()
	})
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		tab.Call(domain+".enable", A{}, nil)
	}
	tab.Size(1280, 900)
	return tab
}

// note keeps what an event says. The process is locked.
func (tab *Tab) note(m message) {
	var e struct {
		Request          struct{ URL string }
		Entry            struct{ Text, Level string }
		Type             string
		Args             []struct{ Value, Description any }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(m.Params, &e); err != nil {
		return // an event of another form is none of these
	}
	add := func(text string) { tab.seen.Errors = append(tab.seen.Errors, text) }
	switch m.Method {
	case "Network.requestWillBeSent":
		tab.seen.Requests = append(tab.seen.Requests, e.Request.URL)
	case "Log.entryAdded":
		add(e.Entry.Level + ": " + e.Entry.Text)
	case "Runtime.exceptionThrown":
		d := e.ExceptionDetails
		add("exception: " + d.Text + " " + d.Exception.Description)
	case "Runtime.consoleAPICalled":
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			add(fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	}
	if strings.HasPrefix(m.Method, "Page.") {
		select {
		case tab.events <- m.Method:
		default: // nobody waits any more
		}
	}
}

// Call sends a command of the DevTools protocol and decodes its result, unless into is nil.
func (tab *Tab) Call(method string, params A, into any) {
	tab.t.Helper()
	if err := tab.p.call(tab.session, method, params, into); err != nil {
		tab.t.Fatal(err)
	}
}

// Open goes to an address and waits until the page is loaded, and if it has a promise "ready", as
// one that unpacks its scripts, until that is kept.
func (tab *Tab) Open(url string) {
	tab.t.Helper()
	tab.load(url)
	tab.Eval("typeof ready === 'undefined' ? null : ready.then(() => null)", nil)
}

// load goes to an address and waits until the page is loaded.
func (tab *Tab) load(url string) {
	tab.t.Helper()
	for len(tab.events) > 0 {
		<-tab.events
	}
	var answer struct{ ErrorText string }
	tab.Call("Page.navigate", A{"url": url}, &answer)
	if answer.ErrorText != "" {
		tab.t.Fatalf("open %s: %s", url, answer.ErrorText)
	}
	for late := time.After(patience); ; {
		select {
		case name := <-tab.events:
			switch name {
			case "Page.loadEventFired":
				return
			case "Page.navigatedWithinDocument": // another fragment of the same page
				return
			}
		case <-late:
			tab.t.Fatalf("open %s: not loaded in %s", url, patience)
		}
	}
}

// Eval computes an expression in the page, waits for it if it is a promise, and decodes its value,
// unless into is nil.
func (tab *Tab) Eval(expression string, into any) {
	tab.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	tab.Call("Runtime.evaluate", A{"expression": expression, "returnByValue": true,
		"awaitPromise": true}, &answer)
	if e := answer.ExceptionDetails; e != nil {
		tab.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if into == nil {
		return
	}
	if answer.Result.Value == nil {
		tab.t.Fatalf("%s has no value", expression)
	}
	if err := json.Unmarshal(answer.Result.Value, into); err != nil {
		tab.t.Fatalf("%s: %v in %s", expression, err, answer.Result.Value)
	}
}

// codes are the keys that write nothing.
var codes = map[string]int{"Tab": 9, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37,
	"ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

// Press presses and releases keys, one after another: a character, or a name such as Enter.
func (tab *Tab) Press(keys ...string) {
	tab.t.Helper()
	for _, key := range keys {
		down := A{"type": "keyDown", "key": key}
		switch code, named := codes[key]; {
		case named:
			down["windowsVirtualKeyCode"], down["code"] = code, key
		case key == "Enter":
			down["windowsVirtualKeyCode"], down["text"] = 13, "\r"
		default:
			down["text"] = key
		}
		tab.Call("Input.dispatchKeyEvent", down, nil)
		tab.Call("Input.dispatchKeyEvent", A{"type": "keyUp", "key": key}, nil)
	}
}

// Click clicks in the middle of the first element of a selector.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	var at [2]float64
	tab.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q);
		e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		tab.Call("Input.dispatchMouseEvent", A{"type": kind, "x": at[0], "y": at[1],
			"button": "left", "clickCount": 1}, nil)
	}
}

// Size makes the page so many points wide and high.
func (tab *Tab) Size(width, height int) {
	tab.t.Helper()
	tab.Call("Emulation.setDeviceMetricsOverride", A{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false}, nil)
}

// Media shows the page on a medium ("print", "" for the screen) to a reader with preferences, each
// as "prefers-color-scheme: dark".
func (tab *Tab) Media(medium string, preferences ...string) {
	tab.t.Helper()
	features := []A{}
	for _, p := range preferences {
		name, value, _ := strings.Cut(p, ": ")
		features = append(features, A{"name": name, "value": value})
	}
	tab.Call("Emulation.setEmulatedMedia", A{"media": medium, "features": features}, nil)
}

// Scripts allows pages that are opened from now on to run scripts, or forbids it.
func (tab *Tab) Scripts(allowed bool) {
	tab.t.Helper()
	tab.Call("Emulation.setScriptExecutionDisabled", A{"value": !allowed}, nil)
}

// Screenshot is a picture, as PNG, of what is in view, or of the whole page.
func (tab *Tab) Screenshot(whole bool) []byte {
	tab.t.Helper()
	params := A{}
	if whole {
		var m struct {
			CSSContentSize struct{ Width, Height float64 }
		}
		tab.Call("Page.getLayoutMetrics", A{}, &m)
		params = A{"captureBeyondViewport": true, "clip": A{"x": 0, "y": 0, "scale": 1,
			"width": m.CSSContentSize.Width, "height": m.CSSContentSize.Height}}
	}
	var answer struct{ Data []byte }
	tab.Call("Page.captureScreenshot", params, &answer)
	return answer.Data
}

// PDF prints the page on A4.
func (tab *Tab) PDF() []byte {
	tab.t.Helper()
	var answer struct{ Data []byte }
	tab.Call("Page.printToPDF", A{"printBackground": true, "paperWidth": 8.27,
		"paperHeight": 11.69}, &answer)
	return answer.Data
}

// Seen is what the tab has loaded and what went wrong so far.
func (tab *Tab) Seen() Seen {
	tab.p.mu.Lock()
	defer tab.p.mu.Unlock()
	return Seen{slices.Clone(tab.seen.Requests), slices.Clone(tab.seen.Errors)}
}
