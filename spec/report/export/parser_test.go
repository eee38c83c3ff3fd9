package export_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/spec/report/browser"
	"github.com/domino-check/domino/spec/report/export"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// TestMermaidParser has Mermaid itself read the diagrams, in a browser, which it needs: they are
// sequence diagrams to it, and one that is spoiled is not. Mermaid is the file that the variable
// DOMINO_MERMAID names, which .ci/run sets.
func TestMermaidParser(t *testing.T) {
	library := os.Getenv("DOMINO_MERMAID")
	if library == "" {
		t.Skip("DOMINO_MERMAID names no mermaid.min.js: diagrams are not read by Mermaid")
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, fmt.Appendf(nil, "<!doctype html><script src=%q></script>",
		"file://"+library), 0o644); err != nil {
		t.Fatal(err)
	}
	tab := browser.Find(t)
	tab.Open("file://" + page)
	parse := func(text string) (answer string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		tab.Eval("mermaid.parse("+string(quoted)+").then(r => r.diagramType, e => String(e))",
			&answer)
		return answer
	}
	for name, m := range found(t) {
		if got := parse(written(t, export.Mermaid, m)); got != "sequence" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := parse("sequenceDiagram\n  p0->>p1 x\n"); got == "sequence" {
		t.Error("Mermaid reads an arrow without a colon")
	}
}
