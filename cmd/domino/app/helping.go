package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/processes"
)

// usage is what domino says about itself: its commands with about how long each takes, on two
// cores and without flags, and what else there is to read.
func usage(std streams) {
	w := std.out
	fmt.Fprintf(w, "%[1]s checks rollback-recovery protocols.\n\n"+
		"Usage: %[1]s COMMAND [arguments] [flags]\n\n", self())
	var rows []help.Row
	for _, c := range std.commands() {
		rows = append(rows, help.Row{Name: strings.TrimSpace(c.name + " " + c.args),
			Doc: c.doc + " (" + c.takes + ")"})
	}
	help.Print(w, rows...)
	fmt.Fprintf(w, "\nEach command explains itself with --help. More, with %s help TOPIC:\n\n",
		self())
	rows = nil
	for _, t := range help.Topics() {
		rows = append(rows, help.Row{Name: t.Name, Doc: t.Doc})
	}
	help.Print(w, rows...)
	fmt.Fprintln(w)
	printExitCodes(w)
}

// runHelp prints what there is to read: about everything, a topic, or a command.
func runHelp(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("help", "[TOPIC | COMMAND]", std, "help", "help scenario", "help cluster run")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	name := strings.Join(f.Args(), " ")
	if name == "" {
		usage(std)
		return 0, nil
	}
	var names []string
	for _, c := range std.allCommands() {
		if names = append(names, c.name); c.name == name {
			words := append(strings.Fields(name), "--help")
			return dispatch(ctx, words, std), nil
		}
	}
	topic, err := help.Find(name, names...)
	if err != nil {
		return 0, err
	}
	return 0, topic.Print(std.out, helpTables(std.Protocols()))
}

// allCommands are all, those below another one with both their words.
func (std *streams) allCommands() []command {
	list := std.commands()
	for _, above := range list {
		for _, c := range subcommands(above.name) {
			c.name = above.name + " " + c.name
			list = append(list, c)
		}
	}
	return list
}

// helpTables are what the topics have from the code.
func helpTables(protocols protocol.List) help.Tables {
	return help.Tables{
		"scenario-keys": scenarioKeys,
		"operations": func() []help.Row {
			return operations(func(o script.Operation) bool { return !o.Group && !o.Error })
		},
		"group-operations": func() []help.Row {
			return operations(func(o script.Operation) bool { return o.Group })
		},
		"error-operations": func() []help.Row {
			return operations(func(o script.Operation) bool { return o.Error })
		},
		"shapes":     func() []help.Row { return programs(script.Shapes()) },
		"kernels":    func() []help.Row { return programs(kernels.List()) },
		"options":    func() []help.Row { return options(protocols) },
		"properties": func() []help.Row { return properties(protocols) },
		"moments":    func() []help.Row { return moments },
		"exit-codes": exitRows,
	}
}

// moments are what may stand behind the @ of --kill.
var moments = []help.Row{
	{Name: "60", Doc: "it has performed 60 effects"},
	{Name: "iteration=7", Doc: "its program begins that iteration"},
	{Name: "date=20", Doc: "after so many sends and deliveries (the logical clock of HydEE)"},
	{Name: "phase=3", Doc: "it sends in that phase of HydEE"},
	{Name: "recovery", Doc: "it has begun a life that is not the first"},
	{Name: "recovery=5", Doc: "the same, after five effects of it"},
	{Name: "100ms", Doc: "by the clock"},
	{Name: "60%", Doc: "by the clock, of the time of a run without: cluster perf only"},
}

func scenarioKeys() (rows []help.Row) {
	for _, k := range scenarios.Keys() {
		rows = append(rows, help.Row{Name: k.Name, Doc: k.Doc + " (" + k.Values + ")"})
	}
	return rows
}

func operations(which func(script.Operation) bool) (rows []help.Row) {
	for _, o := range script.Operations() {
		if which(o) {
			rows = append(rows, help.Row{Name: o.Form, Doc: o.Doc})
		}
	}
	return rows
}

func programs(names, docs []string) (rows []help.Row) {
	for i, name := range names {
		rows = append(rows, help.Row{Name: strings.TrimPrefix(name, "kernel "), Doc: docs[i]})
	}
	return rows
}

// options are those of the protocols, once for protocols that have the same.
func options(protocols protocol.List) (rows []help.Row) {
	said := map[string]bool{}
	for _, p := range protocols {
		if len(p.OptionDocs) == 0 || said[p.Name] {
			continue
		}
		var names []string
		for _, q := range protocols {
			if slices.Equal(p.OptionDocs, q.OptionDocs) {
				said[q.Name] = true
				names = append(names, q.Name)
			}
		}
		rows = append(rows, help.Row{Doc: strings.Join(names, ", ")})
		rows = append(rows, optionRows(p.OptionDocs)...)
	}
	for _, p := range protocols {
		if len(p.PolicyDocs) > 0 {
			rows = append(rows, help.Row{Doc: p.Name + ", in the key policies"})
		}
		for _, o := range p.PolicyDocs {
			rows = append(rows, help.Row{Name: o.Name, Doc: o.Doc})
		}
	}
	if rows == nil {
		rows = []help.Row{{Doc: "No protocol of this command has any."}}
	}
	return rows
}

func optionRows(list []protocol.Option) (rows []help.Row) {
	for _, o := range list {
		rows = append(rows, help.Row{Name: o.Name + "=" + o.Values, Doc: o.Doc})
	}
	return rows
}

// properties are those of the house, by what turns them on, then those that protocols bring.
func properties(protocols protocol.List) (rows []help.Row) {
	var needs []string
	by := map[string][]help.Row{}
	for _, p := range spec.Properties() {
		n := cmp.Or(p.Needs, "always")
		if by[n] == nil {
			needs = append(needs, n)
		}
		by[n] = append(by[n], propertyRow(p))
	}
	slices.SortStableFunc(needs, func(a, b string) int {
		return cmp.Or(-cmp.Compare(len(by[a]), len(by[b])), cmp.Compare(a, b))
	})
	for _, n := range needs {
		rows = append(rows, help.Row{Doc: "on: " + n})
		rows = append(rows, by[n]...)
	}
	rows = append(rows, help.Row{Doc: "on: " + processes.ConsistentCut.Needs})
	for _, p := range processes.Properties() {
		rows = append(rows, propertyRow(p))
	}
	for _, p := range protocols {
		if len(p.Properties) > 0 {
			rows = append(rows, help.Row{Doc: "of " + p.Name})
		}
		for _, q := range p.Properties {
			rows = append(rows, propertyRow(q))
		}
	}
	return rows
}

func propertyRow(p spec.Property) help.Row {
	return help.Row{Name: p.Name, Doc: p.Kind.String() + ": " + p.Doc}
}

func exitRows() (rows []help.Row) {
	for _, c := range exitCodes {
		rows = append(rows, help.Row{Name: fmt.Sprint(c.code), Doc: c.doc})
	}
	return rows
}
