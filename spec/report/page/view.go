package page

import (
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/report/look"
	"github.com/domino-check/domino/spec/trace"
)

// view is what the template is filled with.
type view struct {
	*Page
	CSS, JS   template.HTML // the elements
	Title     string        // of the window
	Badge     string        // the verdict in two words
	Head      string        // the one large sentence
	HeadStep  int           // the step that it is about, 0 = none
	Property  *spec.Property
	Also      []spec.Violation
	Command   string
	Blocks    []block
	Steps     int
	Excerpt   template.HTML // rows of a long run, for print
	HasStates bool
	HasCounts bool // numbers of alternatives
	Figure    figures
	// of the runs to compare with
	SecondFigure, FreeFigure template.HTML
	Differ                   int
	Config                   template.JS
	Packed                   []packed
	explained                map[string]bool              // signs, by their keys in the legend
	zip                      *gzip.Writer                 // it takes much room, so there is one
	fewer                    bool                         // states around marks only
	span                     int                          // steps of a chunk of states
	kept                     map[int]bool                 // chunks of states; nil = all
	parts                    map[[sha256.Size]byte]string // where a text is packed
	bands                    [][]string                   // of long figures, by place and show
}

// packed is a text that the page unpacks when it is wanted.
type packed struct {
	ID   string
	Text template.HTML // gzip, base64
}

// prepare makes all that the page shows.
func prepare(p *Page, fewer bool) (*view, error) {
	run := p.Model.Run
	v := &view{Page: p, Badge: cmp.Or(p.Badge, p.Verdict.String()), Property: run.Property,
		Command: run.Command,
		CSS:     look.Style(figure.CSS(), nil, asset("page.css")),
		JS:      look.Open(asset("js/load.js")),
		Also:    run.Also, Head: p.Answer, HasStates: p.States != nil,
		HasCounts: p.Alternatives != nil, parts: map[[sha256.Size]byte]string{},
		explained: map[string]bool{}}
	if run.Violation != nil {
		v.Badge, v.Head, v.HeadStep = spec.Violated.String(), sentence(run.Violation.Message),
			run.Violation.Step
		if v.Property == nil {
			v.Property = &spec.Property{Name: run.Violation.Property}
		}
	}
	v.Head = cmp.Or(v.Head, "This run breaks no property.")
	v.pack("style", []byte(look.Small(asset("live.css"))))
	v.pack("script", []byte(look.Program(scripts()...)))
	v.Title = strings.Join(words(p.Name, v.Badge, "domino"), " · ")
	v.Steps = LastStep(v.Model.Run)
	steps := v.steps()
	if err := v.packIndex(steps); err != nil {
		return nil, err
	}
	v.fewer = p.States != nil && (fewer || v.Steps > mostSteps)
	if err := v.packStates(steps); err != nil {
		return nil, err
	}
	if len(p.Data) > 0 {
		v.pack("data", p.Data)
	}
	if err := v.block(steps); err != nil {
		return nil, err
	}
	if err := v.draw(); err != nil {
		return nil, err
	}
	v.Differ = v.differ()
	return v, v.configure(steps)
}

// words are those that are not empty.
func words(list ...string) []string {
	return slices.DeleteFunc(list, func(w string) bool { return w == "" })
}

// sentence begins a text with a capital, unless it begins with the name of something, and ends it
// with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// configure writes what the script must know at once.
func (v *view) configure(steps []*step) error {
	names := []string{}
	for _, l := range v.Model.Lanes {
		names = append(names, l.Name)
	}
	marks := []int{}
	for _, s := range steps {
		if s.Mark || s.Bad || s.Differs {
			marks = append(marks, s.Number)
		}
	}
	b, err := json.Marshal(struct { // encoding/json escapes what could end a script
		Steps  int      `json:"steps"`
		Chunk  int      `json:"chunk"` // of rows
		Span   int      `json:"span"`  // of states
		Procs  []string `json:"procs"`
		Marks  []int    `json:"marks"`
		Bad    int      `json:"bad"`
		Differ int      `json:"differ"`
		States bool     `json:"states"`
		Kept   []int    `json:"kept"` // chunks of states; null = all
	}{v.Steps, chunk, v.span, names, marks, v.HeadStep, v.differ(), v.HasStates,
		slices.Sorted(maps.Keys(v.kept))})
	v.Config = template.JS(b)
	return err
}

// differ is the first step that the second run does otherwise, 0 if there is none.
func (v *view) differ() int {
	b := v.Second()
	if b == nil || b.Same < 0 || b.Same >= v.Steps {
		return 0
	}
	return b.Same + 1
}

// from is what the run differs from.
func (v *view) from() string {
	if v.Other != nil {
		return v.Other.Name
	}
	return "the repaired protocol"
}

// isMark reports whether a reader jumps to events of the kind.
func isMark(k trace.Kind) bool {
	switch k {
	case trace.Crashed, trace.Restored, trace.Resumed, trace.Adopted, trace.Halted:
		return true
	}
	return false
}

// packIndex packs what the script must know of every step and every event: whose it is, what it
// says, what caused it.
func (v *view) packIndex(steps []*step) error {
	index := struct {
		Procs  [][]trace.Proc `json:"procs"` // by step
		Text   []string       `json:"text"`
		StepOf []int          `json:"stepOf"` // by event
		ProcOf []trace.Proc   `json:"procOf"`
		LifeOf []uint32       `json:"lifeOf"` // incarnations
		Causes [][]int        `json:"causes"`
		// that explain less of a restart than what it restores
		Crashes []int    `json:"crashes"`
		Kinds   []string `json:"kinds"`  // of messages
		KindOf  []int    `json:"kindOf"` // by event, an index into Kinds; -1 for none
		Judged  []Judged `json:"judged"`
	}{Causes: v.Model.Causes, Judged: v.Properties}
	for _, s := range steps {
		index.Procs, index.Text = append(index.Procs, s.procs), append(index.Text, s.Event)
	}
	for i := range v.Model.Events {
		e := &v.Model.Events[i]
		index.StepOf, index.ProcOf = append(index.StepOf, e.Step), append(index.ProcOf, e.Proc)
		life := uint32(e.Incarnation)
		if e.Life != report.Never {
			life = uint32(v.Model.Lives[e.Life].Incarnation)
		}
		index.LifeOf = append(index.LifeOf, life)
		if e.Kind == trace.Crashed {
			index.Crashes = append(index.Crashes, i)
		}
		kind := -1
		if e.Message != report.Never {
			name := v.Model.Messages[e.Message].Kind
			if kind = slices.Index(index.Kinds, name); kind < 0 {
				kind, index.Kinds = len(index.Kinds), append(index.Kinds, name)
			}
		}
		index.KindOf = append(index.KindOf, kind)
	}
	return v.packJSON("index", index)
}

// Fewer reports whether states are there around marks only.
func (v *view) Fewer() bool { return v.kept != nil }

// StepOf is the step of an event, 0 for none.
func (v *view) StepOf(event int) int {
	if event < 0 || event >= len(v.Model.Events) {
		return 0
	}
	return v.Model.Events[event].Step
}
