package site

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec"
)

// Errata is the kind of the site of a catalogue of errata.
const Errata = "errata"

// Protocols is the folder of pages of protocols.
const Protocols = "protocols"

// Catalogue is what is known of errata.
type Catalogue struct {
	Head
	Asked   int // runs that were to be looked for
	Done    int
	Classes map[string]string // what the classes mean
	Pages   map[string]string // of protocols, as Folder.Page has named them
	Papers  func(texts ...string) []Paper
	Errata  []*Erratum // those of one protocol behind each other
	Failed  []string   // pages and figures that could not be made, and why
}

// Erratum is one, with the runs that show it.
type Erratum struct {
	Protocol string     `json:"protocol"`
	About    string     `json:"-"` // what the protocol is
	ID       string     `json:"id"`
	Place    string     `json:"place"`
	Class    string     `json:"class,omitempty"`
	Quote    string     `json:"quote,omitempty"`
	Switched string     `json:"switched"`
	Other    string     `json:"otherReading,omitempty"`
	Repaired string     `json:"repaired"`
	Shown    string     `json:"shown,omitempty"` // why no run shows it
	Runs     []*Witness `json:"runs,omitempty"`
}

// Witness is a run that shows an erratum, and what the repaired protocol does at the same scope.
type Witness struct {
	Scenario  string       `json:"scenario"`
	Title     string       `json:"title,omitempty"`
	Confirmed bool         `json:"confirmed"`
	Verdict   spec.Verdict `json:"verdict"`
	Why       string       `json:"why,omitempty"` // it is not confirmed
	Property  string       `json:"property,omitempty"`
	Doc       string       `json:"-"` // what the property says
	Message   string       `json:"message,omitempty"`
	Steps     int          `json:"steps,omitempty"`
	States    int          `json:"states"`
	Within    string       `json:"bounds"`
	Page      string       `json:"page,omitempty"` // of the whole run
	Repaired  Calm         `json:"repaired"`
	Source    string       `json:"-"` // text of the scenario
	Command   string       `json:"command"`
	// the figure and its legend, empty when it could not be drawn
	Figure template.HTML `json:"-"`
	Legend []Sign        `json:"-"`
}

// Calm is what a search of the repaired protocol says.
type Calm struct {
	Verdict  spec.Verdict `json:"verdict"`
	Expected bool         `json:"asExpected"`
	Why      string       `json:"why,omitempty"`
	Within   string       `json:"bounds"`
	States   int          `json:"states"`
}

// Sign is an entry of a legend.
type Sign struct {
	SVG   template.HTML
	Words string
}

// Smallest is the run to be shown, nil for none.
func (e *Erratum) Smallest() *Witness {
	if len(e.Runs) == 0 {
		return nil
	}
	return e.Runs[0]
}

// Also are the other runs.
func (e *Erratum) Also() []*Witness {
	if len(e.Runs) < 2 {
		return nil
	}
	return e.Runs[1:]
}

// Open reports whether a run should show it and does not.
func (e *Erratum) Open() bool {
	return slices.ContainsFunc(e.Runs, func(w *Witness) bool { return !w.Confirmed })
}

// Group are the errata of one protocol.
type Group struct {
	Protocol string
	About    string
	Page     string
	Errata   []*Erratum
	Classes  map[string]string
	Papers   []Paper // that are cited
}

// matrixRow is an erratum in the matrix.
type matrixRow struct {
	*Erratum
	Cells []*Witness // by property, nil for none
}

// matrixGroup is a protocol in the matrix.
type matrixGroup struct {
	Group
	Rows []matrixRow
}

// matrixView is what the template of the matrix is filled with.
type matrixView struct {
	*Catalogue
	Properties []property
	Groups     []matrixGroup
	Shown      int
	Classed    []classed
}

// property is a column of the matrix.
type property struct {
	Name, Doc string
	Count     int
}

// classed is a class with how many errata it has.
type classed struct {
	Name, Doc string
	Count     int
}

// WriteCatalogue writes a page for each protocol, then the index with the matrix. The pages of runs
// are there.
func (f *Folder) WriteCatalogue(c *Catalogue) error {
	groups := c.groups(f)
	for i := range groups {
		g := &groups[i]
		g.Papers = c.cited(g)
		page, err := render("errata.html", g, shell{Head: Head{Command: c.Command,
			Version: c.Version}, Title: g.Protocol, Heading: "Errata of " + g.Protocol,
			Up: &Link{"errata", "../" + indexName}})
		if err == nil {
			err = f.Write(g.Page, page)
		}
		if err != nil {
			return err
		}
	}
	v := c.matrix(groups)
	index, err := render("matrix.html", v, shell{Head: c.Head, Title: "errata",
		Heading: v.heading(), Links: []Link{{"The same as data", dataName}}})
	if err != nil {
		return err
	}
	return f.finish(errataData{stamp{schemaOf(Errata), c.Version, c.Done < c.Asked}, c.Errata},
		index, Protocols, Runs)
}

// errataData is what data.json says of a catalogue.
type errataData struct {
	stamp
	Errata []*Erratum `json:"errata"`
}

// groups are the protocols, each with a page; of each erratum the smallest run comes first.
func (c *Catalogue) groups(f *Folder) (list []Group) {
	for _, e := range c.Errata {
		slices.SortStableFunc(e.Runs, func(a, b *Witness) int {
			if a.Steps == 0 || b.Steps == 0 { // those without a run behind all
				return cmp.Compare(b.Steps, a.Steps)
			}
			return cmp.Compare(a.Steps, b.Steps)
		})
		if n := len(list); n == 0 || list[n-1].Protocol != e.Protocol {
			page, ok := c.Pages[e.Protocol]
			if !ok {
				page = f.Page(Protocols, e.Protocol)
			}
			list = append(list, Group{Protocol: e.Protocol, About: e.About, Page: page,
				Classes: c.Classes})
		}
		g := &list[len(list)-1]
		g.Errata = append(g.Errata, e)
	}
	return list
}

// matrix computes errata by properties, those that most errata break first.
func (c *Catalogue) matrix(groups []Group) *matrixView {
	v := &matrixView{Catalogue: c}
	classes := map[string]int{}
	for _, e := range c.Errata {
		classes[e.Class]++
		if len(e.Runs) > 0 && e.Runs[0].Property != "" {
			v.Shown++
		}
		var mine []string
		for _, w := range e.Runs {
			if w.Property == "" || slices.Contains(mine, w.Property) {
				continue
			}
			mine = append(mine, w.Property)
			i := slices.IndexFunc(v.Properties, func(p property) bool {
				return p.Name == w.Property
			})
			if i < 0 {
				i = len(v.Properties)
				v.Properties = append(v.Properties, property{Name: w.Property, Doc: w.Doc})
			}
			v.Properties[i].Count++
		}
	}
	slices.SortFunc(v.Properties, func(a, b property) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	for _, g := range groups {
		m := matrixGroup{Group: g}
		for _, e := range g.Errata {
			row := matrixRow{e, make([]*Witness, len(v.Properties))}
			for i, p := range v.Properties {
				at := slices.IndexFunc(e.Runs, func(w *Witness) bool {
					return w.Property == p.Name
				})
				if at >= 0 {
					row.Cells[i] = e.Runs[at]
				}
			}
			m.Rows = append(m.Rows, row)
		}
		v.Groups = append(v.Groups, m)
	}
	for name, n := range classes {
		if name != "" {
			v.Classed = append(v.Classed, classed{name, c.Classes[name], n})
		}
	}
	slices.SortFunc(v.Classed, func(a, b classed) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return v
}

// heading says in a sentence what there is.
func (v *matrixView) heading() string {
	if len(v.Errata) == 0 {
		return "No errata."
	}
	what := plural(len(v.Errata), "way") + " to get " + v.Groups[0].Protocol + " wrong"
	if len(v.Groups) > 1 {
		what = fmt.Sprintf("%s to get %s wrong", plural(len(v.Errata), "way"),
			plural(len(v.Groups), "protocol"))
	}
	printed := 0
	for _, e := range v.Errata {
		if e.Class == "printed" {
			printed++
		}
	}
	if printed > 0 {
		what += fmt.Sprintf(", %d of them in print", printed)
	}
	return what + "."
}

// cited are the papers that the page of a protocol cites.
func (c *Catalogue) cited(g *Group) []Paper {
	if c.Papers == nil {
		return nil
	}
	texts := []string{g.About}
	for _, e := range g.Errata {
		texts = append(texts, e.Place, e.Other, e.Shown)
	}
	return c.Papers(texts...)
}

// Cite is a text in which each key of a paper leads to the paper.
func (g *Group) Cite(text string) template.HTML {
	text = template.HTMLEscapeString(text)
	for _, p := range g.Papers {
		key := "[" + template.HTMLEscapeString(p.Key) + "]"
		text = strings.ReplaceAll(text, key, `<a href="#`+p.ID()+`">`+key+`</a>`)
	}
	return template.HTML(text) // escaped above
}

// Paper is what a key in brackets stands for.
type Paper struct{ Key, Title string }

// ID is the name of its element.
func (p Paper) ID() string { return "paper-" + template.URLQueryEscaper(p.Key) }

// Doc says what the class of an erratum means.
func (g *Group) Doc(class string) string { return g.Classes[class] }
