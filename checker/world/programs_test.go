package world

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/domino-check/domino/impl/protocol/hydee"
)

// randomProgram draws a program without deadlock: a random global sequence of messages, each
// received right after it was sent or later, is one of its runs, and a rank receives either
// everything by name or everything from anyone.
func randomProgram(r *rand.Rand, ranks, messages int) string {
	ops := make([][]string, ranks)
	owed := make([][]string, ranks)
	style := make([]int, ranks)
	for q := range style {
		style[q] = r.IntN(5) // 0: from anyone; 1: posts; 2: ordered from anyone; others: by name
	}
	settle := func(q int) {
		ops[q] = append(ops[q], owed[q]...)
		owed[q] = nil
	}
	for k := range messages {
		p := r.IntN(ranks)
		q := (p + 1 + r.IntN(ranks-1)) % ranks
		if r.IntN(2) == 0 {
			settle(p)
		}
		ops[p] = append(ops[p], fmt.Sprintf("send r%d m%d", q, k))
		if style[q] == 1 {
			ops[q] = append(ops[q], fmt.Sprintf("post r%d", p))
			owed[q] = []string{"wait"}
			continue
		}
		owed[q] = append(owed[q], map[int]string{0: "recv *", 2: "recv * ordered"}[style[q]])
		if style[q] > 2 {
			owed[q][len(owed[q])-1] = fmt.Sprintf("recv r%d", p)
		}
		if r.IntN(2) == 0 {
			settle(q)
		}
	}
	var b strings.Builder
	for q := range ranks {
		settle(q)
		fmt.Fprintf(&b, "r%d: %s\n", q, strings.Join(ops[q], "; "))
	}
	return b.String()
}

// randomClusters draws a cluster for each rank, numbered from 0 without gaps.
func randomClusters(r *rand.Rand, ranks int) []int {
	clusters := make([]int, ranks)
	used := 1
	for q := 1; q < ranks; q++ {
		clusters[q] = r.IntN(used + 1)
		used = max(used, clusters[q]+1)
	}
	return clusters
}

// randomErrata switches on none, one or two errata.
func randomErrata(r *rand.Rand) (s hydee.Set) {
	for range r.IntN(3) {
		s = s.With(hydee.Erratum(r.IntN(len(hydee.Errata()))))
	}
	return s
}
