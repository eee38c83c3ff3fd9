package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// completions are what a shell is to read; each asks domino for the words. That is written by hand,
// because a command library would have to own every command for the sake of these lines.
var completions = map[string]string{
	"bash": `_domino() {
	local IFS=$'\n'
	COMPREPLY=($(domino completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _domino domino
`,
	"zsh": `#compdef domino
_domino() {
	local -a words_found
	words_found=("${(@f)$(domino completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	compadd -a words_found
	_files
}
compdef _domino domino
`,
	"fish": `function __domino_words
	set -l words (commandline -opc) (commandline -ct)
	domino completion words -- $words[2..-1] 2>/dev/null
end
complete -c domino -a '(__domino_words)'
`,
}

func runCompletion(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("completion", "bash | zsh | fish", std, "completion bash > "+
		"~/.local/share/bash-completion/completions/domino",
		"completion zsh > ~/.zfunc/_domino",
		"completion fish > ~/.config/fish/completions/domino.fish")
	if len(args) > 0 && args[0] == "words" { // for the scripts
		args = slices.DeleteFunc(slices.Clone(args[1:]), func(a string) bool { return a == "--" })
		for _, word := range std.complete(ctx, args) {
			fmt.Fprintln(std.out, word)
		}
		return 0, nil
	}
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	text, ok := completions[f.Arg(0)]
	if !ok || f.NArg() != 1 {
		return 0, fmt.Errorf("want one of bash, zsh and fish")
	}
	if thisBuild().Command != "" { // somebody's own, which has another name
		text = strings.ReplaceAll(text, "domino", filepath.Base(os.Args[0]))
	}
	fmt.Fprint(std.out, text)
	return 0, nil
}

// complete lists the words that the last one may become; the others are before it.
func (std streams) complete(ctx context.Context, words []string) (list []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	for _, word := range std.candidates(ctx, before, last) {
		if strings.HasPrefix(word, last) {
			list = append(list, word)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// subcommands are those of a command that has some.
func subcommands(name string) []command {
	switch name {
	case "cluster":
		return clusterCommands()
	case "disk":
		return diskCommands()
	case "performability":
		return performabilityCommands()
	}
	return nil
}

// candidates are what may follow the words, before the beginning of the next one is looked at.
func (std streams) candidates(ctx context.Context, before []string, last string) (list []string) {
	if len(before) == 0 {
		return append(commandNames(std.commands()), "--help", "--version")
	}
	command := before[:1]
	if under := subcommands(command[0]); under != nil {
		if len(before) == 1 {
			return commandNames(under)
		}
		command = before[:2]
	}
	flag := before[len(before)-1]
	if strings.HasPrefix(last, "-") {
		return std.flagNames(ctx, command)
	}
	switch strings.TrimLeft(flag, "-") {
	case "variant":
		for _, p := range std.Protocols() {
			list = append(list, p.Forms()...)
			for _, e := range p.Listed() {
				list = append(list, "repaired+"+e.ID)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	case "protocol", "protocols":
		return std.Protocols().Names()
	case "format":
		return formatNames()
	case "machine":
		return simulate.Machines()
	case "interval":
		return []string{"young", "daly"}
	case "method":
		return []string{"search", "bisection", "both"}
	case "search":
		return []string{"dfs", "bfs", "odpor", "random", "pos", "pctcp", "urw"}
	}
	return std.names(command)
}

// names are what a command is about.
func (std streams) names(command []string) (list []string) {
	switch strings.Join(command, " ") {
	case "list":
		return []string{"protocols", "scenarios", "properties", "programs", "claims"}
	case "help":
		for _, t := range help.Topics() {
			list = append(list, t.Name)
		}
		return append(list, commandNames(std.commands())...)
	case "show":
		for _, s := range std.everything() {
			list = append(list, s.Name)
		}
		return list
	case "errata":
		for _, p := range std.Protocols() {
			for _, e := range p.Listed() {
				list = append(list, e.ID)
			}
		}
		return append(list, std.Protocols().Names()...)
	case "tables":
		for _, p := range std.Protocols() {
			for _, t := range p.Tables {
				list = append(list, t.Name)
			}
		}
		return list
	case "experiments":
		for _, p := range std.Protocols() {
			for _, e := range p.Experiments {
				list = append(list, e.Name)
			}
		}
		return append(list, "all")
	case "fuzz", "mutate", "compare":
		return std.Protocols().Names()
	case "paper":
		return paperNames()
	case "completion":
		return []string{"bash", "zsh", "fish"}
	case "simulate":
		return kernelNames()
	case "plan":
		list = kernelNames()
		for _, s := range std.Scenarios() {
			list = append(list, s.Name)
		}
	case "check", "explore", "minimise", "certify", "report", "run", "cluster run",
		"cluster torture":
		for _, s := range std.Scenarios() {
			list = append(list, s.Name)
		}
	}
	return list
}

// kernelNames are the names of the kernels.
func kernelNames() (list []string) {
	names, _ := kernels.List()
	for _, name := range names {
		list = append(list, strings.TrimPrefix(name, "kernel "))
	}
	return list
}

// flagNames are the flags of a command, which it is asked for by --help.
func (std streams) flagNames(ctx context.Context, command []string) (list []string) {
	std.asked = func(f *pflag.FlagSet) {
		f.VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	}
	dispatch(ctx, append(slices.Clone(command), "--help"), std)
	return append(list, "--help")
}

func commandNames(commands []command) (list []string) {
	for _, c := range commands {
		list = append(list, c.name)
	}
	return list
}
