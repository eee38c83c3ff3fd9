package ci

import (
	"fmt"
	"io"
	"strings"
)

// What GitHub shows: of one step ten annotations of a kind, of one job fifty, which three kinds of
// ten do not reach. Of a longer message it shows the beginning.
const (
	mostAnnotations   = 10
	annotationMessage = 4096 // bytes
)

// kinds are those of annotations, by outcome.
var kinds = [...]string{failed: "error", erred: "error", undecided: "warning", skipped: "notice",
	passed: ""}

// Annotations writes a workflow command of GitHub for each case that is not as expected: an error,
// or a warning where nothing is known, or a notice where there was nothing to judge. Where there
// are more than GitHub shows, the last one of a kind says how many, and where they are.
func Annotations(w io.Writer, s *Suite, where string) error {
	counts := map[string]int{}
	for i := range s.Cases {
		counts[kinds[s.Cases[i].outcome()]]++
	}
	var b strings.Builder
	for _, kind := range []string{"error", "warning", "notice"} {
		room := mostAnnotations
		if counts[kind] > room {
			room--
		}
		for i := range s.Cases {
			if c := &s.Cases[i]; kinds[c.outcome()] == kind && room > 0 {
				room--
				counts[kind]--
				annotate(&b, kind, s, c)
			}
		}
		if more := counts[kind]; more > 0 {
			fmt.Fprintf(&b, "::%s title=%s::and %d more, see %s\n", kind,
				propertyOf(s.Tool+" "+s.Command), more, dataOf(where))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// annotate writes one command.
func annotate(b *strings.Builder, kind string, s *Suite, c *Case) {
	fmt.Fprintf(b, "::%s ", kind)
	if c.File != "" {
		fmt.Fprintf(b, "file=%s,line=%d,", propertyOf(c.File), max(1, c.Line))
	}
	message := clip(c.message(), annotationMessage)
	if c.Command != "" {
		message += "\n" + c.Command
	}
	fmt.Fprintf(b, "title=%s::%s\n", propertyOf(s.Tool+" "+s.Command+": "+c.title()),
		dataOf(message))
}

// What a workflow command takes as its end or as the end of a property. The percent sign is first:
// a Replacer looks at each place once.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A",
		",", "%2C")
)

// dataOf escapes what a workflow command says.
func dataOf(text string) string { return commandData.Replace(text) }

// propertyOf escapes the value of a property of a workflow command.
func propertyOf(text string) string { return commandProperty.Replace(text) }
