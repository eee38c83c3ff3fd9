package page_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/browser"
	"github.com/domino-check/domino/spec/report/page"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// saved is the address of the page as a file.
func saved(t testing.TB, p *page.Page) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, written(t, p), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// until waits until an expression is true in the page.
func until(t testing.TB, tab *browser.Tab, expression string) {
	t.Helper()
	var ok bool
	tab.Eval(fmt.Sprintf(`(async () => {
		for (let i = 0; i < 400; i++) {
			if (%s) return true;
			await new Promise(r => setTimeout(r, 10));
		}
		return false;
	})()`, expression), &ok)
	if !ok {
		var hash string
		tab.Eval("location.hash", &hash)
		t.Fatalf("never true: %s (at %s)", expression, hash)
	}
}

// sound fails if the page has loaded anything but itself, or anything went wrong in it.
func sound(t testing.TB, tab *browser.Tab) {
	t.Helper()
	if s := tab.Seen(); len(s.Requests) != 1 || len(s.Errors) > 0 {
		t.Errorf("the page has loaded %q, and there went wrong: %q", s.Requests, s.Errors)
	}
}

// TestKeys presses every key, and looks at what the address says.
func TestKeys(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, made(30, 4, plain)))
	at := func(hash string) string { return fmt.Sprintf("location.hash === %q", hash) }
	for _, k := range []struct{ keys, want string }{
		{"j", at("#step=1&proc=p0")},
		{"j j", at("#step=3&proc=p1")},
		{"J", at("#step=10&proc=p1")}, // p1 is in every fourth message
		{"k", at("#step=9&proc=p0")},
		{"K", at("#step=8&proc=p0")},
		{"n", at("#step=16&proc=p3")},
		{"n n", at("#step=30&proc=p3")},
		{"N", at("#step=17&proc=p3")},
		{"v", at("#step=30&proc=p3")},
		{"d", at("#step=16&proc=p3")},
		{"c", `location.hash.includes("causes=yes") && document.querySelector(".row.cause")`},
		{"c", at("#step=16&proc=p3")},
		{"o", `location.hash.includes("as=down") && document.querySelector("#figure svg")`},
		{"o", at("#step=16&proc=p3")},
		{"?", `document.querySelector("#help").open`},
		{"Escape", `!document.querySelector("#help").open`},
		{"/", `document.activeElement.id === "filter"`},
		{"p 2", `document.querySelector("#found").textContent.includes(" of 30 steps") &&
			document.querySelectorAll(".row:not([hidden])").length < 30`},
		{"Escape k", `location.hash.startsWith("#step=15")`},
	} {
		tab.Press(strings.Fields(k.keys)...)
		until(t, tab, k.want)
	}
	sound(t, tab)
}

// TestAddress opens addresses, and finds what they say restored.
func TestAddress(t *testing.T) {
	tab := browser.Find(t)
	url := saved(t, made(30, 4, plain))
	tab.Open(url + "#step=12&proc=p2&as=down&causes=yes")
	until(t, tab, `document.getElementById("step=12").classList.contains("now") &&
		document.querySelector("#figure").dataset.as === "down" &&
		document.querySelector(".steps.fading .row.cause") &&
		document.querySelector("#panel h3").textContent.includes("step 12")`)
	tab.Eval(`location.hash = "#step=3"`, nil)
	until(t, tab, `document.getElementById("step=3").classList.contains("now")`)
	tab.Eval(`location.hash = "#step=nonsense&proc=nobody&as=sideways"`, nil)
	tab.Eval(`location.hash = "#step=99999"`, nil)
	until(t, tab, `document.getElementById("step=30").classList.contains("now")`)
	sound(t, tab)
}

// TestWithoutScripts reads the page where no script runs, and where a browser can not unpack them:
// all that explains is in view, and nothing goes wrong.
func TestWithoutScripts(t *testing.T) {
	for name, without := range map[string]func(*browser.Tab){
		"scripts": func(tab *browser.Tab) { tab.Scripts(false) },
		"unpacking": func(tab *browser.Tab) {
			tab.Call("Page.addScriptToEvaluateOnNewDocument", browser.A{
				"source": "delete window.DecompressionStream"}, nil)
		}} {
		tab := browser.Find(t)
		without(tab)
		tab.Open(saved(t, made(30, 4, plain)))
		for _, selector := range []string{"h1", ".why li", "#figure svg", "#repaired svg",
			"#free table", "tr[id='step=30']", ".facts"} {
			var seen bool
			tab.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q);
				const r = e && e.getBoundingClientRect();
				return !!r && r.width > 0 && r.height > 0; })()`, selector), &seen)
			if !seen {
				t.Errorf("without %s nobody sees %s", name, selector)
			}
		}
		var controls int
		tab.Eval(`[...document.querySelectorAll("button, input")].filter(e =>
			e.getBoundingClientRect().width > 0).length`, &controls)
		if controls != 0 {
			t.Errorf("%d controls are there that do nothing without %s", controls, name)
		}
		sound(t, tab)
	}
}

// TestStates reads a state in the panel, and watches a value: they are as in the run, numbers that
// JavaScript would round included.
func TestStates(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, made(30, 4, plain)) + "#step=6")
	until(t, tab, `document.querySelector("#panel .changed")`)
	// 6 times the odd number of made, modulo 2 to the 64
	until(t, tab, `document.querySelector("#panel").textContent.includes("value b54cda58fbbee87e")`)
	until(t, tab, `document.querySelector("#panel .others li").textContent === "another"`)
	panel := func(step int, words ...string) {
		t.Helper()
		tab.Eval(fmt.Sprintf(`location.hash = "#step=%d"`, step), nil)
		until(t, tab, fmt.Sprintf(`document.querySelector("#panel h3").textContent ===
			"State behind step %d"`, step))
		tab.Eval(`for (const d of document.querySelectorAll("#panel details")) d.open = true`, nil)
		for _, w := range words {
			until(t, tab, fmt.Sprintf(`document.querySelector("#panel").textContent.includes(%q)`,
				w))
		}
	}
	panel(7, "Properties 2 hold so far, 1 do not apply", "fifo holds so far", "line does not apply",
		"On its way 8", "p0 → p3 App, Pull 7", "p3 an answer", "p3 the start", "on its way to it",
		"will be told of", "Vector clock p0 2p1 4p2 4p3 4", "old \"torn\"")
	panel(30, "Properties 1 broken, 1 hold, 1 do not apply", "fifo broken in step 30",
		"exactly-once holds")
	tab.Eval(`(() => { const e = document.querySelector("#watch"); e.value = "p3.protocol.phase";
		e.dispatchEvent(new Event("change")); })()`, nil)
	until(t, tab, `[...document.querySelectorAll("td.watch")].length === 30 &&
		document.querySelector("tr[id='step=30'] td.watch").textContent === "6"`)
	sound(t, tab)
}

// TestHide: messages of a kind and what happens at a proc are hidden, the rest is not, and an
// address says so.
func TestHide(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, made(12, 3, plain)))
	tab.Click("#hide summary")
	until(t, tab, `document.querySelectorAll("#hide input:checked").length === 4`)
	counts := func() (gone, seen int) {
		tab.Eval(`document.querySelectorAll("#figure [data-i].gone").length`, &gone)
		tab.Eval(`[...document.querySelectorAll("#figure [data-i]")].filter(e =>
			getComputedStyle(e).visibility === "visible").length`, &seen)
		return gone, seen
	}
	gone, all := counts()
	tab.Click("#hide fieldset:last-of-type label:nth-of-type(2) input") // p1
	until(t, tab, `location.hash === "#hide=p1" && document.querySelector("#figure .gone")`)
	hidden, seen := counts()
	if gone != 0 || hidden == 0 || hidden+seen != all {
		t.Errorf("of %d marks %d were hidden before, %d are, %d are seen", all, gone, hidden, seen)
	}
	var others int
	tab.Eval(`[...document.querySelectorAll("#figure g.gone title")].filter(e =>
		!/\bp1\b/.test(e.textContent)).length`, &others)
	if others > 0 {
		t.Errorf("%d marks are hidden that have nothing to do with p1", others)
	}
	tab.Eval(`location.hash = "#hide=App&show=all"`, nil)
	until(t, tab, `document.querySelector("#figure .gone") &&
		document.querySelector("#hide summary").textContent === "Hidden: 1" &&
		!document.querySelector("#figure .cr.gone")`)
	tab.Press("o")
	until(t, tab, `document.querySelector("#figure[data-as=down] .gone")`)
	sound(t, tab)
}

// TestCauses: of an arrival the send and what its proc did before are direct causes, what they
// follow from is a cause, and what nothing follows from is none.
func TestCauses(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, made(30, 4, plain)) + "#step=6&causes=yes")
	until(t, tab, `document.querySelector(".row.cause")`)
	var direct, indirect []string
	tab.Eval(`[...document.querySelectorAll(".row.direct")].map(r => r.id.slice(5))`, &direct)
	tab.Eval(`[...document.querySelectorAll(".row.cause:not(.direct)")].map(r => r.id.slice(5))`,
		&indirect)
	// p2 sends in step 5 what p3 receives in step 6; p2 has received in step 4 what p1 sent in 3
	got := strings.Join(direct, " ") + "; " + strings.Join(indirect, " ")
	if got != "5 6; 1 2 3 4" {
		t.Errorf("causes of step 6: %s", got)
	}
	var marks string
	tab.Eval(`["direct", "cause:not(.direct)"].map(c => document.querySelectorAll(
		"#figure g[data-step]." + c).length > 0).join(" ")`, &marks)
	if marks != "true true" {
		t.Errorf("marks of direct and indirect causes: %s", marks)
	}
	sound(t, tab)
}

// pieces are what hostile texts are made of.
var pieces = []string{"</script>", "<script>pwned=1</script>", "<img src=x onerror=pwned=1>",
	"<!--", "-->", "]]>", "</style>", "</svg>", "</title>", "</textarea>", "<svg onload=pwned=1>",
	`"`, "'", "`", "<", ">", "&lt;", "&#60;", "&", "${pwned=1}", `\`, "\x00", "\u2028", "{{.}}",
	"=1 onfocus=1 ", "javascript:pwned=1", "<b class=pwned>", "<template>", "<base href=//x>",
	"\r\n", "\xff", "𝕏", "<iframe srcdoc='<script>parent.pwned=1</script>'>",
	`</text><foreignObject><b class="pwned">`}

// TestHostile gives every text of a run hostile contents, looks at everything in the page, and
// finds no element that the same page with harmless texts has not, and that no script has run.
func TestHostile(t *testing.T) {
	tab := browser.Find(t)
	look := func(p *page.Page) string {
		tab.Open("about:blank")
		tab.Open(saved(t, p) + "#step=3&causes=yes")
		until(t, tab, `document.querySelector("#panel .changed")`)
		tab.Press("j", "o", "p")
		until(t, tab, `document.querySelector("#figure[data-as=down] .cursor")`)
		tab.Eval(`(() => { for (const d of document.querySelectorAll("details")) d.open = true;
			const e = document.querySelector("#watch"); e.value = "p0.protocol";
			e.dispatchEvent(new Event("change"));
			const f = document.querySelector("#filter"); f.value = "1";
			f.dispatchEvent(new Event("input")); })()`, nil)
		until(t, tab, `document.querySelectorAll("#hide legend").length === 2 &&
			document.querySelector("#found").textContent &&
			document.querySelectorAll("td.watch").length >= 12`)
		var answer string
		tab.Eval(`(() => {
			const bad = document.querySelectorAll(".pwned, img, iframe, foreignObject, base, object");
			const on = [...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a =>
				a.name.startsWith("on") || /^javascript:/i.test(a.value))).length;
			const n = {"in switches": [...new Set([...document.querySelectorAll("#hide *")].map(e =>
				e.localName))].join(" ")};
			for (const e of document.querySelectorAll("body *"))
				if (!e.closest("svg, .legend, .why, .e div, #panel, #hide")) n[e.localName] = (n[e.localName] || 0) + 1;
			return [window.pwned, bad.length, on, JSON.stringify(n)].join(" ");
		})()`, &answer)
		return answer
	}
	want := look(made(12, 3, plain))
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 6
	for range rounds {
		p := made(12, 3, func(text string) string {
			if text == "p0" {
				return text // it is watched
			}
			var b strings.Builder
			for range 1 + random.IntN(3) {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
			return b.String()
		})
		if got := look(p); got != want {
			t.Errorf("hostile texts change the page:\n%s\n%s", got, want)
		}
	}
	for _, e := range tab.Seen().Errors {
		t.Errorf("went wrong: %s", e)
	}
}

// TestLongInBrowser opens a run of 10,000 steps and 64 procs and jumps about in it: each step comes
// into view with its state and its place in the figure, and what has left the view goes, so that
// the page stays small.
func TestLongInBrowser(t *testing.T) {
	tab := browser.Find(t)
	p := made(10_000, 64, plain)
	p.Repaired, p.Free = nil, nil
	tab.Open(saved(t, p) + "#step=5000")
	random := rand.New(rand.NewPCG(3, 4))
	jumps := 15
	if effort.Long() {
		jumps = 70 // Chromium hears of 200 changes of the address in ten seconds, two for each jump
	}
	for range jumps {
		step := 1 + random.IntN(10_000)
		tab.Eval(fmt.Sprintf("location.hash = '#step=%d'", step), nil)
		until(t, tab, fmt.Sprintf(`(() => {
			const r = document.getElementById("step=%d")?.getBoundingClientRect();
			return r && r.top >= 0 && r.bottom <= innerHeight + 1 &&
				document.querySelector(".row.now")?.id === "step=%[1]d" &&
				document.querySelector("#panel h3")?.textContent.includes(" %[1]d") &&
				document.querySelector("#figure .cursor");
		})()`, step))
	}
	var paint, jump float64
	tab.Eval(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`, &paint)
	tab.Eval(`(async () => {
		const times = [];
		for (let i = 0; i < 15; i++) {
			const step = 1 + (i * 7919 + 333) % 10000, from = performance.now();
			location.hash = "#step=" + step;
			while (document.querySelector("#panel h3").textContent !== "State behind step " + step) {
				if (performance.now() - from > 4000) throw new Error("never at step " + step);
				await new Promise(r => setTimeout(r));
			}
			times.push(performance.now() - from);
		}
		return times.sort((a, b) => a - b)[7];
	})()`, &jump)
	t.Logf("first paint after %.0f ms, jumps of %.0f ms in the median", paint, jump)
	tab.Press("j", "j", "J", "n", "v")
	until(t, tab, `location.hash.includes("step=10000") &&
		document.querySelector("#figure [data-step='10000']")`)
	var nodes int
	tab.Eval(`document.querySelectorAll("*").length`, &nodes)
	if nodes >= 20_000 {
		t.Errorf("after %d jumps the page has %d elements, want fewer than 20,000", jumps, nodes)
	}
	sound(t, tab)
	tab.Media("print")
	var printed int
	tab.Eval(`[...document.querySelectorAll("#run .part svg")].filter(e =>
		e.getBoundingClientRect().height > 0).length`, &printed)
	if printed == 0 {
		t.Error("nothing of the figure is printed")
	}
}

// TestHeldKey holds down a key for 300 steps: the address ends where the reader does, though a
// browser refuses to be told of each.
func TestHeldKey(t *testing.T) {
	tab := browser.Find(t)
	p := made(400, 3, plain)
	p.Repaired, p.Free = nil, nil
	tab.Open(saved(t, p) + "#step=1")
	until(t, tab, `document.querySelector(".row.now")`)
	tab.Eval(`(async () => {
		for (let i = 0; i < 300; i++) {
			document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "j", bubbles: true}));
			await new Promise(r => setTimeout(r, 5));
		}
	})()`, nil)
	until(t, tab, `document.querySelector(".row.now")?.id === "step=301" &&
		location.hash.includes("step=301&")`)
	sound(t, tab)
}

// TestCursor: the place that is shown in the figure is that of the chosen step, in a figure of one
// piece and in one of bands.
func TestCursor(t *testing.T) {
	tab := browser.Find(t)
	for _, steps := range []int{30, 1000} {
		tab.Open("about:blank")
		tab.Open(saved(t, made(steps, 4, plain)))
		for _, step := range []int{3, steps/2 + 4, steps - 1} {
			tab.Eval(fmt.Sprintf(`location.hash = "#step=%d"`, step), nil)
			until(t, tab, fmt.Sprintf(`(() => {
				const cursor = document.querySelector("#figure .cursor")?.getBoundingClientRect();
				const sign = document.querySelector("#figure .s[data-step='%d']");
				const at = sign?.getBoundingClientRect(), down = document.querySelector(".down");
				return cursor && at && (down ?
					cursor.top <= at.top && at.bottom <= cursor.bottom && cursor.height < 60 :
					cursor.left <= at.left && at.right <= cursor.right && cursor.width < 120);
			})()`, step))
		}
	}
}

// TestLongBeside: of a long run to compare with there is on the screen what is near its marks, and
// nothing that is left empty.
func TestLongBeside(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, made(500, 3, plain)))
	for _, part := range []string{"#repaired", "#free"} {
		var seen, empty int
		tab.Eval(fmt.Sprintf(`[...document.querySelectorAll("%s .part svg")].filter(e =>
			e.getBoundingClientRect().height > 500).length`, part), &seen)
		tab.Eval(fmt.Sprintf(`document.querySelectorAll("%s :is(.band, .scroll)").length`, part),
			&empty)
		if seen == 0 || empty > 0 {
			t.Errorf("in %s are %d parts of the figure, %d are empty", part, seen, empty)
		}
	}
	sound(t, tab)
}

// TestLanes: the names of lanes that run downwards stay above them however the figure is scrolled.
func TestLanes(t *testing.T) {
	tab := browser.Find(t)
	for _, steps := range []int{100, 1000} { // in one piece, in bands
		p := made(steps, 40, plain)
		p.Repaired, p.Free = nil, nil
		tab.Open("about:blank")
		tab.Open(saved(t, p))
		until(t, tab, `document.querySelector("#figure[data-as=down] .lanes")`)
		var off [2]float64
		tab.Eval(`new Promise(r => {
			const box = document.querySelector("#figure .scroll");
			box.scrollTo(300, 700);
			setTimeout(() => {
				const names = box.querySelector(".lanes svg").getBoundingClientRect();
				const lanes = box.querySelector(".band, .scroll > svg").getBoundingClientRect();
				r([names.left - lanes.left, names.top - box.getBoundingClientRect().top]);
			}, 50);
		})`, &off)
		if off[0] != 0 || off[1] != 0 {
			t.Errorf("%d steps: names are %.1f beside their lanes, and %.1f below the top", steps,
				off[0], off[1])
		}
	}
}

// TestTab goes through the page by the tabulator: every control has its turn, and of the steps the
// chosen one.
func TestTab(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, made(12, 3, plain)) + "#step=4")
	until(t, tab, `document.querySelector("#panel .changed")`)
	var controls, reached int
	tab.Eval(`(() => {
		document.activeElement.blur();
		window.controls = new Set([...document.querySelectorAll(
			"a[href], button, input, summary")].filter(e => e.tabIndex >= 0 &&
			e.getClientRects().length > 0));
		window.reached = new Set();
		addEventListener("focusin", e => reached.add(e.target));
		return controls.size;
	})()`, &controls)
	for range controls + 3 {
		tab.Press("Tab")
	}
	tab.Eval("[...controls].filter(e => reached.has(e)).length", &reached)
	var row bool
	tab.Eval(`reached.has(document.querySelector(".row.now a"))`, &row)
	if controls < 15 || reached != controls || !row {
		t.Errorf("Tab reaches %d of %d controls; the chosen step: %t", reached, controls, row)
	}
}
