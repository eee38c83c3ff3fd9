package simulate

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/scenarios/spelling"
)

// Machine is what a run is timed by: parameters, each with where it comes from.
type Machine struct {
	Name       string      `json:"name"`
	About      string      `json:"about"`
	Date       string      `json:"date,omitempty"`     // when the values were found
	Computer   *Computer   `json:"computer,omitempty"` // that the values were measured on
	Parameters []Parameter `json:"parameters"`
}

// Parameter is one value of a machine.
type Parameter struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	Source   string  `json:"source"`
	Residual float64 `json:"residual,omitempty"` // of a value that was fitted: relative
}

// kind is what a parameter is measured in.
type kind struct {
	words string
	units map[string]float64 // in nanoseconds, bytes a second, bytes, or ones
}

var (
	aTime = kind{"a time, in ns, us, ms or s",
		map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}}
	aRate = kind{"a rate, in B/s, MB/s, GB/s, Mb/s or Gb/s", map[string]float64{"B/s": 1,
		"MB/s": 1e6, "GB/s": 1e9, "Mb/s": 1e6 / 8, "Gb/s": 1e9 / 8}}
	aSize  = kind{"a size, in B or KiB", map[string]float64{"B": 1, "KiB": 1 << 10}}
	aCount = kind{"a number, with unit 1", map[string]float64{"1": 1}}
	aPrice = kind{"a time for each KiB, in ns/KiB", map[string]float64{"ns/KiB": 1}}
)

// known is a parameter that machines have.
type known struct {
	name   string
	kind   *kind
	needed bool // without it, or with zero, nothing could be said
	doc    string
}

// table are all parameters. More have names of their own: between.latency.N and within.latency.N
// are the latencies from N bytes on, step.PROTOCOL is what a step of a machine under that protocol
// takes, and step.PROTOCOL.header what that takes longer for what the protocol has added to the
// messages of the step.
var table = []known{
	{"between.latency", &aTime, true, "from card to card of two nodes"},
	{"between.overhead", &aTime, false, "of a processor, to send and to receive"},
	{"between.gap", &aTime, false, "of a card behind a message"},
	{"between.rate", &aRate, true, "of a card"},
	{"between.header", &aSize, false, "that the network adds to a message"},
	{"between.eager", &aSize, false, "larger messages are announced first"},
	{"between.chunk", &aSize, false, "of a larger message, after which others pass it on a card; " +
		"without it none is passed, but images of a declared size after 64 KiB"},
	{"within.latency", &aTime, true, "between two ranks of a node"},
	{"within.overhead", &aTime, false, "of a processor, to send and to receive"},
	{"within.rate", &aRate, true, "through memory"},
	{"memory.rate", &aRate, true, "at which a log is written"},
	{"step", &aTime, true, "of a machine, for one input"},
	{"operation", &aTime, false, "of a program"},
	{"wake", &aTime, false, "of a core, until a process that waits goes on, where more of them " +
		"share a node than it has cores"},
	{"cores", &aCount, false, "of a node; without it each rank has one of its own"},
	{"ranks", &aCount, false, "of a node; without it one"},
	{"store.rate", &aRate, true, "of one server of the stable store, to write and to read"},
	{"store.file", &aTime, false, "for each record, to write and to read"},
	{"store.servers", &aCount, true, "of the stable store"},
	{"node.rate", &aRate, false, "of the disk of a node, to write and to read images that come " +
		"in messages; without it they stay in memory, at memory.rate"},
	{"node.file", &aTime, false, "for each of these images, to write and to read"},
	{"detect", &aTime, true, "until the failure of a process is known"},
	{"restart", &aTime, true, "from then until it runs again"},
	{"heartbeat", &aTime, false, "between two signs of life; without it all the time"},
	{"watchdog", &aTime, false, "of silence until one expires; without it as long as detect"},
}

// Parameters are the names of all parameters and what each one is.
func Parameters() (names, docs []string) {
	for _, k := range table {
		words := k.doc + "; " + k.kind.words
		if k.needed {
			words += ", needed"
		}
		names, docs = append(names, k.name), append(docs, words)
	}
	return names, docs
}

//go:embed machines/*.json
var shipped embed.FS

// Machines are the names of the machines that are shipped.
func Machines() (names []string) {
	list, err := shipped.ReadDir("machines")
	if err != nil {
		panic("invariant: the folder is part of the binary: " + err.Error())
	}
	for _, f := range list {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	return names
}

// Shipped is the machine with a name; an unknown name is an error that has the others.
func Shipped(name string) (*Machine, error) {
	text, err := shipped.ReadFile("machines/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("unknown machine %q%s Known: %s; or a file", name,
			spelling.Guess(name, Machines()), strings.Join(Machines(), ", "))
	}
	return ReadMachine(name, text)
}

// ReadMachine reads the text of a file; errors have its name, the line, and the parameter.
func ReadMachine(file string, text []byte) (*Machine, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors mark UTF-8
	m, line, err := decoded(text)
	switch {
	case err != nil && line == 0:
		return nil, fmt.Errorf("%s: %w", file, err)
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	seen := map[string]bool{}
	for _, p := range m.Parameters {
		if err := p.validate(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, lineOf(text, p.Name), err)
		}
		if seen[p.Name] {
			return nil, fmt.Errorf("%s:%d: %s is there twice", file, lineOf(text, p.Name), p.Name)
		}
		seen[p.Name] = true
	}
	for _, k := range table {
		if k.needed && !seen[k.name] {
			return nil, fmt.Errorf("%s: %s is missing: %s (%s)", file, k.name, k.doc, k.kind.words)
		}
	}
	c := m.Costs("none")
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// decoded is a machine as JSON of which each parameter has its value and its source, or the line
// with what is wrong, 0 where that is all of it.
func decoded(text []byte) (m *Machine, line int, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, 0, errors.New("the file is empty: want a machine, as domino cluster netpipe " +
			"--calibrate writes one")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	m = new(Machine)
	if err := d.Decode(m); err != nil {
		line, err := misread(text, d.InputOffset(), err)
		return nil, line, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, lineAt(text, d.InputOffset()), errors.New("something follows the machine")
	}
	var given struct{ Parameters []map[string]any }
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, 0, err
	}
	for i, p := range m.Parameters {
		if given.Parameters[i]["value"] == nil {
			return nil, lineOf(text, p.Name), fmt.Errorf("%s has no value", p.Name)
		}
		if p.Source == "" {
			return nil, lineOf(text, p.Name), fmt.Errorf("%s has no source: where is its value "+
				"from? \"assumed\" will do", p.Name)
		}
	}
	return m, 0, nil
}

// misread is the line of what is no JSON of a machine, and what is wrong there in words.
func misread(text []byte, at int64, err error) (int, error) {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typed):
		at = typed.Offset
		_, field, _ := strings.Cut("."+typed.Field, ".parameters.")
		want := map[reflect.Kind]string{
			reflect.Float64: "a number below 1e308", reflect.String: "a text",
			reflect.Slice: "a list", reflect.Struct: "an object",
		}[typed.Type.Kind()]
		err = fmt.Errorf("%s: %s, want %s", cmp.Or(field, typed.Field, "the machine"),
			typed.Value, cmp.Or(want, "a "+typed.Type.String()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(text))
		err = errors.New("the file ends here: it was cut")
	}
	return lineAt(text, at), err
}

// lineAt is the line of an offset.
func lineAt(text []byte, at int64) int {
	return 1 + bytes.Count(text[:min(max(at, 0), int64(len(text)))], []byte("\n"))
}

// lineOf is the line that names a parameter last.
func lineOf(text []byte, name string) int {
	return lineAt(text, int64(bytes.LastIndex(text, []byte(strconv.Quote(name)))))
}

// absurd is more than any value that a parameter may have, in its basic unit.
const absurd = 1e15

// kind is what the parameter is measured in, nil if there is no such one.
func (p *Parameter) kind() (k *kind, needed bool) {
	for i := range table {
		if table[i].name == p.Name {
			return table[i].kind, table[i].needed
		}
	}
	name, header := strings.CutSuffix(p.Name, ".header")
	if header && strings.HasPrefix(name, "step.") && len(name) > len("step.") {
		return &aPrice, false
	}
	between, within := p.from("between"), p.from("within")
	if between+within > 0 || strings.HasPrefix(p.Name, "step.") && len(p.Name) > len("step.") {
		return &aTime, true
	}
	return nil, false
}

// from is the size that a further latency of a way begins at, 0 if the parameter is none.
func (p *Parameter) from(way string) int64 {
	text, ok := strings.CutPrefix(p.Name, way+".latency.")
	n, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || text != strconv.FormatInt(n, 10) { // one name for each size
		return 0
	}
	return max(n, 0)
}

// validate reports a name, a unit or a value that makes no sense.
func (p *Parameter) validate() error {
	k, needed := p.kind()
	if k == nil {
		names, _ := Parameters()
		return fmt.Errorf("unknown parameter %q%s Known: %s, between.latency.BYTES, "+
			"within.latency.BYTES, step.PROTOCOL, step.PROTOCOL.header",
			p.Name, spelling.Guess(p.Name, names), strings.Join(names, ", "))
	}
	factor, ok := k.units[p.Unit]
	switch value := p.Value * factor; {
	case !ok:
		return fmt.Errorf("%s: unit %q, want %s", p.Name, p.Unit, k.words)
	case p.Value < 0 || math.IsNaN(value) || value > absurd:
		return fmt.Errorf("%s: %v %s, want %s that is not negative and not absurd", p.Name, p.Value,
			p.Unit, k.words)
	case k == &aCount && value != math.Trunc(value):
		return fmt.Errorf("%s: %v, want a whole number", p.Name, p.Value)
	case needed && value < 1:
		return fmt.Errorf("%s: %v %s, want more than nothing: %s", p.Name, p.Value, p.Unit,
			k.words)
	}
	return nil
}

// of is the value of a parameter in the unit of its kind, 0 if the machine has it not.
func (m *Machine) of(name string) int64 {
	i := slices.IndexFunc(m.Parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return 0
	}
	p := &m.Parameters[i]
	k, _ := p.kind()
	return int64(math.Round(p.Value * k.units[p.Unit]))
}

// lasting is a parameter that is a time.
func (m *Machine) lasting(name string) time.Duration { return time.Duration(m.of(name)) }

// Costs are the prices of the machine for a protocol.
func (m *Machine) Costs(protocol string) emulate.Costs {
	store := emulate.Disk{Write: m.of("store.rate"), Read: m.of("store.rate"),
		File: m.lasting("store.file"), Open: m.lasting("store.file"),
		Servers: int(m.of("store.servers"))}
	c := emulate.Costs{Step: m.lasting("step"), Operation: m.lasting("operation"),
		Copy: m.of("memory.rate"), Cores: int(m.of("cores")), Shared: true, Disk: store,
		Between: emulate.Link{Latency: m.lasting("between.latency"),
			Overhead: m.lasting("between.overhead"), Gap: m.lasting("between.gap"),
			Rate: m.of("between.rate"), Header: m.of("between.header"),
			Eager: m.of("between.eager"), Chunk: m.of("between.chunk")},
		Within: emulate.Link{Latency: m.lasting("within.latency"),
			Overhead: m.lasting("within.overhead"), Rate: m.of("within.rate")},
		Detect: m.lasting("detect"), Restart: m.lasting("detect") + m.lasting("restart"),
		Wake:   m.lasting("wake"),
		Launch: m.lasting("restart"), Tick: time.Millisecond,
		Heartbeat: m.lasting("heartbeat"), Watchdog: m.lasting("watchdog")}
	if c.Watchdog == 0 {
		c.Watchdog = m.lasting("detect")
	}
	c.Keep = emulate.Disk{Write: cmp.Or(m.of("node.rate"), c.Copy), File: m.lasting("node.file"),
		Open: m.lasting("node.file")}
	c.Keep.Read = c.Keep.Write
	c.Between.Steps, c.Within.Steps = m.latencies("between"), m.latencies("within")
	if own := m.lasting("step." + protocol); own > 0 {
		c.Step = own
	}
	return c
}

// latencies are the further ones of a way.
func (m *Machine) latencies(way string) (list []emulate.Step) {
	for i := range m.Parameters {
		if from := m.Parameters[i].from(way); from > 0 {
			list = append(list, emulate.Step{From: from,
				Latency: m.lasting(m.Parameters[i].Name)})
		}
	}
	return list
}
