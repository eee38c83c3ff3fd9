package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// page is written so that each ability of a tab shows in it.
const page = `<!doctype html><meta charset="utf-8"><title>p</title>
<style>body { color: rgb(1, 2, 3) } @media (prefers-color-scheme: dark) { body { color: rgb(4, 5, 6) } }
@media print { body { color: rgb(7, 8, 9) } }</style>
<body><button id="b">b</button><p id="k"></p><script>
addEventListener("keydown", e => document.getElementById("k").textContent += e.key + " ");
document.getElementById("b").addEventListener("click", () => { document.title = "clicked"; });
</script>`

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// TestTab tries everything that a tab can do at a page that shows it.
func TestTab(t *testing.T) {
	tab := Find(t)
	url := written(t, page)
	tab.Open(url)
	text := func(expression string) (s string) {
		t.Helper()
		tab.Eval(expression, &s)
		return s
	}
	tab.Press("j", "K", "Enter", "ArrowDown", "/")
	if got := text(`document.getElementById("k").textContent`); got != "j K Enter ArrowDown / " {
		t.Errorf("the page got the keys %q", got)
	}
	tab.Click("#b")
	if got := text("document.title"); got != "clicked" {
		t.Errorf("a click made the title %q", got)
	}
	const color = "getComputedStyle(document.body).color"
	light := text(color)
	tab.Media("", "prefers-color-scheme: dark")
	dark := text(color)
	tab.Media("print")
	if print := text(color); light != "rgb(1, 2, 3)" || dark != "rgb(4, 5, 6)" ||
		print != "rgb(7, 8, 9)" {
		t.Errorf("colours are %s, %s, %s", light, dark, print)
	}
	tab.Size(400, 300)
	if got := text("innerWidth + ' ' + innerHeight"); got != "400 300" {
		t.Errorf("the size is %s", got)
	}
	if b := tab.Screenshot(false); !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("a picture begins with %q", b[:min(len(b), 8)])
	}
	if b := tab.PDF(); !bytes.HasPrefix(b, []byte("%PDF-")) {
		t.Errorf("a print begins with %q", b[:min(len(b), 8)])
	}
	if got := text("new Promise(r => setTimeout(() => r('later'), 1))"); got != "later" {
		t.Errorf("a promise came to %q", got)
	}
	if seen := tab.Seen(); len(seen.Requests) != 1 || seen.Requests[0] != url ||
		len(seen.Errors) != 0 {
		t.Errorf("the tab has seen %+v", seen)
	}
}

// TestSeen shows that what goes wrong in a page is noticed: exceptions, messages, refusals.
func TestSeen(t *testing.T) {
	for name, script := range map[string]string{
		"exception": `throw new Error("x")`,
		"rejection": `Promise.reject(new Error("x"))`,
		"console":   `console.error("x")`,
		"request":   `new Image().src = "missing.png"`,
		"policy":    `eval("1")`,
	} {
		t.Run(name, func(t *testing.T) {
			tab := Find(t)
			tab.Open(written(t, `<meta http-equiv="Content-Security-Policy" content="`+
				`script-src 'unsafe-inline'"><script>`+script+`</script>`))
			tab.Eval("new Promise(r => setTimeout(r, 50))", nil)
			if len(tab.Seen().Errors) == 0 {
				t.Errorf("nothing is seen of %s: %+v", script, tab.Seen())
			}
		})
	}
}

// TestScripts shows that a page can be looked at as without JavaScript.
func TestScripts(t *testing.T) {
	tab := Find(t)
	tab.Scripts(false)
	tab.Open(written(t, `<title>still</title><script>document.title = "moved"</script>`))
	var title string
	tab.Eval("document.title", &title)
	if title != "still" {
		t.Errorf("a script has run: the title is %q", title)
	}
}
