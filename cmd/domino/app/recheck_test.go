package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/proofs/certificate"
)

// TestRecheck writes a certificate and checks it; one that is of another build, cut, or whose
// header says something else is refused with the place and exit code 4.
func TestRecheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h5.cert")
	code, out, err := domino(t.Context(), "check", "h5", "--certificate", file)
	if code != 0 || !strings.Contains(out, "holds") {
		t.Fatalf("exit %d: %s%s", code, out, err)
	}
	code, out, err = domino(t.Context(), "recheck", file)
	if code != 0 || !strings.Contains(out, "h5 repaired: holds, rechecked\n  673 states") ||
		err != "" {
		t.Errorf("exit %d: %s%s", code, out, err)
	}
	code, out, err = domino(t.Context(), "recheck", file, "--level", "closed")
	if code != 0 || !strings.Contains(out, "holds, closed\n  673 states") || err != "" {
		t.Errorf("exit %d: %s%s", code, out, err)
	}
	for _, tt := range []struct {
		name string
		edit func([]byte) []byte
		flag string
		want string
	}{
		{"cut", func(b []byte) []byte { return b[:len(b)/2] }, "", "damaged or cut off"},
		{"another build", rewritten(t, func(h *certificate.Header) { h.Build = "x" }), "",
			"written by another build"},
		{"another variant", rewritten(t, func(h *certificate.Header) { h.Variant = "x" }), "",
			"not of a scenario"},
		{"another name", rewritten(t, func(h *certificate.Header) { h.Scenario = "h6" }),
			"--max-memory=100", ""},
		{"more failures", rewritten(t, func(h *certificate.Header) {
			h.Text = strings.Replace(h.Text, "failures: 1", "failures: 2", 1)
		}), "", "the initial state is missing"},
		{"fewer properties", rewritten(t, func(h *certificate.Header) {
			h.Judged = h.Judged[1:]
		}), "", "it is judged by"},
		{"any memory", slices.Clone[[]byte], "--max-memory=0", ""},
	} {
		edited := filepath.Join(t.TempDir(), "edited")
		b, readErr := os.ReadFile(file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err := os.WriteFile(edited, tt.edit(b), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"recheck", edited, "--json"}
		if tt.flag != "" {
			args = append(args, tt.flag)
		}
		code, out, err := domino(t.Context(), args...)
		if tt.want == "" {
			if differs := strings.Contains(out, `"differs":true`); code != 0 ||
				differs != (tt.name == "another name") {
				t.Errorf("%s: exit %d: %s%s", tt.name, code, out, err)
			}
			continue
		}
		var a recheckedAnswer
		if code != exitUsage || !strings.Contains(err, edited) ||
			!strings.Contains(err, "refused: ") ||
			!strings.Contains(err, tt.want) || json.Unmarshal([]byte(out), &a) != nil ||
			a.Verdict != "" || !strings.Contains(a.Refused, tt.want) {
			t.Errorf("%s: exit %d: %s%s", tt.name, code, out, err)
		}
	}
}

// TestRecheckSeveral checks files at the same time: the answers are in their order, one that is
// refused has its answer, too, and what is no answer ends the command behind those before it.
func TestRecheckSeveral(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"h5", "koo-toueg-refuses"} {
		code, _, err := domino(t.Context(), "check", name, "--certificate", file(name))
		if code != 0 {
			t.Fatal(err)
		}
	}
	b, readErr := os.ReadFile(file("h5"))
	if readErr == nil {
		readErr = os.WriteFile(file("cut"), b[:len(b)-1], 0o600)
	}
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, workers := range []string{"1", "2", "9"} {
		args := []string{"recheck", "--json", "--workers", workers, file("h5"), file("cut"),
			file("koo-toueg-refuses")}
		code, out, err := domino(t.Context(), args...)
		var got []string
		for line := range strings.Lines(out) {
			var a recheckedAnswer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.Base(a.File)+" "+a.Level)
		}
		want := []string{"h5 rechecked", "cut ", "koo-toueg-refuses rechecked"}
		if !slices.Equal(got, want) || code != exitUsage || !strings.Contains(err, file("cut")) {
			t.Errorf("%s workers: exit %d: %q, want %q: %s", workers, code, got, want, err)
		}
		code, out, err = domino(t.Context(), append(args, file("none"), file("h5"))...)
		if n := strings.Count(out, "\n"); n != 3 || code != exitUsage ||
			!strings.Contains(err, file("none")) {
			t.Errorf("%s workers, one is not there: exit %d, %d answers: %s", workers, code, n, err)
		}
	}
	if _, _, err := domino(t.Context(), "recheck", "--workers", "0", file("h5")); !strings.Contains(
		err, "--workers") {
		t.Errorf("no workers: %s", err)
	}
}

// rewritten is a certificate with another header, and a checksum that is right.
func rewritten(t *testing.T, edit func(*certificate.Header)) func([]byte) []byte {
	return func(b []byte) []byte {
		c, err := certificate.Read(bytes.NewReader(b), int64(len(b)), 0)
		if err != nil {
			t.Fatal(err)
		}
		edit(&c.Header)
		var out bytes.Buffer
		if err := certificate.Write(&out, &c.Header, &c.Tables, func(yield func([]uint32) bool) {
			state := make([]uint32, c.States.Words())
			for i := range c.States.Len() {
				if c.States.At(i, state); !yield(state) {
					return
				}
			}
		}, certificate.Room{}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

// TestRecheckReplay takes replay files as certificates of what they break: one that breaks it is
// confirmed, one that does not is refused.
func TestRecheckReplay(t *testing.T) {
	file := saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs")
	code, out, err := domino(t.Context(), "recheck", file)
	if code != 1 || err != "" ||
		!strings.Contains(out, "h1-repaired-H1 repaired+H1: violated, repeated in") {
		t.Errorf("exit %d: %s%s", code, out, err)
	}
	repaired := change(t, file, func(s string) string {
		return strings.Replace(s, "variant: repaired+H1", "variant: repaired", 1)
	})
	if code, _, err = domino(t.Context(), "recheck", repaired); code != exitUsage ||
		!strings.Contains(err, "refused: ") {
		t.Errorf("of the repaired protocol: exit %d: %s", code, err)
	}
}

// TestNoCertificate: of what does not hold there is none, and what can have none says why.
func TestNoCertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for line, want := range map[string]string{
		"h1 --variant repaired+H1 --save=":  "no certificate: violated",
		"h5 --max-states 10":                "no certificate: unknown",
		"h5 s1":                             "--certificate is for one scenario",
		"h5 --search odpor":                 "it contradicts --search odpor",
		"h5 --search pos":                   "it contradicts --search pos",
		"h5 --lasso":                        "it contradicts --lasso",
		"h5 --estimate":                     "it contradicts --certificate",
		"h5 --reduce sets":                  "no certificate: it is of one search",
		"h5 --reduce singletons,sleep":      "no certificate: steps that sleep",
		"h5 --certificate /none/of/these/x": "no directory",
	} {
		args := append([]string{"check", "--certificate", file}, strings.Fields(line)...)
		if _, _, err := domino(t.Context(), args...); !strings.Contains(err, want) {
			t.Errorf("%s: %s, want %s", line, err, want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Fatalf("%s: there is a file", line)
		}
	}
}
