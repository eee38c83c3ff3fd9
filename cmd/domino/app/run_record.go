package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// recorder writes runs as goroutines into a folder, for domino report.
type recorder struct {
	dir   string          // "" for none
	alone bool            // there is one run, which the folder itself is of
	names map[string]bool // of folders in it
}

// open looks at the folder before anything is run.
func (c *recorder) open(runs int) error {
	c.alone, c.names = runs == 1, map[string]bool{}
	if c.dir == "" {
		return nil
	}
	_, err := openFolder(c.dir, "", "")
	return err
}

// take writes the run of a scenario that a reader wants: one that breaks a property, else the last
// one, if there was any.
func (c *recorder) take(r *ran) error {
	if c.dir == "" {
		return nil
	}
	run := r.story()
	if run == nil {
		var err error
		if run, err = r.last(); run == nil {
			return err
		}
	}
	return c.write(r.Name, run)
}

// write writes a run.
func (c *recorder) write(name string, run *report.Run) error {
	if c.dir == "" {
		return nil
	}
	dir := c.dir
	if !c.alone {
		dir = filepath.Join(dir, c.folder(name))
	}
	b, err := evidence(run)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = wholefile.Write(filepath.Join(dir, runFile), b)
	}
	if err != nil {
		return fmt.Errorf("--dir: the run of %s is not written: %w", name, err)
	}
	return nil
}

// folder names the folder of a scenario: two from different files may be called the same.
func (c *recorder) folder(name string) string {
	base := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' || r < ' ' {
			return '-'
		}
		return r
	}, name), ".")
	unique := base
	for n := 2; unique == "" || c.names[unique]; n++ {
		unique = fmt.Sprintf("%s~%d", base, n)
	}
	c.names[unique] = true
	return unique
}

// last is the last run; nil if there was none.
func (r *ran) last() (*report.Run, error) {
	if r.soaked == nil || r.soaked.Last == nil || r.soaked.World == nil {
		return nil, nil
	}
	run, err := soak.Retrace(r.soaked.World, r.soaked.Last, nil)
	if err != nil {
		return nil, fmt.Errorf("the last run can not be shown: %w", err)
	}
	return told(verify.Story(r.Scenario, r.soaked.World, run, nil),
		fmt.Sprintf("domino run %s --variant %s --seed %d --runs %d --show",
			scenarioWord(r.Scenario), r.Variant, r.Samples.Seed, r.Samples.Runs)), nil
}
