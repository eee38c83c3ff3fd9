package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"slices"

	"github.com/domino-check/domino/spec/report"
)

// States are the local states of a run.
type States struct {
	Start []Local   // by proc, before the first step
	Steps [][]Local // by step: those that it changes
}

// A run that is longer, or a page that would be larger, has states around its marks only.
const (
	mostSteps  = 20_000
	mostBytes  = 8_000_000
	mostChunks = 64 // of states that are kept then, each of as many steps as one of rows
)

// span is how many steps a chunk of states has where all are kept. It begins with every state, so
// that many short ones would be long.
const span = 256

// around are the chunks of states to be kept around marks: those with the violation first, then
// with the first difference, then with the others, each with what comes before it.
func (v *view) around(steps []*step) map[int]bool {
	list := []int{v.HeadStep, v.differ()}
	for _, s := range steps {
		if s.Mark {
			list = append(list, s.Number)
		}
	}
	kept := map[int]bool{}
	for _, number := range append(list, v.Steps) {
		for _, n := range []int{number, number - chunk/2} {
			if n > 0 && len(kept) < mostChunks {
				kept[(n-1)/chunk] = true
			}
		}
	}
	return kept
}

// packStates packs the states in chunks: all of them, then what each step changes.
func (v *view) packStates(steps []*step) error {
	if v.States == nil {
		return nil
	}
	v.span = span
	if v.fewer {
		v.span, v.kept = chunk, v.around(steps)
	}
	now := slices.Clone(v.States.Start)
	for k := 0; k == 0 || k*v.span < len(v.States.Steps); k++ {
		first, last := k*v.span, min((k+1)*v.span, len(v.States.Steps))
		if v.kept == nil || v.kept[k] {
			if err := v.packChunk(k, now); err != nil {
				return err
			}
		}
		for i, changed := range v.States.Steps[first:last] {
			for _, l := range changed {
				if int(l.Proc) >= len(now) {
					return fmt.Errorf("step %d changes a state of proc %d of %d", first+i+1, l.Proc,
						len(now))
				}
				now[l.Proc] = l
			}
		}
	}
	return nil
}

// packChunk packs one chunk; before it the states are given.
func (v *view) packChunk(k int, before []Local) error {
	part := struct {
		All   []kept     `json:"all"`
		Steps [][]kept   `json:"steps"`
		Else  [][]string `json:"else"` // what could have happened
	}{[]kept{}, [][]kept{}, [][]string{}}
	for p := range before {
		part.All = append(part.All, before[p].kept())
	}
	for i := k * v.span; i < min((k+1)*v.span, len(v.States.Steps)); i++ {
		list := []kept{}
		for p := range v.States.Steps[i] {
			list = append(list, v.States.Steps[i][p].kept())
		}
		part.Steps = append(part.Steps, list)
		if i < len(v.Alternatives) {
			part.Else = append(part.Else, v.Alternatives[i])
		}
	}
	return v.packJSON(fmt.Sprintf("states-%d", k), part)
}

// readable is a document without numbers that JavaScript would round. What is no JSON is a text.
func readable(document json.RawMessage) json.RawMessage {
	switch {
	case len(document) == 0:
		return json.RawMessage("null")
	case json.Valid(document):
		return report.Exact(document)
	}
	b, err := json.Marshal(string(document))
	if err != nil {
		panic(err) // a text can be written
	}
	return b
}

// part packs a text and returns where it is. The same text again is at the same place.
func (v *view) part(text []byte) string {
	sum := sha256.Sum256(text)
	id, ok := v.parts[sum]
	if !ok {
		id = fmt.Sprintf("part-%d", len(v.parts))
		v.parts[sum] = id
		v.pack(id, text)
	}
	return id
}

// packJSON packs a value. What could end a script needs no escape in there, which would make it
// longer.
func (v *view) packJSON(id string, value any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	v.pack(id, bytes.TrimSpace(b.Bytes()))
	return nil
}

// pack adds a text that the page unpacks when it is wanted.
func (v *view) pack(id string, text []byte) {
	var b bytes.Buffer
	if v.zip == nil {
		v.zip, _ = gzip.NewWriterLevel(nil, gzip.BestCompression) // there is such a level
	}
	v.zip.Reset(&b)
	_, err := v.zip.Write(text)
	if err = errors.Join(err, v.zip.Close()); err != nil {
		panic(err) // nothing of memory fails
	}
	v.Packed = append(v.Packed, packed{id,
		template.HTML(base64.StdEncoding.EncodeToString(b.Bytes()))})
}
