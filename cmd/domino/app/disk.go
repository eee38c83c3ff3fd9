package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/spec"
)

// diskCommands are the subcommands of disk.
func diskCommands() []command {
	return []command{
		{"ls", "DIR ...", "the records of the stores in a folder", "at once", runDiskList},
		{"verify", "DIR ...", "the same stores, every byte checked, damage named",
			"as long as reading them", runDiskVerify},
	}
}

// runDisk executes a subcommand of disk.
func runDisk(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" || args[0] == "help" {
		fmt.Fprintf(std.out, "Usage: %s disk COMMAND DIR ... [flags]\n\n", self())
		for _, c := range diskCommands() {
			fmt.Fprintf(std.out, "  %-7s %-8s %s (%s)\n", c.name, c.args, c.doc, c.takes)
		}
		fmt.Fprint(std.out, "\nDIR is the folder of cluster run --dir, of a wrong run of torture, "+
			"or one store. Nothing in it is\nchanged, and it may be in use.\n\nExamples:\n"+
			"  domino disk ls s1-run\n  domino disk verify s1-run/run/p001 --json\n"+
			"\nwhere s1-run is of domino cluster run s1 --kill x@1 --dir s1-run\n")
		if len(args) == 0 {
			return exitUsage, nil
		}
		return 0, nil
	}
	return dispatchAmong(ctx, "disk ", diskCommands(), args, std), nil
}

// storeAnswer is a store as JSON.
type storeAnswer struct {
	versioned
	Dir     string       `json:"dir"`
	Run     string       `json:"run,omitempty"`     // whose files it takes
	Proc    int          `json:"proc"`              // from 0; -1 if the log can not be read
	InUse   bool         `json:"in_use"`            // what is not committed is not listed
	Records []diskRecord `json:"records"`           // by key
	Spare   []string     `json:"spare,omitempty"`   // files that the next life clears away
	Damage  string       `json:"damage,omitempty"`  // of the log: nothing is known of the records
	Damaged int          `json:"damaged,omitempty"` // values
}

// diskRecord is a record of a store.
type diskRecord struct {
	Key    string `json:"key"`
	Bytes  int64  `json:"bytes"`
	File   string `json:"file"`
	Torn   bool   `json:"torn,omitempty"` // a crash has cut its write: the next life is told
	Damage string `json:"damage,omitempty"`
}

func (a *storeAnswer) wrong() bool { return a.Damage != "" || a.Damaged > 0 }

func runDiskList(ctx context.Context, args []string, std streams) (int, error) {
	return inspectDisks(ctx, "ls", args, std, (*storeAnswer).list)
}

func runDiskVerify(ctx context.Context, args []string, std streams) (int, error) {
	return inspectDisks(ctx, "verify", args, std, (*storeAnswer).verify)
}

// inspectDisks looks at all stores below the folders and prints each. The exit code is 1 if one is
// damaged.
func inspectDisks(ctx context.Context, name string, args []string, std streams,
	show func(*storeAnswer, io.Writer)) (code int, err error) {
	f := flags("disk "+name, "DIR ...", std, "disk "+name+" s1-run",
		"disk "+name+" domino-torture/files/run --json")
	asJSON := f.Bool("json", false, "print JSON: a store a line")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() == 0 {
		return 0, errors.New("want a folder, such as cluster run --dir leaves")
	}
	for _, dir := range f.Args() {
		stores, err := storesBelow(dir)
		if err != nil {
			return 0, err
		}
		for _, store := range stores {
			a, err := heard(ctx, func() (*storeAnswer, error) { return inspectDisk(store) })
			if err != nil {
				return 0, err
			}
			if a.wrong() {
				code = exitCode(spec.Violated)
			}
			if *asJSON {
				err = printJSON(std.out, a)
			} else {
				show(a, std.out)
			}
			if err != nil {
				return 0, err
			}
		}
	}
	return code, nil
}

// storesBelow finds the stores in a folder, which may be one, in the order of their paths.
func storesBelow(dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if ok, err := disk.IsStore(disk.System{}, path); err != nil || !ok {
			return err
		}
		list = append(list, path)
		return fs.SkipDir
	})
	if err == nil && len(list) == 0 {
		if info, wrong := os.Stat(dir); wrong == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file: want the folder of a store, or one above", dir)
		}
		err = fmt.Errorf("there is no store in %s: want the folder of cluster run --dir, or of a "+
			"wrong run of torture", dir)
	}
	return list, err
}

// inspectDisk reads one store. Only what keeps us from reading is an error, not damage.
func inspectDisk(dir string) (*storeAnswer, error) {
	a := &storeAnswer{versioned: as("disk"), Dir: dir, Proc: -1, Records: []diskRecord{}}
	l, err := disk.Inspect(disk.System{}, dir)
	switch {
	case errors.Is(err, disk.ErrCorrupt), errors.Is(err, disk.ErrVersion):
		a.Damage = strings.TrimPrefix(err.Error(), "disk: ")
		return a, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	a.Run, a.Proc, a.InUse, a.Spare = l.Run, int(l.Proc), l.Used, l.Spare
	for _, item := range l.Items {
		r := diskRecord{Key: item.Key, Bytes: item.Bytes, File: item.File, Torn: item.Torn}
		if item.Err != nil {
			r.Damage = strings.TrimPrefix(item.Err.Error(), "disk: ")
			a.Damaged++
		}
		a.Records = append(a.Records, r)
	}
	return a, nil
}

// head is the line above the records.
func (a *storeAnswer) head(w io.Writer) {
	if a.Damage != "" {
		fmt.Fprintf(w, "%s: DAMAGED: %s\n", a.Dir, a.Damage)
		return
	}
	var bytes int64
	for _, r := range a.Records {
		bytes += r.Bytes
	}
	fmt.Fprintf(w, "%s: proc %d, records: %s, bytes: %s", a.Dir, a.Proc, count(len(a.Records)),
		count(int(bytes)))
	if a.InUse {
		fmt.Fprint(w, ", in use: what is committed")
	}
	switch {
	case a.Damaged > 0:
		fmt.Fprintf(w, ", %s DAMAGED", count(a.Damaged))
	case len(a.Records) > 0:
		fmt.Fprint(w, ", all sums right")
	}
	fmt.Fprintln(w)
}

// list prints every record.
func (a *storeAnswer) list(w io.Writer) {
	a.head(w)
	t := term.NewTable(w, 2, term.Column{Title: "bytes", Width: 12},
		term.Column{Title: "file", Width: 22, Left: true}, term.Column{Title: "key", Left: true})
	for _, r := range a.Records {
		t.Row(count(int(r.Bytes)), r.File, readable(r.Key)+r.state())
	}
	for _, name := range a.Spare {
		fmt.Fprintf(w, "  %s is left over: the next life clears it away\n", name)
	}
}

// verify prints what is not as it was written.
func (a *storeAnswer) verify(w io.Writer) {
	a.head(w)
	for _, r := range a.Records {
		if r.Damage != "" || r.Torn {
			fmt.Fprintf(w, "  %s%s\n", readable(r.Key), r.state())
		}
	}
}

// readable is a key as people can read it: many are bytes.
func readable(key string) string {
	for _, c := range key {
		if c < ' ' || c > '~' {
			return fmt.Sprintf("%q", key)
		}
	}
	return key
}

// state is what is to be said of a record besides its size.
func (r *diskRecord) state() string {
	switch {
	case r.Damage != "":
		return ": " + r.Damage
	case r.Torn:
		return ": torn by a crash, the next life is told"
	}
	return ""
}
