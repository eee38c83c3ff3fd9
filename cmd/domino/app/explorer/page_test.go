package explorer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report/browser"
)

// visit is somebody who looks at the page of a server.
type visit struct {
	*browser.Tab
	t *testing.T
}

// open opens the page; the fragment may say where to go.
func (s *served) open(fragment string) *visit {
	s.t.Helper()
	v := &visit{browser.Find(s.t), s.t}
	v.Open(s.url + "#token=" + s.token + fragment)
	v.until("the events", `document.querySelectorAll("#procs details").length > 0`)
	return v
}

// text is what an element of the page says.
func (v *visit) text(id string) (text string) {
	v.Eval(`document.getElementById("`+id+`").textContent`, &text)
	return text
}

// until waits for a condition, which comes to be on a slow machine, too.
func (v *visit) until(what, condition string) {
	v.t.Helper()
	var ok bool
	v.Eval(`new Promise(done => { const look = n => {
		if (`+condition+`) done(true); else if (n > 4000) done(false);
		else setTimeout(() => look(n + 1), 25); }; look(0); })`, &ok)
	if !ok {
		v.t.Fatalf("%s: the page says %q, %q", what, v.text("said"), v.text("verdict"))
	}
}

// steps waits until the path has so many steps.
func (v *visit) steps(what string, n string) {
	v.t.Helper()
	v.until(what, `document.querySelectorAll("#path li").length === `+n)
}

// set writes into a field.
func (v *visit) set(id, value string) {
	v.Eval(`document.getElementById("`+id+`").value = "`+value+`"; undefined`, nil)
}

// says waits until the page says something.
func (v *visit) says(text string) {
	v.t.Helper()
	v.until("the page says "+text,
		`document.getElementById("said").textContent.includes("`+text+`")`)
}

// clean ends a visit: the browser has not complained, but of answers that are refusals.
func (v *visit) clean() {
	v.t.Helper()
	list := slices.DeleteFunc(v.Seen().Errors, func(e string) bool {
		return strings.Contains(e, "the server responded with a status of 400")
	})
	if len(list) > 0 {
		v.t.Errorf("the browser complains: %v", list)
	}
}

// TestPage drives the page in a browser: by clicks, by keys, by its address.
func TestPage(t *testing.T) {
	s := serve(t, "hydee/h10", "repaired+H10")
	v := s.open("")
	v.until("the start", `document.querySelectorAll("#events button").length === 2`)
	var address string
	if v.Eval("location.href", &address); strings.Contains(address, s.token) {
		t.Errorf("the token stays in the address: %s", address)
	}
	v.Press("2")
	v.steps("a key takes an event", "1")
	v.Press("b")
	v.steps("a key goes back", "0")
	v.Press("2")
	v.steps("a key takes an event", "1")
	v.Click("#back")
	v.steps("back", "0")
	v.Click("#find")
	v.steps("the search", "28")
	if v := v.text("verdict"); !strings.Contains(v, "breaks causal-replay: m7") {
		t.Errorf("the verdict is %q", v)
	}
	v.Eval("location.hash", &address)
	v.Click("#what-if")
	v.says("step 26 of 28")
	v.Eval(`document.querySelector("#path li:nth-child(20) button").click()`, nil)
	v.steps("a step", "20")
	v.Click("#hybrid-on")
	v.until("hybrid", `!document.getElementById("hybrid").hidden`)
	if h := v.text("hybrid"); !strings.Contains(h, "no run of any protocol") {
		t.Errorf("a hybrid is called %q", h)
	}
	v.Eval(`location.hash = "`+address+`"`, nil)
	v.steps("a link", "28")
	v.Click("#search")
	v.until("the search of all runs", `!document.getElementById("load").hidden`)
	v.Click("#start")
	v.steps("the start again", "0")
	v.Click("#load")
	v.until("its run", `document.getElementById("verdict").className === "broken"`)
	second := s.open("&path=" + strings.TrimPrefix(address, "#path="))
	second.steps("a link in a second tab", "28")
	second.Click("#back")
	second.steps("one step less there", "27")
	if n := v.text("verdict"); !strings.Contains(n, "breaks") {
		t.Errorf("the first tab says %q", n)
	}
	v.clean()
	second.clean()
}

// TestWrongInput: what can not be done is said, and one can go on from where one was.
func TestWrongInput(t *testing.T) {
	s := serve(t, "hydee/s1-two", "repaired")
	v := s.open("&path=AAAA")
	v.says("no path of this scenario")
	v.steps("a link of nothing leads to the start", "0")
	v.Press("1")
	v.steps("and one goes on", "1")
	v.set("condition", "x.y.z")
	v.Click("#find")
	v.says("is none of")
	v.set("condition", "breaks termintes")
	v.Click("#until")
	v.says("did you mean")
	v.set("steps", "0")
	v.Click("#walk")
	v.steps("no steps", "1")
	v.set("steps", "3")
	v.Click("#walk")
	v.steps("three steps", "4")
	v.set("condition", "event nothing")
	v.Click("#find")
	v.says("searching")
	v.Press("Escape")
	v.says("ended")
	v.Click("#find")
	v.says("searching")
	v.Click("#back") // in the place of the search
	v.steps("back from a search", "3")
	v.Click("#until")
	v.says("did not hold")
	v.set("file", "../x")
	v.Click("#save")
	v.set("file", "run")
	v.Click("#save")
	v.says("saved as ")
	v.Click("#save")
	v.says("exists")
	v.set("filter", "")
	v.Press("?")
	v.until("help", `document.getElementById("help").open`)
	v.Press("/")
	v.until("the filter", `document.activeElement.id === "filter"`)
	v.clean()
	if list, err := os.ReadDir(s.save); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
	s.end()
	v.Click("#start")
	v.says("does not answer any more")
}

// TestNotes: what has to be known of a session stands on the page, and a run that does not fit any
// more is shown as far as it goes.
func TestNotes(t *testing.T) {
	sc, err := scenarios.Load("../../../../scenarios/hydee/h10.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sc.Schedule = []string{"step x send m2 to y", "<img src=x onerror=alert(1)>"}
	v := serveScenario(t, sc).open("")
	v.steps("what is possible", "1")
	if n := v.text("notes"); !strings.Contains(n, "<img src=x onerror=alert(1)>") {
		t.Errorf("the page notes %q", n)
	}
	v.clean()
}

// TestAccessible lets axe-core judge the page, light and dark: at the start, at a violation, with a
// hybrid. Its file is named by the variable DOMINO_AXE, which .ci/run sets.
func TestAccessible(t *testing.T) {
	file := os.Getenv("DOMINO_AXE")
	if file == "" {
		t.Skip("no axe-core: the page is not judged by its rules")
	}
	axe, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	v := serve(t, "hydee/h10", "repaired+H10").open("")
	// the policy of the page lets in no script of others; the protocol of the browser does
	v.Eval(string(axe)+"\n;undefined", nil)
	judge := func(where string) {
		for _, scheme := range []string{"light", "dark"} {
			v.Media("", "prefers-color-scheme: "+scheme)
			var found []struct {
				ID    string
				Nodes []struct{ HTML, FailureSummary string }
			}
			v.Eval(`axe.run().then(r => r.violations)`, &found)
			for _, f := range found {
				t.Errorf("%s, %s: %s: %d, %.600s", where, scheme, f.ID, len(f.Nodes), f.Nodes[0])
			}
		}
	}
	judge("the start")
	v.Click("#find")
	v.says("found after")
	v.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
	v.Click("#search")
	v.until("a search", `!document.getElementById("load").hidden`)
	judge("a violation")
	v.Click("#back")
	v.steps("back", "27")
	v.Click("#hybrid-on")
	v.until("hybrid", `!document.getElementById("hybrid").hidden`)
	judge("a hybrid")
}
