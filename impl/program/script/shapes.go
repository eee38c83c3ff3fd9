package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// shape generates the text of a program for n ranks and a number of iterations.
type shape struct {
	name, doc string
	least     int // ranks
	text      func(n, iterations int) string
}

var shapes = []shape{
	{"ring", "each rank sends to the next and receives from the one before", 2, ring},
	{"stencil", "each rank of a line exchanges with both neighbours", 2, stencil},
	{"wavefront", "work flows from the first rank to the last, as in a pipelined sweep", 2,
		wavefront},
	{"all-to-all", "each rank sends to all others, then receives from each", 2, allToAll},
	{"reduction", "everybody sends to rank 0, which collects in any order and answers everybody", 2,
		reduction},
	{"master-worker", "rank 0 gives the next piece of work to whoever asks: not send-deterministic",
		3, masterWorker},
	{"domino", "pairs of ranks that receive, take a checkpoint and send in turn: without more " +
		"care no two images are consistent", 2, domino},
}

// Shapes lists the names of the generated programs with one line of description each.
func Shapes() (names, docs []string) {
	for _, s := range shapes {
		names, docs = append(names, s.name), append(docs, s.doc)
	}
	return names, docs
}

// Generate makes the text of a named program from "NAME RANKS [ITERATIONS]".
func Generate(words string) (string, error) {
	fields := strings.Fields(words)
	names, _ := Shapes()
	if len(fields) < 2 || len(fields) > 3 {
		return "", fmt.Errorf("program %q, want NAME RANKS [ITERATIONS] with NAME one of %s", words,
			strings.Join(names, ", "))
	}
	i := slices.Index(names, fields[0])
	if i < 0 {
		return "", fmt.Errorf("unknown program %q, want one of %s", fields[0],
			strings.Join(names, ", "))
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil || n < shapes[i].least || n > maxRanks {
		return "", fmt.Errorf("program %s for %q ranks, want a number in [%d, %d]", fields[0],
			fields[1], shapes[i].least, maxRanks)
	}
	iterations := 1
	if len(fields) == 3 {
		if iterations, err = strconv.Atoi(fields[2]); err != nil || iterations < 1 {
			return "", fmt.Errorf("program %s with %q iterations, want a number of at least 1",
				fields[0], fields[2])
		}
		if iterations > 1<<16/n {
			return "", fmt.Errorf("program %s with %q iterations for %d ranks, want at most %d",
				fields[0], fields[2], n, 1<<16/n)
		}
	}
	return shapes[i].text(n, iterations), nil
}

// lines writes one program a rank, looped when there is more than one iteration.
func lines(n, iterations int, body func(r int) string) string {
	var b strings.Builder
	for r := range n {
		if iterations > 1 {
			fmt.Fprintf(&b, "r%d: loop %d; %s; end\n", r, iterations, body(r))
		} else {
			fmt.Fprintf(&b, "r%d: %s\n", r, body(r))
		}
	}
	return b.String()
}

func ring(n, iterations int) string {
	return lines(n, iterations, func(r int) string {
		if r == 0 {
			return fmt.Sprintf("send r1 t0; recv r%d", n-1)
		}
		return fmt.Sprintf("recv r%d; send r%d t%d", r-1, (r+1)%n, r)
	})
}

func stencil(n, iterations int) string {
	return lines(n, iterations, func(r int) string {
		var sends, receives []string
		for _, q := range []int{r - 1, r + 1} {
			if q >= 0 && q < n {
				sends = append(sends, fmt.Sprintf("send r%d h%d%d", q, r, q))
				receives = append(receives, fmt.Sprintf("recv r%d", q))
			}
		}
		return strings.Join(append(sends, receives...), "; ")
	})
}

func wavefront(n, iterations int) string {
	return lines(n, iterations, func(r int) string {
		var ops []string
		if r > 0 {
			ops = append(ops, fmt.Sprintf("recv r%d", r-1))
		}
		if r < n-1 {
			ops = append(ops, fmt.Sprintf("send r%d w%d", r+1, r))
		}
		return strings.Join(ops, "; ")
	})
}

func reduction(n, iterations int) string {
	return lines(n, iterations, func(r int) string {
		if r > 0 {
			return fmt.Sprintf("send r0 c%d; recv r0", r)
		}
		ops := slices.Repeat([]string{"recv *"}, n-1)
		for q := 1; q < n; q++ {
			ops = append(ops, fmt.Sprintf("send r%d b%d", q, q))
		}
		return strings.Join(ops, "; ")
	})
}

func masterWorker(n, iterations int) string {
	return lines(n, 1, func(r int) string {
		if r > 0 {
			return strings.TrimSuffix(strings.Repeat("send r0; recv r0; ", iterations), "; ")
		}
		return strings.TrimSuffix(strings.Repeat("recv * ordered; reply; ", (n-1)*iterations), "; ")
	})
}

func allToAll(n, iterations int) string {
	return lines(n, iterations, func(r int) string {
		var sends, receives []string
		for q := range n {
			if q != r {
				sends = append(sends, fmt.Sprintf("send r%d a%d%d", q, r, q))
				receives = append(receives, fmt.Sprintf("recv r%d", q))
			}
		}
		return strings.Join(append(sends, receives...), "; ")
	})
}

// domino has an image between each reception and the send that follows it, on both sides: each
// image holds the reception of a message that was sent behind the one before, so the loss of the
// last message of one side takes every image away, down to the beginning [Randell]. A rank without
// a partner takes its checkpoints alone.
func domino(n, iterations int) string {
	var b strings.Builder
	for r := range n {
		q, first, last := r^1, "", ""
		turn := fmt.Sprintf("recv r%d; checkpoint; send r%d", q, q)
		switch {
		case q == n:
			turn = "checkpoint"
		case r < q:
			first = fmt.Sprintf("send r%d; ", q)
		default:
			last = fmt.Sprintf("; recv r%d", q)
		}
		fmt.Fprintf(&b, "r%d: %sloop %d; %s; end%s\n", r, first, iterations, turn, last)
	}
	return b.String()
}
