package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/traffic"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// planned is what the words of a command line are about: the folder or file of a recorded run, a
// scenario in a file, a file with traffic, a kernel with its numbers, or the name of a scenario.
func (std streams) planned(ctx context.Context, words []string, ranks int) (*planSubject, error) {
	text := strings.Join(words, " ")
	info, err := os.Stat(text)
	exists := err == nil
	isFile := exists && !info.IsDir()
	kernel := !exists && isKernel(text) && strings.Contains(text, "=")
	scenario := !exists && !kernel || isFile && strings.HasSuffix(text, ".txtar")
	if ranks > 0 && (!isFile || scenario) {
		return nil, errors.New("--ranks is for a file with traffic: everything else has its own")
	}
	what, err := heard(ctx, func() (*planSubject, error) {
		switch {
		case kernel:
			g, err := traffic.Kernel(text, ctx.Err)
			return &planSubject{title: text, graph: g}, err
		case scenario && !exists && strings.ContainsAny(text, " ="):
			return nil, fmt.Errorf("%q is no file, no kernel with its numbers, such as \"cg "+
				"class=D ranks=256\", and no scenario", text)
		case scenario && !exists && filepath.Ext(text) != "":
			return nil, err
		case scenario:
			return std.scenarioTraffic(text)
		}
		recording, err := recorded(text)
		if err != nil {
			return nil, err
		}
		if recording != "" {
			return std.recordedTraffic(recording)
		}
		return fileTraffic(text, ranks)
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	case errors.Is(err, traffic.ErrEmpty) && !strings.Contains(err.Error(), text):
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return what, err
}

// isKernel reports whether the first word is the name of a kernel.
func isKernel(text string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	names, _ := kernels.List()
	return slices.Contains(names, "kernel "+name)
}

// fileTraffic reads a table.
func fileTraffic(name string, ranks int) (*planSubject, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was read only
	g, err := traffic.Read(name, f, ranks)
	return &planSubject{title: filepath.Base(name), graph: g}, err
}

// ownNames are the names of the ranks; nil where they are r0, r1, ... as those of kernels.
func ownNames(l *core.Layout) []string {
	for r, name := range l.Names[:l.Ranks] {
		if name != fmt.Sprint("r", r) {
			return l.Names[:l.Ranks]
		}
	}
	return nil
}

// scenarioTraffic is what the programs of a scenario send.
func (std streams) scenarioTraffic(name string) (*planSubject, error) {
	s, err := std.one(name)
	if err != nil {
		return nil, err
	}
	r, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	l := &r.Setup.Layout
	if l.Ranks == 0 {
		return nil, fmt.Errorf("scenario %s has no ranks that run programs", s.Name)
	}
	g, err := traffic.Programs(r.Setup.Programs, l.Trees)
	return &planSubject{title: s.Name, names: ownNames(l), graph: g}, err
}

// recordedTraffic is what was sent in a run as processes: each send once, also where it was sent
// again after a failure, with the size that its program gives it.
func (std streams) recordedTraffic(file string) (*planSubject, error) {
	dir := filepath.Dir(file)
	_, s, err := readPlan(filepath.Join(dir, planFile), nil)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: sizes of messages are in the programs that it has; name the folder "+
			"of a run, which cluster run --dir writes", err)
	}
	if err != nil {
		return nil, err
	}
	r, err := std.Resolve(s)
	if err != nil {
		return nil, withoutFile(err)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was read only
	run, err := report.Read(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	l := &r.Setup.Layout
	if run.Trace.Layout.Ranks != l.Ranks {
		return nil, fmt.Errorf("%s has %d ranks, its plan %d", file, run.Trace.Layout.Ranks,
			l.Ranks)
	}
	g, err := sentTraffic(&run.Trace, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &planSubject{title: "the run in " + dir, names: ownNames(l), graph: g}, nil
}

// sentTraffic adds up the sends of a trace.
func sentTraffic(t *trace.Trace, r *verify.Resolved) (*traffic.Graph, error) {
	ranks := r.Setup.Layout.Ranks
	sends := make([][]core.Op, ranks)
	for i, p := range r.Setup.Programs {
		sends[i] = p.Sends()
		if slices.ContainsFunc(p, func(op core.Op) bool { return op.Kind == core.OpFlush }) {
			return nil, fmt.Errorf("sizes of messages that rank %s sends at moments of its own "+
				"are not in a recorded run; plan the kernel", r.Setup.Layout.Names[i])
		}
	}
	var b traffic.Builder
	seen := map[core.MsgID]bool{}
	for _, e := range t.Events {
		if e.Kind != trace.Sent || seen[e.ID] {
			continue
		}
		seen[e.ID] = true
		from, number := int(e.ID.From), int(e.ID.Number)
		if from >= ranks || number < 1 || number > len(sends[from]) {
			return nil, fmt.Errorf("message %d of rank %d is in no program", number, from)
		}
		p, op := r.Setup.Programs[from], sends[from][number-1]
		size := int64(p.PayloadBytes(op))
		edges := [][2]core.Rank{{e.ID.From, core.Rank(e.Peer)}}
		if op.Kind != core.OpSend {
			edges = treeEdges(&r.Setup.Layout.Trees[op.Group-1], e.ID.From, op.Kind)
		}
		for _, edge := range edges {
			if int(edge[1]) >= ranks {
				return nil, fmt.Errorf("message %d of rank %d goes to %d, which is no rank",
					number, from, edge[1])
			}
			if err := b.Add(int(edge[0]), int(edge[1]), size, 1); err != nil {
				return nil, err
			}
		}
	}
	return b.Graph(ranks, true)
}

// treeEdges are the edges of a tree that a multicast or a contribution goes along.
func treeEdges(t *trace.Tree, from core.Rank, kind core.OpKind) (list [][2]core.Rank) {
	if kind == core.OpContribute {
		if t.Root() == from {
			return nil
		}
		return [][2]core.Rank{{from, t.Parent(from)}}
	}
	for i := 1; i < len(t.Members); i++ {
		list = append(list, [2]core.Rank{t.Parents[i], t.Members[i]})
	}
	return list
}
