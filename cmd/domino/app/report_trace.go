package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// runFile is the run in the folder of a run as processes.
const runFile = "run.json"

// recorded finds the file of a run that is written down as JSON: the one that is named, or that of
// a folder. It is "" for what is something else.
func recorded(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", nil // it may be the name of a scenario
	}
	if info.IsDir() {
		file := filepath.Join(name, runFile)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the folder %s has no %s, which run --dir and cluster run --dir "+
				"write", name, runFile)
		}
		return file, nil
	}
	if !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was read only
	for r := bufio.NewReader(f); ; {
		switch c, err := r.ReadByte(); {
		case err != nil:
			return "", nil // nothing but space: no JSON
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == '{':
			return name, nil
		default:
			return "", nil
		}
	}
}

// readRecorded makes a page of a run that is written down: it has no states, and no schedule but
// where there was one.
func readRecorded(ctx context.Context, name string) (*page.Page, error) {
	return heard(ctx, func() (*page.Page, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // it was read only
		run, err := report.Read(bufio.NewReader(f))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p := &page.Page{Model: report.Understand(run), Name: recordedName(name), Badge: cleanRun,
			Version: thisBuild().String()}
		if run.Violation != nil {
			p.Verdict, p.Badge = spec.Violated, ""
		}
		return p, addData(p)
	})
}

// recordedName is what a run is called by its file: that of the folder, where that has it.
func recordedName(file string) string {
	if full, err := filepath.Abs(file); err == nil && filepath.Base(full) == runFile {
		return filepath.Base(filepath.Dir(full))
	}
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// cleanRun is what can be said of one run that breaks nothing: no verdict.
const cleanRun = "clean run"

// story is the run for a reader, as far as it was seen from outside.
func (r *clusterRan) story(dir string) *report.Run {
	run := &report.Run{Title: r.scenario.Name + " (" + r.scenario.Protocol + ", " +
		r.scenario.Variant + "), a run as processes", Trace: r.result.Trace,
		Violation: r.violation}
	if v := r.violation; v != nil {
		for _, p := range append(spec.Properties(), r.resolved.Properties...) {
			if p.Name == v.Property {
				run.Property = &p
			}
		}
	}
	return told(run, "domino cluster run --plan "+filepath.Join(dir, planFile))
}

// record writes the run into its folder, for domino report and domino plan; nil is none.
func (r *clusterRan) record(dir string) error {
	if r == nil {
		return nil
	}
	b, err := evidence(r.story(dir))
	if err != nil {
		return err
	}
	return errors.Join(wholefile.Write(filepath.Join(dir, runFile), b), r.recordTraffic(dir))
}
