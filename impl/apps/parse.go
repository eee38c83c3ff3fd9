package apps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
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

// Parse reads programs from text, with the number of its first line for errors. It returns the names of the ranks in the
// order of the lines.
func Parse(text string, firstLine int) (names []string, programs []core.Program, err error) {
	type line struct {
		number int
		body   string
	}
	var lines []line
	for i, raw := range strings.Split(text, "\n") {
		s := strings.TrimSpace(raw)
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		name, body, ok := strings.Cut(s, ":")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, " \t*|") {
			return nil, nil, lineError(firstLine+i, "want \"rank: operations\", got %q", s)
		}
		if slices.Contains(names, name) {
			return nil, nil, lineError(firstLine+i, "rank %s has two programs", name)
		}
		names = append(names, name)
		lines = append(lines, line{number: firstLine + i, body: body})
	}
	if len(names) == 0 {
		return nil, nil, lineError(firstLine, "the program has no ranks")
	}
	for r, l := range lines {
		var program core.Program
		for _, words := range strings.Split(l.body, ";") {
			fields := strings.Fields(words)
			if len(fields) == 0 {
				continue
			}
			op, err := parseOp(fields, names)
			if err != nil {
				return nil, nil, lineError(l.number, "rank %s: %w", names[r], err)
			}
			program = append(program, op)
		}
		if err := program.Validate(core.Rank(r), len(names)); err != nil {
			return nil, nil, lineError(l.number, "rank %s: %w", names[r], err)
		}
		programs = append(programs, program)
	}
	return names, programs, nil
}

// parseOp reads one operation.
func parseOp(fields, names []string) (core.Op, error) {
	verb, args := fields[0], fields[1:]
	simple := map[string]core.OpKind{"wait": core.OpWait, "checkpoint": core.OpCheckpoint, "output": core.OpOutput, "end": core.OpEnd}
	if k, ok := simple[verb]; ok {
		return core.Op{Kind: k}, surplus(verb, args, 0)
	}
	switch verb {
	case "send":
		return parseSend(args, names)
	case "reply":
		op := core.Op{Kind: core.OpSend, Any: true}
		if len(args) > 0 {
			op.Label = args[0]
		}
		return op, surplus(verb, args, 1)
	case "recv", "post":
		return parseReceive(verb, args, names)
	case "loop":
		if len(args) == 0 {
			return core.Op{}, fmt.Errorf("loop needs a count")
		}
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 {
			return core.Op{}, fmt.Errorf("loop count %q, want a number of at least 1", args[0])
		}
		return core.Op{Kind: core.OpLoop, Count: n}, surplus(verb, args, 1)
	}
	return core.Op{}, fmt.Errorf("unknown operation %q, want send, reply, recv, post, wait, checkpoint, output, loop or end", verb)
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
	if len(args) > 1 {
		op.Label = args[1]
	}
	return op, surplus("send", args, 2)
}

func parseReceive(verb string, args, names []string) (core.Op, error) {
	kind := map[string]core.OpKind{"recv": core.OpRecv, "post": core.OpPost}[verb]
	if len(args) == 0 {
		return core.Op{}, fmt.Errorf("%s needs a source, a rank or *", verb)
	}
	op := core.Op{Kind: kind, Any: args[0] == "*"}
	if !op.Any {
		from, err := parseRank(args[0], names)
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
