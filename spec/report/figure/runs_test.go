package figure_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
)

// catalogue is what replay files are resolved with.
var catalogue = sync.OnceValues(func() (*verify.Catalogue, error) {
	return verify.NewCatalogue(all.Protocols()...)
})

// stored is the model of a run that the checker has found and testdata/runs keeps as a replay file.
// When a protocol changes so that a file is stale, "domino errata --save DIR" writes a new one.
func stored(t testing.TB, name string) *report.Model {
	t.Helper()
	if models[name] == nil {
		models[name] = open(t, name)
	}
	return models[name]
}

// models are those of the runs that a test has asked for.
var models = map[string]*report.Model{}

func open(t testing.TB, name string) *report.Model {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	c, err := catalogue()
	must(err)
	s, err := scenarios.Load(filepath.Join("testdata", "runs", name+".txtar"))
	must(err)
	r, err := c.Resolve(s)
	must(err)
	r.Case.Cuts = true
	w, _, err := world.Open(t.Context(), r.Case, checker.Options{})
	must(err)
	if w.Relates(s.Breaks) {
		w.Attempt(nil, "")
	}
	run, err := w.Replay(s.Schedule)
	must(err)
	return report.Understand(verify.Story(s, w, run, run.Violation))
}

// names are the runs of testdata/runs.
func names(t testing.TB) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "runs", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for _, f := range files {
		list = append(list, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return list
}

// document is a figure that stands alone.
func document(t testing.TB, f *figure.Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Document(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
