package ci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// What receivers of SARIF take: at most 10 MB, here before compression, and of one run the first
// 5,000 results.
const (
	sarifBytes   = 10_000_000
	sarifResults = 5_000
	sarifErrors  = 20 // that are said of the whole run, beside their results
)

// The objects of SARIF that are written, with the properties that are.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []json.RawMessage `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string           `json:"id"`
		Short      sarifText        `json:"shortDescription"`
		Full       *sarifText       `json:"fullDescription,omitempty"`
		Help       *sarifText       `json:"help,omitempty"`
		Default    sarifConfig      `json:"defaultConfiguration"`
		Properties *sarifProperties `json:"properties,omitempty"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifProperties struct {
		Tags []string `json:"tags"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName,omitempty"`
	}
)

// SARIF writes what is not as expected as one run of SARIF 2.1.0: a broken property is a rule, a
// case a result at its scenario, with the run as a code flow of one thread for each proc. Results
// that are too many are left out, and said to be; code flows go first, those of the last results.
func SARIF(w io.Writer, s *Suite) error {
	rules := ruleBook{at: map[string]int{}, rules: []sarifRule{}}
	var found []*Case
	var results []sarifResult
	total := 0
	for i := range s.Cases {
		c := &s.Cases[i]
		if o := c.outcome(); o == passed || o == skipped {
			continue
		}
		total++
		if len(results) < sarifResults {
			found = append(found, c)
			results = append(results, resultOf(c, &rules))
		}
	}
	texts, err := fitting(found, results)
	if err != nil {
		return fmt.Errorf("ci: write SARIF: %w", err)
	}
	inv := sarifInvocation{Successful: true}
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Failed && len(inv.Notifications) < sarifErrors {
			inv.Successful = false
			inv.Notifications = append(inv.Notifications, sarifNotification{"error",
				sarifText{clip(c.name()+": "+c.message(), longest)}})
		}
	}
	if left := total - len(texts); left > 0 {
		inv.Notifications = append(inv.Notifications, sarifNotification{"warning",
			sarifText{fmt.Sprintf("%d more results are left out, for their size", left)}})
	}
	log := sarifLog{
		Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" +
			"sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{sarifDriver{Name: s.Tool, Version: s.Version,
			InformationURI: "https://github.com/domino-check/domino", Rules: rules.rules}},
			Invocations: []sarifInvocation{inv}, ColumnKind: "unicodeCodePoints", Results: texts}},
	}
	body, err := encode(log, " ")
	if err != nil {
		return fmt.Errorf("ci: write SARIF: %w", err)
	}
	_, err = w.Write(body)
	return err
}

// fitting encodes as many results as there is room for, then the code flows of as many of them.
func fitting(cases []*Case, results []sarifResult) ([]json.RawMessage, error) {
	room := sarifBytes / 2 // the other half is for what indents, and for rules
	texts := []json.RawMessage{}
	for i := range results {
		text, err := encode(results[i], "")
		if err != nil {
			return nil, err
		}
		if room -= len(text); room < 0 {
			break
		}
		texts = append(texts, text)
	}
	for i := range texts {
		results[i].CodeFlows = codeFlows(cases[i])
		text, err := encode(results[i], "")
		if err != nil {
			return nil, err
		}
		if room -= len(text) - len(texts[i]); room < 0 {
			break
		}
		texts[i] = text
	}
	return texts, nil
}

// encode is a value without the escapes that only HTML needs.
func encode(value any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(value)
	return b.Bytes(), err
}

// resultOf is the result of one case, without its code flow.
func resultOf(c *Case, rules *ruleBook) sarifResult {
	r := sarifResult{RuleID: c.breaks(), RuleIndex: rules.index(c), Level: "error",
		Message: sarifText{unlinked(c.title() + ". " + c.message())},
		Fingerprints: map[string]string{"dominoRun/v1": fingerprint(c),
			"primaryLocationLineHash": fingerprint(c)},
		Locations: []sarifLocation{{Physical: physical(c),
			Logical: []sarifLogical{{Name: c.name(), Full: c.Protocol + "/" + c.name()}}}}}
	if c.outcome() == undecided {
		r.Level = "warning"
	}
	if c.Command != "" {
		r.Message.Text += "\n" + c.Command
	}
	return r
}

// physical is the place of the scenario; nil where it has none.
func physical(c *Case) *sarifPhysical {
	if c.File == "" {
		return nil
	}
	u := url.URL{Path: c.File}
	if strings.HasPrefix(c.File, "/") {
		u.Scheme = "file"
	}
	return &sarifPhysical{sarifArtifact{u.String()}, sarifRegion{max(1, c.Line)}}
}

// unlinked is text in which nothing is a link for a reader of SARIF.
func unlinked(text string) string { return strings.ReplaceAll(text, "](", `\](`) }

// ruleBook collects the rules in the order in which they are broken.
type ruleBook struct {
	at    map[string]int
	rules []sarifRule
}

// index is the place of the rule of a case.
func (b *ruleBook) index(c *Case) int {
	id := c.breaks()
	if at, ok := b.at[id]; ok {
		return at
	}
	rule := sarifRule{ID: id, Short: sarifText{id}, Default: sarifConfig{"error"}}
	switch id {
	case unexpected:
		rule.Full = &sarifText{"The answer is the one that the scenario expects."}
	case unended:
		rule.Full = &sarifText{"The command comes to an answer, and not to an error."}
	case unanswered:
		rule.Full = &sarifText{"The question is answered before a limit or a signal comes."}
		rule.Default.Level = "warning"
	default:
		p := c.property()
		if p.Doc != "" {
			rule.Full = &sarifText{p.Doc}
		}
		help := []string{}
		for _, words := range []string{p.Doc, p.Source, c.Quote} {
			if words != "" {
				help = append(help, words)
			}
		}
		if len(help) > 0 {
			rule.Help = &sarifText{unlinked(strings.Join(help, "\n"))}
		}
		if p.Kind != 0 {
			rule.Properties = &sarifProperties{[]string{p.Kind.String()}}
		}
	}
	b.at[id] = len(b.rules)
	b.rules = append(b.rules, rule)
	return b.at[id]
}
