package app

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/domino-check/domino/spec/report"
)

// edition is the number of the formats that --json prints. A field may be added without a new one;
// one that goes or means something else makes a new one. The folder schema has a JSON Schema of
// each; a test makes them from the types and holds what commands print against them.
const edition = "2"

// versioned begins each answer as JSON.
type versioned struct {
	Schema string `json:"schema"` // which format, e.g. "domino/check/2"
	Domino string `json:"domino"` // the build that answers, as domino version says it
}

// as begins an answer of the format with the name.
func as(format string) versioned { return versioned{formatName(format), thisBuild().String()} }

func formatName(format string) string { return "domino/" + format + "/" + edition }

// printJSON prints an answer on one line; no number in it is one that a reader would round.
func printJSON(w io.Writer, answer any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(answer); err != nil {
		return err
	}
	_, err := w.Write(report.Exact(b.Bytes()))
	return err
}
