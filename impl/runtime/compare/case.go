package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
)

// Case is one run: a protocol, a program, when images are asked for, who fails when, and what a
// stable write takes.
type Case struct {
	Protocol *protocol.Protocol
	Options  string
	// failures at a time that the protocol is to survive, where it lets one choose; 0 = as it likes
	Tolerates  int
	Shape      string // of script.Generate
	Ranks      int
	Iterations int
	Groups     [][]core.Rank // of ranks that fail or roll back together; nil = each alone
	Images     Plan
	Failures   []Failure
	Write      time.Duration // until a record is stable
	Seed       uint64        // of delays of messages; 0 = all take the same
}

// Plan says when images are asked for.
type Plan struct {
	// unit i of k, a rank or a group, is asked at i/k of each period; 0 = no images
	Every time.Duration
	Equal bool // all units are asked at the same instants
	// the programs ask themselves, each behind so many iterations; 0 = they do not
	Iterations int
}

// Failure is a crash.
type Failure struct {
	At    time.Duration
	Ranks []core.Rank
}

// String is the case in the words that Parse reads.
func (c *Case) String() string {
	head := c.Protocol.Name
	if c.Options != "" {
		head += " " + c.Options
	}
	parts := []string{head, fmt.Sprintf("program %s %d %d", c.Shape, c.Ranks, c.Iterations)}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if c.Tolerates > 0 {
		add("tolerates %d", c.Tolerates)
	}
	if c.Groups != nil {
		var words []string
		for _, g := range c.Groups {
			words = append(words, names(g))
		}
		add("groups %s", strings.Join(words, " | "))
	}
	switch p := c.Images; {
	case p.Every > 0 && p.Equal:
		add("images every %v together", p.Every)
	case p.Every > 0:
		add("images every %v", p.Every)
	case p.Iterations > 0:
		add("images of the program %d", p.Iterations)
	}
	for _, f := range c.Failures {
		add("fail %s at %v", names(f.Ranks), f.At)
	}
	if c.Write > 0 {
		add("write %v", c.Write)
	}
	if c.Seed > 0 {
		add("seed %d", c.Seed)
	}
	return strings.Join(parts, "; ")
}

// names are those of ranks.
func names(ranks []core.Rank) string {
	var words []string
	for _, r := range ranks {
		words = append(words, fmt.Sprint("r", r))
	}
	return strings.Join(words, " ")
}

// Parse reads a case: the protocol with its options, then parts, each after a semicolon:
//
//	program SHAPE RANKS ITERATIONS
//	groups r0 r1 | r2 r3
//	images every TIME [together] | images of the program ITERATIONS
//	fail r0 [r1 ...] at TIME
//	write TIME | tolerates N | seed N
//
// An error names the part.
func Parse(text string, known protocol.List) (*Case, error) {
	c := &Case{Ranks: -1}
	parts := strings.Split(text, ";")
	for i, part := range parts {
		words := strings.Fields(part)
		err := fmt.Errorf("is empty")
		if len(words) > 0 {
			err = c.part(i, words, known)
		}
		if err != nil {
			return nil, fmt.Errorf("run, part %d (%s): %w", i+1, strings.TrimSpace(part), err)
		}
	}
	if c.Ranks < 0 {
		return nil, fmt.Errorf("run %q has no program", text)
	}
	for i, part := range parts { // what speaks of ranks, now that they are known
		words := strings.Fields(part)
		var err error
		switch words[0] {
		case "groups":
			c.Groups, err = ParseGroups(words[1:], c.Ranks)
		case "fail":
			err = c.fail(words[1:])
		}
		if err != nil {
			return nil, fmt.Errorf("run, part %d (%s): %w", i+1, strings.TrimSpace(part), err)
		}
	}
	return c, nil
}

// part reads one part; those that speak of ranks are read when their number is known.
func (c *Case) part(i int, words []string, known protocol.List) (err error) {
	if i == 0 {
		if c.Protocol, err = known.Find(words[0]); err != nil {
			return err
		}
		if c.Protocol.Setup == nil {
			return fmt.Errorf("protocol %s runs no programs", c.Protocol.Name)
		}
		c.Options = strings.Join(words[1:], " ")
		return c.Protocol.Accept(c.Options)
	}
	args := words[1:]
	number := func(to *int, least int) error {
		n, err := strconv.Atoi(strings.Join(args, " "))
		if err != nil || n < least {
			return fmt.Errorf("want a whole number of at least %d", least)
		}
		*to = n
		return nil
	}
	switch words[0] {
	case "program":
		return c.shape(args)
	case "groups", "fail":
		return nil
	case "images":
		return c.images(args)
	case "write":
		c.Write, err = duration(strings.Join(args, " "))
	case "tolerates":
		return number(&c.Tolerates, 1)
	case "seed":
		var n int
		err = number(&n, 0)
		c.Seed = uint64(n)
	default:
		err = fmt.Errorf("unknown word %q, want program, groups, images, fail, write, tolerates "+
			"or seed", words[0])
	}
	return err
}

// shape reads a program.
func (c *Case) shape(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want SHAPE RANKS ITERATIONS")
	}
	if _, err := script.Generate(strings.Join(args, " ")); err != nil {
		return err
	}
	c.Shape = args[0]
	c.Ranks, _ = strconv.Atoi(args[1]) // Generate has read them
	c.Iterations, _ = strconv.Atoi(args[2])
	return nil
}

// images reads a plan of images.
func (c *Case) images(args []string) (err error) {
	switch {
	case len(args) >= 2 && len(args) <= 3 && args[0] == "every":
		c.Images.Every, err = duration(args[1])
		if c.Images.Equal = len(args) == 3; c.Images.Equal && args[2] != "together" {
			err = fmt.Errorf("want together, got %q", args[2])
		}
		return err
	case len(args) == 4 && slices.Equal(args[:3], []string{"of", "the", "program"}):
		if c.Images.Iterations, err = strconv.Atoi(args[3]); err != nil || c.Images.Iterations < 1 {
			return fmt.Errorf("want a number of iterations of at least 1")
		}
		return nil
	}
	return fmt.Errorf("want every TIME [together], or of the program ITERATIONS")
}

// fail reads a failure.
func (c *Case) fail(args []string) error {
	f, err := parseFailure(args, c.Ranks)
	c.Failures = append(c.Failures, f)
	return err
}

// ParseFailures reads failures, each "r0 [r1 ...] at TIME", with a semicolon between two.
func ParseFailures(text string, ranks int) (list []Failure, err error) {
	for i, part := range strings.Split(text, ";") {
		f, err := parseFailure(strings.Fields(part), ranks)
		if err != nil {
			return nil, fmt.Errorf("part %d (%s): %w", i+1, strings.TrimSpace(part), err)
		}
		list = append(list, f)
	}
	return list, nil
}

// parseFailure reads a failure.
func parseFailure(args []string, ranks int) (f Failure, err error) {
	at := slices.Index(args, "at")
	if at < 1 || at != len(args)-2 {
		return f, fmt.Errorf("want RANK ... at TIME")
	}
	for _, word := range args[:at] {
		r, err := rank(word, ranks)
		if err != nil {
			return f, err
		}
		if slices.Contains(f.Ranks, r) {
			return f, fmt.Errorf("%s is there twice", word)
		}
		f.Ranks = append(f.Ranks, r)
	}
	f.At, err = duration(args[at+1])
	return f, err
}

// duration reads a time that is not negative.
func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no time such as 2ms", text)
	}
	return d, nil
}

// rank reads a rank of so many.
func rank(word string, ranks int) (core.Rank, error) {
	digits, ok := strings.CutPrefix(word, "r")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= ranks {
		return 0, fmt.Errorf("rank %s does not exist, there are r0 to r%d", word, ranks-1)
	}
	return core.Rank(n), nil
}

// ParseGroups reads groups of ranks, apart by |, which must have every rank once.
func ParseGroups(words []string, ranks int) (groups [][]core.Rank, err error) {
	var all []core.Rank
	group := []core.Rank{}
	for _, word := range append(slices.Clone(words), "|") {
		if word == "|" {
			if len(group) == 0 {
				return nil, fmt.Errorf("group %d has no ranks", len(groups)+1)
			}
			groups, group = append(groups, group), nil
			continue
		}
		r, err := rank(word, ranks)
		if err != nil {
			return nil, err
		}
		if slices.Contains(all, r) {
			return nil, fmt.Errorf("rank %s is in two groups", word)
		}
		all, group = append(all, r), append(group, r)
	}
	for r := range ranks {
		if !slices.Contains(all, core.Rank(r)) {
			return nil, fmt.Errorf("rank r%d is in no group", r)
		}
	}
	return groups, nil
}
