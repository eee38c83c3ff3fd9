package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// wrong tells of a wrong run, and keeps all that is known of it.
func (t *torture) wrong(ran *clusterRan, dir string) error {
	var err error
	saved := ran.saved(ran.strikes, ran.seed)
	saved.TortureSeed, saved.Run, saved.Report = t.flags.seed, t.made, ran.report()
	if t.flags.json {
		err = printJSON(t.std.out,
			wrongRun{as("wrong-run"), 1, t.flags.seed, t.made, ran.scenario.Name, t.flags.dir,
				saved.Report})
	} else {
		ran.print(t.std.out, false)
		fmt.Fprintf(t.std.out, "run %d of %s is wrong\n", t.made, ran.scenario.Name)
	}
	if err := errors.Join(err, t.keepWrong(ran, saved, dir)); err != nil {
		t.keep = true
		return fmt.Errorf("the wrong run could not be saved (its files are in %s): %w", dir, err)
	}
	if !t.flags.json {
		fmt.Fprintf(t.std.out,
			"plan.json, scenario.txtar, trace.txt and files are in %s; domino cluster run --plan "+
				"%s repeats it\n", t.flags.dir, filepath.Join(t.flags.dir, planFile))
	}
	return nil
}

// keepWrong writes the files of a wrong run, the most important first.
func (t *torture) keepWrong(ran *clusterRan, saved *savedRun, dir string) error {
	var text strings.Builder
	ran.print(&text, true)
	return t.save(ran.clusterCase, saved, "trace.txt", text.String(), dir)
}

// save writes what it takes to repeat a run, a text about it, and its files as far as there are
// any.
func (t *torture) save(c *clusterCase, saved *savedRun, name, text, dir string) error {
	err := saved.save(t.flags.dir)
	for _, f := range []struct {
		name string
		data []byte
	}{{"scenario.txtar", scenarios.Format(c.scenario)}, {name, []byte(text)}} {
		err = errors.Join(err, wholefile.Write(filepath.Join(t.flags.dir, f.name), f.data))
	}
	if _, none := os.Stat(dir); errors.Is(none, os.ErrNotExist) {
		return err // it has not come that far
	}
	return errors.Join(err, os.CopyFS(filepath.Join(t.flags.dir, "files"), os.DirFS(dir)))
}

// failed keeps all that is known of a run that has ended with an error, as of one that is wrong.
func (t *torture) failed(v *victim, err error, dir string) error {
	saved := v.saved(t.tried.strikes, t.tried.seed)
	saved.TortureSeed, saved.Run = t.flags.seed, t.made
	err = fmt.Errorf("run %d, of %s: %w", t.made, v.scenario.Name, err)
	if lost := t.save(&v.clusterCase, saved, "error.txt", err.Error()+"\n", dir); lost != nil {
		t.keep = true
		return fmt.Errorf("%w (it could not be saved: %w; its files are in %s)", err, lost, dir)
	}
	return fmt.Errorf("%w (plan.json, scenario.txtar and files are in %s; domino cluster run "+
		"--plan %s repeats it)", err, t.flags.dir, filepath.Join(t.flags.dir, planFile))
}
