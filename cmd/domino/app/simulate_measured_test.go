package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// measuredText is what cluster perf --json would print of a ring and a stencil of four ranks under
// HydEE with an overhead in percent.
func measuredText(host string, overhead float64) string {
	var cells, rows []string
	for _, k := range []string{"ring iterations=30", "heat n=16 iterations=10"} {
		for _, p := range []string{"none", "hydee", "rbml"} {
			clusters, over := "", 0.
			if p == "hydee" {
				clusters, over = `,"clusters":"r0 r1 | r2 r3"`, overhead
			}
			name, more, _ := strings.Cut(k, " ")
			cells = append(cells, fmt.Sprintf(`{"kernel":%q,"program":"%s ranks=4 %s","ranks":4,`+
				`"protocol":%q,"repeats":true%s}`, k, name, more, p, clusters))
			wrong := ""
			if p == "rbml" {
				wrong = "another digest"
			}
			rows = append(rows, fmt.Sprintf(`{"kernel":%q,"protocol":%q,"ranks":4,"millis":%v,`+
				`"compared":true,"overheadPercent":%v,"spreadPercent":2,"wrong":%q}`, k, p,
				100*(1+over/100), over, wrong))
		}
	}
	return fmt.Sprintf(`{"schema":"domino/perf/2","plan":{"cells":[%s]},"computer":{"host":%q,`+
		`"cpu":"c","cores":2,"system":"linux"},"rows":[%s]}`, strings.Join(cells, ","), host,
		strings.Join(rows, ","))
}

// machineOf writes a machine of a host; without one it does not say whose it is.
func machineOf(t *testing.T, host string) (file string) {
	t.Helper()
	b, err := os.ReadFile("../../../impl/runtime/simulate/machines/myrinet.json")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if host != "" {
		text = strings.Replace(text, `"date"`, fmt.Sprintf(`"computer": {"host": %q, "cpu": "c", `+
			`"cores": 2, "system": "linux"}, "date"`, host), 1)
	}
	return written(t, "machine.json", text)
}

// written is a file with a text.
func written(t *testing.T, name, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSimulateMeasured: the work of an iteration is fitted so that none takes what it took, what is
// near agrees and what is far does not and is explained, runs that are wrong are left out, the
// answer is the same bytes again, and another computer is noticed.
func TestSimulateMeasured(t *testing.T) {
	near := written(t, "near.json", measuredText("here", 1))
	far := written(t, "far.json", measuredText("here", 90))
	args := []string{"simulate", "--measured", near, "--measured", far, "--machine",
		machineOf(t, "here"), "--json"}
	code, out, errors := domino(t.Context(), args...)
	if code != 0 || errors != "" {
		t.Fatalf("exit %d, %s", code, errors)
	}
	if _, again, _ := domino(t.Context(), args...); again != out {
		t.Errorf("not the same again:\n%s\n%s", out, again)
	}
	var a validationAnswer
	valid(t, []byte(out))
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Rows) != 4 || len(a.LeftOut) != 4 || len(a.Notes) != 1 || len(a.Totals) != 1 ||
		a.Totals[0].Within != 2 || a.Totals[0].Kernels != 4 || a.Totals[0].BySpread != 0 {
		t.Fatalf("%+v", a)
	}
	for _, r := range a.Rows {
		if r.Modelled < .0995 || r.Modelled > .1005 || r.None != .1 || r.Ranks != 4 ||
			r.Within != (r.File == near) || r.Within != (r.Explains == "") ||
			r.Work <= 0 || r.Simulated < 0 || r.Simulated > .1 {
			t.Errorf("%+v", r)
		}
	}
	old, err := os.ReadFile(machineOf(t, "here"))
	if err != nil {
		t.Fatal(err)
	}
	const step = `{"name": "step.hydee", "value": 300, "unit": "ns", "source": "netpipe"}`
	const header = `{"name": "step.hydee.header", "value": 0, "unit": "ns/KiB", "source": "one size"}`
	const want = "machine myrinet has no step.hydee.header: handling what hydee adds to messages " +
		"takes no time; calibrate it again\n"
	for more, lines := range map[string]int{step: 1, step + "," + header: 0} {
		file := written(t, "m.json", strings.Replace(string(old), `"parameters": [`,
			`"parameters": [`+more+",", 1))
		_, out, errors := domino(t.Context(), "simulate", "--measured", near, "--machine", file)
		if strings.Count(out, want) != lines || errors != "" {
			t.Errorf("with %s not %d lines %q in %s%s", more, lines, want, out, errors)
		}
		_, out, errors = domino(t.Context(), "simulate", "ring", "--protocol", "hydee", "--ranks",
			"2", "--machine", file)
		if strings.Count(out, want) != lines || errors != "" {
			t.Errorf("with %s not %d lines %q in %s%s", more, lines, want, out, errors)
		}
	}
	for host, want := range map[string]string{"": "does not say whose it is",
		"there": "CALIBRATION OF ANOTHER COMPUTER: machine myrinet is there (c, 2 cores, linux)"} {
		_, out, _ = domino(t.Context(), "simulate", "--measured", near, "--machine",
			machineOf(t, host))
		for _, want := range []string{want, "hydee, 4 ranks: 2 of 2 kernels within 15 %",
			"left out: kernel ring iterations=30 with protocol rbml: runs that are not to be " +
				"trusted: another digest"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
	}
}

// TestSimulateMeasuredWrong: files that are none, or cut off, and flags that the files have
// themselves are refused.
func TestSimulateMeasuredWrong(t *testing.T) {
	whole := measuredText("here", 1)
	for want, args := range map[string][]string{
		"no such file":           {"--measured", "none.json"},
		"no whole answer":        {"--measured", written(t, "cut.json", whole[:len(whole)/2])},
		"this version of domino": {"--measured", written(t, "o.json", `{"schema":"domino/perf/1"}`)},
		"has no rows":            {"--measured", written(t, "e.json", `{"schema":"domino/perf/2"}`)},
		"nothing that could be compared": {"--measured", written(t, "n.json",
			strings.ReplaceAll(whole, `"none"`, `"nil"`))},
		"--ranks: --measured has its own": {"--measured", "x", "--ranks", "4"},
		"--measured has kernels":          {"--measured", "x", "heat"},
	} {
		code, out, errors := domino(t.Context(), append([]string{"simulate"}, args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errors, want) {
			t.Errorf("%v: exit %d, %s%s, want %q", args, code, out, errors, want)
		}
	}
}
