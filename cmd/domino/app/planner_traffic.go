package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/traffic"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/report/wholefile"
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
				"class=D ranks=256\", and no scenario%s", text,
				spelling.Guess(strings.Fields(text)[0], kernelNames()))
		case scenario && !exists && filepath.Ext(text) != "":
			return nil, err
		case scenario && !exists && isKernel(text):
			what, err := std.scenarioTraffic(text)
			if err != nil {
				err = fmt.Errorf("kernel %s wants numbers, such as \"%s ranks=16\": %w", text, text,
					err)
			}
			return what, err
		case scenario:
			if _, err := std.one(text); err != nil && !exists {
				return nil, fmt.Errorf("%q is no file, no folder and no kernel with its numbers, "+
					"such as \"cg class=D ranks=256\": %w", text, err)
			}
			return std.scenarioTraffic(text)
		}
		recording, err := recorded(text)
		if err != nil {
			return nil, err
		}
		if recording != "" {
			return std.recordedTraffic(filepath.Dir(recording))
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
	return slices.Contains(kernelNames(), name)
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

// trafficFile is what the programs have sent in the folder of a run as processes.
const trafficFile = "traffic.csv"

// recordTraffic writes what the programs have sent into the folder of their run, as measured.
func (r *clusterRan) recordTraffic(dir string) error {
	return writeTraffic(filepath.Join(dir, trafficFile), r.result)
}

// writeTraffic writes what the programs of a run have sent, as fileTraffic reads it.
func writeTraffic(file string, result *cluster.Result) error {
	var b bytes.Buffer
	if !result.Complete {
		b.WriteString(traffic.CutMark + "\n")
	}
	b.WriteString("src,dst,bytes,messages\n")
	for _, c := range result.Traffic {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", c.From, c.To, c.Bytes, c.Messages)
	}
	return wholefile.Write(file, b.Bytes())
}

// recordedTraffic is what was sent in a run as processes: each send once, also where it was sent
// again after a failure.
func (std streams) recordedTraffic(dir string) (*planSubject, error) {
	_, s, err := readPlan(filepath.Join(dir, planFile), nil)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: name the folder of a run, which cluster run --dir writes", err)
	}
	if err != nil {
		return nil, err
	}
	r, err := std.Resolve(s)
	if err != nil {
		return nil, withoutFile(err)
	}
	l := &r.Setup.Layout
	file := filepath.Join(dir, trafficFile)
	what, err := fileTraffic(file, l.Ranks)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: record the run again", err)
	}
	if err != nil {
		return nil, err
	}
	what.title, what.names = "the run in "+dir, ownNames(l)
	return what, nil
}
