package kernels

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Suite is a kernel that is ready to run.
type Suite struct {
	Names    []string // of the ranks
	Programs []core.Program
	// of groups on which programs have operations: multicasts, and reductions by sums
	Trees []trace.Tree
}

// parameter is one number that a kernel can be given.
type parameter struct {
	name        string
	value       int // default
	least, most int
	doc         string
}

// kernel is one entry of the table.
type kernel struct {
	name, doc  string
	parameters []parameter
	// parameters that are words: what they may be, the default first
	words   map[string][]string
	classes map[string]map[string]int // named sizes
	build   func(c *config) error
	// what is sent depends on the order in which messages arrive; nil: it never does
	orders func(c *config) bool
}

// config is a kernel with its parameters.
type config struct {
	*kernel
	ranks    int
	numbers  map[string]int
	choices  map[string]string
	programs []core.Program
	// takes each program when it is written, in the place of programs, until it fails
	visit   func(rank int, p core.Program, trees []trace.Tree) error
	trees   []trace.Tree
	stopped error
}

func (c *config) of(name string) int { return c.numbers[name] }

// maxRanks is what a run in modelled time has memory for; other drivers run fewer, and say so.
const maxRanks = 1 << 16

func table() []kernel {
	list := slices.Concat(simpleKernels(), meshKernels(), benchmarkKernels(), objectKernels())
	slices.SortFunc(list, func(a, b kernel) int { return strings.Compare(a.name, b.name) })
	return list
}

// List gives the names of the kernels, and for each a line that says what it is and which
// parameters it has.
func List() (names, docs []string) {
	for _, k := range table() {
		words := []string{"ranks"}
		for _, p := range k.parameters {
			words = append(words, fmt.Sprintf("%s=%d", p.name, p.value))
		}
		for _, w := range slices.Sorted(maps.Keys(k.words)) {
			words = append(words, w+"="+strings.Join(k.words[w], "|"))
		}
		if len(k.classes) > 0 {
			words = append(words, "class="+strings.Join(slices.Sorted(maps.Keys(k.classes)), "|"))
		}
		names, docs = append(names, "kernel "+k.name),
			append(docs, k.doc+": "+strings.Join(words, " "))
	}
	return names, docs
}

// common are the parameters that every kernel has besides its own.
var common = []parameter{{name: "ranks", value: 0, least: 1, most: maxRanks,
	doc: "number of ranks"}}

// Build makes the programs of "NAME ranks=N KEY=VALUE ...".
func Build(text string) (*Suite, error) {
	c, err := parse(text)
	if err != nil {
		return nil, err
	}
	if err := c.build(c); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", c.name, err)
	}
	s := &Suite{Programs: c.programs, Trees: c.trees}
	for r := range c.ranks {
		s.Names = append(s.Names, fmt.Sprint("r", r))
	}
	return s, nil
}

// Orders reports whether the kernel is one that sends by the order in which messages arrive, so
// that its program is not send-deterministic.
func Orders(text string) (bool, error) {
	c, err := parse(text)
	if err != nil {
		return false, err
	}
	return c.orders != nil && c.orders(c), nil
}

// Each writes the programs of "NAME ranks=N KEY=VALUE ..." one after the other and keeps none:
// those of the largest sizes do not fit into memory together. All have the same trees. It ends with
// the first error of the visitor.
func Each(text string, visit func(rank int, p core.Program, trees []trace.Tree) error) error {
	c, err := parse(text)
	if err != nil {
		return err
	}
	c.visit = visit
	if err := c.build(c); err != nil {
		return fmt.Errorf("kernel %s: %w", c.name, err)
	}
	return c.stopped
}

func parse(text string) (*config, error) {
	words := strings.Fields(text)
	list := table()
	if len(words) == 0 {
		return nil, fmt.Errorf("kernel without a name, want one of %s",
			strings.Join(namesOf(list), ", "))
	}
	i := slices.IndexFunc(list, func(k kernel) bool { return k.name == words[0] })
	if i < 0 {
		return nil, fmt.Errorf("unknown kernel %q, want one of %s", words[0],
			strings.Join(namesOf(list), ", "))
	}
	c := &config{kernel: &list[i], numbers: map[string]int{}, choices: map[string]string{}}
	for _, p := range c.parameters {
		c.numbers[p.name] = p.value
	}
	for _, w := range slices.Sorted(maps.Keys(c.words)) {
		c.choices[w] = c.words[w][0]
	}
	given := map[string]bool{}
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok || given[key] {
			return nil, fmt.Errorf("kernel %s: %q, want KEY=VALUE, each key once", c.name, word)
		}
		given[key] = true
		if key == "class" {
			size, ok := c.classes[value]
			if !ok {
				return nil, fmt.Errorf("kernel %s: class %q, want one of %v", c.name, value,
					slices.Sorted(maps.Keys(c.classes)))
			}
			for _, p := range slices.Sorted(maps.Keys(size)) {
				if !given[p] {
					c.numbers[p] = size[p]
				}
			}
			continue
		}
		if err := c.set(key, value); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", c.name, err)
		}
	}
	if c.ranks = c.numbers["ranks"]; c.ranks == 0 {
		return nil, fmt.Errorf("kernel %s: no number of ranks: write ranks=N", c.name)
	}
	return c, nil
}

func namesOf(list []kernel) (names []string) {
	for _, k := range list {
		names = append(names, k.name)
	}
	return names
}

// set takes one parameter.
func (c *config) set(key, value string) error {
	if allowed, ok := c.words[key]; ok {
		if !slices.Contains(allowed, value) {
			return fmt.Errorf("%s=%s, want one of %s", key, value, strings.Join(allowed, ", "))
		}
		c.choices[key] = value
		return nil
	}
	var known []string
	for _, p := range slices.Concat(common, c.parameters) {
		if p.name == key {
			n, err := strconv.Atoi(value)
			if err != nil || n < p.least || n > p.most {
				return fmt.Errorf("%s=%s, want a number in [%d, %d]: %s", key, value, p.least,
					p.most, p.doc)
			}
			c.numbers[key] = n
			return nil
		}
		known = append(known, p.name)
	}
	return fmt.Errorf("no parameter %q, there are %s", key,
		strings.Join(append(known, slices.Sorted(maps.Keys(c.words))...), ", "))
}

// The parameters that many kernels have.
func iterations(value int) parameter {
	return parameter{"iterations", value, 0, 1 << 20, "how often the main loop is repeated"}
}

func size(value, least, most int, doc string) parameter {
	return parameter{"n", value, least, most, doc}
}

var checkpoints = parameter{"checkpoint", 0, 0, 1 << 20,
	"a checkpoint after every so many iterations, 0 for none"}
