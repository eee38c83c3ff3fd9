package simulate_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: every machine that is shipped is valid and says where each value comes from.
func TestShipped(t *testing.T) {
	for _, name := range simulate.Machines() {
		m := machine(t, name)
		if m.Name != name || m.About == "" || m.Date == "" {
			t.Errorf("%s: %q, %q, %q", name, m.Name, m.About, m.Date)
		}
		for _, p := range m.Parameters {
			if p.Source == "" {
				t.Errorf("%s: %s has no source", name, p.Name)
			}
		}
	}
	_, err := simulate.Shipped("myrinett")
	if err == nil || !strings.Contains(err.Error(), `did you mean "myrinet"`) {
		t.Errorf("error %v, want one with the name that is near", err)
	}
}

// Aim: a one-way message on the Myrinet of [HydEE] takes 3.3 us up to 32 bytes and 4 us beyond, as
// in section V.C, but for its bytes on the wire.
func TestMyrinet(t *testing.T) {
	c := machine(t, "myrinet").Costs("none")
	if got := c.Between.Latency + 2*c.Between.Overhead; got != 3300*time.Nanosecond {
		t.Errorf("%v, want 3.3 us", got)
	}
	if s := c.Between.Steps; len(s) != 1 || s[0].From != 33 ||
		s[0].Latency+2*c.Between.Overhead != 4*time.Microsecond {
		t.Errorf("steps %+v, want 4 us from 33 bytes on", s)
	}
}

// Aim: a mark of UTF-8, as some editors write it, is none of the machine.
func TestMarkedMachine(t *testing.T) {
	text, err := os.ReadFile("machines/myrinet.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := simulate.ReadMachine("file", append([]byte("\ufeff"), text...))
	if err != nil || m.Name != "myrinet" || len(m.Parameters) < 15 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Aim: what makes no sense in a file is an error with its name, the line and the parameter.
func TestWrongMachine(t *testing.T) {
	whole, err := os.ReadFile("machines/myrinet.json")
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole)
	for _, tt := range []struct{ name, old, new, want string }{
		{"zero rate", `"value": 10, "unit": "Gb/s"`, `"value": 0, "unit": "Gb/s"`,
			"file:10: between.rate: 0 Gb/s"},
		{"missing", `"within.rate"`, `"step.hydee"`, `file:12: step.hydee: unit "GB/s", want a time`},
		{"missing rate", `"memory.rate", "value": 3, "unit": "GB/s"`,
			`"between.eager", "value": 3, "unit": "B"`, "file: memory.rate is missing"},
		{"unknown", `"between.gap"`, `"between.gapp"`,
			`file:9: unknown parameter "between.gapp", did you mean "between.gap"?`},
		{"unit", `"value": 2.3, "unit": "us"`, `"value": 2.3, "unit": "GB/s"`,
			`file:6: between.latency: unit "GB/s", want a time`},
		{"negative", `"value": 0.1`, `"value": -0.1`, "file:9: between.gap: -0.1 us"},
		{"text", `"value": 0.1`, `"value": "fast"`, "file:9: value: string, want a number"},
		{"syntax", `"value": 0.1`, `"value": `, "file:9:"},
		{"field", `"about"`, `"abuot"`, "unknown field"},
		{"twice", `"within.rate"`, `"within.latency"`, "file:12: within.latency: unit"},
		{"again", `"between.gap"`, `"between.overhead"`, "file:9: between.overhead is there twice"},
		{"cut off", text[len(text)/2:], "", "file:12: the file ends here: it was cut"},
		{"empty", text, " \n", "file: the file is empty: want a machine"},
		{"a list", text, "[]", "file:1: the machine: array, want an object"},
		{"nothing", text, "null", "file: between.latency is missing"},
		{"a value of none", `"value": 0.1, `, "", "file:9: between.gap has no value"},
		{"a value of nothing", `"value": 0.1`, `"value": null`, "file:9: between.gap has no value"},
		{"a source of none", `"source": "assumed"`, `"source": ""`, "file:9: between.gap has no source"},
		{"no source", `, "source": "assumed"`, "", "file:9: between.gap has no source"},
		{"no parameter", `"between.gap"`, `""`, `unknown parameter ""`},
		{"another size", `"between.latency.33"`, `"between.latency.033"`,
			`unknown parameter "between.latency.033", did you mean`},
		{"no size", `"between.latency.33"`, `"between.latency.0"`, `unknown parameter`},
		{"a later edition", `"name": "myrinet"`, `"name": "myrinet", "edition": 3`,
			`unknown field "edition"`},

		{"huge", `"value": 0.1`, `"value": 1e400`,
			"file:9: value: number 1e400, want a number below"},
		{"absurd", `"value": 2.3, "unit": "us"`, `"value": 2.3e15, "unit": "us"`, "not absurd"},
		{"no servers", `"value": 8, "unit": "1"`, `"value": 0, "unit": "1"`, "more than nothing"},
		{"more", "\n}\n", "\n} more\n", "something follows"},
		{"servers", `"value": 8, "unit": "1"`, `"value": 1e9, "unit": "1"`, "servers of a disk"},
		{"half", `"value": 8, "unit": "1"`, `"value": 2.5, "unit": "1"`,
			"file:18: store.servers: 2.5, want a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wrong := strings.Replace(text, tt.old, tt.new, 1)
			if wrong == text {
				t.Fatal("nothing is changed")
			}
			_, err := simulate.ReadMachine("file", []byte(wrong))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}
