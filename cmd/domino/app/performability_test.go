package app

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec"
)

// performedBy is the answer of a command line as JSON.
func performedBy(t *testing.T, line string) (p performed) {
	t.Helper()
	code, out, errors := domino(t.Context(), strings.Fields("performability "+line+" --json")...)
	if code != 0 || errors != "" {
		t.Fatalf("%s: exit %d, %s", line, code, errors)
	}
	valid(t, []byte(out))
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPerformability asks each command for what the dossiers of the papers have computed by hand.
func TestPerformability(t *testing.T) {
	cores := performedBy(t, "cores --side 1000 --tile 22.1ns --edge 24.9ns --comm 3.79us "+
		"--log-tile 5.08ns --log-edge 6.63ns --log-comm 3.36us --cores 56")
	if c := cores.Cores; c.Cores != 24 || len(c.Runs) != 4 || !c.Runs[3].Logging ||
		math.Abs(c.Runs[3].Efficiency-.502) > 5e-4 || // Fig 6.12a: about 50 % at 56 cores
		c.Runs[3].Simulated.Largest != 143*125 { // 7 x 8 cores
		t.Errorf("%+v", c)
	}
	// the beta of [HydEE-fr]: Daly's interval is 266.98 minutes
	intervals := performedBy(t, "interval --work 10d --checkpoint 30m --restart 30m --mtbf 1d "+
		"--every daly,best --protocol hydee=1.0125,15% --draw 200")
	if r := intervals.Intervals; len(r) != 2 || math.Abs(r[0].Interval/60-266.98) > .005 ||
		*r[1].Total > *r[0].Total*1.01 || r[0].Drawn == nil ||
		math.Abs(*r[0].Wasted-.15*(*r[0].Lost+*r[0].Restarts)) > 1 {
		t.Errorf("%+v", r)
	}
	never := performedBy(t, "interval --work 1y --checkpoint 1h --mtbf 1s --every 1h --draw 10")
	if r := never.Intervals; r[0].Total != nil || r[0].Drawn != nil {
		t.Errorf("%+v", r)
	}
	spares := performedBy(t, "spares --nodes 1 --mttf 90s --mttr 10s --most 1")
	if r := spares.Spares; len(r) != 2 || math.Abs(r[0].Available-.9) > 1e-12 ||
		math.Abs(r[1].Available-.99) > 1e-12 { // Eq 2.1, and of two that are independent
		t.Errorf("%+v", r)
	}
	// full nodes, of which each rank loses its core for .3 * .9 of the time
	mapping := performedBy(t, "mapping --cores 4 --ranks 8 --utilisation 0.9 --messages 1000 "+
		"--bytes 1e6 --per-message 200us --per-byte 100ns")
	if m := mapping.Mapping; math.Abs(m.Load-.3) > 1e-12 || len(m.Placements) != 4 ||
		math.Abs(*m.Placements[1].Slowdown-1.27) > 1e-12 || m.Chosen != "cores" {
		t.Errorf("%+v", m)
	}
	var contradicted []string
	for _, c := range performedBy(t, "paper").Paper {
		if c.Status == "contradicted" {
			contradicted = append(contradicted, c.Where+" "+c.Row)
		}
	}
	if got := strings.Join(contradicted, ", "); got !=
		"table-6.2 heat with FT, table-6.2 Laplace, fig-6.14 heat with FT" {
		t.Errorf("contradicted: %s", got)
	}
}

// TestPerformabilityIsPrinted: tables say what JSON says, and figures are drawn.
func TestPerformabilityIsPrinted(t *testing.T) {
	folder := t.TempDir()
	for line, want := range map[string]string{
		"cores --side 1000 --tile 22.1ns --comm 3us":                                 "keep 75 %",
		"interval --work 9d --checkpoint 9m --mtbf 1d,6h --draw 99 --plot " + folder: "+-",
		"interval --work 1h --checkpoint 1s --mtbf 1y --draw 5":                      "too few",
		"spares --nodes 8 --mttf 30d --mttr 1d --draw 10000":                         "+-",
		"spares --nodes 8 --mttf 3y --mttr 1h --draw 10000":                          "too few",
		"mapping --cores 8 --ranks 8 --nodes 1 --messages 9 --per-message 9ms":       "impossible",
		"paper":  "contradicted",
		"":       "",
		"--help": "Examples:",
	} {
		code, out, errors := domino(t.Context(), strings.Fields("performability "+line)...)
		if code != 0 && line != "" || errors != "" || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s\n%s", line, code, errors, out)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "performability-interval.svg")); err != nil {
		t.Error(err)
	}
}

// TestPerformabilityPlots: where no figure can be drawn that is said, and the answer is there; and
// where there is no room for one, too.
func TestPerformabilityPlots(t *testing.T) {
	folder := t.TempDir()
	for _, line := range []string{"--checkpoint 0s --mtbf 1d", "--checkpoint 1y --mtbf 1s"} {
		code, out, errors := domino(t.Context(), strings.Fields("performability interval --work "+
			"10d --every 1h --plot "+folder+" "+line)...)
		if code != 0 || !strings.Contains(out, "given") || !strings.Contains(errors, "no figure") {
			t.Errorf("%s: exit %d, %s\n%s", line, code, errors, out)
		}
	}
	// a folder in the place of the figure stands for a disk without room
	if err := os.Mkdir(filepath.Join(folder, "performability-interval.svg"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, out, errors := domino(t.Context(), strings.Fields("performability interval --work 10d "+
		"--checkpoint 15m --mtbf 1d --plot "+folder)...)
	if code != exitUsage || !strings.Contains(out, "daly") ||
		!strings.Contains(errors, "--plot: ") {
		t.Errorf("exit %d, %s\n%s", code, errors, out)
	}
}

// TestPerformabilityInterrupted: a signal leaves the rows that are known, which say that there are
// more, with the exit code of unknown; without a row there is no answer.
func TestPerformabilityInterrupted(t *testing.T) {
	for _, line := range []string{"interval --work 10d --checkpoint 15m --mtbf 1d,6h --json",
		"spares --nodes 8 --mttf 1y --mttr 1d --most 7 --json"} {
		for left := range 3 {
			n := left
			code, out, errors := domino(patient{t.Context(), &n}, append([]string{"performability"},
				strings.Fields(line)...)...)
			if code != exitCode(spec.Unknown) || left == 0 && (out != "" ||
				!strings.Contains(errors, "interrupted")) {
				t.Errorf("%s after %d: exit %d, %s%s", line, left, code, out, errors)
			}
			if left == 0 {
				continue
			}
			valid(t, []byte(out))
			var a performed
			if err := json.Unmarshal([]byte(out), &a); err != nil || !a.Interrupted ||
				len(a.Intervals)+len(a.Spares) != left ||
				!strings.Contains(strings.Join(a.Notes, " "), fmt.Sprint(left, " of 8 rows")) {
				t.Errorf("%s after %d: %s, %v", line, left, out, err)
			}
		}
	}
}

// TestWrongPerformability: what has no answer is refused, with what is wanted.
func TestWrongPerformability(t *testing.T) {
	for line, want := range map[string]string{
		"cores":                     "want --side",
		"cores --side 1e9 --tile 1": "with its unit",
		"cores --side 9 --tile 1s --comm 1s --cores 100":                   "less than a tile",
		"cores --side 9 --tile 1s --comm 0":                                "lambda is 0",
		"interval --work 1d":                                               "want --checkpoint",
		"interval --work 1d --checkpoint 0 --mtbf 1d":                      "give one with --every",
		"interval --work 1d --checkpoint 0 --mtbf 1d --every best":         "give one with --every",
		"cores --side 99 --tile 1e-300ns --comm 1e300y":                    "are the units right?",
		"cores --side 99 --tile 1ns --comm 1us --efficiency 75":            "at most 1",
		"interval --work 1d --checkpoint 1s --mtbf inf":                    "with its unit",
		"mapping --cores 8 --ranks 8 --messages 1e300 --per-message 1us":   "are the units right?",
		"interval --work 1d --checkpoint 1s --mtbf 0":                      "0 s between failures",
		"interval --work 1d --checkpoint 1s --mtbf 1d --every often":       "such as 90m",
		"interval --work 1d --checkpoint 1s --mtbf 1d --protocol x=1":      "SHARE",
		"interval --work 1d --checkpoint 1s --mtbf 1d --protocol x=0.5,1%": "at least 1",
		"interval --work 1d --checkpoint 1s --mtbf 1d --draw 1":            "at least 2",
		"interval --work 1d --checkpoint 1s --mtbf 1d --draw 100000000000": "too many",
		"interval --work 1d --checkpoint 1s --mtbf 1d --plot /dev/null/x":  "--plot",
		"spares --nodes 0 --mttf 1d":                                       "0 nodes",
		"spares --nodes 1 --mttf 1d --most 2000":                           "0 to 1000",
		"spares --nodes 1 --mttf 1d --mttr 1s --draw 5":                    "at least 3200",
		"paper x":                     "no argument",
		"mapping --cores 8 --ranks 8": "want --messages",
		"mapping --cores 8 --ranks 8 --messages 1 --per-message 1us --cost x": "time or nodes",
		"mapping --cores 8 --ranks 8 --messages -1 --per-message 1us":         "-1 messages",
		"pools":                          "unknown command",
		"spares --nodes 1 --mttf 1 ":     "with its unit",
		"spares --nodes 1 --mttf 1e400d": "with its unit",
		"interval --work 9e307y --checkpoint 1s --mtbf 1d": "longer than",
	} {
		code, out, errors := domino(t.Context(), strings.Fields("performability "+line)...)
		if code != exitUsage || !strings.Contains(errors, want) || out != "" {
			t.Errorf("%s: exit %d, %q, want %q\n%s", line, code, errors, want, out)
		}
	}
}

// TestMeasuredMapping takes rates and costs from what cluster perf has measured: 400 messages of 4
// ranks in .1 s, for 40 ms of CPU, and ranks that compute for half of the time.
func TestMeasuredMapping(t *testing.T) {
	write := func(rows string) string {
		file := filepath.Join(t.TempDir(), "perf.json")
		text := fmt.Sprintf(`{"schema":%q,"cores":2,"rows":[%s]}`, formatName("perf"), rows)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const none = `{"kernel":"lu n=8","protocol":"none","ranks":4,"millis":100,"workedMillis":200,` +
		`"sends":400,"payload":8000}`
	row := func(rest string) string {
		return `{"kernel":"lu n=8","protocol":"rbml","ranks":4,"millis":150,"sends":400,` +
			`"payload":8000,` + rest + "}"
	}
	good := write(none + "," + row(`"workedMillis":240,"logs":800,"logged":16000`))
	m := performedBy(t, "mapping --cores 8 --measured "+good).Mapping
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }
	if m.Ranks != 4 || !near(m.Messages, 1000) || !near(m.Bytes, 20000) || !near(m.CPU, 1e-4) ||
		!near(m.Utilisation, .5) || !near(*m.Placements[1].Slowdown, 1.05) {
		t.Errorf("%+v", m)
	}
	m = performedBy(t, "mapping --cores 8 --ranks 9 --messages 10 --kernel lu --measured "+
		good).Mapping
	if m.Ranks != 9 || m.Messages != 10 || !near(m.CPU, 1e-4) {
		t.Errorf("flags that were measured, too: %+v", m)
	}
	vast := write(none)
	if err := os.Truncate(vast, mostSmall+1); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		good + " --logging sbml":                                            "0 rows for sbml",
		good + " --kernel l":                                                "0 rows for logging",
		write(none):                                                         "0 rows for logging",
		write(row(`"logs":1`)):                                              "0 rows for none",
		write(none + "," + row(`"workedMillis":240`)):                       "logged nothing",
		write(none + "," + row(`"logs":1,"unsized":true`)):                  "a known size",
		write(none + "," + row(`"logs":1,"unfinished":"cut"`)):              "trusted: cut",
		write(none + "," + row(`"logs":1`) + "," + row(`"logs":1`)):         "2 rows",
		write(strings.Replace(none, "100", "0", 1) + "," + row(`"logs":1`)): "took no time",
		write("{"):                   ":1: no answer of",
		vast:                         "more than 64 MB",
		good + "x":                   "no such file",
		good + " --ranks 1000000000": "ranks: want",
	} {
		code, _, errors := domino(t.Context(), strings.Fields("performability mapping --cores 8 "+
			"--measured "+line)...)
		if code != exitUsage || !strings.Contains(errors, want) {
			t.Errorf("%s: exit %d, %q, want %q", line, code, errors, want)
		}
	}
}

// TestElapsing reads times and says them again.
func TestElapsing(t *testing.T) {
	for text, want := range map[string]string{"22.1ns": "22.1 ns", "1h30m": "1.5 h", "0": "0 s",
		"5y": "5 y", "1y": "365.2 d", "2w": "14 d", "90s": "1.5 m", "1e-3us": "1 ns",
		"0.25ns": "0.25 ns", "3e3s": "50 m"} {
		var e elapsing
		if err := e.Set(text); err != nil || e.String() != want {
			t.Errorf("%s: %s, %v", text, e.String(), err)
		}
	}
	for _, text := range []string{"", "1", "s", "-1s", "1 s", "1x", "1s2", "1..2s", "NaNs"} {
		var e elapsing
		if err := e.Set(text); err == nil {
			t.Errorf("%q is %s", text, e.String())
		}
	}
}

// TestNoProgress: a failure before any checkpoint is done is said, and has no percentage.
func TestNoProgress(t *testing.T) {
	code, out, errors := domino(t.Context(), strings.Fields("performability interval --work 10d "+
		"--checkpoint 15m --restart 15m --mtbf 1m,1d")...)
	note := "no progress with a failure every 1 m: the next one is there before some work and a " +
		"checkpoint of 15 m are done"
	if text := strings.Join(strings.Fields(out), " "); code != 0 || errors != "" ||
		!strings.Contains(text, note) || strings.Count(text, "no progress") != 1 ||
		strings.Contains(text, "e+16") {
		t.Errorf("exit %d, %s\n%s", code, errors, out)
	}
}

// TestJSONLine names the line of an error, also where the text ends too early.
func TestJSONLine(t *testing.T) {
	for text, want := range map[string]int{"{": 1, "{\n": 1, "{\n\"rows\":\n 7,": 3,
		"{\n\"rows\": x\n}": 2, "{}\n\n}": 3, "": 1, "{\n\"cores\":\"x\"}": 2} {
		var a measuredRows
		err := json.Unmarshal([]byte(text), &a)
		if got := jsonLine([]byte(text), err); err == nil || got != want {
			t.Errorf("%q: line %d, want %d: %v", text, got, want, err)
		}
	}
}
