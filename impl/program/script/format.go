package script

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Format writes programs as text that Parse reads back to the same programs.
func Format(names []string, programs []core.Program) string {
	var b strings.Builder
	for r, p := range programs {
		var words []string
		for _, op := range p {
			text := formatOp(op, names)
			if op.Try {
				text = "try " + text
			}
			if op.OnError {
				text = "onerror " + text
			}
			words = append(words, text)
		}
		b.WriteString(strings.TrimSuffix(names[r]+": "+strings.Join(words, "; "), " ") + "\n")
	}
	return b.String()
}

func formatOp(op core.Op, names []string) string {
	var words string
	switch op.Kind {
	case core.OpSend:
		words = "reply"
		if !op.Any {
			words = "send " + names[op.Peer]
		}
		if op.Label != "" {
			words += " " + op.Label
		}
		if op.Bytes > 0 {
			words += fmt.Sprintf(" %dB", op.Bytes)
		}
	case core.OpRecv, core.OpPost:
		words = op.Kind.Verb() + " "
		if op.Any {
			words += "*"
		} else {
			words += names[op.Peer]
		}
		if op.Ordered {
			words += " ordered"
		}
	case core.OpWait, core.OpCheckpoint, core.OpOutput, core.OpEnd, core.OpAcknowledge,
		core.OpCancel:
		words = op.Kind.Verb()
	case core.OpLoop, core.OpPick:
		words = fmt.Sprintf("%s %d", op.Kind.Verb(), op.Count)
	default:
		panic(fmt.Sprintf("invariant: an operation of a program has a kind: %d", op.Kind))
	}
	return words
}
