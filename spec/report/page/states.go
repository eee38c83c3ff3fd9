package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"

	"github.com/domino-check/domino/spec/report"
)

// States are the local states of a run.
type States struct {
	Start []Local   // by proc, before the first step
	Steps [][]Local // by step: those that it changes
}

// packStates packs the states in chunks: all of them, then what each step changes.
func (v *view) packStates() error {
	if v.States == nil {
		return nil
	}
	now := make([]kept, len(v.States.Start))
	for p := range v.States.Start {
		now[p] = v.States.Start[p].kept()
	}
	for k := 0; k == 0 || k*chunk < len(v.States.Steps); k++ {
		part := struct {
			All   []kept     `json:"all"`
			Steps [][]kept   `json:"steps"`
			Else  [][]string `json:"else"` // what could have happened
		}{append([]kept{}, now...), [][]kept{}, [][]string{}}
		for i := k * chunk; i < min((k+1)*chunk, len(v.States.Steps)); i++ {
			list := []kept{}
			for _, l := range v.States.Steps[i] {
				if int(l.Proc) >= len(now) {
					return fmt.Errorf("step %d changes a state of proc %d of %d", i+1, l.Proc,
						len(now))
				}
				now[l.Proc] = l.kept()
				list = append(list, now[l.Proc])
			}
			part.Steps = append(part.Steps, list)
			if i < len(v.Alternatives) {
				part.Else = append(part.Else, v.Alternatives[i])
			}
		}
		b, err := json.Marshal(part)
		if err != nil {
			return err
		}
		v.pack(fmt.Sprintf("states-%d", k), b)
	}
	return nil
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

// pack adds a text that the page unpacks when it is wanted.
func (v *view) pack(id string, text []byte) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err) // nothing of memory fails
	}
	v.Packed = append(v.Packed, packed{id, template.HTML(base64.StdEncoding.EncodeToString(b.Bytes()))})
}
