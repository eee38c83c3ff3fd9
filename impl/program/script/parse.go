package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// LineError is an error in the text of a program, with the number of its line.
type LineError struct {
	Line int
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap is the error without the line.
func (e *LineError) Unwrap() error { return e.Err }

func lineError(line int, format string, args ...any) error {
	return &LineError{Line: line, Err: fmt.Errorf(format, args...)}
}

// Suite is what all ranks run, and the groups among them.
type Suite struct {
	Names    []string
	Programs []core.Program
	Trees    []trace.Tree
	Lines    []int // of each rank in the text
}

// Parse reads programs without groups. It returns the names of the ranks in the order of the lines.
func Parse(text string, firstLine int) (names []string, programs []core.Program, err error) {
	s, err := Read(text, firstLine)
	if err != nil {
		return nil, nil, err
	}
	return s.Names, s.Programs, nil
}

// line is one program or group, with its place in the text.
type line struct {
	number     int
	head, body string
}

// maxRanks bounds what is built for a program: some tables of the world are squares of it.
const maxRanks = 4096

// Read reads programs and groups from text, with the number of its first line for errors.
func Read(text string, firstLine int) (*Suite, error) {
	s := new(Suite)
	var ranks, groups []line
	for i, raw := range strings.Split(text, "\n") {
		text := strings.TrimSpace(raw)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		name, body, ok := strings.Cut(text, ":")
		l := line{firstLine + i, strings.TrimSpace(name), body}
		switch {
		case ok && (l.head == "group" || strings.HasPrefix(l.head, "group ")):
			groups = append(groups, l)
			continue
		case !ok || l.head == "" || strings.ContainsAny(l.head, " \t*|"):
			return nil, lineError(l.number, "want \"rank: operations\", got %.60q", text)
		case slices.Contains(s.Names, l.head):
			return nil, lineError(l.number, "rank %s has two programs", l.head)
		case len(s.Names) == maxRanks:
			return nil, lineError(l.number, "one rank too many, want at most %d", maxRanks)
		}
		s.Names = append(s.Names, l.head)
		ranks = append(ranks, l)
	}
	if len(s.Names) == 0 {
		return nil, lineError(firstLine, "the program has no ranks")
	}
	for _, l := range groups {
		tree, err := parseGroup(l.head, l.body, s.Names)
		if err != nil {
			return nil, lineError(l.number, "%w", err)
		}
		if slices.Contains(s.Names, tree.Name) ||
			slices.ContainsFunc(s.Trees, func(t trace.Tree) bool {
				return t.Name == tree.Name
			}) {
			return nil, lineError(l.number, "the name %s of a group is taken", tree.Name)
		}
		s.Trees = append(s.Trees, tree)
	}
	for r, l := range ranks {
		if err := s.program(core.Rank(r), l); err != nil {
			return nil, lineError(l.number, "rank %s: %w", l.head, err)
		}
	}
	return s, nil
}

// program reads the operations of one rank.
func (s *Suite) program(self core.Rank, l line) error {
	var program core.Program
	for _, words := range strings.Split(l.body, ";") {
		fields := strings.Fields(words)
		if len(fields) == 0 {
			continue
		}
		ops, err := s.parseStep(fields, self)
		if err != nil {
			return err
		}
		program = append(program, ops...)
	}
	if err := program.Validate(self, len(s.Names)); err != nil {
		return err
	}
	s.Programs, s.Lines = append(s.Programs, program), append(s.Lines, l.number)
	return program.ValidateGroups(self, s.Trees, s.Names)
}

// parseStep reads one operation of the text, with what it says about errors. All parts of one on a
// group are tried alike.
func (s *Suite) parseStep(fields []string, self core.Rank) (ops core.Program, err error) {
	var onError, try bool
	rest := fields
	if rest[0] == "onerror" {
		onError, rest = true, rest[1:]
	}
	if len(rest) > 0 && rest[0] == "try" {
		try, rest = true, rest[1:]
	}
	switch {
	case len(rest) == 0:
		return nil, fmt.Errorf("%s needs an operation", strings.Join(fields, " "))
	case rest[0] == "try" || rest[0] == "onerror":
		return nil, fmt.Errorf("%q, want each word once, and onerror before try",
			strings.Join(fields, " "))
	case slices.Contains(collectives, rest[0]):
		ops, err = s.parseCollective(rest[0], rest[1:], self)
	default:
		var op core.Op
		op, err = s.parseOp(rest)
		ops = core.Program{op}
	}
	for i := range ops {
		ops[i].Try, ops[i].OnError = try, onError
	}
	return ops, err
}

// parseOp reads one operation.
func (s *Suite) parseOp(fields []string) (core.Op, error) {
	names := s.Names
	verb, args := fields[0], fields[1:]
	simple := map[string]core.OpKind{"wait": core.OpWait, "checkpoint": core.OpCheckpoint,
		"output": core.OpOutput, "end": core.OpEnd, "ack": core.OpAcknowledge,
		"cancel": core.OpCancel}
	if k, ok := simple[verb]; ok {
		return core.Op{Kind: k}, surplus(verb, args, 0)
	}
	switch verb {
	case "send":
		return parseSend(args, names)
	case "reply":
		op := core.Op{Kind: core.OpSend, Any: true}
		err := parseMessage(verb, args, &op)
		return op, err
	case "recv", "post":
		return s.parseReceive(verb, args)
	case "loop":
		return parseCount(core.OpLoop, args, 1)
	case "pick":
		return parseCount(core.OpPick, args, 2)
	}
	known := verbs(false)
	if len(s.Trees) > 0 {
		known = append(known, collectives...)
	}
	last := len(known) - 1
	return core.Op{}, fmt.Errorf("unknown operation %q, want %s or %s", verb,
		strings.Join(known[:last], ", "), known[last])
}

// parseCount reads an operation with a number.
func parseCount(kind core.OpKind, args []string, least int) (core.Op, error) {
	verb := kind.Verb()
	if len(args) == 0 {
		return core.Op{}, fmt.Errorf("%s needs a count", verb)
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < least {
		return core.Op{}, fmt.Errorf("%s count %q, want a number of at least %d", verb, args[0],
			least)
	}
	return core.Op{Kind: kind, Count: n}, surplus(verb, args, 1)
}

func parseSend(args, names []string) (core.Op, error) {
	if len(args) == 0 {
		return core.Op{}, fmt.Errorf("send needs a destination")
	}
	to, err := parseRank(args[0], names)
	op := core.Op{Kind: core.OpSend, Peer: to}
	if err != nil {
		return op, err
	}
	err = parseMessage("send", args[1:], &op)
	return op, err
}

// parseMessage reads what a send says of its message: [LABEL] [BYTES]B.
func parseMessage(verb string, args []string, op *core.Op) error {
	if n := len(args); n > 0 {
		digits, bytes := strings.CutSuffix(args[n-1], "B")
		if size, err := strconv.Atoi(digits); bytes && err == nil {
			if size == 0 {
				return fmt.Errorf("%s: a message of 0 bytes, want at least %d", verb, core.MinBytes)
			}
			op.Bytes, args = size, args[:n-1]
		}
	}
	if len(args) > 0 {
		op.Label = args[0]
	}
	return surplus(verb, args, 1)
}

func (s *Suite) parseReceive(verb string, args []string) (core.Op, error) {
	kind := map[string]core.OpKind{"recv": core.OpRecv, "post": core.OpPost}[verb]
	if len(args) == 0 {
		return core.Op{}, fmt.Errorf("%s needs a source, a rank or *", verb)
	}
	op := core.Op{Kind: kind, Any: args[0] == "*"}
	if g := slices.IndexFunc(s.Trees, func(t trace.Tree) bool {
		return t.Name == args[0]
	}); g >= 0 {
		op.Peer = core.Group(g + 1).Source()
	} else if !op.Any {
		from, err := parseRank(args[0], s.Names)
		if err != nil {
			return op, err
		}
		op.Peer = from
	}
	if len(args) > 1 && args[1] != "ordered" {
		return op, fmt.Errorf("%s: unknown word %q, want ordered", verb, args[1])
	}
	op.Ordered = len(args) > 1
	return op, surplus(verb, args, 2)
}

func parseRank(name string, names []string) (core.Rank, error) {
	if i := slices.Index(names, name); i >= 0 {
		return core.Rank(i), nil
	}
	return 0, fmt.Errorf("rank %s does not exist, there are %s", name, strings.Join(names, " "))
}

func surplus(verb string, args []string, most int) error {
	if len(args) > most {
		return fmt.Errorf("%s: unexpected %q", verb, strings.Join(args[most:], " "))
	}
	return nil
}
