package page_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/browser"
	"github.com/domino-check/domino/spec/report/page"
)

// chunksOf are the chunks of states that a page has.
func chunksOf(p []byte) (list []string) {
	for _, m := range regexp.MustCompile(`id="z-states-(\d+)"`).FindAllSubmatch(p, -1) {
		list = append(list, string(m[1]))
	}
	return list
}

// heavy is a run with states that can not be compressed: about 14 million bytes of them.
func heavy() *page.Page {
	random := rand.New(rand.NewPCG(1, 2))
	p := made(700, 3, func(text string) string {
		if text != "entry" {
			return text
		}
		b := make([]byte, 0, 20_000)
		for range 1250 {
			b = fmt.Appendf(b, "%016x", random.Uint64())
		}
		return string(b)
	})
	for i := range p.Model.Run.Steps { // what is compressed beside them is not the matter here
		p.Model.Run.Steps[i].Diff = nil
	}
	return p
}

// TestFewer: a page of a run of more than 20,000 steps, or one that would have more than 8 million
// bytes, has states around marks only, and says so; another one has all.
func TestFewer(t *testing.T) {
	const note = "states are there around the violation"
	all := written(t, made(1000, 3, plain))
	if got := strings.Join(chunksOf(all), " "); got != "0 1 2 3" ||
		strings.Contains(string(all), note) {
		t.Errorf("of 1,000 steps there are the states %s", got)
	}
	if !effort.Long() {
		t.Log("heavy states, and 20,000 steps: " + effort.More)
		return
	}
	large := written(t, heavy())
	if len(large) > 8_000_000 || len(chunksOf(large)) < 3 ||
		!strings.Contains(string(large), note) {
		t.Errorf("heavy states: %d bytes with the states %v", len(large), chunksOf(large))
	}
	p := made(20_001, 2, plain)
	p.Repaired, p.Free = nil, nil
	long := written(t, p)
	// crash and restart in steps 10,001 and 10,002, the violation in the last one
	if got := strings.Join(chunksOf(long), " "); got != "155 156 312" ||
		!strings.Contains(string(long), note) {
		t.Errorf("of 20,001 steps there are the states %s", got)
	}
}

// TestFewerInBrowser goes to a step whose state is not kept, and on to a mark.
func TestFewerInBrowser(t *testing.T) {
	tab := browser.Find(t)
	tab.Open(saved(t, heavy()) + "#step=150")
	until(t, tab, `document.querySelector("#panel")?.textContent.includes("It is not kept")`)
	tab.Press("n")
	until(t, tab, `document.querySelector("#panel h3").textContent === "State behind step 351" &&
		document.querySelector("#panel details")`)
	sound(t, tab)
}
