package app

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
)

// registerRun adds the flags of a search that is saved and goes on.
func (s *searchFlags) registerRun(f *pflag.FlagSet) {
	f.StringVar(&s.saveRun, "save-run", "",
		"file for the whole search when it is ended early, and in between; of one scenario")
	f.DurationVar(&s.saveEvery, "save-every", 10*time.Minute,
		"save the search so often while it runs; 0 = only when it is ended early")
	f.StringVar(&s.resume, "resume", "",
		"file of a saved search to go on from; it is saved there again unless --save-run says "+
			"otherwise")
	f.StringVar(&s.disk, "disk", "",
		"folder for what --max-memory has no room for; with --search bfs only")
	s.registerProof(f)
	s.registerShards(f)
}

// diskGarbage is how much of the heap may be garbage, in percent, when memory is what is scarce.
const diskGarbage = 25

// addRun puts what the flags say about files into the options. Nothing is explored yet when a file
// can not be written.
func (s *searchFlags) addRun(o *checker.Options, f *pflag.FlagSet, scenarios int,
	errors io.Writer) error {
	if err := s.wrongShards(f, scenarios); err != nil {
		return err
	}
	if o.Disk = s.disk; o.Disk != "" && (o.Order != checker.BreadthFirst ||
		s.saveRun != "" || s.resume != "") {
		return fmt.Errorf(
			"--disk needs --search bfs, and goes neither with --save-run nor with --resume")
	}
	file := s.saveRun
	if file == "" {
		file = s.resume
	}
	if file == "" {
		if f.Changed("save-every") {
			return fmt.Errorf("--save-every needs --save-run")
		}
		return nil
	}
	if scenarios != 1 {
		return fmt.Errorf("--save-run and --resume are for one scenario, these are %d", scenarios)
	}
	if err := within(f, notNegative("save-every")); err != nil {
		return err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("--save-run %s is a directory", file)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no directory for %s", file)
	}
	build, err := buildName()
	if err != nil {
		return err
	}
	o.Saving = checker.Saving{File: file, Every: s.saveEvery, Resume: s.resume, Build: build,
		Warn: func(err error) { fmt.Fprintf(errors, "domino: %v; the search goes on\n", err) }}
	return nil
}

// careful lets the collector begin early while a search keeps on disk what memory has no room for:
// what is not collected yet counts, too. What it returns ends that.
func careful(o checker.Options) (end func()) {
	if o.Disk == "" || o.MaxBytes == 0 {
		return func() {}
	}
	before := debug.SetGCPercent(diskGarbage)
	return func() { debug.SetGCPercent(before) }
}

// buildName is the hash of this program: a saved search holds numbers that only the same code gives
// the same meaning. A program of 40 MB takes 30 ms, therefore it is read once.
var buildName = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read this program: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read this program: %w", err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
})
