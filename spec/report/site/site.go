// Package site writes small sites of plain HTML: the answers to a suite of scenarios, the catalogue
// of errata, what kills which mutant, measurements. They are files that open from a disk, without a
// network or a server, and that can be read without JavaScript, which sorts and filters tables. The
// same input makes the same bytes: nothing is dated but by a label that the caller gives.
//
// Whatever a scenario or a protocol is called is escaped by html/template. A Folder is written so
// that no file is ever half there, and takes no folder that has something else in it.
package site

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/report/look"
)

// Head is what every page of a site says of itself.
type Head struct {
	Command string // the subcommand that has made it
	Version string // of the tool
	// what the run is called, "" for none; figures that differ from run to run, as times, are shown
	// of runs with a label only
	Label   string
	Notices []string // what a reader must know first: that it was ended early, for instance
}

// Link leads to a file in the same folder.
type Link struct{ Name, To string }

// shell is a page with what stands around it.
type shell struct {
	Head
	Title, Heading string
	Up             *Link
	Links          []Link // to data
	CSS, JS        template.HTML
	Body           template.HTML
}

// heat are the grounds of numbers by their decades, the colours of the numbers on them, and what a
// chart that is drawn for light paper needs.
var heat = []look.Colour{
	{Name: "h0", Light: "#eef6ea", Dark: "#1b2623"}, {Name: "t0", Light: "#111", Dark: "#e8eaed"},
	{Name: "h1", Light: "#d3ecc9", Dark: "#1b3833"}, {Name: "t1", Light: "#111", Dark: "#e8eaed"},
	{Name: "h2", Light: "#a8dab5", Dark: "#1c4d48"}, {Name: "t2", Light: "#111", Dark: "#fff"},
	{Name: "h3", Light: "#6bbfb0", Dark: "#1d6662"}, {Name: "t3", Light: "#111", Dark: "#fff"},
	{Name: "h4", Light: "#3b92a8", Dark: "#3a93a0"}, {Name: "t4", Light: "#000", Dark: "#000"},
	{Name: "h5", Light: "#2b5f8f", Dark: "#79b7d8"}, {Name: "t5", Light: "#fff", Dark: "#000"},
	{Name: "h6", Light: "#2a2f63", Dark: "#cfe3ff"}, {Name: "t6", Light: "#fff", Dark: "#000"},
	{Name: "chart", Light: "none", Dark: "invert(.92) hue-rotate(180deg)"},
}

//go:embed asset/*
var assets embed.FS

// asset is the text of an embedded file.
func asset(name string) string {
	b, err := assets.ReadFile("asset/" + name)
	if err != nil {
		panic(err) // it is embedded, and tested
	}
	return strings.TrimSpace(string(b))
}

// words are the functions of the templates.
var words = template.FuncMap{"count": count, "seconds": seconds, "bytes": size, "number": number,
	"plural": plural}

// templates are all of them, parsed by who writes the first page: no process of a run does.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(words).ParseFS(assets, "asset/*.html"))
})

// render fills a template, then the shell around it.
func render(name string, data any, s shell) ([]byte, error) {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	s.Body = template.HTML(b.String()) // escaped by the template
	s.CSS = look.Style(figure.CSS(), heat, asset("site.css"))
	s.JS = look.Script(asset("site.js"))
	var page bytes.Buffer
	if err := templates().ExecuteTemplate(&page, "shell.html", s); err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	return page.Bytes(), nil
}

// encode is a value as JSON for people and programs; no number in it is one that a reader would
// round.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return report.Exact(b.Bytes()), err
}

// count writes a number with a thousands separator.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// seconds writes a time.
func seconds(s float64) string {
	switch {
	case s < 0.9995:
		return fmt.Sprintf("%.0f ms", s*1e3)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// size writes a number of bytes in units of 1024.
func size(n int64) string {
	x, unit := float64(n), 0
	for ; x >= 1024 && unit < 4; unit++ {
		x /= 1024
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + []string{" B", " KiB", " MiB", " GiB", " TiB"}[unit]
}

// number writes a measurement with three digits, or whole.
func number(x float64) string {
	if x >= 100 || x <= -100 {
		return count(int(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
