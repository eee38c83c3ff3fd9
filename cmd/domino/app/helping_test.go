package app

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// TestTopics prints every topic: those with tables are compared with golden files (but properties,
// of which TestHelpIsComplete looks for each), all are narrow enough to be read, and none is empty.
func TestTopics(t *testing.T) {
	generated := []string{"scenario", "program", "options", "kill", "exit-codes"}
	for _, topic := range help.Topics() {
		code, out, err := domino(t.Context(), "help", topic.Name)
		if code != 0 || err != "" || strings.Count(out, "\n") < 5 || strings.Contains(out, "{{") {
			t.Errorf("help %s: exit %d, %q\n%s", topic.Name, code, err, out)
		}
		for line := range strings.Lines(out) {
			if utf8.RuneCountInString(line) > 101 {
				t.Errorf("help %s: wide line %q", topic.Name, line)
			}
		}
		if slices.Contains(generated, topic.Name) {
			golden(t, "help-"+topic.Name, out)
		}
	}
}

// TestHelpIsComplete looks for every key, operation, option and property in the topic about it:
// tables are not copied, so nothing is missing.
func TestHelpIsComplete(t *testing.T) {
	want := map[string][]string{}
	for _, k := range scenarios.Keys() {
		want["scenario"] = append(want["scenario"], k.Name)
	}
	for _, o := range script.Operations() {
		want["program"] = append(want["program"], o.Form)
	}
	_, text, _ := domino(t.Context(), "help", "properties")
	for _, p := range spec.Properties() {
		want["properties"] = append(want["properties"], p.Name)
		if needs := help.Wrap("on: "+p.Needs, help.Width)[0]; !strings.Contains(text, needs) {
			t.Errorf("help properties does not say what turns %s on: %q", p.Name, p.Needs)
		}
	}
	for _, p := range catalogue().Protocols() {
		for _, o := range p.OptionDocs {
			want["options"] = append(want["options"], o.Name+"="+o.Values)
		}
		if p.Options != nil && len(p.OptionDocs) == 0 {
			t.Errorf("%s has options, and does not say which (OptionDocs)", p.Name)
		}
	}
	for topic, words := range want {
		_, out, _ := domino(t.Context(), "help", topic)
		for _, word := range words {
			if !strings.Contains(out, "\n  "+word+" ") {
				t.Errorf("help %s does not name %q", topic, word)
			}
		}
	}
}

// TestOptionsAreKnown takes every option that a scenario or random scenarios use: it is among those
// that help shows. And what help shows, the protocol knows.
func TestOptionsAreKnown(t *testing.T) {
	c := catalogue()
	used := map[string][]string{}
	for _, s := range c.Scenarios() {
		used[s.Protocol] = append(used[s.Protocol], strings.Fields(s.Options)...)
	}
	for _, p := range c.Protocols() {
		if p.Shapes != nil {
			for _, v := range p.Shapes.Variations {
				used[p.Name] = append(used[p.Name], strings.Fields(v.Options)...)
			}
		}
		for _, word := range used[p.Name] {
			key, _, _ := strings.Cut(word, "=")
			if !slices.ContainsFunc(p.OptionDocs, func(o protocol.Option) bool {
				return o.Name == key
			}) {
				t.Errorf("%s has option %s, which help does not show", p.Name, word)
			}
		}
		for _, o := range p.OptionDocs {
			for _, value := range strings.Split(o.Values, "|") {
				value = strings.NewReplacer("NB", "64B", "N", "3").Replace(value)
				err := p.Options(o.Name + "=" + value)
				if err != nil && strings.Contains(err.Error(), "unknown") {
					t.Errorf("%s: help shows %s=%s: %v", p.Name, o.Name, value, err)
				}
			}
		}
	}
}

// TestMoments reads every moment that help shows as --kill does, but the share of a run, which only
// perf knows.
func TestMoments(t *testing.T) {
	c := catalogue()
	s, err := c.Scenario("s1")
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(c.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		if _, err := parseKills([]string{"x@" + m.Name}, r.Setup, 1e9); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// TestHelpOfCommands asks for the help of every command in both ways, and for what there is not.
func TestHelpOfCommands(t *testing.T) {
	for _, c := range new(streams).allCommands() {
		words := strings.Fields(c.name)
		code, out, err := domino(t.Context(), append([]string{"help"}, words...)...)
		_, same, _ := domino(t.Context(), append(words, "--help")...)
		if code != 0 || err != "" || out != same ||
			!strings.Contains(out, "Usage: domino "+c.name) {
			t.Errorf("help %s: exit %d, %q\n%s", c.name, code, err, out)
		}
		if c.takes == "" {
			t.Errorf("%s does not say how long it takes", c.name)
		}
		if text := help.Command(c.name); text != "" && !strings.Contains(out, text) {
			t.Errorf("help %s does not say\n%s", c.name, text)
		}
	}
	code, out, err := domino(t.Context(), "help", "scenarois")
	if code != exitUsage || out != "" || !strings.Contains(err, `did you mean "scenario"?`) {
		t.Errorf("exit %d, %q, %q", code, out, err)
	}
}
