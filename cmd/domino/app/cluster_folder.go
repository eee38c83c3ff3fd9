package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// guardFlag makes domino the guard of a folder.
const guardFlag = "guard-of-domino"

// runFolder is where runs as processes have their disks and evidence.
type runFolder struct {
	name      string
	temporary bool
	guard     *launch.Guard // of a temporary one, which goes with us, however we end
}

// hasBegun reports whether a folder has more than what a run leaves that was killed before it had
// saved its plan.
func hasBegun(entries []os.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		part, err := filepath.Match(planFile+".*.new", e.Name())
		return e.Name() != lockFile && (err != nil || !part)
	})
}

// openFolder makes a temporary folder, in a parent if that is not "", unless the user names one,
// which must be new or empty.
func openFolder(name, parent, prefix string) (*runFolder, error) {
	if name != "" {
		if entries, err := os.ReadDir(name); err == nil && hasBegun(entries) {
			return nil,
				fmt.Errorf(
					"%s has files already, of another run perhaps: name an empty or new folder",
					name)
		}
		if err := writable(name); err != nil {
			return nil, fmt.Errorf("--dir: %w", err)
		}
		name, err := filepath.Abs(name)
		return &runFolder{name: name}, err
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	guard, err := launch.StartGuard(parent, path, "cluster", "run", "--"+guardFlag, prefix)
	if err != nil {
		return nil,
			fmt.Errorf("no temporary folder (name one by --dir, or another place by TMPDIR): %w",
				err)
	}
	return &runFolder{name: guard.Dir, temporary: true, guard: guard}, nil
}

// writable makes a folder and tries to write there, before the work is done whose results are to go
// there.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".domino-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// couldWrite reports whether a folder can be written when it is needed. It makes nothing that
// stays.
func couldWrite(dir string) error {
	var made []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, os.ErrNotExist) {
			break
		}
		made = append(made, d)
	}
	err := writable(dir)
	for _, d := range made {
		_ = os.Remove(d) // as far as it was made
	}
	return err
}

// close removes the folder if it is temporary, or leaves it to the user.
func (f *runFolder) close(keep bool) error {
	if !f.temporary {
		return nil
	}
	var err error
	if !keep {
		err = os.RemoveAll(f.name)
	}
	return errors.Join(err, f.guard.Dismiss())
}

// began reports whether a folder has evidence of a run.
func began(dir string) bool {
	list, err := filepath.Glob(filepath.Join(dir, "*", "p*", "evidence-*"))
	return err != nil || slices.ContainsFunc(list, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.Size() > 0
	})
}
