package boundary_test

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// records are the mutants of stable storage and of what a restart makes of it.
func records() []Mutant {
	return []Mutant{
		breaks("stable-only", "stores-determinants", "makes a determinant stable at each delivery",
			after(trace.Delivered, storeDeterminant)),
		nearly("stable-only", "stores-spare-image",
			"makes a spare image stable at each delivery, under a key that is declared",
			after(trace.Delivered, storeSpare)),
		breaks("line-progress", "forgets-checkpoint",
			"restarts from the initial state whatever is stable", habit{input: forget}),
		nearly("line-progress", "commits-twice", "declares each recovery line two times",
			twice(trace.Committed)),
		breaks("line-settles", "stays-behind", "the first rank never declares its recovery line",
			habit{effects: each(stayBehind)}),
		nearly("line-settles", "commits-twice-later",
			"declares each recovery line two times, with what else happens in the step between",
			habit{effects: commitLater}),
		breaks("line-consistent", "restores-early-image",
			"restarts from its own image although the cluster has not committed it",
			habit{input: earlyImage}),
		nearly("line-consistent", "reads-backwards", "reads its stable records in reverse order",
			habit{input: readBackwards}),
	}
}

func stayBehind(b *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Commit && b.Proc == 0 {
		return nil
	}
	return []core.Effect{e}
}

func commitLater(_ *machine, list []core.Effect) []core.Effect {
	for _, e := range list {
		if e.Kind == core.Commit {
			list = append(list, e)
		}
	}
	return list
}

func storeDeterminant(*machine, core.Effect) []core.Effect {
	return []core.Effect{{Kind: core.Persist, Key: "determinant/1", Value: []byte{1}}}
}

func storeSpare(*machine, core.Effect) []core.Effect {
	return []core.Effect{{Kind: core.Persist, Key: imageKey + "spare", Value: []byte{1}}}
}

// Keys of the records that HydEE writes.
const (
	imageKey  = "image/"
	commitKey = "commit/"
)

func forget(_ *machine, in core.Input) core.Input {
	in.Records = nil
	return in
}

func readBackwards(_ *machine, in core.Input) core.Input {
	in.Records = slices.Clone(in.Records)
	slices.Reverse(in.Records)
	return in
}

// earlyImage adds the commit record that an own image lacks, at every rank but the first of the
// cluster, so that the members restart from different lines.
func earlyImage(b *machine, in core.Input) core.Input {
	first := b.Setup.Group(b.Proc)[0]
	if b.Proc == first {
		return in
	}
	in.Records = slices.Clone(in.Records)
	for _, r := range in.Records {
		if number, ok := strings.CutPrefix(r.Key, imageKey); ok && r.Owner == b.Proc {
			in.Records = append(in.Records, core.Record{Owner: first, Key: commitKey + number,
				Value: []byte{1}})
		}
	}
	return in
}
