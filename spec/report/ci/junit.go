package ci

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit XML, in the order in which its strictest schema wants them.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Time     string     `xml:"time,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Time    string      `xml:"time,attr"`
		Skipped *junitText  `xml:"skipped"`
		Error   *junitFault `xml:"error"`
		Failure *junitFault `xml:"failure"`
		Out     *junitText  `xml:"system-out"`
	}
	junitFault struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		junitText
	}
	junitText struct {
		Text string `xml:",innerxml"`
	}
)

// JUnit writes the suite as JUnit XML: the command as a suite, a question as a case of the class of
// its protocol. What is not as expected is a failure of the type of the property, with the run as
// text; what is not known, or has ended in an error, is an error; what is out of the model is
// skipped.
func JUnit(w io.Writer, s *Suite) error {
	n := s.count()
	name := s.Tool + " " + s.Command
	suite := junitSuite{Name: name, Tests: len(s.Cases), Failures: n[failed],
		Errors: n[erred] + n[undecided], Skipped: n[skipped], Time: junitTime(s.seconds()),
		Properties: []junitProperty{{"version", s.Version}}}
	for i := range s.Cases {
		suite.Cases = append(suite.Cases, junitOf(&s.Cases[i]))
	}
	all := junitSuites{Name: name, Time: suite.Time, Tests: suite.Tests, Failures: suite.Failures,
		Errors: suite.Errors, Suite: suite}
	body, err := xml.MarshalIndent(all, "", " ")
	if err != nil {
		return fmt.Errorf("ci: write JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, body)
	return err
}

// junitOf is one case.
func junitOf(c *Case) junitCase {
	j := junitCase{Name: c.name(), Class: c.Protocol, Time: junitTime(c.Seconds)}
	if len(c.Figures) > 0 {
		j.Out = &junitText{plainXML(strings.Join(c.Figures, "\n") + "\n")}
	}
	fault := &junitFault{Type: c.breaks(), Message: c.message()}
	switch c.outcome() {
	case failed:
		fault.Text = plainXML(c.text(true))
		j.Failure = fault
	case erred, undecided:
		j.Error = fault
	case skipped:
		j.Skipped = &junitText{plainXML(c.message())}
	}
	return j
}

// junitTime is seconds as every schema takes them.
func junitTime(seconds float64) string { return fmt.Sprintf("%.3f", seconds) }

// plainXML is text for between tags, with its lines. What XML has no way to write, as most control
// characters, becomes U+FFFD.
func plainXML(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}
