package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/promise"
)

// Maker makes a policy that a stack names.
type Maker struct {
	Name string
	Doc  string // one line
	// Answer is what it does about a failure, for who judges runs; Other says nothing.
	Answer promise.Answer
	// Make is given the numbers in the brackets behind the name, none without brackets.
	Make func(numbers []int) (Policy, error)
}

// Stack is policies in the order in which they are asked. The last is abort.
type Stack []Policy

// House are the policies of this package.
func House() []Maker {
	return []Maker{
		{Name: "crmig", Doc: "moves ranks before a failure that is predicted; crmig(T): with an " +
			"assurance of T percent at least, otherwise 50", Answer: promise.Moves,
			Make: makeMigration},
		{Name: "light", Doc: "restarts the failed ranks alone; light(K): at most K, light(K,N): " +
			"of at most N nodes", Answer: promise.RestoresFailed, Make: makeLight},
		{Name: "sustain", Doc: "runs on without the failed ranks; sustain(K): with at most K in " +
			"all", Answer: promise.RunsThrough, Make: makeSustain},
		{Name: "autor", Doc: "rolls all ranks back to the newest established snapshot",
			Answer: promise.RestoresAll, Make: makeAutor},
		{Name: "abort", Doc: "gives the job up; below all others, named or not",
			Answer: promise.GivesUp, Make: makeAbort},
	}
}

// Parse reads a stack, the first word is asked first: "crmig light(1) autor". The makers are
// those of the house and whoever else's there are; nothing is abort alone.
func Parse(text string, makers []Maker) (Stack, error) {
	var stack Stack
	for _, word := range words(text) {
		p, err := makePolicy(word, makers)
		if err != nil {
			return nil, err
		}
		for _, q := range stack {
			if q.Name() == p.Name() {
				return nil, fmt.Errorf("policy %s: it is there twice, with equal priority of its "+
					"claims: each policy has one place", word)
			}
		}
		stack = append(stack, p)
	}
	if len(stack) == 0 || stack[len(stack)-1].Name() != (abort{}).Name() {
		stack = append(stack, abort{})
	}
	return stack, stack.validate()
}

// words splits the text where no bracket is open.
func words(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (c == ' ' || c == '\t')
	})
}

// makePolicy reads one word of a stack.
func makePolicy(word string, makers []Maker) (Policy, error) {
	name, rest, bracket := strings.Cut(word, "(")
	i := slices.IndexFunc(makers, func(m Maker) bool { return m.Name == name })
	if i < 0 {
		var names []string
		for _, m := range makers {
			names = append(names, m.Name)
		}
		return nil, fmt.Errorf("unknown policy %q%s Known: %s", name, spelling.Guess(name, names),
			strings.Join(names, ", "))
	}
	var numbers []int
	if bracket {
		inner, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return nil, fmt.Errorf("policy %q: want a closing bracket at the end", word)
		}
		for _, part := range strings.Split(inner, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil {
				return nil, fmt.Errorf("policy %q: want numbers in the brackets", word)
			}
			numbers = append(numbers, n)
		}
	}
	p, err := makers[i].Make(numbers)
	if err != nil {
		return nil, fmt.Errorf("policy %q: %w", word, err)
	}
	return p, nil
}

// validate reports a policy that no fault can come to. Who answers predictions only is not hidden
// by who answers faults.
func (t Stack) validate() error {
	var hides Policy
	for i, p := range t {
		switch {
		case hides != nil && hides.Name() == (abort{}).Name():
			return fmt.Errorf("policy %s is behind abort, which ends every stack: nothing comes "+
				"to it", p.Name())
		case hides != nil && i < len(t)-1 && !p.Reach().None:
			return fmt.Errorf("policy %s is behind %s, which claims every fault and does not "+
				"fail: nothing comes to it", p.Name(), hides.Name())
		}
		if r := p.Reach(); hides == nil && r.All && !r.Fails {
			hides = p
		}
	}
	return nil
}

// Has reports whether the stack names the policy.
func (t Stack) Has(name string) bool {
	return slices.ContainsFunc(t, func(p Policy) bool { return p.Name() == name })
}

// Promises are the policies as runs are judged by them.
func (t Stack) Promises(makers []Maker) (list []promise.Policy) {
	for _, p := range t {
		i := slices.IndexFunc(makers, func(m Maker) bool { return m.Name == p.Name() })
		list = append(list, promise.Policy{Name: p.Name(), Answer: makers[i].Answer})
	}
	return list
}

// String is the stack as Parse reads it, without what is in brackets.
func (t Stack) String() string {
	var names []string
	for _, p := range t {
		names = append(names, p.Name())
	}
	return strings.Join(names, " ")
}

// none takes no numbers.
func none(numbers []int) error {
	if len(numbers) > 0 {
		return errors.New("it has nothing in brackets")
	}
	return nil
}
