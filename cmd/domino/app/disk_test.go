package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/runtime/disk"
)

// TestDisk lists and verifies two stores, whole and then damaged: one value, and the log of the
// other. What is no store is refused.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"p000", "p001"} {
		s, err := disk.Open(disk.System{}, filepath.Join(dir, name, "store"),
			disk.Identity{Run: "run of a test", Proc: 1})
		if err == nil {
			err = errors.Join(s.Put("image/7", bytes.Repeat([]byte("i"), 1<<17)),
				s.Put("k\x00", []byte("v")), s.Commit(), s.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want int, part string, args ...string) {
		t.Helper()
		code, out, wrong := domino(t.Context(), append([]string{"disk"}, args...)...)
		if code != want || !strings.Contains(out+wrong, part) {
			t.Errorf("disk %s: exit code %d, want %d and %q:\n%s%s", strings.Join(args, " "), code,
				want, part, out, wrong)
		}
	}
	expect(0, "proc 1, records: 2, bytes: 131,073, all sums right", "ls", dir)
	expect(0, `log                    "k\x00"`, "ls", filepath.Join(dir, "p000", "store"))
	expect(0, `"records":[{"key":"image/7","bytes":131072,"file":"value-0000000000000001"}`,
		"verify", dir, "--json")
	value := filepath.Join(dir, "p000", "store", "value-0000000000000001")
	if err := os.Truncate(value, 1<<16); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "p001", "store", "log")
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	content[0]++
	if err := os.WriteFile(log, content, 0o666); err != nil {
		t.Fatal(err)
	}
	expect(1, "records: 2, bytes: 131,073, 1 DAMAGED\n  image/7: "+value, "verify", dir)
	expect(1, log+": corrupt", "verify", dir)
	expect(1, `"proc":-1`, "ls", dir, "--json")
	expect(4, "there is no store in", "ls", t.TempDir())
	expect(4, "no such file", "verify", filepath.Join(dir, "nowhere"))
	expect(4, log+" is a file", "verify", log)
	expect(4, "want a folder", "verify")
	expect(4, "unknown command", "clean", dir)
}
