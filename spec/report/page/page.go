// Package page writes one run as one HTML file that needs nothing else: no network, no server, and
// for reading not even JavaScript. It has the verdict in words, why, the figure, what the repaired
// protocol does under the same schedule, the run without failures, the steps with what each
// changes, every local state, and the run as data.
//
// Everything is drawn here, once; the browser shows, hides and highlights. What a reader wants only
// now and then (other views of the figure, states) is compressed in the file and unpacked in the
// page when it is looked at, and so are figures and steps that are too long to be there at once.
//
// A label, a name or a text of a run may be anything, "</script>" included: html/template escapes
// what goes into the page, and the scripts make text of what they read, never elements.
package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// Page is a run with what is known about it. Everything but the Model may be absent.
type Page struct {
	Model    *report.Model
	Name     string // of the scenario or the file
	Protocol string
	Variant  string
	Verdict  spec.Verdict
	Badge    string // the verdict in two words, "" = Verdict
	Answer   string // the verdict in one sentence, where no violation says it
	Quote    string // what the paper prints
	Place    string // where it does
	Switched string // what the protocol does because of it
	Repair   string // what the repaired protocol does
	Scope    []string

	States       *States    // nil: not recorded
	Properties   []Judged   // nil: nobody has asked
	Alternatives [][]string // by step: what could have happened, itself included; nil: not recorded

	Repaired *Beside
	Other    *Beside // any other run, in the place of the repaired one
	Free     *Beside // without failures
	Small    *Small

	Up     []Link   // to pages of the site that this one is part of
	Papers []string // what the keys in brackets stand for

	Version string
	Source  string // text of the scenario
	Data    []byte // the run as JSON, to be saved from the page
}

// Link leads to another page.
type Link struct{ Name, To string }

// Beside is another run to compare with.
type Beside struct {
	Name  string // of an Other
	Model *report.Model
	Same  int    // steps at the beginning in which both agree; -1 = not compared
	Words string // what it is and how it ends, in a sentence
	Ranks []Alignment
}

// Alignment compares what one rank does in the run with what it does without failures.
type Alignment struct {
	Rank  string
	Items []Aligned
	// how its program ends, "" where it does not
	End, FreeEnd string
}

// Aligned is one send or delivery.
type Aligned struct {
	Text string
	Sort Sort
}

// Sort says where something is there.
type Sort string

// The sorts.
const (
	Equal   Sort = "equal"
	Missing Sort = "missing" // the run without failures has it, the run has not
	Extra   Sort = "extra"   // the other way round
	Other   Sort = "other"   // both have it, with another payload
	Later   Sort = "later"   // the run ends before it
)

// Small says why no smaller scenario shows the same.
type Small struct {
	Words  []string
	Trials []Trial
}

// Trial is one change that was tried.
type Trial struct {
	Left    string // what was left out
	Outcome string // what came of it
}

//go:embed asset/* asset/js/*
var assets embed.FS

// ErrNoRun is returned when there is nothing to show.
var ErrNoRun = errors.New("page: no run")

// Write writes the page. Equal pages are equal bytes.
func Write(w io.Writer, p *Page) error {
	if p == nil || p.Model == nil {
		return ErrNoRun
	}
	b, fewer, err := written(p, false)
	if err == nil && len(b) > mostBytes && !fewer && p.States != nil {
		b, _, err = written(p, true)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// written is the page, with fewer states if that is wanted or the run is long.
func written(p *Page, fewer bool) ([]byte, bool, error) {
	v, err := prepare(p, fewer)
	if err != nil {
		return nil, false, err
	}
	t, err := template.ParseFS(assets, "asset/page.html", "asset/parts.html")
	if err != nil {
		return nil, false, fmt.Errorf("page: %w", err) // a template of ours, which tests read
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "page.html", v); err != nil {
		return nil, false, fmt.Errorf("page: %w", err)
	}
	return b.Bytes(), v.fewer, nil
}

// asset is the text of an embedded file.
func asset(name string) string {
	b, err := assets.ReadFile("asset/" + name)
	if err != nil {
		panic(err) // it is embedded, and tested
	}
	return string(b)
}

// concerns are the scripts, a file each, in the order in which they need each other. They are
// packed; load.js unpacks them.
var concerns = []string{"base", "rows", "states", "tree", "panel",
	"watch", "filter", "causes", "steps", "figure", "hide", "address", "keys", "start"}

// scripts are the texts of all concerns.
func scripts() (list []string) {
	for _, name := range concerns {
		list = append(list, asset("js/"+name+".js"))
	}
	return list
}
