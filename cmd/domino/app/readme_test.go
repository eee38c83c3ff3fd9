package app

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/impl/program/kernels"
)

// root is the top of the repository.
const root = "../../.."

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeIsShort holds it to what somebody reads at a sitting, in an editor as on a page.
func TestReadmeIsShort(t *testing.T) {
	lines := strings.Split(readme(t), "\n")
	if len(lines) > 120 {
		t.Errorf("%d lines: move something to a help topic", len(lines))
	}
	for i, line := range lines {
		if utf8.RuneCountInString(line) > 110 {
			t.Errorf("README.md:%d: %d columns", i+1, utf8.RuneCountInString(line))
		}
	}
}

// TestReadmeCommands looks at everything in backquotes that begins with domino: the command, its
// flags and the names in it exist. And at the topics that it lists: these are all.
func TestReadmeCommands(t *testing.T) {
	text := readme(t)
	std := streams{Catalogue: catalogue()}
	var out, errors bytes.Buffer
	std.out, std.err = &out, &errors
	known := append(commandNames(new(streams).allCommands()), "TOPIC", "COMMAND", "bash")
	for _, topic := range help.Topics() {
		known = append(known, topic.Name)
	}
	for _, s := range std.everything() {
		known = append(known, s.Name)
	}
	for _, p := range std.Protocols() {
		for _, e := range p.Experiments {
			known = append(known, e.Name)
		}
	}
	programs, _ := kernels.List()
	for _, name := range programs {
		known = append(known, strings.TrimPrefix(name, "kernel "))
	}
	commands := regexp.MustCompile("`domino ([^`]+)`").FindAllStringSubmatch(text, -1)
	if len(commands) < 7 {
		t.Errorf("only %d commands", len(commands))
	}
	for _, c := range commands {
		words := strings.Fields(c[1])
		name := words[:1]
		if words[0] == "cluster" {
			name = words[:2]
		}
		var flags *pflag.FlagSet
		std.asked = func(f *pflag.FlagSet) { flags = f }
		if dispatch(t.Context(), append(slices.Clone(name), "--help"), std); flags == nil {
			t.Errorf("there is no command %q", c[1])
			continue
		}
		for i, word := range words {
			flag, isFlag := strings.CutPrefix(word, "--")
			switch {
			case isFlag && flags.Lookup(flag) == nil:
				t.Errorf("%q: there is no flag %s", c[1], word)
			case word == "-o" && flags.ShorthandLookup("o") == nil:
				t.Errorf("%q: there is no flag -o", c[1])
			case strings.Contains(word, "="): // a parameter of a kernel
			case isFlag || word == "-o" || i > 0 && slices.Contains([]string{"--variant", "-o"},
				words[i-1]):
			case word != "cluster" && word != "run" && !slices.Contains(known, word):
				t.Errorf("%q: nothing is called %s", c[1], word)
			}
		}
	}
	for _, topic := range help.Topics() {
		if !strings.Contains(text, "`"+topic.Name+"`") {
			t.Errorf("topic %s is not named", topic.Name)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, link[1])); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
}

// TestReadmeCode looks for the Go in README in the worked example, function by function, so it
// compiles; and for the diagram in what the command prints.
func TestReadmeCode(t *testing.T) {
	text := readme(t)
	_, code, ok := strings.Cut(text, "```go\n")
	if !ok {
		t.Fatal("no Go")
	}
	code, _, _ = strings.Cut(code, "\n```\n")
	var example strings.Builder
	for _, pattern := range []string{"*.go", "cmd/resend/*.go"} {
		files, _ := filepath.Glob(filepath.Join(root, "impl/protocol/example/resend", pattern))
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			example.Write(data)
		}
	}
	functions := strings.Split("\n"+code, "\nfunc ")[1:]
	if len(functions) < 3 {
		t.Errorf("%d functions", len(functions))
	}
	for _, f := range functions {
		if !strings.Contains(example.String(), "\nfunc "+strings.TrimSpace(f)+"\n") {
			t.Errorf("the example has no\nfunc %s", f)
		}
	}
	_, diagram, _ := strings.Cut(text, "```\n")
	diagram, _, _ = strings.Cut(diagram, "```\n")
	_, printed, _ := domino(t.Context(), "errata", "hydee", "H10", "--show", "--save=")
	for line := range strings.Lines(diagram) {
		if !strings.Contains(printed, line) {
			t.Errorf("the command does not print %q", line)
		}
	}
}
